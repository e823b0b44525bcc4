//! Caches the calls, states and read files of directories between runs.
//!
//! The index has an entry for the content of each directory, with the directories that its module calls. Its key is a
//! hash of that content, so an entry cannot be out of date. An index that another version of the program wrote, or
//! that is damaged, is not used. A run without it takes longer and has the same findings.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hasher};

use hashbrown::HashMap;
use smol_str::SmolStr;

use crate::session::calls::Calls;
use crate::vfs::{ByContent, Content};

/// The name of the cache file.
pub(crate) const NAME: &str = "calls";

/// The largest size in bytes that is written or read: enough for some million modules.
pub(crate) const MAX_BYTES: u64 = 64 << 20;

/// The header: file type, program version and format version.
const HEADER: &[u8] = concat!("overrule calls 8 ", env!("CARGO_PKG_VERSION"), "\n").as_bytes();

/// The length of the checksum at the end in bytes.
const CHECKSUM_BYTES: usize = 8;

/// For the content of a directory: the local paths that its module calls, the addresses of its state, and patterns of
/// the files that its functions read.
#[derive(Debug, Default)]
pub(crate) struct CallIndex {
    /// Each path, address and pattern once.
    pub(crate) texts: Vec<SmolStr>,
    /// Indexes into [`CallIndex::texts`]: for each module those of its calls, then of its states, then of its
    /// patterns.
    calls: Vec<u32>,
    /// The range of a module in [`CallIndex::calls`], by the content of its directory.
    directories: ByContent<CallsOf>,
    /// Whether it has entries that were not read from the cache.
    pub(crate) has_new_entries: bool,
}

/// The ranges of one module in [`CallIndex::calls`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct CallsOf {
    start: u32,
    /// The start of the states.
    states: u32,
    /// The start of the patterns.
    reads: u32,
    end: u32,
    /// Whether its files show that it is a root module.
    pub(crate) shows_root: bool,
}

impl CallIndex {
    /// Returns the entry for a directory with this content, if there is one.
    pub(crate) fn place(&self, content: Content) -> Option<CallsOf> {
        self.directories.get(&content).copied()
    }

    /// The path, address or pattern with this index.
    pub(crate) fn text(&self, index: u32) -> &SmolStr {
        &self.texts[index as usize]
    }

    /// The paths, addresses or patterns with these indexes.
    pub(crate) fn texts<'i>(&'i self, indexes: &'i [u32]) -> impl Iterator<Item = &'i SmolStr> {
        indexes.iter().map(|index| self.text(*index))
    }

    /// The calls of a module, as indexes of paths.
    pub(crate) fn calls(&self, of: CallsOf) -> &[u32] {
        &self.calls[of.start as usize..of.states as usize]
    }

    /// The states of a module, as indexes of addresses.
    pub(crate) fn states(&self, of: CallsOf) -> &[u32] {
        &self.calls[of.states as usize..of.reads as usize]
    }

    /// The patterns of the files that functions of a module may read.
    pub(crate) fn patterns(&self, of: CallsOf) -> impl Iterator<Item = &str> {
        self.texts(self.reads(of)).map(SmolStr::as_str)
    }

    fn reads(&self, of: CallsOf) -> &[u32] {
        &self.calls[of.reads as usize..of.end as usize]
    }

    /// Adds entries for directories.
    pub(crate) fn keep(&mut self, directories: impl IntoIterator<Item = (Content, Calls)>) {
        let mut numbers: HashMap<SmolStr, u32> = HashMap::new();
        for (number, address) in (0..).zip(&self.texts) {
            numbers.insert(address.clone(), number);
        }
        for (content, Calls { addresses, states, reads, shows_root, .. }) in directories {
            let (start, number_of_calls) = (length(&self.calls), length_of(addresses.len()));
            let number_of_states = length_of(states.len());
            for address in addresses.into_iter().chain(states).chain(reads) {
                let number = *numbers.entry(address).or_insert_with_key(|address| {
                    self.texts.push(address.clone());
                    length(&self.texts) - 1
                });
                self.calls.push(number);
            }
            let (states, end) = (start + number_of_calls, length(&self.calls));
            let reads = states + number_of_states;
            self.directories.insert(content, CallsOf { start, states, reads, end, shows_root });
            self.has_new_entries = true;
        }
    }

    /// Reads an index that an earlier run wrote.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let (written, checksum) = bytes.split_last_chunk::<CHECKSUM_BYTES>()?;
        if u64::from_le_bytes(*checksum) != sum(written) {
            return None;
        }
        let mut rest = Bytes(written.strip_prefix(HEADER)?);
        let mut index = Self::default();
        for _ in 0..rest.number()? {
            let length = rest.number()?;
            index.texts.push(SmolStr::new(std::str::from_utf8(rest.take(length)?).ok()?));
        }
        let length_of_content = rest.number()?;
        for _ in 0..rest.number()? {
            let content = Content::from_bytes(rest.take(length_of_content)?)?;
            let shows_root = rest.number()? != 0;
            let start = length(&index.calls);
            let states = rest.numbers(&mut index.calls)?;
            let reads = rest.numbers(&mut index.calls)?;
            let end = rest.numbers(&mut index.calls)?;
            index.directories.insert(content, CallsOf { start, states, reads, end, shows_root });
        }
        let is_known = |number: &u32| (*number as usize) < index.texts.len();
        (rest.0.is_empty() && index.calls.iter().all(is_known)).then_some(index)
    }

    /// Writes the entries that the run used, and the others if there are few. `None` if even the used ones are too
    /// large.
    pub(crate) fn write(&self, used: &BTreeSet<Content>) -> Option<Vec<u8>> {
        let mut directories: BTreeMap<Content, CallsOf> =
            self.directories.iter().map(|(content, calls)| (*content, *calls)).collect();
        if directories.len() > 2 * used.len() + 1000 {
            directories.retain(|content, _| used.contains(content));
        }
        // Addresses that only dropped entries use are dropped.
        let mut numbers: BTreeMap<&SmolStr, u32> = BTreeMap::new();
        let numbers_of = |of: &CallsOf| self.calls(*of).iter().chain(self.states(*of)).chain(self.reads(*of));
        for number in directories.values().flat_map(numbers_of) {
            numbers.insert(self.text(*number), 0);
        }
        (0..).zip(numbers.values_mut()).for_each(|(number, new)| *new = number);
        let mut bytes = Written(HEADER.to_vec());
        bytes.number(numbers.len())?;
        for address in numbers.keys() {
            bytes.number(address.len())?;
            bytes.0.extend(address.as_bytes());
        }
        bytes.number(directories.keys().next().map_or(0, |content| content.as_bytes().len()))?;
        bytes.number(directories.len())?;
        for (content, calls) in directories {
            bytes.0.extend(content.as_bytes());
            bytes.number(calls.shows_root.into())?;
            for addresses in [self.calls(calls), self.states(calls), self.reads(calls)] {
                bytes.number(addresses.len())?;
                for number in addresses {
                    bytes.0.extend(numbers[self.text(*number)].to_le_bytes());
                }
            }
        }
        let Written(mut bytes) = bytes;
        bytes.extend(sum(&bytes).to_le_bytes());
        (bytes.len() as u64 <= MAX_BYTES).then_some(bytes)
    }
}

fn length<T>(list: &[T]) -> u32 {
    length_of(list.len())
}

fn length_of(number: usize) -> u32 {
    u32::try_from(number).expect("a repository has fewer than 2^32 calls")
}

/// Reads from the start of a byte slice.
struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn take(&mut self, number: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(number)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<usize> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        usize::try_from(u32::from_le_bytes(*bytes)).ok()
    }

    /// Adds a list of numbers to another one, and returns the new length of that.
    fn numbers(&mut self, list: &mut Vec<u32>) -> Option<u32> {
        for _ in 0..self.number()? {
            list.push(self.number()?.try_into().ok()?);
        }
        Some(length(list))
    }
}

/// Writes to the end of a byte vector.
struct Written(Vec<u8>);

impl Written {
    fn number(&mut self, number: usize) -> Option<()> {
        self.0.extend(u32::try_from(number).ok()?.to_le_bytes());
        Some(())
    }
}

/// This may differ between two builds of the program. The later one then reads all directories again.
fn sum(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(byte: u8) -> Content {
        Content::from_bytes(&[byte; 20]).expect("twenty bytes are a name")
    }

    fn index() -> CallIndex {
        let mut index = CallIndex::default();
        index.keep([
            (content(2), seen(&["../net", "./é"], &["s3 bucket=a key=b"], true)),
            (content(1), seen(&["../net"], &[], false)),
            (content(3), seen(&[], &[], false)),
        ]);
        index
    }

    fn seen(addresses: &[&str], states: &[&str], shows_root: bool) -> Calls {
        let set = |addresses: &[&str]| addresses.iter().map(SmolStr::new).collect();
        Calls {
            addresses: set(addresses),
            states: set(states),
            reads: set(states),
            complete: true,
            shows_root,
        }
    }

    fn states(index: &CallIndex, byte: u8) -> Option<Vec<&str>> {
        let numbers = index.states(index.place(content(byte))?);
        Some(index.texts(numbers).map(SmolStr::as_str).collect())
    }

    fn calls(index: &CallIndex, byte: u8) -> Option<Vec<&str>> {
        let numbers = index.calls(index.place(content(byte))?);
        Some(index.texts(numbers).map(SmolStr::as_str).collect())
    }

    #[test]
    fn what_is_written_is_read() {
        let bytes = index().write(&BTreeSet::new()).expect("it is small");
        let read = CallIndex::read(&bytes).expect("it is sound");
        for index in [index(), read] {
            assert_eq!(calls(&index, 1), Some(vec!["../net"]));
            assert_eq!(calls(&index, 2), Some(vec!["../net", "./é"]));
            assert_eq!(calls(&index, 3), Some(Vec::new()));
            assert_eq!(calls(&index, 4), None);
            assert_eq!(states(&index, 2), Some(vec!["s3 bucket=a key=b"]));
            assert_eq!(states(&index, 1), Some(Vec::new()));
            let shows_root = |byte| index.place(content(byte)).map(|calls| calls.shows_root);
            assert_eq!((shows_root(1), shows_root(2)), (Some(false), Some(true)));
        }
    }

    #[test]
    fn what_is_read_can_be_added_to() {
        let bytes = index().write(&BTreeSet::new()).expect("it is small");
        let mut read = CallIndex::read(&bytes).expect("it is sound");
        assert!(!read.has_new_entries);
        read.keep([(content(4), seen(&["../net", "../dns"], &[], false))]);
        assert!(read.has_new_entries);
        let again =
            CallIndex::read(&read.write(&BTreeSet::new()).expect("it is small")).expect("it is sound");
        assert_eq!(calls(&again, 2), Some(vec!["../net", "./é"]));
        assert_eq!(calls(&again, 4), Some(vec!["../dns", "../net"]));
    }

    #[test]
    fn what_was_not_written_so_is_not_used() {
        let bytes = index().write(&BTreeSet::new()).expect("it is small");
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert!(CallIndex::read(&other).is_none(), "byte {at}");
            assert!(CallIndex::read(&bytes[..at]).is_none(), "the first {at} bytes");
        }
        let sealed = |mut bytes: Vec<u8>| {
            bytes.extend(sum(&bytes).to_le_bytes());
            bytes
        };
        let written = &bytes[..bytes.len() - CHECKSUM_BYTES];
        let mut newer = written.to_vec();
        newer[HEADER.len() - 2] = b'x';
        assert!(CallIndex::read(&sealed(newer)).is_none(), "of another version");
        let mut unknown = written.to_vec();
        // After it come the address of a state, and a directory without either: a hash of twenty bytes and three
        // numbers.
        let last_call = unknown.len() - 32 - 8 - 4;
        unknown[last_call] = 0xff;
        assert!(CallIndex::read(&sealed(unknown)).is_none(), "calls that are no addresses");
    }

    #[test]
    fn what_is_of_no_use_any_more_is_forgotten_once_it_is_much() {
        let numbered = |number: u16| {
            let bytes: Vec<u8> = number.to_le_bytes().iter().copied().cycle().take(20).collect();
            Content::from_bytes(&bytes).expect("twenty bytes are a name")
        };
        let mut index = CallIndex::default();
        index.keep((0..1500).map(|number| (numbered(number), seen(&[], &[], false))));
        let left = |used: u16| {
            let used = (0..used).map(numbered).collect();
            CallIndex::read(&index.write(&used).expect("it is small")).expect("it is sound").directories.len()
        };
        assert_eq!((left(250), left(249)), (1500, 249));
    }
}

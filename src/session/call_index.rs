//! Turns what was seen of directories into bytes that a later run can do with, and such bytes back, if they are sound.
//!
//! What is written down is which directories a module calls, by a name for what its directory holds, so nothing in it
//! can be out of date. Bytes that another version of the program wrote, or that are not what was written, are not used;
//! a run without them takes longer, and finds the same.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, DefaultHasher, Hasher};

use smol_str::SmolStr;

use crate::session::calls::Calls;
use crate::vfs::Content;

/// The name under which it is kept.
pub(crate) const NAME: &str = "calls";

/// More than this is neither written nor read; it is enough for some million modules.
pub(crate) const MOST_BYTES: u64 = 64 << 20;

/// What the bytes start with: what they are, who wrote them, and in which of its formats.
const HEAD: &[u8] = concat!("overrule calls 4 ", env!("CARGO_PKG_VERSION"), "\n").as_bytes();

/// As many bytes at the end tell whether those before them are what was written.
const SEAL: usize = 8;

/// By what a directory holds: the local addresses that its module calls, the addresses of states, and patterns of the
/// files that functions read.
#[derive(Debug, Default)]
pub(crate) struct CallIndex {
    /// Each address once.
    addresses: Vec<SmolStr>,
    /// The numbers of those that modules call, of those at which they keep a state, and of patterns, one module behind
    /// the other.
    calls: Vec<u32>,
    /// Which of [`CallIndex::calls`] are those of a directory.
    directories: HashMap<Content, CallsOf, BuildHasherDefault<NoHasher>>,
    /// Whether more is known than was read.
    is_news: bool,
}

/// Which of the calls that are remembered are those of one module.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct CallsOf {
    start: u32,
    /// Where the addresses of states start.
    states: u32,
    /// Where the patterns of files start that functions read.
    reads: u32,
    end: u32,
    /// Whether its files show that an engine is run in the directory.
    pub(crate) shows_root: bool,
}

impl CallIndex {
    /// Where it is remembered what the module of a directory with this content calls, if that was seen.
    pub(crate) fn place(&self, content: Content) -> Option<CallsOf> {
        self.directories.get(&content).copied()
    }

    /// What a module calls, each by the number of its address.
    pub(crate) fn calls(&self, of: CallsOf) -> &[u32] {
        &self.calls[of.start as usize..of.states as usize]
    }

    /// Where a module may keep its state, each by the number of its address.
    pub(crate) fn states(&self, of: CallsOf) -> &[u32] {
        &self.calls[of.states as usize..of.reads as usize]
    }

    /// Patterns of the files that functions of a module may read, each by its number among the addresses.
    pub(crate) fn reads(&self, of: CallsOf) -> &[u32] {
        &self.calls[of.reads as usize..of.end as usize]
    }

    /// The addresses that numbers stand for.
    pub(crate) fn addresses(&self) -> &[SmolStr] {
        &self.addresses
    }

    /// Whether it knows of more than was read.
    pub(crate) fn is_news(&self) -> bool {
        self.is_news
    }

    /// Remembers what was seen of some directories.
    pub(crate) fn keep(&mut self, directories: impl IntoIterator<Item = (Content, Calls)>) {
        let mut numbers: HashMap<SmolStr, u32> = HashMap::new();
        for (number, address) in (0..).zip(&self.addresses) {
            numbers.insert(address.clone(), number);
        }
        for (content, Calls { addresses, states, reads, shows_root, .. }) in directories {
            let (start, number_of_calls) = (length(&self.calls), length_of(addresses.len()));
            let number_of_states = length_of(states.len());
            for address in addresses.into_iter().chain(states).chain(reads) {
                let number = *numbers.entry(address).or_insert_with_key(|address| {
                    self.addresses.push(address.clone());
                    length(&self.addresses) - 1
                });
                self.calls.push(number);
            }
            let (states, end) = (start + number_of_calls, length(&self.calls));
            let reads = states + number_of_states;
            self.directories.insert(content, CallsOf { start, states, reads, end, shows_root });
            self.is_news = true;
        }
    }

    /// Reads what an earlier run wrote.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let (written, seal) = bytes.split_last_chunk::<SEAL>()?;
        if u64::from_le_bytes(*seal) != sum(written) {
            return None;
        }
        let mut rest = Bytes(written.strip_prefix(HEAD)?);
        let mut memory = Self::default();
        for _ in 0..rest.number()? {
            let length = rest.number()?;
            memory.addresses.push(SmolStr::new(std::str::from_utf8(rest.take(length)?).ok()?));
        }
        let length_of_content = rest.number()?;
        for _ in 0..rest.number()? {
            let content = Content::from_bytes(rest.take(length_of_content)?)?;
            let shows_root = rest.number()? != 0;
            let start = length(&memory.calls);
            for _ in 0..rest.number()? {
                memory.calls.push(rest.number()?.try_into().ok()?);
            }
            let states = length(&memory.calls);
            for _ in 0..rest.number()? {
                memory.calls.push(rest.number()?.try_into().ok()?);
            }
            let reads = length(&memory.calls);
            for _ in 0..rest.number()? {
                memory.calls.push(rest.number()?.try_into().ok()?);
            }
            let end = length(&memory.calls);
            memory.directories.insert(content, CallsOf { start, states, reads, end, shows_root });
        }
        let is_known = |number: &u32| (*number as usize) < memory.addresses.len();
        (rest.0.is_empty() && memory.calls.iter().all(is_known)).then_some(memory)
    }

    /// Writes down what is of use, and the rest as long as it is not much; nothing where all of it is too much.
    pub(crate) fn write(&self, used: &BTreeSet<Content>) -> Option<Vec<u8>> {
        let mut directories: BTreeMap<Content, CallsOf> =
            self.directories.iter().map(|(content, calls)| (*content, *calls)).collect();
        if directories.len() > 2 * used.len() + 1000 {
            directories.retain(|content, _| used.contains(content));
        }
        // Addresses that only others called are left behind.
        let mut numbers: BTreeMap<&SmolStr, u32> = BTreeMap::new();
        let numbers_of = |of: &CallsOf| self.calls(*of).iter().chain(self.states(*of)).chain(self.reads(*of));
        for number in directories.values().flat_map(numbers_of) {
            numbers.insert(&self.addresses[*number as usize], 0);
        }
        (0..).zip(numbers.values_mut()).for_each(|(number, new)| *new = number);
        let mut bytes = Written(HEAD.to_vec());
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
                    bytes.0.extend(numbers[&self.addresses[*number as usize]].to_le_bytes());
                }
            }
        }
        let Written(mut bytes) = bytes;
        bytes.extend(sum(&bytes).to_le_bytes());
        (bytes.len() as u64 <= MOST_BYTES).then_some(bytes)
    }
}

/// Takes a name of a content for its hash: that is what it is.
#[derive(Debug, Default)]
struct NoHasher(u64);

impl Hasher for NoHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0 ^= u64::from_le_bytes(word);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

fn length<T>(list: &[T]) -> u32 {
    length_of(list.len())
}

fn length_of(number: usize) -> u32 {
    u32::try_from(number).expect("a repository has fewer than 2^32 calls")
}

/// Bytes that are taken from the front.
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
}

/// Bytes that are added to the end.
struct Written(Vec<u8>);

impl Written {
    fn number(&mut self, number: usize) -> Option<()> {
        self.0.extend(u32::try_from(number).ok()?.to_le_bytes());
        Some(())
    }
}

/// It may differ between two builds of the program, which costs the later one time.
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

    fn memory() -> CallIndex {
        let mut memory = CallIndex::default();
        memory.keep([
            (content(2), seen(&["../net", "./é"], &["s3 bucket=a key=b"], true)),
            (content(1), seen(&["../net"], &[], false)),
            (content(3), seen(&[], &[], false)),
        ]);
        memory
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

    fn states(memory: &CallIndex, byte: u8) -> Option<Vec<&str>> {
        let numbers = memory.states(memory.place(content(byte))?);
        Some(numbers.iter().map(|number| memory.addresses()[*number as usize].as_str()).collect())
    }

    fn calls(memory: &CallIndex, byte: u8) -> Option<Vec<&str>> {
        let numbers = memory.calls(memory.place(content(byte))?);
        Some(numbers.iter().map(|number| memory.addresses()[*number as usize].as_str()).collect())
    }

    #[test]
    fn what_is_written_is_read() {
        let bytes = memory().write(&BTreeSet::new()).expect("it is small");
        let read = CallIndex::read(&bytes).expect("it is sound");
        for memory in [memory(), read] {
            assert_eq!(calls(&memory, 1), Some(vec!["../net"]));
            assert_eq!(calls(&memory, 2), Some(vec!["../net", "./é"]));
            assert_eq!(calls(&memory, 3), Some(Vec::new()));
            assert_eq!(calls(&memory, 4), None);
            assert_eq!(states(&memory, 2), Some(vec!["s3 bucket=a key=b"]));
            assert_eq!(states(&memory, 1), Some(Vec::new()));
            let shows_root = |byte| memory.place(content(byte)).map(|calls| calls.shows_root);
            assert_eq!((shows_root(1), shows_root(2)), (Some(false), Some(true)));
        }
    }

    #[test]
    fn what_is_read_can_be_added_to() {
        let bytes = memory().write(&BTreeSet::new()).expect("it is small");
        let mut read = CallIndex::read(&bytes).expect("it is sound");
        assert!(!read.is_news());
        read.keep([(content(4), seen(&["../net", "../dns"], &[], false))]);
        assert!(read.is_news());
        let again =
            CallIndex::read(&read.write(&BTreeSet::new()).expect("it is small")).expect("it is sound");
        assert_eq!(calls(&again, 2), Some(vec!["../net", "./é"]));
        assert_eq!(calls(&again, 4), Some(vec!["../dns", "../net"]));
    }

    #[test]
    fn what_was_not_written_so_is_not_used() {
        let bytes = memory().write(&BTreeSet::new()).expect("it is small");
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
        let written = &bytes[..bytes.len() - SEAL];
        let mut newer = written.to_vec();
        newer[HEAD.len() - 2] = b'x';
        assert!(CallIndex::read(&sealed(newer)).is_none(), "of another version");
        let mut unknown = written.to_vec();
        // Behind it comes the address of a state, and a directory with neither: a name of twenty bytes, and three
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
        let mut memory = CallIndex::default();
        memory.keep((0..1500).map(|number| (numbered(number), seen(&[], &[], false))));
        let left = |used: u16| {
            let used = (0..used).map(numbered).collect();
            CallIndex::read(&memory.write(&used).expect("it is small"))
                .expect("it is sound")
                .directories
                .len()
        };
        assert_eq!((left(250), left(249)), (1500, 249));
    }
}

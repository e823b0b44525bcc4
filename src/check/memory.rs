//! Turns what was seen of folders into bytes that a later run can do with, and such bytes back, if they are sound.
//!
//! What is written down is which folders a module calls, by a name for what its folder holds, so nothing in it can be out
//! of date. Bytes that another version of the program wrote, or that are not what was written, are not used; a run
//! without them takes longer, and finds the same.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hasher};

use smol_str::SmolStr;

use crate::source::Content;

/// The name under which it is kept.
pub(super) const NAME: &str = "calls";

/// More than this is neither written nor read; it is enough for some hundred thousand modules.
pub(super) const MOST_BYTES: u64 = 64 << 20;

/// What the bytes start with: what they are, who wrote them, and in which of its formats.
const HEAD: &[u8] = concat!("overrule calls 1 ", env!("CARGO_PKG_VERSION"), "\n").as_bytes();

/// As many bytes at the end tell whether those before them are what was written.
const SEAL: usize = 8;

/// By what a folder holds: the local addresses that its module calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Memory(BTreeMap<Content, Vec<SmolStr>>);

impl Memory {
    /// Reads what an earlier run wrote.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let (written, seal) = bytes.split_last_chunk::<SEAL>()?;
        if u64::from_le_bytes(*seal) != sum(written) {
            return None;
        }
        let mut rest = Bytes(written.strip_prefix(HEAD)?);
        let mut folders = Vec::new();
        while !rest.0.is_empty() {
            let content = Content::from_bytes(rest.short()?)?;
            let calls = rest.number()?;
            let calls = (0..calls).map(|_| rest.text()).collect::<Option<_>>()?;
            folders.push((content, calls));
        }
        Some(Self(folders.into_iter().collect()))
    }

    /// What the module of a folder with this content calls, if that was seen.
    pub(super) fn calls(&self, content: Content) -> Option<&[SmolStr]> {
        self.0.get(&content).map(Vec::as_slice)
    }

    /// Remembers what the module of a folder calls.
    pub(super) fn keep(&mut self, content: Content, calls: Vec<SmolStr>) {
        self.0.insert(content, calls);
    }

    /// Forgets all but these where it knows of more than so many, as it may of other branches.
    pub(super) fn forget_others(&mut self, used: &BTreeSet<Content>, most: usize) {
        if self.0.len() > most {
            self.0.retain(|content, _| used.contains(content));
        }
    }

    /// Writes it down; nothing where it is too much.
    pub(super) fn write(&self) -> Option<Vec<u8>> {
        let mut bytes = HEAD.to_vec();
        for (content, calls) in &self.0 {
            let content = content.as_bytes();
            bytes.push(u8::try_from(content.len()).ok()?);
            bytes.extend(content);
            bytes.extend(u32::try_from(calls.len()).ok()?.to_le_bytes());
            for call in calls {
                bytes.extend(u32::try_from(call.len()).ok()?.to_le_bytes());
                bytes.extend(call.as_bytes());
            }
        }
        bytes.extend(sum(&bytes).to_le_bytes());
        (bytes.len() as u64 <= MOST_BYTES).then_some(bytes)
    }
}

/// Bytes that are taken from the front.
struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn take(&mut self, number: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(number)?;
        self.0 = rest;
        Some(taken)
    }

    /// Fewer than 256 bytes behind their number.
    fn short(&mut self) -> Option<&'b [u8]> {
        let length = self.take(1)?[0];
        self.take(length.into())
    }

    fn number(&mut self) -> Option<usize> {
        let bytes = self.take(4)?.try_into().ok()?;
        usize::try_from(u32::from_le_bytes(bytes)).ok()
    }

    fn text(&mut self) -> Option<SmolStr> {
        let length = self.number()?;
        std::str::from_utf8(self.take(length)?).ok().map(SmolStr::new)
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

    fn memory() -> Memory {
        let mut memory = Memory::default();
        memory.keep(content(1), vec!["../net".into(), "./é".into()]);
        memory.keep(content(2), Vec::new());
        memory
    }

    #[test]
    fn what_is_written_is_read() {
        let bytes = memory().write().expect("it is small");
        assert_eq!(Memory::read(&bytes), Some(memory()));
    }

    #[test]
    fn what_was_not_written_so_is_not_used() {
        let bytes = memory().write().expect("it is small");
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert_eq!(Memory::read(&other), None, "byte {at}");
            assert_eq!(Memory::read(&bytes[..at]), None, "the first {at} bytes");
        }
        let mut newer = bytes[..bytes.len() - SEAL].to_vec();
        newer[HEAD.len() - 2] = b'x';
        newer.extend(sum(&newer).to_le_bytes());
        assert_eq!(Memory::read(&newer), None, "of another version");
    }

    #[test]
    fn what_is_of_no_use_any_more_is_forgotten_once_it_is_much() {
        let mut memory = Memory::default();
        for byte in 0..=255 {
            memory.keep(content(byte), Vec::new());
        }
        let used = BTreeSet::from([content(7)]);
        memory.forget_others(&used, 300);
        assert_eq!(memory.0.len(), 256, "it is not much yet");
        memory.forget_others(&used, 255);
        assert_eq!(memory.0.keys().copied().collect::<BTreeSet<_>>(), used);
    }
}

//! Turns a finding into a name that outlives edits: no prose, no position.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use smol_str::SmolStr;

use super::renames::Renamed;
use crate::finding::Finding;
use crate::text::Sources;

/// What was named so far in one run, so that equals are told apart by a number.
#[derive(Debug, Default)]
pub(super) struct Fingerprints {
    named: HashMap<u128, u32>,
    /// Modules that are called otherwise now, by what they were called.
    modules: BTreeMap<SmolStr, SmolStr>,
    /// Blocks that are.
    blocks: Renamed,
}

impl Fingerprints {
    /// Names what is found as if modules and blocks were called already what they will be.
    pub(super) fn ahead(modules: BTreeMap<SmolStr, SmolStr>, blocks: Renamed) -> Self {
        Self { named: HashMap::new(), modules, blocks }
    }

    /// The fingerprint of the next finding, in the order in which the run tells them, and what it has in common with those
    /// that are like it but for their number.
    pub(super) fn of(&mut self, finding: &Finding, sources: &Sources) -> (String, u128) {
        let mut subject = Cow::from(finding.primary.map_or("", |span| subject(sources.slice(span))));
        let mut address = finding.address.as_str();
        if !self.blocks.is_empty()
            && let Some(new) = self.blocks.get(&(finding.module.clone(), address.to_owned()))
        {
            address = &new.address;
            subject = Cow::from(with_word(&subject, &new.from, &new.to));
        }
        let module = self.modules.get(&finding.module).unwrap_or(&finding.module);
        let likeness = [finding.rule.as_str(), module, address, &subject]
            .iter()
            // A byte that no text holds parts the fields, so that none can be taken for a part of its neighbour.
            .fold(OFFSET, |hash, field| mix(mix(hash, field.as_bytes()), &[0xff]));
        let number = self.named.entry(likeness).and_modify(|number| *number += 1).or_insert(0);
        (numbered(likeness, *number), likeness)
    }
}

/// The fingerprint of one among those that are alike.
pub(super) fn numbered(likeness: u128, number: u32) -> String {
    format!("{:032x}", mix(likeness, &number.to_le_bytes()))
}

/// A text with another word in the place of one, wherever that stands alone.
fn with_word(text: &str, from: &str, to: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut replaced = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(from).filter(|_| !from.is_empty()) {
        let (before, behind) = (&rest[..at], &rest[at + from.len()..]);
        let is_alone = !before.chars().next_back().or(replaced.chars().next_back()).is_some_and(is_part)
            && !behind.starts_with(is_part);
        replaced.push_str(before);
        replaced.push_str(if is_alone { to } else { from });
        rest = behind;
    }
    replaced + rest
}

/// What is marked, such as the name of an argument; of many lines the first, which is where a block names itself.
fn subject(marked: &str) -> &str {
    let line = marked.lines().next().unwrap_or("").trim();
    let end = (0..=line.len().min(200)).rev().find(|end| line.is_char_boundary(*end)).unwrap_or(0);
    &line[..end]
}

const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

/// FNV-1a: the standard library promises no hash that is the same in its next release, and this one has to be.
fn mix(hash: u128, bytes: &[u8]) -> u128 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u128::from(*byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_replaced_where_it_stands_alone() {
        assert_eq!(with_word("module \"net\"", "net", "network"), "module \"network\"");
        assert_eq!(with_word("net.net_a[net]", "net", "x"), "x.net_a[x]");
        assert_eq!(with_word("internet", "net", "x"), "internet");
    }

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(mix(OFFSET, b"a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
    }
}

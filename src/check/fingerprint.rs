//! Turns a finding into a name that outlives edits: no prose, no position.

use std::collections::{BTreeMap, HashMap};

use smol_str::SmolStr;

use crate::finding::Finding;
use crate::text::Sources;

/// What was named so far in one run, so that equals are told apart by a number.
#[derive(Debug, Default)]
pub(super) struct Fingerprints {
    named: HashMap<u128, u32>,
    /// Modules that are called otherwise now, by what they were called.
    renamed: BTreeMap<SmolStr, SmolStr>,
}

impl Fingerprints {
    /// Names what is found in modules as if those were called already what they will be.
    pub(super) fn ahead(renamed: BTreeMap<SmolStr, SmolStr>) -> Self {
        Self { named: HashMap::new(), renamed }
    }

    /// The fingerprint of the next finding, in the order in which the run tells them.
    pub(super) fn of(&mut self, finding: &Finding, sources: &Sources) -> String {
        let subject = finding.primary.map_or("", |span| subject(sources.slice(span)));
        let module = self.renamed.get(&finding.module).unwrap_or(&finding.module);
        let key = [finding.rule.as_str(), module, &finding.address, subject]
            .iter()
            // A byte that no text holds parts the fields, so that none can be taken for a part of its neighbour.
            .fold(OFFSET, |hash, field| mix(mix(hash, field.as_bytes()), &[0xff]));
        let number = self.named.entry(key).and_modify(|number| *number += 1).or_insert(0);
        format!("{:032x}", mix(key, &number.to_le_bytes()))
    }
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
    fn the_hash_is_the_published_one() {
        assert_eq!(mix(OFFSET, b"a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
    }
}

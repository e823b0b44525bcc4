//! Fingerprints of findings: hashes of rule, module, block and concern, with a number for equal ones. They contain
//! neither words nor positions, so they stay the same across edits.

pub(super) mod concerns;
pub(super) mod renames;

use std::collections::BTreeMap;
use std::hash::Hash;

use hashbrown::HashMap;
use smol_str::SmolStr;

use crate::check::fingerprint::renames::Renamed;
use crate::check::location::real_directory;
use crate::finding::{Concern, Finding};
use crate::text::{Sources, Span};

/// The keys that were used in a run, so that equal findings get different numbers.
#[derive(Debug, Default)]
pub(super) struct Fingerprints {
    named: HashMap<u128, u32>,
    /// The keys for files that symbolic links lead to. Findings of several modules at one location have one number.
    linked: HashMap<(u128, Span, u32), u32>,
    /// The number of equal findings of a module at a location in such a file.
    placed: HashMap<(u128, Span, SmolStr), u32>,
    /// New names of modules, by their old ones.
    modules: BTreeMap<SmolStr, SmolStr>,
    /// New names of blocks, by their old ones.
    blocks: Renamed,
}

impl Fingerprints {
    /// Creates fingerprints that use the new names of modules and blocks in the state before a change.
    pub(super) fn ahead(modules: BTreeMap<SmolStr, SmolStr>, blocks: Renamed) -> Self {
        Self { modules, blocks, ..Self::default() }
    }

    /// Returns the identity of the next finding, in the order of the report.
    pub(super) fn of(&mut self, finding: &Finding, sources: &Sources) -> Identity {
        let address = self.renamed(&finding.module, &finding.address);
        if let Concern::Modules(directories) = &finding.concern {
            return self.of_modules(finding, directories);
        }
        let real = real_directory(finding, sources);
        let linked = finding.primary.filter(|_| real.is_some());
        let module = real.unwrap_or(&finding.module);
        let (kind, names) = match concerns::file(finding, module, sources) {
            Some(file) => Concern::File(file).into_parts(),
            None => finding.concern.clone().into_parts(),
        };
        let module = self.modules.get(module).map_or(module, SmolStr::as_str);
        let common = mixed(OFFSET, [finding.rule.as_str(), module, address, kind]);
        let mut names: Vec<&str> = names.iter().map(|name| self.renamed(&finding.module, name)).collect();
        names.sort_unstable();
        if let Concern::Providers(_) = finding.concern {
            // A finding that represents several has the fingerprint of each.
            let covers = names.iter().map(|name| numbered(mixed(common, [name]), 0)).collect();
            return Identity { covers, ..self.numbered(common, finding, linked) };
        }
        let likeness = names.into_iter().fold(common, |hash, name| mixed(hash, [name]));
        self.numbered(likeness, finding, linked)
    }

    /// Returns the identity of a finding about several modules: the same, whichever module comes first.
    fn of_modules(&mut self, finding: &Finding, directories: &[SmolStr]) -> Identity {
        let later = |directory: &SmolStr| self.modules.get(directory).unwrap_or(directory).clone();
        let mut directories: Vec<SmolStr> = directories.iter().map(later).collect();
        directories.sort_unstable();
        let (kind, _) = finding.concern.clone().into_parts();
        let common = mixed(OFFSET, [finding.rule.as_str(), "", &finding.address, kind]);
        let of_one = |directory: &SmolStr| mixed(common, [directory.as_str()]);
        let covers = directories.iter().map(|directory| numbered(of_one(directory), 0)).collect();
        let first = directories.first().map_or(common, of_one);
        Identity { covers, ..self.numbered(first, finding, None) }
    }

    /// The name of a block or another part of a module after the change.
    fn renamed<'n>(&'n self, module: &SmolStr, name: &'n str) -> &'n str {
        if self.blocks.is_empty() {
            return name;
        }
        self.blocks.get(&(module.clone(), name.to_owned())).map_or(name, String::as_str)
    }

    fn numbered(&mut self, likeness: u128, finding: &Finding, linked: Option<Span>) -> Identity {
        let mut next = || counted(&mut self.named, likeness);
        let number = match linked {
            Some(at) => {
                let in_module = counted(&mut self.placed, (likeness, at, finding.module.clone()));
                *self.linked.entry((likeness, at, in_module)).or_insert_with(next)
            }
            None => next(),
        };
        Identity { fingerprint: numbered(likeness, number), likeness, covers: Vec::new() }
    }
}

/// Counts a key, and returns how often it was counted before.
fn counted<K: Eq + Hash>(counts: &mut HashMap<K, u32>, key: K) -> u32 {
    let count = counts.entry(key).or_insert(0);
    *count += 1;
    *count - 1
}

/// The identity of a finding, which is the same in every revision.
#[derive(Debug, Clone)]
pub(super) struct Identity {
    pub(super) fingerprint: String,
    /// Like the fingerprint, but equal for findings that differ only in their number.
    pub(super) likeness: u128,
    /// The fingerprints of the findings that it represents, if it represents several.
    pub(super) covers: Vec<String>,
}

/// Adds fields to a hash. A byte that no text contains ends each field, so that fields cannot run into each other.
fn mixed<const N: usize>(hash: u128, fields: [&str; N]) -> u128 {
    fields.iter().fold(hash, |hash, field| mix(mix(hash, field.as_bytes()), &[0xff]))
}

/// The fingerprint of one of several equal findings.
pub(super) fn numbered(likeness: u128, number: u32) -> String {
    format!("{:032x}", mix(likeness, &number.to_le_bytes()))
}

const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

/// FNV-1a. Hashes of the standard library may change in a later release, and these must not.
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

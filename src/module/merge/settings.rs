//! Finds the parts of `terraform` blocks in override files that have no effect.

use std::sync::Arc;

use hashbrown::HashSet;

use crate::engine::RequiredVersion;
use crate::module::Module;
use crate::module::dropped::{Dropped, Why};
use crate::module::merge::Merger;
use crate::module::parts::{Known, Place};
use crate::syntax::Block;
use crate::text::Span;

pub(super) const ADDRESS: &str = "terraform";

impl Merger<'_> {
    /// Drops the parts of `terraform` blocks in override files that the merged module does not contain.
    pub(super) fn drop_settings(&mut self, blocks: &[Arc<Block>]) {
        let merged = merged(self.module);
        let unread = match self.features.required_version {
            RequiredVersion::EveryFile => Why::Refused,
            RequiredVersion::TofuFiles => Why::Ignored,
        };
        let mut encrypted = HashSet::new();
        let mut drop = |dropped: Dropped| {
            self.module.dropped.entry(dropped.span).or_insert(dropped);
        };
        for block in blocks {
            let parts = Place::top(block).parts(&block.body, &Known::default());
            for argument in parts.arguments.iter().filter(|argument| !merged.contains(&argument.span)) {
                let why = match argument.name.as_str() {
                    "required_version" => unread,
                    "experiments" | "language" => Why::Ignored,
                    _ => Why::Refused,
                };
                drop(Dropped::argument(argument, ADDRESS, why));
            }
            for nested in parts.blocks.iter().filter(|nested| !merged.contains(&nested.header)) {
                match nested.kind.as_str() {
                    "required_providers" => {
                        let entries = nested.body.just_attributes(&mut Vec::new()).into_iter();
                        for entry in entries.filter(|entry| !merged.contains(&entry.span)) {
                            drop(Dropped::argument(&entry, ADDRESS, Why::Refused));
                        }
                    }
                    // Each override file can have one.
                    "encryption"
                        if self.features.grammar.encryption && encrypted.insert(nested.header.file) => {}
                    _ => drop(Dropped::block(nested, ADDRESS, Why::Refused)),
                }
            }
        }
    }
}

/// The spans of the settings of a module, and of those that they replaced: arguments, entries and block headers.
fn merged(module: &Module) -> HashSet<Span> {
    let versions = module.required_versions.iter().chain(&module.overridden_versions);
    let entries = module.required_providers.values().flat_map(|entry| {
        std::iter::successors(Some(&**entry), |entry| entry.replaced.as_deref()).map(|entry| entry.span)
    });
    let storage = std::iter::successors(module.storage(), |storage| storage.replaced.as_deref());
    let storage = storage.map(|storage| storage.block.header);
    versions.map(|version| version.span).chain(entries).chain(storage).collect()
}

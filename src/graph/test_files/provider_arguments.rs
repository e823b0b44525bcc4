//! Checks the arguments of the built-in provider in `provider` blocks of test files.

use std::collections::BTreeSet;

use hashbrown::{HashMap, HashSet};
use smol_str::SmolStr;

use crate::finding::Finding;
use crate::graph::providers::Configuration;
use crate::graph::{Node, NodeId, Test, builtin};
use crate::module::Module;
use crate::module::test_file::{Run, TestProvider};
use crate::text::Span;

/// The checked blocks of a test file. Each block is checked for the first run that uses it.
#[derive(Default)]
pub(super) struct Checked {
    /// Their headers.
    blocks: BTreeSet<Span>,
    /// The modules of the runs without `providers`, which can use every block.
    modules: BTreeSet<NodeId>,
    /// The configurations that a module names or uses, by module.
    named: HashMap<NodeId, HashSet<SmolStr>>,
}

impl Checked {
    /// Checks the blocks that a run of the module `under` uses.
    pub(super) fn run(&mut self, test: &Test, run: &Run, under: Node<'_>, findings: &mut Vec<Finding>) {
        let blocks = &test.file.providers;
        if !run.providers.is_empty() {
            for entry in &run.providers {
                let block = blocks.get(&entry.in_parent.compact());
                let (name, alias) = (&entry.in_child.name, entry.in_child.alias.as_ref());
                if let Some(block) = block.filter(|_| uses(under, name, alias)) {
                    self.block(block, findings);
                }
            }
        } else if self.modules.insert(under.id()) {
            for (key, block) in blocks {
                if uses(under, &block.name, block.alias.as_ref()) && self.is_named(under, key) {
                    self.block(block, findings);
                }
            }
        }
    }

    fn block(&mut self, block: &TestProvider, findings: &mut Vec<Finding>) {
        if let Some(config) = &block.config
            && self.blocks.insert(block.header)
        {
            builtin::provider_content(config, findings);
        }
    }

    /// Whether a module itself names a configuration or uses it, so that the engine takes that of the test file.
    fn is_named(&mut self, node: Node<'_>, key: &str) -> bool {
        self.named.entry(node.id()).or_insert_with(|| named(node.module())).contains(key)
    }
}

/// Whether a module uses a configuration of the built-in provider.
fn uses(node: Node<'_>, name: &str, alias: Option<&SmolStr>) -> bool {
    let configuration = Configuration::of(node.module(), name, alias);
    configuration
        .is_some_and(|one| one.provider.is_built_in() && node.uses().configurations.contains_key(&one))
}

/// The configurations that a module itself names or uses, as `name` or `name.alias`.
fn named(module: &Module) -> HashSet<SmolStr> {
    let required = module.required_providers.values().flat_map(|entry| {
        let aliases = entry.aliases.iter().map(|alias| alias.value.compact());
        aliases.chain([entry.name.clone()])
    });
    let used = module.resources.values().map(|resource| resource.provider_key());
    let passed =
        module.calls.values().flat_map(|call| &call.providers).map(|entry| entry.in_parent.compact());
    required.chain(used).chain(passed).chain(module.providers.keys().cloned()).collect()
}

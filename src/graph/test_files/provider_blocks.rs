//! Checks the arguments in `provider` blocks of test files, which the engine evaluates for the runs that use them.

use std::collections::BTreeSet;

use hashbrown::{HashMap, HashSet};
use smol_str::SmolStr;

use super::names::{Names, Place};
use super::outcome::Earlier;
use super::variables::{unknown_outputs, values_of_file, variables_in};
use crate::finding::Finding;
use crate::graph::evaluation::value_of_test;
use crate::graph::providers::Configuration;
use crate::graph::{Node, NodeId, Test, builtin};
use crate::module::Module;
use crate::module::config::Config;
use crate::module::test_file::{Run, TestProvider};
use crate::syntax::Expr;
use crate::text::Span;
use crate::value::Budget;

/// The blocks of a test file that earlier runs use. Each block is checked for the first run that uses it.
#[derive(Default)]
pub(super) struct Used {
    /// Their headers.
    blocks: BTreeSet<Span>,
    /// The modules of the runs without `providers`, which can use every block.
    modules: BTreeSet<NodeId>,
    /// The configurations that a module names or uses, by module.
    named: HashMap<NodeId, HashSet<SmolStr>>,
}

impl Used {
    /// The blocks that a run of the module `under` uses, and no earlier run.
    pub(super) fn first_by<'t>(&mut self, run: &Run, test: &'t Test, under: Node<'_>) -> Vec<Block<'t>> {
        let blocks = &test.file.providers;
        let mut first = Vec::new();
        if !run.providers.is_empty() {
            for entry in &run.providers {
                let block = blocks.get(&entry.in_parent.compact());
                let (name, alias) = (&entry.in_child.name, entry.in_child.alias.as_ref());
                first.extend(block.and_then(|block| self.block(block, under, name, alias)));
            }
        } else if self.modules.insert(under.id()) {
            for (key, block) in blocks {
                if self.is_named(under, key) {
                    first.extend(self.block(block, under, &block.name, block.alias.as_ref()));
                }
            }
        }
        first
    }

    /// The block, if a module uses it under this name and no earlier run does.
    fn block<'t>(
        &mut self,
        block: &'t TestProvider,
        under: Node<'_>,
        name: &str,
        alias: Option<&SmolStr>,
    ) -> Option<Block<'t>> {
        let config = block.config.as_ref()?;
        let configuration = Configuration::of(under.module(), name, alias)?;
        let is_used = under.uses().configurations.contains_key(&configuration);
        let is_first = is_used && self.blocks.insert(block.header);
        is_first.then(|| Block { config, is_built_in: configuration.provider.is_built_in() })
    }

    /// Whether a module itself names a configuration or uses it, so that the engine takes that of the test file.
    fn is_named(&mut self, node: Node<'_>, key: &str) -> bool {
        self.named.entry(node.id()).or_insert_with(|| named(node.module())).contains(key)
    }
}

/// A `provider` block of a test file.
pub(super) struct Block<'t> {
    config: &'t Config,
    is_built_in: bool,
}

impl Block<'_> {
    /// Checks the block for a run.
    pub(super) fn check(
        &self,
        names: &Names<'_, '_>,
        under: Node<'_>,
        earlier: &Earlier,
        work: &Budget,
        findings: &mut Vec<Finding>,
    ) {
        if self.is_built_in {
            builtin::provider_content(self.config, findings);
        }
        self.config.for_each_expression_in_scope(&mut |expr, around| {
            if around.is_certain {
                argument(expr, names, under, earlier, work, findings);
            }
        });
    }
}

/// Checks the value of an argument.
fn argument(
    expr: &Expr,
    names: &Names<'_, '_>,
    under: Node<'_>,
    earlier: &Earlier,
    work: &Budget,
    findings: &mut Vec<Finding>,
) {
    let before = findings.len();
    names.check(expr, Place::Provider, findings);
    if findings.len() > before {
        return;
    }
    let used = variables_in(expr);
    let values = values_of_file(names.test, used, (under, names.node), earlier, work);
    unknown_outputs(expr, &values, findings);
    if findings.len() == before {
        findings.extend(value_of_test(expr, None, &values).1);
    }
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

#![doc = include_str!("../../policies/rules/required-version-missing.md")]

use std::sync::Arc;

use super::{Context, Rule};
use crate::engine::RequiredVersion;
use crate::finding::Finding;
use crate::module::Module;
use crate::module::declaration::Origin;
use crate::policy::Options;
use crate::syntax::Block;
use crate::text::Span;
use crate::tree::{Node, Role};

pub(super) struct RequiredVersionMissing;

impl Rule for RequiredVersionMissing {
    const ID: &'static str = "required-version-missing";

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        let counts = match module.features.required_version {
            RequiredVersion::EveryFile => true,
            // What a `.tf` file asks for is not even read there.
            RequiredVersion::TofuFiles => false,
        };
        let does_something = !module.resources.is_empty() || !module.calls.is_empty();
        if !counts || !does_something || !module.complete || !module.required_versions.is_empty() {
            return;
        }
        let is_written = |block: &Arc<Block>| block.attribute("required_version").is_some();
        if node.is_broken() && context.terraform_blocks(module).iter().any(is_written) {
            return;
        }
        let Some(at) = is_run_or_published(node).then(|| place(module)).flatten() else { return };
        let (what, example) = match node.role() {
            Role::Root => ("run", "~> 1.5"),
            Role::Shared | Role::Example | Role::Test => ("called", ">= 1.5"),
        };
        findings.push(
            Self::finding("Module without `required_version`")
                .detail(format!(
                    "Nothing says with which versions of {} this module can be {what}.",
                    module.features.engine.product.name()
                ))
                .at(at)
                .help(format!("add to the `terraform` block: required_version = \"{example}\""))
                .address("terraform"),
        );
    }
}

/// Whether an engine is run in the module, or people elsewhere call it. A module that is only called from here has its
/// root to say it.
fn is_run_or_published(node: Node<'_>) -> bool {
    match node.role() {
        Role::Root => true,
        Role::Shared => node.callers().all(|(caller, _)| matches!(caller.role(), Role::Example | Role::Test)),
        Role::Example | Role::Test => false,
    }
}

/// Where it would be written: beside what else is required, or beside where the state is kept. Without either, where
/// the module begins.
fn place(module: &Module) -> Option<Span> {
    let storage = module.backend.as_ref().or(module.cloud.as_ref());
    let settings = module.required_providers_block.as_ref().or(storage.map(|storage| &storage.block));
    let resources = module.resources.values().map(|resource| &resource.origin);
    let calls = module.calls.values().map(|call| &call.origin);
    let providers = module.providers.values().map(|provider| &provider.origin);
    let first = || resources.chain(calls).chain(providers).map(Origin::header).min();
    settings.map(|block| block.header).or_else(first)
}

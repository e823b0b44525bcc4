#![doc = include_str!("../../policies/rules/required-version-missing.md")]

use std::sync::Arc;

use super::{ADVICE, Context, Page, Rule, page};
use crate::engine::RequiredVersion;
use crate::finding::{Concern, Finding};
use crate::graph::{Node, Role};
use crate::module::Module;
use crate::module::declaration::Origin;
use crate::syntax::Block;
use crate::text::Span;

pub(super) struct RequiredVersionMissing;

impl Rule for RequiredVersionMissing {
    const PAGE: Page = page!("required-version-missing");
    const ASKS_FOR_ALL_SHARERS: bool = true;
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        let counts = match module.features.required_version {
            RequiredVersion::EveryFile => true,
            // OpenTofu does not load the `.tf` file with the constraint.
            RequiredVersion::TofuFiles => false,
        };
        let does_something = !module.resources.is_empty() || !module.calls.is_empty();
        let is_known = module.is_whole();
        if !counts || !does_something || !is_known || !module.required_versions.is_empty() {
            return;
        }
        let settings = context.terraform_blocks(module);
        let is_written = |block: &Arc<Block>| block.attribute("required_version").is_some();
        if node.is_broken() && settings.iter().any(is_written) {
            return;
        }
        let settings = in_base_files(settings, module, context);
        let Some(at) = is_run_or_published(node).then(|| place(module, &settings)).flatten() else { return };
        // The version is a question for the module that requires one which no release known here meets.
        let below = node.versions_below();
        if below.is_unmodelled {
            return;
        }
        let product = module.features.engine.product;
        let name = product.name();
        let effect = if below.newest.is_some() {
            format!("only its child modules limit the version of {name}")
        } else {
            let unless = if below.calls_unread { ", unless a called module refuses them" } else { "" };
            format!("it also runs with versions of {name} that it was not tested with{unless}")
        };
        let finding = Self::finding("Missing `required_version`")
            .detail(format!("This module does not set `required_version`, so {effect}."))
            .at(at)
            .concerns(Concern::RequiredVersion);
        findings.push(if let Some((_, requirement)) = below.newest.as_deref() {
            let constraint = &requirement.text;
            let related = format!("a child module requires {constraint}");
            finding.related(requirement.at, related).help(if settings.is_empty() {
                format!("add a `terraform` block with `required_version = \"{constraint}\"`")
            } else {
                format!("add to the `terraform` block: `required_version = \"{constraint}\"`")
            })
        } else {
            let command = product.command();
            let block = if settings.is_empty() {
                "add `terraform { required_version = \">= X\" }`"
            } else {
                "add to the `terraform` block: `required_version = \">= X\"`"
            };
            finding.help(format!(
                "{block}, where X is the oldest version in use; `{command} version` prints the installed version"
            ))
        });
    }
}

/// Whether the module is a root module, or a shared module for other repositories. For a shared module of this
/// repository, its root modules can declare the version.
fn is_run_or_published(node: Node<'_>) -> bool {
    match node.role() {
        Role::Root => true,
        Role::Shared => {
            !node.is_idle()
                && node.callers().all(|(caller, _)| matches!(caller.role(), Role::Example | Role::Test))
        }
        Role::Example | Role::Test => false,
    }
}

/// The blocks outside override files, which cannot set the version for the first time.
fn in_base_files(mut blocks: Vec<Arc<Block>>, module: &Module, context: &Context<'_>) -> Vec<Arc<Block>> {
    let overriding = context.override_files(module);
    blocks.retain(|block| overriding.iter().all(|(file, _)| *file != block.header.file));
    blocks
}

/// The first `terraform` block, or else the start of the module.
fn place(module: &Module, settings: &[Arc<Block>]) -> Option<Span> {
    let resources = module.resources.values().map(|resource| &resource.origin);
    let calls = module.calls.values().map(|call| &call.origin);
    let providers = module.providers.values().map(|provider| &provider.origin);
    let first = || resources.chain(calls).chain(providers).map(Origin::header).min();
    settings.iter().map(|block| block.header).min().or_else(first)
}

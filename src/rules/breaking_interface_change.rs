#![doc = include_str!("../../policies/rules/breaking-interface-change.md")]

use std::cell::LazyCell;

use smol_str::SmolStr;

use super::{Context, Node, Page, Role, Rule, page};
use crate::finding::{Concern, Finding};
use crate::module::Module;
use crate::module::interface::{Impact, Interface, InterfaceChange, Part};
use crate::text::Span;

pub(super) struct BreakingInterfaceChange;

impl Rule for BreakingInterfaceChange {
    const PAGE: Page = page!("breaking-interface-change");
    const IS_STEADY: bool = false;
    const ROLES: &'static [Role] = &[Role::Shared];

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        let Some((before, texts)) = context.before(module) else { return };
        // What seems to be removed may be in a file that could not be read.
        if !module.complete || !before.module().complete {
            return;
        }
        let before = Interface::of(before.module(), texts);
        let now = Interface::of(module, context.sources());
        // Other rules report changes to resources.
        let changes = before.changes_to(&now).into_iter();
        let first_block = LazyCell::new(|| context.first_block(module, None));
        for change in changes.filter(|change| change.impact == Impact::Breaking) {
            let at = place(module, &change).or_else(|| *first_block);
            let finding = Self::finding("Breaking change to the interface of a module")
                .detail(format!(
                    "`{}`: {}. A caller in another repository can fail when it takes this version.",
                    change.subject, change.what
                ))
                .help("keep the old interface beside the new one, or release a new major version")
                .address(address(&change))
                .concerns(Concern::Name(change.what.into()));
            findings.push(finding.at(at));
        }
    }
}

/// The address of the block that changed.
fn address(change: &InterfaceChange) -> String {
    match change.part {
        Part::Variable => change.subject.replacen("var.", "variable.", 1),
        Part::Output => change.subject.to_string(),
        _ => String::new(),
    }
}

/// The span in the current module of what changed.
fn place(module: &Module, change: &InterfaceChange) -> Option<Span> {
    let name = |prefix: &str| change.subject.strip_prefix(prefix).map(SmolStr::new);
    match change.part {
        Part::Variable => module.variables.get(&name("var.")?).map(|variable| variable.origin.header()),
        Part::Output => module.outputs.get(&name("output.")?).map(|output| output.origin.header()),
        Part::Provider => module.required_providers.get(&change.subject).map(|entry| entry.span),
        Part::ConfigurationAlias => {
            let local_name = change.subject.split('.').next()?;
            module.required_providers.get(local_name).map(|entry| entry.span)
        }
        Part::RequiredVersion => module.required_versions.first().map(|version| version.span),
        Part::Address | Part::ProviderConfiguration | Part::Content => None,
    }
}

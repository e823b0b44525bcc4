#![doc = include_str!("../../policies/rules/no-upper-bound-in-root.md")]

use std::cell::LazyCell;

use super::support::edits::set_in_entry;
use super::{Context, Node, Page, Role, Rule, page};
use crate::finding::{Concern, Edit, Finding, Fix, Safety};
use crate::module::Module;
use crate::module::declaration::{RequiredProvider, VersionConstraint};
use crate::module::lock::Lock;
use crate::syntax::quoted;
use crate::value::{Condition, Operator, Version};

pub(super) struct NoUpperBoundInRoot;

impl Rule for NoUpperBoundInRoot {
    const PAGE: Page = page!("no-upper-bound-in-root");
    const FIXES: &'static [Safety] = &[Safety::Unsafe];
    const ROLES: &'static [Role] = &[Role::Root];

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        let lock = LazyCell::new(|| lock_of(module, context));
        for entry in module.required_providers.values().filter(|entry| !entry.address.is_built_in()) {
            let version = entry.version.as_ref();
            let constraints = version.and_then(|version| version.constraints.as_ref());
            if constraints.is_some_and(|constraints| constraints.for_provider().has_upper_bound()) {
                continue;
            }
            let provider = entry.address.display(module.features.registry_host);
            let meant = bound(entry, lock.as_ref());
            let command = if meant.is_some() { "init -upgrade" } else { "init" };
            let edits = meant.as_ref().and_then(|meant| bounded(entry, meant, context));
            let help = match &meant {
                Some(meant) => {
                    format!("write `version = \"{meant}\"`, which admits the version in the lock file")
                }
                None => in_use(version),
            };
            Self::finding("Missing upper version bound")
                .detail(format!(
                    "`{command}` selects the newest version of {provider}, which may be a new major version."
                ))
                .at(version.map_or(entry.span, |version| version.value_span))
                .help(help)
                .fixed_by(edits.map(Fix::on_request))
                .concerns(Concern::Provider(entry.name.clone()))
                .push_to(findings);
        }
    }
}

/// The lock file of a module.
fn lock_of(module: &Module, context: &Context<'_>) -> Option<Lock> {
    let id = context.directory(&module.directory)?.lock?;
    Lock::read(id, context.sources().get(id), &module.features)
}

/// The advice if no lock file shows which version is in use.
fn in_use(version: Option<&VersionConstraint>) -> String {
    let Some(version) = version else {
        return "set `version = \"~> N.0\"`, where N is the major version that `init` installs".into();
    };
    let lower = version.constraints.as_ref().and_then(|constraints| constraints.range().lower);
    match lower.as_ref().map(|bound| bound.version.segments()) {
        // Before 1.0, a minor version may break as a major version does later.
        Some([0, minor, ..]) => format!(
            "add an upper bound: `version = \"{}\"` if `init` installs version 0.{minor}, otherwise \
             `version = \"{}, < N\"`, where N is the next minor version after the installed one",
            match lowest(version) {
                Some(_) => format!("~> 0.{minor}.0"),
                None => format!("{}, < 0.{}.0", version.text, minor + 1),
            },
            version.text
        ),
        Some([major, minor, ..]) => format!(
            "add an upper bound: `version = \"{}\"` if `init` installs version {major}, otherwise \
             `version = \"{}, < N.0\"`, where N is the next major version after the installed one",
            match lowest(version) {
                Some(_) => format!("~> {major}.{minor}"),
                None => format!("{}, < {}.0", version.text, major + 1),
            },
            version.text
        ),
        Some(_) | None => "add the upper bound `< N.0`, where N is the next major version after the one that `init` installs".into(),
    }
}

/// The version of a constraint such as `>= 3.1`, which `~>` can express: a single condition with at most two numbers.
fn lowest(version: &VersionConstraint) -> Option<&Version> {
    match version.constraints.as_ref()?.conditions() {
        [Condition { operator: Operator::GreaterOrEqual, version: least }]
            if least.written() < 3 && !least.is_prerelease() =>
        {
            Some(least)
        }
        _ => None,
    }
}

/// The constraint that excludes the major version after the locked one. Without a lock file, the intended major
/// version is unknown: the lower end of a constraint says little about it.
fn bound(entry: &RequiredProvider, lock: Option<&Lock>) -> Option<String> {
    let selected = &lock?.selection(&entry.address)?.version;
    let [major, minor, ..] = selected.segments() else { return None };
    if selected.is_prerelease() {
        return None;
    }
    let Some(version) = &entry.version else { return Some(format!("~> {major}.{minor}")) };
    // An older lock file may not have caught up with the constraint.
    version.constraints.as_ref().filter(|constraints| constraints.matches(selected))?;
    Some(match lowest(version).filter(|least| least.segments()[0] == *major) {
        Some(least) => format!("~> {major}.{}", least.segments()[1]),
        None => format!("{}, < {}.0", version.text, major + 1),
    })
}

/// The edits that write this constraint.
fn bounded(entry: &RequiredProvider, meant: &str, context: &Context<'_>) -> Option<Vec<Edit>> {
    match &entry.version {
        Some(version) => {
            Some(vec![context.editor(version.value_span.file)?.replace(version.value_span, quoted(meant))])
        }
        None => set_in_entry(context, entry, None, Some(("version", &quoted(meant)))),
    }
}

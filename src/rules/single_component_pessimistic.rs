#![doc = include_str!("../../policies/rules/single-component-pessimistic.md")]

use super::{ADVICE, Context, Node, Page, Role, Rule, page};
use crate::finding::{Concern, Edit, Finding, Fix, Safety};
use crate::module::declaration::VersionConstraint;
use crate::syntax::quoted;

pub(super) struct SingleComponentPessimistic;

impl Rule for SingleComponentPessimistic {
    const PAGE: Page = page!("single-component-pessimistic");
    const FIXES: &'static [Safety] = &[Safety::Unsafe];
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        for version in &module.required_versions {
            // A shared module should not limit the newest version; `~> 0` is never intended to be permanent.
            let is_open = node.role() == Role::Shared || version.text.trim_end().ends_with(" 0");
            let found = floating(version, is_open, context);
            findings.extend(found.map(|finding| finding.concerns(Concern::RequiredVersion)));
        }
        for call in module.calls.values() {
            let version = call.version.as_ref();
            let found = version.and_then(|version| floating(version, false, context));
            findings.extend(found.map(|finding| finding.address(format!("module.{}", call.name))));
        }
    }
}

fn floating(version: &VersionConstraint, is_open: bool, context: &Context<'_>) -> Option<Finding> {
    // Another condition, such as `< 6.0`, may exclude newer versions.
    let constraints = version.constraints.as_ref().filter(|constraints| !constraints.has_upper_bound())?;
    let major = constraints.conditions().iter().find(|condition| condition.floats())?.version.segments()[0];
    Some(
        SingleComponentPessimistic::finding("Pessimistic constraint with a single component")
            .detail(format!(
                "`~>` lets only the last number increase, and here that is the major version: `~> {major}` means \
                 `>= {major}`. For a provider, `~> {major}` would exclude version {}; here it does not.",
                major + 1
            ))
            .at(version.value_span)
            .help(format!(
                "write {:?} to exclude the next major version, or {:?} to allow it",
                rewritten(version, major, &format!("~> {major}.0")),
                rewritten(version, major, &format!(">= {major}")),
            ))
            .fixed_by(bounded(version, major, is_open, context).map(|edit| Fix::on_request([edit]))),
    )
}

/// The edit that writes the intended constraint or, if newer versions should be allowed, the effective one.
fn bounded(version: &VersionConstraint, major: i64, is_open: bool, context: &Context<'_>) -> Option<Edit> {
    let editor = context.editor(version.value_span.file)?;
    let meant = if is_open { format!(">= {major}") } else { format!("~> {major}.0") };
    Some(editor.replace(version.value_span, quoted(&rewritten(version, major, &meant))))
}

/// The constraint with its `~>` condition on this number replaced.
fn rewritten(version: &VersionConstraint, major: i64, meant: &str) -> String {
    let is_it = |condition: &str| {
        let number = condition.strip_prefix("~>").map(str::trim_start);
        number.is_some_and(|number| number.strip_prefix('v').unwrap_or(number).parse() == Ok(major))
    };
    let conditions = version.text.split(',').map(str::trim);
    let conditions: Vec<&str> =
        conditions.map(|condition| if is_it(condition) { meant } else { condition }).collect();
    conditions.join(", ")
}

#![doc = include_str!("../../policies/rules/single-component-pessimistic.md")]

use super::{ADVICE, Context, Rule};
use crate::finding::{Concern, Edit, Finding, Fix, Safety};
use crate::graph::{Node, Role};
use crate::module::declaration::VersionConstraint;
use crate::policy::Options;
use crate::syntax::quoted;

pub(super) struct SingleComponentPessimistic;

impl Rule for SingleComponentPessimistic {
    const ID: &'static str = "single-component-pessimistic";
    const FIXES: &'static [Safety] = &[Safety::Unsafe];
    const ROLES: &'static [Role] = ADVICE;

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        for version in &module.required_versions {
            // A shared module asks its callers for no newest version; `~> 0` was never meant to hold for long.
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
    let conditions = version.constraints.as_ref()?.conditions();
    let major = conditions.iter().find(|condition| condition.floats())?.version.segments()[0];
    Some(
        SingleComponentPessimistic::finding("Pessimistic constraint with a single number")
            .detail(format!(
                "Of what stands behind `~>` only the last number may grow, and here that is the first: `~> {major}` \
                 means `>= {major}`. Only for providers does it keep the next major version out."
            ))
            .at(version.value_span)
            .help(format!("write \"~> {major}.0\" to stay below the next major version, or \">= {major}\""))
            .fixed_by(bounded(version, major, is_open, context).map(|edit| Fix::on_request([edit]))),
    )
}

/// Writes what the constraint seems to say, or, where no newer version is to be kept out, what it does say.
fn bounded(version: &VersionConstraint, major: i64, is_open: bool, context: &Context<'_>) -> Option<Edit> {
    let editor = context.editor(version.value_span.file)?;
    let meant = if is_open { format!(">= {major}") } else { format!("~> {major}.0") };
    let conditions: Vec<String> = version
        .text
        .split(',')
        .map(|condition| match condition.trim().strip_prefix("~>").map(str::trim) {
            Some(number) if number.parse() == Ok(major) => meant.clone(),
            Some(_) | None => condition.trim().to_owned(),
        })
        .collect();
    Some(editor.replace(version.value_span, quoted(&conditions.join(", "))))
}

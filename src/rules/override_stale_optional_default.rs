#![doc = include_str!("../../policies/rules/override-stale-optional-default.md")]

use super::{Context, Rule};
use crate::finding::Finding;
use crate::graph::Node;
use crate::policy::Options;
use crate::value;

pub(super) struct OverrideStaleOptionalDefault;

impl Rule for OverrideStaleOptionalDefault {
    const ID: &'static str = "override-stale-optional-default";

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let variables = node.module().variables.values();
        for variable in variables.filter(|variable| !variable.origin.overrides.is_empty()) {
            let types = variable.origin.written("type");
            let Some(last) = types.last() else { continue };
            if variable.origin.number_at(last.span) == Some(0) {
                continue;
            }
            // Which defaults are in force, and which the type that is in force would have.
            let stale = variable.constraint.as_ref().and_then(|given| given.value.defaults.as_ref());
            let mut errors = Vec::new();
            let written = value::type_constraint(&last.expr, &mut errors).defaults;
            if !errors.is_empty() || stale == written.as_ref() {
                continue;
            }
            let detail = match (stale, &written) {
                (Some(_), None) => {
                    "An override file changes the type, but not the defaults of its optional attributes: those of the \
                     type that is replaced stay, and may not fit the new one."
                }
                (None, Some(_)) => {
                    "An override file changes the type, but brings no defaults of optional attributes: what it leaves \
                     out is null."
                }
                (Some(_), Some(_)) | (None, None) => {
                    "An override file changes the type, but not the defaults of its optional attributes: those of the \
                     type that is replaced stay, and the new ones are never used."
                }
            };
            let replaced = types.first().filter(|first| first.span != last.span);
            let replaced = replaced.map_or(variable.origin.header(), |first| first.span);
            findings.push(
                Self::finding("Override leaves stale defaults of optional attributes")
                    .detail(detail)
                    .at(last.span)
                    .label("changes the type alone")
                    .related(replaced, "the defaults are those of this one")
                    .help("change the type where the variable is declared, and remove it from the override file")
                    .address(format!("variable.{}", variable.name)),
            );
        }
    }
}

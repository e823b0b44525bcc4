#![doc = include_str!("../../policies/rules/override-stale-optional-default.md")]

use super::{Context, Finding, Node, Page, Rule, page};
use crate::value;

pub(super) struct OverrideStaleOptionalDefault;

impl Rule for OverrideStaleOptionalDefault {
    const PAGE: Page = page!("override-stale-optional-default");

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let variables = node.module().variables.values();
        for variable in variables.filter(|variable| !variable.origin.overrides.is_empty()) {
            let types = variable.origin.written("type");
            let Some(last) = types.last() else { continue };
            if variable.origin.number_at(last.span) == Some(0) {
                continue;
            }
            // The defaults in effect, and those of the type in effect.
            let stale = variable.constraint.as_ref().and_then(|given| given.value.defaults.as_ref());
            let mut errors = Vec::new();
            let written = value::type_constraint(&last.expr, &mut errors).defaults;
            if !errors.is_empty() || stale == written.as_ref() {
                continue;
            }
            let detail = match (stale, &written) {
                (Some(_), None) => {
                    "The defaults of optional attributes come from the base type. They still apply, and may not match the \
                     new type."
                }
                (None, Some(_)) => {
                    "The defaults of optional attributes come from the base type, which has none. Those in this type have no \
                     effect: an attribute that a caller omits is null."
                }
                (Some(_), Some(_)) | (None, None) => {
                    "The defaults of optional attributes come from the base type. They still apply, and those in this type \
                     have no effect."
                }
            };
            let base = types.first().filter(|first| variable.origin.number_at(first.span) == Some(0));
            let base = base.map_or(variable.origin.header(), |base| base.span);
            let message = if stale.is_some() { "these defaults apply" } else { "declares no defaults" };
            Self::finding("Override leaves stale defaults of optional attributes")
                .detail(detail)
                .at(last.span)
                .label("changes only the type")
                .related(base, message)
                .help("change the type in the base block, and remove it from the override block")
                .address(format!("variable.{}", variable.name))
                .push_to(findings);
        }
    }
}

#![doc = include_str!("../../policies/rules/override-hides-unknown-argument.md")]

use super::{Context, Rule};
use crate::finding::{Finding, Language};
use crate::policy::Options;
use crate::syntax::{AttributeSchema, Schema};
use crate::tree::Node;

pub(super) struct OverrideHidesUnknownArgument;

impl Rule for OverrideHidesUnknownArgument {
    const ID: &'static str = "override-hides-unknown-argument";

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        for (call, _) in node.calls().filter(|(call, _)| call.config.is_merged()) {
            let Some(child) = node.child(&call.name).map(Node::module).filter(|child| child.complete) else {
                continue;
            };
            let Some(over) = call.origin.overrides.first() else { continue };
            let known: Vec<_> = child.variables.keys().map(|name| AttributeSchema::optional(name)).collect();
            let schema = Schema { attributes: &known, blocks: &[] };
            for body in call.config.bodies() {
                // What the engine would say, had it looked at this block alone.
                let mut unsaid = Vec::new();
                body.content(&schema, &mut unsaid);
                for unsaid in unsaid {
                    let Some(at) = unsaid.primary else { continue };
                    if unsaid.rule != Language::UnsupportedBlockOrArgument.id() {
                        continue;
                    }
                    let help = unsaid.help.unwrap_or_else(|| {
                        "correct the name, or declare the variable in the module that is called".to_owned()
                    });
                    findings.push(
                        Self::finding("Override hides an unknown argument")
                            .detail(
                                "The module that is called has no variable of this name. Once a call has an override, \
                                 be it an empty one, the engine no longer looks, and drops what it does not know.",
                            )
                            .at(at)
                            .label("no such variable")
                            .related(over.header, "the override that hides it")
                            .help(help)
                            .address(format!("module.{}", call.name)),
                    );
                }
            }
        }
    }
}

#![doc = include_str!("../../policies/rules/override-hides-unknown-argument.md")]

use std::sync::Arc;

use hashbrown::HashMap;
use smol_str::SmolStr;

use super::support::edits::whole;
use super::{Context, Node, Page, Rule, page};
use crate::finding::{EngineRule, Finding, Fix, Safety};
use crate::syntax::{Attribute, AttributeSchema, Block, Schema};
use crate::text::{Span, Suggestions};

pub(super) struct OverrideHidesUnknownArgument;

impl Rule for OverrideHidesUnknownArgument {
    const PAGE: Page = page!("override-hides-unknown-argument");
    const FIXES: &'static [Safety] = &[Safety::Unsafe];

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let product = node.module().features.engine.product.name();
        let suggestions = Suggestions::default();
        for (call, child) in node.child_calls().filter(|(call, _)| call.config.is_merged()) {
            let child = child.module();
            let Some(over) = call.origin.overrides.first().filter(|_| child.complete) else { continue };
            for body in call.config.bodies() {
                // The findings that the engine would report for this block alone.
                let mut unsaid = Vec::new();
                let names = body.names();
                let known = names.iter().filter(|name| child.variables.contains_key(*name));
                let known: Vec<_> = known.map(|name| AttributeSchema::optional(name)).collect();
                body.content(&Schema { attributes: &known, blocks: &[] }, &mut unsaid);
                unsaid.retain(|unsaid| unsaid.rule == EngineRule::UnsupportedBlockOrArgument.id());
                if unsaid.is_empty() {
                    continue;
                }
                let blocks: HashMap<Span, Arc<Block>> =
                    body.any_blocks().into_iter().map(|block| (block.kind_span, block)).collect();
                let arguments = body.just_attributes(&mut Vec::new()).into_iter();
                let arguments: HashMap<Span, Arc<Attribute>> =
                    arguments.map(|argument| (argument.name_span, argument)).collect();
                for unsaid in unsaid {
                    let Some(at) = unsaid.primary else { continue };
                    let (wrong, label, help, edit) = match (arguments.get(&at), blocks.get(&at)) {
                        (Some(argument), _) => {
                            let name = &argument.name;
                            let unset = child.variables.keys().map(SmolStr::as_str);
                            let unset = unset.filter(|variable| call.argument(variable).is_none());
                            let meant = suggestions.nearest(name, unset);
                            let help = match meant {
                                Some(meant) => format!("did you mean `{meant}`?"),
                                None => format!(
                                    "remove the argument, or declare `variable \"{name}\"` in the child module"
                                ),
                            };
                            let edit = context.editor(at.file).map(|editor| match meant {
                                Some(meant) => editor.replace(at, meant),
                                None => editor.remove(argument.span),
                            });
                            let wrong = format!("The child module does not declare `var.{name}`.");
                            (wrong, "no such variable", help, edit)
                        }
                        (None, block) => {
                            let help = unsaid.help.unwrap_or_else(|| {
                                "remove the block: a module call takes arguments only".to_owned()
                            });
                            let edit = context.editor(at.file).zip(block);
                            let edit = edit.map(|(editor, block)| editor.remove(whole(block)));
                            let wrong = "A module call cannot contain other blocks.".to_owned();
                            (wrong, "ignored", help, edit)
                        }
                    };
                    Self::finding("Override hides an unknown argument")
                        .detail(format!(
                            "{wrong} {product} does not check the arguments of a module call that has an \
                             override, and ignores the ones it does not know.",
                        ))
                        .at(at)
                        .label(label)
                        .related(over.header, "this override hides the error")
                        .help(help)
                        .fixed_by(edit.map(|edit| Fix::on_request([edit])))
                        .address(format!("module.{}", call.name))
                        .push_to(findings);
                }
            }
        }
    }
}

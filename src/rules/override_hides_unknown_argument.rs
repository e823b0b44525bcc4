#![doc = include_str!("../../policies/rules/override-hides-unknown-argument.md")]

use std::sync::Arc;

use hashbrown::HashMap;
use smol_str::SmolStr;

use super::support::edits::whole;
use super::{Context, Node, Page, Rule, page};
use crate::finding::{Edit, Finding, Fix, Safety};
use crate::module::Module;
use crate::syntax::{Attribute, AttributeSchema, Body, Schema};
use crate::text::{Span, Suggestions, nearest};

pub(super) struct OverrideHidesUnknownArgument;

impl Rule for OverrideHidesUnknownArgument {
    const PAGE: Page = page!("override-hides-unknown-argument");
    const FIXES: &'static [Safety] = &[Safety::Unsafe];

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let suggestions = Suggestions::default();
        for (call, child) in node.child_calls().filter(|(call, _)| call.config.is_merged()) {
            let child = child.module();
            let Some(over) = call.origin.overrides.first().filter(|_| child.complete) else { continue };
            let product = node.module().features.engine.product.name();
            let hidden = |wrong: &str, at: Span, edit: Option<Edit>| {
                Self::finding("Override hides an unknown argument")
                    .detail(format!(
                        "{wrong} {product} does not check the arguments of a module call that has an override, and \
                         ignores the ones it does not know.",
                    ))
                    .at(at)
                    .related(over.header, "this override hides the error")
                    .fixed_by(edit.map(|edit| Fix::on_request([edit])))
                    .address(format!("module.{}", call.name))
            };
            for body in call.config.bodies() {
                for argument in unknown_arguments(body, child) {
                    let (name, at) = (&argument.name, argument.name_span);
                    let compared = child.variables.keys().take_while(|_| suggestions.may_compare());
                    let unset = compared.filter(|variable| call.argument(variable).is_none());
                    let meant = nearest(name, unset.map(SmolStr::as_str));
                    let edit = context.editor(at.file).map(|editor| match meant {
                        Some(meant) => editor.replace(at, meant),
                        None => editor.remove(argument.span),
                    });
                    let wrong = format!("The child module does not declare `var.{name}`.");
                    let help =
                        format!("remove the argument, or declare `variable \"{name}\"` in the child module");
                    let finding = hidden(&wrong, at, edit).label("no such variable").help(help);
                    findings.push(finding.meant(meant));
                }
                let helps = helps_for_blocks(body, child);
                for block in body.any_blocks() {
                    let at = block.kind_span;
                    let help = helps.get(&at);
                    let remove = || context.editor(at.file).map(|editor| editor.remove(whole(&block)));
                    let edit = if help.is_none() { remove() } else { None };
                    let finding =
                        hidden("A module call cannot contain other blocks.", at, edit).label("ignored");
                    findings.push(finding.help(help.map_or(ARGUMENTS_ONLY, String::as_str)));
                }
            }
        }
    }
}

const ARGUMENTS_ONLY: &str = "remove the block: a module call takes arguments only";

/// The arguments that set no variable of the child module.
fn unknown_arguments(body: &Body, child: &Module) -> impl Iterator<Item = Arc<Attribute>> {
    let arguments = body.just_attributes(&mut Vec::new());
    arguments.into_iter().filter(|argument| !child.variables.contains_key(&argument.name))
}

/// The help that the engine's error for each block would have without the override.
fn helps_for_blocks(body: &Body, child: &Module) -> HashMap<Span, String> {
    let blocks = body.any_blocks();
    let variables = blocks.iter().filter(|block| child.variables.contains_key(&block.kind));
    let variables: Vec<_> = variables.map(|block| AttributeSchema::optional(&block.kind)).collect();
    let mut findings = Vec::new();
    body.content(&Schema { attributes: &variables, blocks: &[] }, &mut findings);
    findings.into_iter().filter_map(|finding| Some((finding.primary?, finding.help?))).collect()
}

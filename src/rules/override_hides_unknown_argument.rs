#![doc = include_str!("../../policies/rules/override-hides-unknown-argument.md")]

use std::sync::Arc;

use smol_str::SmolStr;

use super::support::edits::whole;
use super::{Context, Node, Page, Rule, page};
use crate::finding::{Edit, EngineRule, Finding, Fix, Safety};
use crate::module::Module;
use crate::module::declaration::ModuleCall;
use crate::syntax::{AttributeSchema, Block, Body, Schema};
use crate::text::{Span, nearest};

pub(super) struct OverrideHidesUnknownArgument;

impl Rule for OverrideHidesUnknownArgument {
    const PAGE: Page = page!("override-hides-unknown-argument");
    const FIXES: &'static [Safety] = &[Safety::Unsafe];

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let product = node.module().features.engine.product.name();
        for (call, child) in node.child_calls().filter(|(call, _)| call.config.is_merged()) {
            let child = child.module();
            let Some(over) = call.origin.overrides.first().filter(|_| child.complete) else { continue };
            let known: Vec<_> = child.variables.keys().map(|name| AttributeSchema::optional(name)).collect();
            let schema = Schema { attributes: &known, blocks: &[] };
            for body in call.config.bodies() {
                // The findings that the engine would report for this block alone.
                let mut unsaid = Vec::new();
                body.content(&schema, &mut unsaid);
                for unsaid in unsaid {
                    let Some(at) = unsaid.primary else { continue };
                    if unsaid.rule != EngineRule::UnsupportedBlockOrArgument.id() {
                        continue;
                    }
                    let is_block = body.any_blocks().iter().any(|block| is_at(block, at));
                    let name = name(body, at);
                    let wrong = match &name {
                        Some(name) if !is_block => {
                            format!("The child module does not declare `var.{name}`.")
                        }
                        Some(_) | None => "A module call cannot contain other blocks.".to_owned(),
                    };
                    let help = unsaid.help.unwrap_or_else(|| match &name {
                        Some(name) if !is_block => {
                            format!(
                                "remove the argument, or declare `variable \"{name}\"` in the child module"
                            )
                        }
                        Some(_) | None => "remove the block: a module call takes arguments only".to_owned(),
                    });
                    let edit = corrected(call, body, at, &help, child, context);
                    Self::finding("Override hides an unknown argument")
                        .detail(format!(
                            "{wrong} {product} does not check the arguments of a module call that has an \
                                 override, and ignores the ones it does not know.",
                        ))
                        .at(at)
                        .label(if is_block { "ignored" } else { "no such variable" })
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

/// Whether a finding is about this block.
fn is_at(block: &Arc<Block>, at: Span) -> bool {
    block.kind_span == at || block.header == at
}

/// The name of the argument or block that a finding is about.
fn name(body: &Body, at: Span) -> Option<SmolStr> {
    let blocks = body.any_blocks();
    let block = blocks.iter().find(|block| is_at(block, at)).map(|block| block.kind.clone());
    let argument = || {
        let arguments = body.just_attributes(&mut Vec::new());
        arguments.into_iter().find(|argument| argument.name_span == at).map(|argument| argument.name.clone())
    };
    block.or_else(argument)
}

/// Renames the argument to the intended name, if there is exactly one candidate and nothing else sets it; else
/// removes it.
fn corrected(
    call: &ModuleCall,
    body: &Body,
    at: Span,
    help: &str,
    child: &Module,
    context: &Context<'_>,
) -> Option<Edit> {
    let editor = context.editor(at.file)?;
    if let Some(block) = body.any_blocks().into_iter().find(|block| is_at(block, at)) {
        return Some(editor.remove(whole(&block)));
    }
    let argument =
        body.just_attributes(&mut Vec::new()).into_iter().find(|argument| argument.name_span == at)?;
    let set = call.config.just_attributes(&mut Vec::new());
    let meant = nearest(&argument.name, child.variables.keys().map(SmolStr::as_str));
    match meant.filter(|meant| help.contains(&format!("`{meant}`"))) {
        Some(meant) if set.iter().all(|other| other.name != meant) => Some(editor.replace(at, meant)),
        Some(_) | None => Some(editor.remove(argument.span)),
    }
}

#![doc = include_str!("../../policies/rules/override-hides-unknown-argument.md")]

use std::sync::Arc;

use super::mend::whole;
use super::{Context, Rule};
use crate::finding::{Edit, EngineRule, Finding, Fix, Safety};
use crate::graph::Node;
use crate::module::Module;
use crate::module::declaration::ModuleCall;
use crate::policy::Options;
use crate::syntax::{AttributeSchema, Block, Body, Schema};
use crate::text::{Span, nearest};

pub(super) struct OverrideHidesUnknownArgument;

impl Rule for OverrideHidesUnknownArgument {
    const ID: &'static str = "override-hides-unknown-argument";
    const FIXES: &'static [Safety] = &[Safety::Unsafe];

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
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
                    if unsaid.rule != EngineRule::UnsupportedBlockOrArgument.id() {
                        continue;
                    }
                    let help = unsaid.help.unwrap_or_else(|| {
                        "correct the name, or declare the variable in the module that is called".to_owned()
                    });
                    let edit = mended(call, body, at, &help, child, context);
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
                            .fixed_by(edit.map(|edit| Fix::on_request([edit])))
                            .address(format!("module.{}", call.name)),
                    );
                }
            }
        }
    }
}

/// Gives the argument the name that was meant, if it is plain which one and nothing sets that; or else takes it away.
fn mended(
    call: &ModuleCall,
    body: &Body,
    at: Span,
    help: &str,
    child: &Module,
    context: &Context<'_>,
) -> Option<Edit> {
    let editor = context.editor(at.file)?;
    let at_fault = |block: &Arc<Block>| block.kind_span == at || block.header == at;
    if let Some(block) = body.any_blocks().into_iter().find(at_fault) {
        return Some(editor.remove(whole(&block)));
    }
    let argument =
        body.just_attributes(&mut Vec::new()).into_iter().find(|argument| argument.name_span == at)?;
    let set = call.config.just_attributes(&mut Vec::new());
    let meant = nearest(&argument.name, child.variables.keys().map(smol_str::SmolStr::as_str));
    match meant.filter(|meant| help.contains(&format!("`{meant}`"))) {
        Some(meant) if set.iter().all(|other| other.name != meant) => Some(editor.replace(at, meant)),
        Some(_) | None => Some(editor.remove(argument.span)),
    }
}

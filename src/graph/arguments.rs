//! Checks the arguments of module calls against the variables of the child modules.

use std::sync::Arc;

use hashbrown::HashSet;
use smol_str::SmolStr;

use crate::finding::{Concern, EngineRule, Finding, set_address};
use crate::graph::Node;
use crate::module::Module;
use crate::module::config::Config;
use crate::module::declaration::ModuleCall;
use crate::syntax::{Attribute, AttributeSchema, Schema};
use crate::text::Span;

/// Checks every call of a module in the graph.
pub(super) fn check(node: Node<'_>, findings: &mut Vec<Finding>) {
    for (call, called) in node.child_calls() {
        let child = called.module();
        let from = findings.len();
        // A variable that seems to be undeclared, or to have no default, may be declared in a part that was skipped.
        if child.complete {
            unknown(call, child, called.is_installed(), findings);
            if node.module().complete {
                missing(call, child, findings);
            }
        }
        set_address(&mut findings[from..], &format!("module.{}", call.name));
    }
}

/// The arguments of a call that set variables of the child module.
pub(super) fn given(call: &ModuleCall, child: &Module) -> Vec<Arc<Attribute>> {
    if let Config::Plain(body) = &call.config
        && !body.is_json()
    {
        let mut attributes = body.just_attributes(&mut Vec::new());
        attributes.retain(|attribute| is_variable(child, &attribute.name));
        return attributes;
    }
    call.config.content(&Schema { attributes: &schema(child), blocks: &[] }, &mut Vec::new()).attributes
}

fn unknown(call: &ModuleCall, child: &Module, is_installed: bool, findings: &mut Vec<Finding>) {
    if call.config.is_unclosed() {
        return;
    }
    let from = findings.len();
    call.config.content(&Schema { attributes: &schema(child), blocks: &[] }, findings);
    for finding in &mut findings[from..] {
        if finding.rule == EngineRule::UnsupportedBlockOrArgument.id() {
            finding.rule = EngineRule::UnknownModuleArgument.id();
            if let Some((name, is_block)) = finding.primary.and_then(|at| named_at(call, at)) {
                finding.detail = format!("The child module declares no variable `{name}`.");
                if is_block && child.features.reserved_variable_names.contains(&name.as_str()) {
                    finding.detail = format!("`{name}` is an argument of a module call, not a block.");
                    finding.help = Some(format!("write it as an argument: `{name} = …`"));
                } else if name == "provider" {
                    finding.help = Some(
                        "pass provider configurations in a map: `providers = { aws = aws.west }`".to_owned(),
                    );
                } else if finding.help.is_none() {
                    finding.help = Some(match (is_installed, is_block) {
                        (true, _) => "remove it".to_owned(),
                        (false, _) if child.files == 0 => without_files(call),
                        (false, false) => {
                            format!("remove it, or declare `variable \"{name}\"` in the child module")
                        }
                        (false, true) => format!(
                            "remove it, or declare `variable \"{name}\"` in the child module and write `{name} = …`"
                        ),
                    });
                }
            }
        }
        if !child.features.module_arguments_at_load {
            finding.stage = crate::finding::Stage::Validate;
        }
        if let Some(source) = &call.source {
            finding
                .related
                .push(crate::finding::Related { span: source.span, message: "the child module".to_owned() });
        }
    }
}

/// The help for a call of a directory without configuration files, which is why something is not declared there.
pub(super) fn without_files(call: &ModuleCall) -> String {
    let source = call.source.as_ref().map_or("", |source| source.raw.as_str());
    format!("correct the source of the call: `{source}` contains no configuration files")
}

/// The name of the argument or block type at a location, and whether it is a block.
fn named_at(call: &ModuleCall, at: Span) -> Option<(SmolStr, bool)> {
    call.config.bodies().iter().find_map(|body| {
        let arguments = body.just_attributes(&mut Vec::new());
        let argument = arguments.iter().find(|attribute| attribute.name_span == at);
        let block = || body.any_blocks().into_iter().find(|block| block.kind_span == at);
        argument
            .map(|attribute| (attribute.name.clone(), false))
            .or_else(|| block().map(|block| (block.kind.clone(), true)))
    })
}

/// Required arguments must be in the base block: the engine checks them before it merges overrides.
fn missing(call: &ModuleCall, child: &Module, findings: &mut Vec<Finding>) {
    let (set, place) = set_in_base(&call.config, child);
    let set: HashSet<&str> = set.iter().map(|attribute| attribute.name.as_str()).collect();
    let required = child.variables.values().filter(|variable| variable.default.is_none());
    for variable in required.filter(|variable| !set.contains(variable.name.as_str())) {
        let name = &variable.name;
        let finding = Finding::language(EngineRule::MissingModuleArgument, "Missing required argument")
            .at_validate()
            .label(format!("`{name}` is missing"))
            .related(variable.origin.header(), "declared here, without a default")
            .concerns(Concern::Argument(name.clone()));
        let finding = match call.config.bodies().iter().find_map(|body| body.attribute(name)) {
            Some(set) => finding
                .detail(format!(
                    "The child module has a required variable `{name}`, and only an override file sets it. Terraform and \
                     OpenTofu require it in the base block."
                ))
                .related(set.span, "an override file cannot set it for the first time")
                .help(format!("set `{name}` in the base block too")),
            None => finding
                .detail(format!(
                    "The child module has a required variable `{name}`, and this call does not set it."
                ))
                .help(format!("set `{name}`")),
        };
        findings.push(finding.at(place));
    }
}

/// The arguments of the base block, and where the engine reports missing ones there.
fn set_in_base(config: &Config, child: &Module) -> (Vec<Arc<Attribute>>, Option<Span>) {
    match config {
        Config::Merged(layers) => layers.first().map(|base| set_in_base(base, child)).unwrap_or_default(),
        Config::Plain(body) => {
            let schema = schema(child);
            let schema = Schema { attributes: &schema, blocks: &[] };
            let (content, _) = body.partial_content(&schema, &mut Vec::new());
            (content.attributes, Some(content.missing_item))
        }
        Config::Escaped(..) => {
            let schema = schema(child);
            let schema = Schema { attributes: &schema, blocks: &[] };
            (config.content(&schema, &mut Vec::new()).attributes, None)
        }
    }
}

/// Whether a module has, or may have, a variable of this name.
fn is_variable(child: &Module, name: &str) -> bool {
    child.variables.contains_key(name)
        || !child.declared_elsewhere.is_empty() && child.declared_elsewhere.contains(&format!("var.{name}"))
}

fn schema(child: &Module) -> Vec<AttributeSchema<'_>> {
    let elsewhere = child.declared_elsewhere.iter().filter_map(|address| address.strip_prefix("var."));
    let names = child.variables.keys().map(smol_str::SmolStr::as_str).chain(elsewhere);
    names.map(AttributeSchema::optional).collect()
}

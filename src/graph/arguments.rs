//! Checks the arguments of module calls against the variables of the child modules.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use smol_str::SmolStr;

use crate::engine::Features;
use crate::finding::{Concern, EngineRule, Finding, Stage, set_address};
use crate::graph::{Callee, Node};
use crate::module::address::ModuleSource;
use crate::module::config::Config;
use crate::module::declaration::ModuleCall;
use crate::module::{Module, Variables};
use crate::syntax::{Attribute, AttributeSchema, Schema};
use crate::text::{Span, Suggestions, is_similar};

/// Checks every call of a module in the graph.
pub(super) fn check(node: Node<'_>, findings: &mut Vec<Finding>) {
    let suggestions = Suggestions::default();
    let mut room = node.module().room(findings, EngineRule::MissingModuleArgument);
    for (call, called) in node.child_calls() {
        let child = called.module();
        let from = findings.len();
        // A variable that seems to be undeclared, or to have no default, may be declared in a part that was skipped.
        if child.complete {
            unknown(call, called, &suggestions, findings);
        }
        if child.knows_blocks() && node.module().knows_blocks() {
            let before = findings.len();
            missing(call, child, room.left, findings);
            room.take(findings.len() - before);
        }
        set_address(&mut findings[from..], &format!("module.{}", call.name));
    }
    room.close(findings);
    for (call, _) in node.calls().filter(|(_, callee)| *callee == Callee::Opaque) {
        let from = findings.len();
        blocks(call, &node.module().features, findings);
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
    accepted(&call.config, child, &mut Vec::new())
}

/// The arguments of a call that set variables of the child module. Reports the others.
fn accepted(config: &Config, child: &Module, findings: &mut Vec<Finding>) -> Vec<Arc<Attribute>> {
    let names = config.names();
    config.content(&Schema { attributes: &schema(&names, child), blocks: &[] }, findings).attributes
}

fn unknown(call: &ModuleCall, called: Node<'_>, suggestions: &Suggestions, findings: &mut Vec<Finding>) {
    if call.config.is_unclosed() {
        return;
    }
    let child = called.module();
    let from = findings.len();
    accepted(&call.config, child, findings);
    if findings.len() == from {
        return;
    }
    let names = call.config.names();
    let (written, names) = (written(call), names.iter().map(SmolStr::as_str).collect::<HashSet<_>>());
    for finding in &mut findings[from..] {
        if finding.rule == EngineRule::UnsupportedBlockOrArgument.id() {
            finding.rule = EngineRule::UnknownModuleArgument.id();
            if let Some((name, is_block)) = finding.primary.and_then(|at| written.get(&at)) {
                let (name, is_block) = (name.as_str(), *is_block);
                let mut unset = declared(child)
                    .filter(|name| !names.contains(*name))
                    .take_while(|_| suggestions.may_compare());
                if !is_block && let Some(near) = unset.find(|variable| is_similar(name, variable)) {
                    *finding = finding.clone().meant(Some(near));
                }
                finding.set_detail(match (is_block, is_variable(child, name)) {
                    (false, _) => no_variable(name),
                    (true, true) => block_for_variable(name),
                    (true, false) => format!("{} {}", no_variable(name), block_for_variable(name)),
                });
                if !is_meant_otherwise(finding, name, is_block, &child.features) && finding.help.is_none() {
                    finding.help = Some(match (called.is_installed(), is_block) {
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
        set_stage(finding, &child.features);
        if let Some(source) = &call.source {
            finding
                .related
                .push(crate::finding::Related { span: source.span, message: "the child module".to_owned() });
        }
    }
}

/// Reports the blocks in a call of a module that is not in the repository. Whatever its variables are, no block can set
/// them.
fn blocks(call: &ModuleCall, features: &Features, findings: &mut Vec<Finding>) {
    let address = call.source.as_ref().and_then(|source| source.address.as_ref());
    let is_elsewhere = matches!(address, Some(ModuleSource::Registry(_) | ModuleSource::Remote(_)));
    if !is_elsewhere || call.config.is_unclosed() {
        return;
    }
    let from = findings.len();
    let names = call.config.names();
    let any: Vec<_> = names.iter().map(|name| AttributeSchema::optional(name)).collect();
    call.config.content(&Schema { attributes: &any, blocks: &[] }, findings);
    if findings.len() == from {
        return;
    }
    let written = written(call);
    for finding in &mut findings[from..] {
        if let Some((name, true)) = finding.primary.and_then(|at| written.get(&at)) {
            finding.rule = EngineRule::UnknownModuleArgument.id();
            finding.set_detail(block_for_variable(name));
            if !is_meant_otherwise(finding, name, true, features) {
                let help =
                    format!("remove it, or write `{name} = …` if the module has a variable with this name");
                finding.help = Some(help);
            }
        }
        set_stage(finding, features);
    }
}

/// Adds the help for a name that is special in every module call. Returns whether it is one.
fn is_meant_otherwise(finding: &mut Finding, name: &str, is_block: bool, features: &Features) -> bool {
    if is_block && features.reserved_variable_names.contains(&name) {
        finding.set_detail(format!("`{name}` is an argument of a module call, not a block."));
        finding.help = Some(format!("write it as an argument: `{name} = …`"));
    } else if name == "provider" {
        let help = "pass provider configurations in a map: `providers = { aws = aws.west }`";
        finding.help = Some(help.to_owned());
    } else {
        return false;
    }
    true
}

/// Sets the stage at which the engine reports a wrong argument.
fn set_stage(finding: &mut Finding, features: &Features) {
    if !features.module_arguments_at_load {
        finding.stage = Stage::Validate;
    }
}

fn no_variable(name: &str) -> String {
    format!("The child module declares no variable `{name}`.")
}

/// Why a block is an error, whether or not the child module has a variable with its name.
fn block_for_variable(name: &str) -> String {
    format!("Arguments set the variables of a module, but `{name}` is written as a block.")
}

/// The help for a call of a directory without configuration files, which is why something is not declared there.
pub(super) fn without_files(call: &ModuleCall) -> String {
    let source = call.source.as_ref().map_or("", |source| source.raw.as_str());
    format!("correct the source of the call: `{source}` contains no configuration files")
}

/// The names of the arguments and block types of a call by their location, and whether each is a block.
fn written(call: &ModuleCall) -> HashMap<Span, (SmolStr, bool)> {
    let mut written = HashMap::new();
    for body in call.config.bodies() {
        let blocks = body.any_blocks().into_iter().map(|block| (block.kind_span, (block.kind.clone(), true)));
        written.extend(blocks);
        let arguments = body.just_attributes(&mut Vec::new()).into_iter();
        written.extend(arguments.map(|argument| (argument.name_span, (argument.name.clone(), false))));
    }
    written
}

/// Required arguments must be in the base block: the engine checks them before it merges overrides. Adds at most
/// `room` findings.
fn missing(call: &ModuleCall, child: &Module, room: usize, findings: &mut Vec<Finding>) {
    let (set, place) = set_in_base(&call.config, child);
    let set: HashSet<&str> = set.iter().map(|attribute| attribute.name.as_str()).collect();
    let in_overrides = in_overrides(&call.config);
    let required = child.variables_with(Variables::Required);
    for variable in required.filter(|variable| !set.contains(variable.name.as_str())).take(room) {
        let name = &variable.name;
        let finding = Finding::language(EngineRule::MissingModuleArgument, "Missing required argument")
            .at_validate()
            .label(format!("`{name}` is missing"))
            .related(variable.origin.header(), "declared here, without a default")
            .concerns(Concern::Argument(name.clone()));
        let finding = match in_overrides.get(name) {
            Some(set) => finding
                .detail(format!(
                    "The child module has a required variable `{name}`, and only an override file sets it. Terraform and \
                     OpenTofu require it in the base block."
                ))
                .related(*set, "an override file cannot set it for the first time")
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
            let names = body.names();
            let schema = Schema { attributes: &schema(&names, child), blocks: &[] };
            let (content, _) = body.partial_content(&schema, &mut Vec::new());
            (content.attributes, Some(content.missing_item))
        }
        Config::Escaped(..) => (accepted(config, child, &mut Vec::new()), None),
    }
}

/// The first argument of each name in the bodies of a call, if override files have some of them.
fn in_overrides(config: &Config) -> HashMap<SmolStr, Span> {
    let mut first = HashMap::new();
    for body in config.bodies().into_iter().filter(|_| config.is_merged()) {
        for argument in body.just_attributes(&mut Vec::new()) {
            first.entry(argument.name.clone()).or_insert(argument.span);
        }
    }
    first
}

/// Whether a module has, or may have, a variable of this name.
fn is_variable(child: &Module, name: &str) -> bool {
    child.variables.contains_key(name)
        || !child.declared_elsewhere.is_empty() && child.declared_elsewhere.contains(&format!("var.{name}"))
}

/// The names of the variables of a module.
fn declared(child: &Module) -> impl Iterator<Item = &str> {
    let elsewhere = child.declared_elsewhere.iter().filter_map(|address| address.strip_prefix("var."));
    child.variables.keys().map(SmolStr::as_str).chain(elsewhere)
}

/// The arguments that the child module accepts, out of the names in a call. Their number does not depend on the child
/// module, which many calls may share.
fn schema<'n>(names: &'n [SmolStr], child: &Module) -> Vec<AttributeSchema<'n>> {
    let accepted = names.iter().filter(|name| is_variable(child, name));
    accepted.map(|name| AttributeSchema::optional(name)).collect()
}

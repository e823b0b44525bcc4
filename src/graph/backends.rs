//! Checks `backend` and `cloud` blocks, and the configuration of `terraform_remote_state` data sources.

mod table;

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use crate::engine::Engine;
use crate::finding::{EngineRule, Finding, Severity};
use crate::module::declaration::Storage;
use crate::syntax::{Attribute, AttributeSchema, BlockSchema, Body, Content, Schema};
use crate::value::{self, Type, Value, convert};
use table::Kind::{Block, Blocks, Bool, Map, Number, Object, Role, Strings};
use table::{BACKENDS, Kind, NO_BLOCK, REMOVED, REMOVED_OF_S3, SETTINGS, Settings};

/// Whether the engine has, or may have, a backend of this type.
pub(in crate::graph) fn exists(name: &str, engine: Engine) -> bool {
    BACKENDS.contains(&name)
        && !(engine.lacks_removed_backends() && REMOVED.contains(&name))
        && !(name == "oci" && engine.lacks_oci_backend())
}

/// The reason why a backend refuses a configuration. An argument that some release has is accepted, unless the engine
/// certainly lacks it.
pub(in crate::graph) fn refused(
    backend: &str,
    config: &BTreeMap<SmolStr, Value>,
    engine: Engine,
) -> Option<String> {
    let settings = Settings::of(backend)?;
    let known: BTreeSet<&str> = settings.names().map(|(name, _)| name).collect();
    if let Some(unknown) = config.keys().find(|name| !known.contains(name.as_str())) {
        return Some(format!("The backend {backend:?} has no argument `{unknown}`."));
    }
    if backend == "s3" && engine.lacks_role_arguments_of_s3() {
        let removed = REMOVED_OF_S3.iter().find(|name| config.contains_key(**name));
        if let Some(removed) = removed {
            return Some(format!(
                "Terraform 1.10 removed the argument `{removed}` of the backend {backend:?}. Set the role in \
                 `assume_role`."
            ));
        }
    }
    if let Some(missing) = settings.required.iter().find(|name| !config.contains_key(**name)) {
        return Some(format!("The backend {backend:?} requires the argument `{missing}`."));
    }
    config.iter().find_map(|(name, value)| {
        let why = settings.mismatch(name, value)?;
        Some(format!("This value is not valid for `{name}` of the backend {backend:?}: {why}."))
    })
}

/// The errors that `init` reports in the `backend` or `cloud` block of a root module. Those that it reports unless
/// `-backend-config` sets an argument are warnings.
pub(super) fn wrong(storage: &Storage, engine: Engine) -> Vec<Finding> {
    let name = match (&storage.kind, storage.block.labels.first()) {
        (None, _) => "cloud",
        // A person replaces the placeholders of a template before the block is used.
        (Some(name), _) if Value::string(name.clone()).holds_placeholder() => return Vec::new(),
        // The configuration of HCP Terraform and Terraform Enterprise has a block of its own.
        (Some(name), Some(label)) if NO_BLOCK.contains(&name.as_str()) || !exists(name, engine) => {
            let finding = Finding::language(EngineRule::InvalidValue, "Unsupported backend type")
                .detail(format!("No backend is named {name:?}, so `init` fails."));
            return vec![finding.at(label.span).at_plan()];
        }
        (Some(name), _) => name.as_str(),
    };
    let Some(settings) = Settings::of(name) else { return Vec::new() };
    let mut findings = Vec::new();
    let content = decoded(settings.names(), &storage.block.body, &mut findings);
    for attribute in &content.attributes {
        // OpenTofu and older releases have them, so this must not decide the engine of the module.
        if name == "s3" && engine.lacks_role_arguments_of_s3() && REMOVED_OF_S3.contains(&&*attribute.name) {
            let detail = "Terraform 1.10 removed this argument. Set the role in `assume_role`.";
            let finding = Finding::language(EngineRule::InvalidValue, "Unsupported argument");
            findings.push(finding.detail(detail).at(attribute.name_span));
        } else if let Some(why) =
            constant(attribute).and_then(|value| settings.mismatch(&attribute.name, &value))
        {
            let finding = Finding::language(EngineRule::InvalidValue, "Incorrect attribute value type");
            let detail =
                format!("This value is not valid for `{}` of the backend {name:?}: {why}.", attribute.name);
            findings.push(unless_replaced(finding.detail(detail).at(attribute.expr.span), storage));
        }
    }
    let mut seen = BTreeSet::new();
    for block in &content.blocks {
        let Some(kind) = settings.kind(&block.kind) else { continue };
        if matches!(kind, Block(_)) && !seen.insert(&block.kind) {
            let summary = format!("Duplicate {} block", block.kind);
            let finding = Finding::language(EngineRule::DuplicateDeclaration, summary)
                .detail(format!("There can be only one `{}` block.", block.kind));
            findings.push(finding.at(block.header));
        }
        let arguments = kind.arguments().into_iter().flatten().map(|name| (*name, None));
        let inner = decoded(arguments, &block.body, &mut findings);
        if block.kind == "workspaces" {
            findings.extend(ambiguous(&inner, storage));
        }
    }
    findings.into_iter().map(Finding::at_plan).collect()
}

/// The error for a `workspaces` block that selects workspaces in two ways.
fn ambiguous(workspaces: &Content, storage: &Storage) -> Option<Finding> {
    let value = |name: &str| workspaces.attribute(name).and_then(|attribute| constant(attribute));
    let set = ["name", "prefix", "tags"].into_iter().filter(|name| is_set(value(name).as_ref()));
    let [first, second, ..] = set.collect::<Vec<_>>()[..] else { return None };
    let finding = Finding::language(EngineRule::InvalidValue, INVALID_WORKSPACES)
        .detail(format!("Set only one of `{first}` and `{second}` in `workspaces`."));
    Some(unless_replaced(finding.at(storage.block.header), storage))
}

/// The arguments and blocks of a body that can have these.
fn decoded(
    names: impl Iterator<Item = (&'static str, Option<Kind>)>,
    body: &Body,
    findings: &mut Vec<Finding>,
) -> Content {
    let (blocks, attributes): (Vec<_>, Vec<_>) =
        names.partition(|(_, kind)| kind.is_some_and(|kind| kind.arguments().is_some()));
    let attributes: Vec<_> = attributes.iter().map(|(name, _)| AttributeSchema::optional(name)).collect();
    let blocks: Vec<_> = blocks.iter().map(|(name, _)| BlockSchema::new(name, &[])).collect();
    body.content(&Schema { attributes: &attributes, blocks: &blocks }, findings)
}

/// The value of an argument without references that is not a placeholder.
fn constant(attribute: &Attribute) -> Option<Value> {
    let mut found = Vec::new();
    let value = value::constant(&attribute.expr, &mut found);
    (!attribute.is_broken && found.is_empty() && !value.holds_placeholder()).then_some(value)
}

/// An error that `-backend-config` may prevent in a `backend` block.
fn unless_replaced(mut finding: Finding, storage: &Storage) -> Finding {
    if storage.kind.is_some() {
        finding.severity = Severity::Warning;
        finding.add_sentence("`init` fails, unless `-backend-config` sets this argument.");
    }
    finding
}

fn is_set(value: Option<&Value>) -> bool {
    value.is_some_and(|value| !value.is_null() && value.as_str() != Some(""))
}

/// The summaries and details of the errors in a complete configuration of the backend `remote`.
pub(in crate::graph) fn refused_by_remote(
    config: &BTreeMap<SmolStr, Value>,
) -> Vec<(&'static str, &'static str)> {
    let workspaces = match config.get("workspaces") {
        Some(Value::Object(workspaces) | Value::Map(_, workspaces)) => Some(workspaces),
        _ => None,
    };
    let has = |name: &str| is_set(workspaces.and_then(|workspaces| workspaces.get(name)));
    let mut refused = Vec::new();
    if !is_set(config.get("organization")) {
        refused.push(("Invalid organization value", "The name of the organization is empty."));
    }
    match (has("name"), has("prefix")) {
        (false, false) => refused.push((INVALID_WORKSPACES, "Set `name` or `prefix` in `workspaces`.")),
        (true, true) => {
            refused.push((INVALID_WORKSPACES, "Set only one of `name` and `prefix` in `workspaces`."));
        }
        (true, false) | (false, true) => {}
    }
    refused
}

const INVALID_WORKSPACES: &str = "Invalid workspaces configuration";

impl Settings {
    fn of(backend: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|settings| settings.backend == backend)
    }

    /// Why an argument cannot have a value.
    fn mismatch(&self, name: &str, value: &Value) -> Option<String> {
        let ty = match self.kind(name) {
            None => Type::String,
            Some(Bool) => Type::Bool,
            Some(Number) => Type::Number,
            Some(Strings) => Type::list(Type::String),
            Some(Map) => Type::map(Type::String),
            Some(Role) => {
                Type::object([(SmolStr::new("role_arn"), value::Attribute::required(Type::String))])
            }
            Some(Object | Block(_)) => {
                let is_object =
                    value.is_null() || matches!(value.ty(), Type::Any | Type::Object(_) | Type::Map(_));
                return (!is_object).then(|| "an object is required".to_owned());
            }
            Some(Blocks(_)) => return None,
        };
        Some(convert(value, &ty).err()?.to_string())
    }
}

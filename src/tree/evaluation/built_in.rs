//! Finds values that the engine's own resources and provisioners do not take.

use std::sync::Arc;

use crate::finding::{Finding, Language};
use crate::module::address::Mode;
use crate::module::config::Config;
use crate::module::declaration::Resource;
use crate::syntax::{Attribute, Expr};
use crate::tree::builtin::{self, Arguments, Presence};
use crate::tree::references::sites::Symbols;
use crate::value::{Type, Value, convert};

/// Every kind of place where some release keeps the state.
#[rustfmt::skip]
const BACKENDS: &[&str] = &[
    "_local", "artifactory", "azure", "azurerm", "cloud", "consul", "cos", "etcd", "etcdv3", "gcs", "http", "inmem",
    "kubernetes", "local", "manta", "oci", "oss", "pg", "remote", "s3", "swift",
];

/// What is wrong with the values in a resource; `known` gives the value of an expression with the symbols that mean
/// something there.
pub(super) fn wrong(resource: &Resource, known: &mut dyn FnMut(&Expr, Symbols) -> Value) -> Vec<Finding> {
    let mut findings = Vec::new();
    let symbols = Symbols::in_resource(resource);
    if let Some(arguments) = builtin::arguments(resource) {
        let mut known = |expr: &Expr| known(expr, symbols);
        if let Some(set) = Set::read(arguments, &resource.config, &mut known, &mut findings) {
            match resource.address.mode {
                Mode::Managed => set.computed(&mut findings),
                Mode::Data => set.remote_state(&resource.config, &mut findings),
                Mode::Ephemeral => {}
            }
        }
    }
    for part in builtin::parts(resource) {
        let Some(arguments) = part.accepts else { continue };
        let mut known = |expr: &Expr| known(expr, symbols.with_itself());
        let set = Set::read(arguments, &part.config, &mut known, &mut findings);
        if let Some(set) = set.filter(|_| part.is_own) {
            let wrong = match part.of.kind.as_str() {
                "remote-exec" => set.one_script(),
                "file" => set.one_content(),
                _ => None,
            };
            findings.extend(wrong.map(|finding| finding.related(part.of.block.header, "this provisioner")));
        }
    }
    findings
}

/// The arguments that are set, with what they are worth.
struct Set(Vec<(Arc<Attribute>, Presence, Value)>);

impl Set {
    /// Reads those that are expected; that one does not fit its type is a finding. None where anything is wrong.
    fn read(
        arguments: Arguments,
        config: &Config,
        known: &mut dyn FnMut(&Expr) -> Value,
        findings: &mut Vec<Finding>,
    ) -> Option<Self> {
        let mut set = Vec::new();
        let mut unexpected = Vec::new();
        let before = findings.len();
        for attribute in builtin::content(arguments, config, &mut unexpected).attributes {
            let Some(argument) = arguments.named(&attribute.name) else { continue };
            let value = convert(&known(&attribute.expr), &argument.ty()).unwrap_or_else(|mismatch| {
                findings.push(
                    Finding::language(Language::InvalidValue, "Incorrect attribute value type")
                        .detail(format!("This is no value for `{}`: {mismatch}.", attribute.name))
                        .at(attribute.expr.span),
                );
                Value::UNKNOWN
            });
            set.push((attribute, argument.presence, value));
        }
        (unexpected.is_empty() && findings.len() == before).then_some(Self(set))
    }

    fn get(&self, name: &str) -> Option<(&Attribute, &Value)> {
        let found = self.0.iter().find(|(attribute, ..)| attribute.name == name);
        found.map(|(attribute, _, value)| (&**attribute, value)).filter(|(_, value)| !value.is_null())
    }

    /// What only the engine sets. It gives no place.
    fn computed(&self, findings: &mut Vec<Finding>) {
        for (attribute, presence, value) in &self.0 {
            if *presence == Presence::Computed && !value.is_null() {
                findings.push(
                    Finding::language(
                        Language::UnsupportedBlockOrArgument,
                        format!("{:?} attribute is read-only", attribute.name.as_str()),
                    )
                    .detail(format!("`{}` is known only once the object is there.", attribute.name))
                    .related(attribute.span, "it is set here")
                    .help("remove it"),
                );
            }
        }
    }

    fn remote_state(&self, config: &Config, findings: &mut Vec<Finding>) {
        let invalid = |summary: &str, detail: &str, attribute: &Attribute| {
            let finding = Finding::language(Language::InvalidValue, summary).detail(detail);
            at_argument(finding, attribute, config)
        };
        let summary = "Invalid backend configuration";
        let config = self.get("config");
        let is_known = config.is_none_or(|(_, value)| value.is_wholly_known());
        let backend = self.get("backend").and_then(|(attribute, value)| Some((attribute, value.as_str()?)));
        match (backend, config) {
            (Some((attribute, name)), _) if is_known && !BACKENDS.contains(&name) => {
                findings.push(invalid(summary, &format!("There is no backend {name:?}."), attribute));
            }
            (_, Some((attribute, value))) if !is_object(value) => {
                findings.push(invalid(summary, "The configuration of a backend is an object.", attribute));
            }
            _ => {}
        }
        if let Some((attribute, value)) = self.get("defaults")
            && !is_object(value)
        {
            findings.push(invalid("Invalid default values", "Defaults are given as an object.", attribute));
        }
    }

    fn one_script(&self) -> Option<Finding> {
        let given =
            ["inline", "script", "scripts"].into_iter().filter(|name| self.get(name).is_some()).count();
        (given != 1).then(|| {
            Finding::language(Language::InvalidProvisioner, "Invalid remote-exec provisioner configuration")
                .detail("What is to be run is said by one of `inline`, `script` and `scripts`.")
        })
    }

    fn one_content(&self) -> Option<Finding> {
        let summary = match (self.get("source"), self.get("content")) {
            (Some(_), Some(_)) => "Cannot set both 'source' and 'content'",
            (None, None) => "Must provide one of 'source' or 'content'",
            (Some(_), None) | (None, Some(_)) => return None,
        };
        let detail = "What the file is to hold is said by one of `source` and `content`.";
        Some(Finding::language(Language::InvalidProvisioner, summary).detail(detail))
    }
}

/// Points at what a resource is set to where the engines do.
pub(super) fn at_argument(finding: Finding, argument: &Attribute, config: &Config) -> Finding {
    let (place, value) = (config.place_of(argument), argument.expr.span);
    if place == value { finding.at(value) } else { finding.at(place).related(value, "this value") }
}

fn is_object(value: &Value) -> bool {
    matches!(value.ty(), Type::Any | Type::Object(_) | Type::Map(_))
}

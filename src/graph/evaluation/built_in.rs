//! Checks the values in built-in resources and in provisioners.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::engine::Engine;
use crate::finding::{EngineRule, Finding};
use crate::graph::backends;
use crate::graph::builtin::{self, Arguments, Presence};
use crate::graph::references::sites::Symbols;
use crate::module::address::Mode;
use crate::module::config::Config;
use crate::module::declaration::Resource;
use crate::syntax::{Attribute, Expr};
use crate::text::Span;
use crate::value::{Type, Value, convert};

/// The results for the expressions of a module.
pub(super) struct Expressions<'e> {
    /// The value of an expression without marks, given the valid symbols, and whether there was an error.
    pub(super) known: &'e dyn Fn(&Expr, Symbols) -> (Value, bool),
    /// The expressions with an invalid reference.
    pub(super) wrong: &'e BTreeSet<Span>,
    /// The expressions whose evaluation failed.
    pub(super) failed: &'e BTreeSet<Span>,
}

/// The errors in the values of a resource.
pub(super) fn wrong(resource: &Resource, engine: Engine, expressions: &Expressions<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let symbols = Symbols::in_resource(resource);
    if let Some(arguments) = builtin::arguments(resource) {
        let set = Set::read(arguments, &resource.config, expressions, symbols, &mut findings);
        // The engine calls the provider only if there was no error before.
        match resource.address.mode {
            _ if !set.is_right => {}
            Mode::Managed => set.computed(&mut findings),
            Mode::Data => set.remote_state(&resource.config, engine, &mut findings),
            Mode::Ephemeral => {}
        }
    }
    for part in builtin::parts(resource) {
        let Some(arguments) = part.accepts else { continue };
        let set = Set::read(arguments, &part.config, expressions, symbols.with_itself(), &mut findings);
        // The engine calls provisioners in any case.
        let wrong = match part.of.kind.as_str() {
            _ if !part.is_own => None,
            "remote-exec" => set.one_script(),
            "file" => set.one_content(),
            _ => None,
        };
        findings.extend(wrong.map(|finding| finding.related(part.of.block.header, "this provisioner")));
    }
    findings
}

/// The values of the arguments of a block.
struct Set {
    arguments: Vec<(Arc<Attribute>, Presence, Value)>,
    /// Whether no error was found in them.
    is_right: bool,
    /// Whether one of them has an invalid reference.
    is_open: bool,
}

impl Set {
    /// Evaluates the expected arguments. Reports values of the wrong type.
    fn read(
        arguments: Arguments,
        config: &Config,
        expressions: &Expressions<'_>,
        symbols: Symbols,
        findings: &mut Vec<Finding>,
    ) -> Self {
        let mut unexpected = Vec::new();
        let mut set = Self { arguments: Vec::new(), is_right: true, is_open: false };
        for attribute in builtin::content(arguments, config, &mut unexpected).attributes {
            let Some(argument) = arguments.named(&attribute.name) else { continue };
            let span = &attribute.expr.span;
            set.is_open |= expressions.wrong.contains(span);
            set.is_right &= !expressions.failed.contains(span);
            // The engine converts what remains of a value after an error.
            let (value, failed) = (expressions.known)(&attribute.expr, symbols);
            let value = convert(&value, &argument.ty()).unwrap_or_else(|mismatch| {
                set.is_right = false;
                Finding::language(EngineRule::InvalidValue, "Incorrect attribute value type")
                    .detail(format!("This value is not valid for `{}`: {mismatch}.", attribute.name))
                    .at(attribute.expr.span)
                    .push_to(findings);
                Value::UNKNOWN
            });
            let value = if failed { Value::UNKNOWN } else { value };
            set.arguments.push((attribute, argument.presence, value));
        }
        set.is_right &= unexpected.is_empty() && !set.is_open;
        set
    }

    fn get(&self, name: &str) -> Option<(&Attribute, &Value)> {
        let found = self.arguments.iter().find(|(attribute, ..)| attribute.name == name);
        found.map(|(attribute, _, value)| (&**attribute, value)).filter(|(_, value)| !value.is_null())
    }

    /// Where the engine reports a `config` argument that is null or not set. `None` if it has a value.
    fn place_of_unset(&self, config: &Config) -> Option<Span> {
        match self.arguments.iter().find(|(attribute, ..)| attribute.name == "config") {
            Some((attribute, _, value)) => value.is_null().then(|| config.place_of(attribute)),
            None => config.missing_place(),
        }
    }

    /// Reports arguments that only the provider sets. The engine reports them without a position.
    fn computed(&self, findings: &mut Vec<Finding>) {
        for (attribute, presence, value) in &self.arguments {
            if *presence == Presence::Computed && !value.is_null() {
                Finding::language(
                    EngineRule::UnsupportedBlockOrArgument,
                    format!("{:?} attribute is read-only", attribute.name.as_str()),
                )
                .detail(format!("`{}` is set by the provider.", attribute.name))
                .related(attribute.span, "it is set here")
                .help("remove it")
                .push_to(findings);
            }
        }
    }

    fn remote_state(&self, config: &Config, engine: Engine, findings: &mut Vec<Finding>) {
        let invalid = |summary: &str, detail: &str, attribute: &Attribute| {
            let finding = Finding::language(EngineRule::InvalidValue, summary).detail(detail);
            at_argument(finding, attribute, config)
        };
        let summary = "Invalid backend configuration";
        let unset = self.place_of_unset(config);
        let header = config.missing_place();
        let config = self.get("config");
        let is_known = config.is_none_or(|(_, value)| value.is_wholly_known());
        let backend = self.get("backend").and_then(|(attribute, value)| Some((attribute, value.as_str()?)));
        match (backend, config) {
            (Some((attribute, name)), _) if is_known && !backends::exists(name, engine) => {
                findings.push(invalid(summary, &format!("No backend is named {name:?}."), attribute));
            }
            (_, Some((attribute, value))) if !is_object(value) => {
                findings.push(invalid(summary, "`config` must be an object.", attribute));
            }
            (Some((_, name)), Some((attribute, Value::Object(set) | Value::Map(_, set)))) if is_known => {
                if let Some(why) = backends::refused(name, set, engine) {
                    findings.push(invalid(summary, &why, attribute));
                } else if let (Some(header), "remote") = (header, name) {
                    let of_remote = |(summary, detail): (&str, &str)| {
                        let finding = Finding::language(EngineRule::InvalidValue, summary).detail(detail);
                        finding.at(header).related(attribute.expr.span, "the configuration")
                    };
                    findings.extend(backends::refused_by_remote(set).into_iter().map(of_remote));
                }
            }
            (Some((attribute, name)), None) => {
                let why = backends::refused(name, &BTreeMap::new(), engine);
                if let (Some(why), Some(place)) = (why, unset) {
                    let finding = Finding::language(EngineRule::InvalidValue, summary).detail(why);
                    findings.push(finding.at(place).related(attribute.expr.span, "the backend"));
                }
            }
            _ => {}
        }
        if let Some((attribute, value)) = self.get("defaults")
            && !is_object(value)
        {
            findings.push(invalid("Invalid default values", "`defaults` must be an object.", attribute));
        }
    }

    /// After an invalid reference in a provisioner, the engine treats every argument as set, and reports too many.
    /// overrule reports it only if it is true.
    fn one_script(&self) -> Option<Finding> {
        let given =
            ["inline", "script", "scripts"].into_iter().filter(|name| self.get(name).is_some()).count();
        (given > 1 || (given == 0 && !self.is_open)).then(|| {
            Finding::language(EngineRule::InvalidProvisioner, "Invalid remote-exec provisioner configuration")
                .detail("Set exactly one of `inline`, `script` and `scripts`.")
        })
    }

    fn one_content(&self) -> Option<Finding> {
        let summary = match (self.get("source").is_some(), self.get("content").is_some()) {
            (true, true) => "Cannot set both 'source' and 'content'",
            (false, false) if !self.is_open => "Must provide one of 'source' or 'content'",
            (false | true, false) | (false, true) => return None,
        };
        let detail = "Set exactly one of `source` and `content`.";
        Some(Finding::language(EngineRule::InvalidProvisioner, summary).detail(detail))
    }
}

/// Sets the position of a finding about the value of an argument to that of the engine.
pub(super) fn at_argument(finding: Finding, argument: &Attribute, config: &Config) -> Finding {
    let (place, value) = (config.place_of(argument), argument.expr.span);
    if place == value { finding.at(value) } else { finding.at(place).related(value, "this value") }
}

fn is_object(value: &Value) -> bool {
    matches!(value.ty(), Type::Any | Type::Object(_) | Type::Map(_))
}

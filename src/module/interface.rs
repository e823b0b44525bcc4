//! The interface of a module: the parts that its callers and its state depend on, without spans.
//!
//! Modules with equal interfaces are interchangeable. [`Interface::changes_to`] lists the changes between two
//! interfaces.

mod compare;
mod types;

use std::collections::{BTreeMap, BTreeSet};

use smol_str::{SmolStr, ToSmolStr};

pub use compare::{Impact, InterfaceChange, Part};

use crate::module::Module;
use crate::module::address::Mode;
use crate::module::declaration::{Condition, ModuleCall, Output, Resource, Variable};
use crate::syntax::{Attribute, without_layout};
use crate::text::Sources;
use crate::value::{Constraint, Constraints};

/// The parts of a module that callers and states depend on.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Interface {
    /// Input variables by name.
    pub variables: BTreeMap<SmolStr, VariableInterface>,
    /// Outputs by name.
    pub outputs: BTreeMap<SmolStr, OutputInterface>,
    /// The provider requirements by local name.
    pub providers: BTreeMap<SmolStr, ProviderInterface>,
    /// Every entry of `configuration_aliases`.
    pub configuration_aliases: BTreeSet<SmolStr>,
    /// The version constraints of `required_version`.
    pub required_versions: Vec<RequiredVersion>,
    /// Managed resources and module calls, by their addresses in the module.
    pub addresses: BTreeMap<SmolStr, Repetition>,
    /// The addresses that `moved` and `removed` blocks handle.
    pub accounted_for: BTreeSet<SmolStr>,
}

/// The interface of an input variable.
#[derive(Debug, Clone, PartialEq)]
pub struct VariableInterface {
    /// Its type constraint.
    pub constraint: Constraint,
    /// Its default as text, or `None` for a required variable.
    pub default: Option<String>,
    /// Whether it may be null.
    pub nullable: bool,
    /// Whether its value is hidden in the output.
    pub sensitive: bool,
    /// Whether its value is never stored.
    pub ephemeral: bool,
    /// The deprecation message.
    pub deprecated: Option<SmolStr>,
    /// The conditions of its `validation` blocks, as text.
    pub validations: BTreeSet<String>,
}

/// The interface of an output.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputInterface {
    /// Its value, as text.
    pub value: String,
    /// Whether its value is hidden in the output.
    pub sensitive: bool,
    /// Whether its value is never stored.
    pub ephemeral: bool,
    /// The deprecation message.
    pub deprecated: Option<SmolStr>,
}

/// A provider requirement.
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderInterface {
    /// The source address in the usual written form.
    pub source: SmolStr,
    /// The version constraint.
    pub version: Option<RequiredVersion>,
}

/// A version constraint and its text.
#[derive(Debug, Clone, PartialEq)]
pub struct RequiredVersion {
    /// The text as written.
    pub text: SmolStr,
    /// The parsed constraints, or `None` if they are invalid.
    pub constraints: Option<Constraints>,
}

/// How the instances at an address are determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repetition {
    /// One instance, without a key.
    One,
    /// `count`.
    Count,
    /// `for_each`.
    ForEach,
}

impl Repetition {
    /// The name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::One => "neither `count` nor `for_each`",
            Self::Count => "`count`",
            Self::ForEach => "`for_each`",
        }
    }

    /// The repetition of a resource.
    pub fn of_resource(resource: &Resource) -> Self {
        Self::of(resource.count.is_some(), resource.for_each.is_some())
    }

    /// The repetition of a module call.
    pub fn of_call(call: &ModuleCall) -> Self {
        Self::of(call.count.is_some(), call.for_each.is_some())
    }

    fn of(has_count: bool, has_for_each: bool) -> Self {
        match (has_count, has_for_each) {
            (true, _) => Self::Count,
            (false, true) => Self::ForEach,
            (false, false) => Self::One,
        }
    }

    /// Whether a change to `after` loses the instances of a resource. Terraform and OpenTofu move a single instance
    /// of a resource to key 0 by themselves, and back. They do not move modules.
    pub fn loses_resources(self, after: Self) -> bool {
        self != after && (self == Self::ForEach || after == Self::ForEach)
    }
}

impl Interface {
    /// The interface of a module; `sources` has the texts of its files.
    pub fn of(module: &Module, sources: &Sources) -> Self {
        let host = module.features.registry_host;
        let required = module.required_providers.values();
        let providers = required.clone().map(|entry| {
            let version = entry.version.as_ref().map(|version| RequiredVersion {
                text: version.text.clone(),
                constraints: version.constraints.clone(),
            });
            (entry.name.clone(), ProviderInterface { source: entry.address.display(host), version })
        });
        let required_version = |version: &crate::module::declaration::VersionConstraint| RequiredVersion {
            text: version.text.clone(),
            constraints: version.constraints.clone(),
        };
        Self {
            variables: module
                .variables
                .values()
                .map(|variable| (variable.name.clone(), VariableInterface::of(variable, sources)))
                .collect(),
            outputs: module
                .outputs
                .values()
                .map(|output| (output.name.clone(), OutputInterface::of(output, sources)))
                .collect(),
            configuration_aliases: required
                .flat_map(|entry| &entry.aliases)
                .map(|alias| alias.value.compact())
                .collect(),
            providers: providers.collect(),
            required_versions: module.required_versions.iter().map(required_version).collect(),
            addresses: addresses(module),
            accounted_for: accounted_for(module),
        }
    }
}

fn addresses(module: &Module) -> BTreeMap<SmolStr, Repetition> {
    let managed = module.resources.values().filter(|resource| resource.address.mode == Mode::Managed);
    let resources =
        managed.map(|resource| (resource.address.to_smolstr(), Repetition::of_resource(resource)));
    let calls = module
        .calls
        .values()
        .map(|call| (SmolStr::from(format!("module.{}", call.name)), Repetition::of_call(call)));
    resources.chain(calls).collect()
}

/// The addresses, without instance keys, that `moved` and `removed` blocks handle.
fn accounted_for(module: &Module) -> BTreeSet<SmolStr> {
    let moved = module.moved.iter().filter_map(|moved| moved.from.as_ref()).map(|from| {
        let calls = from.path.iter().map(|step| format!("module.{}", step.name));
        let resource = from.resource.as_ref().map(|resource| resource.resource.to_string());
        calls.chain(resource).collect::<Vec<_>>().join(".")
    });
    let removed = module.removed.iter().filter_map(|removed| removed.from.as_ref()).map(|from| {
        let calls = from.path.iter().map(|name| format!("module.{name}"));
        calls.chain(from.resource.as_ref().map(ToString::to_string)).collect::<Vec<_>>().join(".")
    });
    moved.chain(removed).map(SmolStr::from).collect()
}

impl VariableInterface {
    fn of(variable: &Variable, sources: &Sources) -> Self {
        let text = |condition: &Condition| condition.condition.as_ref().map(|it| text(it, sources));
        let default = variable.default.as_ref().map(|default| {
            default.value.written().unwrap_or_else(|| without_layout(sources.slice(default.span)))
        });
        Self {
            constraint: variable.constraint.as_ref().map_or(Constraint::ANY, |given| given.value.clone()),
            default,
            nullable: variable.nullable.as_ref().is_none_or(|flag| flag.value),
            sensitive: variable.sensitive.as_ref().is_some_and(|flag| flag.value),
            ephemeral: variable.ephemeral.as_ref().is_some_and(|flag| flag.value),
            deprecated: variable.deprecated.as_ref().map(|message| message.value.clone()),
            validations: variable.validations.iter().filter_map(text).collect(),
        }
    }
}

impl OutputInterface {
    fn of(output: &Output, sources: &Sources) -> Self {
        Self {
            value: output.value.as_ref().map(|value| text(value, sources)).unwrap_or_default(),
            sensitive: output.sensitive.as_ref().is_some_and(|flag| flag.value),
            ephemeral: output.ephemeral.as_ref().is_some_and(|flag| flag.value),
            deprecated: output.deprecated.as_ref().map(|message| message.value.clone()),
        }
    }
}

fn text(attribute: &Attribute, sources: &Sources) -> String {
    without_layout(sources.slice(attribute.expr.span))
}

//! The interface of a module: the parts that its callers depend on, without spans.
//!
//! Modules with equal interfaces are interchangeable. [`Interface::changes_to`] lists the changes between two
//! interfaces.

mod compare;
mod types;

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

pub use compare::{Impact, InterfaceChange, Part};

use crate::module::Module;
use crate::module::declaration::{Condition, Output, Variable, VersionConstraint};
use crate::syntax::{Attribute, Expr, ExprKind, Step, StepKind, Traversal, without_layout};
use crate::text::Sources;
use crate::value::{Constraints, TypeConstraint, constant};

/// The parts of a module that callers depend on.
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
}

/// The interface of an input variable.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct VariableInterface {
    /// Its type constraint.
    pub constraint: TypeConstraint,
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
    /// The conditions of its `validation` blocks.
    pub validations: BTreeSet<Validation>,
}

/// The condition of a `validation` block.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Validation {
    /// The values that it accepts: `contains([…], var.name)` with literals.
    OneOf(BTreeSet<String>),
    /// Any other condition, as text.
    Other(String),
}

/// The interface of an output.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
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

impl Interface {
    /// The interface of a module; `sources` has the texts of its files.
    pub fn of(module: &Module, sources: &Sources) -> Self {
        let host = module.features.registry_host;
        let required = module.required_providers.values();
        let required_version = |version: &VersionConstraint| RequiredVersion {
            text: version.text.clone(),
            constraints: version.constraints.clone(),
        };
        let providers = required.clone().map(|entry| {
            let version = entry.version.as_ref().map(required_version);
            (entry.name.clone(), ProviderInterface { source: entry.address.display(host), version })
        });
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
        }
    }
}

impl VariableInterface {
    fn of(variable: &Variable, sources: &Sources) -> Self {
        let validation = |condition: &Condition| {
            let condition = condition.condition.as_ref()?;
            let accepted = accepted_values(&condition.expr, &variable.name);
            let other = || Validation::Other(text(condition, sources));
            Some(accepted.map_or_else(other, Validation::OneOf))
        };
        let default = variable.default.as_ref().map(|default| {
            default.value.written().unwrap_or_else(|| without_layout(sources.slice(default.span)))
        });
        Self {
            constraint: variable.constraint.as_ref().map_or(TypeConstraint::ANY, |given| given.value.clone()),
            default,
            nullable: !variable.refuses_null(),
            sensitive: variable.is_sensitive(),
            ephemeral: variable.is_ephemeral(),
            deprecated: variable.deprecated.as_ref().map(|message| message.value.clone()),
            validations: variable.validations.iter().filter_map(validation).collect(),
        }
    }
}

impl OutputInterface {
    fn of(output: &Output, sources: &Sources) -> Self {
        Self {
            value: output.value.as_ref().map(|value| text(value, sources)).unwrap_or_default(),
            sensitive: output.is_sensitive(),
            ephemeral: output.is_ephemeral(),
            deprecated: output.deprecated.as_ref().map(|message| message.value.clone()),
        }
    }
}

/// The values that a condition accepts, if it is `contains([…], var.name)` with literals.
fn accepted_values(condition: &Expr, variable: &str) -> Option<BTreeSet<String>> {
    let ExprKind::Call(call) = &condition.kind else { return None };
    let [list, value] = call.arguments.as_slice() else { return None };
    let is_variable = |traversal: &Traversal| {
        let name = |step: &Step| matches!(&step.kind, StepKind::Attribute(name) if name == variable);
        traversal.root == "var" && traversal.steps.len() == 1 && traversal.steps.iter().all(name)
    };
    let ExprKind::Traversal(traversal) = &value.kind else { return None };
    let ExprKind::Tuple(items) = &list.kind else { return None };
    if call.name != "contains" || !is_variable(traversal) {
        return None;
    }
    items.iter().map(|item| constant(item, &mut Vec::new()).written()).collect()
}

fn text(attribute: &Attribute, sources: &Sources) -> String {
    without_layout(sources.slice(attribute.expr.span))
}

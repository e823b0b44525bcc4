//! The declarations of a module: one plain type per block type, after decoding and merging.
//!
//! Each argument keeps its span, and each declaration the blocks that it was merged from, so every part of a merged
//! module has a known origin.

mod provider;
mod resource;

use std::sync::{Arc, OnceLock};

use hashbrown::HashMap;
use smol_str::SmolStr;

pub use provider::{
    PassedProvider, ProviderConfiguration, ProviderMeta, ProviderRef, ProviderRefName, RequiredProvider,
    compact_name, names_value, one_block_each,
};
pub use resource::{Managed, Provisioner, Resource};

use crate::engine::Features;
use crate::module::address::{ImportTarget, ModuleSource, MoveEndpoint, RemoveTarget, ResourceAddress};
use crate::module::config::Config;
use crate::syntax::{Attribute, Block, Expr, StepKind, Traversal};
use crate::text::Span;
use crate::value::{Constraints, MarkSource, Marks, Type, TypeConstraint, Value};

/// The arguments `count` and `for_each` of a block.
pub type Repeated<'a> = (Option<&'a Attribute>, Option<&'a Attribute>);

/// The blocks that form a declaration.
#[derive(Debug, Clone)]
pub struct Origin {
    /// The block in a base file. For a default provider configuration that only override files declare, the first of
    /// these.
    pub base: Arc<Block>,
    /// The override blocks, in merge order.
    pub overrides: Vec<Arc<Block>>,
}

impl Origin {
    /// The origin of a declaration without overrides.
    pub fn of(base: &Arc<Block>) -> Self {
        Self { base: Arc::clone(base), overrides: Vec::new() }
    }

    /// The header of the base block, where the engine reports the declaration.
    pub fn header(&self) -> Span {
        self.base.header
    }

    /// Whether one of the blocks sets this argument, valid or not.
    pub fn writes(&self, argument: &str) -> bool {
        self.blocks().any(|block| block.attribute(argument).is_some())
    }

    /// The base block, then the override blocks.
    pub fn blocks(&self) -> impl Iterator<Item = &Arc<Block>> {
        std::iter::once(&self.base).chain(&self.overrides)
    }
}

/// A constant value with the span of its expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Spanned<T> {
    /// The value. After an error, the value that the engine continues with.
    pub value: T,
    /// The span of the expression.
    pub span: Span,
}

fn is_true(flag: Option<&Spanned<bool>>) -> bool {
    flag.is_some_and(|flag| flag.value)
}

/// `variable "name" {}`.
#[derive(Debug, Clone)]
pub struct Variable {
    /// The name.
    pub name: SmolStr,
    /// The blocks of the variable.
    pub origin: Origin,
    /// The `description`.
    pub description: Option<Spanned<SmolStr>>,
    /// The `type`, or `None` without one, which means `any`.
    pub constraint: Option<Spanned<TypeConstraint>>,
    /// The `default`, converted to the type.
    pub default: Option<Spanned<Value>>,
    /// `sensitive`.
    pub sensitive: Option<Spanned<bool>>,
    /// `ephemeral`.
    pub ephemeral: Option<Spanned<bool>>,
    /// `nullable`.
    pub nullable: Option<Spanned<bool>>,
    /// `deprecated`.
    pub deprecated: Option<Spanned<SmolStr>>,
    /// `const`.
    pub constant: Option<Spanned<bool>>,
    /// `validation` blocks.
    pub validations: Vec<Condition>,
}

impl Variable {
    /// Whether a reference is one to this variable, or to a part of it.
    pub fn is_meant_by(&self, reference: &Traversal) -> bool {
        let first = reference.steps.first().map(|step| &step.kind);
        reference.root == "var" && matches!(first, Some(StepKind::Attribute(name)) if *name == self.name)
    }

    /// Whether a validation refers to other declarations.
    pub fn refers_to_others(&self, validation: &Condition) -> bool {
        let mut refers = false;
        for part in validation.parts() {
            part.expr.for_each_variable(|reference| refers |= !self.is_meant_by(reference));
        }
        refers
    }

    /// Whether any of its validations refers to other declarations.
    pub fn is_validated_together(&self) -> bool {
        self.validations.iter().any(|validation| self.refers_to_others(validation))
    }

    /// The marks of the value.
    pub fn marks(&self) -> Marks {
        marks(self.sensitive.as_ref(), self.ephemeral.as_ref())
    }

    /// Whether `sensitive` is true.
    pub fn is_sensitive(&self) -> bool {
        is_true(self.sensitive.as_ref())
    }

    /// Whether `ephemeral` is true.
    pub fn is_ephemeral(&self) -> bool {
        is_true(self.ephemeral.as_ref())
    }

    /// Whether `const` is true.
    pub fn is_constant(&self) -> bool {
        is_true(self.constant.as_ref())
    }

    /// Whether a null value stands for the default.
    pub fn refuses_null(&self) -> bool {
        self.nullable.as_ref().is_some_and(|nullable| !nullable.value)
    }

    /// An unknown value with the type and marks of the variable.
    pub fn unknown_value(&self) -> Value {
        let ty = self.constraint.as_ref().map(|constraint| constraint.value.ty.without_optional());
        Value::Unknown(ty.unwrap_or(Type::Any)).mark(self.marks())
    }
}

/// One argument of a `locals` block.
#[derive(Debug, Clone)]
pub struct Local {
    /// The name.
    pub name: SmolStr,
    /// The argument in effect.
    pub attribute: Arc<Attribute>,
    /// The argument in a base file, if an override replaces it.
    pub base: Option<Arc<Attribute>>,
    /// The arguments in override files that a later override file replaces.
    pub superseded: Vec<Arc<Attribute>>,
}

/// `output "name" {}`.
#[derive(Debug, Clone)]
pub struct Output {
    /// The name.
    pub name: SmolStr,
    /// The blocks of the output.
    pub origin: Origin,
    /// `description`.
    pub description: Option<Spanned<SmolStr>>,
    /// `value`.
    pub value: Option<Arc<Attribute>>,
    /// `sensitive`.
    pub sensitive: Option<Spanned<bool>>,
    /// `ephemeral`.
    pub ephemeral: Option<Spanned<bool>>,
    /// `deprecated`.
    pub deprecated: Option<Spanned<SmolStr>>,
    /// `type`.
    pub constraint: Option<Spanned<TypeConstraint>>,
    /// `depends_on`.
    pub depends_on: Vec<Dependency>,
    /// `precondition` blocks.
    pub preconditions: Vec<Condition>,
}

impl Output {
    /// Whether `sensitive` is true.
    pub fn is_sensitive(&self) -> bool {
        is_true(self.sensitive.as_ref())
    }

    /// Whether `ephemeral` is true.
    pub fn is_ephemeral(&self) -> bool {
        is_true(self.ephemeral.as_ref())
    }

    /// The marks of the value for those that refer to the output.
    pub fn marks(&self) -> Marks {
        marks(self.sensitive.as_ref(), self.ephemeral.as_ref())
    }
}

fn marks(sensitive: Option<&Spanned<bool>>, ephemeral: Option<&Spanned<bool>>) -> Marks {
    let mark = |flag: Option<&Spanned<bool>>| {
        flag.filter(|flag| flag.value).map(|flag| MarkSource::Declaration(flag.span))
    };
    Marks { sensitive: mark(sensitive), ephemeral: mark(ephemeral) }
}

/// `module "name" {}`.
#[derive(Debug, Clone)]
pub struct ModuleCall {
    /// The name.
    pub name: SmolStr,
    /// The blocks of the call.
    pub origin: Origin,
    /// `source`.
    pub source: Option<Source>,
    /// The `version`, or `None` if it is null, invalid, or unknown without running the engine.
    pub version: Option<VersionConstraint>,
    /// The `source` and `version` arguments as written.
    pub address: AddressArguments,
    /// `count`.
    pub count: Option<Arc<Attribute>>,
    /// `for_each`.
    pub for_each: Option<Arc<Attribute>>,
    /// `lifecycle { enabled }` (OpenTofu).
    pub enabled: Option<Arc<Attribute>>,
    /// The valid entries of `providers`.
    pub providers: Vec<PassedProvider>,
    /// The whole `providers` argument.
    pub providers_span: Option<Span>,
    /// `depends_on`.
    pub depends_on: Vec<Dependency>,
    /// The arguments for the variables of the child module.
    pub config: Config,
    /// The same arguments by their names; computed on first use.
    pub(super) by_name: OnceLock<HashMap<SmolStr, Arc<Attribute>>>,
}

impl ModuleCall {
    /// The argument of this name for a variable of the child module.
    pub fn argument(&self, name: &str) -> Option<&Arc<Attribute>> {
        let by_name = || {
            let arguments = self.config.just_attributes(&mut Vec::new());
            arguments.into_iter().map(|argument| (argument.name.clone(), argument)).collect()
        };
        self.by_name.get_or_init(by_name).get(name)
    }

    /// `count` and `for_each`.
    pub fn repeated(&self) -> Repeated<'_> {
        (self.count.as_deref(), self.for_each.as_deref())
    }

    /// Whether it may have another number of instances than one.
    pub fn is_repeated(&self) -> bool {
        self.count.is_some() || self.for_each.is_some() || self.enabled.is_some()
    }

    /// The place of the argument that keeps the child module from configuring providers, if the call has one: `count`,
    /// `for_each`, `enabled` or the first entry of `depends_on`.
    pub fn repeated_or_delayed_by(&self, features: &Features) -> Option<Span> {
        let enabled = self.enabled.as_ref().filter(|_| features.repeated_by_enabled);
        let argument = self.count.as_ref().or(self.for_each.as_ref()).or(enabled);
        let dependency = || self.depends_on.first().map(|dependency| dependency.span);
        argument.map(|argument| argument.expr.span).or_else(dependency)
    }
}

/// The two arguments that select the child module.
#[derive(Debug, Clone, Default)]
pub struct AddressArguments {
    /// `source`.
    pub source: Option<Arc<Attribute>>,
    /// `version`.
    pub version: Option<Arc<Attribute>>,
}

/// The `source` of a module call.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// The string as written; empty if it is not constant.
    pub raw: SmolStr,
    /// The parsed source, or `None` if it is invalid, or unknown without running the engine.
    pub address: Option<ModuleSource>,
    /// The span of the expression.
    pub span: Span,
}

/// A version constraint and its argument.
#[derive(Debug, Clone)]
pub struct VersionConstraint {
    /// The parsed constraint, or `None` if it is null.
    pub constraints: Option<Constraints>,
    /// The text as written.
    pub text: SmolStr,
    /// The whole argument; in `required_providers`, the whole entry.
    pub span: Span,
    /// The expression.
    pub value_span: Span,
}

/// A valid element of `depends_on` or `ignore_changes`.
#[derive(Debug, Clone, PartialEq)]
pub struct Dependency {
    /// The reference.
    pub traversal: Traversal,
    /// The span that the engine reports.
    pub span: Span,
}

/// A `validation`, `precondition`, `postcondition` or `assert` block.
#[derive(Debug, Clone)]
pub struct Condition {
    /// `condition`.
    pub condition: Option<Arc<Attribute>>,
    /// `error_message`.
    pub error_message: Option<Arc<Attribute>>,
    /// The block.
    pub block: Arc<Block>,
}

impl Condition {
    /// `condition` and `error_message`.
    pub fn parts(&self) -> impl Iterator<Item = &Arc<Attribute>> {
        [&self.condition, &self.error_message].into_iter().flatten()
    }
}

/// A `check "name" {}` block. Its data source is among the resources of the module.
#[derive(Debug, Clone)]
pub struct Check {
    /// The name.
    pub name: SmolStr,
    /// The block.
    pub block: Arc<Block>,
    /// The address of its nested `data` block.
    pub data: Option<ResourceAddress>,
    /// `assert` blocks.
    pub asserts: Vec<Condition>,
}

/// `moved {}`.
#[derive(Debug, Clone)]
pub struct Moved {
    /// `from`.
    pub from: Option<MoveEndpoint>,
    /// `to`.
    pub to: Option<MoveEndpoint>,
    /// The block.
    pub block: Arc<Block>,
}

/// `removed {}`.
#[derive(Debug, Clone)]
pub struct Removed {
    /// `from`.
    pub from: Option<RemoveTarget>,
    /// `destroy` in its `lifecycle` block.
    pub destroy: Option<Spanned<bool>>,
    /// `provisioner` blocks.
    pub provisioners: Vec<Provisioner>,
    /// The block.
    pub block: Arc<Block>,
}

/// `import {}`.
#[derive(Debug, Clone)]
pub struct Import {
    /// The expression of `to`.
    pub to: Option<Expr>,
    /// The parsed `to`.
    pub target: Option<ImportTarget>,
    /// `id`.
    pub id: Option<Arc<Attribute>>,
    /// `identity`.
    pub identity: Option<Arc<Attribute>>,
    /// `for_each`.
    pub for_each: Option<Arc<Attribute>>,
    /// `provider`.
    pub provider_ref: Option<ProviderRef>,
    /// The whole `provider` argument.
    pub provider_span: Option<Span>,
    /// The block.
    pub block: Arc<Block>,
}

/// `action "type" "name" {}` (Terraform).
#[derive(Debug, Clone)]
pub struct Action {
    /// The action type, which is the first label.
    pub kind: SmolStr,
    /// The name, which is the second label.
    pub name: SmolStr,
    /// The blocks of the action.
    pub origin: Origin,
    /// `count`.
    pub count: Option<Arc<Attribute>>,
    /// `for_each`.
    pub for_each: Option<Arc<Attribute>>,
    /// `provider`.
    pub provider_ref: Option<ProviderRef>,
    /// The `config` block.
    pub config: Option<Config>,
}

/// `backend "type" {}` or `cloud {}`.
#[derive(Debug, Clone)]
pub struct Storage {
    /// The backend type, or `None` for a `cloud` block.
    pub kind: Option<SmolStr>,
    /// The block.
    pub block: Arc<Block>,
    /// The block in a base file, or an earlier override file, that this one replaces.
    pub replaced: Option<Box<Storage>>,
}

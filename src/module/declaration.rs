//! What a module declares: one plain type for each kind of block, as it stands after decoding and merging.
//!
//! Every argument keeps the span it was written at, and every declaration the blocks that it was merged from, so that
//! a merged module still tells where each part of it came from.

mod provider;

use std::sync::Arc;

use smol_str::SmolStr;

pub use provider::{
    PassedProvider, ProviderConfiguration, ProviderMeta, ProviderRef, ProviderRefName, RequiredProvider,
    compact_name, names_value, one_block_each,
};

use crate::module::address::{
    ImportTarget, ModuleSource, MoveEndpoint, ProviderAddress, RemoveTarget, ResourceAddress,
};
use crate::module::config::Config;
use crate::syntax::{Attribute, Block, Expr, Traversal};
use crate::text::Span;
use crate::value::{Constraint, Constraints, MarkSource, Marks, Type, Value};

/// The blocks that a declaration was made of.
#[derive(Debug, Clone)]
pub struct Origin {
    /// The block in a primary file; of a default provider configuration that only override files declare, the first
    /// there.
    pub base: Arc<Block>,
    /// The blocks in override files that were merged into it, in the order in which they were.
    pub overrides: Vec<Arc<Block>>,
}

impl Origin {
    /// A declaration that nothing was merged into yet.
    pub fn of(base: &Arc<Block>) -> Self {
        Self { base: Arc::clone(base), overrides: Vec::new() }
    }

    /// How the engines point at it: the header of the base block.
    pub fn header(&self) -> Span {
        self.base.header
    }

    /// Whether one of the blocks has that argument, be there anything wrong with it or not.
    pub fn writes(&self, argument: &str) -> bool {
        self.blocks().any(|block| block.attribute(argument).is_some())
    }

    /// The base and then its overrides.
    pub fn blocks(&self) -> impl Iterator<Item = &Arc<Block>> {
        std::iter::once(&self.base).chain(&self.overrides)
    }
}

/// A value given by a constant expression, with the place of that expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Spanned<T> {
    /// What was given. Where the expression was in error: what the engine goes on with.
    pub value: T,
    /// Where the expression stands.
    pub span: Span,
}

/// `variable "name" {}`.
#[derive(Debug, Clone)]
pub struct Variable {
    /// Its label.
    pub name: SmolStr,
    /// Where it was made from.
    pub origin: Origin,
    /// `description`.
    pub description: Option<Spanned<SmolStr>>,
    /// `type`; none where no block writes one, which means `any`.
    pub constraint: Option<Spanned<Constraint>>,
    /// `default`, converted to the type.
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
    /// The marks of its value.
    pub fn marks(&self) -> Marks {
        let mark = |flag: Option<&Spanned<bool>>| {
            flag.filter(|flag| flag.value).map(|flag| MarkSource::Declaration(flag.span))
        };
        Marks { sensitive: mark(self.sensitive.as_ref()), ephemeral: mark(self.ephemeral.as_ref()) }
    }

    /// A value of which nothing but the type and the marks is known.
    pub fn unknown_value(&self) -> Value {
        let ty = self.constraint.as_ref().map(|constraint| constraint.value.ty.without_optional());
        Value::Unknown(ty.unwrap_or(Type::Any)).mark(self.marks())
    }
}

/// One argument of a `locals` block.
#[derive(Debug, Clone)]
pub struct Local {
    /// Its name.
    pub name: SmolStr,
    /// The argument that counts.
    pub attribute: Arc<Attribute>,
    /// The argument in a primary file, where that is another one.
    pub base: Option<Arc<Attribute>>,
    /// The arguments in override files that a later override file has replaced.
    pub superseded: Vec<Arc<Attribute>>,
}

/// `output "name" {}`.
#[derive(Debug, Clone)]
pub struct Output {
    /// Its label.
    pub name: SmolStr,
    /// Where it was made from.
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
    pub constraint: Option<Spanned<Constraint>>,
    /// `depends_on`.
    pub depends_on: Vec<Dependency>,
    /// `precondition` blocks.
    pub preconditions: Vec<Condition>,
}

/// `module "name" {}`.
#[derive(Debug, Clone)]
pub struct ModuleCall {
    /// Its label.
    pub name: SmolStr,
    /// Where it was made from.
    pub origin: Origin,
    /// `source`.
    pub source: Option<Source>,
    /// `version`; none where it is null, in error, or not known without running the engine.
    pub version: Option<VersionConstraint>,
    /// `source` and `version` as written.
    pub address: AddressArguments,
    /// `count`.
    pub count: Option<Arc<Attribute>>,
    /// `for_each`.
    pub for_each: Option<Arc<Attribute>>,
    /// `lifecycle { enabled }` (OpenTofu).
    pub enabled: Option<Arc<Attribute>>,
    /// The entries of `providers` that could be read.
    pub providers: Vec<PassedProvider>,
    /// The `providers` argument itself.
    pub providers_span: Option<Span>,
    /// `depends_on`.
    pub depends_on: Vec<Dependency>,
    /// The arguments for the variables of the module.
    pub config: Config,
}

/// The two arguments that say which module is called.
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
    /// As it was given; empty where it is not a constant.
    pub raw: SmolStr,
    /// What it stands for; none where it could not be read, or is not known without running the engine.
    pub address: Option<ModuleSource>,
    /// Where the expression stands.
    pub span: Span,
}

/// A version constraint and the whole argument that gives it.
#[derive(Debug, Clone)]
pub struct VersionConstraint {
    /// What it asks for; none where it is null.
    pub constraints: Option<Constraints>,
    /// As written.
    pub text: SmolStr,
    /// The whole argument; inside `required_providers` the whole entry.
    pub span: Span,
    /// The expression alone.
    pub value_span: Span,
}

/// `resource`, `data` or `ephemeral`.
#[derive(Debug, Clone)]
pub struct Resource {
    /// Its kind and labels.
    pub address: ResourceAddress,
    /// Where it was made from.
    pub origin: Origin,
    /// `count`.
    pub count: Option<Arc<Attribute>>,
    /// `for_each`.
    pub for_each: Option<Arc<Attribute>>,
    /// `lifecycle { enabled }` (OpenTofu).
    pub enabled: Option<Arc<Attribute>>,
    /// `provider`.
    pub provider_ref: Option<ProviderRef>,
    /// Which provider it belongs to; none where its name implies none.
    pub provider: Option<ProviderAddress>,
    /// `depends_on`.
    pub depends_on: Vec<Dependency>,
    /// `precondition` blocks of the lifecycle.
    pub preconditions: Vec<Condition>,
    /// `postcondition` blocks of the lifecycle.
    pub postconditions: Vec<Condition>,
    /// What only managed resources have; empty for the others.
    pub managed: Managed,
    /// What the provider itself is to be told.
    pub config: Config,
    /// The name of the `check` block that it stands in.
    pub check: Option<SmolStr>,
}

/// What only managed resources have.
#[derive(Debug, Clone, Default)]
pub struct Managed {
    /// `connection`.
    pub connection: Option<Arc<Block>>,
    /// `provisioner` blocks.
    pub provisioners: Vec<Provisioner>,
    /// `create_before_destroy`.
    pub create_before_destroy: Option<Spanned<bool>>,
    /// `prevent_destroy`; no value where it is an expression (OpenTofu).
    pub prevent_destroy: Option<Spanned<Option<bool>>>,
    /// `destroy`.
    pub destroy: Option<Spanned<bool>>,
    /// The names under `ignore_changes`.
    pub ignore_changes: Vec<Dependency>,
    /// `ignore_changes = all`, and where.
    pub ignore_all_changes: Option<Span>,
    /// `replace_triggered_by`.
    pub replace_triggered_by: Vec<Expr>,
    /// `action_trigger` blocks.
    pub action_triggers: Vec<ActionTrigger>,
}

/// An `action_trigger` of a lifecycle.
#[derive(Debug, Clone)]
pub struct ActionTrigger {
    /// `condition`.
    pub condition: Option<Arc<Attribute>>,
    /// The elements of `actions`.
    pub actions: Vec<Expr>,
    /// The block.
    pub block: Arc<Block>,
}

/// `provisioner "type" {}`.
#[derive(Debug, Clone)]
pub struct Provisioner {
    /// Its label.
    pub kind: SmolStr,
    /// `when = destroy`.
    pub on_destroy: bool,
    /// The block.
    pub block: Arc<Block>,
    /// What the provisioner itself is to be told.
    pub config: Config,
    /// Its own `connection`.
    pub connection: Option<Arc<Block>>,
}

/// An element of `depends_on` or `ignore_changes` that could be read.
#[derive(Debug, Clone, PartialEq)]
pub struct Dependency {
    /// What it names.
    pub traversal: Traversal,
    /// How the engines point at it.
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

/// `check "name" {}`. Its data source stands among the resources of the module.
#[derive(Debug, Clone)]
pub struct Check {
    /// Its label.
    pub name: SmolStr,
    /// The block.
    pub block: Arc<Block>,
    /// The `data` block in it.
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
    /// `destroy` of its lifecycle.
    pub destroy: Option<Spanned<bool>>,
    /// `provisioner` blocks.
    pub provisioners: Vec<Provisioner>,
    /// The block.
    pub block: Arc<Block>,
}

/// `import {}`.
#[derive(Debug, Clone)]
pub struct Import {
    /// `to`, the expression.
    pub to: Option<Expr>,
    /// `to`, read.
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
    /// The first label.
    pub kind: SmolStr,
    /// The second label.
    pub name: SmolStr,
    /// Where it was made from.
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
    /// The label of a backend; none of a cloud block.
    pub kind: Option<SmolStr>,
    /// The block.
    pub block: Arc<Block>,
    /// The block in a primary file, or an earlier override file, that this one has replaced.
    pub replaced: Option<Box<Storage>>,
}

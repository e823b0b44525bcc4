//! The schemas of these blocks, one table per block.

use crate::syntax::{AttributeSchema, BlockSchema, Schema};
use crate::value::{Kind, Type};
use Kind::{Any, Bool, ListOf, MapOf, Number, String};
use Presence::{Computed, Optional, Required};

/// All arguments that a block accepts.
#[derive(Debug, Clone, Copy)]
pub(in crate::graph) struct Arguments(&'static [Argument]);

/// An argument that a block accepts.
#[derive(Debug, Clone, Copy)]
pub(in crate::graph) struct Argument {
    /// The name.
    pub(in crate::graph) name: &'static str,
    /// Whether it is required.
    pub(in crate::graph) presence: Presence,
    kind: Kind,
}

/// Whether the configuration sets an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::graph) enum Presence {
    /// It must be set.
    Required,
    /// It may be set.
    Optional,
    /// The provider computes it.
    Computed,
}

impl Argument {
    /// The type to which values are converted.
    pub(in crate::graph) fn ty(&self) -> Type {
        self.kind.ty()
    }
}

impl Arguments {
    /// The argument of this name.
    pub(in crate::graph) fn named(self, name: &str) -> Option<&'static Argument> {
        self.0.iter().find(|argument| argument.name == name)
    }

    /// The names of all arguments.
    pub(super) fn names(self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|argument| argument.name)
    }

    /// Calls `with` with the schema of the block.
    pub(super) fn with_schema<T>(self, with: impl FnOnce(&Schema<'_>) -> T) -> T {
        let attribute = |argument: &Argument| AttributeSchema {
            name: argument.name,
            required: argument.presence == Required,
        };
        let attributes: Vec<AttributeSchema<'_>> = self.0.iter().map(attribute).collect();
        with(&Schema { attributes: &attributes, blocks: &[BlockSchema::new("dynamic", &["type"])] })
    }
}

const fn argument(name: &'static str, presence: Presence, kind: Kind) -> Argument {
    Argument { name, presence, kind }
}

/// The arguments of the built-in provider.
pub(super) const PROVIDER: Arguments = Arguments(&[]);

pub(super) const TERRAFORM_DATA: Arguments = Arguments(&[
    argument("id", Computed, String),
    argument("input", Optional, Any),
    argument("output", Computed, Any),
    argument("triggers_replace", Optional, Any),
]);

pub(super) const REMOTE_STATE: Arguments = Arguments(&[
    argument("backend", Required, String),
    argument("config", Optional, Any),
    argument("defaults", Optional, Any),
    argument("outputs", Computed, Any),
    argument("workspace", Optional, String),
]);

pub(super) const LOCAL_EXEC: Arguments = Arguments(&[
    argument("command", Required, String),
    argument("environment", Optional, MapOf(&String)),
    argument("interpreter", Optional, ListOf(&String)),
    argument("quiet", Optional, Bool),
    argument("working_dir", Optional, String),
]);

pub(super) const REMOTE_EXEC: Arguments = Arguments(&[
    argument("inline", Optional, ListOf(&String)),
    argument("script", Optional, String),
    argument("scripts", Optional, ListOf(&String)),
]);

pub(super) const FILE: Arguments = Arguments(&[
    argument("content", Optional, String),
    argument("destination", Required, String),
    argument("source", Optional, String),
]);

/// The arguments of all connection types together: the type may be unknown.
pub(super) const CONNECTION: Arguments = Arguments(&[
    argument("agent", Optional, Bool),
    argument("agent_identity", Optional, String),
    argument("bastion_certificate", Optional, String),
    argument("bastion_host", Optional, String),
    argument("bastion_host_key", Optional, String),
    argument("bastion_password", Optional, String),
    argument("bastion_port", Optional, Number),
    argument("bastion_private_key", Optional, String),
    argument("bastion_user", Optional, String),
    argument("cacert", Optional, String),
    argument("certificate", Optional, String),
    argument("host", Required, String),
    argument("host_key", Optional, String),
    argument("https", Optional, Bool),
    argument("insecure", Optional, Bool),
    argument("password", Optional, String),
    argument("port", Optional, Number),
    argument("private_key", Optional, String),
    argument("proxy_host", Optional, String),
    argument("proxy_port", Optional, Number),
    argument("proxy_scheme", Optional, String),
    argument("proxy_user_name", Optional, String),
    argument("proxy_user_password", Optional, String),
    argument("script_path", Optional, String),
    argument("target_platform", Optional, String),
    argument("timeout", Optional, String),
    argument("type", Optional, String),
    argument("use_ntlm", Optional, Bool),
    argument("user", Optional, String),
]);

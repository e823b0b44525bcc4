//! The arguments of built-in resources, of provisioners and of connections, one table per block.

use crate::syntax::{AttributeSchema, BlockSchema, Schema};
use crate::value::{Kind, Type};
use Kind::{Any, Bool, ListOf, MapOf, Number, String};
use Presence::{Computed, Optional, Required};

/// All arguments that a block accepts, by the properties that they share.
#[derive(Debug, Clone, Copy)]
pub(in crate::graph) struct Arguments(&'static [(Presence, Kind, &'static [&'static str])]);

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
    pub(in crate::graph) fn named(self, name: &str) -> Option<Argument> {
        self.all().into_iter().find(|argument| argument.name == name)
    }

    /// The names of all arguments.
    pub(super) fn names(self) -> impl Iterator<Item = &'static str> {
        self.all().into_iter().map(|argument| argument.name)
    }

    /// All arguments, by name.
    fn all(self) -> Vec<Argument> {
        let groups = self.0.iter();
        let arguments = groups.flat_map(|&(presence, kind, names)| {
            names.iter().map(move |&name| Argument { name, presence, kind })
        });
        let mut arguments: Vec<Argument> = arguments.collect();
        arguments.sort_unstable_by_key(|argument| argument.name);
        arguments
    }

    /// Calls `with` with the schema of the block.
    pub(super) fn with_schema<T>(self, with: impl FnOnce(&Schema<'_>) -> T) -> T {
        let attribute = |argument: &Argument| AttributeSchema {
            name: argument.name,
            required: argument.presence == Required,
        };
        let attributes: Vec<AttributeSchema<'_>> = self.all().iter().map(attribute).collect();
        with(&Schema { attributes: &attributes, blocks: &[BlockSchema::new("dynamic", &["type"])] })
    }
}

/// The arguments of the built-in provider.
pub(super) const PROVIDER: Arguments = Arguments(&[]);

pub(super) const TERRAFORM_DATA: Arguments = Arguments(&[
    (Optional, Any, &["input", "triggers_replace"]),
    (Computed, Any, &["output"]),
    (Computed, String, &["id"]),
]);

pub(super) const REMOTE_STATE: Arguments = Arguments(&[
    (Required, String, &["backend"]),
    (Optional, Any, &["config", "defaults"]),
    (Optional, String, &["workspace"]),
    (Computed, Any, &["outputs"]),
]);

pub(super) const LOCAL_EXEC: Arguments = Arguments(&[
    (Required, String, &["command"]),
    (Optional, Bool, &["quiet"]),
    (Optional, ListOf(&String), &["interpreter"]),
    (Optional, MapOf(&String), &["environment"]),
    (Optional, String, &["working_dir"]),
]);

pub(super) const REMOTE_EXEC: Arguments =
    Arguments(&[(Optional, ListOf(&String), &["inline", "scripts"]), (Optional, String, &["script"])]);

pub(super) const FILE: Arguments =
    Arguments(&[(Required, String, &["destination"]), (Optional, String, &["content", "source"])]);

/// The arguments of all connection types together: the type may be unknown.
#[rustfmt::skip]
pub(super) const CONNECTION: Arguments = Arguments(&[
    (Required, String, &["host"]),
    (Optional, Bool, &["agent", "https", "insecure", "use_ntlm"]),
    (Optional, Number, &["bastion_port", "port", "proxy_port"]),
    (Optional, String, &[
        "agent_identity", "bastion_certificate", "bastion_host", "bastion_host_key", "bastion_password",
        "bastion_private_key", "bastion_user", "cacert", "certificate", "host_key", "password", "private_key",
        "proxy_host", "proxy_scheme", "proxy_user_name", "proxy_user_password", "script_path", "target_platform",
        "timeout", "type", "user",
    ]),
]);

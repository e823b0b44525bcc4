//! Resources of every mode, with their provisioners.

use std::sync::Arc;

use smol_str::SmolStr;

use super::{Condition, Dependency, Origin, ProviderRef, Repeated, Spanned};
use crate::module::address::{ProviderAddress, ResourceAddress};
use crate::module::config::Config;
use crate::syntax::{Attribute, Block, Expr};
use crate::text::Span;

/// A `resource`, `data` or `ephemeral` block.
#[derive(Debug, Clone)]
pub struct Resource {
    /// Mode, type and name.
    pub address: ResourceAddress,
    /// The blocks of the resource.
    pub origin: Origin,
    /// `count`.
    pub count: Option<Arc<Attribute>>,
    /// `for_each`.
    pub for_each: Option<Arc<Attribute>>,
    /// `lifecycle { enabled }` (OpenTofu).
    pub enabled: Option<Arc<Attribute>>,
    /// `provider`.
    pub provider_ref: Option<ProviderRef>,
    /// The provider of the resource, or `None` if `provider` is invalid, or if the resource type implies no valid name.
    pub provider: Option<ProviderAddress>,
    /// `depends_on`.
    pub depends_on: Vec<Dependency>,
    /// The `precondition` blocks in `lifecycle`.
    pub preconditions: Vec<Condition>,
    /// The `postcondition` blocks in `lifecycle`.
    pub postconditions: Vec<Condition>,
    /// Settings that only managed resources have; empty for others.
    pub managed: Managed,
    /// The arguments and blocks for the provider.
    pub config: Config,
    /// The name of the enclosing `check` block.
    pub check: Option<SmolStr>,
}

impl Resource {
    /// `count` and `for_each`.
    pub fn repeated(&self) -> Repeated<'_> {
        (self.count.as_deref(), self.for_each.as_deref())
    }

    /// The local name of its provider: that in its `provider` argument, or the first word of its type.
    pub fn provider_name(&self) -> &str {
        self.provider_ref
            .as_ref()
            .map_or_else(|| self.address.implied_provider(), |reference| &reference.name)
    }

    /// Its provider configuration as a key of [`Module::providers`](crate::module::Module::providers).
    pub fn provider_key(&self) -> SmolStr {
        self.provider_ref
            .as_ref()
            .map_or_else(|| self.address.implied_provider().into(), ProviderRef::compact)
    }

    /// Whether it may have another number of instances than one.
    pub fn is_repeated(&self) -> bool {
        self.count.is_some() || self.for_each.is_some() || self.enabled.is_some()
    }
}

/// Settings that only managed resources have.
#[derive(Debug, Clone, Default)]
pub struct Managed {
    /// `connection`.
    pub connection: Option<Arc<Block>>,
    /// `provisioner` blocks.
    pub provisioners: Vec<Provisioner>,
    /// `create_before_destroy`.
    pub create_before_destroy: Option<Spanned<bool>>,
    /// `prevent_destroy`. The value is `None` for an expression that is not constant (OpenTofu).
    pub prevent_destroy: Option<Spanned<Option<bool>>>,
    /// `destroy`, likewise.
    pub destroy: Option<Spanned<Option<bool>>>,
    /// The elements of `ignore_changes`.
    pub ignore_changes: Vec<Dependency>,
    /// The span of `ignore_changes = all`.
    pub ignore_all_changes: Option<Span>,
    /// `replace_triggered_by`.
    pub replace_triggered_by: Vec<Expr>,
    /// The elements of `actions` in all `action_trigger` blocks.
    pub triggered_actions: Vec<Expr>,
}

/// `provisioner "type" {}`.
#[derive(Debug, Clone)]
pub struct Provisioner {
    /// The type, which is its label.
    pub kind: SmolStr,
    /// Whether it has `when = destroy`.
    pub on_destroy: bool,
    /// The block.
    pub block: Arc<Block>,
    /// The arguments for the provisioner.
    pub config: Config,
    /// Its nested `connection` block.
    pub connection: Option<Arc<Block>>,
}

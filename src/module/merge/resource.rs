//! Lays a `resource`, `data`, `ephemeral` or `action` block of an override file over its base.

use crate::engine::InOverride;
use crate::module::address::Mode;
use crate::module::declaration::{Action, Managed, Resource};
use crate::module::merge::{Merger, what};

impl Merger<'_> {
    pub(super) fn override_resource(&mut self, over: Resource) {
        let provider =
            over.provider_ref.as_ref().and_then(|reference| self.provider_address(&reference.name));
        let destroy = self.features.override_destroy;
        let Some(base) = self.module.resources.get_mut(&over.address) else {
            let summary = match over.address.mode {
                Mode::Managed => "Missing resource to override",
                Mode::Data => "Missing data resource to override",
                Mode::Ephemeral => "Missing ephemeral resource to override",
            };
            let what = what(&over);
            self.without_base(summary, &what, over.address.to_string(), over.origin.header());
            return;
        };
        base.count = over.count.or(base.count.take());
        base.for_each = over.for_each.or(base.for_each.take());
        if over.provider_ref.is_some() {
            base.provider_ref = over.provider_ref;
            base.provider = provider;
        }
        merge_managed(&mut base.managed, over.managed, destroy);
        base.config.merge(over.config);
        base.origin.overrides.push(over.origin.base);
        let header = base.origin.header();
        self.depends_on(&over.depends_on, header);
    }

    pub(super) fn override_action(&mut self, over: Action) {
        let Some(base) = self.module.actions.get_mut(&(over.kind.clone(), over.name.clone())) else {
            let what = format!("action `{}.{}`", over.kind, over.name);
            let address = format!("action.{}.{}", over.kind, over.name);
            self.without_base("Missing resource to override", &what, address, over.origin.header());
            return;
        };
        base.count = over.count.or(base.count.take());
        base.for_each = over.for_each.or(base.for_each.take());
        base.provider_ref = over.provider_ref.or(base.provider_ref.take());
        match (&mut base.config, over.config) {
            (Some(config), Some(over)) => config.merge(over),
            (config @ None, over) => *config = over,
            (Some(_), None) => {}
        }
        base.origin.overrides.push(over.origin.base);
    }
}

/// What is merged argument by argument. `replace_triggered_by` is not merged at all, and lists that are empty replace
/// nothing.
fn merge_managed(base: &mut Managed, over: Managed, destroy: InOverride) {
    base.connection = over.connection.or(base.connection.take());
    base.create_before_destroy = over.create_before_destroy.or(base.create_before_destroy.take());
    base.prevent_destroy = over.prevent_destroy.or(base.prevent_destroy.take());
    if destroy == InOverride::Merged {
        base.destroy = over.destroy.or(base.destroy.take());
    }
    if !over.ignore_changes.is_empty() {
        base.ignore_changes = over.ignore_changes;
    }
    base.ignore_all_changes = over.ignore_all_changes.or(base.ignore_all_changes);
    if !over.provisioners.is_empty() {
        base.provisioners = over.provisioners;
    }
    if !over.action_triggers.is_empty() {
        base.action_triggers = over.action_triggers;
    }
}

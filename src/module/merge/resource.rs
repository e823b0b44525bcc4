//! Merges a `resource`, `data`, `ephemeral` or `action` block of an override file into its base.

use crate::engine::Features;
use crate::module::address::Mode;
use crate::module::declaration::{Action, Managed, Resource};
use crate::module::dropped::Why;
use crate::module::merge::Merger;
use crate::module::merge::overlay::Overlay;

impl Merger<'_> {
    pub(super) fn override_resource(&mut self, mut over: Resource) {
        let provider =
            over.provider_ref.as_ref().and_then(|reference| self.provider_address(&reference.name));
        let Some(base) = self.module.resources.get_mut(&over.address) else {
            self.without_base(&over.origin.base);
            return;
        };
        let mut overlay = Overlay::new(&base.origin, &over.origin.base, &mut self.module.dropped);
        overlay.replace("count", &mut base.count, over.count);
        overlay.replace("for_each", &mut base.for_each, over.for_each);
        if over.provider_ref.is_some() {
            base.provider = provider;
        }
        overlay.replace("provider", &mut base.provider_ref, over.provider_ref);
        overlay.depends_on();
        overlay.nested("lifecycle", |overlay| {
            if self.features.grammar.enabled {
                overlay.ignore("enabled");
            }
            if over.address.mode == Mode::Managed {
                lifecycle(overlay, &mut base.managed, &mut over.managed, &self.features);
            }
            overlay.refuse_rest(&["action_trigger"]);
        });
        nested_blocks(&mut base.managed, over.managed);
        base.config.merge(over.config);
        base.origin.overrides.push(over.origin.base);
        let header = base.origin.header();
        self.depends_on(&over.depends_on, header);
    }

    pub(super) fn override_action(&mut self, over: Action) {
        let Some(base) = self.module.actions.get_mut(&(over.kind.clone(), over.name.clone())) else {
            self.without_base(&over.origin.base);
            return;
        };
        let mut overlay = Overlay::new(&base.origin, &over.origin.base, &mut self.module.dropped);
        overlay.replace("count", &mut base.count, over.count);
        overlay.replace("for_each", &mut base.for_each, over.for_each);
        overlay.replace("provider", &mut base.provider_ref, over.provider_ref);
        overlay.refuse_rest(&["config"]);
        match (&mut base.config, over.config) {
            (Some(config), Some(over)) => config.merge(over),
            (config @ None, over) => *config = over,
            (Some(_), None) => {}
        }
        base.origin.overrides.push(over.origin.base);
    }
}

/// Merges the `lifecycle` block of a managed resource, argument by argument.
fn lifecycle(overlay: &mut Overlay<'_>, base: &mut Managed, over: &mut Managed, features: &Features) {
    let create_before_destroy = over.create_before_destroy.take();
    overlay.replace("create_before_destroy", &mut base.create_before_destroy, create_before_destroy);
    overlay.replace("prevent_destroy", &mut base.prevent_destroy, over.prevent_destroy.take());
    if features.grammar.replace_triggered_by {
        overlay.ignore("replace_triggered_by");
    }
    if features.override_destroy_merged {
        overlay.replace("destroy", &mut base.destroy, over.destroy.take());
    } else if features.grammar.destroy {
        overlay.ignore("destroy");
    }
    ignore_changes(overlay, base, over);
}

/// A list replaces a list, but never `all`.
fn ignore_changes(overlay: &mut Overlay<'_>, base: &mut Managed, over: &mut Managed) {
    let list = std::mem::take(&mut over.ignore_changes);
    let all = base.ignore_all_changes;
    base.ignore_all_changes = over.ignore_all_changes.or(all);
    if over.ignore_all_changes.take().is_none() && (all.is_none() || list.is_empty()) {
        let stays = all.or(base.ignore_changes.first().map(|ignored| ignored.span));
        overlay.replace_all("ignore_changes", &mut base.ignore_changes, list, stays);
        return;
    }
    let written = overlay.take("ignore_changes");
    if base.ignore_all_changes == all {
        overlay.drop(written, Why::AllStays, all);
    }
    if !list.is_empty() {
        base.ignore_changes = list;
    }
}

/// The nested blocks of an override replace all blocks of their type.
fn nested_blocks(base: &mut Managed, over: Managed) {
    base.connection = over.connection.or(base.connection.take());
    if !over.provisioners.is_empty() {
        base.provisioners = over.provisioners;
    }
    if !over.triggered_actions.is_empty() {
        base.triggered_actions = over.triggered_actions;
    }
}

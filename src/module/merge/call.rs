//! Lays a `module` block of an override file over a module call.

use crate::module::declaration::ModuleCall;
use crate::module::merge::Merger;

impl Merger<'_> {
    pub(super) fn override_call(&mut self, over: ModuleCall) {
        let Some(base) = self.module.calls.get_mut(&over.name) else {
            let what = format!("module call `{}`", over.name);
            self.without_base(
                "Missing module call to override",
                &what,
                format!("module.{}", over.name),
                over.origin.header(),
            );
            self.module.refused_calls.push(Box::new(over));
            return;
        };
        base.source = over.source.or(base.source.take());
        base.count = over.count.or(base.count.take());
        base.for_each = over.for_each.or(base.for_each.take());
        if over.version.as_ref().is_some_and(|version| version.constraints.is_some()) {
            base.version = over.version;
        }
        base.address.source = over.address.source.or(base.address.source.take());
        base.address.version = over.address.version.or(base.address.version.take());
        base.config.merge(over.config);
        // The map is replaced as a whole, but an empty one replaces nothing.
        if !over.providers.is_empty() {
            base.providers = over.providers;
            base.providers_span = over.providers_span;
        }
        base.origin.overrides.push(over.origin.base);
        let header = base.origin.header();
        self.depends_on(&over.depends_on, header);
    }
}

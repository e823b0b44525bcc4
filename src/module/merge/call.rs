//! Merges a `module` block of an override file into a module call.

use crate::engine::ModuleAddress;
use crate::module::declaration::{ModuleCall, Source};
use crate::module::merge::Merger;
use crate::module::merge::overlay::Overlay;

impl Merger<'_> {
    pub(super) fn override_call(&mut self, over: ModuleCall) {
        let Some(base) = self.module.calls.get_mut(&over.name) else {
            self.without_base(&over.origin.base);
            self.module.refused_calls.push(Box::new(over));
            return;
        };
        let mut overlay = Overlay::new(&base.origin, &over.origin.base, &mut self.module.dropped);
        let is_per_block = self.features.module_address == ModuleAddress::LiteralPerBlock;
        // There, a source with an error does not replace that of the base.
        let counts = |source: &Source| !is_per_block || source.address.is_some();
        base.source = over.source.filter(counts).or(base.source.take());
        overlay.replace("source", &mut base.address.source, over.address.source);
        if over.version.as_ref().is_some_and(|version| version.constraints.is_some()) {
            base.version = over.version;
        }
        overlay.replace("version", &mut base.address.version, over.address.version);
        overlay.replace("count", &mut base.count, over.count);
        overlay.replace("for_each", &mut base.for_each, over.for_each);
        let stays = base.providers_span.filter(|_| !base.providers.is_empty());
        if !over.providers.is_empty() {
            base.providers_span = over.providers_span;
        }
        overlay.replace_all("providers", &mut base.providers, over.providers, stays);
        overlay.depends_on();
        if self.features.grammar.ignore_nested_deprecations {
            overlay.ignore("ignore_nested_deprecations");
        }
        if self.features.grammar.enabled {
            overlay.nested("lifecycle", |overlay| {
                overlay.ignore("enabled");
                overlay.refuse_rest(&[]);
            });
        }
        overlay.refuse_blocks(&["_"]);
        base.config.merge(over.config);
        base.by_name.take();
        base.origin.overrides.push(over.origin.base);
        let header = base.origin.header();
        self.depends_on(&over.depends_on, header);
    }
}

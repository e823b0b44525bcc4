//! Merges a `provider` block of an override file into a provider configuration.

use std::collections::btree_map::Entry;

use crate::module::declaration::ProviderConfiguration;
use crate::module::dropped::{Dropped, Why};
use crate::module::merge::Merger;
use crate::module::merge::overlay::Overlay;

impl Merger<'_> {
    pub(super) fn override_provider(&mut self, over: ProviderConfiguration) {
        match self.module.providers.entry(over.compact()) {
            Entry::Occupied(mut base) => {
                let base = base.get_mut();
                let mut overlay = Overlay::new(&base.origin, &over.origin.base, &mut self.module.dropped);
                if self.features.grammar.provider_for_each {
                    overlay.ignore("for_each");
                }
                for reserved in ["count", "depends_on", "for_each", "source"] {
                    let written = overlay.take(reserved);
                    overlay.drop(written, Why::Refused, None);
                }
                if over.version.as_ref().is_some_and(|version| version.constraints.is_some()) {
                    base.version = over.version;
                }
                base.config.merge(over.config);
                base.origin.overrides.push(over.origin.base);
            }
            // A default configuration always exists, so an override of an undeclared one is allowed.
            Entry::Vacant(place) if over.alias.is_none() => {
                place.insert(Box::new(over));
            }
            Entry::Vacant(_) => {
                let dropped = Dropped::top_block(&over.origin.base, Why::NoBase);
                let (what, address) = (
                    format!("provider configuration `{}`", over.compact()),
                    format!("provider.{}", over.compact()),
                );
                self.missing_base(
                    "Missing base provider configuration for override",
                    &what,
                    address,
                    dropped,
                );
            }
        }
    }
}

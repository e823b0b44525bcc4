//! Lays a `provider` block of an override file over a provider configuration.

use std::collections::btree_map::Entry;

use crate::module::declaration::ProviderConfiguration;
use crate::module::merge::Merger;

impl Merger<'_> {
    pub(super) fn override_provider(&mut self, over: ProviderConfiguration) {
        match self.module.providers.entry(over.compact()) {
            Entry::Occupied(mut base) => {
                let base = base.get_mut();
                if over.version.as_ref().is_some_and(|version| version.constraints.is_some()) {
                    base.version = over.version;
                }
                base.config.merge(over.config);
                base.origin.overrides.push(over.origin.base);
            }
            // A default configuration is there even where nobody writes one, so it can be overridden.
            Entry::Vacant(place) if over.alias.is_none() => {
                place.insert(Box::new(over));
            }
            Entry::Vacant(_) => {
                let what = format!("provider configuration `{}`", over.compact());
                self.without_base(
                    "Missing base provider configuration for override",
                    &what,
                    format!("provider.{}", over.compact()),
                    over.origin.header(),
                );
            }
        }
    }
}

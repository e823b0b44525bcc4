//! Lays an `output` block of an override file over an output.

use crate::engine::InOverride;
use crate::module::declaration::Output;
use crate::module::merge::Merger;

impl Merger<'_> {
    pub(super) fn override_output(&mut self, over: Output) {
        let Some(base) = self.module.outputs.get_mut(&over.name) else {
            let what = format!("output `{}`", over.name);
            self.without_base(
                "Missing base output definition to override",
                &what,
                format!("output.{}", over.name),
                over.origin.header(),
            );
            return;
        };
        base.description = over.description.filter(|text| !text.value.is_empty()).or(base.description.take());
        base.value = over.value.or(base.value.take());
        base.sensitive = over.sensitive.or(base.sensitive.take());
        base.ephemeral = over.ephemeral.or(base.ephemeral.take());
        base.constraint = over.constraint.or(base.constraint.take());
        if self.features.override_deprecated == InOverride::Merged {
            base.deprecated =
                over.deprecated.filter(|text| !text.value.is_empty()).or(base.deprecated.take());
        }
        base.origin.overrides.push(over.origin.base);
        let header = base.origin.header();
        self.depends_on(&over.depends_on, header);
    }
}

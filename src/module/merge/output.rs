//! Merges an `output` block of an override file into an output.

use crate::module::declaration::Output;
use crate::module::merge::Merger;
use crate::module::merge::overlay::Overlay;

impl Merger<'_> {
    pub(super) fn override_output(&mut self, over: Output) {
        let Some(base) = self.module.outputs.get_mut(&over.name) else {
            self.without_base(&over.origin.base);
            return;
        };
        let mut overlay = Overlay::new(&base.origin, &over.origin.base, &mut self.module.dropped);
        overlay.replace_text("description", &mut base.description, over.description);
        overlay.replace("value", &mut base.value, over.value);
        overlay.replace("sensitive", &mut base.sensitive, over.sensitive);
        overlay.replace("ephemeral", &mut base.ephemeral, over.ephemeral);
        overlay.replace("type", &mut base.constraint, over.constraint);
        overlay.deprecated(&mut base.deprecated, over.deprecated, &self.features);
        overlay.depends_on();
        overlay.refuse_rest(&[]);
        base.origin.overrides.push(over.origin.base);
        let header = base.origin.header();
        self.depends_on(&over.depends_on, header);
    }
}

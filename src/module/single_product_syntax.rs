//! Finds syntax that one product accepts and the other reports as an error, in blocks and arguments that both know.

use crate::engine::ModuleAddress;
use crate::module::Module;
use crate::module::declaration::{ModuleCall, ProviderRef};
use crate::text::Span;

impl Module {
    /// The spans of syntax that only the module's own product accepts.
    pub fn exclusive_places(&self) -> Vec<Span> {
        let known = &self.features.grammar;
        let mut places = Vec::new();
        let references = self.resources.values().filter_map(|resource| resource.provider_ref.as_ref());
        let passed = self.calls.values().flat_map(|call| &call.providers);
        let passed = passed.flat_map(|passed| [&passed.in_child, &passed.in_parent]);
        places.extend(references.chain(passed).filter_map(keyed));
        if known.prevent_destroy_expression {
            let given =
                self.resources.values().filter_map(|resource| resource.managed.prevent_destroy.as_ref());
            places.extend(given.filter(|given| given.value.is_none()).map(|given| given.span));
        }
        if self.features.module_address == ModuleAddress::StaticAfterMerge {
            places.extend(self.calls.values().flat_map(|call| evaluated(call)));
        }
        if known.oci_source {
            let sources = self.calls.values().filter_map(|call| call.source.as_ref());
            places.extend(sources.filter(|source| source.raw.starts_with("oci:")).map(|source| source.span));
        }
        places
    }
}

fn keyed(reference: &ProviderRef) -> Option<Span> {
    let key = reference.key.as_ref()?;
    Some(reference.name_span.to(key.span))
}

/// The arguments of a call that are not constant.
fn evaluated(call: &ModuleCall) -> impl Iterator<Item = Span> {
    let arguments = [&call.address.source, &call.address.version].into_iter().flatten();
    arguments.filter(|argument| !argument.expr.variables().is_empty()).map(|argument| argument.expr.span)
}

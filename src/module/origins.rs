//! The origins of the declarations of a module.

use std::sync::Arc;

use crate::module::Module;
use crate::module::declaration::Origin;
use crate::syntax::Attribute;
use crate::text::Span;

impl Module {
    /// The origin of each declaration that is merged from blocks, by block type, then by name.
    pub fn origins(&self) -> impl Iterator<Item = &Origin> {
        let providers = self.providers.values().map(|provider| &provider.origin);
        providers
            .chain(self.variables.values().map(|variable| &variable.origin))
            .chain(self.outputs.values().map(|output| &output.origin))
            .chain(self.calls.values().map(|call| &call.origin))
            .chain(self.resources.values().map(|resource| &resource.origin))
            .chain(self.actions.values().map(|action| &action.origin))
    }

    /// The origins with override blocks.
    pub fn overridden(&self) -> impl Iterator<Item = &Origin> {
        self.origins().filter(|origin| !origin.overrides.is_empty())
    }
}

impl Origin {
    /// The number of the block that contains a span. The base is number 0.
    pub fn number_at(&self, span: Span) -> Option<usize> {
        self.blocks().position(|block| block.body.span().encloses(span))
    }

    /// The arguments of this name in all blocks, the base first.
    pub fn written(&self, name: &str) -> Vec<Arc<Attribute>> {
        self.blocks().filter_map(|block| block.attribute(name)).collect()
    }
}

//! Turns a merged module back into the blocks that it was merged from.

use std::sync::Arc;

use crate::module::Module;
use crate::module::declaration::Origin;
use crate::syntax::{Attribute, Block};
use crate::text::Span;

impl Module {
    /// Where every declaration that is merged from blocks comes from: by kind, then by name.
    pub fn origins(&self) -> impl Iterator<Item = &Origin> {
        let providers = self.providers.values().map(|provider| &provider.origin);
        providers
            .chain(self.variables.values().map(|variable| &variable.origin))
            .chain(self.outputs.values().map(|output| &output.origin))
            .chain(self.calls.values().map(|call| &call.origin))
            .chain(self.resources.values().map(|resource| &resource.origin))
            .chain(self.actions.values().map(|action| &action.origin))
    }

    /// Those of them that override files have a say in.
    pub fn overridden(&self) -> impl Iterator<Item = &Origin> {
        self.origins().filter(|origin| !origin.overrides.is_empty())
    }
}

impl Origin {
    /// Which of its blocks something stands in, counted from the base, which is number 0.
    pub fn number_at(&self, span: Span) -> Option<usize> {
        let around = |block: &Arc<Block>| {
            let body = block.body.span();
            body.file == span.file && body.start <= span.start && span.end <= body.end
        };
        self.blocks().position(around)
    }

    /// What each of its blocks that writes an argument of that name writes, the base first.
    pub fn written(&self, name: &str) -> Vec<Arc<Attribute>> {
        self.blocks().filter_map(|block| block.attribute(name)).collect()
    }
}

//! Merges the blocks of a module file by file.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use crate::engine::FileKind;
use crate::module::address::block_address;
use crate::module::declaration::{ModuleCall, Origin};
use crate::module::dropped::{Dropped, Why};
use crate::module::merged::{Argument, Around, MergedBlock, settings, variable};
use crate::module::parts::Place;
use crate::module::{Module, ModuleFile};
use crate::syntax::{Attribute, Block};
use crate::text::Span;

/// The state of merging one module.
pub(super) struct Merging<'m> {
    module: &'m Module,
    around: &'m Around<'m>,
    /// The origin of each declaration, by the body of its base block.
    declared: HashMap<Span, &'m Origin>,
    /// The bodies of blocks that were merged into others.
    used: HashSet<Span>,
    /// The merged `terraform` blocks, by their bodies.
    settings: HashMap<Span, MergedBlock>,
    /// The parts that are not in the module, in addition to those that the merge dropped.
    pub(super) dropped: Vec<Dropped>,
}

impl<'m> Merging<'m> {
    pub(super) fn new(module: &'m Module, files: &[ModuleFile<'_>], around: &'m Around<'m>) -> Self {
        let mut dropped = Vec::new();
        let settings = settings::merge(module, files, &mut dropped);
        let overrides = module.overridden().flat_map(|origin| &origin.overrides);
        let mut merging = Self {
            module,
            around,
            declared: module.origins().map(|origin| (origin.base.body.span(), origin)).collect(),
            used: overrides.map(|block| block.body.span()).collect(),
            settings,
            dropped,
        };
        merging.empty_providers();
        merging
    }

    /// Merges a top-level block. Of an override file, only the parts that no base file has remain.
    pub(super) fn top_block(&mut self, block: &Arc<Block>, kind: FileKind) -> Option<MergedBlock> {
        match kind {
            FileKind::Primary => Some(self.base(block, Place::top(block))),
            FileKind::Override => self.over(block),
        }
    }

    fn base(&mut self, block: &Arc<Block>, place: Place) -> MergedBlock {
        if let Some(origin) = self.declared.get(&block.body.span()) {
            return self.declaration(origin);
        }
        match block.kind.as_str() {
            "terraform" => {
                self.settings.remove(&block.body.span()).unwrap_or_else(|| MergedBlock::whole(block, place))
            }
            "locals" => self.locals(block),
            "check" => {
                let mut check = MergedBlock::whole(block, place);
                for nested in check.blocks.iter_mut().filter(|nested| nested.block.block.kind == "data") {
                    let data = Arc::clone(&nested.block.block);
                    nested.block = self.base(&data, place.nested(&data));
                }
                check
            }
            _ => MergedBlock::whole(block, place),
        }
    }

    fn over(&mut self, block: &Arc<Block>) -> Option<MergedBlock> {
        let body = block.body.span();
        if self.used.contains(&body) || block.kind == "locals" {
            return None;
        }
        if block.kind == "terraform" {
            let has_parts = |merged: &MergedBlock| !merged.arguments.is_empty() || !merged.blocks.is_empty();
            return self.settings.remove(&body).filter(has_parts);
        }
        if let Some(origin) = self.declared.get(&body) {
            return Some(self.declaration(origin));
        }
        if !self.module.dropped.contains_key(&block.header) {
            self.dropped.push(Dropped::top_block(block, Why::Refused));
        }
        None
    }

    /// Merges a declaration with all its overrides.
    fn declaration(&mut self, origin: &Origin) -> MergedBlock {
        let mut history = self.module.history(origin);
        let merged = &mut history.block;
        if origin.overrides.is_empty() {
            return history.block;
        }
        let address = block_address(&origin.base);
        self.dropped.extend(history.replacements.iter().flat_map(|one| one.dropped(&address)));
        let name = origin.base.labels.first().map_or("", |name| &name.text);
        match origin.base.kind.as_str() {
            "variable" => {
                if let Some(variable) = self.module.variables.get(name) {
                    variable::meanings(variable, merged);
                }
            }
            "module" => {
                if let Some(call) = self.module.calls.get(name) {
                    self.unknown_variables(merged, call, &address);
                }
            }
            _ => {}
        }
        history.block
    }

    /// Records the provider blocks that the engine treats as empty, if this has an effect: on callers, or on a passed
    /// configuration that nothing else declares.
    fn empty_providers(&mut self) {
        let passed = self.module.calls.values().flat_map(|call| &call.providers);
        let passed: HashSet<_> = passed.map(|passed| passed.in_parent.compact()).collect();
        for provider in self.module.providers.values() {
            let is_declared = self.module.required_providers.contains_key(&provider.name);
            let matters = self.around.is_called || (passed.contains(&provider.compact()) && !is_declared);
            if matters && !provider.origin.overrides.is_empty() && !provider.config.is_empty() {
                let base = &provider.origin.base;
                self.dropped.push(Dropped::block(base, &block_address(base), Why::TakenForEmpty));
            }
        }
    }

    /// Removes the arguments that the child module does not declare.
    fn unknown_variables(&mut self, merged: &mut MergedBlock, call: &ModuleCall, address: &str) {
        let Some(called) = self.around.called.get(&call.name).filter(|called| called.complete) else {
            return;
        };
        let known: HashSet<Span> =
            call.config.just_attributes(&mut Vec::new()).iter().map(|argument| argument.span).collect();
        let is_unknown = |argument: &mut Argument| {
            known.contains(&argument.counts.span) && !called.variables.contains_key(&argument.counts.name)
        };
        for argument in merged.arguments.extract_if(.., is_unknown) {
            self.dropped.push(Dropped::argument(&argument.counts, address, Why::UnknownVariable));
        }
    }

    /// Merges a `locals` block of a base file.
    fn locals(&mut self, block: &Arc<Block>) -> MergedBlock {
        let argument = |attribute: Arc<Attribute>| {
            let local = self.module.locals.get(&attribute.name);
            match local.and_then(|local| Some((local, local.base.as_ref()?))) {
                Some((local, base)) if base.span == attribute.span => Argument {
                    counts: Arc::clone(&local.attribute),
                    before: std::iter::once(base).chain(&local.superseded).cloned().collect(),
                    meaning: None,
                },
                Some(_) | None => Argument::alone(attribute),
            }
        };
        let arguments = block.body.just_attributes(&mut Vec::new()).into_iter().map(argument).collect();
        MergedBlock { block: Arc::clone(block), arguments, blocks: Vec::new() }
    }
}

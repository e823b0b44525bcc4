//! Turns the blocks of files, one after the other, into what is left of them after merging.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::engine::FileKind;
use crate::module::address::block_address;
use crate::module::declaration::{Origin, ProviderConfiguration};
use crate::module::merged::counts::{self, Subject};
use crate::module::merged::layers::Layers;
use crate::module::merged::parts::Place;
use crate::module::merged::settings::Settings;
use crate::module::merged::{Argument, Around, Dropped, MergedBlock, Why, variable, whole};
use crate::module::{Module, ModuleFile};
use crate::syntax::{Attribute, Block};
use crate::text::Span;

/// A module on the way back into blocks.
pub(super) struct Work<'m> {
    module: &'m Module,
    around: &'m Around<'m>,
    /// By the place of the body of a block in a primary file: what was declared with it.
    declared: HashMap<Span, (Subject<'m>, &'m Origin)>,
    /// The bodies of blocks that were merged into others.
    used: HashSet<Span>,
    /// The bodies of blocks that the engine drops.
    ignored: HashSet<Span>,
    settings: Settings,
    dropped: Vec<Dropped>,
}

impl<'m> Work<'m> {
    pub(super) fn new(module: &'m Module, files: &[ModuleFile<'_>], around: &'m Around<'m>) -> Self {
        let declared: HashMap<_, _> = counts::subjects(module)
            .map(|(subject, origin)| (origin.base.body.span(), (subject, origin)))
            .collect();
        let overrides = module.overridden().flat_map(|origin| &origin.overrides);
        let used = overrides.map(|block| block.body.span()).collect();
        let mut dropped = Vec::new();
        let settings = Settings::of(module, files, &mut dropped);
        let ignored = module.ignored_overrides.iter().map(|block| block.body.span()).collect();
        Self { module, around, declared, used, ignored, settings, dropped }
    }

    /// What is left of a block at the top of a file, if anything is.
    pub(super) fn block(&mut self, block: &Arc<Block>, kind: FileKind) -> Option<MergedBlock> {
        match kind {
            FileKind::Primary => Some(self.base(block, Place::top(block))),
            FileKind::Override => self.over(block),
        }
    }

    /// What could not be merged.
    pub(super) fn into_dropped(self) -> Vec<Dropped> {
        self.dropped
    }

    fn base(&mut self, block: &Arc<Block>, place: Place) -> MergedBlock {
        match self.declared.get(&block.body.span()).copied() {
            Some((subject, origin)) => self.declaration(subject, origin, place),
            None => match block.kind.as_str() {
                "terraform" => self.settings.take(block).unwrap_or_else(|| whole(block, place)),
                "locals" => self.locals(block),
                "check" => self.check(block, place),
                _ => whole(block, place),
            },
        }
    }

    /// A `check` block, whose data source may have overrides.
    fn check(&mut self, block: &Arc<Block>, place: Place) -> MergedBlock {
        let mut check = whole(block, place);
        for nested in check.blocks.iter_mut().filter(|nested| nested.block.block.kind == "data") {
            let data = Arc::clone(&nested.block.block);
            nested.block = self.base(&data, place.nested(&data));
        }
        check
    }

    /// A block with all that override files have for it.
    fn declaration(&mut self, subject: Subject<'m>, origin: &Origin, place: Place) -> MergedBlock {
        let blocks: Vec<_> = origin.blocks().cloned().collect();
        let address = block_address(&origin.base);
        let mut layers = Layers::new(self.module, &origin.base, &address, &mut self.dropped);
        let mut merged = layers.merge(&blocks, place, subject);
        if origin.overrides.is_empty() {
            return merged;
        }
        match subject {
            Subject::Variable(variable) => variable::meanings(variable, &mut merged),
            Subject::Call(call) => {
                self.one_repetition(&mut merged, origin, &address);
                if let Some(called) = self.around.called.get(&call.name).filter(|called| called.complete) {
                    self.unknown_variables(&mut merged, called, &address);
                }
            }
            Subject::Resource(_) | Subject::Action(_) => self.one_repetition(&mut merged, origin, &address),
            Subject::Provider(provider) if self.matters(provider) => {
                self.dropped.push(Dropped::block(&origin.base, &address, Why::TakenForEmpty));
            }
            Subject::Provider(_)
            | Subject::Output(_)
            | Subject::Lifecycle(_)
            | Subject::Fixed
            | Subject::Free
            | Subject::Deep => {}
        }
        merged
    }

    /// Whether it matters to anybody that a provider block is taken for an empty one: to who calls the module, or where
    /// the configuration is passed on that nothing else declares.
    fn matters(&self, provider: &ProviderConfiguration) -> bool {
        let passed = self.module.calls.values().flat_map(|call| &call.providers);
        let is_passed_on =
            passed.map(|passed| passed.in_parent.compact()).any(|name| name == provider.compact());
        let is_declared = self.module.required_providers.contains_key(&provider.name);
        !provider.config.is_empty() && (self.around.is_called || (is_passed_on && !is_declared))
    }

    /// Takes `for_each` away where `count` comes from another block.
    fn one_repetition(&mut self, merged: &mut MergedBlock, origin: &Origin, address: &str) {
        let position = |name: &str| merged.arguments.iter().position(|argument| argument.counts.name == name);
        let (Some(count), Some(for_each)) = (position("count"), position("for_each")) else { return };
        let block = |at: usize| origin.number_at(merged.arguments[at].counts.span);
        if block(count) != block(for_each) {
            let argument = merged.arguments.remove(for_each);
            self.drop(&argument.counts, address, Why::CountWins);
        }
    }

    /// Takes away what the engine drops from a call once that is merged.
    fn unknown_variables(&mut self, merged: &mut MergedBlock, called: &Module, address: &str) {
        let (known, unknown): (Vec<_>, Vec<_>) =
            std::mem::take(&mut merged.arguments).into_iter().partition(|argument| {
                let name = &argument.counts.name;
                counts::is_of_call(name, self.module) || called.variables.contains_key(name)
            });
        merged.arguments = known;
        for argument in unknown {
            self.drop(&argument.counts, address, Why::UnknownVariable);
        }
    }

    /// A `locals` block of a primary file.
    fn locals(&mut self, block: &Arc<Block>) -> MergedBlock {
        let arguments = block.body.just_attributes(&mut Vec::new());
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
        let arguments = arguments.into_iter().map(argument).collect();
        MergedBlock { block: Arc::clone(block), arguments, blocks: Vec::new() }
    }

    /// A block at the top of an override file: what no primary file has of it.
    fn over(&mut self, block: &Arc<Block>) -> Option<MergedBlock> {
        let body = block.body.span();
        if self.used.contains(&body) {
            return None;
        }
        if let Some((subject, origin)) = self.declared.get(&body).copied() {
            return Some(self.declaration(subject, origin, Place::top(block)));
        }
        let ignored = self.ignored.contains(&body);
        let why = match block.kind.as_str() {
            "terraform" => return self.settings.take(block),
            "locals" => {
                self.locals_without_base(block);
                return None;
            }
            _ if ignored => Why::Ignored,
            "moved" | "import" | "check" | "removed" | "language" | "required_providers" => Why::Refused,
            _ => Why::NoBase,
        };
        let address = block_address(block);
        self.dropped.push(Dropped { what: address.clone(), ..Dropped::block(block, &address, why) });
        None
    }

    fn locals_without_base(&mut self, block: &Block) {
        for attribute in block.body.just_attributes(&mut Vec::new()) {
            let local = self.module.locals.get(&attribute.name);
            let counts = local.is_some_and(|local| {
                std::iter::once(&local.attribute)
                    .chain(&local.superseded)
                    .any(|known| known.span == attribute.span)
            });
            if !counts {
                self.drop(&attribute, &format!("local.{}", attribute.name), Why::NoBase);
            }
        }
    }

    fn drop(&mut self, attribute: &Attribute, address: &str, why: Why) {
        self.dropped.push(Dropped::argument(attribute, address, why));
    }
}

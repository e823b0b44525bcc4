//! Turns the `terraform` blocks of a module into what each of them is left with: their settings are merged one by one,
//! in whichever of the blocks they stand.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use smol_str::SmolStr;

use crate::engine::{FileKind, RequiredVersion};
use crate::module::declaration::{RequiredProvider, Storage, VersionConstraint};
use crate::module::merged::counts::Subject;
use crate::module::merged::layers::Layers;
use crate::module::merged::parts::Place;
use crate::module::merged::{Argument, Dropped, MergedBlock, Nested, Replacing, Why, whole};
use crate::module::{Module, ModuleFile, top_blocks};
use crate::syntax::{Attribute, Block};
use crate::text::Span;

/// Where the state is kept.
const STORAGE: &[&str] = &["backend", "cloud"];

/// The `terraform` blocks with what counts in each; of override files only those with something that has no place in
/// a primary file.
#[derive(Debug, Default)]
pub(super) struct Settings(HashMap<Span, MergedBlock>);

impl Settings {
    pub(super) fn of(module: &Module, files: &[ModuleFile<'_>], dropped: &mut Vec<Dropped>) -> Self {
        let [base, over] = [FileKind::Primary, FileKind::Override].map(|kind| blocks(module, files, kind));
        let mut sharing = Sharing { module, base, over, dropped };
        sharing.versions();
        sharing.other_arguments();
        sharing.providers();
        sharing.storage();
        sharing.encryption();
        sharing.other_blocks();
        sharing.over.retain(|block| !block.arguments.is_empty() || !block.blocks.is_empty());
        let all = sharing.base.into_iter().chain(sharing.over);
        Self(all.map(|block| (block.block.body.span(), block)).collect())
    }

    /// What is left of a block, if anything is.
    pub(super) fn take(&mut self, block: &Block) -> Option<MergedBlock> {
        self.0.remove(&block.body.span())
    }
}

fn blocks(module: &Module, files: &[ModuleFile<'_>], kind: FileKind) -> Vec<MergedBlock> {
    let files = files.iter().filter(|file| file.kind == kind);
    let all = files.flat_map(|file| top_blocks(file.body, &module.features));
    all.filter(|block| block.kind == "terraform").map(|block| whole(&block, Place::top(&block))).collect()
}

/// The blocks of both kinds of files, while settings go from one to the other. What has a place in none of primary
/// files goes to the first `terraform` block there, and stays where it is only where there is none.
struct Sharing<'a, 'm> {
    module: &'m Module,
    base: Vec<MergedBlock>,
    over: Vec<MergedBlock>,
    dropped: &'a mut Vec<Dropped>,
}

impl Sharing<'_, '_> {
    fn versions(&mut self) {
        let every_file = match self.module.features.required_version {
            RequiredVersion::EveryFile => true,
            RequiredVersion::TofuFiles => false,
        };
        let spans = |list: &[VersionConstraint]| -> HashSet<Span> {
            list.iter().map(|version| version.span).collect()
        };
        let now = spans(&self.module.required_versions);
        let earlier = spans(&self.module.overridden_versions);
        let (mut counted, mut before) = (Vec::new(), Vec::new());
        for (number, block) in self.over.iter_mut().enumerate() {
            let Some(at) = position(block, "required_version") else { continue };
            let attribute = &block.arguments[at].counts;
            if now.contains(&attribute.span) {
                if every_file {
                    counted.push((number, block.arguments.remove(at).counts));
                }
                continue;
            }
            let argument = block.arguments.remove(at).counts;
            if earlier.contains(&argument.span) {
                before.push(argument);
            } else {
                let why = if every_file { Why::Refused } else { Why::Ignored };
                self.dropped.push(Dropped::argument(&argument, "terraform", why));
            }
        }
        let mut counted = counted.into_iter();
        let Some((number, first)) = counted.next() else { return };
        let mut places = Vec::new();
        for (number, block) in self.base.iter().enumerate() {
            places.extend(position(block, "required_version").map(|at| (number, at)));
        }
        let span = first.span;
        let mut first = Argument { counts: first, before, meaning: None };
        match places.split_first() {
            Some((&(block, at), others)) => {
                for &(block, at) in others {
                    let lost = self.base[block].arguments.remove(at).counts;
                    self.dropped.push(Dropped::argument(&lost, "terraform", Why::Replaced(span)));
                }
                let argument = &mut self.base[block].arguments[at];
                first.before.insert(0, Arc::clone(&argument.counts));
                *argument = first;
            }
            None => match self.base.first_mut() {
                Some(host) => host.arguments.push(first),
                None => self.over[number].arguments.insert(0, first),
            },
        }
        for (number, attribute) in counted {
            self.over[number].arguments.insert(0, Argument::alone(attribute));
        }
    }

    fn other_arguments(&mut self) {
        for block in &mut self.over {
            for argument in
                block.arguments.extract_if(.., |argument| argument.counts.name != "required_version")
            {
                let known = ["experiments", "language"].contains(&argument.counts.name.as_str());
                let why = if known { Why::Ignored } else { Why::Refused };
                self.dropped.push(Dropped::argument(&argument.counts, "terraform", why));
            }
        }
    }

    fn providers(&mut self) {
        let (mut counted, mut first): (Vec<Argument>, Option<(usize, MergedBlock)>) = (Vec::new(), None);
        let mut before: Vec<Arc<Attribute>> = Vec::new();
        for (number, block) in self.over.iter_mut().enumerate() {
            for nested in block.blocks.extract_if(.., |nested| is_of_kind(nested, &["required_providers"])) {
                let mut block = nested.block;
                for argument in std::mem::take(&mut block.arguments) {
                    let entry = self.module.required_providers.get(&argument.counts.name);
                    match entry.and_then(|entry| generation(entry, &argument.counts)) {
                        Some(0) => counted.push(argument),
                        Some(_) => before.push(argument.counts),
                        // It could not be read.
                        None => {
                            self.dropped.push(Dropped::argument(&argument.counts, "terraform", Why::Refused));
                        }
                    }
                }
                first.get_or_insert((number, block));
            }
        }
        let mut by_name: HashMap<SmolStr, Vec<Arc<Attribute>>> = HashMap::new();
        for earlier in before {
            by_name.entry(earlier.name.clone()).or_default().push(earlier);
        }
        for argument in &mut counted {
            argument.before.extend(by_name.remove(&argument.counts.name).unwrap_or_default());
        }
        let home = self.module.required_providers_block.as_ref().map(|block| block.body.span());
        let all = self.base.iter_mut().flat_map(|block| &mut block.blocks);
        let home = all.map(|nested| &mut nested.block).find(|block| Some(block.block.body.span()) == home);
        match (home, first) {
            (Some(home), _) => put(counted, home),
            (None, Some((number, block))) if !counted.is_empty() => {
                let block = MergedBlock { arguments: counted, ..block };
                self.settle(number, Nested::alone(block));
            }
            (None, _) => {}
        }
    }

    fn storage(&mut self) {
        let Some(counts) = self.module.cloud.as_ref().or(self.module.backend.as_ref()) else { return };
        let mut effective: Option<(usize, MergedBlock)> = None;
        for (number, block) in self.over.iter_mut().enumerate() {
            for nested in block.blocks.extract_if(.., |nested| is_of_kind(nested, STORAGE)) {
                let block = nested.block;
                if block.block.body.span() == counts.block.body.span() {
                    effective = Some((number, block));
                    continue;
                }
                let was = earlier(counts).any(|storage| storage.block.body.span() == block.block.body.span());
                let why = if was { Why::Replaced(counts.block.header) } else { Why::Refused };
                self.dropped.push(Dropped::block(&block.block, "terraform", why));
            }
        }
        let Some((number, effective)) = effective else { return };
        let by = Replacing::of(&[&counts.block]);
        let mut replaces = Vec::new();
        let mut place: Option<(usize, usize)> = None;
        for (block, at) in self.base.iter_mut().zip(0..) {
            let position = block.blocks.iter().position(|nested| is_of_kind(nested, STORAGE));
            place = place.or(position.map(|position| (at, position)));
            for nested in block.blocks.extract_if(.., |nested| is_of_kind(nested, STORAGE)) {
                self.dropped.push(Dropped::replaced(&nested.block.block, "terraform", &by));
                replaces.push(nested.block.block);
            }
        }
        match place {
            Some((block, at)) => self.base[block].blocks.insert(at, Nested { block: effective, replaces }),
            None => self.settle(number, Nested::alone(effective)),
        }
    }

    /// `encryption` is merged deeply: that of an override file changes single settings.
    fn encryption(&mut self) {
        if !self.module.features.grammar.encryption {
            return;
        }
        let mut layers: Vec<Arc<Block>> = Vec::new();
        let mut files = Vec::new();
        let mut owner = 0;
        for (number, block) in self.over.iter_mut().enumerate() {
            for nested in block.blocks.extract_if(.., |nested| is_of_kind(nested, &["encryption"])) {
                let block = nested.block.block;
                if files.contains(&block.header.file) {
                    self.dropped.push(Dropped::block(&block, "terraform", Why::Refused));
                    continue;
                }
                owner = if layers.is_empty() { number } else { owner };
                files.push(block.header.file);
                layers.push(block);
            }
        }
        if layers.is_empty() {
            return;
        }
        let base = self
            .base
            .iter_mut()
            .flat_map(|block| &mut block.blocks)
            .find(|nested| is_of_kind(nested, &["encryption"]));
        layers.splice(0..0, base.iter().map(|nested| Arc::clone(&nested.block.block)));
        let place = Place::of_kind("encryption");
        let merged = Layers::new(self.module, &layers[0], "terraform", self.dropped).merge(
            &layers,
            place,
            Subject::Deep,
        );
        match base {
            Some(base) => base.block = merged,
            None => self.settle(owner, Nested::alone(merged)),
        }
    }

    /// What no other function has taken out of an override file.
    fn other_blocks(&mut self) {
        let settled = ["backend", "cloud", "required_providers", "encryption"];
        for block in &mut self.over {
            for nested in block.blocks.extract_if(.., |nested| !is_of_kind(nested, &settled)) {
                let block = nested.block.block;
                let why = if block.kind == "provider_meta" { Why::Ignored } else { Why::Refused };
                self.dropped.push(Dropped::block(&block, "terraform", why));
            }
        }
    }

    /// Finds a place for a block of the override block with that number, which no primary file has a like of.
    fn settle(&mut self, number: usize, nested: Nested) {
        let block = self.base.first_mut().unwrap_or(&mut self.over[number]);
        block.blocks.push(nested);
    }
}

fn position(block: &MergedBlock, name: &str) -> Option<usize> {
    block.arguments.iter().position(|argument| argument.counts.name == name)
}

fn is_of_kind(nested: &Nested, kinds: &[&str]) -> bool {
    kinds.contains(&nested.block.block.kind.as_str())
}

/// How many other entries have replaced this one of an override file; none where it is among them nowhere.
fn generation(entry: &RequiredProvider, attribute: &Attribute) -> Option<usize> {
    let mut entries = std::iter::successors(Some(entry), |entry| entry.replaced.as_deref());
    entries.position(|entry| entry.span == attribute.span)
}

/// What a storage has replaced.
fn earlier(storage: &Storage) -> impl Iterator<Item = &Storage> {
    std::iter::successors(storage.replaced.as_deref(), |storage| storage.replaced.as_deref())
}

/// Puts each entry in the place of the one that it replaces, else behind all others.
fn put(arguments: Vec<Argument>, block: &mut MergedBlock) {
    let places = block.arguments.iter().map(|argument| argument.counts.name.clone()).zip(0..);
    let places: HashMap<SmolStr, usize> = places.collect();
    for mut argument in arguments {
        match places.get(&argument.counts.name) {
            Some(at) => {
                argument.before.insert(0, Arc::clone(&block.arguments[*at].counts));
                block.arguments[*at] = argument;
            }
            None => block.arguments.push(argument),
        }
    }
}

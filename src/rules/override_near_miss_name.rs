#![doc = include_str!("../../policies/rules/override-near-miss-name.md")]

mod names;

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use self::names::right_name;
use super::support::edits::listed;
use super::{Context, Node, Page, Rule, page};
use crate::engine::{FileKind, meant_override_file};
use crate::finding::{Concern, Finding};
use crate::limits::Limits;
use crate::module::address::block_address;
use crate::module::{Module, top_blocks};
use crate::syntax::{self, Attribute, Block, Notation};
use crate::text::{FileId, Span};
use crate::vfs::last_name;

pub(super) struct OverrideNearMissName;

impl Rule for OverrideNearMissName {
    const PAGE: Page = page!("override-near-miss-name");

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        let Some(directory) = context.directory(&module.directory) else { return };
        let files = directory.module_files(module.features.engine).into_iter();
        let primary = files.filter(|(_, loaded)| loaded.kind == FileKind::Primary);
        let primary: Vec<(&str, FileId)> =
            primary.filter_map(|(file, _)| Some((file.name.as_str(), file.id?))).collect();
        let misnamed = &directory.misnamed;
        // Few modules have such a file, so the detailed check is rare.
        if misnamed.is_empty() && primary.iter().all(|(name, _)| right_name(name).is_none()) {
            return;
        }
        let mut near: Vec<_> = misnamed.iter().filter_map(|id| not_loaded(*id, module, context)).collect();
        let mut declared: BTreeMap<String, Span> = BTreeMap::new();
        for (name, id) in primary {
            let Some(file) = context.file(id) else { continue };
            let blocks = top_blocks(&file.body, &module.features);
            match right_name(name) {
                Some(right) => near.push(NearMiss { name, right, blocks, is_loaded: true }),
                None => declared.extend(blocks.iter().flat_map(|block| declarations(block))),
            }
        }
        let names = LazyCell::new(|| context.names(&module.directory).files);
        for NearMiss { name, right, blocks, is_loaded } in near {
            let Some(evidence) = blocks.iter().find_map(|block| evidence(block, &declared)) else { continue };
            let detail = if is_loaded {
                format!(
                    "The name of an override file, without its extension, is `override` or ends in `_override`. \
                     Terraform and OpenTofu load `{name}` like any other file.",
                )
            } else {
                format!(
                    "Terraform and OpenTofu ignore `{name}`: a module file in JSON syntax has a name that ends in \
                     `.tf.json`.",
                )
            };
            let finding = Self::finding("File is not an override file")
                .detail(detail)
                .at(evidence.at)
                .help(help(&right, &blocks, &declared, names.contains(&right)))
                .concerns(Concern::File(name.into()));
            findings.push(finding.related(evidence.base, "also declared here"));
        }
    }
}

/// The help for turning a file with these blocks into an override file, and for those that override nothing.
fn help(right: &str, blocks: &[Arc<Block>], declared: &BTreeMap<String, Span>, is_taken: bool) -> String {
    let (mut incomplete, mut new) = (Vec::new(), Vec::new());
    for block in blocks {
        let addresses = declarations(block).into_iter().map(|(address, _)| address);
        let addresses: Vec<String> = addresses.filter(|address| !declared.contains_key(address)).collect();
        if lacks_what_a_base_has(block) {
            incomplete.extend(addresses);
        } else if NEVER_MERGED.contains(&block.kind.as_str()) {
            new.push(block.kind.to_string());
        } else {
            new.extend(addresses);
        }
    }
    let listed = |names: &[String]| listed(names.iter().map(String::as_str));
    let mut help = if is_taken {
        format!("move the blocks that override something into `{right}`")
    } else {
        format!("rename the file to `{right}`")
    };
    if !new.is_empty() {
        let new = listed(&new);
        help = format!("{help}, and move {new} into a base file");
    }
    if !incomplete.is_empty() {
        let incomplete = listed(&incomplete);
        help = format!("{help}, and declare {incomplete} in a base file");
    }
    help
}

/// Blocks that are not valid in an override file.
const NEVER_MERGED: [&str; 4] = ["moved", "removed", "import", "check"];

/// A file that looks like an override file.
struct NearMiss<'n> {
    name: &'n str,
    /// The name that makes it one.
    right: String,
    blocks: Vec<Arc<Block>>,
    /// Whether Terraform and OpenTofu load it.
    is_loaded: bool,
}

/// A JSON file whose name only lacks `.tf`, if it contains nothing but module blocks.
fn not_loaded<'n>(id: FileId, module: &Module, context: &Context<'n>) -> Option<NearMiss<'n>> {
    let source = context.sources().get(id);
    let name = last_name(source.name());
    let (file, mistakes) = syntax::parse(id, source, Notation::Json, &Limits::default());
    let blocks = top_blocks(&file.body, &module.features);
    let mut others = Vec::new();
    let properties = file.body.just_attributes(&mut others);
    let kinds: BTreeSet<&str> = blocks.iter().map(|block| block.kind.as_str()).collect();
    let is_block = |property: &Arc<Attribute>| kinds.contains(property.name.as_str());
    let is_module = mistakes.is_empty() && properties.iter().all(is_block);
    is_module.then_some(NearMiss { name, right: meant_override_file(name)?, blocks, is_loaded: false })
}

/// A declaration that is meaningful only in an override file.
struct Evidence {
    at: Span,
    /// The declaration in another file, if there is one.
    base: Option<Span>,
}

/// The first declaration of a block that another file has too, or that lacks a required part of a base block.
fn evidence(block: &Block, declared: &BTreeMap<String, Span>) -> Option<Evidence> {
    let again = declarations(block).into_iter().find_map(|(address, at)| {
        let base = *declared.get(&address)?;
        Some(Evidence { at, base: Some(base) })
    });
    again.or_else(|| lacks_what_a_base_has(block).then_some(Evidence { at: block.header, base: None }))
}

fn lacks_what_a_base_has(block: &Block) -> bool {
    match block.kind.as_str() {
        "module" => block.attribute("source").is_none(),
        "output" => block.attribute("value").is_none(),
        _ => false,
    }
}

/// The unique declarations of a block, by address.
fn declarations(block: &Block) -> Vec<(String, Span)> {
    match block.kind.as_str() {
        "locals" => {
            let locals = block.body.just_attributes(&mut Vec::new());
            locals.iter().map(|local| (format!("local.{}", local.name), local.name_span)).collect()
        }
        "terraform" => {
            let storage = block.blocks("backend", &["type"]).into_iter().chain(block.blocks("cloud", &[]));
            storage.map(|storage| ("terraform.backend".to_owned(), storage.header)).collect()
        }
        // Each configuration has its own block.
        "provider" => Vec::new(),
        _ if block.labels.is_empty() => Vec::new(),
        _ => vec![(block_address(block), block.header)],
    }
}

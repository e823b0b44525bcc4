#![doc = include_str!("../../policies/rules/override-near-miss-name.md")]

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Context, Rule};
use crate::engine::FileKind;
use crate::finding::{Concern, Finding};
use crate::module::address::block_address;
use crate::module::top_blocks;
use crate::policy::Options;
use crate::syntax::Block;
use crate::text::Span;
use crate::tree::Node;

pub(super) struct OverrideNearMissName;

impl Rule for OverrideNearMissName {
    const ID: &'static str = "override-near-miss-name";

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        let files = context.module_files(module);
        let primary: Vec<_> = files
            .into_iter()
            .filter(|(_, loaded)| loaded.kind == FileKind::Primary)
            .map(|(id, _)| id)
            .collect();
        let name = |id| context.file_name(module, id);
        // Hardly any module has one, and nothing else has to be known of the others.
        if primary.iter().all(|id| right_name(name(*id)).is_none()) {
            return;
        }
        let mut near = Vec::new();
        let mut declared: BTreeMap<String, Span> = BTreeMap::new();
        for id in primary {
            let Some(file) = context.file(id) else { continue };
            let blocks = top_blocks(&file.body, &module.features);
            match right_name(name(id)) {
                Some(right) => near.push((name(id), right, blocks)),
                None => declared.extend(blocks.iter().map(|block| (block_address(block), block.header))),
            }
        }
        for (name, right, blocks) in near {
            let Some((block, base)) = reads_like_override(&blocks, &declared) else { continue };
            let finding = Self::finding("File is no override file, though it reads like one")
                .detail(format!(
                    "An override file is called `override`, or its name ends in `_override`, before the extension and to \
                     the letter. `{name}` is read like any other file.",
                ))
                .at(block.header)
                .help(format!("rename the file to `{right}`"))
                .concerns(Concern::File(name.into()));
            findings.push(match base {
                Some(base) => finding.related(base, "declared here already"),
                None => finding,
            });
        }
    }
}

/// The first block that is declared elsewhere too, or that would be enough in an override file only.
fn reads_like_override<'b>(
    blocks: &'b [Arc<Block>],
    declared: &BTreeMap<String, Span>,
) -> Option<(&'b Block, Option<Span>)> {
    let named = blocks.iter().filter(|block| !block.labels.is_empty() && block.kind != "provider");
    named.into_iter().find_map(|block| {
        let base = declared.get(&block_address(block)).copied();
        let lacks = match block.kind.as_str() {
            "module" => block.attribute("source").is_none(),
            "output" => block.attribute("value").is_none(),
            _ => false,
        };
        (base.is_some() || lacks).then_some((&**block, base))
    })
}

/// The name that a file would need to be what it seems to be, if it seems to be an override file.
fn right_name(name: &str) -> Option<String> {
    let (stem, extension) = name.split_once('.')?;
    let is_override = |word: &str| ["override", "overrides"].iter().any(|it| word.eq_ignore_ascii_case(it));
    let words: Vec<&str> = stem.split(['-', '_']).collect();
    let (first, last) = (words.first()?, words.last()?);
    let rest = if is_override(last) {
        &words[..words.len() - 1]
    } else if is_override(first) {
        &words[1..]
    } else {
        return None;
    };
    let stem: Vec<&str> = rest.iter().copied().chain(["override"]).collect();
    Some(format!("{}.{extension}", stem.join("_")))
}

//! Derives what a finding concerns from the names around its primary range, if the finding does not say so.

use std::sync::Arc;

use hashbrown::HashMap;
use smol_str::{SmolStr, ToSmolStr};

use crate::engine::{Engine, Product};
use crate::finding::{Concern, Finding, address_text};
use crate::module::address::block_address;
use crate::module::top_blocks;
use crate::syntax::{Block, File};
use crate::text::{FileId, Sources, Span};
use crate::vfs::{last_name, parent};

/// The top-level blocks of a file with their ranges, in the order of the file.
type Blocks = Vec<(Span, Arc<Block>)>;

/// Sets what each finding concerns: the block and the argument around its primary range. A finding without an address
/// gets the address of that block. `files` are the parsed files.
pub(in crate::check) fn state<'f>(
    findings: impl Iterator<Item = &'f mut Finding>,
    files: &HashMap<FileId, File>,
) {
    let mut by_file: HashMap<FileId, Blocks> = HashMap::new();
    for finding in findings.filter(|finding| finding.concern == Concern::Unstated) {
        let Some(at) = finding.primary else { continue };
        let Some(file) = files.get(&at.file) else { continue };
        let blocks = by_file.entry(at.file).or_insert_with(|| blocks(file));
        let before = blocks.partition_point(|(span, _)| span.start <= at.start);
        let Some((_, block)) = blocks[..before].last().filter(|(span, _)| at.start < span.end) else {
            continue;
        };
        if finding.address.is_empty() {
            finding.address = address_text(block_address(block));
        }
        let path = block.body.path_to(at.start);
        finding.concern =
            if path.is_empty() { Concern::Whole } else { Concern::Argument(path.join(".").into()) };
    }
}

fn blocks(file: &File) -> Blocks {
    let features = Engine::newest(Product::Terraform).features();
    let is_json = file.body.is_json();
    let whole = |block: &Arc<Block>| {
        // In JSON, several blocks are in one property.
        if is_json { block.body.span() } else { block.kind_span.to(block.body.span()) }
    };
    let mut blocks: Blocks =
        top_blocks(&file.body, &features).into_iter().map(|block| (whole(&block), block)).collect();
    blocks.sort_by_key(|(span, _)| *span);
    blocks
}

/// The file that a finding concerns if it names neither a block nor anything else: its name in the module directory, or
/// its path outside.
pub(in crate::check) fn file(finding: &Finding, module: &str, sources: &Sources) -> Option<SmolStr> {
    if !finding.address.is_empty() || finding.concern != Concern::Unstated {
        return None;
    }
    let path = match (finding.primary, &finding.file) {
        (Some(at), _) => sources.get(at.file).name(),
        (None, Some(file)) => file,
        (None, None) => return None,
    };
    let is_inside = parent(path).unwrap_or_default() == module;
    Some(if is_inside { last_name(path).to_smolstr() } else { path.to_smolstr() })
}

//! Turns findings that do not state what they concern into findings that do, by the names around their primary range.

use std::collections::HashMap;
use std::sync::Arc;

use smol_str::{SmolStr, ToSmolStr};

use crate::engine::{Engine, Product};
use crate::finding::{Concern, Finding};
use crate::module::address::block_address;
use crate::module::top_blocks;
use crate::syntax::{Block, File};
use crate::text::{FileId, Sources, Span};
use crate::vfs::{last_name, parent};

/// The blocks at the top of a file, each with the range of all that belongs to it, in the order of the source.
type Blocks = Vec<(Span, Arc<Block>)>;

/// States what findings concern by the block and the argument around their primary range; a finding that names no block
/// gets the address of that one. `files` holds the files that were parsed.
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
            finding.address = block_address(block);
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
        // In JSON, several blocks share one property.
        if is_json { block.body.span() } else { block.kind_span.to(block.body.span()) }
    };
    let mut blocks: Blocks =
        top_blocks(&file.body, &features).into_iter().map(|block| (whole(&block), block)).collect();
    blocks.sort_by_key(|(span, _)| *span);
    blocks
}

/// The file that a finding concerns if it names neither a block nor anything else: by its name within the module
/// directory, or by its path if it lies elsewhere.
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

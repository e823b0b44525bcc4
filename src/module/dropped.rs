//! Arguments and blocks that merging drops, and the reasons.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::module::address::block_address;
use crate::syntax::{Attribute, Block};
use crate::text::Span;

/// An argument or block in a file of a module that is not part of the merged module.
#[derive(Debug, Clone)]
pub struct Dropped {
    /// The argument, or the header of the block.
    pub span: Span,
    /// The name of the argument, or the block type with labels.
    pub what: String,
    /// The block, if it is one.
    pub block: Option<Arc<Block>>,
    /// The address of the enclosing block. For a top-level block, its own address.
    pub address: String,
    /// The reason.
    pub why: Why,
    /// The span that replaces it, or stays in effect instead.
    pub by: Option<Span>,
    /// The arguments and nested blocks of a replaced block that its replacements do not have.
    pub lost: Vec<SmolStr>,
}

/// Why an argument or block is not part of the merged module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// An override replaced it.
    Replaced,
    /// It is in an override file, and the engine decodes but does not merge it.
    Ignored,
    /// It is empty, and an empty value does not replace anything.
    Empty,
    /// It is a list in `ignore_changes`, which does not replace `all`.
    AllStays,
    /// It is `false`, which does not replace the `true` of `enforced`.
    TrueStays,
    /// The engine reports an error about it.
    Refused,
    /// No base file has the declaration that it overrides.
    NoBase,
    /// It is `for_each`, and another block sets `count`, which takes precedence.
    CountWins,
    /// The child module does not declare this variable. The engine does not report that for a call with an override.
    UnknownVariable,
    /// Not dropped, but without effect on callers of the module: the engine treats a provider block with an override
    /// as empty.
    TakenForEmpty,
    /// Its name in JSON is not an identifier.
    NotAName,
}

impl Dropped {
    /// An argument of the block with this address.
    pub(super) fn argument(attribute: &Attribute, address: &str, why: Why) -> Self {
        Self::part(attribute.span, attribute.name.to_string(), address, why)
    }

    /// A block in the block with this address.
    pub(super) fn block(block: &Arc<Block>, address: &str, why: Why) -> Self {
        Self { block: Some(Arc::clone(block)), ..Self::part(block.header, header(block), address, why) }
    }

    /// A part of the block with this address.
    pub(super) fn part(span: Span, what: String, address: &str, why: Why) -> Self {
        Self { span, what, block: None, address: address.to_owned(), why, by: None, lost: Vec::new() }
    }

    /// A top-level block.
    pub(super) fn top_block(block: &Arc<Block>, why: Why) -> Self {
        let address = block_address(block);
        Self { what: address.clone(), ..Self::block(block, &address, why) }
    }

    /// Sets the span that replaces it, or stays in effect instead.
    #[must_use]
    pub(super) fn by(self, by: Option<Span>) -> Self {
        Self { by, ..self }
    }
}

/// Block type and labels: `provisioner "local-exec"`.
pub(super) fn header(block: &Block) -> String {
    let labels = block.labels.iter().map(|label| format!(" {:?}", label.text.as_str()));
    std::iter::once(block.kind.to_string()).chain(labels).collect()
}

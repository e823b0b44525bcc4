//! The `context` of a snippet: the header of the block around a location.

use hashbrown::HashMap;

use crate::limits::Limits;
use crate::syntax::{self, Body, Notation};
use crate::text::{FileId, Source, Span};

/// The files with findings, parsed again: the parse cache no longer has them, and only a few files have findings.
#[derive(Debug, Default)]
pub(super) struct Contexts(HashMap<FileId, Body>);

impl Contexts {
    /// The block around the byte before `span`, as the engines determine it. The header of a block is not in the block.
    pub(super) fn of(&mut self, span: Span, source: &Source) -> Option<String> {
        let before = span.start.checked_sub(1)?;
        let body = self.0.entry(span.file).or_insert_with(|| {
            syntax::parse(span.file, source, Notation::of(source.name()), &Limits::default()).0.body
        });
        body.context(before)
    }
}

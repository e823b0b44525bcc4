//! Turns a place into the name of the block around it, which the engines put beside its lines.

use std::collections::HashMap;

use crate::limits::Limits;
use crate::syntax::{self, Body, Notation};
use crate::text::{FileId, Source, Span};

/// The files that hold findings, read again: a report comes after the trees are gone, and few files are in it.
#[derive(Debug, Default)]
pub(super) struct Contexts(HashMap<FileId, Body>);

impl Contexts {
    /// The block around the byte before `span`: so the engines ask, and so the header of a block is not within it.
    pub(super) fn of(&mut self, span: Span, source: &Source) -> Option<String> {
        let before = span.start.checked_sub(1)?;
        let body = self.0.entry(span.file).or_insert_with(|| {
            syntax::parse(span.file, source, Notation::of(source.name()), &Limits::default()).0.body
        });
        body.context(before)
    }
}

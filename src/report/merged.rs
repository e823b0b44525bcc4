//! Merged modules: as text with the layout and comments of the base files and the origin of overridden parts, as a
//! diff, or as a document for programs.

mod block;
mod diff;
mod document;
mod edit;
mod expression;
mod note;

use std::cell::RefCell;

use crate::engine::FileKind;
use crate::module::Module;
use crate::module::dropped::Dropped;
use crate::module::merged::{Merged, MergedBlock, MergedFile};
use crate::report::{PathStyle, one_line};
use crate::syntax::{aligned, with_carriage_returns};
use crate::text::{FileId, Sources};
use edit::{Edit, apply};
use hashbrown::HashMap;

/// How to show a merged module.
#[derive(Debug, Clone)]
pub struct MergeStyle {
    /// Whether to add comments with origins and dropped parts.
    pub comments: bool,
    /// Whether colors are allowed.
    pub color: bool,
    /// Whether characters outside ASCII are allowed.
    pub unicode: bool,
    /// The address of the only block to show.
    pub only: Option<String>,
    /// How paths are shown.
    pub names: PathStyle,
}

/// Returns the text of a merged module.
pub fn text(module: &Module, merged: &Merged, sources: &Sources, style: &MergeStyle) -> String {
    let writer = Writer::new(module, merged, sources, style);
    let mut text = String::new();
    let mut add = |part: Part| {
        if !text.is_empty() && !part.lines.is_empty() {
            text.push('\n');
        }
        text.push_str(&part.paint(style));
    };
    for file in &merged.files {
        let mut part = writer.file(file);
        if style.comments && !part.lines.is_empty() {
            part.lines.insert(0, Line::note(format!("# {}", one_line(&file.name))));
            part.lines.insert(1, Line::default());
        }
        add(part);
    }
    if style.comments {
        add(writer.left_out());
    }
    text
}

/// Returns the difference between base and merged module, by file, as `diff -u` prints it. Empty without a difference.
pub fn difference(module: &Module, merged: &Merged, sources: &Sources, style: &MergeStyle) -> String {
    let writer = Writer::new(module, merged, sources, style);
    merged.files.iter().map(|file| writer.difference(file)).collect()
}

/// Returns all arguments with their origins and previous values, as a JSON document.
pub fn document(module: &Module, merged: &Merged, sources: &Sources, style: &MergeStyle) -> String {
    let style = MergeStyle { comments: false, ..style.clone() };
    let writer = Writer::new(module, merged, sources, &style);
    crate::report::escape::to_string(&document::Document::of(&writer))
}

/// The addresses of blocks that can be shown.
pub fn addresses(merged: &Merged) -> Vec<String> {
    let blocks = merged.files.iter().flat_map(|file| &file.blocks);
    let mut addresses: Vec<String> = blocks.flat_map(addresses_of).collect();
    addresses.dedup();
    addresses
}

fn addresses_of(block: &MergedBlock) -> Vec<String> {
    if block.block.kind != "locals" {
        return vec![block.address()];
    }
    block.arguments.iter().map(|argument| format!("local.{}", argument.counts.name)).collect()
}

/// Markers around our comments in a text, until it is split into lines. Source text never contains them, because its
/// control characters are replaced.
const MARK_START: char = '\u{2}';
const MARK_END: char = '\u{3}';

/// Writes one module.
struct Writer<'a> {
    module: &'a Module,
    merged: &'a Merged,
    sources: &'a Sources,
    style: &'a MergeStyle,
    /// By file: the text with its control characters replaced, if requested.
    stand_ins: RefCell<HashMap<FileId, Vec<Edit>>>,
}

/// The text of one file.
#[derive(Debug, Default)]
struct Part {
    lines: Vec<Line>,
}

/// A line without its line break.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Line {
    text: String,
    /// The start of our comment at its end.
    note: Option<String>,
}

impl<'a> Writer<'a> {
    fn new(module: &'a Module, merged: &'a Merged, sources: &'a Sources, style: &'a MergeStyle) -> Self {
        Self { module, merged, sources, style, stand_ins: RefCell::default() }
    }

    /// The merged content of a file.
    fn file(&self, file: &MergedFile) -> Part {
        if let Some(only) = &self.style.only {
            return self.blocks(file, Some(only));
        }
        if file.kind == FileKind::Override || file.body.is_json() {
            return self.blocks(file, None);
        }
        let id = file.body.span().file;
        let text = self.sources.get(id).text();
        let all = usize::from(text.starts_with('\u{feff}')) * '\u{feff}'.len_utf8()..text.len();
        let mut edits = self.stand_ins(id, &all);
        let before = apply(text, all.clone(), &mut edits.clone());
        file.blocks.iter().for_each(|block| self.edits(block, &mut edits));
        // A file that is not aligned stays so.
        let after = apply(text, all, &mut edits);
        let is_of_windows = text.lines().next().is_some_and(|line| text[line.len()..].starts_with("\r\n"));
        let after = if is_of_windows { with_carriage_returns(&after) } else { after };
        Part::of(&after, aligned(&before) == before)
    }

    /// The blocks of a file, or those with one address, without the text between them.
    fn blocks(&self, file: &MergedFile, only: Option<&str>) -> Part {
        let is_new = file.kind == FileKind::Override;
        let texts = file.blocks.iter().filter_map(|block| self.of_address(block, only, is_new));
        Part::of(&texts.collect::<Vec<_>>().join("\n"), true)
    }

    /// A block, if it has that address or contains it.
    fn of_address(&self, block: &MergedBlock, only: Option<&str>, is_new: bool) -> Option<String> {
        if only.is_some_and(|only| addresses_of(block).iter().all(|address| address != only)) {
            return None;
        }
        if let Some(name) = only.and_then(|only| only.strip_prefix("local.")) {
            let local = block.arguments.iter().find(|argument| argument.counts.name == name)?;
            return Some(format!("locals {{\n{}}}\n", self.argument(local, block, "  ")));
        }
        let text = self.block(block, "");
        Some(if is_new { self.noted(&text, block) } else { text } + "\n")
    }

    /// The parts of files that are not in the merged module, each with the reason.
    fn left_out(&self) -> Part {
        let about = |dropped: &&Dropped| self.style.only.as_ref().is_none_or(|only| dropped.address == *only);
        let mut left_out: Vec<Line> = self
            .merged
            .dropped
            .iter()
            .filter(about)
            .map(|dropped| {
                let what = if dropped.what == dropped.address || dropped.address.is_empty() {
                    format!("`{}`", dropped.what)
                } else {
                    format!("`{}` of {}", dropped.what, dropped.address)
                };
                Line::note(format!(
                    "# - {}: {}: {}",
                    self.place(dropped.span),
                    one_line(&what),
                    self.reason(dropped)
                ))
            })
            .collect();
        if !left_out.is_empty() {
            left_out.insert(0, Line::note("# Left out:".to_owned()));
        }
        Part { lines: left_out }
    }
}

impl Line {
    fn note(text: String) -> Self {
        Self { note: Some(text.clone()), text }
    }
}

impl Part {
    /// Splits a text with marked comments into lines.
    fn of(marked: &str, align: bool) -> Self {
        let mut notes = Vec::new();
        let plain: Vec<String> = marked
            .split_inclusive('\n')
            .map(|line| {
                let note =
                    line.split_once(MARK_START).and_then(|(_, rest)| Some(rest.split_once(MARK_END)?.0));
                notes.push(note.map(str::to_owned));
                line.replace([MARK_START, MARK_END], "")
            })
            .collect();
        let plain = plain.concat();
        let plain = if align { aligned(&plain) } else { plain };
        let lines = plain.split_inclusive('\n').map(|line| line.strip_suffix('\n').unwrap_or(line));
        let lines = lines.zip(notes).map(|(line, note)| Line { text: line.to_owned(), note });
        Self { lines: lines.collect() }
    }

    fn paint(&self, style: &MergeStyle) -> String {
        let line = |line: &Line| match &line.note {
            Some(note) if style.color => {
                let before = line.text.trim_end_matches('\r').strip_suffix(note.as_str());
                format!("{}\u{1b}[36m{note}\u{1b}[0m\n", before.unwrap_or_default())
            }
            Some(_) | None => format!("{}\n", line.text),
        };
        self.lines.iter().map(line).collect()
    }
}

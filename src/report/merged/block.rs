//! Writes merged blocks. Native syntax is edited, so that layout and comments stay; JSON is printed as new blocks.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use smol_str::SmolStr;

use super::edit::{Edit, apply};
use super::expression;
use super::{MARK_END, MARK_START, Writer};
use crate::limits::Limits;
use crate::module::merged::{Argument, Meaning, MergedBlock, Nested, Strings, group};
use crate::report::one_line;
use crate::syntax::{Attribute, Block, quoted, reindented, stand_ins};
use crate::text::lines::{indent as indent_of, line_end, line_start, next_line, whole_lines};
use crate::text::{FileId, Span, is_obeyed};

/// Meta-arguments that usually come first.
const FIRST: &[&str] = &["count", "for_each", "source", "version"];

impl Writer<'_> {
    /// A block, without the text before it on its first line. The other lines are indented by `indent` or more.
    pub(super) fn block(&self, merged: &MergedBlock, indent: &str) -> String {
        let block = &merged.block;
        if block.body.is_json() {
            return self.printed(merged, indent);
        }
        let text = self.sources.get(block.header.file).text();
        let range = block.kind_span.start as usize..block.body.span().end as usize;
        let mut edits = self.stand_ins(block.header.file, &range);
        self.edits(merged, &mut edits);
        let own = indent_of(text, range.start);
        reindented(&apply(text, range, &mut edits), own, indent)
    }

    /// Prints a block.
    fn printed(&self, merged: &MergedBlock, indent: &str) -> String {
        let inner = format!("{indent}  ");
        let block = &merged.block;
        let header = block.labels.iter().map(|label| format!(" {}", quoted(&label.text)));
        let header = format!("{}{}", block.kind, header.collect::<String>());
        let remark = block
            .attribute("//")
            .and_then(|remark| crate::value::text(&remark.expr, &Limits::default(), &mut Vec::new()));
        let remark = remark.iter().flat_map(|remark| remark.lines());
        let remark = remark.map(|line| format!("{inner}# {}\n", one_line(line)));
        let body = remark.chain([self.body(merged, &inner)]).collect::<Vec<_>>().concat();
        if body.is_empty() { format!("{header} {{}}") } else { format!("{header} {{\n{body}{indent}}}") }
    }

    /// Prints arguments and blocks, each line with indentation and line break.
    fn body(&self, merged: &MergedBlock, indent: &str) -> String {
        let mut body = String::new();
        for argument in &merged.arguments {
            body.push_str(&self.argument(argument, merged, indent));
        }
        for nested in &merged.blocks {
            if !body.is_empty() {
                body.push('\n');
            }
            body.push_str(&self.nested(nested, merged, indent));
        }
        body
    }

    /// Prints an argument.
    pub(super) fn argument(&self, argument: &Argument, around: &MergedBlock, indent: &str) -> String {
        let value = self.value_of(argument, &around.block.kind, indent);
        let note = self.of_argument(argument, &around.block.kind, around.holds(argument.counts.span));
        let name = &argument.counts.name;
        match note {
            None => format!("{indent}{name} = {value}\n"),
            Some(note) if value.contains('\n') => {
                format!("{indent}{}\n{indent}{name} = {value}\n", marked(&note))
            }
            Some(note) => format!("{indent}{name} = {value} {}\n", marked(&note)),
        }
    }

    /// Prints a nested block.
    fn nested(&self, nested: &Nested, around: &MergedBlock, indent: &str) -> String {
        let text = self.block(&nested.block, indent);
        let is_own = around.holds(nested.block.block.header);
        let note = self.of_block(&nested.block, &nested.replaces).filter(|_| !is_own);
        format!("{indent}{}\n", note.map_or(text.clone(), |note| with_note(&text, &note, indent)))
    }

    /// Prints a top-level block from an override file.
    pub(super) fn noted(&self, text: &str, block: &MergedBlock) -> String {
        let note = self.of_block(block, &[]);
        note.map_or(text.to_owned(), |note| with_note(text, &note, ""))
    }

    /// The source of an argument's value, as it must be written to keep its meaning.
    pub(super) fn value_of(&self, argument: &Argument, kind: &str, indent: &str) -> String {
        let meaning = match &argument.meaning {
            Some(Meaning::Value(value)) => value.written(),
            Some(Meaning::Type(constraint)) => constraint.written(),
            None => None,
        };
        meaning.unwrap_or_else(|| self.value(&argument.counts, kind, indent))
    }

    /// The source of an argument's value for lines that are indented by `indent`.
    pub(super) fn value(&self, attribute: &Attribute, kind: &str, indent: &str) -> String {
        let span = attribute.expr.span;
        let source = self.sources.get(span.file);
        if source.name().strip_suffix(".json").is_some() {
            let strings = Strings::of(kind, &attribute.name, &self.module.features);
            let text = expression::native(&attribute.expr, strings, indent);
            return apply(&text, 0..text.len(), &mut edits_of(stand_ins(&text)));
        }
        let range = span.start as usize..span.end as usize;
        let own = indent_of(source.text(), attribute.name_span.start as usize);
        reindented(&apply(source.text(), range.clone(), &mut self.stand_ins(span.file, &range)), own, indent)
    }

    /// The edits that turn the source of a native block into the merged block.
    pub(super) fn edits(&self, merged: &MergedBlock, edits: &mut Vec<Edit>) {
        if !merged.is_changed() && !loses(merged) {
            return;
        }
        let block = &merged.block;
        let text = self.sources.get(block.header.file).text();
        let body = block.body.span().range();
        if !text[body.clone()].contains('\n') && self.needs_lines(merged) {
            let outer = indent_of(text, block.kind_span.start as usize);
            let inner = self.body(merged, &format!("{outer}  "));
            edits.push(Edit::new(body.start + 1..body.end - 1, format!("\n{inner}{outer}")));
            return;
        }
        let own_arguments = block.body.just_attributes(&mut Vec::new());
        let own_blocks = block.body.any_blocks();
        let by_name = by_name(merged);
        for own in &own_arguments {
            match by_name.get(&own.name) {
                Some(argument) => self.edit_argument(argument, own, merged, edits),
                None => edits.push(Edit::new(whole_lines(text, own.span.range()), "")),
            }
        }
        let inner =
            own_arguments.iter().map(|own| own.span).chain(own_blocks.iter().map(|own| own.kind_span));
        let inner = inner
            .map(|span| span.start as usize)
            .find(|start| text[line_start(text, *start)..*start].trim().is_empty());
        let inner = match inner {
            Some(start) => indent_of(text, start).to_owned(),
            None => format!("{}  ", indent_of(text, block.kind_span.start as usize)),
        };
        self.new_arguments(merged, &own_arguments, &inner, edits);
        self.edit_blocks(merged, &own_blocks, &inner, edits);
    }

    /// Whether a block on one line must be split into several lines.
    fn needs_lines(&self, merged: &MergedBlock) -> bool {
        let is_new = |argument: &Argument| {
            let is_own = merged.holds(argument.counts.span)
                || argument.before.first().is_some_and(|first| merged.holds(first.span));
            !is_own || self.value_of(argument, &merged.block.kind, "").contains('\n')
        };
        merged.arguments.iter().any(is_new) || !merged.blocks.is_empty()
    }

    fn edit_argument(
        &self,
        argument: &Argument,
        own: &Attribute,
        around: &MergedBlock,
        edits: &mut Vec<Edit>,
    ) {
        let is_own = own.span == argument.counts.span;
        if is_own && argument.meaning.is_none() {
            return;
        }
        let text = self.sources.get(own.span.file).text();
        let Range { start, end } = own.expr.span.range();
        let line = own.name_span.start as usize;
        let indent = indent_of(text, line);
        let value = self.value_of(argument, &around.block.kind, indent);
        let line_end = line_end(text, end);
        let behind = text[end..line_end].trim_start();
        let is_comment = behind.starts_with('#') || behind.starts_with("//");
        // A comment after a value belongs to the value and is replaced with it. No comment can follow the end of a
        // heredoc.
        let drops_comment = is_comment && (!is_own || value.contains("<<"));
        let replaced = start..if drops_comment { line_end } else { end };
        let note = self.of_argument(argument, &around.block.kind, is_own).map(|note| marked(&note));
        if !value.contains('\n') {
            edits.push(Edit::new(replaced, value));
            edits.extend(note.map(|note| Edit::insert(line_end, format!(" {note}"))));
            return;
        }
        edits.push(Edit::new(replaced, value));
        edits.extend(note.map(|note| Edit::insert(line, format!("{note}\n{indent}"))));
    }

    /// Adds new arguments after the existing ones, or before them.
    fn new_arguments(
        &self,
        merged: &MergedBlock,
        own: &[Arc<Attribute>],
        inner: &str,
        edits: &mut Vec<Edit>,
    ) {
        let text = self.sources.get(merged.block.header.file).text();
        let body = merged.block.body.span().range();
        let known: HashSet<&SmolStr> = own.iter().map(|own| &own.name).collect();
        let is_new = |argument: &&Argument| !known.contains(&argument.counts.name);
        let (first, last): (Vec<&Argument>, Vec<&Argument>) = merged
            .arguments
            .iter()
            .filter(is_new)
            .partition(|argument| FIRST.contains(&argument.counts.name.as_str()) && !own.is_empty());
        let top = next_line(text, body.start);
        let lines = |arguments: Vec<&Argument>| -> String {
            arguments.into_iter().map(|argument| self.argument(argument, merged, inner)).collect()
        };
        if !first.is_empty() {
            edits.push(Edit::insert(top, lines(first) + "\n"));
        }
        if last.is_empty() {
            return;
        }
        let lines = lines(last);
        match own.iter().map(|own| own.span.end as usize).max() {
            Some(end) => edits.push(Edit::insert(next_line(text, end), lines)),
            None if merged.block.body.any_blocks().is_empty() => edits.push(Edit::insert(top, lines)),
            None => edits.push(Edit::insert(top, lines + "\n")),
        }
    }

    fn edit_blocks(&self, merged: &MergedBlock, own: &[Arc<Block>], inner: &str, edits: &mut Vec<Edit>) {
        let text = self.sources.get(merged.block.header.file).text();
        let mut twins: HashMap<Span, &Nested> = HashMap::new();
        let mut new: BTreeMap<&str, Vec<&Nested>> = BTreeMap::new();
        for nested in &merged.blocks {
            if merged.holds(nested.block.block.header) {
                twins.insert(nested.block.block.body.span(), nested);
            } else {
                new.entry(group(&merged.block, &nested.block.block)).or_default().push(nested);
            }
        }
        for own in own {
            if let Some(twin) = twins.get(&own.body.span()) {
                self.edits(&twin.block, edits);
                continue;
            }
            let range = own.kind_span.start as usize..own.body.span().end as usize;
            let Some(new) = new.remove(group(&merged.block, own)) else {
                edits.push(Edit::new(whole_lines(text, range), ""));
                continue;
            };
            let blocks: Vec<String> = new.into_iter().map(|new| self.nested(new, merged, inner)).collect();
            let blocks = blocks.join("\n");
            edits.push(Edit::new(range, blocks.trim_start().trim_end_matches('\n')));
        }
        let is_left = |nested: &&Nested| {
            let block = &nested.block.block;
            !merged.holds(block.header) && new.contains_key(group(&merged.block, block))
        };
        let left = merged.blocks.iter().filter(is_left);
        let end = merged.block.body.span().range().end - 1;
        let mut is_first = merged.block.body.just_attributes(&mut Vec::new()).is_empty() && own.is_empty();
        for nested in left {
            let gap = if is_first { "" } else { "\n" };
            is_first = false;
            let block = self.nested(nested, merged, inner);
            edits.push(Edit::insert(line_start(text, end), format!("{gap}{block}")));
        }
    }

    /// The replacements of control characters in a part of a file.
    pub(super) fn stand_ins(&self, file: FileId, range: &Range<usize>) -> Vec<Edit> {
        let text = self.sources.get(file).text();
        let part = &text[range.clone()];
        if !["##", "::"].iter().any(|sign| part.contains(sign)) && !part.contains(is_obeyed) {
            return Vec::new();
        }
        let mut known = self.stand_ins.borrow_mut();
        let all = known.entry(file).or_insert_with(|| edits_of(stand_ins(text)));
        let first = all.partition_point(|edit| edit.range.start < range.start);
        all[first..].iter().take_while(|edit| edit.range.end <= range.end).cloned().collect()
    }
}

fn edits_of(stand_ins: Vec<(Range<usize>, String)>) -> Vec<Edit> {
    stand_ins.into_iter().map(|(range, text)| Edit::new(range, text)).collect()
}

/// Whether a block has source that is not part of the merged block.
fn loses(merged: &MergedBlock) -> bool {
    let (body, by_name) = (&merged.block.body, by_name(merged));
    body.just_attributes(&mut Vec::new()).iter().any(|own| !by_name.contains_key(&own.name))
        || body.any_blocks().len() != merged.blocks.len()
        || merged.blocks.iter().any(|nested| loses(&nested.block))
}

/// The result of merging each argument.
fn by_name(merged: &MergedBlock) -> HashMap<&SmolStr, &Argument> {
    merged.arguments.iter().map(|argument| (&argument.counts.name, argument)).collect()
}

/// Adds a comment at the end of the first line of a block, or above it if that line does not end with a brace.
fn with_note(block: &str, note: &str, indent: &str) -> String {
    let (first, rest) = block.split_once('\n').map_or((block, ""), |(first, rest)| (first, rest));
    let note = marked(note);
    if rest.is_empty() {
        format!("{first} {note}")
    } else if first.trim_end().ends_with('{') {
        format!("{} {note}\n{rest}", first.trim_end())
    } else {
        format!("{note}\n{indent}{block}")
    }
}

/// A comment between markers, which distinguish it from comments in the source.
fn marked(note: &str) -> String {
    format!("{MARK_START}{note}{MARK_END}")
}

//! Builds edits that add items to a file in native syntax, or remove them.
//!
//! New lines get the indentation of their neighbors. Columns are not aligned here: that needs the text after all
//! edits (see [`aligned`](super::aligned)).

use std::ops::Range;

use crate::finding::Edit;
use crate::syntax::{Body, Expr, ExprKind, Item};
use crate::text::lines::{indent, line_end, line_start, next_line, whole_lines};
use crate::text::{FileId, Source, Span};

/// The text of one file, as the base of edits.
#[derive(Debug, Clone, Copy)]
pub struct Editor<'s> {
    file: FileId,
    text: &'s str,
}

/// The items of a list or map literal.
#[derive(Debug)]
pub struct Items<'s> {
    editor: Editor<'s>,
    collection: Span,
    spans: Vec<Span>,
}

/// The indentation of one level, unless a file is indented with tabs.
const STEP: &str = "  ";

impl<'s> Editor<'s> {
    /// An editor for a file in native syntax.
    pub fn new(file: FileId, source: &'s Source) -> Self {
        Self { file, text: source.text() }
    }

    /// The text of a span.
    pub fn slice(&self, span: Span) -> &'s str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// The white space at the start of the line of a span.
    pub fn indent(&self, at: Span) -> &'s str {
        indent(self.text, at.range().start)
    }

    /// Replaces a span by another text.
    pub fn replace(&self, span: Span, text: impl Into<String>) -> Edit {
        Edit { span, text: text.into() }
    }

    /// Replaces an item by lines.
    pub fn replace_by_lines(&self, item: Span, lines: &str) -> Edit {
        let indent = self.indent(item);
        self.replace(item, &further(lines, indent)[indent.len()..])
    }

    /// Removes an argument or a block, with its lines and the comments directly above it that belong to nothing else.
    pub fn remove(&self, item: Span) -> Edit {
        let text = self.text;
        let alone = item.range();
        let before = text[line_start(text, alone.start)..alone.start].trim_end_matches([' ', '\t']);
        let after = text[alone.end..].trim_start_matches([' ', '\t']);
        if before.ends_with('{') && after.starts_with('}') {
            // Nothing is left between the braces.
            let start = alone.start - (alone.start - line_start(text, alone.start) - before.len());
            return self.edit(start..text.len() - after.len(), "");
        }
        self.edit(whole_lines(text, self.first_comment(&alone)..alone.end), "")
    }

    /// The start of the comments directly above an item that would be left without an item below them.
    fn first_comment(&self, item: &Range<usize>) -> usize {
        let text = self.text;
        let below = text[next_line(text, item.end)..].lines().next().unwrap_or_default().trim();
        let mut start = line_start(text, item.start);
        if !(below.is_empty() || below.starts_with('}')) || !text[start..item.start].trim().is_empty() {
            return item.start;
        }
        let above = |start: usize| {
            let end = text[..start].strip_suffix('\n')?.len();
            let above = line_start(text, end);
            Some((above, text[above..end].trim()))
        };
        let mut first = item.start;
        while let Some((line, comment)) = above(start) {
            if !comment.starts_with('#') && !comment.starts_with("//") {
                let is_apart = comment.is_empty() || comment.ends_with(['{', '}']);
                return if is_apart { first } else { item.start };
            }
            (start, first) = (line, line + comment_offset(&text[line..]));
        }
        // A comment at the start of the file may describe the whole file.
        item.start
    }

    /// Adds a comment line above a span. Returns `None` if the line starts with something else.
    pub fn comment_above(&self, at: Span, comment: &str) -> Option<Edit> {
        let at = at.range().start;
        let start = line_start(self.text, at);
        let indent = indent(self.text, at);
        let is_first = start + indent.len() == at;
        is_first.then(|| self.edit(start..start, format!("{indent}# {comment}\n")))
    }

    /// Adds an argument, or the lines of a block, to a body: after `behind`, or else after the last argument.
    pub fn add_argument(&self, body: &Body, behind: Option<Span>, argument: &str) -> Edit {
        let items = body.items();
        let arguments = items.iter().filter(|item| item.body.is_none());
        let last = behind.or_else(|| arguments.map(|item| item.span).next_back());
        if !self.is_on_lines(body.span(), items.first()) {
            return self.between_braces(body.span(), &items, argument);
        }
        match (last, items.first()) {
            (Some(last), _) => self.below(last, argument),
            (None, Some(first)) => {
                let at = first.span.range().start;
                let (start, indent) = (line_start(self.text, at), indent(self.text, at));
                self.edit(start..start, format!("{}\n\n", further(argument, indent)))
            }
            (None, None) => self.between_braces(body.span(), &items, argument),
        }
    }

    /// Blocks below another one, with an empty line between.
    pub fn add_below(&self, block: Span, blocks: &str) -> Edit {
        let indent = indent(self.text, block.range().start);
        let at = self.end_of_line(block);
        self.edit(at..at, format!("\n\n{}", further(blocks, indent)))
    }

    /// Adds a block at the end of a body.
    pub fn add_block(&self, body: &Body, block: &str) -> Edit {
        let items = body.items();
        match items.last() {
            Some(last) if self.is_on_lines(body.span(), items.first()) => {
                let indent = indent(self.text, last.span.range().start);
                let at = self.end_of_line(last.span);
                self.edit(at..at, format!("\n\n{}", further(block, indent)))
            }
            Some(_) | None => self.between_braces(body.span(), &items, block),
        }
    }

    /// Adds an item to a list or map literal: as the first one, or after the others.
    pub fn add_item(&self, collection: &Expr, item: &str, is_first: bool) -> Option<Edit> {
        let spans = item_spans(collection)?;
        let inner = inner(collection.span);
        let (Some(first), Some(last)) = (spans.first(), spans.last()) else {
            let written = &self.text[inner.clone()];
            if written.trim().is_empty() {
                let is_list = matches!(collection.kind, ExprKind::Tuple(_));
                return Some(self.edit(inner, if is_list { item.to_owned() } else { format!(" {item} ") }));
            }
            return Some(self.between_braces(collection.span, &[], item));
        };
        let first_start = first.start as usize;
        let is_on_lines = self.text[inner.start..first_start].contains('\n');
        let needs_comma = matches!(collection.kind, ExprKind::Tuple(_));
        let comma = self.comma_behind(*last);
        if is_first {
            let has_commas = self.comma_behind(*first).is_some();
            let comma = if has_commas || needs_comma || !is_on_lines { "," } else { "" };
            return Some(if is_on_lines {
                let start = line_start(self.text, first_start);
                let indent = indent(self.text, first_start);
                self.edit(start..start, format!("{}{comma}\n", further(item, indent)))
            } else {
                self.edit(first_start..first_start, format!("{item}{comma} "))
            });
        }
        let end = last.end as usize;
        if !is_on_lines {
            return Some(self.edit(end..end, format!(", {item}")));
        }
        let has_comma = comma.is_some();
        let indent = indent(self.text, last.start as usize);
        let further = further(item, indent);
        let (before, behind) =
            (if needs_comma && !has_comma { "," } else { "" }, if has_comma { "," } else { "" });
        if self.text[..end].ends_with('\n') {
            // A heredoc needs its line break.
            return Some(self.edit(end..end, format!("{further}{behind}\n")));
        }
        let line = line_end(self.text, end);
        let rest = &self.text[end..line];
        Some(self.edit(end..line, format!("{before}{rest}\n{further}{behind}")))
    }

    /// The items of a list or map literal, to remove some of them.
    pub fn items(&self, collection: &Expr) -> Option<Items<'s>> {
        Some(Items { editor: *self, collection: collection.span, spans: item_spans(collection)? })
    }

    /// Adds text at the start of the file, after comments that describe the whole file.
    pub fn add_at_start(&self, added: &str) -> Edit {
        let mut at = line_start(self.text, 0);
        if self.text.starts_with('\u{feff}') {
            at = '\u{feff}'.len_utf8();
        }
        let mut end = at;
        // Whether an open comment is a header. `terraform-docs` reads one that starts with `/**` at the top.
        let (mut open, mut is_below_header) = (None, false);
        // The comments after `at`: whether there are any, and whether one is about the file.
        let (mut is_commented, mut is_about_file) = (false, false);
        for line in self.text[at..].split_inclusive('\n') {
            let line_text = line.trim();
            end += line.len();
            is_commented |= !line_text.is_empty();
            is_about_file |= names_file(line_text);
            if open.is_none() && line_text.starts_with("/*") {
                open = Some(line_text.starts_with("/**"));
            }
            if let Some(is_header) = open {
                if line_text.ends_with("*/") {
                    open = None;
                    (at, is_below_header) = if is_header { (end, true) } else { (at, is_below_header) };
                    is_commented &= !is_header;
                }
            } else if line_text.is_empty() {
                if is_about_file || !is_commented {
                    (at, is_below_header) = (end, false);
                    (is_commented, is_about_file) = (false, false);
                }
            } else if !line_text.starts_with('#') && !line_text.starts_with("//") {
                break;
            }
        }
        let gap = if self.text[at..].is_empty() { "" } else { "\n" };
        let needs_line = at > 0 && !self.text[..at].ends_with(['\n', '\u{feff}']);
        let before = if needs_line || is_below_header { "\n" } else { "" };
        self.edit(at..at, format!("{before}{added}\n{gap}"))
    }

    /// Adds lines below an item.
    fn below(&self, item: Span, lines: &str) -> Edit {
        let indent = indent(self.text, item.range().start);
        let end = item.end as usize;
        if self.text[..end].ends_with('\n') {
            return self.edit(end..end, format!("{}\n", further(lines, indent)));
        }
        let at = self.end_of_line(item);
        self.edit(at..at, format!("\n{}", further(lines, indent)))
    }

    /// The end of the line on which an item ends, after a comment there. If that comment continues on the next line,
    /// the end of the item.
    fn end_of_line(&self, item: Span) -> usize {
        let end = item.end as usize;
        let line = line_end(self.text, end);
        let rest = &self.text[end..line];
        if rest.contains("/*") && !rest.contains("*/") { end } else { line }
    }

    /// Adds lines at the end of a body, with each brace and each item on its own line.
    fn between_braces(&self, braces: Span, items: &[Item<'_>], lines: &str) -> Edit {
        let outer = indent(self.text, braces.range().start);
        let inside = format!("{outer}{}", step(outer));
        let further = further(lines, &inside);
        let inner = inner(braces);
        if let (Some(first), Some(last)) = (items.first(), items.last()) {
            let written = self.text[first.span.range().start..last.span.range().end].trim_end();
            return self.edit(inner, format!("\n{inside}{written}\n{further}\n{outer}"));
        }
        let written = &self.text[inner.clone()];
        if written.contains('\n') && !written.trim().is_empty() {
            let start = line_start(self.text, inner.end);
            return self.edit(start..start, format!("{further}\n"));
        }
        let written = written.trim();
        let written = if written.is_empty() { String::new() } else { format!(" {written}") };
        self.edit(inner, format!("{written}\n{further}\n{outer}"))
    }

    /// Whether the first item is not on the line of the brace.
    fn is_on_lines(&self, braces: Span, first: Option<&Item<'_>>) -> bool {
        let start = braces.range().start;
        first.is_some_and(|first| {
            self.text[start..first.span.range().start].contains('\n') || !self.text[start..].starts_with('{')
        })
    }

    /// The end of the comma after an item of a list or map.
    fn comma_behind(&self, item: Span) -> Option<usize> {
        let rest = &self.text[item.end as usize..];
        let blanks = rest.len() - rest.trim_start().len();
        rest.trim_start().starts_with(',').then(|| item.end as usize + blanks + 1)
    }

    fn edit(&self, range: Range<usize>, text: impl Into<String>) -> Edit {
        Edit { span: Span::new(self.file, range), text: text.into() }
    }
}

impl Items<'_> {
    /// Removes an item, with its comma.
    pub fn remove(&self, item: Span) -> Option<Edit> {
        let (editor, spans) = (&self.editor, &self.spans);
        let number = spans.binary_search(&item).ok()?;
        if spans.len() == 1 {
            return Some(editor.edit(inner(self.collection), ""));
        }
        let comma = editor.comma_behind(item);
        let part = item.range().start..comma.unwrap_or(item.end as usize);
        let before = number.checked_sub(1).and_then(|before| spans.get(before));
        let after = spans.get(number + 1);
        let share_line =
            |one: Span, other: Span| !editor.text[one.range().end..other.range().start].contains('\n');
        let is_beside_others = before.is_some_and(|before| share_line(*before, item))
            || after.is_some_and(|after| share_line(item, *after));
        if !is_beside_others {
            let lines = whole_lines(editor.text, part.clone());
            if lines != part {
                return Some(editor.edit(lines, ""));
            }
        }
        if comma.is_some()
            && let Some(after) = after
        {
            return Some(editor.edit(part.start..after.range().start, ""));
        }
        Some(editor.edit(before?.range().end..part.end, ""))
    }
}

/// The spans of the items of a list or map literal, with their keys.
pub fn item_spans(collection: &Expr) -> Option<Vec<Span>> {
    match &collection.kind {
        ExprKind::Tuple(elements) => Some(elements.iter().map(|element| element.span).collect()),
        ExprKind::Object(_) => {
            let pairs = collection.as_map()?;
            Some(pairs.into_iter().map(|(key, value)| key.span().to(value.span)).collect())
        }
        _ => None,
    }
}

/// The range between braces or brackets.
fn inner(braces: Span) -> Range<usize> {
    let Range { start, end } = braces.range();
    start + 1..(end.max(start + 2)) - 1
}

/// The lines, each with `indent` before it. Further levels are indented with tabs if `indent` is.
fn further(lines: &str, indent: &str) -> String {
    let further = |line: &str| {
        let text = line.trim_start_matches(STEP);
        let levels = (line.len() - text.len()) / STEP.len();
        format!("{indent}{}{text}", step(indent).repeat(levels))
    };
    let lines = lines.lines().map(|line| if line.is_empty() { String::new() } else { further(line) });
    lines.collect::<Vec<_>>().join("\n")
}

/// The indentation of one level below lines with this indentation.
fn step(indent: &str) -> &'static str {
    if indent.contains('\t') { "\t" } else { STEP }
}

/// Whether a line of a comment shows that the comment is about the whole file. Another one may be about the first block,
/// even above a blank line.
fn names_file(line: &str) -> bool {
    const WORDS: [&str; 5] = ["copyright", "license", "licence", "spdx-", "tflint-ignore-file"];
    let line = line.to_lowercase();
    WORDS.iter().any(|word| line.contains(word))
}

fn comment_offset(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_indented_as_those_around_them() {
        assert_eq!(further("a {\n  b {\n    c = 1\n  }\n}", "  "), "  a {\n    b {\n      c = 1\n    }\n  }");
        assert_eq!(further("a {\n  b {\n    c = 1\n  }\n}", "\t"), "\ta {\n\t\tb {\n\t\t\tc = 1\n\t\t}\n\t}");
    }

    #[test]
    fn text_at_the_start_is_below_comments_on_the_whole_file() {
        for (before, after) in [
            ("", "new\n"),
            ("a = 1\n", "new\n\na = 1\n"),
            ("# about a\na = 1\n", "new\n\n# about a\na = 1\n"),
            ("# about a or all\n\na = 1\n", "new\n\n# about a or all\n\na = 1\n"),
            ("\n\na = 1\n", "\n\nnew\n\na = 1\n"),
            ("# main.tf\n\n# Copyright A\n\na = 1\n", "# main.tf\n\n# Copyright A\n\nnew\n\na = 1\n"),
            ("# licence\n\n# about a\na = 1\n", "# licence\n\nnew\n\n# about a\na = 1\n"),
            ("/* licence\n\n   continued */\n\na = 1\n", "/* licence\n\n   continued */\n\nnew\n\na = 1\n"),
            ("/* about a */\na = 1\n", "new\n\n/* about a */\na = 1\n"),
            ("/**\n * # Title\n */\na = 1\n", "/**\n * # Title\n */\n\nnew\n\na = 1\n"),
            ("/** Title */\n\na = 1\n", "/** Title */\n\nnew\n\na = 1\n"),
            ("/* never closed\n", "new\n\n/* never closed\n"),
        ] {
            let source = Source::new("main.tf", before.into());
            let edit = Editor::new(FileId::new(0), &source).add_at_start("new");
            let mut text = before.to_owned();
            text.replace_range(edit.span.range(), &edit.text);
            assert_eq!(text, after);
        }
    }
}

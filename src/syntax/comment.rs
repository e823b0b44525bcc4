//! Comments that are written for overrule, and the part of the file that each one applies to.

use std::rc::Rc;

use hashbrown::HashMap;

use crate::syntax::json::{Node, NodeKind, Scalar};
use crate::syntax::{Body, File, Item};
use crate::text::{Source, Span};

/// A comment in native syntax, or a `"//"` property of a JSON object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The text without comment markers.
    pub text: String,
    /// Span of the comment.
    pub span: Span,
    /// The part of the file that the comment applies to. In native syntax: its own line, or for a comment on a line
    /// of its own the next line, with the whole argument or block that starts there. In JSON: the enclosing object
    /// with its property name.
    pub about: Span,
}

impl File {
    /// The remarks whose text starts with `start`, in source order.
    pub fn remarks(&self, source: &Source, start: &str) -> Vec<Remark> {
        let mut remarks = Vec::new();
        if let Some(node) = self.body.json_node() {
            in_json(node, node.span, start, &mut remarks);
            return remarks;
        }
        let mut lines = Lines::new(self, source);
        for comment in &self.comments {
            let text = without_marks(source.slice(comment.span));
            if text.starts_with(start) {
                let about = lines.about(comment.span);
                remarks.push(Remark { text: text.to_owned(), span: comment.span, about });
            }
        }
        remarks
    }
}

fn without_marks(comment: &str) -> &str {
    let text = comment.strip_prefix("/*").map(|text| text.strip_suffix("*/").unwrap_or(text));
    text.unwrap_or_else(|| comment.trim_start_matches(['#', '/'])).trim()
}

/// The lines of a file in native syntax and the items that start on them. Results are cached from one comment to the
/// next, because there may be a comment on every line.
struct Lines<'f> {
    file: &'f File,
    source: &'f Source,
    /// The items of each body, in order.
    items: HashMap<Span, Rc<[Item<'f>]>>,
    /// The last group of comments on their own lines: its first line, and the line after it.
    comments: (usize, usize),
}

impl<'f> Lines<'f> {
    fn new(file: &'f File, source: &'f Source) -> Self {
        Self { file, source, items: HashMap::new(), comments: (0, 0) }
    }

    /// The line that a comment applies to, with the item that starts there.
    fn about(&mut self, comment: Span) -> Span {
        let (file, source) = (self.file, self.source);
        let lines = source.line_starts();
        let line_of = |offset: u32| lines.partition_point(|start| *start <= offset).max(1) - 1;
        let end_of = |line: usize| lines.get(line + 1).copied().unwrap_or(u32::MAX).min(length(source));
        let text_of = |line: usize| source.slice(Span { start: lines[line], end: end_of(line), ..comment });
        let first = line_of(comment.start);
        let before = source.slice(Span { start: lines[first], end: comment.start, ..comment });
        let mut line = first;
        // Many comments can share a line.
        if before.trim_end().is_empty() {
            // The comment is on its own line, perhaps in a group: it applies to the line below.
            line = line_of(comment.end.max(1) - 1) + 1;
            let (start, behind) = self.comments;
            if (start..behind).contains(&line) {
                line = behind;
            } else {
                let start = line;
                while line < lines.len() && is_comment(text_of(line)) {
                    line += 1;
                }
                self.comments = (start, line);
            }
        }
        let Some(start) = lines.get(line).copied() else { return comment.after() };
        let mut end = end_of(line);
        let mut body = Some(&file.body);
        // The outermost item that starts on the line counts. It may be inside an item that starts further up.
        while let Some(items) = body.map(|body| self.items_of(body)) {
            let first = items.partition_point(|item| item.span.end <= start);
            let Some(item) = items.get(first).filter(|item| item.span.start < end) else { break };
            if item.span.start >= start {
                let on_line = items[first..].iter().take_while(|item| item.span.start < end);
                end = on_line.map(|item| item.span.end).max().unwrap_or(end).max(end);
                break;
            }
            body = item.body;
        }
        Span { start, end, ..comment }
    }

    fn items_of(&mut self, body: &'f Body) -> Rc<[Item<'f>]> {
        Rc::clone(self.items.entry(body.span()).or_insert_with(|| body.items().into()))
    }
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with('#') || line.starts_with("//")
}

fn length(source: &Source) -> u32 {
    u32::try_from(source.text().len()).unwrap_or(u32::MAX)
}

/// The remarks in a value. `about` is the span of the value with its name. The JSON reader limits the depth.
fn in_json(node: &Node, about: Span, start: &str, remarks: &mut Vec<Remark>) {
    match &node.kind {
        NodeKind::Object(properties) => {
            for property in properties {
                if property.name != "//" {
                    let about = property.name_span.to(property.value.span);
                    in_json(&property.value, about, start, remarks);
                    continue;
                }
                let texts = match &property.value.kind {
                    NodeKind::Array(elements) => elements.iter().map(AsRef::as_ref).collect(),
                    _ => vec![&*property.value],
                };
                for reported in texts {
                    let NodeKind::Scalar(Scalar::String(text)) = &reported.kind else { continue };
                    // A comment that was copied from native syntax keeps its marks.
                    let text = without_marks(text.trim());
                    if text.starts_with(start) {
                        remarks.push(Remark { text: text.to_owned(), span: reported.span, about });
                    }
                }
            }
        }
        NodeKind::Array(elements) => {
            for element in elements {
                in_json(element, element.span, start, remarks);
            }
        }
        NodeKind::Scalar(_) | NodeKind::Invalid => {}
    }
}

#[cfg(test)]
mod tests {
    use indoc::indoc;

    use crate::limits::Limits;
    use crate::syntax::{Notation, parse};
    use crate::text::{FileId, Source};

    /// The text of each remark, and the text that it applies to.
    fn read(notation: Notation, text: &str) -> Vec<(String, String)> {
        let source = Source::new("main.tf", text.into());
        let (file, findings) = parse(FileId::new(0), &source, notation, &Limits::default());
        assert_eq!(findings, []);
        let remarks = file.remarks(&source, "note:");
        remarks.into_iter().map(|remark| (remark.text, source.slice(remark.about).to_owned())).collect()
    }

    fn about(text: &str) -> Vec<String> {
        read(Notation::Native, text).into_iter().map(|(_, about)| about.trim_end().to_owned()).collect()
    }

    #[test]
    fn a_comment_is_about_its_line_or_the_next() {
        assert_eq!(about("a = 1 # note: x\nb = 2\n"), ["a = 1 # note: x"]);
        assert_eq!(
            about(indoc! {"
                # note: x
                // other
                b = 2
                c = 3
            "}),
            ["b = 2"]
        );
        assert_eq!(about("/* note: x */\nb = 2\n"), ["b = 2"]);
        assert_eq!(about("# note: x\n\nb = 2\n"), [""]);
        assert_eq!(about("# other note: x\nb = 2\n# note: at the end"), [""]);
    }

    #[test]
    fn what_starts_on_the_line_counts_whole() {
        let block = "b \"l\" {\n  a = 1\n}";
        assert_eq!(about(&format!("# note: x\n{block}\nc = 1\n")), [block]);
        assert_eq!(
            about(indoc! {r#"
                b "l" { # note: x
                  a = 1
                }
                c = 1
            "#}),
            ["b \"l\" { # note: x\n  a = 1\n}"]
        );
        assert_eq!(
            about(indoc! {"
                b {
                  # note: x
                  a = [
                    1,
                  ]
                  c = 1
                }
            "}),
            ["  a = [\n    1,\n  ]"]
        );
        assert_eq!(
            about(indoc! {"
                b {
                  a = [
                    1, # note: x
                  ]
                }
            "}),
            ["    1, # note: x"]
        );
        assert_eq!(
            about(indoc! {"
                b {
                  c {
                    a = 1
                  } # note: x
                }
            "}),
            ["  } # note: x"]
        );
    }

    #[test]
    fn in_json_a_property_is_about_its_object_with_its_name() {
        let text =
            r##"{"a": {"//": "note: x", "b": 1}, "c": [{"//": ["# note: y", "z", "note: w"]}], "//": 1}"##;
        assert_eq!(
            read(Notation::Json, text),
            [
                ("note: x".to_owned(), r#""a": {"//": "note: x", "b": 1}"#.to_owned()),
                ("note: y".to_owned(), r##"{"//": ["# note: y", "z", "note: w"]}"##.to_owned()),
                ("note: w".to_owned(), r##"{"//": ["# note: y", "z", "note: w"]}"##.to_owned()),
            ]
        );
    }
}

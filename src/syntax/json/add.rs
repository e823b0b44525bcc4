//! Adds `moved` blocks to JSON files.

use super::{NodeKind, Property};
use crate::finding::Edit;
use crate::syntax::Body;
use crate::text::lines::{indent, line_start};
use crate::text::{Source, Span};

/// Adds `moved` blocks to the body of a JSON file, each from an address to another one. Returns `None` for native
/// syntax, and for a file that is not a single object, or has objects on one line.
pub fn add_moved_to_json(body: &Body, source: &Source, moves: &[(String, String)]) -> Option<Edit> {
    let root = body.json_node()?;
    let NodeKind::Object(properties) = &root.kind else { return None };
    let text = source.text();
    let last = properties.last()?;
    let is_on_lines = text[root.span.range().start..last.name_span.range().start].contains('\n');
    let step = if is_on_lines { indent(text, properties.first()?.name_span.range().start) } else { "" };
    let layout = Layout { is_on_lines, step };
    let insert = |at: u32, text: String| Edit { span: Span { start: at, end: at, ..root.span }, text };
    let same = properties.iter().find(|property| property.name == "moved");
    if let Some(Property { value, .. }) = same {
        return Some(match &value.kind {
            NodeKind::Array(elements) => {
                let element = elements.last()?;
                let start = element.span.range().start;
                let outer = indent(text, start);
                // A separate line only if the last element has one.
                let starts_line = line_start(text, start) + outer.len() == start;
                let layout = Layout { is_on_lines: is_on_lines && starts_line, step };
                let separator = format!(",{}", layout.separator(outer));
                insert(element.span.end, separator.clone() + &layout.objects(moves, outer).join(&separator))
            }
            NodeKind::Object(_) => {
                let outer = indent(text, value.span.range().start);
                let written = text.get(value.span.range())?;
                let objects = layout.objects(moves, outer).join(", ");
                Edit { span: value.span, text: format!("[{written}, {objects}]") }
            }
            NodeKind::Scalar(_) | NodeKind::Invalid => {
                return None;
            }
        });
    }
    let separator = layout.separator(step);
    let inner = format!("{step}{step}");
    let start = if is_on_lines { format!("\n{inner}") } else { String::new() };
    let objects: Vec<String> =
        layout.objects(moves, &inner).iter().map(|object| format!("{start}{object}")).collect();
    let close = if is_on_lines { format!("\n{step}") } else { String::new() };
    Some(insert(last.value.span.end, format!(",{separator}\"moved\": [{}{close}]", objects.join(","))))
}

/// The layout of objects.
#[derive(Clone, Copy)]
struct Layout<'t> {
    is_on_lines: bool,
    /// The indentation of one level.
    step: &'t str,
}

impl Layout<'_> {
    /// The text between two values.
    fn separator(self, indent: &str) -> String {
        if self.is_on_lines { format!("\n{indent}") } else { " ".to_owned() }
    }

    fn objects(self, moves: &[(String, String)], indent: &str) -> Vec<String> {
        moves.iter().map(|(from, to)| self.object(from, to, indent)).collect()
    }

    fn object(self, from: &str, to: &str, indent: &str) -> String {
        let pairs = [("from", from), ("to", to)].map(|(name, address)| {
            let address = address.replace('\\', "\\\\").replace('"', "\\\"");
            format!("\"{name}\": \"{address}\"")
        });
        if self.is_on_lines {
            let inner = format!("\n{indent}{}", self.step);
            format!("{{{inner}{}\n{indent}}}", pairs.join(&format!(",{inner}")))
        } else {
            format!("{{ {} }}", pairs.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use indoc::indoc;

    use super::*;
    use crate::limits::Limits;
    use crate::syntax::{Notation, parse};
    use crate::text::FileId;

    fn added(text: &str) -> String {
        let source = Source::new("main.tf.json", text.into());
        let (file, findings) = parse(FileId::new(0), &source, Notation::Json, &Limits::default());
        assert_eq!(findings, []);
        let moves = [("a.b".to_owned(), "a.b[\"k\"]".to_owned())];
        let edit = add_moved_to_json(&file.body, &source, &moves).expect("an edit");
        let mut text = text.to_owned();
        text.replace_range(edit.span.range(), &edit.text);
        let source = Source::new("main.tf.json", text.clone().into());
        assert_eq!(parse(FileId::new(0), &source, Notation::Json, &Limits::default()).1, []);
        text
    }

    #[test]
    fn a_block_is_added_in_the_layout_of_the_file() {
        assert_eq!(
            added("{\n  \"a\": {}\n}\n"),
            "{\n  \"a\": {},\n  \"moved\": [\n    {\n      \"from\": \"a.b\",\n      \"to\": \"a.b[\\\"k\\\"]\"\n    }\n  ]\n}\n"
        );
        assert_eq!(
            added(r#"{ "a": {} }"#),
            r#"{ "a": {}, "moved": [{ "from": "a.b", "to": "a.b[\"k\"]" }] }"#
        );
    }

    #[test]
    fn a_block_joins_those_that_are_there() {
        assert_eq!(
            added(r#"{ "moved": [{ "from": "x.y" }] }"#),
            r#"{ "moved": [{ "from": "x.y" }, { "from": "a.b", "to": "a.b[\"k\"]" }] }"#
        );
        assert_eq!(
            added(r#"{ "moved": { "from": "x.y" } }"#),
            r#"{ "moved": [{ "from": "x.y" }, { "from": "a.b", "to": "a.b[\"k\"]" }] }"#
        );
        assert_eq!(
            added(indoc! {r#"
                {
                  "moved": [
                    {
                      "from": "x.y"
                    }
                  ]
                }
            "#}),
            indoc! {r#"
                {
                  "moved": [
                    {
                      "from": "x.y"
                    },
                    {
                      "from": "a.b",
                      "to": "a.b[\"k\"]"
                    }
                  ]
                }
            "#}
        );
    }
}

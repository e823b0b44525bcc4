//! The context of an offset in a file: the enclosing block, or the path through JSON objects.

use super::json::JsonBody;
use super::native::NativeBody;
use super::{Body, Inner};
use crate::syntax::json::{Node, NodeKind};
use crate::text::floor_char_boundary;

/// The maximum length of a label in a context, in bytes.
const MOST_OF_LABEL: usize = 1024;

impl Body {
    /// The `context` of a diagnostic, for the body of a whole file: the header of the outermost enclosing block, or
    /// in JSON the property names and indexes that lead to the innermost object or array.
    pub fn context(&self, offset: u32) -> Option<String> {
        let context = match &*self.inner {
            Inner::Native(native) => native.context(offset),
            Inner::Json(json) => json.context(offset),
        };
        (!context.is_empty()).then_some(context)
    }
}

impl NativeBody {
    fn context(&self, offset: u32) -> String {
        // A binary search: a report may ask for the context of every block.
        let behind = self.blocks.partition_point(|block| block.body.span().end <= offset);
        let around = self.blocks.get(behind).filter(|block| block.kind_span.start <= offset);
        around.map_or_else(String::new, |block| {
            let shown = |label: &str| format!(" {:?}", &label[..floor_char_boundary(label, MOST_OF_LABEL)]);
            let labels: String = block.labels.iter().map(|label| shown(&label.text)).collect();
            format!("{}{labels}", block.kind)
        })
    }
}

impl JsonBody {
    fn context(&self, offset: u32) -> String {
        let holds = |node: &Node| {
            let is_nested = match node.kind {
                NodeKind::Object(_) | NodeKind::Array(_) => true,
                NodeKind::Scalar(_) | NodeKind::Invalid => false,
            };
            is_nested && (node.span.start..node.span.end).contains(&offset)
        };
        let (mut node, mut way) = (&self.0, String::new());
        loop {
            let next = match &node.kind {
                NodeKind::Object(properties) => {
                    let number = properties.partition_point(|property| property.value.span.end <= offset);
                    properties.get(number).map(|property| (&property.value, format!(".{}", property.name)))
                }
                NodeKind::Array(items) => {
                    let number = items.partition_point(|item| item.span.end <= offset);
                    items.get(number).map(|item| (item, format!("[{number}]")))
                }
                NodeKind::Scalar(_) | NodeKind::Invalid => None,
            };
            let Some((inner, step)) = next.filter(|(inner, _)| holds(inner)) else { break };
            way.push_str(&step);
            node = inner;
        }
        way.strip_prefix('.').unwrap_or(&way).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use indoc::indoc;

    use crate::limits::Limits;
    use crate::syntax::{self, Notation};
    use crate::text::{FileId, Source};

    /// The context at the `|` in a text.
    fn context(text: &str, notation: Notation) -> Option<String> {
        let at = u32::try_from(text.find('|').expect("a mark")).expect("a small text");
        let source = Source::new("a", text.replace('|', "").into());
        let (file, findings) = syntax::parse(FileId::new(0), &source, notation, &Limits::default());
        assert_eq!(findings, [], "{text}");
        file.body.context(at)
    }

    #[test]
    fn in_native_syntax_it_is_the_header_of_the_outermost_block() {
        let at = |text: &str| context(text, Notation::Native);
        assert_eq!(at("a = |1\nb {\n}\n"), None);
        assert_eq!(at("locals {\n  a = |1\n}\n").as_deref(), Some("locals"));
        let nested = indoc! {r#"
            resource "a" "b" {
              c {
                d = |1
              }
            }
        "#};
        assert_eq!(at(nested).as_deref(), Some("resource \"a\" \"b\""));
        assert_eq!(at("a {\n}|\n"), None);
    }

    #[test]
    fn in_json_it_is_the_way_through_objects_and_arrays() {
        let at = |text: &str| context(text, Notation::Json);
        assert_eq!(at(r#"{"a": |1}"#), None);
        assert_eq!(at(r#"{"a": {"b": [1, {"c": |1}]}}"#).as_deref(), Some("a.b[1]"));
    }
}

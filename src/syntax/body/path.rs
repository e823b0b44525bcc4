//! The path of an offset: the names of the enclosing blocks and the argument.

use std::sync::Arc;

use smol_str::SmolStr;

use super::{Attribute, Block, Body, Inner};
use crate::syntax::json::{Node, NodeKind};
use crate::text::Span;

impl Body {
    /// The names around an offset, from the outside in: block types and labels, then the argument. Native syntax and
    /// JSON give the same path for the same declaration. Elements of lists have no name.
    pub fn path_to(&self, at: u32) -> Vec<SmolStr> {
        let mut path = Vec::new();
        match &*self.inner {
            Inner::Native(_) => self.native_path(at, &mut path),
            Inner::Json(json) => json_path(&json.0, at, &mut path),
        }
        path
    }

    fn native_path(&self, at: u32, path: &mut Vec<SmolStr>) {
        let Inner::Native(native) = &*self.inner else { return };
        let whole = |block: &Arc<Block>| block.kind_span.to(block.body.span());
        if let Some(attribute) = around(&native.attributes, at, |attribute: &Arc<Attribute>| attribute.span) {
            path.push(attribute.name.clone());
        } else if let Some(block) = around(&native.blocks, at, whole) {
            path.push(block.kind.clone());
            path.extend(block.labels.iter().map(|label| label.text.clone()));
            block.body.native_path(at, path);
        }
    }
}

/// The item that contains an offset. The items are in source order.
fn around<T>(items: &[T], at: u32, span: impl Fn(&T) -> Span) -> Option<&T> {
    let before = items.partition_point(|item| span(item).start <= at);
    items[..before].last().filter(|item| at < span(item).end)
}

fn json_path(node: &Node, at: u32, path: &mut Vec<SmolStr>) {
    match &node.kind {
        NodeKind::Object(properties) => {
            let whole = |property: &_| -> Span {
                let property: &crate::syntax::json::Property = property;
                property.name_span.to(property.value.span)
            };
            if let Some(property) = around(properties, at, whole) {
                path.push(property.name.clone());
                json_path(&property.value, at, path);
            }
        }
        NodeKind::Array(elements) => {
            if let Some(element) = around(elements, at, |element| element.span) {
                json_path(element, at, path);
            }
        }
        NodeKind::Scalar(_) | NodeKind::Invalid => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::limits::Limits;
    use crate::syntax::{self, Notation};
    use crate::text::{FileId, Source};

    #[track_caller]
    fn path(notation: Notation, text: &str) -> String {
        let at = text.find('^').expect("a caret before the offset");
        let text = text.replacen('^', "", 1);
        let source = Source::new("main.tf", text.into());
        let (file, findings) = syntax::parse(FileId::new(0), &source, notation, &Limits::default());
        assert!(findings.is_empty(), "{findings:?}");
        file.body.path_to(u32::try_from(at).expect("a short text")).join(".")
    }

    #[test]
    fn both_notations_give_the_same_names() {
        for (text, names) in [
            (r#"resource "a" "b" { x = ^1 }"#, "resource.a.b.x"),
            (r#"^resource "a" "b" { x = 1 }"#, "resource.a.b"),
            (r#"resource "a" "b" { x = 1  lifecycle { y = [1, ^2] } }"#, "resource.a.b.lifecycle.y"),
            ("locals { x = { z = ^1 } }", "locals.x"),
            ("a = 1 ^ ", ""),
        ] {
            assert_eq!(
                path(
                    Notation::Native,
                    &text
                        .replace("  lifecycle", "\nlifecycle")
                        .replace("{ x", "{\nx")
                        .replace("{ y", "{\ny")
                        .replace("{ z", "{\nz")
                        .replace(" }", "\n}")
                ),
                names,
                "{text}"
            );
        }
        let json = r#"{"resource": [{"a": {"b": {"x": 1, "lifecycle": {"y": [1, ^2]}}}}]}"#;
        assert_eq!(path(Notation::Json, json), "resource.a.b.lifecycle.y");
        assert_eq!(path(Notation::Json, r#"{"resource": {"a": {^"b": {"x": 1}}}}"#), "resource.a.b");
    }
}

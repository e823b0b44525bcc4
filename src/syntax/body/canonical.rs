//! A canonical form of a body, which does not depend on comments, layout and the order of arguments.

use super::json::COMMENT;
use super::{Attribute, Block, Body, Inner};
use crate::syntax::json::{Node, NodeKind, Property, Scalar};
use crate::syntax::native::without_layout;
use crate::text::Source;

/// Arguments without effect in the engine: the type of the enclosing block, and the name of the argument.
pub type LeftOut<'l> = &'l [(&'l str, &'l str)];

/// Whether an argument is left out: the top-level block, the block directly in it that the argument is nested in, and
/// the argument.
pub(crate) type IsLeftOut<'l> = &'l dyn Fn(&Block, Option<&Block>, &Attribute) -> bool;

impl Body {
    /// The canonical text of each block and argument of a file. Files with equal texts have the same meaning: they
    /// differ only in comments, layout, and the order of arguments.
    pub fn canonical(&self, source: &Source) -> Vec<String> {
        self.canonical_without(source, &[], &|_, _, _| false)
    }

    /// Like [`Body::canonical`], without the arguments in `left_out`, and those of native syntax that `is_left_out`
    /// names: by the top-level block, the block in it that holds the argument at some depth, if any, and the argument.
    pub fn canonical_without(
        &self,
        source: &Source,
        left_out: LeftOut<'_>,
        is_left_out: IsLeftOut<'_>,
    ) -> Vec<String> {
        match &*self.inner {
            Inner::Native(native) => {
                let attributes = native.attributes.iter().map(|attribute| {
                    format!("{} = {}", attribute.name, without_layout(source.slice(attribute.expr.span)))
                });
                let blocks = native.blocks.iter().map(|block| {
                    let mut text = String::new();
                    let is_left_out = |nested: Option<&Block>, attribute: &Attribute| {
                        nested.is_none() && left_out.contains(&(&*block.kind, &*attribute.name))
                            || is_left_out(block, nested, attribute)
                    };
                    write_block(block, source, None, &is_left_out, &mut text);
                    text
                });
                attributes.chain(blocks).collect()
            }
            Inner::Json(json) => of_json(&json.0, left_out),
        }
    }
}

fn write_block(
    block: &Block,
    source: &Source,
    nested: Option<&Block>,
    is_left_out: &dyn Fn(Option<&Block>, &Attribute) -> bool,
    text: &mut String,
) {
    text.push_str(&block.kind);
    for label in &block.labels {
        text.push_str(&format!(" {:?}", label.text));
    }
    text.push_str(" {\n");
    if let Inner::Native(native) = &*block.body.inner {
        let attributes = native.attributes.iter().filter(|attribute| !is_left_out(nested, attribute));
        let mut attributes: Vec<_> = attributes.collect();
        attributes.sort_by(|a, b| a.name.cmp(&b.name));
        for attribute in attributes {
            text.push_str(&attribute.name);
            text.push_str(" = ");
            text.push_str(&without_layout(source.slice(attribute.expr.span)));
            text.push('\n');
        }
        for inner in &native.blocks {
            write_block(inner, source, nested.or(Some(inner)), is_left_out, text);
        }
    }
    text.push_str("}\n");
}

/// The canonical text of each property of a JSON file. Blocks are unknown without a schema, so `left_out` applies
/// only two objects deep, where the bodies of blocks with one label are.
fn of_json(node: &Node, left_out: LeftOut<'_>) -> Vec<String> {
    let NodeKind::Object(kinds) = &node.kind else {
        let mut text = String::new();
        write_node(node, 0, &|_| false, &mut text);
        return vec![text];
    };
    let text = |kind: &Property| {
        let is_left_out = |name: &str| name == COMMENT || left_out.contains(&(kind.name.as_str(), name));
        let mut text = format!("{:?}: ", kind.name);
        write_node(&kind.value, 1, &is_left_out, &mut text);
        text
    };
    kinds.iter().filter(|kind| kind.name != COMMENT).map(text).collect()
}

/// Depth of the body of a block with one label.
const BODY: usize = 2;

fn write_node(node: &Node, depth: usize, is_left_out: &dyn Fn(&str) -> bool, text: &mut String) {
    match &node.kind {
        NodeKind::Scalar(Scalar::Null) => text.push_str("null"),
        NodeKind::Scalar(Scalar::Bool(value)) => text.push_str(&value.to_string()),
        NodeKind::Scalar(Scalar::Number(digits)) => text.push_str(digits),
        NodeKind::Scalar(Scalar::String(value)) => text.push_str(&format!("{value:?}")),
        NodeKind::Array(elements) => {
            text.push('[');
            for element in elements {
                write_node(element, depth, is_left_out, text);
                text.push(',');
            }
            text.push(']');
        }
        NodeKind::Object(properties) => {
            text.push('{');
            let stays = |property: &&Property| depth != BODY || !is_left_out(&property.name);
            let mut properties: Vec<&Property> = properties.iter().filter(stays).collect();
            properties.sort_by(|a, b| a.name.cmp(&b.name));
            for property in properties {
                text.push_str(&format!("{:?}:", property.name));
                write_node(&property.value, depth + 1, is_left_out, text);
                text.push(',');
            }
            text.push('}');
        }
        NodeKind::Invalid => text.push('?'),
    }
}

#[cfg(test)]
mod tests {
    use indoc::indoc;

    use super::*;
    use crate::limits::Limits;
    use crate::syntax::{Notation, parse};
    use crate::text::FileId;

    fn canonical(notation: Notation, text: &str) -> Vec<String> {
        let source = Source::new("main.tf", text.into());
        let (file, findings) = parse(FileId::new(0), &source, notation, &Limits::default());
        assert_eq!(findings, []);
        file.body.canonical_without(&source, &[("variable", "description")], &|_, _, _| false)
    }

    #[test]
    fn layout_comments_order_and_descriptions_make_no_difference() {
        let one = canonical(
            Notation::Native,
            indoc! {r#"
                variable "a" {
                  description = "x"
                  type = string # text
                  default = "b"
                }
            "#},
        );
        let other = canonical(
            Notation::Native,
            indoc! {r#"
                # A variable.
                variable "a" {
                  default     = "b"
                  type = /* text */ string
                }
            "#},
        );
        assert_eq!(one, other);
        let other = canonical(
            Notation::Native,
            indoc! {r#"
                variable "a" {
                  default = "b "
                  type = string
                }
            "#},
        );
        assert_ne!(one, other, "a space in a string");
    }

    #[test]
    fn descriptions_in_data_make_a_difference() {
        let text = |description: &str, data: &str| {
            let text = format!(
                r#"{{"variable": {{"description": {{"description": "{description}", "default": {{"description": "{data}"}}}}}}}}"#
            );
            canonical(Notation::Json, &text)
        };
        assert_eq!(text("x", "d"), text("y", "d"));
        assert_ne!(text("x", "d"), text("x", "e"));
    }
}

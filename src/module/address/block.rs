//! Addresses of top-level blocks.

use crate::syntax::Block;

/// The address of the block's declaration: `variable.name`, `type.name` of a resource, `data.type.name`. The block
/// type alone for a block without a name.
pub fn block_address(block: &Block) -> String {
    let labels = block.labels.iter().map(|label| label.text.as_str());
    let kind = (block.kind != "resource").then_some(block.kind.as_str());
    kind.into_iter().chain(labels).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use indoc::indoc;

    use super::*;
    use crate::engine::Notation;
    use crate::limits::Limits;
    use crate::syntax::{self, BlockSchema, Schema};
    use crate::text::{FileId, Source};

    #[test]
    fn a_resource_goes_without_its_kind() {
        let text = indoc! {r#"
            resource "a" "b" {}
            data "a" "b" {}
            variable "v" {}
            moved {}
        "#};
        let (file, _) = syntax::parse(
            FileId::new(0),
            &Source::new("main.tf", text.into()),
            Notation::Native,
            &Limits::default(),
        );
        let two = &["type", "name"];
        let blocks = &[
            BlockSchema::new("resource", two),
            BlockSchema::new("data", two),
            BlockSchema::new("variable", &["name"]),
            BlockSchema::new("moved", &[]),
        ];
        let content = file.body.content(&Schema { attributes: &[], blocks }, &mut Vec::new());
        let addresses: Vec<_> = content.blocks.iter().map(|block| block_address(block)).collect();
        assert_eq!(addresses, ["a.b", "data.a.b", "variable.v", "moved"]);
    }
}

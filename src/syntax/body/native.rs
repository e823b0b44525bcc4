//! Decodes bodies in native syntax.

use std::sync::Arc;

use smol_str::SmolStr;

use super::{Attribute, Block, BlockSchema, Content, Hidden, Schema, missing_argument};
use crate::finding::{Code, EngineRule, Finding};
use crate::syntax::{Expr, Item};
use crate::text::{Span, Suggestions, is_similar, similar, with_article};

/// A body. Its attributes and blocks are in source order.
#[derive(Debug)]
pub(super) struct NativeBody {
    pub(super) span: Span,
    /// Where the engine reports missing items.
    pub(super) missing_item: Span,
    pub(super) attributes: Box<[Arc<Attribute>]>,
    pub(super) blocks: Box<[Arc<Block>]>,
}

fn argument(attribute: &Attribute) -> Item<'_> {
    Item { span: attribute.span, body: None }
}

fn nested(block: &Block) -> Item<'_> {
    Item { span: block.kind_span.to(block.body.span()), body: Some(&block.body) }
}

impl NativeBody {
    pub(super) fn content(
        &self,
        hidden: &Hidden,
        schema: &Schema<'_>,
        findings: &mut Vec<Finding>,
    ) -> Content {
        let content = self.expected(hidden, schema, findings);
        let (names, suggestions) = (schema.attribute_names(), Suggestions::default());
        for attribute in self.visible_attributes(hidden).filter(|attribute| !names.has(&attribute.name)) {
            findings.push(unsupported_argument(attribute, schema, &content, &suggestions));
        }
        for block in self.visible_blocks(hidden).filter(|block| schema.block(&block.kind).is_none()) {
            findings.push(unsupported_block(block, schema, self.span.start > 0));
        }
        content
    }

    pub(super) fn attribute(&self, hidden: &Hidden, name: &str) -> Option<Arc<Attribute>> {
        let named = self.attributes.iter().find(|attribute| attribute.name == name);
        named.filter(|_| !hidden.attributes.has(name)).cloned()
    }

    pub(super) fn items(&self) -> Vec<Item<'_>> {
        let attributes = self.attributes.iter().map(|attribute| argument(attribute));
        let mut items: Vec<_> = attributes.chain(self.blocks.iter().map(|block| nested(block))).collect();
        items.sort_by_key(|item| item.span);
        items
    }

    pub(super) fn item_at(&self, offset: u32) -> Option<Item<'_>> {
        let attribute = self.attributes.partition_point(|attribute| attribute.span.start <= offset);
        let block = self.blocks.partition_point(|block| block.kind_span.start <= offset);
        let attribute = attribute.checked_sub(1).map(|number| argument(&self.attributes[number]));
        let block = block.checked_sub(1).map(|number| nested(&self.blocks[number]));
        attribute.into_iter().chain(block).find(|item| offset < item.span.end)
    }

    pub(super) fn names(&self, hidden: &Hidden) -> Vec<SmolStr> {
        let attributes = self.visible_attributes(hidden).map(|attribute| attribute.name.clone());
        attributes.chain(self.visible_blocks(hidden).map(|block| block.makes().into())).collect()
    }

    pub(super) fn any_blocks(&self, hidden: &Hidden) -> Vec<Arc<Block>> {
        self.visible_blocks(hidden).cloned().collect()
    }

    pub(super) fn partial_content(
        &self,
        hidden: &Hidden,
        schema: &Schema<'_>,
        findings: &mut Vec<Finding>,
    ) -> (Content, Hidden) {
        let content = self.expected(hidden, schema, findings);
        let attributes = content.attributes.iter().map(|attribute| attribute.name.clone());
        // Most bodies have no blocks of the expected types.
        let kinds = schema
            .blocks
            .iter()
            .filter(|expected| self.blocks.iter().any(|block| block.kind == expected.kind));
        let rest = Hidden {
            attributes: hidden.attributes.and(attributes),
            blocks: hidden.blocks.and(kinds.map(|expected| expected.kind.into())),
            made: hidden.made.clone(),
        };
        (content, rest)
    }

    /// The items of `schema`. Adds a finding for each missing one.
    pub(super) fn expected(
        &self,
        hidden: &Hidden,
        schema: &Schema<'_>,
        findings: &mut Vec<Finding>,
    ) -> Content {
        let names = schema.attribute_names();
        let attributes: Vec<_> =
            self.visible_attributes(hidden).filter(|attribute| names.has(&attribute.name)).cloned().collect();
        for expected in schema.attributes.iter().filter(|expected| expected.required) {
            if !attributes.iter().any(|attribute| attribute.name == expected.name) {
                findings.push(missing_argument(expected.name, self.missing_item));
            }
        }
        let mut blocks = Vec::new();
        for block in self.visible_blocks(hidden) {
            let Some(expected) = schema.block(&block.kind) else { continue };
            match wrong_labels(block, expected) {
                Some(finding) => findings.push(finding),
                None => blocks.push(Arc::clone(block)),
            }
        }
        Content { attributes, blocks, missing_item: self.missing_item }
    }

    pub(super) fn just_attributes(
        &self,
        hidden: &Hidden,
        findings: &mut Vec<Finding>,
    ) -> Vec<Arc<Attribute>> {
        // One finding for all blocks, including blocks that were taken already: as HCL does.
        if let Some(block) = self.blocks.first() {
            let summary = format!("Unexpected \"{}\" block", block.kind);
            Finding::language(EngineRule::UnsupportedBlockOrArgument, summary)
                .detail("Only arguments are allowed here, not blocks.")
                .at(block.kind_span)
                .help(if is_top_level(block) {
                    "close the block around it before this line, or move this block out of it".to_owned()
                } else {
                    format!("write it as an argument: `{} = …`", block.kind)
                })
                .push_to(findings);
        }
        self.visible_attributes(hidden).cloned().collect()
    }

    pub(super) fn is_empty(&self, hidden: &Hidden) -> bool {
        self.visible_attributes(hidden).next().is_none() && self.visible_blocks(hidden).next().is_none()
    }

    pub(super) fn for_each_expression(&self, hidden: &Hidden, visit: &mut dyn FnMut(&Expr)) {
        self.visible_attributes(hidden).for_each(|attribute| visit(&attribute.expr));
        self.visible_blocks(hidden).for_each(|block| block.body.for_each_expression(visit));
    }

    pub(super) fn visible_attributes<'a>(
        &'a self,
        hidden: &'a Hidden,
    ) -> impl Iterator<Item = &'a Arc<Attribute>> {
        self.attributes.iter().filter(|attribute| !hidden.attributes.has(&attribute.name))
    }

    pub(super) fn visible_blocks<'a>(&'a self, hidden: &'a Hidden) -> impl Iterator<Item = &'a Arc<Block>> {
        let is_hidden = |block: &Block| hidden.blocks.has(&block.kind) || hidden.made.has(block.makes());
        self.blocks.iter().filter(move |block| !is_hidden(block))
    }
}

/// Whether a block looks like one that belongs at the top level of a file, such as `resource "a" "b" { … }`.
fn is_top_level(block: &Block) -> bool {
    match block.kind.as_str() {
        "locals" | "terraform" | "moved" | "import" | "removed" => block.labels.is_empty(),
        "variable" | "output" | "module" | "provider" | "check" | "run" => block.labels.len() == 1,
        "resource" | "data" | "ephemeral" => block.labels.len() == 2,
        _ => false,
    }
}

fn unsupported_argument(
    attribute: &Attribute,
    schema: &Schema<'_>,
    content: &Content,
    suggestions: &Suggestions,
) -> Finding {
    let name = attribute.name.as_str();
    let finding = Finding::language(EngineRule::UnsupportedBlockOrArgument, "Unsupported argument")
        .code(Code::UnsupportedArgument)
        .detail(format!("No argument named `{name}` is expected here."))
        .at(attribute.name_span);
    let known = schema.attributes.iter().map(|expected| expected.name);
    let alike = known.take_while(|_| suggestions.may_compare()).filter(|known| is_similar(name, known));
    if let Some(right) = alike.into_iter().find(|known| content.attribute(known).is_none()) {
        return finding.meant(Some(right));
    }
    if schema.blocks.iter().any(|expected| expected.kind == name) {
        return finding.help(format!("write it as a block: `{name} {{ … }}`"));
    }
    finding
}

/// The finding for an unexpected block in a file or, if `is_inside`, in another block.
fn unsupported_block(block: &Block, schema: &Schema<'_>, is_inside: bool) -> Finding {
    let kind = block.kind.as_str();
    let finding = Finding::language(EngineRule::UnsupportedBlockOrArgument, "Unsupported block type")
        .code(Code::UnsupportedBlock)
        .detail(format!("Blocks of type `{kind}` are not expected here."))
        .at(block.kind_span);
    if let Some(right) = similar(kind, schema.blocks.iter().map(|expected| expected.kind)) {
        return finding.meant(Some(right));
    }
    if is_inside && is_top_level(block) {
        return finding.help("close the block around it before this line, or move this block out of it");
    }
    if schema.has_attribute(kind) {
        return finding.help(format!("write it as an argument: `{kind} = …`"));
    }
    finding
}

/// The finding for a wrong number of labels, if any.
fn wrong_labels(block: &Block, expected: &BlockSchema<'_>) -> Option<Finding> {
    let kind = &block.kind;
    if let Some(first) = block.labels.get(expected.labels.len() + expected.optional_labels.len()) {
        let summary = format!("Extraneous label for {kind}");
        let finding = Finding::language(EngineRule::UnsupportedBlockOrArgument, summary);
        return Some(finding.detail(labels_of(kind, expected)).at(first.span).help("remove this label"));
    }
    let missing = expected.labels.get(block.labels.len())?;
    let brace = block.body.span();
    Some(
        Finding::language(EngineRule::MissingArgument, format!("Missing {missing} for {kind}"))
            .code(Code::MissingLabel(kind.clone()))
            .detail(labels_of(kind, expected))
            .at(Span { end: brace.end.min(brace.start + 1), ..brace })
            .help(format!("write the {missing} in quotes before the brace")),
    )
}

fn labels_of(kind: &str, expected: &BlockSchema<'_>) -> String {
    let block = format!("A{}", &with_article(&format!("`{kind}` block"))[1..]);
    match expected.labels {
        labels if !expected.optional_labels.is_empty() => format!(
            "{block} has one label, the {}, or two: {}.",
            labels.join(", the "),
            expected.optional_labels.join(", ")
        ),
        [] => format!("{block} has no labels."),
        [only] => format!("{block} has one label, its {only}."),
        labels => format!("{block} has {} labels: {}.", labels.len(), labels.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use smol_str::SmolStr;

    use super::super::{AttributeSchema, Body, Label};
    use super::*;
    use crate::syntax::ExprKind;
    use crate::text::FileId;

    const VARIABLE: Schema<'static> = Schema {
        attributes: &[AttributeSchema::required("type"), AttributeSchema::optional("default")],
        blocks: &[BlockSchema::new("validation", &[]), BlockSchema::new("data", &["type", "name"])],
    };

    fn span(start: usize, end: usize) -> Span {
        Span::new(FileId::new(0), start..end)
    }

    fn attribute(name: &str, start: usize) -> Arc<Attribute> {
        let expr = Expr { span: span(start + 8, start + 9), kind: ExprKind::Null };
        let name_span = span(start, start + name.len());
        Arc::new(Attribute {
            name: name.into(),
            name_span,
            span: span(start, start + 9),
            expr,
            is_broken: false,
        })
    }

    fn block(kind: &str, start: usize, labels: &[&str]) -> Arc<Block> {
        let kind_span = span(start, start + 1);
        let labels: Vec<_> = labels
            .iter()
            .enumerate()
            .map(|(n, text)| Label { text: (*text).into(), span: span(start + 2 + 2 * n, start + 3 + 2 * n) })
            .collect();
        let header = kind_span.to(labels.last().map_or(kind_span, |label| label.span));
        let body = Body::native(span(start + 20, start + 30), vec![attribute("inner", start + 21)], vec![]);
        Arc::new(Block { kind: kind.into(), kind_span, labels, header, body })
    }

    fn body(attributes: Vec<Arc<Attribute>>, blocks: Vec<Arc<Block>>) -> Body {
        Body::native(span(10, 900), attributes, blocks)
    }

    fn reported(findings: &[Finding]) -> Vec<(String, u32, u32, String)> {
        findings
            .iter()
            .map(|finding| {
                let at = finding.primary.expect("a place");
                (finding.summary.clone(), at.start, at.end, finding.help.clone().unwrap_or_default())
            })
            .collect()
    }

    fn one(summary: &str, start: u32, end: u32, help: &str) -> Vec<(String, u32, u32, String)> {
        vec![(summary.to_owned(), start, end, help.to_owned())]
    }

    fn content(body: &Body) -> (Content, Vec<(String, u32, u32, String)>) {
        let mut findings = Vec::new();
        let content = body.content(&VARIABLE, &mut findings);
        (content, reported(&findings))
    }

    #[test]
    fn what_is_expected_is_taken_in_order() {
        let body =
            body(vec![attribute("default", 20), attribute("type", 40)], vec![block("validation", 60, &[])]);
        let (content, findings) = content(&body);
        assert_eq!(findings, []);
        let names: Vec<SmolStr> = content.attributes.iter().map(|a| a.name.clone()).collect();
        assert_eq!(names, ["default", "type"]);
        assert_eq!(content.blocks_of("validation").count(), 1);
        assert_eq!(content.missing_item, span(10, 10));
    }

    #[test]
    fn a_missing_argument_is_reported_before_the_brace() {
        let (_, findings) = content(&body(vec![], vec![]));
        assert_eq!(findings, one("Missing required argument", 10, 10, "set `type`"));
    }

    #[test]
    fn an_unexpected_argument_names_the_nearest_unused_one() {
        let given = vec![attribute("type", 20), attribute("defalt", 40)];
        let (_, findings) = content(&body(given, vec![]));
        assert_eq!(findings, one("Unsupported argument", 40, 46, "did you mean `default`?"));
        let given = vec![attribute("type", 20), attribute("types", 40)];
        let (_, findings) = content(&body(given, vec![]));
        assert_eq!(findings, one("Unsupported argument", 40, 45, ""));
        let given = vec![attribute("type", 20), attribute("validation", 40)];
        let (_, findings) = content(&body(given, vec![]));
        let help = "write it as a block: `validation { … }`";
        assert_eq!(findings, one("Unsupported argument", 40, 50, help));
    }

    #[test]
    fn an_unexpected_block_names_the_nearest_kind() {
        let given = vec![block("validations", 60, &["x"]), block("default", 200, &[])];
        let (_, findings) = content(&body(vec![attribute("type", 20)], given));
        assert_eq!(findings[..1], one("Unsupported block type", 60, 61, "did you mean `validation`?"));
        let help = "write it as an argument: `default = …`";
        assert_eq!(findings[1..], one("Unsupported block type", 200, 201, help));
    }

    #[test]
    fn blocks_with_wrong_labels_are_left_out() {
        let given = vec![block("validation", 60, &["x"]), block("data", 100, &["a", "b", "c"])];
        let (taken, findings) = content(&body(vec![attribute("type", 20)], given));
        assert_eq!(findings[..1], one("Extraneous label for validation", 62, 63, "remove this label"));
        assert_eq!(findings[1..], one("Extraneous label for data", 106, 107, "remove this label"));
        assert!(taken.blocks.is_empty());
        let (taken, findings) = content(&body(vec![attribute("type", 20)], vec![block("data", 100, &["a"])]));
        let help = "write the name in quotes before the brace";
        assert_eq!(findings, one("Missing name for data", 120, 121, help));
        assert!(taken.blocks.is_empty());
    }

    #[test]
    fn the_rest_hides_what_was_taken() {
        let given = vec![block("validation", 60, &[]), block("other", 100, &[])];
        let body = body(vec![attribute("type", 20), attribute("more", 40)], given);
        let mut findings = Vec::new();
        let (_, rest) = body.partial_content(&VARIABLE, &mut findings);
        assert_eq!(reported(&findings), []);
        assert!(!rest.is_empty());
        let (again, _) = rest.partial_content(&VARIABLE, &mut findings);
        assert!(again.attributes.is_empty() && again.blocks.is_empty());
        assert_eq!(reported(&findings), one("Missing required argument", 10, 10, "set `type`"));
        let mut expressions = 0;
        rest.for_each_expression(&mut |_| expressions += 1);
        assert_eq!(expressions, 2, "`more`, and `inner` of `other`");
        findings.clear();
        let attributes = rest.just_attributes(&mut findings);
        assert_eq!(attributes.len(), 1);
        assert_eq!(findings[0].summary, "Unexpected \"validation\" block");
        let all = Schema {
            attributes: &[AttributeSchema::optional("more")],
            blocks: &[BlockSchema::new("other", &[])],
        };
        findings.clear();
        let (_, rest) = rest.partial_content(&all, &mut findings);
        assert!(rest.is_empty());
        rest.content(&Schema { attributes: &[], blocks: &[] }, &mut findings);
        assert_eq!(reported(&findings), []);
    }
}

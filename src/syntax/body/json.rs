//! Decodes JSON bodies. Only the schema decides what is a block and what is an argument, and an array of objects
//! stands for several blocks.

use std::sync::Arc;

use hashbrown::HashMap;
use smol_str::SmolStr;

use super::{Attribute, Block, Body, Content, Hidden, Label, Names, Schema, missing_argument};
use crate::finding::{EngineRule, Finding, MOST_OF_RULE};
use crate::syntax::Expr;
use crate::syntax::json::{Node, NodeKind, Property, Scalar};
use crate::text::{Span, Suggestions, similar};

/// A property of this name is a comment in each object that is decoded as a body.
pub(super) const COMMENT: &str = "//";

/// Properties are hidden by [`Hidden::attributes`], whether they were taken as arguments or as blocks. A `dynamic`
/// property has blocks of several types; [`Hidden::made`] hides some of these.
#[derive(Debug)]
pub(super) struct JsonBody(pub(super) Arc<Node>);

impl JsonBody {
    pub(super) fn content(
        &self,
        hidden: &Hidden,
        schema: &Schema<'_>,
        findings: &mut Vec<Finding>,
    ) -> Content {
        let (content, rest) = self.partial_content(hidden, schema, findings);
        let suggestions = Suggestions::default();
        for property in self.visible(&rest) {
            findings.push(extraneous_property(property, schema, &rest, &suggestions));
        }
        content
    }

    pub(super) fn partial_content(
        &self,
        hidden: &Hidden,
        schema: &Schema<'_>,
        findings: &mut Vec<Finding>,
    ) -> (Content, Hidden) {
        let mut content =
            Content { attributes: Vec::new(), blocks: Vec::new(), missing_item: self.missing_item() };
        let mut taken: Vec<SmolStr> = Vec::new();
        let names = schema.attribute_names();
        let mut set: HashMap<&str, usize> = HashMap::new();
        let mut repeated = 0;
        for property in properties(&self.0, None, findings) {
            let name = &property.name;
            if hidden.attributes.has(name) {
                continue;
            }
            if names.has(name) {
                if let Some(first) = set.get(name.as_str()) {
                    repeated += 1;
                    if repeated <= MOST_REPEATED {
                        let first = &content.attributes[*first];
                        findings.push(set_twice("Duplicate argument", property, first));
                    }
                    continue;
                }
                set.insert(name, content.attributes.len());
                content.attributes.push(Arc::clone(property.attribute()));
            } else if let Some(expected) = schema.block(name) {
                let mut unpacking =
                    Unpacking { property, labels: Vec::new(), blocks: &mut content.blocks, findings };
                unpacking.unpack(&property.value, expected.labels);
            } else {
                continue;
            }
            taken.push(name.clone());
        }
        content.blocks.retain(|block| !hidden.made.has(block.makes()));
        for expected in schema.attributes.iter().filter(|expected| expected.required) {
            if !set.contains_key(expected.name) {
                findings.push(missing_argument(expected.name, self.missing_item()));
            }
        }
        let attributes = hidden.attributes.and(taken.into_iter());
        (content, Hidden { attributes, blocks: Names::default(), made: hidden.made.clone() })
    }

    pub(super) fn just_attributes(
        &self,
        hidden: &Hidden,
        findings: &mut Vec<Finding>,
    ) -> Vec<Arc<Attribute>> {
        let NodeKind::Object(properties) = &self.0.kind else {
            let detail = "An object is required here, with the arguments as its properties.";
            findings.push(wrong_type(&self.0, detail));
            return Vec::new();
        };
        let mut attributes: Vec<Arc<Attribute>> = Vec::with_capacity(properties.len());
        let mut known: HashMap<&str, usize> = HashMap::new();
        let mut repeated = 0;
        for property in properties {
            if property.name == COMMENT || hidden.attributes.has(&property.name) {
                continue;
            }
            if let Some(first) = known.get(property.name.as_str()) {
                repeated += 1;
                if repeated <= MOST_REPEATED {
                    findings.push(set_twice("Duplicate attribute definition", property, &attributes[*first]));
                }
                continue;
            }
            known.insert(&property.name, attributes.len());
            attributes.push(Arc::clone(property.attribute()));
        }
        attributes
    }

    pub(super) fn is_empty(&self, hidden: &Hidden) -> bool {
        let mut findings = Vec::new();
        let nothing_wrong =
            properties(&self.0, None, &mut findings).is_empty() || self.visible(hidden).is_empty();
        nothing_wrong && findings.is_empty()
    }

    pub(super) fn for_each_expression(&self, hidden: &Hidden, visit: &mut dyn FnMut(&Expr)) {
        for property in self.visible(hidden) {
            if made(property).iter().any(|block| hidden.made.has(&block.name)) {
                let others = made(property).into_iter().filter(|block| !hidden.made.has(&block.name));
                others.for_each(|block| visit(&block.attribute().expr));
            } else {
                visit(&property.attribute().expr);
            }
        }
    }

    /// The names of the properties; those in a `dynamic` property are block types.
    pub(super) fn names(&self, hidden: &Hidden) -> Vec<SmolStr> {
        let names = |property| {
            let made: Vec<_> =
                made(property).into_iter().filter(|block| !hidden.made.has(&block.name)).collect();
            if made.is_empty() { vec![property] } else { made }
        };
        self.visible(hidden).into_iter().flat_map(names).map(|property| property.name.clone()).collect()
    }

    pub(super) fn missing_item(&self) -> Span {
        let Span { file, start, end } = self.0.span;
        match self.0.kind {
            NodeKind::Object(_) => Span { file, start: end.saturating_sub(1).max(start), end },
            NodeKind::Array(_) | NodeKind::Scalar(_) | NodeKind::Invalid => self.0.start(),
        }
    }

    /// The remaining properties without comments. A value of the wrong type was reported when its properties were
    /// read first.
    pub(super) fn visible(&self, hidden: &Hidden) -> Vec<&Property> {
        let mut all = properties(&self.0, None, &mut Vec::new());
        let is_replaced = |property| {
            let made = made(property);
            !made.is_empty() && made.iter().all(|block| hidden.made.has(&block.name))
        };
        all.retain(|property| {
            property.name != COMMENT && !hidden.attributes.has(&property.name) && !is_replaced(property)
        });
        all
    }
}

/// The properties in a `dynamic` property, whose names are the types of the blocks that they make.
fn made(property: &Property) -> Vec<&Property> {
    if property.name == "dynamic" { properties(&property.value, None, &mut Vec::new()) } else { Vec::new() }
}

/// The properties of an object, or of all objects in an array. They are arguments and blocks or, with `label`, the
/// values of that label.
fn properties<'n>(node: &'n Node, label: Option<&str>, findings: &mut Vec<Finding>) -> Vec<&'n Property> {
    let wrong = |node: &Node, what: &str| {
        let detail = match label {
            Some(label) => {
                format!("{what} is required here, with the {label} of a block as each property name.")
            }
            None => format!("{what} is required here, with arguments and blocks as its properties."),
        };
        wrong_type(node, &detail)
    };
    match &node.kind {
        NodeKind::Scalar(Scalar::Null) => Vec::new(),
        NodeKind::Object(properties) => properties.iter().collect(),
        NodeKind::Array(elements) => {
            let mut all = Vec::new();
            for element in elements {
                match &element.kind {
                    NodeKind::Object(properties) => all.extend(properties),
                    NodeKind::Scalar(_) | NodeKind::Array(_) | NodeKind::Invalid => {
                        findings.push(wrong(element, "An object"));
                    }
                }
            }
            all
        }
        NodeKind::Scalar(_) | NodeKind::Invalid => {
            findings.push(wrong(node, "An object, or an array of objects,"));
            Vec::new()
        }
    }
}

/// Collects the blocks of one property.
struct Unpacking<'u> {
    property: &'u Property,
    /// The labels of the enclosing objects.
    labels: Vec<Label>,
    blocks: &'u mut Vec<Arc<Block>>,
    findings: &'u mut Vec<Finding>,
}

impl Unpacking<'_> {
    /// Descends into one more object for each remaining label.
    fn unpack(&mut self, node: &Arc<Node>, labels_left: &[&str]) {
        let kind = &self.property.name;
        if let [label, labels_left @ ..] = labels_left {
            let properties = properties(node, Some(label), self.findings);
            if properties.is_empty() {
                let finding = Finding::language(EngineRule::MissingArgument, "Missing block label")
                    .detail(format!(
                        "A `{kind}` block requires an object with a property for its {label}, but {}.",
                        without_properties(node)
                    ))
                    .at(node.start());
                self.findings.push(finding);
            }
            for property in properties {
                self.labels.push(Label { text: property.name.clone(), span: property.name_span });
                self.unpack(&property.value, labels_left);
                self.labels.pop();
            }
            return;
        }
        match &node.kind {
            NodeKind::Scalar(Scalar::Null) => {}
            NodeKind::Object(_) => self.block(node, node),
            // An element that is no object is reported when its body is decoded.
            NodeKind::Array(elements) => elements.iter().for_each(|element| self.block(node, element)),
            NodeKind::Scalar(_) | NodeKind::Invalid => {
                let detail =
                    format!("An object is required here, or an array with one for each `{kind}` block.");
                self.findings.push(wrong_type(node, &detail));
            }
        }
    }

    /// The engine reports all blocks of one array at its bracket.
    fn block(&mut self, header: &Node, body: &Arc<Node>) {
        self.blocks.push(Arc::new(Block {
            kind: self.property.name.clone(),
            kind_span: self.property.name_span,
            labels: self.labels.clone(),
            header: header.start(),
            body: Body::json(Arc::clone(body)),
        }));
    }
}

fn extraneous_property(
    property: &Property,
    schema: &Schema<'_>,
    taken: &Hidden,
    suggestions: &Suggestions,
) -> Finding {
    let name = property.name.as_str();
    let unused = schema.attributes.iter().map(|expected| expected.name);
    let unused = unused.filter(|name| !taken.attributes.has(name)).take_while(|_| suggestions.may_compare());
    Finding::language(EngineRule::UnsupportedBlockOrArgument, "Extraneous JSON object property")
        .detail(format!("No argument or block named `{name}` is expected here."))
        .at(property.name_span)
        .meant(similar(name, unused.chain(schema.blocks.iter().map(|expected| expected.kind))))
}

/// The number of repeated properties of an object that are reported: one more than the findings of a rule that are kept
/// for a module.
const MOST_REPEATED: usize = MOST_OF_RULE + 1;

fn set_twice(summary: &str, property: &Property, first: &Attribute) -> Finding {
    Finding::language(EngineRule::DuplicateDeclaration, summary)
        .detail(format!("The argument `{}` is already set.", property.name))
        .at(property.name_span)
        .related(first.name_span, "first set here")
        .help("remove one of the two")
}

/// Why a value has no properties.
fn without_properties(node: &Node) -> &'static str {
    match &node.kind {
        NodeKind::Object(_) => "the object is empty",
        NodeKind::Array(_) => "this array contains no object",
        NodeKind::Invalid => UNREADABLE,
        NodeKind::Scalar(_) => "the value is not an object",
    }
}

/// Why an invalid value is unknown.
const UNREADABLE: &str = "the value cannot be read because of a syntax error";

fn wrong_type(node: &Node, detail: &str) -> Finding {
    let because = format!("{detail} However, {UNREADABLE}.");
    let detail = if matches!(node.kind, NodeKind::Invalid) { &because } else { detail };
    Finding::language(EngineRule::InvalidValue, "Incorrect JSON value type").detail(detail).at(node.start())
}

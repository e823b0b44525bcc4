//! The configuration body of a block, for a provider, a provisioner or a child module, after `_` blocks and override
//! files.
//!
//! Two behaviors meet here. The documentation says that arguments replace arguments and nested blocks replace all of
//! their type. In addition, the engine never reports unexpected items of a merged body, and looks for required items
//! in the base only.

use std::collections::BTreeSet;
use std::sync::Arc;

use hashbrown::HashMap;
use smol_str::SmolStr;

use crate::finding::{EngineRule, Finding};
use crate::syntax::{
    Attribute, AttributeSchema, BlockSchema, Body, Content, Expr, HasElements, Iteration, Schema,
};
use crate::text::Span;

/// The rest of a block after its meta-arguments.
#[derive(Debug, Clone)]
pub enum Config {
    /// The rest of one block.
    Plain(Body),
    /// The rest of one block, and its `_` block. Both have equal weight.
    Escaped(Body, Body),
    /// A base, and the override bodies in merge order.
    Merged(Vec<Config>),
}

impl Config {
    /// Merges an override body into this one.
    pub fn merge(&mut self, over: Config) {
        if let Self::Merged(layers) = self {
            layers.push(over);
            return;
        }
        let base = std::mem::replace(self, Self::Merged(Vec::new()));
        *self = Self::Merged(vec![base, over]);
    }

    /// Whether an override body was merged. Unexpected items are then dropped silently.
    pub fn is_merged(&self) -> bool {
        match self {
            Self::Plain(_) | Self::Escaped(..) => false,
            Self::Merged(..) => true,
        }
    }

    /// Decodes the items that `schema` expects. Unexpected items are reported, unless override bodies were merged.
    pub fn content(&self, schema: &Schema<'_>, findings: &mut Vec<Finding>) -> Content {
        match self {
            Self::Plain(body) => body.content(schema, findings),
            Self::Escaped(body, escaped) => blend(schema, findings, |schema, findings| {
                [body.content(schema, findings), escaped.content(schema, findings)]
            }),
            Self::Merged(..) => self.partial_content(schema, findings),
        }
    }

    /// Decodes the items that `schema` expects, and ignores all others.
    fn partial_content(&self, schema: &Schema<'_>, findings: &mut Vec<Finding>) -> Content {
        match self {
            Self::Plain(body) => body.partial_content(schema, findings).0,
            Self::Escaped(body, escaped) => blend(schema, findings, |schema, findings| {
                [body.partial_content(schema, findings).0, escaped.partial_content(schema, findings).0]
            }),
            Self::Merged(layers) => {
                let blocks = with_dynamic(schema.blocks);
                let optional: HashMap<&str, AttributeSchema<'_>> =
                    none_required(schema.attributes).into_iter().map(|one| (one.name, one)).collect();
                let contents = layers.iter().enumerate().map(|(number, layer)| {
                    if number == 0 {
                        let schema = Schema { attributes: schema.attributes, blocks: &blocks };
                        return layer.partial_content(&schema, findings);
                    }
                    // There may be many layers with few arguments each.
                    let names: BTreeSet<SmolStr> = layer.names().into_iter().collect();
                    let attributes: Vec<_> =
                        names.iter().filter_map(|name| optional.get(name.as_str()).copied()).collect();
                    layer.partial_content(&Schema { attributes: &attributes, blocks: &blocks }, findings)
                });
                replaced(contents.collect())
            }
        }
    }

    /// Whether a closing brace is missing, so that it is unknown which items belong to the body.
    pub fn is_unclosed(&self) -> bool {
        self.bodies().into_iter().any(Body::is_unclosed)
    }

    /// Whether an empty schema would report nothing. Always true for a merged body: the engine then treats a provider
    /// configuration as empty.
    pub fn looks_empty(&self) -> bool {
        self.is_merged() || self.is_empty()
    }

    /// Whether nothing is set in the base or any override.
    pub fn is_empty(&self) -> bool {
        self.bodies().into_iter().all(Body::is_empty)
    }

    /// All arguments, where later ones replace earlier ones. Blocks are reported.
    pub fn just_attributes(&self, findings: &mut Vec<Finding>) -> Vec<Arc<Attribute>> {
        match self {
            Self::Plain(body) => body.just_attributes(findings),
            Self::Escaped(body, escaped) => {
                let mut attributes = body.just_attributes(findings);
                let more = escaped.just_attributes(findings);
                add_new(&mut attributes, more, findings);
                attributes
            }
            Self::Merged(layers) => {
                let layers = layers.iter().map(|layer| layer.just_attributes(findings)).collect();
                last_of_each(layers, |attribute| attribute.name.as_str())
            }
        }
    }

    /// Calls `visit` with every expression in effect, at any depth. Arguments that an override replaces are left out.
    pub fn for_each_expression(&self, visit: &mut dyn FnMut(&Expr)) {
        self.for_each_body(&mut |body| body.for_each_expression(visit));
    }

    /// Like [`Self::for_each_expression`], with the `dynamic` blocks around each expression.
    pub fn for_each_expression_in_scope(&self, visit: &mut dyn FnMut(&Expr, Iteration<'_>)) {
        self.for_each_body(&mut |body| body.for_each_expression_in_scope(visit));
    }

    /// The same, with what is known about the collections of `dynamic` blocks.
    pub fn for_each_expression_expanded(
        &self,
        has_elements: &HasElements<'_>,
        visit: &mut dyn FnMut(&Expr, Iteration<'_>),
    ) {
        self.for_each_body(&mut |body| body.for_each_expression_expanded(has_elements, visit));
    }

    /// Calls `visit` with every body, without the items that an override replaces.
    pub fn for_each_body(&self, visit: &mut dyn FnMut(&Body)) {
        match self {
            Self::Plain(_) | Self::Escaped(..) => self.bodies().into_iter().for_each(visit),
            Self::Merged(layers) => in_force(layers).for_each(|layer| layer.for_each_body(visit)),
        }
    }

    /// The names of all arguments and block types.
    pub fn names(&self) -> Vec<SmolStr> {
        self.bodies().into_iter().flat_map(Body::names).collect()
    }

    /// The same body without the arguments and blocks of these names.
    fn without(&self, names: &[SmolStr]) -> Config {
        match self {
            Self::Plain(body) => Self::Plain(body.without(names)),
            Self::Escaped(body, escaped) => Self::Escaped(body.without(names), escaped.without(names)),
            Self::Merged(layers) => Self::Merged(layers.iter().map(|layer| layer.without(names)).collect()),
        }
    }

    /// Where the engine reports a provider's error about an argument. It looks the argument up as a required one, and
    /// required arguments must be in the base. For an argument from an override, it therefore reports the end of the
    /// base.
    pub fn place_of(&self, argument: &Attribute) -> Span {
        let base = self.base();
        let adds = self.is_merged() && !base.iter().any(|body| body.names().contains(&argument.name));
        match base.first().filter(|_| adds) {
            Some(body) => body.missing_item(),
            None => argument.expr.span,
        }
    }

    /// Where the engine reports a provider's error about an argument that is not set.
    pub fn missing_place(&self) -> Option<Span> {
        Some(self.base().first()?.missing_item())
    }

    /// The bodies of the base block.
    fn base(&self) -> Vec<&Body> {
        match self {
            Self::Plain(_) | Self::Escaped(..) => self.bodies(),
            Self::Merged(layers) => layers.first().map(Self::base).unwrap_or_default(),
        }
    }

    /// All bodies: the base, then each override.
    pub fn bodies(&self) -> Vec<&Body> {
        match self {
            Self::Plain(body) => vec![body],
            Self::Escaped(body, escaped) => vec![body, escaped],
            Self::Merged(layers) => layers.iter().flat_map(Self::bodies).collect(),
        }
    }
}

/// Combines the content of a body and of its `_` block. An argument in both is an error; required arguments may be in
/// either.
fn blend(
    schema: &Schema<'_>,
    findings: &mut Vec<Finding>,
    contents: impl Fn(&Schema<'_>, &mut Vec<Finding>) -> [Content; 2],
) -> Content {
    let optional = none_required(schema.attributes);
    let [mut content, more] = contents(&Schema { attributes: &optional, blocks: schema.blocks }, findings);
    add_new(&mut content.attributes, more.attributes, findings);
    content.blocks.extend(more.blocks);
    for required in schema.attributes.iter().filter(|attribute| attribute.required) {
        if content.attribute(required.name).is_none() {
            // The engine reports this without a position.
            Finding::language(EngineRule::MissingArgument, "Missing required argument")
                .detail(format!("The argument `{}` is required, but it is not set.", required.name))
                .push_to(findings);
        }
    }
    content
}

/// Adds arguments to others. Duplicates are reported.
fn add_new(attributes: &mut Vec<Arc<Attribute>>, more: Vec<Arc<Attribute>>, findings: &mut Vec<Finding>) {
    let before: HashMap<SmolStr, Span> =
        attributes.iter().map(|earlier| (earlier.name.clone(), earlier.name_span)).collect();
    for attribute in more {
        match before.get(&attribute.name) {
            Some(earlier) => Finding::language(EngineRule::DuplicateDeclaration, "Duplicate argument")
                .detail(format!("The argument `{}` is already set outside the `_` block.", attribute.name))
                .at(attribute.name_span)
                .related(*earlier, "set here already")
                .push_to(findings),
            None => attributes.push(attribute),
        }
    }
}

/// Merges the layers: arguments replace those of earlier layers, and blocks replace all earlier blocks of their type,
/// including those that either side makes with `dynamic`.
fn replaced(layers: Vec<Content>) -> Content {
    let missing_item = layers[0].missing_item;
    let (attributes, blocks) = layers.into_iter().map(|layer| (layer.attributes, layer.blocks)).unzip();
    Content {
        attributes: last_of_each(attributes, |attribute| attribute.name.as_str()),
        blocks: last_of_each(blocks, |block| block.makes()),
        missing_item,
    }
}

/// The items whose name no later layer has, in order.
fn last_of_each<T>(layers: Vec<Vec<Arc<T>>>, name: impl Fn(&T) -> &str) -> Vec<Arc<T>> {
    let mut last: HashMap<SmolStr, usize> = HashMap::new();
    for (number, layer) in layers.iter().enumerate() {
        last.extend(layer.iter().map(|item| (SmolStr::new(name(item)), number)));
    }
    let layers = layers.into_iter().enumerate();
    let is_last = |number: usize, item: &Arc<T>| last.get(name(item)) == Some(&number);
    layers
        .flat_map(|(number, layer)| layer.into_iter().map(move |item| (number, item)))
        .filter(|(number, item)| is_last(*number, item))
        .map(|(_, item)| item)
        .collect()
}

/// Each layer without the items that later layers replace.
fn in_force(layers: &[Config]) -> impl Iterator<Item = Config> {
    let mut last: HashMap<SmolStr, usize> = HashMap::new();
    for (number, layer) in layers.iter().enumerate() {
        last.extend(layer.names().into_iter().map(|name| (name, number)));
    }
    layers.iter().enumerate().map(move |(number, layer)| {
        let replaced = layer.names().into_iter().filter(|name| last.get(name) != Some(&number));
        layer.without(&replaced.collect::<Vec<_>>())
    })
}

fn none_required<'a>(attributes: &[AttributeSchema<'a>]) -> Vec<AttributeSchema<'a>> {
    attributes.iter().map(|attribute| AttributeSchema { required: false, ..*attribute }).collect()
}

fn with_dynamic<'a>(blocks: &[BlockSchema<'a>]) -> Vec<BlockSchema<'a>> {
    blocks.iter().copied().chain([BlockSchema::new("dynamic", &["type"])]).collect()
}

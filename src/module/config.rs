//! The part of a block that means something to somebody else (a provider, or the module that is called), after
//! escaping blocks and override files.
//!
//! This is where the documented rule "arguments replace, nested blocks replace all of their type" meets what the
//! engines do: a body that was merged is never asked for what does not belong there, and what is required has to be
//! in the base.

use std::collections::HashMap;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::finding::{EngineRule, Finding};
use crate::syntax::{Attribute, AttributeSchema, BlockSchema, Body, Content, Expr, Iteration, Schema};
use crate::text::Span;

/// What is left of a block once its meta-arguments are taken out.
#[derive(Debug, Clone)]
pub enum Config {
    /// The rest of one block.
    Plain(Body),
    /// The rest of one block, and the `_` block in it: both count alike.
    Escaped(Body, Body),
    /// A base, and what override files have for it, in the order in which they count.
    Merged(Vec<Config>),
}

impl Config {
    /// Puts what an override file has over this.
    pub fn merge(&mut self, over: Config) {
        if let Self::Merged(layers) = self {
            layers.push(over);
            return;
        }
        let base = std::mem::replace(self, Self::Merged(Vec::new()));
        *self = Self::Merged(vec![base, over]);
    }

    /// Whether an override file has a say in it. What does not belong there is then dropped without a word.
    pub fn is_merged(&self) -> bool {
        match self {
            Self::Plain(_) | Self::Escaped(..) => false,
            Self::Merged(..) => true,
        }
    }

    /// Takes what `schema` expects. What is there beyond that is a finding, except where override files were merged.
    pub fn content(&self, schema: &Schema<'_>, findings: &mut Vec<Finding>) -> Content {
        match self {
            Self::Plain(body) => body.content(schema, findings),
            Self::Escaped(body, escaped) => blend(schema, findings, |schema, findings| {
                [body.content(schema, findings), escaped.content(schema, findings)]
            }),
            Self::Merged(..) => self.partial_content(schema, findings),
        }
    }

    /// Takes what `schema` expects and lets everything else be.
    fn partial_content(&self, schema: &Schema<'_>, findings: &mut Vec<Finding>) -> Content {
        match self {
            Self::Plain(body) => body.partial_content(schema, findings).0,
            Self::Escaped(body, escaped) => blend(schema, findings, |schema, findings| {
                [body.partial_content(schema, findings).0, escaped.partial_content(schema, findings).0]
            }),
            Self::Merged(layers) => {
                let blocks = with_dynamic(schema.blocks);
                let optional = none_required(schema.attributes);
                let contents = layers.iter().enumerate().map(|(number, layer)| {
                    let attributes = if number == 0 { schema.attributes } else { &optional };
                    layer.partial_content(&Schema { attributes, blocks: &blocks }, findings)
                });
                replaced(contents.collect())
            }
        }
    }

    /// Whether nobody knows which items belong to it, because a closing brace is missing.
    pub fn is_unclosed(&self) -> bool {
        match self {
            Self::Plain(body) => body.is_unclosed(),
            Self::Escaped(body, escaped) => body.is_unclosed() || escaped.is_unclosed(),
            Self::Merged(layers) => layers.iter().any(Self::is_unclosed),
        }
    }

    /// Whether nothing stands in it that an empty schema would complain about. Of a merged config that is always so:
    /// the engines then take a configured provider for an empty one.
    pub fn looks_empty(&self) -> bool {
        match self {
            Self::Plain(body) => body.is_empty(),
            Self::Escaped(body, escaped) => body.is_empty() && escaped.is_empty(),
            Self::Merged(..) => true,
        }
    }

    /// Whether nothing is set anywhere in it, override files included.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Plain(body) => body.is_empty(),
            Self::Escaped(body, escaped) => body.is_empty() && escaped.is_empty(),
            Self::Merged(layers) => layers.iter().all(Self::is_empty),
        }
    }

    /// All arguments, whatever they are called, later ones replacing earlier ones; blocks are a finding.
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

    /// Calls `visit` with every expression that counts, at any depth: what an override replaces is left out.
    pub fn for_each_expression(&self, visit: &mut dyn FnMut(&Expr)) {
        match self {
            Self::Plain(body) => body.for_each_expression(visit),
            Self::Escaped(body, escaped) => {
                body.for_each_expression(visit);
                escaped.for_each_expression(visit);
            }
            Self::Merged(layers) => {
                for layer in in_force(layers) {
                    layer.for_each_expression(visit);
                }
            }
        }
    }

    /// The same, with the `dynamic` blocks around each expression.
    pub fn for_each_expression_in_scope(&self, visit: &mut dyn FnMut(&Expr, Iteration<'_>)) {
        match self {
            Self::Plain(body) => body.for_each_expression_in_scope(visit),
            Self::Escaped(body, escaped) => {
                body.for_each_expression_in_scope(visit);
                escaped.for_each_expression_in_scope(visit);
            }
            Self::Merged(layers) => {
                for layer in in_force(layers) {
                    layer.for_each_expression_in_scope(visit);
                }
            }
        }
    }

    /// The names of all arguments and kinds of blocks in it.
    fn names(&self) -> Vec<SmolStr> {
        match self {
            Self::Plain(body) => body.names(),
            Self::Escaped(body, escaped) => [body.names(), escaped.names()].concat(),
            Self::Merged(layers) => layers.iter().flat_map(Self::names).collect(),
        }
    }

    /// The same without arguments and blocks of these names.
    fn without(&self, names: &[SmolStr]) -> Config {
        match self {
            Self::Plain(body) => Self::Plain(body.without(names)),
            Self::Escaped(body, escaped) => Self::Escaped(body.without(names), escaped.without(names)),
            Self::Merged(layers) => Self::Merged(layers.iter().map(|layer| layer.without(names)).collect()),
        }
    }

    /// Where the engines show what a provider says of an argument. They look for it as for one that is required, and
    /// what is required has to be in the base: of what an override file adds, they show the end of the base.
    pub fn place_of(&self, argument: &Attribute) -> Span {
        let base = self.base();
        let adds = self.is_merged() && !base.iter().any(|body| body.names().contains(&argument.name));
        match base.first().filter(|_| adds) {
            Some(body) => body.missing_item(),
            None => argument.expr.span,
        }
    }

    /// The bodies of the block that all override files are merged into.
    fn base(&self) -> Vec<&Body> {
        match self {
            Self::Plain(_) | Self::Escaped(..) => self.bodies(),
            Self::Merged(layers) => layers.first().map(Self::base).unwrap_or_default(),
        }
    }

    /// What each block brings to it: the base, then every override.
    pub fn layers(&self) -> Vec<Vec<&Body>> {
        match self {
            Self::Plain(_) | Self::Escaped(..) => vec![self.bodies()],
            Self::Merged(layers) => layers.iter().flat_map(Self::layers).collect(),
        }
    }

    /// The bodies it is made of: the base, then every override.
    pub fn bodies(&self) -> Vec<&Body> {
        match self {
            Self::Plain(body) => vec![body],
            Self::Escaped(body, escaped) => vec![body, escaped],
            Self::Merged(layers) => layers.iter().flat_map(Self::bodies).collect(),
        }
    }
}

/// The content of a body and of the escaping block in it, as one: an argument in both is an error, and what is required
/// may stand in either.
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
            // The engines give no place here.
            findings.push(
                Finding::language(EngineRule::MissingArgument, "Missing required argument")
                    .detail(format!("The argument `{}` is required, but it is not set.", required.name)),
            );
        }
    }
    content
}

/// Adds arguments to others; one that is there already is an error.
fn add_new(attributes: &mut Vec<Arc<Attribute>>, more: Vec<Arc<Attribute>>, findings: &mut Vec<Finding>) {
    for attribute in more {
        match attributes.iter().find(|earlier| earlier.name == attribute.name) {
            Some(earlier) => findings.push(
                Finding::language(EngineRule::DuplicateDeclaration, "Duplicate argument")
                    .detail(format!(
                        "The argument `{}` is already set outside of the `_` block.",
                        attribute.name
                    ))
                    .at(attribute.name_span)
                    .related(earlier.name_span, "set here already"),
            ),
            None => attributes.push(attribute),
        }
    }
}

/// Arguments of an override replace those of the base; its blocks replace all of the base that have their kind, also
/// where one side makes them with `dynamic`.
fn replaced(layers: Vec<Content>) -> Content {
    let missing_item = layers[0].missing_item;
    let (attributes, blocks) = layers.into_iter().map(|layer| (layer.attributes, layer.blocks)).unzip();
    Content {
        attributes: last_of_each(attributes, |attribute| attribute.name.as_str()),
        blocks: last_of_each(blocks, |block| block.makes()),
        missing_item,
    }
}

/// What is in no later layer by the same name, in order.
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

/// Each layer without what later ones replace.
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

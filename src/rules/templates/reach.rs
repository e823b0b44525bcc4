//! Follows the path to an argument in a block.
//!
//! Override files apply as in the engine ([`crate::module::Module::history`]). A `dynamic` block counts as the block
//! that it produces, and a resource counts whatever its `count` is.
//! A path through several blocks, or through a list, has several results.

use std::sync::Arc;

use smol_str::SmolStr;

use super::argument::ArgumentPath;
use super::blocks::{BYTES_PER_STEP, Blocks};
use super::parts::{Content, Part};
use crate::graph::Node;
use crate::module::merged::{MergedBlock, Nested};
use crate::rules::Context;
use crate::syntax::{Block, Expr, ExprKind, ObjectKey};
use crate::text::Span;
use crate::value::{self, Type, Value};

/// A result of following a path.
pub(super) enum Reached {
    /// A nested block.
    Block(Span),
    /// The value of an argument, or of a key in it.
    Value {
        /// The value.
        value: Value,
        /// From the name to the end of the value.
        whole: Span,
        /// The value with its span, or if it is a collection, each element with its span.
        parts: Vec<(Span, Value)>,
    },
    /// The path ends early.
    Nothing {
        /// The number of steps that exist.
        steps: usize,
        /// The span that these steps lead to.
        at: Span,
    },
    /// The result is unknown before planning.
    Unknown,
}

/// Calls a function with each block, and each text in the values of one of its arguments, with its span.
///
/// A null value is not set, and a value without text is unknown.
pub(super) fn each_text(
    (node, context): (Node<'_>, &Context<'_>),
    blocks: &Blocks,
    path: &ArgumentPath,
    mut check: impl FnMut(&Part, Span, &SmolStr),
) {
    for part in blocks.of(node.module(), context) {
        let found = follow((node, context), &part, path);
        context.step(path.steps().len() + found.len());
        for reached in found {
            let Reached::Value { parts, .. } = reached else { continue };
            let texts = parts.into_iter().filter_map(|(at, value)| Some((at, as_text(&value)?)));
            texts.for_each(|(at, text)| {
                context.step(1 + text.len() / BYTES_PER_STEP);
                check(&part, at, &text);
            });
        }
    }
}

/// Follows a path from a block of a module.
pub(super) fn follow(
    (node, context): (Node<'_>, &Context<'_>),
    part: &Part,
    path: &ArgumentPath,
) -> Vec<Reached> {
    let mut search = Search { path: path.steps(), node, context, found: Vec::new() };
    search.part(part);
    search.found
}

struct Search<'s> {
    path: &'s [SmolStr],
    node: Node<'s>,
    context: &'s Context<'s>,
    found: Vec<Reached>,
}

impl Search<'_> {
    fn part(&mut self, part: &Part) {
        match &part.content {
            Content::Block(origin) => self.merged(&self.node.module().history(origin).block, part.header, 0),
            Content::Settings { bases, overrides } => self.settings(bases, overrides, part.header),
            Content::Entry(entry) => match entry.expr.kind {
                ExprKind::Object(_) | ExprKind::JsonObject(_) => {
                    self.expression(&entry.expr, entry.span, entry.name_span, 0);
                }
                // A version constraint alone, as in Terraform 0.12.
                _ => self.found.push(Reached::Unknown),
            },
            Content::Nowhere => self.found.push(Reached::Nothing { steps: 0, at: part.header }),
        }
    }

    /// The settings of a module may be in several base blocks, which do not replace each other. Blocks of override
    /// files do.
    fn settings(&mut self, bases: &[Arc<Block>], overrides: &[Arc<Block>], header: Span) {
        let has = |block: &MergedBlock| self.has(block);
        let mut overrides = overrides.iter().rev().map(MergedBlock::as_written);
        if let Some(last) = overrides.find(has) {
            self.merged(&last, last.block.header, 0);
            return;
        }
        let having: Vec<_> = bases.iter().map(MergedBlock::as_written).filter(has).collect();
        for base in &having {
            self.merged(base, header, 0);
        }
        if having.is_empty() {
            self.found.push(Reached::Nothing { steps: 0, at: header });
        }
    }

    /// Whether a block has what the path starts with.
    fn has(&self, block: &MergedBlock) -> bool {
        let name = &self.path[0];
        block.arguments.iter().any(|argument| argument.counts.name == *name)
            || block.blocks.iter().any(|nested| nested.block.block.makes() == name)
    }

    /// Follows the path into a block, whose arguments may also be in a `_` block.
    fn merged(&mut self, merged: &MergedBlock, at: Span, step: usize) {
        let wanted = &self.path[step];
        let is_escape =
            |nested: &&Nested| nested.block.block.kind == "_" && nested.block.block.labels.is_empty();
        let escaped = merged.blocks.iter().filter(is_escape).map(|nested| &nested.block);
        let all: Vec<&MergedBlock> = std::iter::once(merged).chain(escaped).collect();
        let nested = all.iter().flat_map(|part| &part.blocks).map(|nested| &nested.block);
        let blocks: Vec<_> = nested.filter(|nested| nested.block.makes() == wanted).collect();
        if !blocks.is_empty() {
            let before = self.found.len();
            for block in blocks {
                self.block(block, step + 1);
            }
            // There are such blocks, but none with the label in the path.
            if self.found.len() == before {
                self.found.push(Reached::Nothing { steps: step + 1, at });
            }
            return;
        }
        let argument = |name: &str| {
            let mut arguments = all.iter().rev().flat_map(|part| &part.arguments);
            arguments.find(|argument| argument.counts.name == name).map(|argument| &argument.counts)
        };
        match argument(wanted) {
            Some(found) => self.expression(&found.expr, found.span, found.name_span, step + 1),
            // In JSON, the content of the generated blocks is unknown.
            None if argument("dynamic").is_some() => self.found.push(Reached::Unknown),
            None => self.found.push(Reached::Nothing { steps: step, at }),
        }
    }

    fn block(&mut self, merged: &MergedBlock, step: usize) {
        let block = &merged.block;
        // In JSON, several blocks have the header of the first one.
        let at = if block.body.is_json() { block.body.span() } else { block.header };
        if block.kind == "dynamic" {
            let content = merged.blocks.iter().find(|nested| nested.block.block.kind == "content");
            match content.filter(|_| step < self.path.len()) {
                Some(content) => self.merged(&content.block, at, step),
                None => self.found.push(Reached::Block(at)),
            }
            return;
        }
        // The labels of a nested block, such as a provisioner, are names in the path.
        let named = self.path[step..].iter().zip(&block.labels);
        if named.clone().any(|(name, label)| *name != label.text) {
            return;
        }
        let step = step + named.count();
        if step == self.path.len() {
            self.found.push(Reached::Block(at));
        } else {
            self.merged(merged, at, step);
        }
    }

    fn expression(&mut self, expr: &Expr, whole: Span, name: Span, step: usize) {
        let Some(wanted) = self.path.get(step) else {
            let (value, parts) = (self.value_of(expr), self.parts(expr));
            self.found.push(Reached::Value { value, whole, parts });
            return;
        };
        match &expr.kind {
            ExprKind::Parens(inner) => self.expression(inner, whole, name, step),
            ExprKind::Tuple(elements) if !elements.is_empty() => {
                for element in elements {
                    self.expression(element, element.span, element.span, step);
                }
            }
            ExprKind::Object(items) => {
                let keys: Vec<_> = items.iter().map(|item| (self.key(&item.key), item)).collect();
                let found = keys.iter().rfind(|(key, _)| key.as_ref().is_some_and(|(key, _)| key == wanted));
                match found {
                    Some((Some((_, key)), item)) => {
                        self.expression(&item.value, key.to(item.value.span), *key, step + 1);
                    }
                    _ if keys.iter().any(|(key, _)| key.is_none()) => self.found.push(Reached::Unknown),
                    _ => self.found.push(Reached::Nothing { steps: step, at: name }),
                }
            }
            ExprKind::JsonObject(properties) => {
                let is_plain = |text: &str| !text.contains("${") && !text.contains("%{");
                let found = properties.iter().rfind(|property| property.name.text == *wanted);
                match found {
                    Some(property) => {
                        let (name, value) = (property.name_span, &property.value);
                        self.expression(value, name.to(value.span), name, step + 1);
                    }
                    None if properties.iter().all(|property| is_plain(&property.name.text)) => {
                        self.found.push(Reached::Nothing { steps: step, at: name });
                    }
                    None => self.found.push(Reached::Unknown),
                }
            }
            _ => self.value(&self.value_of(expr), expr.span, whole, step),
        }
    }

    /// Follows the path into a computed value.
    fn value(&mut self, value: &Value, at: Span, whole: Span, step: usize) {
        let nothing = Reached::Nothing { steps: step, at };
        let Some(wanted) = self.path.get(step) else {
            let parts = flat(value).into_iter().map(|part| (at, part)).collect();
            self.found.push(Reached::Value { value: value.clone(), whole, parts });
            return;
        };
        match value {
            Value::Object(inside) | Value::Map(_, inside) => match inside.get(wanted) {
                Some(value) => self.value(value, at, whole, step + 1),
                None => self.found.push(nothing),
            },
            Value::List(_, elements) | Value::Set(_, elements) | Value::Tuple(elements)
                if !elements.is_empty() =>
            {
                for element in elements {
                    self.value(element, at, whole, step);
                }
            }
            // An object of this type has no other attributes.
            Value::Unknown(Type::Object(attributes)) if !attributes.contains_key(wanted) => {
                self.found.push(nothing);
            }
            Value::Marked(inner, _) => self.value(inner, at, whole, step),
            Value::Unknown(_) => self.found.push(Reached::Unknown),
            Value::List(..)
            | Value::Set(..)
            | Value::Tuple(_)
            | Value::Null(_)
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_) => self.found.push(nothing),
        }
    }

    fn value_of(&self, expr: &Expr) -> Value {
        self.context.value(self.node, expr)
    }

    fn key(&self, key: &ObjectKey) -> Option<(SmolStr, Span)> {
        match key {
            ObjectKey::Name(name, span) => Some((name.clone(), *span)),
            ObjectKey::Expr(expr) => Some((as_text(&self.value_of(expr))?, expr.span)),
        }
    }

    /// The elements of a literal, each with its span.
    fn parts(&self, expr: &Expr) -> Vec<(Span, Value)> {
        match &expr.kind {
            ExprKind::Parens(inner) => self.parts(inner),
            ExprKind::Tuple(elements) => elements.iter().flat_map(|element| self.parts(element)).collect(),
            ExprKind::Object(items) => items.iter().flat_map(|item| self.parts(&item.value)).collect(),
            ExprKind::JsonObject(items) => items.iter().flat_map(|item| self.parts(&item.value)).collect(),
            _ => flat(&self.value_of(expr)).into_iter().map(|value| (expr.span, value)).collect(),
        }
    }
}

/// The text of a value that can be converted to a string.
fn as_text(value: &Value) -> Option<SmolStr> {
    value::convert(value, &Type::String).ok()?.as_str().map(SmolStr::new)
}

/// The elements of a value, at every depth.
fn flat(value: &Value) -> Vec<Value> {
    match value {
        Value::List(_, elements) | Value::Set(_, elements) | Value::Tuple(elements) => {
            elements.iter().flat_map(flat).collect()
        }
        Value::Map(_, elements) | Value::Object(elements) => elements.values().flat_map(flat).collect(),
        Value::Marked(inner, _) => flat(inner),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Null(_) | Value::Unknown(_) => {
            vec![value.clone()]
        }
    }
}

//! The canonical content of a module, which changes only if a plan may change.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashSet;
use smol_str::SmolStr;

use super::address::ResourceAddress;
use super::dropped::Why;
use super::{Module, ModuleFile};
use crate::engine::FileKind;
use crate::syntax::{Attribute, Block, Body, Expr, ExprKind, LeftOut, without_layout};
use crate::text::{Source, Sources, Span};

/// Arguments without effect on plans.
const FOR_PEOPLE: LeftOut<'_> = &[("variable", "description"), ("output", "description")];

/// These arguments, and those that only define a named value.
const OF_NAMED_VALUES: LeftOut<'_> =
    &[("variable", "description"), ("output", "description"), ("variable", "default"), ("output", "value")];

/// A value that expressions refer to by a name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum NamedValue {
    /// The default of a variable.
    Variable(SmolStr),
    /// A local value.
    Local(SmolStr),
    /// The value of an output.
    Output(SmolStr),
    /// An argument of a module call.
    Argument {
        /// The name of the call.
        call: SmolStr,
        /// The variable of the child module.
        variable: SmolStr,
    },
    /// The content of a resource.
    Resource(ResourceAddress),
    /// The content of a module call, other than its arguments.
    Call(SmolStr),
}

/// The canonical content of the files of a module. Modules with equal content differ only in comments, layout,
/// descriptions, and the distribution of blocks over files.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Meaning {
    /// The blocks of base files, sorted.
    primary: Vec<String>,
    /// The blocks of override files in merge order.
    overriding: Vec<String>,
}

impl Meaning {
    /// The content of the files of a module, given in load order, without arguments that an override replaces. Returns
    /// `None` if one of them was not understood completely.
    pub(crate) fn of(module: &Module, files: &[ModuleFile<'_>], sources: &Sources) -> Option<Self> {
        Self::without(FOR_PEOPLE, &|_| false, module, files, sources)
    }

    fn without(
        left_out: LeftOut<'_>,
        is_left_out: &dyn Fn(&Attribute) -> bool,
        module: &Module,
        files: &[ModuleFile<'_>],
        sources: &Sources,
    ) -> Option<Self> {
        let mut meaning = Self { primary: Vec::new(), overriding: Vec::new() };
        let is_left_out = |_: &Block, nested: Option<&Block>, attribute: &Attribute| {
            let dropped = module.dropped.get(&attribute.span);
            dropped.is_some_and(|dropped| dropped.why == Why::Replaced)
                || nested.is_none() && is_left_out(attribute)
        };
        for file in files {
            if !file.complete {
                return None;
            }
            let source = sources.get(file.body.span().file);
            let texts = file.body.canonical_without(source, left_out, &is_left_out);
            match file.kind {
                FileKind::Primary => meaning.primary.extend(texts),
                FileKind::Override => meaning.overriding.extend(texts),
            }
        }
        meaning.primary.sort_unstable();
        Some(meaning)
    }
}

/// The content of a module, divided into its named values and everything else.
#[derive(Debug)]
pub(crate) struct Parts {
    /// The expression of each named value.
    values: BTreeMap<NamedValue, String>,
    /// The texts of each variable without its default, by the header of its block.
    variables: BTreeMap<String, (SmolStr, Vec<String>)>,
    /// The texts of each resource and module call, and of each output without nested blocks, by the header of its
    /// block.
    blocks: BTreeMap<String, (NamedValue, Vec<String>)>,
    /// Everything else.
    rest: Meaning,
}

impl Parts {
    /// The parts of a module with these files; see [`Meaning::of`].
    pub(crate) fn of(module: &Module, files: &[ModuleFile<'_>], sources: &Sources) -> Option<Self> {
        let values: Vec<(NamedValue, Span)> = named_values(module);
        let spans: HashSet<Span> = values.iter().map(|(_, span)| *span).collect();
        let is_value = |attribute: &Attribute| spans.contains(&attribute.expr.span);
        let mut rest = Meaning::without(OF_NAMED_VALUES, &is_value, module, files, sources)?;
        let names = module.variables.keys();
        let mut variables: BTreeMap<String, (SmolStr, Vec<String>)> =
            names.map(|name| (header_of_variable(name), (name.clone(), Vec::new()))).collect();
        let mut blocks = named_blocks(module);
        for (is_base, texts) in [(true, &mut rest.primary), (false, &mut rest.overriding)] {
            texts.retain(|text| {
                let (header, body) = text.split_once('\n').unwrap_or((text, ""));
                let has_only_values = body == "}\n";
                if let Some((_, texts)) = variables.get_mut(header) {
                    if is_base || !has_only_values {
                        texts.push(body.to_owned());
                    }
                    return false;
                }
                // A nested block is a precondition.
                let is_named =
                    |value: &NamedValue| !matches!(value, NamedValue::Output(_)) || !body.contains("{\n");
                if let Some((_, texts)) = blocks.get_mut(header).filter(|(value, _)| is_named(value)) {
                    if is_base || !has_only_values || !header.starts_with("output \"") {
                        texts.push(body.to_owned());
                    }
                    return false;
                }
                !(has_only_values && header == "locals {")
            });
        }
        let text = |span| without_layout(sources.slice(span));
        let values = values.into_iter().map(|(value, span)| (value, text(span))).collect();
        Some(Self { values, variables, blocks, rest })
    }

    /// The named values that differ between two states of a module. Returns `None` if anything else does.
    pub(crate) fn differing(&self, now: &Self) -> Option<BTreeSet<NamedValue>> {
        let mut in_both =
            self.variables.iter().filter_map(|(header, before)| Some((before, now.variables.get(header)?)));
        // A variable without a default needs a value from every caller.
        let default = |name: &SmolStr| NamedValue::Variable(name.clone());
        let loses_default = |name: &SmolStr| {
            self.values.contains_key(&default(name)) && !now.values.contains_key(&default(name))
        };
        if self.rest != now.rest || in_both.any(|(before, now)| before != now || loses_default(&now.0)) {
            return None;
        }
        let differs = |value: &&NamedValue| self.values.get(*value) != now.values.get(*value);
        let mut differing: BTreeSet<NamedValue> =
            self.values.keys().chain(now.values.keys()).filter(differs).cloned().collect();
        for (one, other) in [(self, now), (now, self)] {
            let added = one.variables.iter().filter(|(header, _)| !other.variables.contains_key(*header));
            differing.extend(added.map(|(_, (name, _))| default(name)));
            let blocks =
                one.blocks.iter().filter(|(header, block)| other.blocks.get(*header) != Some(*block));
            differing.extend(blocks.map(|(_, (value, _))| value.clone()));
        }
        Some(differing)
    }
}

/// The resources, module calls and outputs of a module, by the first line of their canonical texts.
fn named_blocks(module: &Module) -> BTreeMap<String, (NamedValue, Vec<String>)> {
    let calls = module.calls.keys();
    let calls = calls.map(|it| (format!("module {:?} {{", it.as_str()), NamedValue::Call(it.clone())));
    let outputs = module.outputs.keys();
    let outputs = outputs.map(|it| (format!("output {:?} {{", it.as_str()), NamedValue::Output(it.clone())));
    let resources = module.resources.keys();
    let resources = resources.map(|it| (header_of_resource(it), NamedValue::Resource(it.clone())));
    resources.chain(calls).chain(outputs).map(|(header, value)| (header, (value, Vec::new()))).collect()
}

/// The first line of the canonical text of a variable.
fn header_of_variable(name: &str) -> String {
    format!("variable {name:?} {{")
}

/// The first line of the canonical text of a resource.
fn header_of_resource(address: &ResourceAddress) -> String {
    let block = address.mode.keyword();
    format!("{block} {:?} {:?} {{", address.kind.as_str(), address.name.as_str())
}

/// The named values of a module, each with the span of its expression.
pub(crate) fn named_values(module: &Module) -> Vec<(NamedValue, Span)> {
    let mut values = Vec::new();
    for variable in module.variables.values() {
        let default = variable.default.as_ref();
        values.extend(default.map(|default| (NamedValue::Variable(variable.name.clone()), default.span)));
    }
    for local in module.locals.values() {
        values.push((NamedValue::Local(local.name.clone()), local.attribute.expr.span));
    }
    for output in module.outputs.values() {
        let value = output.value.as_ref();
        values.extend(value.map(|value| (NamedValue::Output(output.name.clone()), value.expr.span)));
    }
    for call in module.calls.values() {
        for argument in call.config.just_attributes(&mut Vec::new()) {
            let value = NamedValue::Argument { call: call.name.clone(), variable: argument.name.clone() };
            values.push((value, argument.expr.span));
        }
    }
    values
}

/// Arguments and nested blocks of a resource that other modules, or the graph of the engine, depend on.
const SEEN_ELSEWHERE: [&str; 9] =
    ["count", "for_each", "provider", "depends_on", "lifecycle", "provisioner", "connection", "dynamic", "_"];

/// Canonical texts that are equal as long as callers of the module see the same in this file, and get the same
/// findings. They leave out the same as [`Meaning`], and constants in resources of providers, whose schemas are
/// unknown.
pub(crate) fn seen_by_callers(body: &Body, source: &Source) -> Vec<String> {
    let is_constant_of_resource = |block: &Block, nested: Option<&Block>, attribute: &Attribute| {
        let is_of_provider = block.labels.first().is_some_and(|kind| !kind.text.starts_with("terraform_"));
        let name = nested.map_or(&attribute.name, |nested| &nested.kind);
        matches!(&*block.kind, "resource" | "data")
            && is_of_provider
            && !SEEN_ELSEWHERE.contains(&name.as_str())
            && is_constant(&attribute.expr)
    };
    body.canonical_without(source, FOR_PEOPLE, &is_constant_of_resource)
}

/// Whether an expression has no references and no calls.
fn is_constant(expr: &Expr) -> bool {
    let mut is_constant = true;
    expr.walk(&mut |inner, _| {
        is_constant &= matches!(
            inner.kind,
            ExprKind::Null
                | ExprKind::Bool(_)
                | ExprKind::Number(_)
                | ExprKind::Template(_)
                | ExprKind::Tuple(_)
                | ExprKind::Object(_)
        );
    });
    is_constant
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::syntax::{Notation, parse};
    use crate::text::FileId;

    fn is_same(one: &str, other: &str) -> bool {
        let seen = |text: &str| {
            let source = Source::new("main.tf", text.into());
            let (file, findings) = parse(FileId::new(0), &source, Notation::Native, &Limits::default());
            assert_eq!(findings, []);
            seen_by_callers(&file.body, &source)
        };
        seen(one) == seen(other)
    }

    fn resource(inside: &str) -> String {
        format!("resource \"aws_vpc\" \"a\" {{\n{inside}\n}}\n")
    }

    #[test]
    fn constants_in_resources_are_not_seen_by_callers() {
        let nothing = resource("");
        for inside in ["a = 1", "a = \"x\"", "a = [1, { b = true }]", "b {\n  a = 1\n}"] {
            let other = inside.replace('1', "2").replace('x', "y");
            assert!(is_same(&resource(inside), &resource(&other)), "{inside}");
        }
        assert!(is_same(&nothing, &resource("a = 1 # one")));
    }

    #[test]
    fn everything_else_is_seen_by_callers() {
        for (one, other) in [
            ("count = 1", "count = 2"),
            ("a = var.x", "a = var.y"),
            ("a = 1", "a = file(\"x\")"),
            ("a = \"x\"", "a = \"${var.x}\""),
            ("lifecycle {\n  prevent_destroy = true\n}", "lifecycle {\n  prevent_destroy = false\n}"),
            ("dynamic \"b\" {\n  for_each = []\n}", "dynamic \"b\" {\n  for_each = [1]\n}"),
        ] {
            assert!(!is_same(&resource(one), &resource(other)), "{one}");
        }
        let data = |input: u8| format!("resource \"terraform_data\" \"a\" {{\n  input = {input}\n}}\n");
        assert!(!is_same(&data(1), &data(2)));
        assert!(!is_same("locals {\n  a = 1\n}\n", "locals {\n  a = 2\n}\n"));
    }
}

//! The canonical content of a module, which changes only if a plan may change.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use smol_str::SmolStr;

use super::address::{Mode, ResourceAddress};
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
        Self::without(FOR_PEOPLE, &|_, _| false, module, files, sources)
    }

    fn without(
        left_out: LeftOut<'_>,
        is_left_out: &dyn Fn(&Block, &Attribute) -> bool,
        module: &Module,
        files: &[ModuleFile<'_>],
        sources: &Sources,
    ) -> Option<Self> {
        let mut meaning = Self { primary: Vec::new(), overriding: Vec::new() };
        let is_left_out = |block: &Block, nested: Option<&Block>, attribute: &Attribute| {
            let dropped = module.dropped.get(&attribute.span);
            dropped.is_some_and(|dropped| dropped.why == Why::Replaced)
                || nested.is_none() && is_left_out(block, attribute)
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
    variables: BTreeMap<String, Vec<String>>,
    /// The texts of each resource and module call, by the header of its block.
    repeatable: BTreeMap<String, (NamedValue, Vec<String>)>,
    /// Everything else.
    rest: Meaning,
}

impl Parts {
    /// The parts of a module with these files; see [`Meaning::of`].
    pub(crate) fn of(module: &Module, files: &[ModuleFile<'_>], sources: &Sources) -> Option<Self> {
        let values: Vec<(NamedValue, Span)> = named_values(module);
        let spans: HashSet<Span> = values.iter().map(|(_, span)| *span).collect();
        let is_value = |_: &Block, attribute: &Attribute| spans.contains(&attribute.expr.span);
        let mut rest = Meaning::without(OF_NAMED_VALUES, &is_value, module, files, sources)?;
        let mut variables: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let calls = module.calls.keys();
        let calls = calls.map(|it| (format!("module {:?} {{", it.as_str()), NamedValue::Call(it.clone())));
        let resources = module.resources.keys();
        let resources = resources.map(|it| (header_of_resource(it), NamedValue::Resource(it.clone())));
        let blocks = resources.chain(calls).map(|(header, value)| (header, (value, Vec::new())));
        let mut repeatable: BTreeMap<String, (NamedValue, Vec<String>)> = blocks.collect();
        for (is_base, texts) in [(true, &mut rest.primary), (false, &mut rest.overriding)] {
            texts.retain(|text| {
                let (header, body) = text.split_once('\n').unwrap_or((text, ""));
                let has_only_values = body == "}\n";
                if header.starts_with("variable \"") {
                    if is_base || !has_only_values {
                        variables.entry(header.to_owned()).or_default().push(body.to_owned());
                    }
                    return false;
                }
                if let Some((_, texts)) = repeatable.get_mut(header) {
                    texts.push(body.to_owned());
                    return false;
                }
                !(has_only_values && (header == "locals {" || header.starts_with("output \"")))
            });
        }
        let text = |span| without_layout(sources.slice(span));
        let values = values.into_iter().map(|(value, span)| (value, text(span))).collect();
        Some(Self { values, variables, repeatable, rest })
    }

    /// The named values that differ between two states of a module. Returns `None` if anything else does.
    pub(crate) fn differing(&self, now: &Self) -> Option<BTreeSet<NamedValue>> {
        let has_default = |header: &String| {
            let names = |name: &SmolStr| header_of_variable(name) == *header;
            now.values.keys().any(|value| matches!(value, NamedValue::Variable(name) if names(name)))
        };
        let is_sound = |(header, texts): (&String, &Vec<String>)| {
            self.variables.get(header).map_or_else(|| has_default(header), |before| before == texts)
        };
        let mut before = self.variables.keys();
        if self.rest != now.rest
            || !before.all(|header| now.variables.contains_key(header))
            || !self.repeatable.keys().eq(now.repeatable.keys())
            || !now.variables.iter().all(is_sound)
        {
            return None;
        }
        let differs = |value: &&NamedValue| self.values.get(*value) != now.values.get(*value);
        let mut differing: BTreeSet<NamedValue> =
            self.values.keys().chain(now.values.keys()).filter(differs).cloned().collect();
        let blocks = self.repeatable.values().zip(now.repeatable.values());
        let blocks = blocks.filter(|((_, before), (_, now))| before != now);
        differing.extend(blocks.map(|((value, _), _)| value.clone()));
        // A variable without a default needs a value from every caller.
        let is_required_now =
            |value: &NamedValue| matches!(value, NamedValue::Variable(_)) && !now.values.contains_key(value);
        (!differing.iter().any(is_required_now)).then_some(differing)
    }
}

/// The first line of the canonical text of a variable.
fn header_of_variable(name: &str) -> String {
    format!("variable {name:?} {{")
}

/// The first line of the canonical text of a resource.
fn header_of_resource(address: &ResourceAddress) -> String {
    let block = match address.mode {
        Mode::Managed => "resource",
        Mode::Data => "data",
        Mode::Ephemeral => "ephemeral",
    };
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

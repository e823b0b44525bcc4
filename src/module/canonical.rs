//! The canonical content of a module, which changes only if a plan may change.

use super::dropped::Why;
use super::{Module, ModuleFile};
use crate::engine::FileKind;
use crate::syntax::{Attribute, Block, Body, Expr, ExprKind, LeftOut};
use crate::text::{Source, Sources};

/// Arguments without effect on plans.
const FOR_PEOPLE: LeftOut<'_> = &[("variable", "description"), ("output", "description")];

/// These arguments, and the defaults of variables, which only affect callers that do not set them.
const FOR_SOME_CALLERS: LeftOut<'_> =
    &[("variable", "description"), ("output", "description"), ("variable", "default")];

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
        Self::without(FOR_PEOPLE, module, files, sources)
    }

    /// Like [`Self::of`], without the defaults of variables.
    pub(crate) fn without_defaults(
        module: &Module,
        files: &[ModuleFile<'_>],
        sources: &Sources,
    ) -> Option<Self> {
        Self::without(FOR_SOME_CALLERS, module, files, sources)
    }

    fn without(
        left_out: LeftOut<'_>,
        module: &Module,
        files: &[ModuleFile<'_>],
        sources: &Sources,
    ) -> Option<Self> {
        let mut meaning = Self { primary: Vec::new(), overriding: Vec::new() };
        let is_replaced = |_: &Block, _: Option<&Block>, attribute: &Attribute| {
            module.dropped.get(&attribute.span).is_some_and(|dropped| dropped.why == Why::Replaced)
        };
        for file in files {
            if !file.complete {
                return None;
            }
            let source = sources.get(file.body.span().file);
            let texts = file.body.canonical_without(source, left_out, &is_replaced);
            match file.kind {
                FileKind::Primary => meaning.primary.extend(texts),
                FileKind::Override => meaning.overriding.extend(texts),
            }
        }
        meaning.primary.sort_unstable();
        Some(meaning)
    }
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

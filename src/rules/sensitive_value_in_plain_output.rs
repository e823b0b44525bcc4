#![doc = include_str!("../../policies/rules/sensitive-value-in-plain-output.md")]

use super::support::edits::argument;
use super::{ADVICE, Context, Node, Page, Role, Rule, page};
use crate::finding::{Edit, Finding, Fix, Safety};
use crate::module::address::{Subject, reference};
use crate::module::declaration::Output;
use crate::syntax::{Expr, ExprKind, Part, Template, Traversal};
use crate::text::Span;

pub(super) struct SensitiveValueInPlainOutput;

impl Rule for SensitiveValueInPlainOutput {
    const PAGE: Page = page!("sensitive-value-in-plain-output");
    const FIXES: &'static [Safety] = &[Safety::Safe];
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        if node.is_run() || !module.complete {
            // In a root module, the engine reports an error.
            return;
        }
        let product = module.features.engine.product.name();
        for output in module.outputs.values() {
            let Some(value) = &output.value else { continue };
            if output.is_sensitive() {
                continue;
            }
            let Some(source) = traversal(&value.expr).and_then(|found| sensitive_source(node, found)) else {
                continue;
            };
            Self::finding("Sensitive value in an output that is not sensitive")
                .detail(format!(
                    "`output.{}` returns a sensitive value, and is not marked as sensitive. {product} accepts \
                     this in a child module, but reports an error in a root module that returns this output \
                     without `sensitive = true`.",
                    output.name
                ))
                .at(value.expr.span)
                .label("a sensitive value")
                .related(source, "the value is marked as sensitive here")
                .help(help(output, context))
                .fixed_by(marked(output, context).map(|edit| Fix::safe([edit])))
                .address(format!("output.{}", output.name))
                .push_to(findings);
        }
    }
}

/// The help for the output.
fn help(output: &Output, context: &Context<'_>) -> String {
    let (verb, to, file) = match &output.sensitive {
        Some(denied) => ("set", "in", denied.span.file),
        None => ("add", "to", output.origin.header().file),
    };
    format!("{verb} {} {to} the output", argument(context, file, "sensitive", "true"))
}

/// The edit that marks the output as sensitive.
fn marked(output: &Output, context: &Context<'_>) -> Option<Edit> {
    if let Some(denied) = &output.sensitive {
        return Some(context.editor(denied.span.file)?.replace(denied.span, "true"));
    }
    let base = &output.origin.base;
    let value = base.attribute("value").map(|value| value.span);
    Some(context.editor(base.header.file)?.add_argument(&base.body, value, "sensitive = true"))
}

/// The reference whose value an expression returns unchanged.
fn traversal(expr: &Expr) -> Option<&Traversal> {
    let template: &Template = match &expr.kind {
        ExprKind::Traversal(found) => return Some(found),
        ExprKind::Parens(inner) => return traversal(inner),
        ExprKind::Template(template) => template,
        ExprKind::JsonString(string) => string.template.as_ref().ok()?,
        _ => return None,
    };
    let [Part::Interpolation(inner)] = &*template.parts else { return None };
    traversal(inner)
}

/// The span that marks the referenced value as sensitive.
fn sensitive_source(node: Node<'_>, traversal: &Traversal) -> Option<Span> {
    let module = node.module();
    let subject = reference(traversal, &module.features).ok()?.subject;
    let given = if let Subject::Variable(name) = subject {
        module.variables.get(&name)?.sensitive.clone()
    } else if let Subject::Module { call, output: Some(output), .. } = subject {
        node.child(&call)?.module().outputs.get(&output)?.sensitive.clone()
    } else {
        None
    };
    given.filter(|sensitive| sensitive.value).map(|sensitive| sensitive.span)
}

//! The findings for expressions that cannot be evaluated early.

use super::Purpose;
use crate::finding::{EngineRule, Finding};
use crate::limits::{Limit, Limits};
use crate::module::address::{Reference, Subject};
use crate::module::declaration::Variable;
use crate::text::Span;
use crate::value::Marks;

/// The finding for references to values that OpenTofu only knows later.
pub(super) fn of_references(
    references: &[Reference<'_>],
    purpose: &Purpose,
) -> impl Iterator<Item = Finding> {
    references.iter().filter_map(move |reference| {
        let (summary, what) = match &reference.subject {
            Subject::Variable(_)
            | Subject::Local(_)
            | Subject::Path(_)
            | Subject::Terraform(_)
            | Subject::Tofu(_) => return None,
            Subject::Module { output: Some(_), .. } => {
                ("Module output not supported in static context", "outputs of modules are")
            }
            Subject::Module { .. } => (DYNAMIC, "modules are"),
            Subject::Resource { .. } => (DYNAMIC, "resources are"),
            Subject::Count(_) | Subject::Each(_) => (DYNAMIC, "instances are"),
            Subject::Itself | Subject::Action { .. } | Subject::List { .. } | Subject::TypeName(_) => {
                (DYNAMIC, "this is")
            }
        };
        Some(static_error(purpose, summary, reference.span).detail(format!(
            "{} must be known before plan, but {what} known only later.",
            upper(&purpose.what)
        )))
    })
}

pub(super) fn of_provider_functions(calls: &[Span], purpose: &Purpose) -> impl Iterator<Item = Finding> {
    calls.iter().map(move |at| {
        static_error(purpose, "Provider function in static context", *at)
            .detail(format!("{} must be known before any provider is installed.", upper(&purpose.what)))
    })
}

/// The finding for an unknown attribute of `path` or `terraform`.
pub(super) fn of_symbol(subject: &Subject, at: Span, purpose: &Purpose) -> Option<Finding> {
    let (root, name, known) = match subject {
        Subject::Path(name) => ("path", name, &["cwd", "module", "root"][..]),
        Subject::Terraform(name) => ("terraform", name, &["workspace"][..]),
        Subject::Tofu(name) => ("tofu", name, &["workspace"][..]),
        _ => return None,
    };
    if known.contains(&name.as_str()) {
        return None;
    }
    if root != "path" && name == "applying" {
        return Some(
            static_error(purpose, "Invalid attribute in static context", at)
                .detail(format!("{} must be known before plan.", upper(&purpose.what))),
        );
    }
    Some(
        Finding::language(EngineRule::MisplacedSymbol, format!("Invalid \"{root}\" attribute"))
            .detail(format!("`{root}` has no attribute `{name}`, only {}.", known.join(", ")))
            .at(at),
    )
}

pub(super) fn undefined(kind: &str, name: &str, at: Span) -> Finding {
    Finding { summary: format!("Undefined {kind}"), ..undeclared(kind, name, at) }
}

pub(super) fn undeclared(kind: &str, name: &str, at: Span) -> Finding {
    Finding::language(EngineRule::UndeclaredReference, format!("Reference to undeclared {kind}"))
        .detail(format!("This module does not declare {kind} `{name}`."))
        .at(at)
}

/// The finding for a chain of local values above the limit.
pub(super) fn too_deep(limits: &Limits, at: Span) -> Finding {
    let detail = "This chain of local values is longer than the limit, so the value is treated as unknown.";
    Finding::limit(Limit::Nesting, limits, "Local values nested too deep", detail).at(at)
}

/// The finding for a variable that is not declared as constant.
pub(super) fn not_constant(variable: &Variable, at: Span, purpose: &Purpose) -> Finding {
    let finding = static_error(purpose, "Unable to use variable in static context", at).detail(format!(
        "{} must be known before plan, but `var.{}` sets `const = false`.",
        upper(&purpose.what),
        variable.name
    ));
    finding.related(variable.constant.as_ref().map(|constant| constant.span), "set here")
}

pub(super) fn circular(name: &str, declared: Span, at: Span) -> Finding {
    Finding::language(EngineRule::ReferenceCycle, "Circular reference")
        .detail(format!("`local.{name}` depends on itself."))
        .at(declared)
        .related(at, "referred to here")
}

/// The finding for an expression that refers to one with an error.
pub(super) fn not_computed(purpose: &Purpose, needs: &str, declared: Span) -> Finding {
    static_error(purpose, "Unable to compute static value", purpose.at)
        .detail(format!("{} needs `{needs}`, which cannot be computed.", upper(&purpose.what)))
        .related(declared, "declared here")
}

/// The finding for a sensitive or ephemeral value where it would be shown in clear text.
pub(super) fn confidential(marks: Marks, purpose: &Purpose, at: Span) -> Finding {
    let (summary, word) = match marks.sensitive {
        Some(_) => ("Sensitive value not allowed", "sensitive"),
        None => ("Ephemeral value not allowed", "ephemeral"),
    };
    static_error(purpose, summary, at)
        .detail(format!("{} cannot depend on {word} values, because `init` shows it.", upper(&purpose.what)))
}

pub(super) fn static_error(purpose: &Purpose, summary: &str, at: Span) -> Finding {
    Finding::language(purpose.rule, summary).at(at)
}

const DYNAMIC: &str = "Dynamic value in static context";

pub(super) fn upper(sentence: &str) -> String {
    let mut chars = sentence.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

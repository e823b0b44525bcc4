//! Reads the expression of an argument as a text, a list or patterns.

use std::fmt;

use smol_str::SmolStr;

use super::Globs;
use super::fault::fault;
use super::globs::InvalidPattern;
use crate::finding::Finding;
use crate::syntax::Expr;
use crate::text::Span;
use crate::value;

/// Reads a list of patterns. An error is at the first invalid pattern.
pub(super) fn globs<'a>(
    patterns: &'a [(SmolStr, Span)],
    read: impl FnOnce(Vec<&'a str>) -> Result<Globs, InvalidPattern>,
) -> Result<Globs, Finding> {
    let texts = patterns.iter().map(|(pattern, _)| pattern.as_str()).collect();
    read(texts).map_err(|invalid| {
        let (pattern, at) = &patterns[invalid.index];
        let finding = invalid_pattern(invalid.why, *at);
        if pattern.starts_with('!') && invalid.index == 0 && patterns.len() > 1 {
            return finding.help(format!("move `{pattern}` after the patterns that it excludes from"));
        }
        finding
    })
}

/// The error for an invalid pattern.
pub(super) fn invalid_pattern(why: impl fmt::Display, at: Span) -> Finding {
    fault("Invalid pattern", at).detail(format!("{why}."))
}

/// The error for an empty list, with which a rule never reports anything.
pub(super) fn empty_list(name: &str, at: Span, help: &str) -> Finding {
    let why = format!("With an empty `{name}`, the rule can never report anything.");
    fault(format!("Invalid `{name}`"), at).detail(why).help(help)
}

/// The texts of a list, each with its location.
pub(super) fn texts(name: &str, expr: &Expr) -> Result<Vec<(SmolStr, Span)>, Finding> {
    let wrong = |expr: &Expr| wrong_type(name, "a list of quoted strings", expr);
    let Some(elements) = expr.as_list() else {
        let item = text(expr).or_else(|| expr.keyword());
        return Err(wrong(expr).help_if(item.map(|item| format!("write `{name} = [{item:?}]`"))));
    };
    let read = |element: &Expr| match text(element) {
        Some(text) => Ok((text, element.span)),
        None => Err(wrong(element).help_if(quoted(element))),
    };
    elements.iter().map(read).collect()
}

/// The text of a string without interpolation.
pub(super) fn text(expr: &Expr) -> Option<SmolStr> {
    value::constant(expr, &mut Vec::new()).as_str().map(SmolStr::new)
}

/// The text of a string, number or boolean.
pub(super) fn written(expr: &Expr) -> Option<SmolStr> {
    let value = value::constant(expr, &mut Vec::new());
    value::convert(&value, &value::Type::String).ok()?.as_str().map(SmolStr::new)
}

/// The error for an argument of another type.
pub(super) fn wrong_type(name: &str, wanted: &str, expr: &Expr) -> Finding {
    fault("Unsuitable value", expr.span).detail(format!("`{name}` must be {wanted}."))
}

/// The help for a word without quotes.
pub(super) fn quoted(expr: &Expr) -> Option<String> {
    expr.keyword().map(|word| format!("write `\"{word}\"`"))
}

/// The error for a missing argument.
pub(super) fn missing(name: &str, block: Span) -> Finding {
    fault("Missing required argument", block)
        .detail(format!("The argument `{name}` is required, but it is not set."))
        .help(format!("set `{name}`"))
}

//! Static analysis of expressions: the list, map, call, keyword or traversal that an expression is, without
//! evaluation (HCL's `ExprList`, `ExprMap`, `ExprCall` and `AbsTraversalForExpr`).
//!
//! Both syntaxes give the same results. In JSON, a traversal or a call is the content of a string.

use std::borrow::Cow;

use smol_str::SmolStr;

use crate::finding::{EngineRule, Finding};
use crate::syntax::{
    Expr, ExprKind, JsonProperty, JsonString, ObjectKey, Part, Template, TemplateKind, Traversal, native,
};
use crate::text::Span;

mod same_expression;
#[cfg(test)]
mod tests;
mod walk;

pub(crate) use same_expression::{alike, have_same_parts, same_steps};
pub use walk::Scope;

/// A key of a static map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MapKey<'a> {
    /// A bare name.
    Name(&'a SmolStr, Span),
    /// Any other key in native syntax.
    Expr(&'a Expr),
    /// The name of a JSON property, and its span with quotes.
    Json(&'a JsonString, Span),
}

impl MapKey<'_> {
    /// The span of the whole key.
    pub fn span(&self) -> Span {
        match self {
            Self::Name(_, span) | Self::Json(_, span) => *span,
            Self::Expr(expr) => expr.span,
        }
    }

    /// The key as a traversal, if it is one.
    pub fn as_traversal(&self) -> Option<Cow<'_, Traversal>> {
        match self {
            Self::Name(name, span) => Some(Cow::Owned(just_a_name(name, *span))),
            Self::Expr(expr) => expr.as_traversal(),
            Self::Json(string, span) => address_in_json(string, *span).map(Cow::Owned),
        }
    }

    /// The key as a single name, if it is one.
    pub fn keyword(&self) -> Option<SmolStr> {
        single_name(&*self.as_traversal()?)
    }
}

impl Expr {
    /// Whether the expression exceeds a limit of overrule, so that nothing is known about it.
    pub fn is_unread(&self) -> bool {
        self.kind == ExprKind::Unread
    }

    /// The elements, if this is a tuple constructor.
    pub fn as_list(&self) -> Option<&[Expr]> {
        match &self.kind {
            ExprKind::Tuple(elements) => Some(elements),
            _ => None,
        }
    }

    /// The elements of a tuple constructor. Adds a finding if this is none.
    pub fn static_list(&self, findings: &mut Vec<Finding>) -> Option<&[Expr]> {
        let list = self.as_list();
        if list.is_none() && !self.is_unread() {
            let detail = "A list in brackets is required here.";
            let finding = invalid_expression(EngineRule::InvalidValue, detail, self.start_span());
            let help = match around_address(self) {
                Some(what) => Some(format!("put brackets around the reference instead of {what}")),
                None => self.as_traversal().map(|_| "put brackets around the reference".to_owned()),
            };
            findings.push(finding.help_if(help));
        }
        list
    }

    /// The items, if this is an object constructor.
    pub fn as_map<'a>(&'a self) -> Option<Vec<(MapKey<'a>, &'a Expr)>> {
        match &self.kind {
            ExprKind::Object(items) => {
                Some(items.iter().map(|item| (map_key(&item.key), &item.value)).collect())
            }
            ExprKind::JsonObject(properties) => {
                let pair = |property: &'a JsonProperty| {
                    (MapKey::Json(&property.name, property.name_span), &property.value)
                };
                Some(properties.iter().map(pair).collect())
            }
            _ => None,
        }
    }

    /// The items of an object constructor. Adds a finding if this is none.
    pub fn static_map(&self, findings: &mut Vec<Finding>) -> Option<Vec<(MapKey<'_>, &Expr)>> {
        let map = self.as_map();
        if map.is_none() && !self.is_unread() {
            let detail = "A map is expected here, written out between braces.";
            findings.push(invalid_expression(EngineRule::InvalidValue, detail, self.start_span()));
        }
        map
    }

    /// The traversal, if this is a name followed by constant steps. `true`, `false` and `null` count as names, and so
    /// does the content of a JSON string. Parentheses and native quotes prevent it, and JSON's own `true`, `false`
    /// and `null` are kept in parentheses for this reason (see `json::convert`).
    pub fn as_traversal(&self) -> Option<Cow<'_, Traversal>> {
        match &self.kind {
            ExprKind::Traversal(traversal) => Some(Cow::Borrowed(traversal)),
            ExprKind::Null => Some(Cow::Owned(just_a_name("null", self.span))),
            ExprKind::Bool(value) => {
                let name = if *value { "true" } else { "false" };
                Some(Cow::Owned(just_a_name(name, self.span)))
            }
            ExprKind::Relative(relative) => {
                let mut traversal = relative.from.as_traversal()?.into_owned();
                traversal.steps.extend(relative.steps.iter().cloned());
                Some(Cow::Owned(traversal))
            }
            ExprKind::JsonString(string) => address_in_json(string, self.span).map(Cow::Owned),
            _ => None,
        }
    }

    /// The traversal. Adds a finding if this is none.
    pub fn static_traversal(&self, findings: &mut Vec<Finding>) -> Option<Cow<'_, Traversal>> {
        let traversal = self.as_traversal();
        if traversal.is_none() && !self.is_unread() {
            findings.push(not_an_address(self));
        }
        traversal
    }

    /// The name, if this is a single one.
    pub fn keyword(&self) -> Option<SmolStr> {
        single_name(&*self.as_traversal()?)
    }

    /// Whether this is a quoted string or heredoc in native syntax that is more than one interpolation. Where a
    /// traversal is expected, the engine still accepts such a string, with a warning.
    pub fn is_native_quoted_string(&self) -> bool {
        match &self.kind {
            ExprKind::Template(template) => !matches!(template.parts[..], [Part::Interpolation(_)]),
            _ => false,
        }
    }

    /// HCL's `StartRange`: where the engine reports that a value is unsuitable. For a string, that is the first part
    /// between its quotes; for an index, the bracket; for a splat, the star.
    pub fn start_span(&self) -> Span {
        match &self.kind {
            ExprKind::Template(template) => template_start(template, self.span),
            ExprKind::Tuple(_)
            | ExprKind::Object(_)
            | ExprKind::JsonObject(_)
            | ExprKind::Unary(..)
            | ExprKind::For(_) => first_byte(self.span),
            ExprKind::Index { brackets, .. } => first_byte(*brackets),
            ExprKind::Splat { marker, .. } => *marker,
            ExprKind::Call(call) => call.name_span.to(call.open),
            ExprKind::Conditional(parts) => parts[0].start_span(),
            ExprKind::Binary(_, operands) => operands[0].start_span(),
            ExprKind::Parens(inside) => inside.start_span(),
            ExprKind::Null
            | ExprKind::Bool(_)
            | ExprKind::Number(_)
            | ExprKind::Traversal(_)
            | ExprKind::Relative(_)
            | ExprKind::Element
            | ExprKind::JsonString(_)
            | ExprKind::Invalid
            | ExprKind::Unread => self.span,
        }
    }
}

impl Traversal {
    /// Parses `text` as a traversal, as the engine does for the content of a string; `place` is the span of the text.
    /// Steps before the first error are kept.
    pub fn parse(text: &str, place: Span) -> (Option<Self>, Vec<Finding>) {
        native::address(text, place)
    }

    /// From the first name to the end of the last step.
    pub fn span(&self) -> Span {
        self.steps.last().map_or(self.root_span, |last| self.root_span.to(last.span))
    }
}

fn map_key(key: &ObjectKey) -> MapKey<'_> {
    match key {
        ObjectKey::Name(name, span) => MapKey::Name(name, *span),
        ObjectKey::Expr(expr) => MapKey::Expr(expr),
    }
}

fn just_a_name(name: &str, span: Span) -> Traversal {
    Traversal { root: name.into(), root_span: span, steps: Vec::new() }
}

fn single_name(traversal: &Traversal) -> Option<SmolStr> {
    traversal.steps.is_empty().then(|| traversal.root.clone())
}

/// The engine counts positions in the string from its opening quote, as if that were the first character.
fn address_in_json(string: &JsonString, span: Span) -> Option<Traversal> {
    let (traversal, findings) = Traversal::parse(&string.text, span);
    traversal.filter(|_| findings.is_empty())
}

fn not_an_address(expr: &Expr) -> Finding {
    let invalid = |detail| invalid_expression(EngineRule::InvalidReference, detail, expr.span);
    match around_address(expr) {
        Some(what) => invalid("A reference to an object is required here.")
            .help(format!("remove {what} around the reference")),
        None => invalid(
            "A reference to an object is required here. Conditions, operators and function calls are not allowed, and \
             instance keys must be constants.",
        ),
    }
}

/// The characters around a reference that prevent the expression from being one.
fn around_address(expr: &Expr) -> Option<&'static str> {
    let is_address = |text: &str| Traversal::parse(text, expr.span).1.is_empty();
    let (is_within, what) = match &expr.kind {
        ExprKind::Parens(inside) => (inside.as_traversal().is_some(), "the parentheses"),
        ExprKind::Template(template) if template.kind == TemplateKind::Quoted => match &template.parts[..] {
            [Part::Literal { text, .. }] => (is_address(text), "the quotes"),
            [Part::Interpolation(inside)] => (inside.as_traversal().is_some(), "`\"${` and `}\"`"),
            _ => return None,
        },
        ExprKind::JsonString(string) => {
            (is_address(string.text.strip_prefix("${")?.strip_suffix('}')?), "`${` and `}`")
        }
        _ => return None,
    };
    is_within.then_some(what)
}

fn invalid_expression(rule: EngineRule, detail: &str, at: Span) -> Finding {
    Finding::language(rule, "Invalid expression").detail(detail).at(at)
}

fn template_start(template: &Template, span: Span) -> Span {
    match (&template.parts[..], template.kind) {
        ([], _) => span.after(),
        // Such a string is its interpolation, and the engine reports the whole of it.
        ([Part::Interpolation(_)], TemplateKind::Quoted | TemplateKind::Heredoc | TemplateKind::Bare) => span,
        ([first, ..], _) => match first {
            Part::Literal { span, .. } => *span,
            Part::Interpolation(expr) => expr.start_span(),
            Part::If(directive) => directive.condition.start_span(),
            // The directive ends with the `}` after the collection.
            Part::For(directive) => Span { end: directive.collection.span.end + 1, ..directive.span },
        },
    }
}

fn first_byte(span: Span) -> Span {
    Span { end: span.end.min(span.start + 1), ..span }
}

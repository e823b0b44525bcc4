//! Turns an expression into the list, map, call, name or address that a place asks for, without evaluating anything.
//!
//! Native syntax and JSON answer alike. In JSON an address or a call is the text of a string.

use std::borrow::Cow;

use smol_str::SmolStr;

use crate::finding::{EngineRule, Finding};
use crate::syntax::{
    Expr, ExprKind, JsonProperty, JsonString, ObjectKey, Part, Step, StepKind, Template, TemplateKind,
    Traversal, native,
};
use crate::text::Span;

#[cfg(test)]
mod tests;
mod walk;

pub use walk::Scope;

/// A key of a static map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MapKey<'a> {
    /// A bare name.
    Name(&'a SmolStr, Span),
    /// Any other key of the native syntax.
    Expr(&'a Expr),
    /// The name of a JSON property, with the place of it and its quotes.
    Json(&'a JsonString, Span),
}

impl MapKey<'_> {
    /// All of it.
    pub fn span(&self) -> Span {
        match self {
            Self::Name(_, span) | Self::Json(_, span) => *span,
            Self::Expr(expr) => expr.span,
        }
    }

    /// Where findings about its value point; see [`Expr::start_span`].
    pub fn start_span(&self) -> Span {
        match self {
            Self::Name(_, span) | Self::Json(_, span) => *span,
            Self::Expr(expr) => expr.start_span(),
        }
    }

    /// The key as an address, if it is one.
    pub fn as_traversal(&self) -> Option<Cow<'_, Traversal>> {
        match self {
            Self::Name(name, span) => Some(Cow::Owned(just_a_name(name, *span))),
            Self::Expr(expr) => expr.as_traversal(),
            Self::Json(string, span) => address_in_json(string, *span).map(Cow::Owned),
        }
    }

    /// The key as an address; that it is none is a finding.
    pub fn static_traversal(&self, findings: &mut Vec<Finding>) -> Option<Cow<'_, Traversal>> {
        let traversal = self.as_traversal();
        if traversal.is_none() {
            findings.push(not_an_address(self.span()));
        }
        traversal
    }

    /// The key as a single name, if it is one.
    pub fn keyword(&self) -> Option<SmolStr> {
        single_name(&*self.as_traversal()?)
    }
}

impl Expr {
    /// Whether this is beyond the limits of this program, so that nothing can be said about what it is.
    pub fn is_unread(&self) -> bool {
        self.kind == ExprKind::Unread
    }

    /// The elements, if this is a list written out.
    pub fn as_list(&self) -> Option<&[Expr]> {
        match &self.kind {
            ExprKind::Tuple(elements) => Some(elements),
            _ => None,
        }
    }

    /// The elements of a list written out; that it is none is a finding.
    pub fn static_list(&self, findings: &mut Vec<Finding>) -> Option<&[Expr]> {
        let list = self.as_list();
        if list.is_none() && !self.is_unread() {
            let detail = "A list is expected here, written out between brackets.";
            findings.push(invalid_expression(EngineRule::InvalidValue, detail, self.start_span()));
        }
        list
    }

    /// The pairs, if this is a map written out.
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

    /// The pairs of a map written out; that it is none is a finding.
    pub fn static_map(&self, findings: &mut Vec<Finding>) -> Option<Vec<(MapKey<'_>, &Expr)>> {
        let map = self.as_map();
        if map.is_none() && !self.is_unread() {
            let detail = "A map is expected here, written out between braces.";
            findings.push(invalid_expression(EngineRule::InvalidValue, detail, self.start_span()));
        }
        map
    }

    /// The address, if this is a name with constant steps from it. `true`, `false` and `null` count as names here, and
    /// so does what a JSON string says; what stands in parentheses or native quotes does not. (In JSON those three
    /// words stand in parentheses, so to speak: see `json::convert`.)
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

    /// The address that this is; that it is none is a finding.
    pub fn static_traversal(&self, findings: &mut Vec<Finding>) -> Option<Cow<'_, Traversal>> {
        let traversal = self.as_traversal();
        if traversal.is_none() && !self.is_unread() {
            findings.push(not_an_address(self.span));
        }
        traversal
    }

    /// The name, if this is a single one.
    pub fn keyword(&self) -> Option<SmolStr> {
        single_name(&*self.as_traversal()?)
    }

    /// Whether this is a string of the native syntax, quoted or a heredoc, but not only an interpolation: where an
    /// address is asked for, the engines still read the former as one, with a warning.
    pub fn is_native_quoted_string(&self) -> bool {
        match &self.kind {
            ExprKind::Template(template) => !matches!(template.parts[..], [Part::Interpolation(_)]),
            _ => false,
        }
    }

    /// Where the engines say that a value does not fit: what an expression starts with, in their view. Of a string
    /// that is the first part between its quotes, of an index its bracket, of a splat its star.
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
    /// Reads `text` as an address, as the engines read one inside of a string; `place` is where the text stands. What
    /// was understood before the first mistake comes back beside the findings.
    pub fn parse(text: &str, place: Span) -> (Option<Self>, Vec<Finding>) {
        native::address(text, place)
    }

    /// From the first name to the end of the last step.
    pub fn span(&self) -> Span {
        self.steps.last().map_or(self.root_span, |last| self.root_span.to(last.span))
    }

    /// The same steps from nowhere: the first name has become an attribute of something.
    pub fn into_relative(self) -> Vec<Step> {
        let first = Step { span: self.root_span, kind: StepKind::Attribute(self.root) };
        std::iter::once(first).chain(self.steps).collect()
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

/// The engines count places in such a text from the quote on, as if that were its first letter.
fn address_in_json(string: &JsonString, span: Span) -> Option<Traversal> {
    let (traversal, findings) = Traversal::parse(&string.text, span);
    traversal.filter(|_| findings.is_empty())
}

fn not_an_address(at: Span) -> Finding {
    let detail = "A reference is expected here: names joined by points, perhaps with constant keys in brackets, and \
                  nothing that has to be calculated.";
    invalid_expression(EngineRule::InvalidReference, detail, at)
}

fn invalid_expression(rule: EngineRule, detail: &str, at: Span) -> Finding {
    Finding::language(rule, "Invalid expression").detail(detail).at(at)
}

fn template_start(template: &Template, span: Span) -> Span {
    match (&template.parts[..], template.kind) {
        ([], _) => span.after(),
        // Such a string is its interpolation, and the engines point at all of it.
        ([Part::Interpolation(_)], TemplateKind::Quoted | TemplateKind::Heredoc | TemplateKind::Bare) => span,
        ([first, ..], _) => match first {
            Part::Literal { span, .. } => *span,
            Part::Interpolation(expr) => expr.start_span(),
            Part::If(directive) => directive.condition.start_span(),
            // The directive ends with the `}` behind the collection.
            Part::For(directive) => Span { end: directive.collection.span.end + 1, ..directive.span },
        },
    }
}

fn first_byte(span: Span) -> Span {
    Span { end: span.end.min(span.start + 1), ..span }
}

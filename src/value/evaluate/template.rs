//! Templates: `"a ${b} %{ if c }d%{ endif }"`.

use crate::finding::EngineRule;
use crate::syntax::{ForDirective, IfDirective, Part, Template};
use crate::text::Span;
use crate::value::convert::convert;
use crate::value::{Marks, Type, Value};

use super::{Evaluator, Inside};
use crate::value::weight::of_text;

/// The number of bytes of a literal that one step reads. Values share the text of a literal.
const SHARED_BYTES_PER_STEP: usize = 64;

/// The steps to add a part to a string.
const OF_PART: usize = 1;

/// The steps to add a number, or the result of a directive.
const OF_OTHER_PART: usize = 4;

impl Evaluator<'_> {
    /// A template that consists of one interpolation has its value; any other is a string.
    pub(super) fn template(&mut self, template: &Template, at: Span, inside: Inside<'_>) -> Value {
        match &*template.parts {
            [Part::Interpolation(only)] => self.value(only, inside),
            [Part::Literal { text, span }] if self.may_go_on(text.len() / SHARED_BYTES_PER_STEP, *span) => {
                Value::string(text.clone())
            }
            _ => self.rendered(template, at, inside),
        }
    }

    fn rendered(&mut self, template: &Template, at: Span, inside: Inside<'_>) -> Value {
        let before = self.findings.len();
        let mut text = String::new();
        let (mut known, mut marks) = (true, Marks::NONE);
        for part in &template.parts {
            let (value, span) = match part {
                Part::Literal { text: literal, span } => {
                    if !self.failed_since(before) {
                        text.push_str(literal);
                    }
                    if !self.may_go_on(OF_PART + of_text(literal), *span) {
                        return Value::Unknown(Type::String);
                    }
                    continue;
                }
                Part::Interpolation(expr) => (self.value(expr, inside), expr.span),
                Part::If(directive) => (self.if_directive(directive, inside), directive.span),
                Part::For(directive) => (self.for_directive(directive, inside), directive.span),
            };
            let (value, marks_of_part) = value.unmarked();
            let is_text = matches!(part, Part::Interpolation(_)) && !matches!(value, Value::Number(_));
            if !self.may_go_on(if is_text { OF_PART } else { OF_OTHER_PART }, span) {
                return Value::Unknown(Type::String);
            }
            if !value.is_null() {
                marks = marks.and(marks_of_part);
            }
            if !value.is_known() {
                known = false;
                continue;
            }
            let why = match convert(value, &Type::String) {
                Ok(Value::Null(_)) => "Null cannot be part of a string.".to_owned(),
                Ok(Value::String(part)) => {
                    if !self.may_go_on(of_text(&part), span) {
                        return Value::Unknown(Type::String);
                    }
                    if !self.failed_since(before) {
                        text.push_str(&part);
                    }
                    continue;
                }
                Ok(_) => {
                    known = false;
                    continue;
                }
                Err(_) if value.is_null() => "Null cannot be part of a string.".to_owned(),
                // The error names the type.
                Err(_) if !self.may_convert(value, span) => return Value::Unknown(Type::String),
                Err(mismatch) => format!("This value cannot be part of a string: {mismatch}."),
            };
            self.error(EngineRule::InvalidValue, "Invalid template interpolation value", why, span);
        }
        let is_sound = known && self.may_go_on(0, at);
        if is_sound { Value::string(text) } else { Value::Unknown(Type::String) }.mark(marks)
    }

    fn if_directive(&mut self, directive: &IfDirective, inside: Inside<'_>) -> Value {
        let IfDirective { span, condition, then, otherwise } = directive;
        let then = self.apart(|this| this.rendered(then, *span, inside));
        let otherwise = match otherwise {
            Some(otherwise) => self.apart(|this| this.rendered(otherwise, *span, inside)),
            None => (Value::string(""), Vec::new()),
        };
        self.chosen(condition, (then, *span), (otherwise, *span), inside)
    }

    fn for_directive(&mut self, directive: &ForDirective, inside: Inside<'_>) -> Value {
        let ForDirective { span, key, value, collection, body } = directive;
        let names = (key.as_deref(), value.as_str());
        let render = |this: &mut Self, frame: Inside<'_>| this.rendered(body, *span, frame);
        self.for_each_rendered(names, collection, inside, render)
    }
}

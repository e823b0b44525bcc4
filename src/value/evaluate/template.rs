//! `"a ${b} %{ if c }d%{ endif }"`.

use crate::finding::EngineRule;
use crate::syntax::{ForDirective, IfDirective, Part, Template};
use crate::text::Span;
use crate::value::convert::convert;
use crate::value::{Type, Value};

use super::operator::Decision;
use super::{Evaluator, Inside};

impl Evaluator<'_> {
    /// A template that is only an interpolation has the value of that; any other is a string.
    pub(super) fn template(&mut self, template: &Template, at: Span, inside: Inside<'_>) -> Value {
        match &*template.parts {
            [Part::Interpolation(only)] => self.value(only, inside),
            [Part::Literal { text, span }] if self.may_go_on(text.len() / 16, *span) => {
                Value::string(text.clone())
            }
            _ => self.rendered(template, at, inside),
        }
    }

    fn rendered(&mut self, template: &Template, at: Span, inside: Inside<'_>) -> Value {
        let before = self.findings.len();
        let mut text = String::new();
        let mut known = true;
        for part in &template.parts {
            let (value, span) = match part {
                Part::Literal { text: literal, span } => {
                    if !self.failed_since(before) {
                        text.push_str(literal);
                    }
                    if !self.may_go_on(literal.len() / 16, *span) {
                        return Value::Unknown(Type::String);
                    }
                    continue;
                }
                Part::Interpolation(expr) => (self.value(expr, inside), expr.span),
                Part::If(directive) => {
                    let IfDirective { span, condition, then, otherwise } = &**directive;
                    let decider = self.value(condition, inside);
                    let value = match self.decision(&decider, condition.span) {
                        Decision::Failed | Decision::Open => Value::Unknown(Type::String),
                        Decision::Yes => self.rendered(then, *span, inside),
                        Decision::No => match otherwise {
                            Some(otherwise) => self.rendered(otherwise, *span, inside),
                            None => Value::string(""),
                        },
                    };
                    (value, *span)
                }
                Part::For(directive) => {
                    let ForDirective { span, key, value, collection, body } = &**directive;
                    let names = (key.as_deref(), value.as_str());
                    let results = self.for_each_rendered(names, collection, inside, |this, frame| {
                        this.rendered(body, *span, frame)
                    });
                    (joined(results), *span)
                }
            };
            if !value.is_known() {
                known = false;
                continue;
            }
            let why = match convert(&value, &Type::String) {
                Ok(Value::Null(_)) => "This is null, which has no text.".to_owned(),
                Ok(Value::String(part)) => {
                    if !self.may_go_on(part.len() / 16, span) {
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
                Err(_) if value.is_null() => "This is null, which has no text.".to_owned(),
                Err(mismatch) => format!("This cannot stand in a text: {mismatch}."),
            };
            self.error(EngineRule::InvalidValue, "Invalid template interpolation value", why, span);
        }
        if known && self.may_go_on(0, at) { Value::string(text) } else { Value::Unknown(Type::String) }
    }
}

/// The texts of a `for` directive, one behind the other.
fn joined(results: Option<Vec<Value>>) -> Value {
    let texts: Option<Vec<Value>> = results;
    let mut text = String::new();
    for part in texts.iter().flatten() {
        match part.as_str() {
            Some(part) => text.push_str(part),
            None => return Value::Unknown(Type::String),
        }
    }
    if texts.is_some() { Value::string(text) } else { Value::Unknown(Type::String) }
}

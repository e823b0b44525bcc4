//! Object expressions: `{ a = b }`, in both syntaxes.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::finding::EngineRule;
use crate::syntax::{Expr, ExprKind, JsonProperty, ObjectItem, ObjectKey};
use crate::text::Span;
use crate::value::convert::convert;
use crate::value::{Marks, Type, Value};

use super::{Evaluator, Inside};

impl Evaluator<'_> {
    pub(super) fn object(&mut self, items: &[ObjectItem], inside: Inside<'_>) -> Value {
        let mut attributes = BTreeMap::new();
        let (mut known, mut marks) = (true, Marks::NONE);
        for item in items {
            let before = self.findings.len();
            let (mut key, span) = match &item.key {
                ObjectKey::Name(name, span) => (Value::string(name.clone()), *span),
                ObjectKey::Expr(key) => (self.key(key, inside), key.span),
            };
            let key_failed = self.failed_since(before);
            let value = self.value(&item.value, inside);
            if key_failed {
                known = false;
            } else if key.is_null() {
                // The engine reports the value here.
                self.error(
                    EngineRule::InvalidValue,
                    "Null value as key",
                    "A key must not be null.",
                    item.value.span,
                );
                known = false;
            } else {
                marks = marks.and(key.take_marks());
                match convert(&key, &Type::String) {
                    Ok(Value::String(name)) => {
                        attributes.insert(name, value);
                    }
                    Ok(_) => known = false,
                    Err(mismatch) => {
                        let detail = format!("This is not a valid key: {mismatch}.");
                        self.error(EngineRule::InvalidValue, "Incorrect key type", detail, span);
                        known = false;
                    }
                }
            }
        }
        if known { Value::Object(attributes).mark(marks) } else { Value::UNKNOWN }
    }

    /// A key other than a bare name.
    fn key(&mut self, key: &Expr, inside: Inside<'_>) -> Value {
        match &key.kind {
            ExprKind::Traversal(traversal) if !traversal.steps.is_empty() => self.error(
                EngineRule::InvalidValue,
                "Ambiguous attribute key",
                "This can be a reference, or a name with dots. Write a reference in parentheses and a name in \
                 quotes.",
                key.span,
            ),
            _ => self.value(key, inside),
        }
    }

    pub(super) fn json_object(&mut self, properties: &[JsonProperty], inside: Inside<'_>) -> Value {
        let mut attributes = BTreeMap::new();
        let (mut known, mut marks) = (true, Marks::NONE);
        for JsonProperty { name_span, name, value } in properties {
            let mut name = self.json_string(name, *name_span, inside);
            marks = marks.and(name.take_marks());
            let value = self.value(value, inside);
            let name = match convert(&name, &Type::String) {
                Ok(Value::String(name)) => name,
                Ok(Value::Unknown(_)) => {
                    known = false;
                    continue;
                }
                Ok(_) => {
                    self.invalid_json_key("A key must not be null.".to_owned(), *name_span);
                    continue;
                }
                Err(mismatch) => {
                    self.invalid_json_key(format!("This is not a valid key: {mismatch}."), *name_span);
                    continue;
                }
            };
            match attributes.entry(name) {
                Entry::Vacant(free) => {
                    free.insert(value);
                }
                Entry::Occupied(taken) => {
                    let detail = format!("The attribute {:?} is already set in this object.", taken.key());
                    let summary = "Duplicate object attribute";
                    self.error(EngineRule::DuplicateDeclaration, summary, detail, *name_span);
                }
            }
        }
        if known { Value::Object(attributes) } else { Value::UNKNOWN }.mark(marks)
    }

    fn invalid_json_key(&mut self, detail: String, at: Span) {
        self.error(EngineRule::InvalidValue, "Invalid object key expression", detail, at);
    }
}

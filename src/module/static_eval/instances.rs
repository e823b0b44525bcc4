//! Checks `for_each` of provider configurations.

use super::refusal::static_error;
use super::{Purpose, StaticEvaluator};
use crate::finding::{EngineRule, set_address};
use crate::module::declaration::ProviderConfiguration;
use crate::value::{Type, Value};

impl StaticEvaluator<'_> {
    /// Reports errors in the instances of a provider configuration (OpenTofu).
    pub(in crate::module) fn instances(&mut self, provider: &ProviderConfiguration) {
        let before = self.findings.len();
        self.instances_by(provider);
        set_address(&mut self.findings[before..], &format!("provider.{}", provider.compact()));
    }

    fn instances_by(&mut self, provider: &ProviderConfiguration) {
        let Some(for_each) = &provider.for_each else { return };
        let expr = &for_each.expr;
        let purpose = Purpose {
            what: format!("`for_each` of `provider.{}`", provider.compact()),
            at: expr.span,
            rule: EngineRule::InvalidProviderConfiguration,
        };
        let outcome = self.static_value(expr, &purpose);
        if outcome.failed {
            return;
        }
        let (value, marks) = outcome.value.unmarked();
        let why = match (marks.sensitive, marks.ephemeral, unsuitable(value)) {
            (Some(_), _, _) => "the keys of instances are visible, and this value is sensitive",
            (None, Some(_), _) => {
                "the keys of instances are stored in the state, and this value is ephemeral"
            }
            (None, None, Some(why)) => why,
            (None, None, None) => return,
        };
        static_error(&purpose, "Invalid for_each argument", expr.span)
            .detail(format!("`for_each` must be a map or a set of strings: {why}."))
            .push_to(&mut self.findings);
    }
}

/// Why a value is not valid for `for_each`.
fn unsuitable(value: &Value) -> Option<&'static str> {
    match value {
        Value::Map(..) | Value::Object(_) => None,
        Value::Set(element, elements) => {
            let null = elements.iter().any(Value::is_null);
            unsuitable_set(element).or(null.then_some("a key must not be null"))
        }
        Value::Null(_) => Some("this is null"),
        Value::Marked(inner, _) => unsuitable(inner),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::List(..) | Value::Tuple(_) => {
            Some("this is something else")
        }
        Value::Unknown(ty) => match ty {
            Type::Any | Type::Map(_) | Type::Object(_) => None,
            Type::Set(element) => unsuitable_set(element),
            Type::Bool | Type::Number | Type::String | Type::List(_) | Type::Tuple(_) => {
                Some("this is something else")
            }
        },
    }
}

fn unsuitable_set(element: &Type) -> Option<&'static str> {
    match element {
        Type::String | Type::Any => None,
        Type::Bool
        | Type::Number
        | Type::List(_)
        | Type::Set(_)
        | Type::Map(_)
        | Type::Tuple(_)
        | Type::Object(_) => Some("the keys are not strings"),
    }
}

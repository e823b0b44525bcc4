//! Counts the steps of an evaluation, so that a small expression cannot take much time or memory.

use super::{Evaluator, Scope};
use crate::finding::{Code, Finding};
use crate::limits::{Limit, Limits};
use crate::text::Span;
use crate::value::weight::weight;
use crate::value::{Budget, Value};

/// The steps to convert a part of a value, in addition to those for a copy.
const OF_CONVERSION: usize = 3;

/// The steps that a finding costs. This limits the memory of findings when an expression fails for each of many
/// elements.
pub(super) const OF_FINDING: usize = 100;

/// The steps that a finding costs if it may be discarded soon, as in `try`.
pub(super) const OF_DISCARDED_FINDING: usize = 10;

/// The steps for a constant in addition to those for its length: nested `for` expressions can take more.
pub(super) const OF_CONSTANT: usize = 1_000;

/// The steps for each byte of a constant.
pub(super) const OF_CONSTANT_BYTE: usize = 8;

impl Evaluator<'_> {
    /// Counts the steps for another copy of a value. Returns false if the limit is exceeded.
    pub(super) fn may_hold(&mut self, value: &Value, at: Span) -> bool {
        self.may_go_on(weight(value, self.left), at)
    }

    /// Counts the steps to build the type of a value with parts, and to convert them. Returns false if the limit is
    /// exceeded.
    pub(super) fn may_convert(&mut self, value: &Value, at: Span) -> bool {
        let value = value.unmarked().0;
        let is_of_compound_type = matches!(value, Value::Unknown(ty) if ty.nodes() > 1);
        if value.parts().next().is_none() && !is_of_compound_type {
            return true;
        }
        // Strings and numbers in a list are hardly more than copied. The type of an object has names.
        let is_flat_list = matches!(value, Value::List(..) | Value::Set(..) | Value::Tuple(_))
            && value.parts().all(|part| part.parts().next().is_none());
        let work = if is_flat_list {
            value.parts().count()
        } else {
            weight(value, self.left).saturating_mul(OF_CONVERSION)
        };
        self.may_go_on(work, at)
    }

    /// Counts evaluation steps. Returns false if the limit is exceeded; all further values are unknown.
    pub(super) fn may_go_on(&mut self, work: usize, at: Span) -> bool {
        if self.left < work
            && !self.exhausted
            && let Some(scope) = self.scope
        {
            let added = scope.work().take_added();
            (self.left, self.added) = (self.left + added, self.added + added);
        }
        if let Some(left) = self.left.checked_sub(work) {
            self.left = left;
            return true;
        }
        if !self.exhausted {
            (self.left, self.exhausted) = (0, true);
            self.too_expensive(at);
        }
        false
    }

    pub(super) fn too_expensive(&mut self, at: Span) -> Value {
        self.findings.push(too_expensive(self.scope.map(Scope::work), at, self.limits));
        Value::UNKNOWN
    }
}

/// The finding for a limit that made a value unknown.
pub(super) fn limit_reached(summary: &str, at: Span, limits: &Limits, limit: Limit) -> Finding {
    Finding::limit(limit, limits, summary, "The value is treated as unknown.")
        .code(Code::ValueLeftUnknown)
        .at(at)
}

/// The finding for an expression that takes too many steps. `work` are the steps of all expressions together, if they
/// share some.
pub(crate) fn too_expensive(work: Option<&Budget>, at: Span, limits: &Limits) -> Finding {
    let mut finding = limit_reached("Expression too expensive to evaluate", at, limits, Limit::Evaluation);
    if work.is_some_and(|work| work.get() < limits.evaluation()) {
        finding.add_sentence(
            "The expressions of this module together have reached a limit that grows with `evaluation`.",
        );
    }
    finding
}

pub(super) fn deeper_than(value: &Value, depth: usize) -> bool {
    let Some(rest) = depth.checked_sub(1) else { return true };
    let has_deep_type = match value {
        Value::List(ty, _) | Value::Set(ty, _) | Value::Map(ty, _) | Value::Null(ty) | Value::Unknown(ty) => {
            ty.depth() > rest
        }
        Value::Marked(inner, _) => return deeper_than(inner, depth),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Tuple(_) | Value::Object(_) => false,
    };
    has_deep_type || value.parts().any(|part| deeper_than(part, rest))
}

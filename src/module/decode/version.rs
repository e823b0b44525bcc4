//! Decodes `version` and `required_version` arguments.

use std::sync::Arc;

use crate::finding::{EngineRule, Finding};
use crate::module::declaration::VersionConstraint;
use crate::module::decode::Decoder;
use crate::syntax::Attribute;
use crate::text::Span;
use crate::value::{self, Constraints, Type};

impl Decoder<'_> {
    /// A version constraint. Returns `None` after an error. `null` is a constraint that allows every version.
    pub(super) fn version_constraint(&mut self, attribute: &Arc<Attribute>) -> Option<VersionConstraint> {
        let at = attribute.expr.span;
        let before = self.findings.len();
        let value = value::constant_within(self.limits, &attribute.expr, self.findings);
        if self.failed_since(before) {
            return None;
        }
        let Ok(value) = value::convert(&value, &Type::String) else {
            self.findings
                .push(invalid_version(at, format!("`{}` must be a constant string.", attribute.name)));
            return None;
        };
        // Null, or unknown after a syntax error that is reported already.
        let text = value.as_str().unwrap_or_default();
        let constraints = if value.as_str().is_some() { Some(self.constraints(text, at)?) } else { None };
        Some(VersionConstraint { constraints, text: text.into(), span: attribute.span, value_span: at })
    }

    /// Parses a version constraint whose span is `at`.
    pub(super) fn constraints(&mut self, text: &str, at: Span) -> Option<Constraints> {
        let invalid = |error| invalid_version(at, format!("{error}.")).help(Constraints::help(text));
        Constraints::parse(text).map_err(|error| self.findings.push(invalid(error))).ok()
    }
}

/// The error for an invalid version constraint.
pub(super) fn invalid_version(at: Span, detail: impl Into<String>) -> Finding {
    Finding::language(EngineRule::InvalidVersionConstraint, "Invalid version constraint")
        .detail(detail)
        .at(at)
}

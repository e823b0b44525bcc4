//! Turns `version` and `required_version` arguments into version constraints.

use std::sync::Arc;

use crate::finding::{EngineRule, Finding};
use crate::module::declaration::VersionConstraint;
use crate::module::decode::Decoder;
use crate::syntax::Attribute;
use crate::text::Span;
use crate::value::{self, Constraints, Type};

impl Decoder<'_> {
    /// A version constraint; none where it is in error. `null` is a constraint that asks for nothing.
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
        // Not a text after all: null, or unknown after a syntax error that was reported.
        let text = value.as_str().unwrap_or_default();
        let constraints = if value.as_str().is_some() { Some(self.constraints(text, at)?) } else { None };
        Some(VersionConstraint { constraints, text: text.into(), span: attribute.span, value_span: at })
    }

    /// Reads the text of a version constraint that stands at `at`.
    pub(super) fn constraints(&mut self, text: &str, at: Span) -> Option<Constraints> {
        match Constraints::parse(text) {
            Ok(constraints) => Some(constraints),
            Err(error) => {
                self.findings.push(
                    invalid_version(at, error)
                        .help("write comma-separated conditions, as in \">= 1.2, < 2.0\""),
                );
                None
            }
        }
    }
}

/// What is wrong with a version constraint.
pub(super) fn invalid_version(at: Span, detail: impl Into<String>) -> Finding {
    Finding::language(EngineRule::InvalidVersionConstraint, "Invalid version constraint")
        .detail(detail)
        .at(at)
}

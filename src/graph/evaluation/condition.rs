//! Checks the conditions and error messages of validations, preconditions, postconditions and assertions.

use super::scope::{ModuleScope, Names};
use super::{Evaluation, accepted_values, secrets, validation};
use crate::engine::Product;
use crate::finding::{EngineRule, Finding, Severity, has_errors};
use crate::graph::references;
use crate::graph::references::sites::{Owner, Site};
use crate::module::declaration::Condition;
use crate::syntax::{Attribute, Expr, ExprKind};
use crate::value::{Type, Value, convert, evaluate};

impl Evaluation<'_, '_> {
    /// Evaluates a part of a condition. After an invalid reference, the engine still evaluates it, but without any
    /// names.
    pub(super) fn condition(&mut self, site: &Site<'_>, condition: &Condition, expr: &Expr) {
        let is_condition = condition.condition.as_ref().is_some_and(|part| part.expr.span == expr.span);
        if is_condition && matches!(site.owner, Owner::Check(_)) {
            // Only the references are checked.
            return;
        }
        if matches!(&site.owner, Owner::Variable(variable) if self.unsound.contains(variable.name.as_str())) {
            return;
        }
        let from = self.findings.len();
        let mut value = if self.is_unsound(site, condition, expr) {
            let names = Names::NotEvenReferences;
            let scope = ModuleScope { names, ..self.scope(site.symbols) };
            let mut found = Vec::new();
            evaluate(expr, &scope, &mut found);
            let product = self.node.module().features.engine.product;
            let explained = found.into_iter().map(|finding| {
                let is_of_name = finding.rule == EngineRule::InvalidReference.id();
                if is_of_name { follows(finding, product) } else { finding }
            });
            self.report_all(explained, site);
            return;
        } else {
            self.evaluated(expr, site.symbols, Names::Nothing, site)
        };
        if self.failed.contains(&expr.span)
            && !is_condition
            && matches!((&site.owner, &expr.kind), (Owner::Variable(_), ExprKind::JsonString(_)))
        {
            // JSON strings were literal text here in old versions, and still are if they cannot be evaluated as
            // templates.
            let why = self.findings.drain(from..).next();
            self.report(taken_for_text(expr, why), site);
            return;
        }
        let shown = !is_condition && matches!(site.owner, Owner::Output(_) | Owner::Check(_));
        // In the message of a variable, a JSON string that is not a template is shown as it is.
        let is_literal = |part: &Attribute| {
            matches!((&site.owner, &part.expr.kind), (Owner::Variable(_), ExprKind::JsonString(_)))
                && part.expr.span != expr.span
        };
        if is_condition && condition.parts().any(|part| !is_literal(part) && self.is_wrong(site, &part.expr))
        {
            // After an error, only the type of the result of a validation is checked.
            if matches!(site.owner, Owner::Variable(_)) && !self.node.is_called() {
                let (value, _) = self.known_or_partial(expr, site.symbols);
                self.report_all(accepted_values::unusable(&value.without_marks(), expr), site);
            }
            return;
        }
        if matches!(site.owner, Owner::Variable(_)) && self.node.is_called() {
            // There, the engine validates the argument of each call.
            return;
        }
        if is_condition && matches!(site.owner, Owner::Variable(_)) && is_false(&value) {
            match self.explanation(site, condition) {
                Explanation::Known => {}
                Explanation::Wrong(finding) => self.report(*finding, site),
                // The engine reports nothing before it plans.
                Explanation::Unknown => return,
            }
        }
        if is_condition && matches!(site.owner, Owner::Output(_)) && self.has_invalid_message(site, condition)
        {
            // The engine reports the message only.
            return;
        }
        let marks = value.take_marks();
        match accepted_values::condition(&value, expr, is_condition, site) {
            Some(finding) => self.report(finding, site),
            None if shown && value.is_known() => {
                self.report_all(secrets::message(self.node.module(), marks, expr), site);
            }
            None => {}
        }
    }

    /// Whether a reference in a part of a condition is already known to be invalid. In some blocks, the engine checks
    /// all parts together.
    fn is_unsound(&self, site: &Site<'_>, condition: &Condition, expr: &Expr) -> bool {
        let unsound =
            |expr: &Expr| self.wrong.contains(&expr.span) && references::is_unsound(self.node, site, expr);
        match &site.owner {
            Owner::Variable(_) => false,
            Owner::Output(_) | Owner::Check(_) => condition.parts().any(|part| unsound(&part.expr)),
            Owner::Local(_)
            | Owner::Call(_)
            | Owner::Argument(..)
            | Owner::Resource(_)
            | Owner::Provider(_)
            | Owner::Import(_)
            | Owner::Action(_) => unsound(expr),
        }
    }

    /// What is known about the error message of a false condition.
    fn explanation(&self, site: &Site<'_>, condition: &Condition) -> Explanation {
        let Some(message) = &condition.error_message else { return Explanation::Known };
        let mut found = Vec::new();
        let text = evaluate(&message.expr, &self.scope(site.symbols), &mut found);
        if has_errors(&found) {
            // A JSON string that is not a template is shown as it is.
            let is_shown = matches!(message.expr.kind, ExprKind::JsonString(_));
            return if is_shown { Explanation::Known } else { Explanation::Unknown };
        }
        match validation::wrong_message(&text, &message.expr) {
            _ if !text.is_known() => Explanation::Unknown,
            Some(finding) => Explanation::Wrong(Box::new(finding)),
            None => Explanation::Known,
        }
    }

    /// Whether the error message is not a string.
    fn has_invalid_message(&self, site: &Site<'_>, condition: &Condition) -> bool {
        condition.error_message.as_ref().is_some_and(|message| {
            let text = evaluate(&message.expr, &self.scope(site.symbols), &mut Vec::new());
            accepted_values::message(text.unmarked().0, &message.expr).is_some()
        })
    }

    /// Whether a plan does not evaluate a condition, because a reference in it or its error message is invalid.
    pub(super) fn is_never_reached(&self, site: &Site<'_>, condition: &Condition) -> bool {
        condition.parts().any(|part| self.wrong.contains(&part.expr.span))
            || condition.error_message.as_ref().is_some_and(|message| self.is_wrong(site, &message.expr))
    }

    /// Whether an expression has an invalid reference or fails.
    fn is_wrong(&self, site: &Site<'_>, expr: &Expr) -> bool {
        let mut found = Vec::new();
        let scope = ModuleScope { names: Names::Nothing, ..self.scope(site.symbols) };
        self.wrong.contains(&expr.span) || {
            evaluate(expr, &scope, &mut found);
            has_errors(&found)
        }
    }
}

/// The error for a name in a condition with an invalid reference, with the reason.
fn follows(finding: Finding, product: Product) -> Finding {
    finding
        .detail(format!(
            "This error follows from an invalid reference in the same block: {} then evaluates the expression without \
             any variables.",
            product.name()
        ))
        .help("correct the invalid reference")
}

/// The engine's error for a message that is not a valid template, with the reason.
fn taken_for_text(message: &Expr, why: Option<Finding>) -> Finding {
    let (place, summary) = why.map(|why| (why.primary, why.summary)).unwrap_or_default();
    Finding::language(EngineRule::InvalidCheckOrCondition, "Validation error message expression is invalid")
        .severity(Severity::Warning)
        .detail("This message cannot be evaluated, so Terraform shows the expression as it is written.")
        .at(message.span)
        .related(place, summary)
}

/// What is known about the error message of a false condition.
enum Explanation {
    Known,
    /// It is known, and wrong.
    Wrong(Box<Finding>),
    Unknown,
}

fn is_false(result: &Value) -> bool {
    convert(&result.clone().without_marks(), &Type::Bool) == Ok(Value::Bool(false))
}

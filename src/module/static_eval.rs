//! Early evaluation: values of expressions that the engine evaluates before it knows any resource (module sources,
//! instances of provider configurations), as far as they follow from the configuration.
//!
//! Values that come from outside, such as those of variables, are unknown here, and nothing that depends on them is
//! reported.

mod address;
mod exactness;
mod instances;
mod refusal;
mod scope;

use std::collections::BTreeMap;

use smol_str::SmolStr;

use crate::engine::ModuleAddress;
use crate::finding::{EngineRule, Finding};
use crate::module::Module;
use crate::module::address::{self as addresses, Reference, Subject};
use crate::syntax::Expr;
use crate::text::{Span, with_article};
use crate::value::{self, Budget, Type, Value};
use exactness::{is_plain, provider_functions};
use scope::Known;

/// The purpose of an evaluation.
#[derive(Debug, Clone)]
pub(crate) struct Purpose {
    /// The purpose in messages: "the source of `module.net`".
    pub(crate) what: String,
    /// Where the engine reports that the value cannot be computed.
    pub(crate) at: Span,
    /// The rule of that finding.
    pub(crate) rule: EngineRule,
}

/// The result of an evaluation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Outcome {
    /// The value.
    pub(crate) value: Value,
    /// Whether the engine knows no more about the value than this.
    pub(crate) sure: bool,
    /// Whether the engine reports an error on the way.
    pub(crate) failed: bool,
}

impl Outcome {
    const FAILED: Self = Self { value: Value::UNKNOWN, sure: true, failed: true };
    const OPEN: Self = Self { value: Value::UNKNOWN, sure: false, failed: false };
}

/// Early evaluation in one module.
pub(crate) struct StaticEvaluator<'m> {
    module: &'m Module,
    /// The results for local values. `None` for one that is being evaluated.
    locals: BTreeMap<SmolStr, Option<Outcome>>,
    findings: Vec<Finding>,
    needs: Vec<(SmolStr, Purpose)>,
    /// The remaining evaluation steps of the module.
    work: Budget,
}

impl<'m> StaticEvaluator<'m> {
    /// An evaluator for a module.
    pub(crate) fn new(module: &'m Module) -> Self {
        Self {
            module,
            locals: BTreeMap::new(),
            findings: Vec::new(),
            needs: Vec::new(),
            work: Budget::of(module.limits.early_evaluation(module.bytes)),
        }
    }

    /// Takes the findings since the last call, and the variables that OpenTofu needed for the evaluation.
    pub(crate) fn take(&mut self) -> (Vec<Finding>, Vec<(SmolStr, Purpose)>) {
        (std::mem::take(&mut self.findings), std::mem::take(&mut self.needs))
    }

    /// The value of an expression, as OpenTofu evaluates it.
    pub(crate) fn static_value(&mut self, expr: &Expr, purpose: &Purpose) -> Outcome {
        self.followed(expr, purpose, 0)
    }

    fn followed(&mut self, expr: &Expr, purpose: &Purpose, depth: usize) -> Outcome {
        let before = self.findings.len();
        let references = self.references(expr);
        let unreadable = self.findings.len() > before;
        let functions = provider_functions(expr);
        let refused = refusal::of_references(&references, purpose);
        let refused: Vec<Finding> =
            refused.chain(refusal::of_provider_functions(&functions, purpose)).collect();
        if !refused.is_empty() {
            self.findings.extend(refused);
            return Outcome::FAILED;
        }
        let mut outcome = Outcome { failed: unreadable, sure: is_plain(expr), ..Outcome::OPEN };
        for reference in &references {
            let of_reference = match &reference.subject {
                Subject::Variable(name) => self.static_variable(name, reference.span, purpose),
                Subject::Local(name) => self.static_local(name, reference.span, purpose, depth),
                subject => {
                    let wrong = refusal::of_symbol(subject, reference.span, purpose);
                    let failed = wrong.is_some();
                    self.findings.extend(wrong);
                    Outcome { failed, ..Outcome::OPEN }
                }
            };
            outcome.failed |= of_reference.failed;
            outcome.sure &= of_reference.sure;
        }
        if outcome.failed {
            return Outcome::FAILED;
        }
        self.evaluated(expr, outcome.sure)
    }

    /// The value of an expression whose references are already evaluated.
    fn evaluated(&mut self, expr: &Expr, sure: bool) -> Outcome {
        let mut wrong = Vec::new();
        let scope = Known { module: self.module, locals: &self.locals, work: &self.work };
        let value = value::evaluate(expr, &scope, &mut wrong);
        if wrong.iter().any(|finding| finding.severity == crate::finding::Severity::Error) {
            self.findings.extend(wrong);
            return Outcome::FAILED;
        }
        // If the step limit was reached, only this program does not know the value.
        let sure = sure && wrong.is_empty() && self.work.get() > 0;
        self.findings
            .extend(wrong.into_iter().filter(|finding| finding.rule == EngineRule::LimitReached.id()));
        Outcome { value, sure, failed: false }
    }

    fn static_variable(&mut self, name: &str, at: Span, purpose: &Purpose) -> Outcome {
        let Some(variable) = self.module.variables.get(name) else {
            if self.is_undeclared_variable(name) {
                self.findings.push(refusal::undefined("variable", name, at));
                return Outcome::FAILED;
            }
            return Outcome::OPEN;
        };
        if variable.constant.as_ref().is_some_and(|constant| !constant.value) {
            self.findings.push(refusal::not_constant(variable, at, purpose));
            return Outcome::FAILED;
        }
        self.needs.push((name.into(), purpose.clone()));
        Outcome::OPEN
    }

    fn static_local(&mut self, name: &str, at: Span, purpose: &Purpose, depth: usize) -> Outcome {
        let Some(local) = self.module.locals.get(name) else {
            if self.is_undeclared_local(name) {
                self.findings.push(refusal::undefined("local", name, at));
                return Outcome::FAILED;
            }
            return Outcome::OPEN;
        };
        let declared = local.attribute.span;
        let outcome = match self.locals.get(name) {
            Some(Some(outcome)) => outcome.clone(),
            Some(None) => {
                self.findings.push(refusal::circular(name, declared, at));
                return Outcome::FAILED;
            }
            None if depth >= self.module.limits.nesting() => {
                self.findings.push(refusal::too_deep(&self.module.limits, at));
                return Outcome::OPEN;
            }
            None => {
                self.locals.insert(name.into(), None);
                let inner = Purpose { what: format!("`local.{name}`"), at: declared, rule: purpose.rule };
                let outcome = self.followed(&local.attribute.expr, &inner, depth + 1);
                self.locals.insert(name.into(), Some(outcome.clone()));
                outcome
            }
        };
        if outcome.failed {
            self.findings.push(refusal::not_computed(purpose, &format!("local.{name}"), declared));
        }
        outcome
    }

    /// The value of an expression, as Terraform evaluates it.
    pub(crate) fn constant_value(&mut self, expr: &Expr) -> Outcome {
        let before = self.findings.len();
        let references = self.references(expr);
        for reference in &references {
            match &reference.subject {
                Subject::Variable(name) if self.is_undeclared_variable(name) => {
                    self.findings.push(refusal::undeclared("input variable", name, reference.span));
                }
                Subject::Local(name) if self.is_undeclared_local(name) => {
                    self.findings.push(refusal::undeclared("local value", name, reference.span));
                }
                _ => {}
            }
        }
        if self.findings.len() > before {
            return Outcome::FAILED;
        }
        let sure = self.is_sure(expr, &references, 0);
        self.evaluated(expr, sure)
    }

    /// Whether the engine does not know the unknown parts either. Evaluates the local values that the expression
    /// refers to.
    fn is_sure(&mut self, expr: &Expr, references: &[Reference<'_>], depth: usize) -> bool {
        let mut sure = is_plain(expr);
        for reference in references {
            sure &= match &reference.subject {
                Subject::Variable(name) => self.module.variables.get(name).is_some_and(|variable| {
                    variable.constant.as_ref().is_none_or(|constant| !constant.value)
                }),
                Subject::Local(name) => self.constant_local(name, depth),
                Subject::Resource { .. } | Subject::Module { .. } => true,
                Subject::Count(_)
                | Subject::Each(_)
                | Subject::Path(_)
                | Subject::Terraform(_)
                | Subject::Tofu(_)
                | Subject::Itself
                | Subject::Action { .. }
                | Subject::List { .. }
                | Subject::TypeName(_) => false,
            };
        }
        sure
    }

    /// Evaluates a local value. Its errors are reported elsewhere.
    fn constant_local(&mut self, name: &str, depth: usize) -> bool {
        if let Some(outcome) = self.locals.get(name) {
            return outcome.as_ref().is_some_and(|outcome| outcome.sure);
        }
        // The limit on chains of local values; beyond it, values are unknown.
        let is_near = depth < self.module.limits.nesting();
        let Some(local) = self.module.locals.get(name).filter(|_| is_near) else { return false };
        self.locals.insert(name.into(), None);
        let before = self.findings.len();
        let expr = &local.attribute.expr;
        let references = self.references(expr);
        let sure = self.is_sure(expr, &references, depth + 1);
        let outcome = self.evaluated(expr, sure);
        let failed = self.findings.len() > before;
        self.findings.truncate(before);
        let outcome = if failed { Outcome::OPEN } else { outcome };
        let sure = outcome.sure;
        self.locals.insert(name.into(), Some(outcome));
        sure
    }

    /// The references of an expression. Reports invalid ones.
    fn references<'e>(&mut self, expr: &'e Expr) -> Vec<Reference<'e>> {
        let mut references = Vec::new();
        for traversal in expr.variables() {
            match addresses::reference(traversal, &self.module.features) {
                Ok(reference) => references.push(reference),
                Err(error) => self.findings.push(error.finding()),
            }
        }
        references
    }

    fn is_undeclared_variable(&self, name: &str) -> bool {
        !self.module.variables.contains_key(name) && !self.module.may_have(&format!("var.{name}"))
    }

    fn is_undeclared_local(&self, name: &str) -> bool {
        !self.module.locals.contains_key(name) && !self.module.may_have(&format!("local.{name}"))
    }

    fn after_merge(&self) -> bool {
        self.module.features.module_address != ModuleAddress::LiteralPerBlock
    }
}

/// The value converted to a string, or the name of its type if that fails.
fn as_text(value: &Value) -> Result<Value, String> {
    value::convert(value, &Type::String).map_err(|_| with_article(&value.ty().name()))
}

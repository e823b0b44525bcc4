//! Evaluates the expressions of a module as far as they are known before planning, and reports errors in them.
//!
//! As in the engine, variables are unknown values of their type, local values are evaluated, a module is an object
//! with unknown outputs, and resources are unknown.

mod absence;
mod accepted_values;
mod arguments;
mod built_in;
mod condition;
mod imported_instances;
mod iterators;
mod locals;
mod null_refusal;
mod of_tests;
mod order;
mod outputs;
mod plan;
mod planned_calls;
mod planned_validations;
mod run_values;
mod scope;
mod secrets;
mod soundness;
mod validation;
mod values;
mod values_files;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::sync::Arc;

use hashbrown::HashSet;

use crate::engine::Product;
use crate::finding::{Code, EngineRule, Finding, Room, Severity, has_errors};
use crate::graph::references::sites::{self, Found, Owner, Site, Symbols};
use crate::graph::similar::Similar;
use crate::graph::{Node, dynamic_blocks, imports};
use crate::module::declaration::{Condition, Import, Local, Repeated, Resource, Variable};
use crate::syntax::{Attribute, Expr, ExprKind, Iteration, ObjectKey, Part, Step, Traversal};
use crate::text::Span;
use crate::value::{Budget, Marks, Value, elements, evaluate};
pub(crate) use absence::Absence;
pub(super) use locals::Locals;
pub(super) use of_tests::{assertion, failed_validation, value_of_test};
pub use planned_calls::{Cut, Evaluated, Planned, PlannedCall};
pub(super) use run_values::{
    CheckStatus, Computed, Given, GivenValues, Outputs, Replaced, Resources, RunValues, VariableValues,
    Within, default_of,
};
pub(crate) use soundness::contains_null;
pub use validation::RefusedDefault;
pub use values::Values;
pub(super) use values_files::{are_checked as are_values_checked, check as check_values};

use plan::Plan;
use scope::{Instance, ModuleScope, Names};

/// Evaluates every expression of a module as `validate` does, and then as a plan does, in at most `of_plan` steps. `wrong`
/// holds the expressions with an invalid reference: the engine reports these and does not evaluate them.
pub(super) fn check(
    node: Node<'_>,
    wrong: &BTreeSet<Span>,
    of_plan: Option<usize>,
    findings: &mut Vec<Finding>,
) -> Planned {
    let module = node.module();
    let without_wrong;
    let locals = if module.locals.values().any(|local| wrong.contains(&local.attribute.expr.span)) {
        without_wrong = values::locals(node, wrong);
        &without_wrong
    } else {
        node.locals()
    };
    let is_wrong = |part: &Arc<Attribute>| wrong.contains(&part.expr.span);
    let is_unsound =
        |variable: &Variable| variable.validations.iter().flat_map(Condition::parts).any(is_wrong);
    let unsound = module.variables.values().filter(|variable| is_unsound(variable));
    let steps = of_plan.unwrap_or(locals.steps_left() / OF_PLAN);
    let of_plan = &Budget::of(steps);
    let mut evaluation = Evaluation {
        node,
        wrong,
        unsound: unsound.map(|variable| variable.name.as_str()).collect(),
        failed: BTreeSet::new(),
        locals,
        marked: BTreeMap::new(),
        work: Budget::of(locals.steps_left()),
        of_plan,
        plan: OnceCell::new(),
        levels: Vec::new(),
        similar: Similar::default(),
        room: module.room(&[], EngineRule::ModuleArgumentType),
        findings,
    };
    module.locals.values().for_each(|local| evaluation.local(local));
    sites::for_each(node, &mut |site, found| match (found, &site.owner) {
        (Found::Dependencies(_) | Found::Broken(_) | Found::Unevaluated(_), _) | (_, Owner::Local(_)) => {}
        (Found::Expression(expr, around), _) => {
            let before = evaluation.findings.len();
            evaluation.at_site(site, expr, around);
            site.doubt(node, &mut evaluation.findings[before..]);
        }
    });
    for resource in module.resources.values() {
        evaluation.repetition(resource.repeated(), &resource.address);
        evaluation.built_in(resource);
    }
    for call in module.calls.values() {
        evaluation.repetition(call.repeated(), &format_args!("module.{}", call.name));
        if let Some(child) = node.child(&call.name) {
            evaluation.arguments(call, child);
        }
    }
    if !node.is_called() && module.features.import_targets_validated {
        module.imports.iter().for_each(|import| evaluation.import(import));
    }
    if !node.is_called() && !module.imports.is_empty() && module.features.grammar.import_for_each {
        let mut absent = imported_instances::absent(evaluation.plan());
        evaluation.findings.append(&mut absent);
    }
    evaluation.secrets();
    let mut of_calls = Vec::new();
    let calls = planned_calls::calls(evaluation.plan(), None, &mut of_calls);
    evaluation.findings.append(&mut of_calls);
    let room = evaluation.room;
    room.close(findings);
    let is_cut = of_plan.is_exhausted() && locals.steps_left() > 0;
    Planned { calls, steps: steps.saturating_sub(of_plan.get()), is_cut }
}

/// The part of the evaluation steps of a module that its plan can take: one of so many.
const OF_PLAN: usize = 4;

/// The marks of a value, and those of the value with all its elements.
#[derive(Debug, Clone, Copy)]
struct Marked {
    own: Marks,
    deep: Marks,
}

struct Evaluation<'t, 'f> {
    node: Node<'t>,
    wrong: &'f BTreeSet<Span>,
    /// The variables with an invalid reference in a validation. The engine checks the references of all validations
    /// before it evaluates any.
    unsound: HashSet<&'t str>,
    /// The expressions whose evaluation failed.
    failed: BTreeSet<Span>,
    locals: &'f Locals,
    /// The marks of the values that have any.
    marked: BTreeMap<Span, Marked>,
    /// The remaining evaluation steps of the module.
    work: Budget,
    /// The remaining evaluation steps for plans.
    of_plan: &'f Budget,
    /// The values in a plan; computed on first use.
    plan: OnceCell<Plan<'f>>,
    /// The `dynamic` blocks around the last expression that refers to an iterator.
    levels: Vec<iterators::Level>,
    similar: Similar,
    /// The findings about defaults that fail a validation that can be added.
    room: Room,
    findings: &'f mut Vec<Finding>,
}

impl<'t: 'f, 'f> Evaluation<'t, 'f> {
    /// Reports what the evaluation of a local value found.
    fn local(&mut self, local: &'t Local) {
        let found = self.locals.findings(local).to_vec();
        let value = self.locals.get(&local.name).unwrap_or(&Value::UNKNOWN);
        let from = self.findings.len();
        self.judged(&local.attribute.expr, value, found, &format_args!("local.{}", local.name));
        if self.findings.len() == from {
            self.in_plan(&Site::of(Owner::Local(local)), &local.attribute.expr, Iteration::NONE);
        }
    }

    fn at_site(&mut self, site: &Site<'t>, expr: &Expr, around: Iteration<'_>) {
        // The engine does not evaluate the content of a `dynamic` block that it may never expand.
        if !around.is_certain {
            return;
        }
        let from = self.findings.len();
        match site.condition {
            Some(condition) => self.condition(site, condition, expr),
            None if around.is_for_each && dynamic_blocks::expanded_in(&site.owner).is_some() => {
                let values = self.values(expr, around, site.symbols, site);
                let wrong = values.iter().find_map(|value| accepted_values::dynamic_for_each(value, expr));
                self.report_all(wrong, site);
            }
            None if self.is_plain(expr) && !iterators::refers_to(expr, around.names) => {}
            None => {
                self.values(expr, around, site.symbols, site);
            }
        }
        if self.findings.len() == from {
            self.in_plan(site, expr, around);
        }
        if site.no_namespaces {
            let found = self.findings[from..].iter_mut();
            for finding in found.filter(|finding| finding.code == Some(Code::UnknownProviderFunction)) {
                "Call to unknown function".clone_into(&mut finding.summary);
            }
        }
    }
}

impl Evaluation<'_, '_> {
    /// Whether evaluation cannot fail or add information: a literal, a reference that was checked already, an unknown
    /// value, or a collection of these.
    fn is_plain(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Null | ExprKind::Bool(_) | ExprKind::Number(_) => true,
            ExprKind::Template(template) => template.parts.iter().all(|part| match part {
                Part::Literal { .. } => true,
                Part::Interpolation(inner) => {
                    matches!(&inner.kind, ExprKind::Traversal(traversal) if scope::is_unknown(self.node, traversal))
                }
                Part::If(_) | Part::For(_) => false,
            }),
            ExprKind::Traversal(traversal) => {
                traversal.steps.len() == 1 && !self.has_marks(traversal)
                    || scope::is_unknown(self.node, traversal)
            }
            ExprKind::Tuple(items) => items.iter().all(|item| self.is_plain(item)),
            ExprKind::Object(items) => {
                items.iter().all(|item| matches!(item.key, ObjectKey::Name(..)) && self.is_plain(&item.value))
            }
            _ => false,
        }
    }

    /// Whether a declaration or symbol has marks.
    fn has_marks(&self, traversal: &Traversal) -> bool {
        let Some(name) = traversal.steps.first().and_then(Step::name) else { return false };
        match traversal.root.as_str() {
            "var" => {
                let variable = self.node.module().variables.get(name);
                variable.is_some_and(|variable| variable.marks() != Marks::NONE)
            }
            "local" => self.locals.marks(name) != Marks::NONE,
            // `terraform.applying` is ephemeral.
            root => matches!(root, "terraform" | "tofu") && name == "applying",
        }
    }

    /// The scope of expressions in which these symbols are valid.
    fn scope(&self, symbols: Symbols) -> ModuleScope<'_> {
        ModuleScope { symbols, ..ModuleScope::new(self.node, self.locals, &self.work) }
    }

    /// The values of an expression for all elements of the `dynamic` blocks around it; none after an error.
    fn values(
        &mut self,
        expr: &Expr,
        around: Iteration<'_>,
        symbols: Symbols,
        address: &dyn Display,
    ) -> Vec<Value> {
        if self.wrong.contains(&expr.span) {
            return Vec::new();
        }
        if !iterators::refers_to(expr, around.names) {
            return vec![self.evaluated(expr, symbols, Names::Anything, address)];
        }
        let (values, found) = self.for_each_element(expr, around, symbols);
        let last = values.last().unwrap_or(&Value::UNKNOWN);
        if self.judged(expr, last, found, address) { Vec::new() } else { values }
    }

    /// The value of an expression outside of `dynamic` blocks, also of one with an invalid reference. Unknown after an error.
    fn evaluated(&mut self, expr: &Expr, symbols: Symbols, names: Names, address: &dyn Display) -> Value {
        let mut found = Vec::new();
        let scope = ModuleScope { names, ..self.scope(symbols) };
        let value = evaluate(expr, &scope, &mut found);
        if self.judged(expr, &value, found, address) { Value::UNKNOWN } else { value }
    }

    /// Reports the findings in an expression, and keeps the marks of its value. Returns whether there is an error.
    fn judged(&mut self, expr: &Expr, value: &Value, found: Vec<Finding>, address: &dyn Display) -> bool {
        let failed = has_errors(&found);
        let is_step =
            |finding: &Finding| matches!(finding.code, Some(Code::UnsupportedAttribute | Code::InvalidIndex));
        let lacking = if found.iter().any(is_step) {
            outputs::lacking(self.node, expr, &self.similar)
        } else {
            Vec::new()
        };
        let better = |finding: Finding| {
            let other = lacking.iter().find(|other| is_step(&finding) && other.primary == finding.primary);
            other.cloned().unwrap_or(finding)
        };
        self.report_all(found.into_iter().map(better), address);
        let deep = value.deep_marks();
        if deep != Marks::NONE {
            self.marked.insert(expr.span, Marked { own: value.unmarked().1, deep });
        }
        if failed {
            self.failed.insert(expr.span);
        }
        failed
    }

    fn report(&mut self, finding: Finding, address: &dyn Display) {
        self.findings.push(finding.at_validate().address(address.to_string()));
    }

    fn report_all(&mut self, found: impl IntoIterator<Item = Finding>, address: &dyn Display) {
        found.into_iter().for_each(|finding| self.report(finding, address));
    }

    /// The value of an expression that was evaluated already, without marks.
    fn known(&self, expr: &Expr, symbols: Symbols) -> Value {
        let (value, failed) = self.known_or_partial(expr, symbols);
        if failed { Value::UNKNOWN } else { value.without_marks() }
    }

    /// Like [`Self::known`], with marks and the part that is known despite an error, and whether there was an error.
    fn known_or_partial(&self, expr: &Expr, symbols: Symbols) -> (Value, bool) {
        if self.wrong.contains(&expr.span) {
            return (Value::UNKNOWN, true);
        }
        let mut found = Vec::new();
        let value = evaluate(expr, &self.scope(symbols), &mut found);
        (value, has_errors(&found))
    }

    /// The finding of `judge` for an expression whose type counts even after an error: the engine converts what
    /// remains of it.
    fn converted(
        &self,
        expr: &Expr,
        symbols: Symbols,
        judge: fn(&Value, &Expr) -> Option<Finding>,
    ) -> Option<Finding> {
        let (value, failed) = self.known_or_partial(expr, symbols);
        judge(&value.without_marks(), expr)
            .filter(|finding| !failed || finding.code == Some(Code::IncorrectType))
    }

    /// Checks `count`, or else `for_each`: if override files lead to both, `count` takes precedence.
    fn repetition(&mut self, repeated: Repeated<'_>, address: &dyn Display) {
        let finding = match repeated {
            (Some(count), _) => {
                let finding = self.converted(&count.expr, Symbols::default(), accepted_values::count);
                // The engine looks at the marks of a number only.
                if finding.as_ref().is_some_and(|finding| finding.code == Some(Code::IncorrectType)) {
                    self.failed.insert(count.expr.span);
                }
                finding
            }
            (None, Some(for_each)) if !self.is_refused_as_secret(&for_each.expr) => {
                accepted_values::for_each(&self.known(&for_each.expr, Symbols::default()), &for_each.expr)
            }
            (None, Some(_) | None) => None,
        };
        self.report_all(finding, address);
    }

    /// Whether the engine refuses a value of `for_each` for its marks and does not check it further, as only Terraform
    /// does.
    fn is_refused_as_secret(&self, for_each: &Expr) -> bool {
        if self.node.graph().engine().product != Product::Terraform {
            return false;
        }
        let marked = self.marked.get(&for_each.span).filter(|_| !self.failed.contains(&for_each.span));
        marked.is_some_and(|marked| marked.own != Marks::NONE)
    }

    /// Checks the `id` and `for_each` of an import.
    fn import(&mut self, import: &Import) {
        let Some(target) = &import.target else { return };
        if !imports::reaches_for_each(self.node, import) {
            return;
        }
        let for_each = import.for_each.as_ref().and_then(|for_each| {
            accepted_values::import_for_each(&self.known(&for_each.expr, Symbols::default()), &for_each.expr)
        });
        let symbols = Symbols { each: import.for_each.is_some(), ..Symbols::default() };
        let mut found: Vec<Finding> = for_each.into_iter().collect();
        if let Some(id) = import.id.as_ref().filter(|_| imports::reaches_id(self.node, import)) {
            found.extend(self.converted(&id.expr, symbols, accepted_values::import_id));
            if let (Some(for_each), true) = (&import.for_each, found.is_empty()) {
                found = self.import_id_for_each(&id.expr, &for_each.expr);
            }
        }
        self.report_all(found, &format_args!("import.{target}"));
    }

    /// Checks the `id` of an import with each element of `for_each`, up to the first error. Unlike the elements for
    /// resources, they are known.
    fn import_id_for_each(&self, id: &Expr, for_each: &Expr) -> Vec<Finding> {
        if self.wrong.contains(&id.span) || self.failed.contains(&id.span) {
            return Vec::new();
        }
        let collection = self.known(for_each, Symbols::default());
        for (key, value) in elements(&collection).into_iter().flatten() {
            let instance = Instance::Each(key.into_owned(), value.clone());
            let scope = ModuleScope { instance: Some(&instance), ..self.scope(Symbols::default()) };
            let mut found = Vec::new();
            let value = evaluate(id, &scope, &mut found).without_marks();
            found.retain(|finding| finding.severity == Severity::Error);
            if found.is_empty() {
                found.extend(accepted_values::import_id(&value, id));
            }
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// Checks the values in the parts of a resource that the engine defines.
    fn built_in(&mut self, resource: &Resource) {
        let known = |expr: &Expr, symbols| {
            let (value, failed) = self.known_or_partial(expr, symbols);
            (value.without_marks(), failed)
        };
        let expressions = built_in::Expressions { known: &known, wrong: self.wrong, failed: &self.failed };
        let found = built_in::wrong(resource, self.node.graph().engine(), &expressions);
        self.report_all(found, &resource.address);
    }
}

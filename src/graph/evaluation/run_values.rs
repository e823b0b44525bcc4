//! Computes the values of a module with certain variables, as of one run of a test or in a plan, as far as they need no
//! provider.

mod blocks;
mod called_module;
mod checks;
mod exact;
mod null;
mod replaced;
mod scope;
mod variables;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use hashbrown::{HashMap, HashSet};
use smol_str::SmolStr;

use super::locals::Locals;
use super::scope::{Instance, ModuleScope, Start};
use super::secrets::refuses_ephemeral;
use crate::finding::{Finding, Severity, has_errors};
use crate::graph::Node;
use crate::graph::instance_keys::InstanceKeys;
use crate::graph::references::sites::Symbols;
use crate::module::address::ResourceAddress;
use crate::module::declaration::{Output, Variable};
use crate::syntax::{Attribute, Expr, StepKind, Traversal};
use crate::text::Span;
use crate::value::{Budget, Marks, Value, evaluate};
pub(super) use called_module::{Inputs, NOTHING, steps_to_enter, suited};
pub(in crate::graph) use checks::CheckStatus;
use exact::{is_pure, is_simple};
pub(in crate::graph) use null::NotNull;
pub(in crate::graph) use replaced::{Given, GivenValues, Replaced};
use scope::{RunScope, Unknown};
pub(in crate::graph) use variables::{VariableValues, default_of};

/// The values of declarations that refer to each other are computed to this depth.
const DEEPEST: usize = 24;

/// The steps that an output takes where all outputs of a module are evaluated, apart from those of its expression.
const OF_OUTPUT: usize = 8;

/// A value in a plan or in a run of a test.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::graph) struct Computed {
    /// The value.
    pub(in crate::graph) value: Value,
    /// Whether the engine knows no more of the value at this point than this.
    pub(in crate::graph) is_exact: bool,
}

impl Computed {
    /// A value of which the engine may know more.
    pub(in crate::graph) const UNKNOWN: Self = Self { value: Value::UNKNOWN, is_exact: false };

    /// An unknown value of the type of a variable.
    pub(in crate::graph) fn any_of(variable: &Variable) -> Self {
        Self { value: variable.unknown_value(), is_exact: false }
    }

    /// A value that is exact if all of it is known.
    pub(in crate::graph) fn known(value: Value) -> Self {
        Self { is_exact: value.is_wholly_known(), value }
    }
}

/// The outputs of a run.
pub(in crate::graph) type Outputs = BTreeMap<SmolStr, Computed>;

/// What exists when the expressions of a run are evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::graph) enum Resources {
    /// None, since nothing was applied.
    Planned,
    /// Some may, from an earlier run.
    Changed,
    /// All.
    Applied,
}

/// The position of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::graph) enum Within {
    /// In `variables` of a test: no declarations of the module.
    Variables,
    /// In the module.
    Module,
    /// In an `assert` block of a run.
    Assertion,
}

/// The values that the expressions of a run can refer to. Those of declarations are computed once they are needed.
pub(in crate::graph) struct RunValues<'t> {
    node: Node<'t>,
    resources: Resources,
    replaced: Replaced,
    /// The calls that lead from the module under test to this one.
    path: Vec<SmolStr>,
    /// Whether one of them has `count` or `for_each`.
    is_below_repeated: bool,
    variables: VariableValues,
    earlier: &'t BTreeMap<SmolStr, Outputs>,
    work: &'t Budget,
    /// The computed values, or `None` while they are computed.
    computed: RefCell<HashMap<Name, Option<Computed>>>,
    /// The values of the modules that are called.
    children: RefCell<BTreeMap<SmolStr, Option<Rc<RunValues<'t>>>>>,
    /// The outputs of each of them that the engine does not evaluate in some instance because of an error.
    failed_outputs: RefCell<BTreeMap<SmolStr, BTreeSet<SmolStr>>>,
    depth: Cell<usize>,
    /// What the engine reports about the declarations that were computed.
    errors: RefCell<Vec<Finding>>,
    /// Empty: local values are computed here.
    locals: Locals,
    /// The plan or test whose values these are. `None` for a plan of this module, or of one that calls it.
    start: Option<Start<'t>>,
    /// The declarations whose evaluation failed, or that refer to such ones.
    failed: RefCell<HashSet<Name>>,
    /// Those that the engine does not evaluate, because what they refer to failed.
    skipped: RefCell<HashSet<Name>>,
    /// Whether references fail, by their first names.
    references: RefCell<HashMap<FirstNames, bool>>,
    /// The status of each condition that was evaluated, by its expression.
    statuses: RefCell<HashMap<Span, CheckStatus>>,
    /// Whether the evaluation of the current declaration failed.
    is_failing: Cell<bool>,
    /// The variables that are not null, if that matters.
    not_null: Option<&'t NotNull>,
    instance_keys: InstanceKeys,
}

/// The first names of a reference, which decide what it depends on.
type FirstNames = (SmolStr, Option<SmolStr>, Option<SmolStr>);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Name {
    Variable(SmolStr),
    Local(SmolStr),
    Output(SmolStr),
    Call(SmolStr),
    Resource(ResourceAddress),
}

impl<'t> RunValues<'t> {
    pub(in crate::graph) fn new(
        node: Node<'t>,
        (resources, replaced): (Resources, Replaced),
        variables: VariableValues,
        earlier: &'t BTreeMap<SmolStr, Outputs>,
        work: &'t Budget,
    ) -> Self {
        Self {
            node,
            resources,
            replaced,
            path: Vec::new(),
            is_below_repeated: false,
            variables,
            earlier,
            work,
            computed: RefCell::default(),
            children: RefCell::default(),
            failed_outputs: RefCell::default(),
            depth: Cell::default(),
            errors: RefCell::default(),
            locals: Locals::default(),
            start: None,
            failed: RefCell::default(),
            skipped: RefCell::default(),
            references: RefCell::default(),
            statuses: RefCell::default(),
            is_failing: Cell::default(),
            not_null: None,
            instance_keys: InstanceKeys::default(),
        }
    }

    /// Those in a plan.
    pub(super) fn of_plan(node: Node<'t>, variables: VariableValues, work: &'t Budget) -> Self {
        Self::new(node, (Resources::Changed, Replaced::default()), variables, &NOTHING, work)
    }

    /// The same values in a module below another one, without those of some variables.
    pub(super) fn below(self, above: Node<'t>, failed: BTreeSet<SmolStr>) -> Self {
        let failed: HashSet<Name> = failed.into_iter().map(Name::Variable).collect();
        Self { start: Some(Start::Plan(above)), failed: failed.into(), ..self }
    }

    /// The same values in the tests of a module.
    pub(in crate::graph) fn in_tests_of(self, module: Node<'t>) -> Self {
        Self { start: Some(Start::Test(module)), ..self }
    }

    /// The same values without those of these variables, which the engine does not evaluate. None is computed yet.
    pub(super) fn without<'n>(&self, skipped: impl Iterator<Item = &'n SmolStr> + Clone) -> Self {
        let names = skipped.clone().cloned().map(Name::Variable);
        let names = self.skipped.borrow().iter().cloned().chain(names).collect::<HashSet<_>>();
        Self { skipped: names.into(), ..self.failing(skipped) }
    }

    /// The same values, as if the evaluation of these variables had failed. None is computed yet.
    pub(super) fn failing<'n>(&self, failing: impl Iterator<Item = &'n SmolStr>) -> Self {
        let variables = self.variables.clone();
        let values =
            Self::new(self.node, (self.resources, self.replaced.clone()), variables, self.earlier, self.work);
        let mut failed = self.failed.borrow().clone();
        failed.extend(failing.cloned().map(Name::Variable));
        let skipped = self.skipped.clone();
        Self {
            start: self.start,
            path: self.path.clone(),
            is_below_repeated: self.is_below_repeated,
            failed: failed.into(),
            skipped,
            not_null: self.not_null,
            ..values
        }
    }

    /// The same values, with what is known about null.
    pub(in crate::graph) fn knowing(self, not_null: &'t NotNull) -> Self {
        Self { not_null: Some(not_null), ..self }
    }

    /// The value of a variable of the module.
    pub(super) fn variable(&self, name: &str) -> Option<Computed> {
        self.variables.get(name, self.node.module())
    }

    /// Whether a variable of the module has a value other than its default.
    pub(super) fn is_set(&self, name: &str) -> bool {
        self.variables.of_call(name).is_some()
    }

    /// The value of an expression, and what the engine reports about it. After an error it is unknown.
    pub(in crate::graph) fn of(&self, expr: &Expr, within: Within) -> (Computed, Vec<Finding>) {
        self.value(expr, within, None)
    }

    /// The outputs of the module, which later runs can refer to.
    pub(in crate::graph) fn outputs(&self) -> Outputs {
        self.outputs_with(Output::marks)
    }

    /// The outputs of the module, with these marks of their declarations.
    fn outputs_with(&self, marks: impl Fn(&Output) -> Marks) -> Outputs {
        let value = |output: &Output| {
            if self.work.take(OF_OUTPUT) { self.output(output, marks(output)) } else { Computed::UNKNOWN }
        };
        let outputs = self.node.module().outputs.values();
        outputs.map(|output| (output.name.clone(), value(output))).collect()
    }

    fn output(&self, output: &Output, marks: Marks) -> Computed {
        let Computed { value, is_exact } = self.named(Name::Output(output.name.clone()));
        Computed { value: value.mark(marks), is_exact }
    }

    /// An output as assertions of a test see it: if nothing is applied, Terraform does not know the type of an unknown one.
    fn output_in_test(&self, output: &Output) -> Computed {
        let computed = self.output(output, output.marks());
        // After an expected failure, there are assertions on outputs that the engine did not evaluate.
        if self.failed.borrow().contains(&Name::Output(output.name.clone())) {
            return Computed::known(Value::NULL);
        }
        if self.resources == Resources::Applied || computed.value.is_known() {
            return computed;
        }
        Computed { value: Value::UNKNOWN.mark(output.marks()), ..computed }
    }

    /// The errors in the values of declarations that were needed so far, each once.
    pub(in crate::graph) fn declaration_errors(&self) -> Vec<Finding> {
        let errors = self.errors.borrow();
        let mut seen = BTreeSet::new();
        let is_new = |finding: &&Finding| seen.insert(finding.place_and_summary());
        let errors = errors.iter().filter(|finding| finding.severity == Severity::Error);
        errors.filter(is_new).cloned().collect()
    }

    /// Evaluates the local values, resources and module calls that nothing needed so far, as the engine does.
    pub(in crate::graph) fn evaluate_all(&self) {
        let module = self.node.module();
        let locals = module.locals.keys().cloned().map(Name::Local);
        let resources = module.resources.keys().cloned().map(Name::Resource);
        for name in locals.chain(resources).chain(module.calls.keys().cloned().map(Name::Call)) {
            self.named(name);
        }
    }

    fn value(&self, expr: &Expr, within: Within, itself: Option<&Computed>) -> (Computed, Vec<Finding>) {
        self.value_in(expr, &RunScope { itself, ..RunScope::of(self, self.scope(), within) })
    }

    fn value_in(&self, expr: &Expr, scope: &RunScope<'_, 't>) -> (Computed, Vec<Finding>) {
        let mut found = Vec::new();
        let value = evaluate(expr, scope, &mut found);
        if has_errors(&found) {
            return (Computed::UNKNOWN, found);
        }
        // Once a limit is reached, a value can be unknown here and known in a plan.
        let is_bounded = found.is_empty() && self.work.get() > 0;
        let is_decided = || is_simple(expr) || scope.unknown.get() == Unknown::Untyped && is_pure(expr);
        let is_exact = value.is_wholly_known() || is_bounded && scope.is_exact.get() && is_decided();
        (Computed { value, is_exact }, found)
    }

    /// The value of an expression at a position of the module with these symbols, in one instance of its block if there is
    /// one, and the findings about it. `None` if the engine does not evaluate it after another error. `itself` is the
    /// value of `self`.
    pub(super) fn at(
        &self,
        expr: &Expr,
        symbols: Symbols,
        instance: Option<&Instance>,
        itself: Option<&Computed>,
    ) -> Option<(Computed, Vec<Finding>)> {
        let module = ModuleScope { symbols, instance, ..self.scope() };
        self.unless_failing(expr, &RunScope { itself, ..RunScope::of(self, module, Within::Module) })
    }

    /// Like [`Self::at`], for a part of a validation of a variable. The engine evaluates it even if the variable fails.
    pub(super) fn in_validation(&self, part: &Expr, variable: &SmolStr) -> Option<(Computed, Vec<Finding>)> {
        let scope = RunScope::of(self, self.scope(), Within::Module);
        self.unless_failing(part, &RunScope { validated: Some(variable), ..scope })
    }

    fn unless_failing(&self, expr: &Expr, scope: &RunScope<'_, 't>) -> Option<(Computed, Vec<Finding>)> {
        self.is_failing.set(false);
        let computed = self.value_in(expr, scope);
        (!self.is_failing.take()).then_some(computed)
    }

    fn scope(&self) -> ModuleScope<'_> {
        ModuleScope { start: self.start, ..ModuleScope::new(self.node, &self.locals, self.work) }
    }

    /// Notes that what is evaluated depends on a declaration that may have failed.
    fn depend_on(&self, name: &Name) {
        if self.failed.borrow().contains(name) {
            self.is_failing.set(true);
        }
    }

    /// The value of an earlier run, or of the output that a reference names, with the number of steps to it.
    fn run(&self, name: &str, traversal: &Traversal) -> (Computed, usize) {
        let Some(outputs) = self.earlier.get(name) else { return (Computed::UNKNOWN, 1) };
        if let Some(StepKind::Attribute(output)) = traversal.steps.get(1).map(|step| &step.kind)
            && let Some(output) = outputs.get(output)
        {
            return (output.clone(), 2);
        }
        let is_exact = outputs.values().all(|output| output.is_exact);
        let values = outputs.iter().map(|(name, output)| (name.clone(), output.value.clone()));
        (Computed { value: Value::Object(values.collect()), is_exact }, 1)
    }

    /// The value of a declaration of the module.
    fn named(&self, name: Name) -> Computed {
        if let Some(computed) = self.computed.borrow().get(&name) {
            self.depend_on(&name);
            // Declarations in a cycle are unknown.
            return computed.clone().unwrap_or(Computed::UNKNOWN);
        }
        if self.depth.get() == DEEPEST {
            return Computed::UNKNOWN;
        }
        self.computed.borrow_mut().insert(name.clone(), None);
        self.depth.set(self.depth.get() + 1);
        let was_failing = self.is_failing.replace(false);
        let is_skipped = self.depends_on_failure(&name);
        if is_skipped {
            self.skipped.borrow_mut().insert(name.clone());
        }
        let is_refused = is_skipped || self.fails_precondition(&name);
        let computed = if is_refused { Computed::UNKNOWN } else { self.compute(&name) };
        if is_refused || self.is_failing.get() || self.fails_postcondition(&name) {
            self.is_failing.set(true);
            self.failed.borrow_mut().insert(name.clone());
        }
        self.is_failing.set(self.is_failing.get() || was_failing);
        self.depth.set(self.depth.get() - 1);
        self.computed.borrow_mut().insert(name, Some(computed.clone()));
        computed
    }

    fn compute(&self, name: &Name) -> Computed {
        let module = self.node.module();
        match name {
            Name::Variable(name) => self.variable(name).unwrap_or(Computed::UNKNOWN),
            Name::Local(name) => match module.locals.get(name) {
                Some(local) => self.attribute(&local.attribute),
                None => Computed::UNKNOWN,
            },
            Name::Output(name) => {
                let Some(output) = module.outputs.get(name) else { return Computed::UNKNOWN };
                let Some(attribute) = output.value.as_deref() else { return Computed::UNKNOWN };
                let computed = self.attribute(attribute);
                if !output.is_ephemeral() && self.is_refused_as_ephemeral(&computed.value) {
                    self.is_failing.set(true);
                }
                computed
            }
            Name::Call(name) => self.call(name).unwrap_or(Computed::UNKNOWN),
            Name::Resource(address) => {
                let resource = module.resources.get(address).filter(|resource| resource.check.is_none());
                resource.map_or(Computed::UNKNOWN, |resource| self.resource(resource))
            }
        }
    }

    /// Whether the engine refuses a value of the module where it would be stored.
    fn is_refused_as_ephemeral(&self, value: &Value) -> bool {
        value.deep_marks().ephemeral.is_some() && refuses_ephemeral(self.node.module())
    }

    fn attribute(&self, attribute: &Attribute) -> Computed {
        self.attribute_in(attribute, None)
    }

    /// Like [`Self::attribute_in`], for an argument that the engine evaluates for itself: unknown if it refers to something
    /// that fails.
    fn argument(&self, attribute: &Attribute, instance: Option<&Instance>) -> Computed {
        if self.refers_to_failure(&attribute.expr) {
            self.is_failing.set(true);
            return Computed::UNKNOWN;
        }
        self.attribute_in(attribute, instance)
    }

    /// The value of an argument in one instance of its block.
    fn attribute_in(&self, attribute: &Attribute, instance: Option<&Instance>) -> Computed {
        if attribute.is_broken {
            return Computed::UNKNOWN;
        }
        let symbols = instance.map_or_else(Symbols::default, |_| Symbols::OF_ARGUMENTS);
        let module = ModuleScope { symbols, instance, ..self.scope() };
        self.note(self.value_in(&attribute.expr, &RunScope::of(self, module, Within::Module)))
    }

    /// Notes the findings about a part of the current declaration, and returns its value.
    fn note(&self, (computed, found): (Computed, Vec<Finding>)) -> Computed {
        if has_errors(&found) {
            self.is_failing.set(true);
        }
        self.errors.borrow_mut().extend(found);
        computed
    }
}

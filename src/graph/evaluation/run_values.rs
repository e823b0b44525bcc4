//! Computes the values of a module with certain variables, as of one run of a test, as far as they need no provider.

mod null;
mod scope;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use smol_str::SmolStr;

use super::accepted_values;
use super::locals::Locals;
use super::scope::{Instance, ModuleScope};
use crate::finding::{Finding, Severity, has_errors};
use crate::graph::references::sites::Symbols;
use crate::graph::{Node, arguments, builtin};
use crate::module::Module;
use crate::module::address::{Mode, ResourceAddress};
use crate::module::declaration::{Condition, ModuleCall, Output, Resource, Variable};
use crate::syntax::{Attribute, Expr, ExprKind, Part, Step, StepKind, Template, Traversal};
use crate::value::{Budget, Marks, Type, Value, convert, evaluate};
pub(in crate::graph) use null::NotNull;
use scope::RunScope;

/// The values of declarations that refer to each other are computed to this depth.
const DEEPEST: usize = 24;

/// More instances than this are not distinguished.
const MOST_INSTANCES: usize = 1000;

/// See [`steps_to_enter`].
const BYTES_PER_STEP: usize = 16;

/// The results of the runs before a module without tests.
pub(super) static NOTHING: BTreeMap<SmolStr, Outputs> = BTreeMap::new();

/// A value in a run of a test.
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

    /// A value that is exact if all of it is known.
    pub(in crate::graph) fn known(value: Value) -> Self {
        Self { is_exact: value.is_wholly_known(), value }
    }
}

/// The values that a call gives to the variables of a module.
#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Inputs {
    pub(super) variables: BTreeMap<SmolStr, Computed>,
    /// The variables that the engine does not evaluate because of an error.
    pub(super) failed: BTreeSet<SmolStr>,
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
    /// Whether the test replaces values of resources or modules.
    is_overridden: bool,
    variables: Rc<BTreeMap<SmolStr, Computed>>,
    earlier: &'t BTreeMap<SmolStr, Outputs>,
    work: &'t Budget,
    /// The computed values, or `None` while they are computed.
    computed: RefCell<BTreeMap<Name, Option<Computed>>>,
    /// The values of the modules that are called.
    children: RefCell<BTreeMap<SmolStr, Option<Rc<RunValues<'t>>>>>,
    depth: Cell<usize>,
    /// What the engine reports about the declarations that were computed.
    errors: RefCell<Vec<Finding>>,
    /// Empty: local values are computed here.
    locals: Locals,
    /// The module above whose values are used, if there is one.
    below: Option<Node<'t>>,
    /// The declarations whose evaluation failed, or that refer to such ones.
    failed: RefCell<BTreeSet<Name>>,
    /// Whether the evaluation of the current declaration failed.
    is_failing: Cell<bool>,
    /// The variables that are not null, if that matters.
    not_null: Option<&'t NotNull>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
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
        (resources, is_overridden): (Resources, bool),
        variables: Rc<BTreeMap<SmolStr, Computed>>,
        earlier: &'t BTreeMap<SmolStr, Outputs>,
        work: &'t Budget,
    ) -> Self {
        Self {
            node,
            resources,
            is_overridden,
            variables,
            earlier,
            work,
            computed: RefCell::default(),
            children: RefCell::default(),
            depth: Cell::default(),
            errors: RefCell::default(),
            locals: Locals::default(),
            below: None,
            failed: RefCell::default(),
            is_failing: Cell::default(),
            not_null: None,
        }
    }

    /// The same values in a module below another one, without those of some variables.
    pub(super) fn below(self, above: Node<'t>, failed: BTreeSet<SmolStr>) -> Self {
        let failed: BTreeSet<Name> = failed.into_iter().map(Name::Variable).collect();
        Self { below: Some(above), failed: failed.into(), ..self }
    }

    /// The same values, with what is known about null.
    pub(in crate::graph) fn knowing(self, not_null: &'t NotNull) -> Self {
        Self { not_null: Some(not_null), ..self }
    }

    /// The value of an expression, and what the engine reports about it. After an error it is unknown.
    pub(in crate::graph) fn of(&self, expr: &Expr, within: Within) -> (Computed, Vec<Finding>) {
        self.value(expr, within, None)
    }

    /// Whether a condition of the module holds, if that is known. `itself` is the resource with the condition.
    pub(in crate::graph) fn holds(&self, condition: &Condition, itself: Option<&Resource>) -> Option<bool> {
        let attribute = condition.condition.as_ref().filter(|attribute| !attribute.is_broken)?;
        let itself = itself.map(|resource| self.instance(resource));
        let (mut result, found) = self.value(&attribute.expr, Within::Module, itself.as_ref());
        result.value.take_deep_marks();
        if found.is_empty() { convert(&result.value, &Type::Bool).ok()?.as_bool() } else { None }
    }

    /// The errors in the evaluation of a condition of the module and of its message.
    pub(in crate::graph) fn errors(&self, condition: &Condition) -> Vec<Finding> {
        let usable = condition.parts().filter(|attribute| !attribute.is_broken);
        let found = usable.flat_map(|attribute| self.value(&attribute.expr, Within::Module, None).1);
        found.filter(|finding| finding.severity == Severity::Error).collect()
    }

    /// The outputs of the module, which later runs can refer to.
    pub(in crate::graph) fn outputs(&self) -> Outputs {
        self.outputs_with(Output::marks)
    }

    /// The outputs of the module, with these marks of their declarations.
    fn outputs_with(&self, marks: impl Fn(&Output) -> Marks) -> Outputs {
        let outputs = self.node.module().outputs.values();
        outputs.map(|output| (output.name.clone(), self.output(output, marks(output)))).collect()
    }

    fn output(&self, output: &Output, marks: Marks) -> Computed {
        let Computed { value, is_exact } = self.named(Name::Output(output.name.clone()));
        Computed { value: value.mark(marks), is_exact }
    }

    /// The errors in the values of declarations that were needed so far.
    pub(in crate::graph) fn declaration_errors(&self) -> Vec<Finding> {
        let errors = self.errors.borrow();
        errors.iter().filter(|finding| finding.severity == Severity::Error).cloned().collect()
    }

    fn value(&self, expr: &Expr, within: Within, itself: Option<&Computed>) -> (Computed, Vec<Finding>) {
        let module = self.scope();
        let scope = RunScope { values: self, module, within, itself, is_exact: Cell::new(true) };
        let mut found = Vec::new();
        let value = evaluate(expr, &scope, &mut found);
        if has_errors(&found) {
            return (Computed::UNKNOWN, found);
        }
        // Once a limit is reached, a value can be unknown here and known in a plan.
        let is_bounded = found.is_empty() && self.work.get() > 0;
        let is_exact = value.is_wholly_known() || is_bounded && scope.is_exact.get() && is_simple(expr);
        (Computed { value, is_exact }, found)
    }

    /// The value of an expression at a position of the module with these symbols, in one instance of its block if there is
    /// one, and the findings about it. `None` if the engine does not evaluate it after another error.
    pub(super) fn at(
        &self,
        expr: &Expr,
        symbols: Symbols,
        instance: Option<&Instance>,
    ) -> Option<(Value, Vec<Finding>)> {
        let module = ModuleScope { symbols, instance, ..self.scope() };
        let scope = RunScope {
            values: self,
            module,
            within: Within::Module,
            itself: None,
            is_exact: Cell::new(true),
        };
        let mut found = Vec::new();
        self.is_failing.set(false);
        let value = evaluate(expr, &scope, &mut found);
        (!self.is_failing.take()).then_some((value, found))
    }

    fn scope(&self) -> ModuleScope<'_> {
        ModuleScope { below: self.below, ..ModuleScope::new(self.node, &self.locals, self.work) }
    }

    /// Notes that what is evaluated depends on a declaration that may have failed.
    fn depend_on(&self, name: &Name) {
        if self.failed.borrow().contains(name) {
            self.is_failing.set(true);
        }
    }

    /// Notes the same for the outputs of a called module that a reference names, or for all of them.
    fn depend_on_outputs(&self, call: &str, behind: &[Step]) {
        let children = self.children.borrow();
        let Some(Some(child)) = children.get(call) else { return };
        let output = behind.iter().find_map(|step| match &step.kind {
            StepKind::Attribute(output) => Some(output),
            _ => None,
        });
        let is_needed = |name: &Name| match name {
            Name::Output(name) => output.is_none_or(|output| output == name),
            _ => false,
        };
        if child.failed.borrow().iter().any(is_needed) {
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
        let computed = self.compute(&name);
        if self.is_failing.get() {
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
            Name::Variable(name) => self.variables.get(name).cloned().unwrap_or(Computed::UNKNOWN),
            Name::Local(name) => match module.locals.get(name) {
                Some(local) => self.attribute(&local.attribute),
                None => Computed::UNKNOWN,
            },
            Name::Output(name) => {
                let Some(output) = module.outputs.get(name) else { return Computed::UNKNOWN };
                let Some(attribute) = output.value.as_deref() else { return Computed::UNKNOWN };
                self.attribute(attribute)
            }
            Name::Call(name) => self.call(name).unwrap_or(Computed::UNKNOWN),
            Name::Resource(address) => {
                let resource = module.resources.get(address).filter(|resource| resource.check.is_none());
                resource.map_or(Computed::UNKNOWN, |resource| self.resource(resource))
            }
        }
    }

    /// The values of the variables of a called module.
    pub(in crate::graph) fn given(&self, call: &ModuleCall, module: &Module) -> BTreeMap<SmolStr, Computed> {
        self.inputs(call, module).variables
    }

    /// The values of the variables of a called module, and those that the engine does not evaluate.
    pub(super) fn inputs(&self, call: &ModuleCall, module: &Module) -> Inputs {
        let mut inputs = Inputs {
            variables: module.variables.iter().map(|(name, it)| (name.clone(), default_of(it))).collect(),
            failed: BTreeSet::new(),
        };
        for given in arguments::given(call, module) {
            let Some(variable) = module.variables.get(&given.name) else { continue };
            let was_failing = self.is_failing.replace(false);
            let computed = self.attribute(&given);
            let has_failed = self.is_failing.replace(was_failing);
            let constraint = accepted_values::constraint(variable);
            let limits = &self.node.module().limits;
            let suited = match constraint.pay(&computed.value, self.work, given.expr.span, limits) {
                Ok(()) => suited(&computed, variable),
                Err(_) => Some(Computed::UNKNOWN),
            };
            if has_failed || suited.is_none() {
                inputs.failed.insert(given.name.clone());
            }
            inputs.variables.insert(given.name.clone(), suited.unwrap_or(Computed::UNKNOWN));
        }
        inputs
    }

    /// The values of a module that is called, in each of its instances. `None` if they are not known.
    pub(super) fn child(&self, call: &ModuleCall) -> Option<Rc<RunValues<'t>>> {
        if let Some(child) = self.children.borrow().get(&call.name) {
            return child.clone();
        }
        let child = self.node.child(&call.name);
        let is_known = |child: &Node<'_>| {
            !self.is_overridden
                && child.module().is_whole()
                && self.depth.get() < DEEPEST
                && self.work.take(steps_to_enter(child.module()))
        };
        let values = child.filter(is_known).map(|child| {
            let inputs = self.inputs(call, child.module());
            let values = RunValues::new(
                child,
                (self.resources, self.is_overridden),
                inputs.variables.into(),
                &NOTHING,
                self.work,
            );
            values.depth.set(self.depth.get() + 1);
            Rc::new(values.below(self.below.unwrap_or(self.node), inputs.failed))
        });
        self.children.borrow_mut().insert(call.name.clone(), values.clone());
        values
    }

    /// The outputs of a module with all its instances.
    fn call(&self, name: &str) -> Option<Computed> {
        let call = self.node.module().calls.get(name)?;
        if call.enabled.is_some() {
            return None;
        }
        let of_instance = || {
            let values = self.child(call)?;
            let outputs = values.outputs_with(|output| {
                let marks = output.marks();
                let keeps = values.node.module().features.sensitive_outputs_marked;
                Marks { sensitive: marks.sensitive.filter(|_| keeps), ..marks }
            });
            self.errors.borrow_mut().extend(values.errors.take());
            let is_exact = outputs.values().all(|output| output.is_exact);
            let values = outputs.into_iter().map(|(name, output)| (name, output.value));
            Some(Computed { value: Value::Object(values.collect()), is_exact })
        };
        self.repeated(call.repeated(), of_instance)
    }

    fn attribute(&self, attribute: &Attribute) -> Computed {
        if attribute.is_broken {
            return Computed::UNKNOWN;
        }
        let (computed, found) = self.value(&attribute.expr, Within::Module, None);
        if has_errors(&found) {
            self.is_failing.set(true);
        }
        self.errors.borrow_mut().extend(found);
        computed
    }

    /// The value of a resource with all its instances.
    fn resource(&self, resource: &Resource) -> Computed {
        if resource.enabled.is_some() {
            return Computed::UNKNOWN;
        }
        self.repeated(resource.repeated(), || Some(self.instance(resource))).unwrap_or(Computed::UNKNOWN)
    }

    /// The value of a block with this `count` or `for_each`, if its instances are known.
    fn repeated(
        &self,
        repeated: (Option<&Attribute>, Option<&Attribute>),
        instance: impl FnOnce() -> Option<Computed>,
    ) -> Option<Computed> {
        let (value, is_exact) = match repeated {
            (None, None) => return instance(),
            (Some(count), None) => {
                let Ok(Value::Number(number)) = convert(&self.repetition(count), &Type::Number) else {
                    return None;
                };
                let count = number.index().filter(|count| *count <= MOST_INSTANCES)?;
                if count == 0 {
                    return Some(Computed::known(Value::Tuple(Vec::new())));
                }
                let instance = instance()?;
                (Value::Tuple(vec![instance.value; count]), instance.is_exact)
            }
            (None, Some(for_each)) => {
                let keys: Vec<SmolStr> = match self.repetition(for_each) {
                    Value::Map(_, elements) | Value::Object(elements) => elements.into_keys().collect(),
                    Value::Set(_, elements) => {
                        let keys = elements.iter().map(|key| key.as_str().map(SmolStr::new));
                        keys.collect::<Option<_>>()?
                    }
                    _ => return None,
                };
                if keys.len() > MOST_INSTANCES {
                    return None;
                }
                if keys.is_empty() {
                    return Some(Computed::known(Value::Object(BTreeMap::new())));
                }
                let instance = instance()?;
                let instances = keys.into_iter().map(|key| (key, instance.value.clone()));
                (Value::Object(instances.collect()), instance.is_exact)
            }
            (Some(_), Some(_)) => return None,
        };
        Some(Computed { value, is_exact })
    }

    /// The value of `count` or `for_each`, without marks; unknown if the engine refuses it.
    pub(super) fn repetition(&self, attribute: &Attribute) -> Value {
        let mut value = self.attribute(attribute).value;
        let is_sensitive = value.unmarked().1.sensitive.is_some();
        value.take_deep_marks();
        let is_accepted = match attribute.name.as_str() {
            "count" => accepted_values::count(&value, &attribute.expr).is_none(),
            _ => !is_sensitive && accepted_values::for_each(&value, &attribute.expr).is_none(),
        };
        if is_accepted {
            return value;
        }
        self.is_failing.set(true);
        Value::UNKNOWN
    }

    /// The value of an instance. Only that of `terraform_data` is known without a provider.
    fn instance(&self, resource: &Resource) -> Computed {
        let managed = &resource.managed;
        let keeps = !managed.ignore_changes.is_empty() || managed.ignore_all_changes.is_some();
        let is_data = resource.address.mode == Mode::Managed && resource.address.kind == "terraform_data";
        let Some(arguments) = builtin::arguments(resource).filter(|_| is_data) else {
            return Computed::UNKNOWN;
        };
        if self.is_overridden || keeps {
            return Computed::UNKNOWN;
        }
        let content = builtin::content(arguments, &resource.config, &mut Vec::new());
        let argument = |name: &str| {
            let given = content.attribute(name);
            given.map_or(Computed::known(Value::NULL), |attribute| self.attribute(attribute))
        };
        let (input, triggers) = (argument("input"), argument("triggers_replace"));
        let output = match (&input.value, self.resources) {
            (value, _) if value.is_null() => value.clone(),
            (value, Resources::Applied) => value.clone(),
            (value, Resources::Planned | Resources::Changed) => Value::Unknown(value.ty()),
        };
        let is_exact = self.resources == Resources::Planned && input.is_exact && triggers.is_exact;
        let attributes = [
            ("id", Value::Unknown(Type::String)),
            ("input", input.value),
            ("output", output),
            ("triggers_replace", triggers.value),
        ];
        let value = Value::Object(attributes.map(|(name, value)| (SmolStr::new(name), value)).into());
        Computed { value, is_exact }
    }
}

/// The evaluation steps that the values of a called module take, apart from those of its expressions.
pub(super) fn steps_to_enter(module: &Module) -> usize {
    module.bytes / BYTES_PER_STEP
}

/// A value converted to the type of its variable. `None` if it has another type.
pub(super) fn suited(given: &Computed, variable: &Variable) -> Option<Computed> {
    let value = accepted_values::converted(&given.value, variable).ok()?;
    if value.is_null() && variable.refuses_null() {
        return Some(default_of(variable));
    }
    Some(Computed { value: value.mark(variable.marks()), is_exact: given.is_exact })
}

/// The value of a variable that nothing sets.
pub(in crate::graph) fn default_of(variable: &Variable) -> Computed {
    match &variable.default {
        Some(default) => Computed::known(default.value.clone().mark(variable.marks())),
        None => Computed { value: variable.unknown_value(), is_exact: false },
    }
}

/// Whether an expression is unknown for the engine if it is unknown here. The engine knows more of some unknown
/// values: that they are not null, and how a text begins.
fn is_simple(expr: &Expr) -> bool {
    let mut simple = true;
    expr.walk(&mut |inner, _| {
        simple &= match &inner.kind {
            ExprKind::Bool(_)
            | ExprKind::Number(_)
            | ExprKind::Traversal(_)
            | ExprKind::Relative(_)
            | ExprKind::Index { .. }
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Parens(_) => true,
            ExprKind::Template(template) => is_simple_template(template),
            ExprKind::JsonString(string) => string.template.as_ref().is_ok_and(is_simple_template),
            _ => false,
        };
    });
    simple
}

/// Whether a template is constant, or has the value of the one expression in it, as in JSON.
fn is_simple_template(template: &Template) -> bool {
    match &template.parts[..] {
        [Part::Interpolation(_)] => true,
        parts => parts.iter().all(|part| matches!(part, Part::Literal { .. })),
    }
}

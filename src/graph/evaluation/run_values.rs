//! Computes the values of a module with certain variables, as of one run of a test, as far as they need no provider.

mod null;
mod scope;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use smol_str::SmolStr;

use super::accepted_values;
use super::locals::Locals;
use super::scope::ModuleScope;
use crate::finding::{Finding, Severity, has_errors};
use crate::graph::{Node, arguments, builtin};
use crate::module::Module;
use crate::module::address::{Mode, ResourceAddress};
use crate::module::declaration::{Condition, ModuleCall, Resource, Variable};
use crate::syntax::{Attribute, Expr, ExprKind, Part, StepKind, Template, Traversal};
use crate::value::{Budget, Type, Value, convert, evaluate};
pub(in crate::graph) use null::NotNull;
use scope::RunScope;

/// The values of declarations that refer to each other are computed to this depth.
const DEEPEST: usize = 24;

/// More instances than this are not distinguished.
const MOST_INSTANCES: usize = 1000;

/// A value in a run of a test.
#[derive(Debug, Clone)]
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
    depth: Cell<usize>,
    /// What the engine reports about the declarations that were computed.
    errors: RefCell<Vec<Finding>>,
    /// Empty: local values are computed here.
    locals: Locals,
    /// The variables that are not null, if that matters.
    not_null: Option<&'t NotNull>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
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
            depth: Cell::default(),
            errors: RefCell::default(),
            locals: Locals::default(),
            not_null: None,
        }
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
        let outputs = self.node.module().outputs.keys();
        outputs.map(|name| (name.clone(), self.named(Name::Output(name.clone())))).collect()
    }

    /// The errors in the values of declarations that were needed so far.
    pub(in crate::graph) fn declaration_errors(&self) -> Vec<Finding> {
        let errors = self.errors.borrow();
        errors.iter().filter(|finding| finding.severity == Severity::Error).cloned().collect()
    }

    fn value(&self, expr: &Expr, within: Within, itself: Option<&Computed>) -> (Computed, Vec<Finding>) {
        let module = ModuleScope::new(self.node, &self.locals, self.work);
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
            // Declarations in a cycle are unknown.
            return computed.clone().unwrap_or(Computed::UNKNOWN);
        }
        if self.depth.get() == DEEPEST {
            return Computed::UNKNOWN;
        }
        self.computed.borrow_mut().insert(name.clone(), None);
        self.depth.set(self.depth.get() + 1);
        let computed = self.compute(&name);
        self.depth.set(self.depth.get() - 1);
        self.computed.borrow_mut().insert(name, Some(computed.clone()));
        computed
    }

    fn compute(&self, name: &Name) -> Computed {
        let module = self.node.module();
        match name {
            Name::Local(name) => match module.locals.get(name) {
                Some(local) => self.attribute(&local.attribute),
                None => Computed::UNKNOWN,
            },
            Name::Output(name) => {
                let Some(output) = module.outputs.get(name) else { return Computed::UNKNOWN };
                let Some(attribute) = output.value.as_deref() else { return Computed::UNKNOWN };
                let Computed { value, is_exact } = self.attribute(attribute);
                Computed { value: value.mark(output.marks()), is_exact }
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
        let mut variables: BTreeMap<SmolStr, Computed> =
            module.variables.iter().map(|(name, variable)| (name.clone(), default_of(variable))).collect();
        for given in arguments::given(call, module) {
            let Some(variable) = module.variables.get(&given.name) else { continue };
            variables.insert(given.name.clone(), suited(&self.attribute(&given), variable));
        }
        variables
    }

    /// The outputs of a module that is called once.
    fn call(&self, name: &str) -> Option<Computed> {
        let call = self.node.module().calls.get(name)?;
        let child = self.node.child(name)?;
        let module = child.module();
        if call.is_repeated() || self.is_overridden || !module.is_whole() {
            return None;
        }
        let variables = self.given(call, module);
        let nothing = BTreeMap::new();
        let state = (self.resources, self.is_overridden);
        let values = RunValues::new(child, state, variables.into(), &nothing, self.work);
        values.depth.set(self.depth.get());
        let outputs = values.outputs();
        self.errors.borrow_mut().extend(values.errors.take());
        let is_exact = outputs.values().all(|output| output.is_exact);
        let values = outputs.into_iter().map(|(name, output)| (name, output.value));
        Some(Computed { value: Value::Object(values.collect()), is_exact })
    }

    fn attribute(&self, attribute: &Attribute) -> Computed {
        if attribute.is_broken {
            return Computed::UNKNOWN;
        }
        let (computed, found) = self.value(&attribute.expr, Within::Module, None);
        self.errors.borrow_mut().extend(found);
        computed
    }

    /// The value of a resource with all its instances.
    fn resource(&self, resource: &Resource) -> Computed {
        let repeated = |attribute| {
            let mut value = self.attribute(attribute).value;
            value.take_deep_marks();
            value
        };
        if resource.enabled.is_some() {
            return Computed::UNKNOWN;
        }
        let (value, is_exact) = match (&resource.count, &resource.for_each) {
            (None, None) => return self.instance(resource),
            (Some(count), None) => {
                let Ok(Value::Number(number)) = convert(&repeated(count), &Type::Number) else {
                    return Computed::UNKNOWN;
                };
                let Some(count) = number.index().filter(|count| *count <= MOST_INSTANCES) else {
                    return Computed::UNKNOWN;
                };
                let instance = self.instance(resource);
                (Value::Tuple(vec![instance.value; count]), instance.is_exact)
            }
            (None, Some(for_each)) => {
                let keys: Vec<SmolStr> = match repeated(for_each) {
                    Value::Map(_, elements) | Value::Object(elements) => elements.into_keys().collect(),
                    Value::Set(_, elements) => {
                        let keys: Option<_> =
                            elements.iter().map(|key| key.as_str().map(SmolStr::new)).collect();
                        let Some(keys) = keys else { return Computed::UNKNOWN };
                        keys
                    }
                    _ => return Computed::UNKNOWN,
                };
                if keys.len() > MOST_INSTANCES {
                    return Computed::UNKNOWN;
                }
                let instance = self.instance(resource);
                let instances = keys.into_iter().map(|key| (key, instance.value.clone()));
                (Value::Object(instances.collect()), instance.is_exact)
            }
            (Some(_), Some(_)) => return Computed::UNKNOWN,
        };
        Computed { value, is_exact }
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
            (value, Resources::Planned) => Value::Unknown(value.ty()),
            (_, Resources::Changed) => Value::UNKNOWN,
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

/// A value converted to the type of its variable.
pub(super) fn suited(given: &Computed, variable: &Variable) -> Computed {
    match accepted_values::converted(&given.value, variable) {
        Ok(value) if value.is_null() && variable.refuses_null() => default_of(variable),
        Ok(value) => Computed { value: value.mark(variable.marks()), is_exact: given.is_exact },
        Err(_) => Computed::UNKNOWN,
    }
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

//! The values of the modules that a module calls.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use smol_str::SmolStr;

use super::super::accepted_values;
use super::super::scope::{Instance, Start};
use super::{Computed, DEEPEST, Name, Outputs, RunValues, VariableValues, default_of};
use crate::engine::Engine;
use crate::graph::instance_keys::has_instances;
use crate::graph::{Node, arguments};
use crate::module::Module;
use crate::module::declaration::{ModuleCall, Output, Variable};
use crate::syntax::{Step, StepKind};
use crate::value::{Marks, Value};

/// See [`steps_to_enter`].
const BYTES_PER_STEP: usize = 16;

/// The results of the runs before a module without tests.
pub(in crate::graph::evaluation) static NOTHING: BTreeMap<SmolStr, Outputs> = BTreeMap::new();

/// The values that a call gives to the variables of a module.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::graph::evaluation) struct Inputs {
    pub(in crate::graph::evaluation) variables: VariableValues,
    /// The variables that the engine does not evaluate because of an error.
    pub(in crate::graph::evaluation) failed: BTreeSet<SmolStr>,
}

impl<'t> RunValues<'t> {
    /// The values of the variables of a called module.
    pub(in crate::graph) fn given(&self, call: &ModuleCall, module: &Module) -> VariableValues {
        self.inputs(call, module, None).variables
    }

    /// The values of the variables of a called module, in one instance of the call if that is given, and those that the
    /// engine does not evaluate.
    pub(in crate::graph::evaluation) fn inputs(
        &self,
        call: &ModuleCall,
        module: &Module,
        instance: Option<&Instance>,
    ) -> Inputs {
        let (mut variables, mut failed) = (BTreeMap::new(), BTreeSet::new());
        for given in arguments::given(call, module) {
            let Some(variable) = module.variables.get(&given.name) else { continue };
            let was_failing = self.is_failing.replace(false);
            let computed = self.argument(&given, instance);
            let has_failed = self.is_failing.replace(was_failing);
            let constraint = accepted_values::constraint(variable);
            let limits = &self.node.module().limits;
            let suited = match constraint.pay(&computed.value, self.work, given.expr.span, limits) {
                Ok(()) => suited(&computed, variable),
                Err(_) => Some(Computed::UNKNOWN),
            };
            if !has_failed && (suited.is_none() || computed.value.is_null()) {
                let error = accepted_values::argument(&computed.value, &given.expr, variable);
                self.errors.borrow_mut().extend(error);
            }
            let is_refused = !variable.is_ephemeral() && self.is_refused_as_ephemeral(&computed.value);
            if has_failed || is_refused || suited.is_none() {
                failed.insert(given.name.clone());
            }
            variables.insert(given.name.clone(), suited.unwrap_or(Computed::UNKNOWN));
        }
        Inputs { variables: VariableValues::or_defaults(variables), failed }
    }

    /// The values of a module that is called, as far as they are the same in all of its instances. `None` if they are not
    /// known.
    pub(in crate::graph::evaluation) fn child(&self, call: &ModuleCall) -> Option<Rc<RunValues<'t>>> {
        if let Some(child) = self.children.borrow().get(&call.name) {
            return child.clone();
        }
        // For arguments that refer to the call itself.
        self.children.borrow_mut().insert(call.name.clone(), None);
        let values = self.child_in(call, None).map(Rc::new);
        self.children.borrow_mut().insert(call.name.clone(), values.clone());
        values
    }

    /// The values of a module that is called, in each instance of the call; once if they are the same in all. None if the
    /// instances are not known.
    pub(in crate::graph) fn instances_of(&self, call: &ModuleCall) -> Vec<Rc<RunValues<'t>>> {
        if has_instances(call, |repeated| self.repetition(repeated)) != Some(true) {
            return Vec::new();
        }
        if !self.differ(call) {
            return self.child(call).into_iter().collect();
        }
        let instances = self.instances(call.repeated()).unwrap_or_default();
        instances.iter().filter_map(|instance| self.child_in(call, Some(instance)).map(Rc::new)).collect()
    }

    /// Whether the arguments of a call depend on its instance.
    fn differ(&self, call: &ModuleCall) -> bool {
        call.is_repeated()
            && self.node.child(&call.name).is_some_and(|child| {
                Instance::is_used_by(arguments::given(call, child.module()).iter().map(|given| &given.expr))
            })
    }

    /// Like [`Self::child`], in one instance of the call if that is given.
    fn child_in(&self, call: &ModuleCall, instance: Option<&Instance>) -> Option<Self> {
        let is_known = |child: &Node<'_>| {
            !self.replaced.modules
                && self.overridden(&call.name).is_none()
                && child.module().is_whole()
                && self.depth.get() < DEEPEST
                && self.work.take(steps_to_enter(child.module()))
        };
        let child = self.node.child(&call.name).filter(is_known)?;
        let inputs = self.inputs(call, child.module(), instance);
        let values = RunValues::new(
            child,
            (self.resources, self.replaced.clone()),
            inputs.variables,
            &NOTHING,
            self.work,
        );
        let start = self.start.unwrap_or(Start::Plan(self.node));
        let path = self.path_to(&call.name);
        let is_below_repeated = self.is_below_repeated || call.is_repeated();
        let values = values.without(inputs.failed.iter());
        let values = RunValues { start: Some(start), path, is_below_repeated, ..values };
        let values = if self.is_test() { values.without_invalid() } else { values };
        values.depth.set(self.depth.get() + 1);
        Some(values)
    }

    /// One output of a module, if its values are the same in all instances. The other outputs are not evaluated.
    pub(super) fn output_of(&self, name: &SmolStr, output: &str) -> Option<Computed> {
        let call = self.node.module().calls.get(name)?;
        if call.is_repeated() || self.depth.get() == DEEPEST {
            return None;
        }
        self.depth.set(self.depth.get() + 1);
        let values = self.child(call);
        self.depth.set(self.depth.get() - 1);
        let values = values?;
        let declared = values.node.module().outputs.get(output)?;
        let computed = values.output(declared, self.marks_of_output(&values, declared));
        self.errors.borrow_mut().extend(values.errors.take());
        if values.failed.borrow().contains(&Name::Output(declared.name.clone())) {
            self.failed_outputs.borrow_mut().entry(name.clone()).or_default().insert(declared.name.clone());
        }
        Some(computed)
    }

    /// The marks that an output has for the caller of its module.
    fn marks_of_output(&self, called: &RunValues<'_>, output: &Output) -> Marks {
        let marks = output.marks();
        let are_marked = || {
            let modules = [self.node, called.node].map(Node::module);
            modules.into_iter().map(Module::newest_engine).all(Engine::marks_sensitive_outputs)
        };
        Marks { sensitive: marks.sensitive.filter(|_| are_marked()), ..marks }
    }

    /// The outputs of a module with all its instances.
    pub(super) fn call(&self, name: &str) -> Option<Computed> {
        let call = self.node.module().calls.get(name)?;
        if call.enabled.is_some() {
            return None;
        }
        let overridden = self.overridden_object(name);
        let of_instance = |instance: Option<&Instance>| {
            if let Some(value) = &overridden {
                return Some(Computed::known(value.clone()));
            }
            let values = match instance {
                None => self.child(call)?,
                Some(_) => Rc::new(self.child_in(call, instance)?),
            };
            let outputs = values.outputs_with(|output| self.marks_of_output(&values, output));
            self.errors.borrow_mut().extend(values.errors.take());
            let failed = values.failed.borrow();
            let failed = failed.iter().filter_map(|name| match name {
                Name::Output(output) => Some(output.clone()),
                _ => None,
            });
            self.failed_outputs.borrow_mut().entry(name.into()).or_default().extend(failed);
            let is_exact = outputs.values().all(|output| output.is_exact);
            let values = outputs.into_iter().map(|(name, output)| (name, output.value));
            Some(Computed { value: Value::Object(values.collect()), is_exact })
        };
        self.repeated(call.repeated(), self.differ(call), of_instance)
    }

    /// Notes that what is evaluated depends on outputs of a called module that may have failed: on the one that a
    /// reference names, or on all of them.
    pub(super) fn depend_on_outputs(&self, call: &str, behind: &[Step]) {
        let failed = self.failed_outputs.borrow();
        let Some(failed) = failed.get(call) else { return };
        let output = behind.iter().find_map(|step| match &step.kind {
            StepKind::Attribute(output) => Some(output),
            _ => None,
        });
        if output.map_or(!failed.is_empty(), |output| failed.contains(output)) {
            self.is_failing.set(true);
        }
    }
}

/// The evaluation steps that the values of a called module take, apart from those of its expressions.
pub(in crate::graph::evaluation) fn steps_to_enter(module: &Module) -> usize {
    module.bytes / BYTES_PER_STEP
}

/// A value converted to the type of its variable. `None` if it has another type.
pub(in crate::graph::evaluation) fn suited(given: &Computed, variable: &Variable) -> Option<Computed> {
    let value = accepted_values::converted(&given.value, variable).ok()?;
    if value.is_null() && variable.refuses_null() {
        return Some(default_of(variable));
    }
    Some(Computed { value: value.mark(variable.marks()), is_exact: given.is_exact })
}

//! Finds module calls and resources without instances, on one path of calls from a root module.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use hashbrown::HashMap;
use smol_str::SmolStr;

use super::run_values::{NotNull, RunValues, VariableValues, Within, default_of};
use crate::graph::instance_keys::makes_instances;
use crate::graph::{Node, NodeId, arguments};
use crate::module::address::ResourceAddress;
use crate::module::declaration::Repeated;
use crate::syntax::{Attribute, Expr};
use crate::value::{Budget, Marks, Type, Value, convert, weight};

/// The largest number of parts of values that all calls of a module give to variables. Nothing is known about a module
/// with more.
const MOST_PARTS: usize = 500_000;

/// What certainly has no instances in a module, if it is called on a certain path.
#[derive(Debug, Default)]
pub(crate) struct Absence {
    calls: BTreeSet<SmolStr>,
    resources: BTreeSet<ResourceAddress>,
    /// The values that calls give to the variables of their modules.
    given: BTreeMap<SmolStr, Given>,
    /// The values of the variables of the module.
    variables: VariableValues,
    not_null: NotNull,
    /// The steps that are left to evaluate expressions, on all paths together.
    work: Rc<Budget>,
}

/// The values that a call gives to the variables of its module, and what else is known about them.
#[derive(Debug)]
struct Given {
    variables: VariableValues,
    not_null: NotNull,
}

impl Absence {
    /// A path about which nothing is known.
    pub(crate) fn unknown(work: &Rc<Budget>) -> Self {
        Self { work: Rc::clone(work), ..Self::default() }
    }

    /// What has no instances in a root module for any values of its variables. The variable `unset` has its default.
    pub(crate) fn in_root(node: Node<'_>, unset: Option<&str>, work: &Rc<Budget>) -> Self {
        let unset = unset.and_then(|unset| node.module().variables.get(unset));
        let unset = unset.map(|variable| (variable.name.clone(), default_of(variable)));
        Self::with(node, VariableValues::or_any(unset.into_iter().collect()), NotNull::in_root(), work)
    }

    /// What has no instances in a child module of this one.
    pub(crate) fn in_child(&self, call: &str, child: Node<'_>) -> Self {
        self.given.get(call).map_or_else(
            || Self::unknown(&self.work),
            |given| Self::with(child, given.variables.clone(), given.not_null.again(), &self.work),
        )
    }

    /// The steps that are left to evaluate expressions, on all paths together.
    pub(crate) fn work(&self) -> &Rc<Budget> {
        &self.work
    }

    /// Whether a call has no instances.
    pub(crate) fn has_call(&self, call: &str) -> bool {
        self.calls.contains(call)
    }

    /// Whether a module, this one, has a call with this name that may have instances.
    pub(crate) fn calls(&self, node: Node<'_>, call: &str) -> bool {
        node.module().calls.contains_key(call) && !self.has_call(call)
    }

    /// Whether a resource has no instances.
    pub(crate) fn has_resource(&self, resource: &ResourceAddress) -> bool {
        self.resources.contains(resource)
    }

    /// The value of an expression of the module, if all of it is known.
    pub(crate) fn value(&self, node: Node<'_>, expr: &Expr) -> Option<Value> {
        let variables = self.variables.clone();
        let values = RunValues::of_plan(node, variables, &self.work).knowing(&self.not_null);
        known(values.of(expr, Within::Module).0.value)
    }

    /// The value that a variable of a module that this one, `node`, calls gets, if all of it is known.
    pub(crate) fn given(&self, node: Node<'_>, call: &str, variable: &str) -> Option<Value> {
        known(self.given.get(call)?.variables.get(variable, node.child(call)?.module())?.value)
    }

    fn with(node: Node<'_>, variables: VariableValues, not_null: NotNull, work: &Rc<Budget>) -> Self {
        let module = node.module();
        if !module.is_whole() || parts_given(node) > MOST_PARTS {
            return Self::unknown(work);
        }
        let values = RunValues::of_plan(node, variables.clone(), work).knowing(&not_null);
        let is_absent = |(count, for_each): Repeated<'_>| {
            let value =
                |attribute: &Attribute| values.of(&attribute.expr, Within::Module).0.value.without_marks();
            let makes_none = |value: &Value| makes_instances(value) == Some(false);
            match count {
                Some(count) => convert(&value(count), &Type::Number).is_ok_and(|number| makes_none(&number)),
                None => for_each.is_some_and(|for_each| makes_none(&value(for_each))),
            }
        };
        let (mut calls, mut given, mut resources) = (BTreeSet::new(), BTreeMap::new(), BTreeSet::new());
        for call in module.calls.values() {
            if is_absent(call.repeated()) {
                calls.insert(call.name.clone());
            } else if let Some(child) = node.child(&call.name) {
                let not_null = NotNull::in_child(&values, &arguments::given(call, child.module()));
                let variables = values.given(call, child.module());
                given.insert(call.name.clone(), Given { variables, not_null });
            }
        }
        for resource in module.resources.values() {
            if is_absent(resource.repeated()) {
                resources.insert(resource.address.clone());
            }
        }
        drop(values);
        Self { calls, resources, given, variables, not_null, work: Rc::clone(work) }
    }
}

/// The parts of the values that all calls of a module give to variables, as far as they are defaults.
fn parts_given(node: Node<'_>) -> usize {
    let mut of_children: HashMap<NodeId, usize> = HashMap::new();
    let of_child = |child: Node<'_>| {
        let defaults = child.module().variables.values().map(|variable| variable.default.as_ref());
        defaults.map(|default| default.map_or(1, |default| weight(&default.value, MOST_PARTS))).sum::<usize>()
    };
    let children = node.child_calls().map(|(_, child)| child);
    children.map(|child| *of_children.entry(child.id()).or_insert_with(|| of_child(child))).sum()
}

/// A value that is completely known and has no marks. The difference between two sensitive values counts, and that
/// between their marks.
fn known(value: Value) -> Option<Value> {
    (value.deep_marks() == Marks::NONE && value.is_wholly_known()).then_some(value)
}

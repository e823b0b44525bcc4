//! Follows a change through the values of modules: from altered local values, outputs, arguments and defaults to the
//! plans that depend on them.
//!
//! An expression that uses an altered value and may fail counts as a part of the plan, because the error does.

pub(super) mod reading;
mod room;
mod unaltered;
mod variables;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use hashbrown::HashMap;
use smol_str::SmolStr;

use super::call_path::{CallPath, expression};
use super::side::Side;
use crate::check::EngineView;
use crate::engine::Engine;
use crate::graph::{Node, NodeId, Used, User, ValueFlow, contains_null};
use crate::module::Module;
use crate::module::canonical::NamedValue;
use crate::module::declaration::ModuleCall;
use crate::syntax::{Attribute, Block};
use crate::value::Budget;
use crate::vfs::Memo;
use room::Room;

/// The part of a module that a change alters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Altered {
    /// Something that every plan of the module depends on.
    Everything,
    /// Nothing but these values.
    Values {
        /// Values in the files of the module.
        values: BTreeSet<NamedValue>,
        /// Variables that variable definitions files set.
        set: BTreeSet<SmolStr>,
        /// Values that may read a changed file.
        reading: BTreeSet<NamedValue>,
        /// Values that may read a changed file outside the module, depending on what its callers pass to it.
        reading_elsewhere: BTreeSet<NamedValue>,
    },
}

impl Altered {
    /// Whether a value may read a changed file.
    fn reads_changed_files(&self) -> bool {
        match self {
            Self::Values { reading, reading_elsewhere, .. } => {
                !reading.is_empty() || !reading_elsewhere.is_empty()
            }
            Self::Everything => false,
        }
    }
}

/// The consequences of an altered value in its module.
#[derive(Debug, Clone, Default)]
struct Effect {
    /// Whether the plan may differ, whatever the callers use.
    on_plan: bool,
    /// The outputs that may differ.
    outputs: BTreeSet<SmolStr>,
}

/// The consequences of the change for a module.
#[derive(Debug, Default)]
struct OfModule {
    for_callers: Effect,
    /// If the module is run as a root module.
    own: Effect,
}

/// The consequences of a change for the modules of its later state.
pub(super) struct Effects<'c> {
    side: &'c Side,
    views: Vec<EngineView<'c>>,
    before: &'c Side,
    altered: &'c BTreeMap<SmolStr, Altered>,
    /// Whether an expression may read a changed file, so that it may have another value although it is the same.
    reads_changed_files: bool,
    /// The directories of these modules and of their callers.
    concerned: &'c BTreeSet<SmolStr>,
    /// The changed paths.
    changed: &'c BTreeSet<SmolStr>,
    /// The call paths that are distinguished. The first one stands for all others.
    paths: Vec<Rc<CallPath<'c>>>,
    /// The steps that are left to evaluate expressions: at first as many as in a check of all modules. Without steps,
    /// values are unknown.
    work: Rc<Budget>,
    children: HashMap<(Place, SmolStr), usize>,
    flows: Memo<InState, Rc<ValueFlow>>,
    blocks: Memo<InState, Rc<Blocks>>,
    /// `None` while the consequences are being computed: modules that call each other may affect each other.
    modules: HashMap<Place, Option<Rc<OfModule>>>,
    variables: HashMap<(Place, SmolStr), Option<Effect>>,
    /// The calls of each module, by the directory of the child module.
    calls: HashMap<(usize, NodeId), Rc<CallsByChild<'c>>>,
    room: Room,
    /// The number of calls between the module whose consequences are asked for and the current one.
    depth: usize,
}

/// The calls of a module, by the directory of the child module.
type CallsByChild<'c> = HashMap<&'c str, Vec<(&'c ModuleCall, Node<'c>)>>;

/// A module: whether it is the one after the change, its engine, and its directory.
type InState = (bool, Engine, SmolStr);

/// The blocks of a module, by their types and labels.
type Blocks = HashMap<Vec<SmolStr>, Vec<Arc<Block>>>;

/// A module in a view, on a path of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    view: usize,
    id: NodeId,
    path: usize,
}

/// The path of modules whose callers are not distinguished.
const ANY_PATH: usize = 0;

/// A change that comes through more calls counts as a change of every plan above them.
const MOST_LEVELS: usize = 400;

impl Effect {
    const ANY: Self = Self { on_plan: true, outputs: BTreeSet::new() };

    fn is_none(&self) -> bool {
        !self.on_plan && self.outputs.is_empty()
    }

    fn add(&mut self, other: &Self) {
        self.on_plan |= other.on_plan;
        self.outputs.extend(other.outputs.iter().cloned());
    }
}

impl OfModule {
    const ANY: Self = Self { for_callers: Effect::ANY, own: Effect::ANY };
}

impl<'c> Effects<'c> {
    pub(super) fn new(
        (before, side): (&'c Side, &'c Side),
        altered: &'c BTreeMap<SmolStr, Altered>,
        (concerned, changed): (&'c BTreeSet<SmolStr>, &'c BTreeSet<SmolStr>),
    ) -> Self {
        let views: Vec<_> = side.views().collect();
        let modules = || views.iter().flat_map(|view| view.graph.nodes()).map(Node::module);
        let work = Rc::new(Budget::of(modules().map(Module::evaluation_steps).sum()));
        let room = Room::of(modules().map(|module| module.bytes).sum());
        Self {
            side,
            views,
            before,
            altered,
            reads_changed_files: altered.values().any(Altered::reads_changed_files),
            concerned,
            changed,
            paths: vec![Rc::new(CallPath::unknown(&work))],
            work,
            children: HashMap::new(),
            flows: Memo::default(),
            blocks: Memo::default(),
            modules: HashMap::new(),
            variables: HashMap::new(),
            calls: HashMap::new(),
            room,
            depth: 0,
        }
    }

    /// Whether the change can alter a plan or an output of a module. A removed module counts.
    pub(super) fn reach(&mut self, directory: &str) -> bool {
        let places = self.places(directory);
        places.is_empty() || places.iter().any(|place| !self.of_module(*place).own.is_none())
    }

    /// Like [`Self::reach`], for a module that is run as a root module. Calls and resources that have no instances,
    /// whatever values the variables of the module have, do not count.
    pub(super) fn reach_root(&mut self, directory: &str) -> bool {
        self.room.enter_root();
        let places = self.places(directory);
        let is_reached = places.is_empty()
            || places.into_iter().any(|place| {
                let node = self.node(place);
                let before = self.before.node(directory, node.graph().engine()).map(|(_, node)| node);
                self.paths.push(Rc::new(CallPath::of_root((node, before), None, &self.work)));
                let place = Place { path: self.paths.len() - 1, ..place };
                !self.of_module(place).own.is_none()
            });
        // No other root module has these paths. Without room, some of the results are for modules on any path.
        if self.room.is_left() {
            self.paths.truncate(ANY_PATH + 1);
            (self.children, self.modules, self.variables) = Default::default();
        }
        is_reached
    }

    /// Whether a module on another path of calls can be distinguished.
    fn pay(&mut self, place: Place) -> bool {
        let module = self.node(place).module();
        let declarations = module.variables.len() + module.calls.len() + module.resources.len();
        self.room.take(declarations)
    }

    fn places(&self, directory: &str) -> Vec<Place> {
        let places = self.side.places(directory).iter();
        places.map(|(view, id)| Place { view: *view, id: *id, path: ANY_PATH }).collect()
    }

    /// The child module of a call.
    fn child(&mut self, place: Place, call: &SmolStr, child: Node<'_>) -> Place {
        let mut of_child = Place { id: child.id(), ..place };
        if place.path != ANY_PATH {
            let key = (place, call.clone());
            of_child.path = if let Some(path) = self.children.get(&key) {
                *path
            } else if self.pay(of_child) {
                let caller = self.node(place);
                // The child lives as long as its caller.
                let child = caller.child(call).unwrap_or(caller);
                let path = self.paths[place.path].in_child(caller, call, child);
                self.paths.push(Rc::new(path));
                self.children.insert(key, self.paths.len() - 1);
                self.paths.len() - 1
            } else {
                ANY_PATH
            };
        }
        of_child
    }

    /// Whether the change of a module reaches a caller.
    pub(super) fn pass_on(&mut self, caller: &str, module: &str) -> bool {
        let mut is_called = false;
        for place in self.places(caller) {
            let calls = self.calls_of(place);
            for (call, child) in calls.get(module).into_iter().flatten().copied() {
                is_called = true;
                let effect = self.of_call(place, call, child);
                let flow = self.flow(place);
                let is_used =
                    |output: &SmolStr| flow.users(&Used::output(&call.name, output)).next().is_some();
                if (effect.on_plan || effect.outputs.iter().any(is_used))
                    && !self.of_module(place).own.is_none()
                {
                    return true;
                }
            }
        }
        !is_called
    }

    fn node(&self, place: Place) -> Node<'c> {
        self.views[place.view].graph.node(place.id)
    }

    fn flow(&self, place: Place) -> Rc<ValueFlow> {
        self.flow_in(self.side, self.views[place.view], self.node(place))
    }

    /// The uses of values in a module, before or after the change.
    fn flow_in(&self, side: &Side, view: EngineView<'_>, node: Node<'_>) -> Rc<ValueFlow> {
        let flow = || Rc::new(ValueFlow::of(node, &view.files(node, &side.snapshot)));
        self.flows.get(&self.in_state(side, node), flow)
    }

    fn in_state(&self, side: &Side, node: Node<'_>) -> InState {
        (std::ptr::eq(side, self.side), node.graph().engine(), node.module().directory.clone())
    }

    fn of_module(&mut self, place: Place) -> Rc<OfModule> {
        match self.modules.get(&place) {
            Some(Some(known)) => return Rc::clone(known),
            Some(None) => return Rc::new(OfModule::ANY),
            None if self.depth == MOST_LEVELS => return Rc::new(OfModule::ANY),
            None => {}
        }
        self.modules.insert(place, None);
        self.depth += 1;
        let computed = Rc::new(self.compute(place));
        self.depth -= 1;
        self.modules.insert(place, Some(Rc::clone(&computed)));
        computed
    }

    fn calls_of(&mut self, place: Place) -> Rc<CallsByChild<'c>> {
        let node = self.node(place);
        let by_child = || {
            let mut calls = CallsByChild::new();
            for (call, child) in node.child_calls() {
                calls.entry(child.module().directory.as_str()).or_default().push((call, child));
            }
            Rc::new(calls)
        };
        Rc::clone(self.calls.entry((place.view, place.id)).or_insert_with(by_child))
    }

    fn compute(&mut self, place: Place) -> OfModule {
        let node = self.node(place);
        let (mut values, mut own) = (Vec::new(), Effect::default());
        match self.altered.get(&node.module().directory) {
            Some(Altered::Everything) => return OfModule::ANY,
            Some(Altered::Values { values: altered, set, reading, reading_elsewhere }) => {
                let elsewhere =
                    reading_elsewhere.iter().filter(|value| self.may_read_elsewhere(place, value));
                for value in reading.iter().chain(elsewhere) {
                    match value {
                        NamedValue::Resource(_) if self.paths[place.path].is_absent(node, value) => {}
                        NamedValue::Resource(_) | NamedValue::Call(_) => return OfModule::ANY,
                        other => values.push(other.clone()),
                    }
                }
                for name in set {
                    own.add(&self.of_unknown(place, name));
                }
                for value in altered {
                    match value {
                        NamedValue::Variable(name) if is_set_automatically(node, name) => {}
                        NamedValue::Variable(name) => {
                            let place = self.without_value(place, name);
                            own.add(&self.of_default(place, name));
                        }
                        other if self.is_unaltered(place, other) || self.is_harmless(place, other) => {}
                        NamedValue::Resource(_) | NamedValue::Call(_) => return OfModule::ANY,
                        other => values.push(other.clone()),
                    }
                }
            }
            None => {}
        }
        let mut for_callers = Effect::default();
        let mut used = Vec::new();
        for (call, child) in node.child_calls() {
            if !self.concerned.contains(&child.module().directory) {
                continue;
            }
            if self.paths[place.path].now.has_call(&call.name) {
                continue;
            }
            let effect = self.of_call(place, call, child);
            for_callers.on_plan |= effect.on_plan;
            used.extend(effect.outputs.iter().map(|output| Used::output(&call.name, output)));
        }
        for_callers.add(&self.spread(place, values, used));
        own.add(&for_callers);
        OfModule { for_callers, own }
    }

    /// The consequences of the change of a child module for a module that calls it. A changed default matters only if
    /// the call does not set the variable. A call that sets `null` uses the default too, if the variable is not
    /// nullable.
    fn of_call(&mut self, caller: Place, call: &ModuleCall, child: Node<'c>) -> Effect {
        let place = self.child(caller, &call.name, child);
        let mut effect = self.of_module(place).for_callers.clone();
        if let Some(Altered::Values { values, .. }) = self.altered.get(&child.module().directory) {
            for value in values {
                let NamedValue::Variable(name) = value else { continue };
                let variable = child.module().variables.get(name);
                let is_nullable = variable.is_some_and(|variable| !variable.refuses_null());
                let may_be_null = |set: &Attribute| {
                    let set = self.paths[caller.path].now.value(self.node(caller), &set.expr);
                    set.is_none_or(|set| set.is_null())
                };
                let set = call.argument(name);
                if !child.module().variables.contains_key(name) {
                    // A call that still sets it fails.
                    effect.on_plan |= set.is_some();
                } else if set.is_none_or(|set| !is_nullable && may_be_null(set)) {
                    effect.add(&self.of_default(place, name));
                }
            }
        }
        effect
    }

    /// Follows altered values, and values that use altered ones, through a module.
    fn spread(&mut self, place: Place, values: Vec<NamedValue>, mut used: Vec<Used>) -> Effect {
        let mut effect = Effect::default();
        if values.is_empty() && used.is_empty() {
            return effect;
        }
        let flow = self.flow(place);
        let node = self.node(place);
        let path = Rc::clone(&self.paths[place.path]);
        let absence = &path.now;
        let mut seen: BTreeSet<NamedValue> = values.iter().cloned().collect();
        let mut next = values;
        let is_not_passed = |value: &NamedValue| matches!(value, NamedValue::Argument { call, .. } if !absence.calls(node, call));
        let has_null = |value: &NamedValue| expression(node, value).is_some_and(|it| contains_null(&it.expr));
        if next.iter().any(|value| has_null(value) && self.has_users(place, value)) {
            return Effect::ANY;
        }
        loop {
            while let Some(value) = next.pop() {
                if is_not_passed(&value) {
                    continue;
                }
                if self.may_fail_anew(place, &value) {
                    return Effect::ANY;
                }
                match value {
                    NamedValue::Variable(name) => used.push(Used::Variable(name)),
                    NamedValue::Local(name) => used.push(Used::Local(name)),
                    NamedValue::Output(name) => {
                        effect.outputs.insert(name);
                    }
                    NamedValue::Argument { call, variable } => {
                        let Some(child) = node.child(&call) else { return Effect::ANY };
                        let child = self.child(place, &call, child);
                        let of_child = self.of_variable(child, &variable);
                        if of_child.on_plan {
                            return Effect::ANY;
                        }
                        let outputs = of_child.outputs.into_iter();
                        used.extend(outputs.map(|output| Used::output(&call, &output)));
                    }
                    NamedValue::Resource(_) | NamedValue::Call(_) => return Effect::ANY,
                }
            }
            let Some(one) = used.pop() else { return effect };
            for user in flow.users(&one) {
                match user {
                    User::Validation(name) if one == Used::Variable(name.clone()) => {}
                    User::Resource(resource) if absence.has_resource(resource) => {}
                    _ if self.is_same_despite(place, user, &one) => {}
                    User::Plan | User::Validation(_) | User::Resource(_) | User::Repetition(_) => {
                        return Effect::ANY;
                    }
                    User::Value(value) if !is_not_passed(value) && self.may_fail(place, value) => {
                        return Effect::ANY;
                    }
                    User::Value(value) if seen.insert(value.clone()) => next.push(value.clone()),
                    User::Value(_) => {}
                }
            }
        }
    }
}

fn is_set_automatically(node: Node<'_>, variable: &str) -> bool {
    let files = node.values_files().iter().filter(|file| file.is_automatic);
    files.flat_map(|file| &file.arguments).any(|argument| argument.name == variable)
}

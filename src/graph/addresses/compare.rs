//! Compares each module with its earlier state, from the modules without callers down to their descendants.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use hashbrown::HashMap;
use smol_str::SmolStr;

use super::blocks::{Blocks, is_left};
use super::change::{AddressChange, Cause};
use super::likeness::Renames;
use super::matching::{Pair, matched};
use super::object::{Declared, Object};
use crate::graph::{ModuleGraph, Node, NodeId, State};
use crate::limits::Steps;
use crate::module::Module;
use crate::module::address::{Mode, leads_below};
use crate::module::declaration::ModuleCall;
use crate::text::Sources;

impl ModuleGraph {
    /// The changes since an earlier state. The result is cached, so all calls must pass the same state.
    pub fn address_changes(&self, earlier: State<'_>, sources: &Sources) -> &[AddressChange] {
        self.derived.address_changes.get_or_init(|| changes(earlier, State { graph: self, sources }))
    }
}

/// The maximal number of modules to compare, and of objects to match between modules.
const MOST_PLACES: usize = 50_000;

fn changes(earlier: State<'_>, now: State<'_>) -> Vec<AddressChange> {
    let earlier_nodes: HashMap<&SmolStr, Node<'_>> =
        earlier.graph.nodes().map(|node| (&node.module().directory, node)).collect();
    let mut search =
        Search { earlier, now, places: Steps::of(MOST_PLACES), done: HashMap::new(), changes: Vec::new() };
    for node in now.graph.nodes() {
        if let Some(was) = earlier_nodes.get(&node.module().directory) {
            search.compare(*was, node);
        }
    }
    search.changes
}

/// The places of an object below so many calls.
fn cost(depth: usize) -> usize {
    1 + depth / 4
}

/// The objects of a module and its descendants that only one state has, and that no block handles.
#[derive(Debug, Default)]
struct Left<'t> {
    removed: Vec<Object<'t>>,
    added: Vec<Object<'t>>,
}

/// A step of the comparison of a module with its earlier state.
enum Step<'t> {
    /// Before the modules below it.
    Enter(Node<'t>, Node<'t>),
    /// After them.
    Leave(Node<'t>, Node<'t>, Blocks<'t>),
}

struct Search<'t> {
    earlier: State<'t>,
    now: State<'t>,
    places: Steps,
    done: HashMap<(NodeId, NodeId), Rc<Left<'t>>>,
    changes: Vec<AddressChange>,
}

impl<'t> Search<'t> {
    /// Compares a module with its earlier state, after all modules below it.
    fn compare(&mut self, was: Node<'t>, is: Node<'t>) {
        let mut steps = vec![Step::Enter(was, is)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Enter(was, is) => steps.extend(self.enter(was, is)),
                Step::Leave(was, is, blocks) => self.leave(was, is, &blocks),
            }
        }
    }

    /// Returns the steps to compare two modules, the last one first.
    fn enter(&mut self, was: Node<'t>, is: Node<'t>) -> Vec<Step<'t>> {
        let pair = (was.id(), is.id());
        if self.done.contains_key(&pair) {
            return Vec::new();
        }
        // Module call cycles are an error, so they need no comparison.
        self.done.insert(pair, Rc::default());
        let features = &is.module().features.grammar;
        // An object that seems to be removed or added may be in a file that could not be read.
        let is_known = was.module().complete && is.module().complete && features.moved;
        if !is_known || !self.places.take(1) {
            return Vec::new();
        }
        let blocks = Blocks::of(is);
        let below = children(was, is, &blocks).map(|(_, _, (before, after))| Step::Enter(before, after));
        let mut steps: Vec<Step<'t>> = below.collect();
        steps.push(Step::Leave(was, is, blocks));
        steps.reverse();
        steps
    }

    fn leave(&mut self, was: Node<'t>, is: Node<'t>, blocks: &Blocks<'t>) {
        // In another directory the module may have other callers, for which nothing moves.
        let is_own = was.module().directory == is.module().directory;
        let mut left = self.own(was, is);
        for (call, now, (before, after)) in children(was, is, blocks) {
            let Some(below) = self.done.get(&(before.id(), after.id())).cloned() else { continue };
            left.removed.extend(self.brought(&below.removed, was, call));
            left.added.extend(self.brought(&below.added, is, now));
        }
        self.match_objects(blocks, &mut left, is_own);
        if is_own {
            self.repetitions(was, is);
        }
        self.done.insert((was.id(), is.id()), Rc::new(left));
    }

    /// The objects of the module itself.
    fn own(&self, was: Node<'t>, is: Node<'t>) -> Left<'t> {
        let only_in = |node: Node<'t>, sources, other: &Module| {
            let is_only = |object: &Object<'t>| match object.declared {
                Declared::Resource(resource) => !other.resources.contains_key(&resource.address),
                Declared::Call(call) => !other.calls.contains_key(&call.name),
            };
            Object::declared_by(node, sources).filter(is_only).collect()
        };
        Left {
            removed: only_in(was, self.earlier.sources, is.module()),
            added: only_in(is, self.now.sources, was.module()),
        }
    }

    /// The unmatched objects of a called module, relative to its caller.
    fn brought(&mut self, objects: &[Object<'t>], caller: Node<'t>, call: &'t ModuleCall) -> Vec<Object<'t>> {
        let mut brought = Vec::new();
        for object in objects.iter().take_while(|object| self.places.take(cost(object.path.len()))) {
            let mut object = object.clone();
            object.path.insert(0, (caller, call));
            brought.push(object);
        }
        brought
    }

    fn match_objects(&mut self, blocks: &Blocks<'t>, left: &mut Left<'t>, is_own: bool) {
        left.removed.retain(|object| blocks.leave(object));
        left.added.retain(|object| blocks.leave_new(object));
        if !is_own || left.removed.is_empty() || left.added.is_empty() {
            return;
        }
        let mut renames = Renames::new();
        let (removed_calls, mut removed) = calls_first(std::mem::take(&mut left.removed));
        let (mut added_calls, mut added) = calls_first(std::mem::take(&mut left.added));
        // Blocks that name an object in a call handle the rest of the call, too.
        let is_entered = |call: &Object<'t>| blocks.node.module().names_below(&call.address().path);
        let (entered, mut removed_calls): (Vec<_>, Vec<_>) = removed_calls.into_iter().partition(is_entered);
        let mut pairs = matched(&mut removed_calls, &mut added_calls, &mut renames);
        removed_calls.extend(entered);
        removed.extend(self.expanded(removed_calls.clone()));
        added.extend(self.expanded(added_calls.clone()));
        removed.retain(|object| blocks.leave(object));
        added.retain(|object| blocks.leave_new(object));
        let (within, across): (Vec<_>, Vec<_>) = matched(&mut removed, &mut added, &mut renames)
            .into_iter()
            .partition(|pair| blocks.is_in_one_call(pair));
        pairs.extend(across);
        for (from, to) in within {
            removed.push(from);
            added.push(to);
        }
        let (from, to): (Vec<_>, Vec<_>) = pairs.iter().map(|(from, to)| (from, to)).unzip();
        left.removed = unmatched(removed_calls, removed, &from);
        left.added = unmatched(added_calls, added, &to);
        self.report(blocks.node, pairs);
    }

    /// The resources in the modules of the calls.
    fn expanded(&mut self, calls: Vec<Object<'t>>) -> Vec<Object<'t>> {
        let mut resources = Vec::new();
        let mut next = calls;
        while let Some(object) = next.pop() {
            let Declared::Call(call) = object.declared else {
                resources.push(object);
                continue;
            };
            let child = object.node.child(&call.name);
            let is_cycle = |child: &Node<'t>| object.path.iter().any(|(node, _)| node.id() == child.id());
            let Some(child) = child.filter(|child| child.module().complete && !is_cycle(child)) else {
                continue;
            };
            if child.id() == object.node.id() {
                continue;
            }
            let mut path = object.path.clone();
            path.push((object.node, call));
            for declared in Object::declared_by(child, object.sources) {
                if !self.places.take(cost(path.len())) {
                    return resources;
                }
                next.push(Object { path: path.clone(), is_with_call: true, ..declared });
            }
        }
        resources
    }

    /// Reports pairs; those that move from one module to another are reported together.
    fn report(&mut self, is: Node<'t>, pairs: Vec<Pair<'t>>) {
        let is_there = |(from, to): &Pair<'t>| is_lost(from, to);
        let mut causes: BTreeMap<_, Vec<Pair<'t>>> = BTreeMap::new();
        for (number, (from, to)) in pairs.into_iter().filter(is_there).enumerate() {
            let (old, new) = (from.names(), to.names());
            let own = (old == new).then_some(number);
            causes.entry((old, new, own)).or_default().push((from, to));
        }
        for ((old, new, _), mut pairs) in causes {
            pairs.sort_by_key(|(_, to)| to.origin().header());
            let Some((_, first)) = pairs.first() else { continue };
            let header = first.origin().header();
            let (at, below, elsewhere) = match first.path.first() {
                Some((_, call)) => (call.origin.header(), &call.origin.base, Some(header)),
                None => (header, &first.origin().base, None),
            };
            let cause = if old == new { Cause::Renamed } else { Cause::Moved };
            self.changes.push(AddressChange {
                node: is.id(),
                cause,
                at,
                elsewhere,
                below: below.clone(),
                addresses: pairs.iter().map(|(from, to)| (from.written(), to.written())).collect(),
                moves: pairs.iter().map(|(from, to)| ends(from, to)).collect(),
            });
        }
    }

    /// The objects of a module that stay, with other instance keys.
    fn repetitions(&mut self, was: Node<'t>, is: Node<'t>) {
        for from in Object::declared_by(was, self.earlier.sources) {
            let declared = match from.declared {
                Declared::Resource(resource) => {
                    is.module().resources.get(&resource.address).map(|now| Declared::Resource(now))
                }
                Declared::Call(call) => is.module().calls.get(&call.name).map(|now| Declared::Call(now)),
            };
            let Some(declared) = declared else { continue };
            let to = Object { node: is, declared, sources: self.now.sources, ..from.clone() };
            if !loses_instances(is, &from, &to) {
                continue;
            }
            let (count, for_each) = to.repeated();
            let argument = count.or(for_each);
            self.changes.push(AddressChange {
                node: is.id(),
                cause: Cause::Repeated(from.repetition(), to.repetition()),
                at: argument.map_or_else(|| to.origin().header(), |argument| argument.name_span),
                elsewhere: None,
                below: to.origin().base.clone(),
                addresses: vec![(from.written(), to.written())],
                moves: ends(&from, &to).map(|ends| vec![ends]),
            });
        }
    }
}

/// Whether an object that stays at its address loses its instances, and no block handles it. `is` is the module that
/// declares it after the change.
pub(super) fn loses_instances(is: Node<'_>, from: &Object<'_>, to: &Object<'_>) -> bool {
    let (one, other) = (from.repetition(), to.repetition());
    let has_other_keys = match from.declared {
        // Terraform moves the single instance of a resource to key 0 by itself, and back.
        Declared::Resource(_) => one.loses_resources(other),
        Declared::Call(_) => one != other && !is.module().names_below(&from.address().path),
    };
    has_other_keys && !is_left(is, from) && is_lost(from, to)
}

/// Whether there may be objects at an address.
pub(super) fn may_have_objects(object: &Object<'_>) -> bool {
    let has_resources = match object.declared {
        Declared::Resource(_) => true,
        // The declarations of a module from elsewhere are unknown.
        Declared::Call(call) => {
            object.node.child(&call.name).is_none_or(|child| keep_resources(child, child))
        }
    };
    has_resources && !object.has_no_instances()
}

/// Whether a plan destroys an object at one address and creates it at the other.
fn is_lost(from: &Object<'_>, to: &Object<'_>) -> bool {
    let has_objects = match (from.declared, to.declared) {
        (Declared::Call(before), Declared::Call(now)) => {
            let children = from.node.child(&before.name).zip(to.node.child(&now.name));
            // The declarations of a module from elsewhere are unknown.
            children.is_none_or(|(before, now)| keep_resources(before, now))
        }
        _ => true,
    };
    has_objects && !from.has_no_instances() && !to.has_no_instances()
}

/// Whether a module or a descendant may have managed resources before and after. Their names may differ.
fn keep_resources(before: Node<'_>, now: Node<'_>) -> bool {
    let has_managed = |node: Node<'_>| {
        node.module().resources.values().any(|resource| {
            resource.address.mode == Mode::Managed && !node.has_no_instances(resource.repeated())
        })
    };
    let mut seen = BTreeSet::new();
    let mut next = vec![(before, now)];
    while let Some((before, now)) = next.pop() {
        if !seen.insert((before.id(), now.id())) {
            continue;
        }
        let (was, is) = (before.module(), now.module());
        if !was.complete || !is.complete || has_managed(before) && has_managed(now) {
            return true;
        }
        for name in was.calls.keys().filter(|name| is.calls.contains_key(*name)) {
            match before.child(name).zip(now.child(name)) {
                Some(children) => next.push(children),
                // The declarations of a module from elsewhere are unknown.
                None => return true,
            }
        }
    }
    false
}

/// The calls that stay, before and after the change, with their child modules.
fn children<'b, 't: 'b>(
    was: Node<'t>,
    is: Node<'t>,
    blocks: &'b Blocks<'t>,
) -> impl Iterator<Item = (&'t ModuleCall, &'t ModuleCall, (Node<'t>, Node<'t>))> + 'b {
    was.module().calls.values().filter_map(move |call| {
        let now = blocks.successor(&call.name)?;
        Some((&**call, now, was.child(&call.name).zip(is.child(&now.name))?))
    })
}

/// The endpoints of a `moved` block. Instances keep their keys if both blocks have the same type of keys. Returns `None`
/// if a key is unknown, or if one block would leave out existing instances.
fn ends(from: &Object<'_>, to: &Object<'_>) -> Option<(String, String)> {
    let with_key = from.repetition() != to.repetition();
    if from.has_other_instances(with_key) {
        return None;
    }
    Some((from.end(with_key)?, to.end(with_key)?))
}

/// The calls in which nothing is matched, and the objects that are not only added or removed with a call.
fn unmatched<'t>(
    calls: Vec<Object<'t>>,
    objects: Vec<Object<'t>>,
    matched: &[&Object<'t>],
) -> Vec<Object<'t>> {
    let names = |object: &&Object<'t>| object.names().into_iter().cloned().collect();
    let paths: BTreeSet<Vec<SmolStr>> = matched.iter().map(names).collect();
    let is_apart = |call: &Object<'t>| !leads_below(&paths, &call.address().path);
    let objects = objects.into_iter().filter(|object| !object.is_with_call);
    calls.into_iter().filter(is_apart).chain(objects).collect()
}

fn calls_first(objects: Vec<Object<'_>>) -> (Vec<Object<'_>>, Vec<Object<'_>>) {
    objects.into_iter().partition(|object| matches!(object.declared, Declared::Call(_)))
}

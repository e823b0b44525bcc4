//! The version constraints of a module and its descendants: for each provider, and for the engine.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use hashbrown::HashSet;

use super::conflicts::{Conflicts, Subject};
use super::{VersionRequirement, VersionsBelow};
use crate::graph::dependency_cycles::components;
use crate::graph::{Callee, ModuleGraph, Node, NodeId};
use crate::limits::Steps;
use crate::module::Module;
use crate::text::Span;
use crate::value::{Condition, Constraints};

impl<'t> Node<'t> {
    /// The version of the engine that this module and its descendants require.
    pub fn versions_below(self) -> &'t VersionsBelow {
        let graph = self.graph();
        &graph.derived.versions_below.get_or_init(|| versions_below(graph))[self.id().number()]
    }

    /// The constraints of this module and its descendants that cannot be met, or that were not compared.
    pub fn version_conflicts(self) -> &'t Conflicts {
        &self.graph().derived.version_conflicts.get_or_init(|| version_conflicts(self.graph()))
            [self.id().number()]
    }

    /// The constraints of this module and its descendants on some subjects, those of the module first. The constraints of
    /// further levels of calls are left out once `is_enough` of those so far.
    pub fn version_requirements(
        self,
        subjects: &BTreeSet<Subject>,
        is_enough: impl Fn(&BTreeMap<Subject, Vec<VersionRequirement>>) -> bool,
    ) -> BTreeMap<Subject, Vec<VersionRequirement>> {
        let mut requirements = BTreeMap::new();
        let mut seen = BTreeSet::from([self.id()]);
        let mut level = vec![(self, None)];
        let mut number = 0;
        while !level.is_empty() {
            let mut next = Vec::new();
            for (node, via) in level {
                add_own(node.module(), via, Some(subjects), &mut requirements);
                let mut called: Vec<_> = node.child_calls().collect();
                called.retain(|(_, child)| seen.insert(child.id()));
                next.extend(
                    called.into_iter().map(|(call, child)| (child, via.or(Some(call.origin.header())))),
                );
            }
            level = next;
            let found = requirements.values().map(Vec::len).sum();
            if found > number && is_enough(&requirements) {
                break;
            }
            number = found;
        }
        requirements
    }
}

/// The result of [`Node::versions_below`] for each node, from the modules without calls upwards.
fn versions_below(graph: &ModuleGraph) -> Vec<VersionsBelow> {
    let called: Vec<Vec<usize>> =
        graph.nodes().map(|node| node.children().map(NodeId::number).collect()).collect();
    let mut all = vec![VersionsBelow::default(); called.len()];
    for component in components(&called) {
        let mut together = VersionsBelow::default();
        for node in component.iter().flat_map(|node| &called[*node]) {
            together.add(&all[*node]);
        }
        for node in &component {
            together.add(&version_of(graph.node(NodeId(*node))));
        }
        for node in component {
            all[node] = together.clone();
        }
    }
    all
}

/// The version of the engine that a module itself requires.
fn version_of(node: Node<'_>) -> VersionsBelow {
    let mut own = BTreeMap::new();
    add_own(node.module(), None, Some(&BTreeSet::from([None])), &mut own);
    let bounds = own
        .remove(&None)
        .into_iter()
        .flatten()
        .filter_map(|requirement| Some((requirement.constraints.range().lower?.version, requirement)));
    VersionsBelow {
        is_unmodelled: node.module().unmodelled.is_some(),
        calls_unread: node.calls().any(|(_, leads_to)| leads_to == Callee::Opaque),
        newest: bounds.max_by(|(a, _), (b, _)| a.cmp(b)).map(Arc::new),
    }
}

/// Adds the constraints of a module itself, or only those on some subjects.
fn add_own(
    module: &Module,
    via: Option<Span>,
    subjects: Option<&BTreeSet<Subject>>,
    into: &mut BTreeMap<Subject, Vec<VersionRequirement>>,
) {
    let of_engine = module.required_versions.iter().map(|version| (None, version));
    let required = module
        .required_providers
        .values()
        .filter_map(|entry| Some((Some(entry.address.clone()), entry.version.as_ref()?)));
    let configured = module
        .providers
        .values()
        .filter_map(|block| Some((Some(module.provider_address(&block.name)?), block.version.as_ref()?)));
    for (subject, version) in of_engine.chain(required).chain(configured) {
        if subjects.is_some_and(|subjects| !subjects.contains(&subject)) {
            continue;
        }
        let Some(constraints) = &version.constraints else { continue };
        let constraints = if subject.is_some() { constraints.for_provider() } else { constraints.clone() };
        let requirement =
            VersionRequirement { constraints, text: version.text.clone(), at: version.value_span, via };
        into.entry(subject).or_default().push(requirement);
    }
}

/// The constraints of some modules and their descendants, each condition once, in order.
#[derive(Debug, Clone, Default)]
struct Summary {
    conditions: BTreeMap<Subject, Vec<Condition>>,
    /// The conflicts that were reported for them.
    reported: Conflicts,
}

/// The maximal number of providers with constraints that are copied from modules to their callers, of all modules of a
/// graph together. 20,000 modules that call modules with five providers each stay below it.
const MOST_JOINED: usize = 300_000;

/// The result of [`Node::version_conflicts`] for each node, from the modules without calls upwards. The summary of a
/// module is dropped once all its callers include it, so that only one is kept for a long chain of calls. Callers that add
/// nothing share it.
fn version_conflicts(graph: &ModuleGraph) -> Vec<Conflicts> {
    let most = graph.nodes.first().map_or(0, |node| node.module.limits.conditions());
    let called = graph.called();
    let components = components(&called);
    let mut component_of = vec![0; called.len()];
    for (number, component) in components.iter().enumerate() {
        for node in component {
            component_of[*node] = number;
        }
    }
    let below: Vec<BTreeSet<usize>> = components
        .iter()
        .enumerate()
        .map(|(number, component)| {
            let all = component.iter().flat_map(|node| &called[*node]).map(|child| component_of[*child]);
            all.filter(|child| *child != number).collect()
        })
        .collect();
    let mut waiting = vec![0_usize; components.len()];
    below.iter().flatten().for_each(|child| waiting[*child] += 1);
    let mut summaries: Vec<Option<Rc<Summary>>> = vec![None; components.len()];
    let mut version_conflicts = vec![Conflicts::default(); called.len()];
    let mut left = Steps::of(MOST_JOINED);
    for (number, component) in components.iter().enumerate() {
        let mut children = Vec::new();
        for child in &below[number] {
            waiting[*child] -= 1;
            let summary = &mut summaries[*child];
            children.extend(if waiting[*child] == 0 { summary.take() } else { summary.clone() });
        }
        let modules = component.iter().map(|node| &*graph.nodes[*node].module);
        let (summary, new) = together(children, modules, most, &mut left);
        // In a module call cycle, each module has a child with the same constraints.
        if let [node] = component[..]
            && !called[node].contains(&node)
        {
            version_conflicts[node] = new;
        }
        summaries[number] = (waiting[number] > 0).then_some(summary);
    }
    version_conflicts
}

/// The constraints of some modules and of those that they call, with at most this many conditions each, and the new
/// conflicts.
fn together<'m>(
    mut children: Vec<Rc<Summary>>,
    modules: impl Iterator<Item = &'m Module>,
    most: usize,
    left: &mut Steps,
) -> (Rc<Summary>, Conflicts) {
    // Those of several modules may be the same.
    let mut seen = HashSet::new();
    children.retain(|child| seen.insert(Rc::as_ptr(child)));
    // The largest summary absorbs the others.
    children.sort_by_key(|child| child.conditions.len());
    let largest = children.pop().unwrap_or_default();
    let own: Vec<(Subject, Vec<Condition>)> = modules.flat_map(own_conditions).collect();
    if children.is_empty() && own.iter().all(|(subject, conditions)| largest.has(subject, conditions)) {
        return (largest, Conflicts::default());
    }
    let is_shared = Rc::strong_count(&largest) > 1;
    let copied = if is_shared { largest.conditions.len() } else { 0 };
    if !left.take(copied + children.iter().map(|child| child.conditions.len()).sum::<usize>()) {
        return (largest, Conflicts { is_cut: true, ..Conflicts::default() });
    }
    let mut summary = Rc::unwrap_or_clone(largest);
    let mut new = Conflicts::default();
    for child in children {
        let Summary { conditions, reported } = Rc::unwrap_or_clone(child);
        summary.reported.add(reported);
        for (subject, conditions) in conditions {
            summary.add(subject, conditions, most, &mut new);
        }
    }
    for (subject, conditions) in own {
        summary.add(subject, conditions, most, &mut new);
    }
    let can_be_met = |subject: &Subject| {
        let conditions = summary.conditions.get(subject);
        conditions.is_none_or(|conditions| Constraints::of(conditions.clone()).can_be_met())
    };
    new.impossible.retain(|subject| !summary.reported.impossible.contains(subject) && !can_be_met(subject));
    new.uncompared.retain(|subject| !summary.reported.uncompared.contains(subject));
    summary.reported.add(new.clone());
    (Rc::new(summary), new)
}

/// The conditions of a module itself.
fn own_conditions(module: &Module) -> impl Iterator<Item = (Subject, Vec<Condition>)> {
    let mut own = BTreeMap::new();
    add_own(module, None, None, &mut own);
    own.into_iter().map(|(subject, requirements)| {
        let conditions = requirements.iter().flat_map(|requirement| requirement.constraints.conditions());
        (subject, conditions.cloned().collect())
    })
}

impl Summary {
    /// Whether it contains all these conditions.
    fn has(&self, subject: &Subject, conditions: &[Condition]) -> bool {
        let known = self.conditions.get(subject);
        known.is_some_and(|known| conditions.iter().all(|it| known.binary_search(it).is_ok()))
    }

    /// Adds new conditions, and the conflicts that they may cause.
    fn add(&mut self, subject: Subject, conditions: Vec<Condition>, most: usize, new: &mut Conflicts) {
        let known = self.conditions.entry(subject.clone()).or_default();
        let before = known.len();
        for condition in conditions {
            let Err(at) = known.binary_search(&condition) else { continue };
            if known.len() == most {
                new.uncompared.insert(subject.clone());
                break;
            }
            known.insert(at, condition);
        }
        if known.len() > before {
            new.impossible.insert(subject);
        }
    }
}

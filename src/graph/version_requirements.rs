//! Turns a module and all that it calls into the versions that are asked for: of each provider, and of the engine.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::conflicts::{Conflicts, Subject};
use super::dependency_cycles::components;
use super::{ModuleGraph, Node};
use crate::module::Module;
use crate::text::Span;
use crate::value::{Condition, Constraints};

/// One constraint of a module.
#[derive(Debug, Clone)]
pub struct Demand {
    /// What it lets through; of a provider by the rules for providers.
    pub constraints: Constraints,
    /// As it is written.
    pub text: SmolStr,
    /// Where it is written.
    pub at: Span,
    /// The call that leads to the module; none for the module that is asked about.
    pub via: Option<Span>,
}

impl<'t> Node<'t> {
    /// What of the demands of this module and all below it cannot be met, or was not looked at.
    pub fn clashes(self) -> &'t Conflicts {
        &self.graph().clashes.get_or_init(|| clashes(self.graph()))[self.id().number()]
    }

    /// What this module and all below it ask for, its own demands first.
    pub fn demands(self) -> BTreeMap<Subject, Vec<Demand>> {
        let mut demands = BTreeMap::new();
        let mut seen = BTreeSet::from([self.id()]);
        let mut level = vec![(self, None)];
        while !level.is_empty() {
            let mut next = Vec::new();
            for (node, via) in level {
                demanded(node.module(), via, &mut demands);
                for (call, _) in node.calls() {
                    if let Some(child) = node.child(&call.name)
                        && seen.insert(child.id())
                    {
                        next.push((child, via.or(Some(call.origin.header()))));
                    }
                }
            }
            level = next;
        }
        demands
    }
}

/// Adds what a module asks for by itself.
fn demanded(module: &Module, via: Option<Span>, into: &mut BTreeMap<Subject, Vec<Demand>>) {
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
        let Some(constraints) = &version.constraints else { continue };
        let constraints = if subject.is_some() { constraints.for_provider() } else { constraints.clone() };
        let demand = Demand { constraints, text: version.text.clone(), at: version.value_span, via };
        into.entry(subject).or_default().push(demand);
    }
}

/// What some modules and all below them ask for, each condition once.
#[derive(Debug, Clone, Default)]
struct Summary {
    conditions: BTreeMap<Subject, Vec<Condition>>,
    /// What is told of them.
    told: Conflicts,
}

/// By node: see [`Node::clashes`]. Goes up from those that call nobody. What is known of a module is dropped once all
/// that call it know it too, so that of a long chain of calls only one is kept.
fn clashes(graph: &ModuleGraph) -> Vec<Conflicts> {
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
    let mut summaries: Vec<Option<Summary>> = vec![None; components.len()];
    let mut clashes = vec![Conflicts::default(); called.len()];
    for (number, component) in components.iter().enumerate() {
        let mut children = Vec::new();
        for child in &below[number] {
            waiting[*child] -= 1;
            let summary = &mut summaries[*child];
            children.extend(if waiting[*child] == 0 { summary.take() } else { summary.clone() });
        }
        let modules = component.iter().map(|node| &graph.nodes[*node].module);
        let (summary, new) = together(children, modules, most);
        // In a ring of modules each has a child that asks for the same.
        if let [node] = component[..]
            && !called[node].contains(&node)
        {
            clashes[node] = new;
        }
        summaries[number] = (waiting[number] > 0).then_some(summary);
    }
    clashes
}

/// What some modules and those that they call ask for, with so many conditions on each at the most, and what is new
/// about it.
fn together<'m>(
    mut children: Vec<Summary>,
    modules: impl Iterator<Item = &'m Module>,
    most: usize,
) -> (Summary, Conflicts) {
    // The largest takes in the others.
    children.sort_by_key(|child| child.conditions.len());
    let mut summary = children.pop().unwrap_or_default();
    let mut new = Conflicts::default();
    for child in children {
        summary.told.add(child.told);
        for (subject, conditions) in child.conditions {
            summary.add(subject, conditions, most, &mut new);
        }
    }
    for module in modules {
        let mut own = BTreeMap::new();
        demanded(module, None, &mut own);
        for (subject, demands) in own {
            let conditions = demands.iter().flat_map(|demand| demand.constraints.conditions()).cloned();
            summary.add(subject, conditions.collect(), most, &mut new);
        }
    }
    let can_be_met = |subject: &Subject| {
        let conditions = summary.conditions.get(subject);
        conditions.is_none_or(|conditions| Constraints::of(conditions.clone()).can_be_met())
    };
    new.impossible.retain(|subject| !summary.told.impossible.contains(subject) && !can_be_met(subject));
    new.uncompared.retain(|subject| !summary.told.uncompared.contains(subject));
    summary.told.add(new.clone());
    (summary, new)
}

impl Summary {
    /// Adds conditions that are new, and notes what may change with them.
    fn add(&mut self, subject: Subject, conditions: Vec<Condition>, most: usize, new: &mut Conflicts) {
        let known = self.conditions.entry(subject.clone()).or_default();
        let before = known.len();
        for condition in conditions {
            if known.contains(&condition) {
                continue;
            }
            if known.len() == most {
                new.uncompared.insert(subject.clone());
                break;
            }
            known.push(condition);
        }
        if known.len() > before {
            new.impossible.insert(subject);
        }
    }
}

//! Finds dependency cycles, within a module and through the modules that it calls.

mod components;
mod dependency_graph;
mod needs;
mod vertex;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::sync::OnceLock;

use crate::finding::{Concern, EngineRule, Finding};
use crate::graph::references::Links;
use crate::graph::{ModuleGraph, Node, NodeId};
use crate::module::Module;
use crate::module::address::{Subject, reference};
use crate::text::Span;
pub(in crate::graph) use components::components;
use dependency_graph::DependencyGraph;
use needs::Needs;
use vertex::Vertex;

/// The maximal number of steps of a cycle in a message.
const SHOWN: usize = 12;

/// The modules that others call, and the inputs that their outputs need, computed on first use.
#[derive(Debug)]
pub(super) struct Called {
    /// All nodes; with a module, the modules that it calls are among them.
    nodes: Vec<NodeId>,
    needs: OnceLock<BTreeMap<usize, Needs>>,
}

impl Called {
    pub(super) fn among(nodes: Vec<NodeId>) -> Self {
        Self { nodes, needs: OnceLock::new() }
    }

    fn needs(&self, graph: &ModuleGraph) -> &BTreeMap<usize, Needs> {
        self.needs.get_or_init(|| {
            let mut needs = BTreeMap::new();
            // For modules in a call cycle, the dependencies of outputs are incomplete.
            for node in bottom_up(graph, &self.nodes).into_iter().filter(|node| node.is_called()) {
                let dependencies = DependencyGraph::of(node, &needs);
                let own = Needs::of(&dependencies.vertices, &dependencies.edges);
                needs.insert(node.id().number(), own);
            }
            needs
        })
    }
}

/// Checks one module. `links` are the references among its declarations.
pub(super) fn check(node: Node<'_>, links: &Links, called: &Called, findings: &mut Vec<Finding>) {
    self_references(node.module(), findings);
    if links.may_circle(node.module()) {
        findings.extend(cycles(&DependencyGraph::of(node, called.needs(node.graph())), node.module()));
    }
}

/// The modules in an order where each comes after the modules that it calls.
fn bottom_up<'t>(graph: &'t ModuleGraph, nodes: &[NodeId]) -> Vec<Node<'t>> {
    let place = |id: NodeId| nodes.binary_search(&id).ok();
    let calls: Vec<Vec<usize>> = nodes
        .iter()
        .map(|id| graph.node(*id).child_calls().filter_map(|(_, child)| place(child.id())).collect())
        .collect();
    components(&calls).into_iter().flatten().map(|number| graph.node(nodes[number])).collect()
}

/// Reports local values that refer to themselves. The engine's graph has no such edges.
fn self_references(module: &Module, findings: &mut Vec<Finding>) {
    for local in module.locals.values().filter(|local| !local.attribute.is_broken) {
        for traversal in local.attribute.expr.variables() {
            let Ok(reference) = reference(traversal, &module.features) else { continue };
            if reference.subject == Subject::Local(local.name.clone()) {
                Finding::language(EngineRule::ReferenceCycle, "Self-referencing local value")
                    .at_validate()
                    .detail(format!("The local value `{}` refers to itself.", local.name))
                    .at(reference.span)
                    .address(format!("local.{}", local.name))
                    .push_to(findings);
            }
        }
    }
}

fn cycles(dependencies: &DependencyGraph<'_>, module: &Module) -> Vec<Finding> {
    let mut cycles: Vec<_> =
        components(&dependencies.edges).into_iter().filter(|component| component.len() > 1).collect();
    for component in &mut cycles {
        component.sort_by(|a, b| dependencies.vertices[*a].cmp(&dependencies.vertices[*b]));
    }
    cycles.sort_by(|a, b| dependencies.vertices[a[0]].cmp(&dependencies.vertices[b[0]]));
    cycles.iter().map(|component| cycle(dependencies, component, module)).collect()
}

/// One finding per strongly connected component, with the shortest cycle in its detail.
fn cycle(dependencies: &DependencyGraph<'_>, component: &[usize], module: &Module) -> Finding {
    let way = shortest(dependencies, component);
    let name = |vertex: usize| format!("`{}`", address(&dependencies.vertices[vertex]));
    let mut steps: Vec<String> = way.iter().map(|vertex| name(*vertex)).collect();
    let first = steps[0].clone();
    let more = steps.len() > SHOWN;
    steps.truncate(SHOWN);
    let between = if more { ", and so on, until one needs " } else { ", which needs " };
    let detail = format!("{}{between}{first}.", steps.join(", which needs "));
    let names: Vec<String> =
        component.iter().map(|vertex| engine_name(&dependencies.vertices[*vertex])).collect();
    let members = component.iter().map(|vertex| address(&dependencies.vertices[*vertex]).into()).collect();
    let mut finding = Finding::language(EngineRule::ReferenceCycle, format!("Cycle: {}", names.join(", ")))
        .at_validate()
        .detail(detail.replacen(", which needs", " needs", 1))
        .concerns(Concern::Names(members))
        .help("remove one of these references");
    for (at, vertex) in way.iter().enumerate().take(SHOWN) {
        let next = way[(at + 1) % way.len()];
        if let Some(place) =
            dependencies.place(*vertex, next).or_else(|| declared_at(&dependencies.vertices[*vertex], module))
        {
            finding = finding.related(place, format!("{} needs {}", name(*vertex), name(next)));
        }
    }
    finding
}

/// The shortest cycle through the first vertex of a component.
fn shortest(dependencies: &DependencyGraph<'_>, component: &[usize]) -> Vec<usize> {
    let start = component[0];
    let inside: std::collections::BTreeSet<usize> = component.iter().copied().collect();
    let mut before: BTreeMap<usize, usize> = BTreeMap::new();
    let mut next = VecDeque::from([start]);
    while let Some(vertex) = next.pop_front() {
        for to in dependencies.edges[vertex].iter().filter(|to| inside.contains(to)) {
            if *to == start {
                let mut way = vec![vertex];
                while let Some(earlier) = before.get(&way[way.len() - 1]) {
                    way.push(*earlier);
                }
                way.reverse();
                return way;
            }
            if !before.contains_key(to) {
                before.insert(*to, vertex);
                next.push_back(*to);
            }
        }
    }
    component.to_vec()
}

/// The address of a vertex, as users write it.
fn address(vertex: &Vertex<'_>) -> String {
    match vertex {
        Vertex::Local(name) => format!("local.{name}"),
        Vertex::Variable(name) => format!("var.{name}"),
        Vertex::Resource(address) => address.to_string(),
        Vertex::Provider(name) => format!("provider.{name}"),
        Vertex::Inherited(name) => format!("provider.{name}"),
        Vertex::Output(name) => format!("output.{name}"),
        Vertex::Check(name) => format!("check.{name}"),
        Vertex::Action(kind, name) => format!("action.{kind}.{name}"),
        Vertex::Instances(call) | Vertex::Everything(call) => format!("module.{call}"),
        Vertex::Argument(call, name) => format!("module.{call}.var.{name}"),
        Vertex::Result(call, name) => format!("module.{call}.{name}"),
    }
}

/// The name of a vertex in the engine's summary.
fn engine_name(vertex: &Vertex<'_>) -> String {
    match vertex {
        Vertex::Local(_)
        | Vertex::Output(_)
        | Vertex::Check(_)
        | Vertex::Instances(_)
        | Vertex::Argument(..) => {
            format!("{} (expand)", address(vertex))
        }
        Vertex::Everything(_) => format!("{} (close)", address(vertex)),
        Vertex::Result(call, name) => format!("module.{call}.output.{name} (expand)"),
        // A variable depends on others through its validations only.
        Vertex::Variable(_) => format!("{} (validation)", address(vertex)),
        Vertex::Resource(_) | Vertex::Provider(_) | Vertex::Inherited(_) | Vertex::Action(..) => {
            address(vertex)
        }
    }
}

fn declared_at(vertex: &Vertex<'_>, module: &Module) -> Option<Span> {
    match vertex {
        Vertex::Local(name) => module.locals.get(*name).map(|local| local.attribute.name_span),
        Vertex::Variable(name) => module.variables.get(*name).map(|variable| variable.origin.header()),
        Vertex::Resource(address) => module.resources.get(*address).map(|resource| resource.origin.header()),
        Vertex::Provider(name) => module.providers.get(*name).map(|provider| provider.origin.header()),
        Vertex::Output(name) => module.outputs.get(*name).map(|output| output.origin.header()),
        Vertex::Check(name) => module.checks.get(*name).map(|check| check.block.header),
        Vertex::Instances(call)
        | Vertex::Everything(call)
        | Vertex::Argument(call, _)
        | Vertex::Result(call, _) => module.calls.get(*call).map(|call| call.origin.header()),
        Vertex::Inherited(_) | Vertex::Action(..) => None,
    }
}

//! Builds the graph of references among the declarations of a module and of the modules that it calls.
//!
//! A called module is reduced to its interface: arguments, outputs, and the arguments that each output depends on. So
//! each module is analysed once, however often it is called.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use smol_str::SmolStr;

use super::needs::{Need, Needs};
use super::vertex::Vertex;
use crate::graph::Node;
use crate::graph::references::Declared;
use crate::graph::references::sites::{self, Found, Owner, Site};
use crate::module::Module;
use crate::module::address::{Subject, reference};
use crate::module::declaration::{ModuleCall, Resource};
use crate::syntax::Traversal;
use crate::text::Span;

/// The dependencies among the declarations of a module.
pub(super) struct DependencyGraph<'t> {
    pub(super) vertices: Vec<Vertex<'t>>,
    /// The direct dependencies of each vertex.
    pub(super) edges: Vec<Vec<usize>>,
    /// The span of each edge, if it is written in the configuration.
    places: HashMap<(usize, usize), Option<Span>>,
}

impl<'t> DependencyGraph<'t> {
    /// The dependency graph of a module. `needs` has the dependencies of the outputs of each module that it calls.
    pub(super) fn of(node: Node<'t>, needs: &BTreeMap<usize, Needs>) -> Self {
        let module = node.module();
        let dependencies = Self { vertices: Vec::new(), edges: Vec::new(), places: HashMap::new() };
        let (numbers, arguments) = (HashMap::new(), HashMap::new());
        let mut builder = Builder { node, module, needs, numbers, arguments, dependencies };
        for name in module.outputs.keys() {
            builder.number(Vertex::Output(name));
        }
        sites::for_each(node, &mut |site, found| builder.site(site, found));
        for resource in module.resources.values() {
            builder.resource(resource);
        }
        for call in module.calls.values() {
            builder.everything(call);
        }
        // New vertices appear while references are followed. They depend on arguments and providers only, so the loop
        // ends.
        for number in 0..builder.dependencies.vertices.len() {
            if let Vertex::Result(call, output) = builder.dependencies.vertices[number].clone() {
                builder.result(number, call, &output);
            }
        }
        builder.dependencies
    }

    /// The span of the reference that makes `from` depend on `to`.
    pub(super) fn place(&self, from: usize, to: usize) -> Option<Span> {
        self.places.get(&(from, to)).copied().flatten()
    }
}

struct Builder<'t, 'n> {
    node: Node<'t>,
    module: &'t Module,
    needs: &'n BTreeMap<usize, Needs>,
    numbers: HashMap<Vertex<'t>, usize>,
    /// The argument vertices of each module call.
    arguments: HashMap<&'t SmolStr, Vec<usize>>,
    dependencies: DependencyGraph<'t>,
}

impl<'t, 'n> Builder<'t, 'n> {
    fn number(&mut self, vertex: Vertex<'t>) -> usize {
        if let Some(number) = self.numbers.get(&vertex) {
            return *number;
        }
        let number = self.dependencies.vertices.len();
        if let Vertex::Argument(call, _) = &vertex {
            self.arguments.entry(call).or_default().push(number);
        }
        self.dependencies.vertices.push(vertex.clone());
        self.dependencies.edges.push(Vec::new());
        self.numbers.insert(vertex, number);
        number
    }

    fn edge(&mut self, from: usize, to: Vertex<'t>, place: Option<Span>) {
        let to = self.number(to);
        self.connect(from, to, place);
    }

    /// The engine does not count a direct self-reference as a cycle.
    fn connect(&mut self, from: usize, to: usize, place: Option<Span>) {
        if from == to {
            return;
        }
        let edges = &mut self.dependencies.edges[from];
        let known = self.dependencies.places.entry((from, to)).or_insert_with(|| {
            edges.push(to);
            None
        });
        *known = known.or(place);
    }

    fn site(&mut self, site: &Site<'t>, found: Found<'_>) {
        if site.on_destroy {
            return;
        }
        let owner = match &site.owner {
            Owner::Variable(variable) => Vertex::Variable(&variable.name),
            Owner::Local(local) => Vertex::Local(&local.name),
            Owner::Output(output) => Vertex::Output(&output.name),
            Owner::Call(call) => Vertex::Instances(&call.name),
            Owner::Argument(call, variable) => Vertex::Argument(&call.name, variable.clone()),
            Owner::Resource(resource) => Vertex::Resource(&resource.address),
            Owner::Provider(provider) => {
                // The key of a configuration in the module is not its label.
                let compact = provider.compact();
                let Some((key, _)) = self.module.providers.get_key_value(&compact) else { return };
                Vertex::Provider(key)
            }
            Owner::Check(check) => Vertex::Check(&check.name),
            Owner::Action(action) => Vertex::Action(&action.kind, &action.name),
            Owner::Import(import) => {
                let target = import.target.as_ref().filter(|target| target.path.is_empty());
                let target = target.and_then(|target| self.module.resources.get(&target.resource.resource));
                let Some(target) = target else { return };
                Vertex::Resource(&target.address)
            }
        };
        let from = self.number(owner);
        match found {
            Found::Broken(_) => {}
            Found::Dependencies(dependencies) => {
                for dependency in dependencies {
                    self.reference(from, &dependency.traversal);
                }
            }
            Found::Unevaluated(expr) => expr.for_each_variable(|traversal| self.reference(from, traversal)),
            Found::Expression(expr, around) => expr.for_each_variable(|traversal| {
                if !around.names.contains(&traversal.root) {
                    self.reference(from, traversal);
                }
            }),
        }
        if let Owner::Argument(call, _) = &site.owner {
            self.edge(from, Vertex::Instances(&call.name), None);
        }
    }

    fn reference(&mut self, from: usize, traversal: &Traversal) {
        let module = self.module;
        let Ok(reference) = reference(traversal, &module.features) else { return };
        let Some(declared) = Declared::of(module, &reference.subject) else { return };
        let to = match declared {
            Declared::Variable(variable) => Vertex::Variable(&variable.name),
            Declared::Local(local) => Vertex::Local(&local.name),
            Declared::Resource(resource) => Vertex::Resource(&resource.address),
            Declared::Call(call) => match &reference.subject {
                Subject::Module { output: Some(output), .. } if self.has_output(call, output) => {
                    Vertex::Result(&call.name, output.clone())
                }
                // The whole module, or all its instances, depends on everything in it.
                _ => Vertex::Everything(&call.name),
            },
        };
        self.edge(from, to, Some(reference.span));
    }

    /// Whether the engine treats this as an output. For unknown modules, every name is one.
    fn has_output(&self, call: &ModuleCall, output: &SmolStr) -> bool {
        self.node.child(&call.name).is_none_or(|child| child.module().outputs.contains_key(output))
    }

    /// Dependencies that only resources have: a provider, and `replace_triggered_by`.
    fn resource(&mut self, resource: &'t Resource) {
        let from = self.number(Vertex::Resource(&resource.address));
        let provider = self.provider(resource.provider_key());
        let place = resource.provider_ref.as_ref().map(|reference| reference.name_span);
        self.edge(from, provider, place.or(Some(resource.origin.header())));
        for expr in &resource.managed.replace_triggered_by {
            expr.for_each_variable(|traversal| self.reference(from, traversal));
        }
    }

    fn provider(&self, name: SmolStr) -> Vertex<'t> {
        match self.module.providers.get_key_value(&name) {
            Some((own, _)) => Vertex::Provider(own),
            None => Vertex::Inherited(name),
        }
    }

    /// Adds the dependencies of an output of a called module on this one.
    fn result(&mut self, from: usize, call: &'t SmolStr, output: &str) {
        self.edge(from, Vertex::Instances(call), None);
        let needs = self.needs_of(call).map(|needs| needs.of_output(output)).unwrap_or_default();
        self.needed(from, call, &needs);
    }

    /// Adds the dependencies of a whole called module: the arguments of its call, and its own needs.
    fn everything(&mut self, call: &'t ModuleCall) {
        let name = &call.name;
        let from = self.number(Vertex::Everything(name));
        self.edge(from, Vertex::Instances(name), None);
        for argument in self.arguments.get(name).cloned().unwrap_or_default() {
            self.connect(from, argument, None);
        }
        let needs = self.needs_of(name).map(Needs::of_all).unwrap_or_default();
        self.needed(from, name, &needs);
    }

    fn needs_of(&self, call: &str) -> Option<&'n Needs> {
        self.needs.get(&self.node.child(call)?.id().number())
    }

    fn needed(&mut self, from: usize, call: &'t SmolStr, needs: &[&Need]) {
        for need in needs {
            match need {
                Need::Variable(name) => {
                    // A variable that is not set depends on nothing.
                    let argument = Vertex::Argument(call, name.clone());
                    if self.numbers.contains_key(&argument) {
                        self.edge(from, argument, None);
                    }
                }
                Need::Provider(name) => {
                    let passed = self.module.calls.get(call).and_then(|call| {
                        call.providers.iter().find(|passed| passed.in_child.compact() == *name)
                    });
                    let name = match passed {
                        Some(passed) => passed.in_parent.compact(),
                        // Only default configurations are inherited.
                        None if !name.contains('.') => name.clone(),
                        None => continue,
                    };
                    let provider = self.provider(name);
                    self.edge(from, provider, None);
                }
            }
        }
    }
}

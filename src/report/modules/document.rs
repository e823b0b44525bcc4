//! Turns modules into a document for programs: each module with its calls, and each module on a way of calls with the
//! provider configurations that reach it.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

use super::{DEEPEST, MOST_INSTANCES, Picture, because};
use crate::graph::{Callee, Instance, Node, NodeId, Way};
use crate::module::declaration::ModuleCall;
use crate::report::json::Range;

#[derive(Debug, Serialize)]
pub(super) struct Document {
    format_version: &'static str,
    roots: Vec<Root>,
    modules: Vec<Entry>,
}

/// A module to start from.
#[derive(Debug, Serialize)]
struct Root {
    module: String,
    engine: String,
    /// Whether everything below it is among the instances: ways of calls can be more than anybody can list.
    complete: bool,
    instances: Vec<Placed>,
}

/// A module on a way of calls.
#[derive(Debug, Serialize)]
struct Placed {
    /// `module.a.module.b`; empty for the root itself.
    address: String,
    module: String,
    providers: Vec<Configuration>,
}

/// The instances below a root, and how much that is: the steps of their addresses, and their configurations.
#[derive(Debug, Default)]
struct Told {
    placed: Vec<Placed>,
    size: usize,
}

#[derive(Debug, Serialize)]
struct Configuration {
    name: String,
    provider: String,
    way: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<Range>,
    /// The name in the caller, of what is passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    passed: Option<String>,
    /// The module that it is inherited from.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
}

#[derive(Debug, Serialize)]
struct Entry {
    module: String,
    role: &'static str,
    because: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    changed: bool,
    calls: Vec<Call>,
    callers: Vec<Caller>,
}

#[derive(Debug, Serialize)]
struct Call {
    name: String,
    source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    module: Option<String>,
    leads_to: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    for_each: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    enabled: Option<String>,
    providers: BTreeMap<String, String>,
    range: Range,
}

#[derive(Debug, Serialize)]
struct Caller {
    module: String,
    call: String,
}

impl Document {
    pub(super) fn of(picture: &Picture<'_>) -> Self {
        let mut modules: BTreeMap<String, Entry> = BTreeMap::new();
        let mut next: Vec<Node<'_>> = picture.tops.iter().map(|(_, top)| *top).collect();
        let mut seen = HashSet::new();
        while let Some(node) = next.pop() {
            if seen.insert(node.module().directory.clone()) {
                modules.insert(picture.name(node), picture.module(node));
                let calls = picture.calls(node).into_iter();
                next.extend(calls.filter_map(|(call, _)| node.child(&call.name)));
            }
        }
        let roots = picture.tops.iter().map(|(engine, top)| {
            let mut told = Told::default();
            let instance = Instance::top(*top);
            let complete = picture.place_below(&instance, "", &mut vec![top.id()], &mut told);
            Root {
                module: picture.name(*top),
                engine: engine.word().to_string(),
                complete,
                instances: told.placed,
            }
        });
        Self { format_version: "1.0", roots: roots.collect(), modules: modules.into_values().collect() }
    }
}

impl Picture<'_> {
    /// Adds a module and all below it; gives whether that is all.
    fn place_below(
        &self,
        instance: &Instance<'_>,
        address: &str,
        path: &mut Vec<NodeId>,
        told: &mut Told,
    ) -> bool {
        let providers = instance.configurations.iter().map(|reaching| {
            let (way, range, passed, from) = match &reaching.way {
                Way::Declared(header) => {
                    ("declared", Some(Range::new(*header, self.sources, &self.style.names)), None, None)
                }
                Way::Passed(name) => ("passed", None, Some(name.to_string()), None),
                Way::Inherited(from) => {
                    let from = self.name(instance.node.graph().node(*from));
                    ("inherited", None, None, Some(from))
                }
                Way::FromCallers => ("from-callers", None, None, None),
                Way::WithoutBlock => ("without-block", None, None, None),
                Way::Missing => ("missing", None, None, None),
            };
            let host = instance.node.module().features.registry_host;
            let provider = reaching.provider.display(host).to_string();
            Configuration { name: reaching.name.to_string(), provider, way, range, passed, from }
        });
        let module = self.name(instance.node);
        told.size += path.len() + instance.configurations.len();
        told.placed.push(Placed { address: address.to_owned(), module, providers: providers.collect() });
        let mut complete = true;
        for (call, _) in self.calls(instance.node) {
            if path.len() >= DEEPEST || told.size >= MOST_INSTANCES {
                complete = false;
                break;
            }
            let Some(called) = instance.called(call) else { continue };
            if path.contains(&called.node.id()) {
                continue;
            }
            let step = format!("module.{}", call.name);
            let address = if address.is_empty() { step } else { format!("{address}.{step}") };
            path.push(called.node.id());
            complete &= self.place_below(&called, &address, path, told);
            path.pop();
        }
        complete
    }

    fn module(&self, node: Node<'_>) -> Entry {
        let (role, reason) = node.role_with_reason();
        let calls = self.calls(node).into_iter().map(|(call, callee)| self.call(node, call, callee));
        let callers = node
            .callers()
            .map(|(caller, call)| Caller { module: self.name(caller), call: call.name.to_string() });
        Entry {
            module: self.name(node),
            role: role.word(),
            because: because(reason),
            changed: self.changed.contains(&node.module().directory),
            calls: calls.collect(),
            callers: callers.collect(),
        }
    }

    fn call(&self, node: Node<'_>, call: &ModuleCall, callee: Callee) -> Call {
        let mut repetition: BTreeMap<&str, String> = self.repetition(call).into_iter().collect();
        let passed = call.providers.iter();
        Call {
            name: call.name.to_string(),
            source: self.target(node, call, Callee::Opaque),
            module: node.child(&call.name).map(|child| self.name(child)),
            leads_to: match callee {
                Callee::Module(_) => "module",
                Callee::Missing => "nothing",
                Callee::Outside => "outside",
                Callee::Opaque => "elsewhere",
            },
            count: repetition.remove("count"),
            for_each: repetition.remove("for_each"),
            enabled: repetition.remove("enabled"),
            providers: passed
                .map(|passed| (passed.in_child.compact().to_string(), passed.in_parent.compact().to_string()))
                .collect(),
            range: Range::new(call.origin.header(), self.sources, &self.style.names),
        }
    }
}

//! Determines the role of a module from its path, the other files in its directory, and its callers.

use std::cell::LazyCell;
use std::sync::Arc;

use super::instance_keys::has_instances;
use super::node::{ModuleGraph, Node};
use super::node_id::NodeId;
use super::providers::is_configured;
use super::reach::mark;
use super::role::{Reason, Role, Surroundings};
use crate::module::address::ModuleSource;
use crate::module::declaration::{ModuleCall, ProviderConfiguration};
use crate::syntax::Attribute;

impl ModuleGraph {
    /// Marks a module as called if the module of a symbolic link to its directory is.
    pub fn called_through(&mut self, module: NodeId, link: NodeId) {
        let link = self.node(link);
        if link.is_called() {
            let is_used = link.caller_directories().any(|caller| !is_aside(caller));
            self.forget();
            let around = &mut self.nodes[module.0].around;
            around.is_called_from_outside = true;
            around.is_used_from_outside |= is_used;
        }
    }
}

impl Node<'_> {
    /// The role of the module.
    pub fn role(self) -> Role {
        self.role_with_reason().0
    }

    /// The role of the module, and the evidence for it.
    pub fn role_with_reason(self) -> (Role, Reason) {
        let graph = self.graph();
        let of = |node: Node<'_>| of(node, node.surroundings());
        graph.derived.roles.get_or_init(|| graph.nodes().map(of).collect())[self.id().0]
    }

    /// Whether the module is certainly a root module. A provider block and a lock file do not prove it: a module for
    /// external callers may have both.
    pub(super) fn is_run_by_evidence(self) -> bool {
        let around = self.surroundings();
        let is_run = match around.role {
            Some(role) => role == Role::Root,
            None => around.has_values || keeps_state(self) || is_run_by_terragrunt(self),
        };
        is_run && !self.is_called()
    }

    /// Whether there are signs that an engine is also run in the directory of a called module: values, a backend, or a
    /// Terragrunt unit that may run it.
    pub fn is_also_run(self) -> bool {
        self.surroundings().has_values || keeps_state(self) || self.run_by_units().may_be_run
    }

    /// Whether an engine may be run in the directory of a called module too, which is not one for shared modules.
    pub fn may_be_run(self) -> bool {
        below_shared(&self.module().directory).is_none()
    }

    /// Whether this module is a root module, or one leads to it, by other evidence than that nothing calls it.
    pub fn is_below_root(self) -> bool {
        let graph = self.graph();
        let of_graph = || {
            let mut is_below = vec![false; graph.nodes().count()];
            let is_root = |node: &Node<'_>| {
                let (role, reason) = node.role_with_reason();
                role == Role::Root && reason != Reason::Uncalled
            };
            for root in graph.nodes().filter(is_root) {
                mark(root, &mut is_below, |node| node.child_calls().map(|(_, child)| child.id()));
            }
            is_below
        };
        graph.derived.below_roots.get_or_init(of_graph)[self.id().number()]
    }

    /// Whether all plans of a root module have an instance of this module, whatever its variables are: nothing calls it,
    /// or calls that certainly have instances lead to it.
    pub(super) fn is_planned(self) -> bool {
        let graph = self.graph();
        let of_graph = || {
            let mut is_planned = vec![false; graph.nodes().count()];
            for root in graph.nodes().filter(|node| node.callers().next().is_none()) {
                mark(root, &mut is_planned, |node| {
                    let values = LazyCell::new(move || node.values());
                    let is_certain = move |call| has_instances(call, |it| values.of(&it.expr)) == Some(true);
                    let called = node.child_calls().filter(move |(call, _)| is_certain(call));
                    called.map(|(_, child)| child.id())
                });
            }
            is_planned
        };
        graph.derived.planned.get_or_init(of_graph)[self.id().number()]
    }

    /// Whether an engine is run in its directory as far as is known. Modules of other repositories call a shared module
    /// that nothing calls here; one at the top of the repository is tried by itself too, unless it needs configurations.
    pub fn is_run(self) -> bool {
        let is_tried = || self.module().directory.is_empty() && !self.module().needs_configurations();
        !self.is_called() && (self.role() != Role::Shared || is_tried())
    }

    /// Whether nothing calls this shared module in a repository with root modules, whose shared modules are for these.
    pub fn is_idle(self) -> bool {
        let around = self.surroundings();
        !around.is_in_library && !self.is_called() && self.role() == Role::Shared
    }
}

/// The role and its evidence. Roles are ordered by strictness.
fn of(node: Node<'_>, around: Surroundings) -> (Role, Reason) {
    let (role, reason) = by_signs(node, around);
    match around.former {
        Some(former) if former < role => (former, Reason::Former),
        Some(_) | None => (role, reason),
    }
}

/// The first role whose evidence applies.
fn by_signs(node: Node<'_>, around: Surroundings) -> (Role, Reason) {
    let directory = node.module().directory.as_str();
    let is_called_for_use =
        || around.is_used_from_outside || node.caller_directories().any(|caller| !is_aside(caller));
    let is_used = || is_run_by_terragrunt(node) || is_called_for_use();
    if let Some(role) = around.role {
        (role, Reason::Policy)
    } else if let Some((role, name)) = by_name(directory).or_else(|| beside_its_module(node))
        && !is_used()
    {
        (role, Reason::Under(name))
    } else if node.is_called() {
        (Role::Shared, Reason::Called)
    } else if let Some(reason) = evidence(node, around) {
        (Role::Root, reason)
    } else if node.module().needs_configurations() {
        (Role::Shared, Reason::Aliases)
    } else if has_proxies(node) {
        (Role::Shared, Reason::Proxies)
    } else if let Some(name) = below_shared(directory) {
        (Role::Shared, Reason::Under(name))
    } else if node.run_by_tests().next().is_some() {
        (Role::Test, Reason::Run)
    } else if around.is_in_library {
        (Role::Shared, Reason::Library)
    } else {
        (Role::Root, Reason::Uncalled)
    }
}

/// The evidence that a module is a root module.
fn evidence(node: Node<'_>, around: Surroundings) -> Option<Reason> {
    if is_run_by_terragrunt(node) {
        Some(Reason::Terragrunt)
    } else if around.has_lock_file {
        Some(Reason::LockFile)
    } else if around.has_values {
        Some(Reason::Values)
    } else if keeps_state(node) {
        Some(Reason::Storage)
    } else {
        (configures_provider(node) && !node.module().needs_configurations()).then_some(Reason::Provider)
    }
}

/// Whether a Terragrunt unit other than an example or a test runs the module.
fn is_run_by_terragrunt(node: Node<'_>) -> bool {
    node.run_by_units().units.iter().any(|unit| !is_aside(unit))
}

/// Directories for shared modules.
const SHARED: [&str; 2] = ["modules", "wrappers"];

/// The directory for shared modules that contains a directory.
fn below_shared(directory: &str) -> Option<&'static str> {
    SHARED.into_iter().find(|name| directory.split('/').any(|part| part == *name))
}

/// Whether a directory is for examples or tests, so that its content is no evidence for the purpose of the
/// repository.
pub fn is_aside(directory: &str) -> bool {
    by_name(directory).is_some()
}

/// `examples`, `tests`, `fixtures`, `testdata` and `terratest` count in any directory. `test` and `example` may be names of
/// environments, so they count only at the top of the repository and below `modules/NAME`, at any depth.
fn by_name(directory: &str) -> Option<(Role, &'static str)> {
    let names: Vec<&str> = directory.split('/').collect();
    if names.contains(&"examples") {
        return Some((Role::Example, "examples"));
    }
    if names[0] == "example" {
        return Some((Role::Example, "example"));
    }
    if let Some(name) = ["tests", "fixtures", "testdata", "terratest", "Terratest"]
        .into_iter()
        .find(|known| names.contains(known))
    {
        return Some((Role::Test, name));
    }
    let modules = names.iter().position(|name| *name == "modules").unwrap_or(names.len());
    if names.iter().skip(modules + 2).any(|name| *name == "example") {
        return Some((Role::Example, "example"));
    }
    (names[0] == "test" || names.iter().skip(modules + 2).any(|name| *name == "test"))
        .then_some((Role::Test, "test"))
}

/// The role of a module in or below `example`, `test` or `testing` that calls the module above that directory. Elsewhere,
/// these may be the names of environments.
fn beside_its_module(node: Node<'_>) -> Option<(Role, &'static str)> {
    let known = [(Role::Example, "example"), (Role::Test, "test"), (Role::Test, "testing")];
    // The module above may also be called by its address in this repository on a server.
    let remote = |call: &ModuleCall, above: &str| match call
        .source
        .as_ref()
        .and_then(|source| source.address.as_ref())
    {
        Some(ModuleSource::Remote(remote)) => remote.subdir == above,
        _ => false,
    };
    let calls = |above: &str| {
        node.children().any(|child| node.graph().node(child).module().directory == above)
            || !above.is_empty() && node.module().calls.values().any(|call| remote(call, above))
    };
    let directory = node.module().directory.as_str();
    let mut directories = std::iter::successors(Some(directory), |path| Some(path.rsplit_once('/')?.0));
    directories.find_map(|path| {
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        known.into_iter().find(|(_, known)| *known == name && calls(above))
    })
}

/// Whether the module configures the storage of its state, which is only valid in a root module;
/// [`crate::module::shows_root`] searches for the same in one file.
fn keeps_state(node: Node<'_>) -> bool {
    node.module().backend.is_some() || node.module().cloud.is_some()
}

/// Whether the module has a provider block with only an alias, which stood for a configuration from callers before
/// `configuration_aliases`.
fn has_proxies(node: Node<'_>) -> bool {
    let is_proxy = |provider: &ProviderConfiguration| provider.alias.is_some() && !is_configured(provider);
    node.module().providers.values().any(|provider| is_proxy(provider))
}

/// Whether the module configures a provider, as root modules do. A shared module may have a configuration with an alias
/// that takes everything from its callers, and one in a directory for shared modules any configuration with an alias.
fn configures_provider(node: Node<'_>) -> bool {
    let is_shared = below_shared(&node.module().directory).is_some();
    let is_own = |provider: &ProviderConfiguration| {
        let mut blocks = Vec::new();
        let arguments = provider.config.just_attributes(&mut blocks);
        let is_from_caller = |argument: &Arc<Attribute>| {
            argument.expr.variables().iter().any(|variable| variable.root == "var")
        };
        provider.alias.is_none()
            || !is_shared && (!blocks.is_empty() || !arguments.iter().all(is_from_caller))
    };
    node.module().providers.values().any(|provider| !provider.config.is_empty() && is_own(provider))
}

#[cfg(test)]
mod tests {
    use indoc::indoc;

    use super::*;
    use crate::engine::{Engine, FileKind, Product};
    use crate::graph::{Callee, ModuleGraph};
    use crate::limits::Limits;
    use crate::module::{Module, ModuleFile};
    use crate::syntax::{self, Notation};
    use crate::text::{FileId, Source};

    #[test]
    fn directories_say_what_they_are() {
        let by_name = |directory| super::by_name(directory).map(|(role, _)| role);
        let test = Some(Role::Test);
        assert_eq!(by_name("examples/a"), Some(Role::Example));
        assert_eq!(by_name("modules/a/examples/b"), Some(Role::Example));
        assert_eq!(by_name("modules/a/example/b"), Some(Role::Example));
        assert_eq!(by_name("modules/example"), None);
        assert_eq!(by_name("tests/a"), test);
        assert_eq!(by_name("modules/a/test"), test);
        assert_eq!(by_name("modules/group/a/test"), test);
        assert_eq!(by_name("a/fixtures/b"), test);
        assert_eq!(by_name("tools/render/testdata"), test);
        assert_eq!(by_name("tools/scanner/tests"), test);
        assert_eq!(by_name("live/test"), None);
        assert_eq!(by_name("modules/test"), None);
        assert_eq!(by_name(""), None);
    }

    /// The roles and reasons of the modules in a tree where each module is called by the one before it.
    fn roles(directories: &[&str], text: &str, around: Surroundings) -> Vec<(Role, Reason)> {
        let mut graph = ModuleGraph::new(Engine::newest(Product::Terraform));
        let mut last = None;
        for directory in directories {
            let source = Source::new("main.tf", text.into());
            let (file, _) = syntax::parse(FileId::new(0), &source, Notation::Native, &Limits::default());
            let kind = FileKind::Primary;
            let files = [ModuleFile { name: "main.tf", body: &file.body, kind, complete: true }];
            let features = graph.features();
            let module = Module::build(*directory, &files, features, &Limits::default(), &mut Vec::new());
            let node = graph.add(module, false);
            graph.surround(node, around);
            if let Some(caller) = last {
                graph.link(caller, &"m".into(), Callee::Module(node));
            }
            last = Some(node);
        }
        graph.nodes().map(Node::role_with_reason).collect()
    }

    #[test]
    fn the_first_reason_that_applies_counts() {
        let nothing = Surroundings::default();
        let cache = Surroundings { is_in_library: true, ..nothing };
        let backend = "terraform {\n  backend \"s3\" {}\n}\n";
        let provider = "provider \"aws\" {\n  region = \"eu-west-1\"\n}\n";
        let aliases = indoc! {r#"
            terraform {
              required_providers {
                aws = {
                  source = "hashicorp/aws"
                  configuration_aliases = [aws.b]
                }
              }
            }
            provider "aws" {
              alias = "a"
              region = "x"
            }
        "#};
        let proxy = "provider \"aws\" {\n  alias = \"a\"\n}\n";
        let beside_proxy = format!("{provider}{proxy}");
        let passed_on = "provider \"aws\" {\n  alias  = \"a\"\n  region = var.region\n}\n";
        let alias = passed_on.replace("var.region", "\"eu-west-1\"");
        let call = "module \"m\" {\n  source = \"./m\"\n}\n";
        for (directories, text, around, expected) in [
            (
                &["a"][..],
                "",
                Surroundings { role: Some(Role::Test), ..nothing },
                (Role::Test, Reason::Policy),
            ),
            (&["examples/a"], backend, nothing, (Role::Example, Reason::Under("examples"))),
            (&["example/a"], "", nothing, (Role::Example, Reason::Under("example"))),
            (&["tests/a", "tests/b"], call, nothing, (Role::Test, Reason::Under("tests"))),
            (&["live", "tests/b"], call, nothing, (Role::Shared, Reason::Called)),
            (
                &["tests/b"],
                "",
                Surroundings { is_called_from_outside: true, is_used_from_outside: true, ..nothing },
                (Role::Shared, Reason::Called),
            ),
            (&["live", "net"], call, nothing, (Role::Shared, Reason::Called)),
            (&[""], backend, cache, (Role::Root, Reason::Storage)),
            (&[""], provider, cache, (Role::Root, Reason::Provider)),
            (&["a"], passed_on, cache, (Role::Shared, Reason::Library)),
            (&["a"], &alias, cache, (Role::Root, Reason::Provider)),
            (&["a"], aliases, nothing, (Role::Shared, Reason::Aliases)),
            (&["a"], proxy, nothing, (Role::Shared, Reason::Proxies)),
            (&["a"], &beside_proxy, nothing, (Role::Root, Reason::Provider)),
            (&["modules/a"], provider, cache, (Role::Root, Reason::Provider)),
            (&["modules/a"], &alias, nothing, (Role::Shared, Reason::Under("modules"))),
            (&["a"], "", Surroundings { has_lock_file: true, ..cache }, (Role::Root, Reason::LockFile)),
            (&["a"], "", Surroundings { has_values: true, ..cache }, (Role::Root, Reason::Values)),
            (&["modules/a"], "", nothing, (Role::Shared, Reason::Under("modules"))),
            (&["wrappers/a"], "", nothing, (Role::Shared, Reason::Under("wrappers"))),
            (&["a"], "", cache, (Role::Shared, Reason::Library)),
            (&["a"], "", nothing, (Role::Root, Reason::Uncalled)),
            (&[""], "", nothing, (Role::Root, Reason::Uncalled)),
        ] {
            assert_eq!(roles(directories, text, around).last(), Some(&expected), "{directories:?} {text}");
        }
    }

    #[test]
    fn a_test_or_example_calls_the_module_above_it() {
        let first = |directories: &[&str]| roles(directories, "", Surroundings::default())[0];
        assert_eq!(first(&["net/test", "net"]), (Role::Test, Reason::Under("test")));
        assert_eq!(first(&["net/testing", "net"]), (Role::Test, Reason::Under("testing")));
        assert_eq!(first(&["net/example", "net"]), (Role::Example, Reason::Under("example")));
        assert_eq!(first(&["net/example/small", "net"]), (Role::Example, Reason::Under("example")));
        assert_eq!(first(&["live/test", "net"]), (Role::Root, Reason::Uncalled));
        assert_eq!(first(&["live/example", "live/net"]), (Role::Root, Reason::Uncalled));
    }
}

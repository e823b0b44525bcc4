//! Turns modules and their calls into a tree for people, into a document for programs, or into a graph to be drawn.

mod callers;
mod document;
mod graph;
mod outline;
mod provider_lines;

use std::collections::BTreeSet;

use smol_str::SmolStr;

use crate::engine::Engine;
use crate::graph::{Callee, Node, Reason};
use crate::limits::Limits;
use crate::module::declaration::ModuleCall;
use crate::report::sanitize::path_at_line_start;
use crate::report::{Style, one_line};
use crate::syntax::Attribute;
use crate::text::Sources;

pub use graph::Drawing;

/// What is to be shown.
#[derive(Debug)]
pub struct Picture<'a> {
    /// The modules to start from, each with the engine that sees it so.
    pub tops: Vec<(Engine, Node<'a>)>,
    /// The directories of the modules to show; all that the first ones lead to where there is none.
    pub kept: Option<BTreeSet<SmolStr>>,
    /// The directories that a change touches.
    pub changed: BTreeSet<SmolStr>,
    /// Whether every resource is shown, with the provider configuration that it uses.
    pub resources: bool,
    /// All texts.
    pub sources: &'a Sources,
    /// What the one who reads can see.
    pub style: &'a Style,
}

impl Picture<'_> {
    /// The calls below each module to start from, with the provider configurations that reach each of them.
    pub fn outline(&self) -> String {
        outline::write(self)
    }

    /// The calls that lead to a module, from there up to those that nobody calls.
    pub fn callers(&self, of: Node<'_>) -> String {
        callers::write(self, of)
    }

    /// Everything, as a JSON document.
    pub fn document(&self) -> String {
        crate::report::escape::to_string(&document::Document::of(self))
    }

    /// Modules and calls as a graph, for a program that draws it.
    pub fn drawing(&self, drawing: Drawing) -> String {
        graph::write(self, drawing)
    }

    /// The name of the directory of a module.
    fn name(&self, node: Node<'_>) -> String {
        one_line(&self.style.names.of(&node.module().directory)).into_owned()
    }

    /// The same where it starts a line.
    fn name_at_line_start(&self, node: Node<'_>) -> String {
        path_at_line_start(&node.module().directory, &self.style.names)
    }

    fn is_kept(&self, directory: &str) -> bool {
        self.kept.as_ref().is_none_or(|kept| kept.contains(directory))
    }

    /// The calls of a module that are to be shown.
    fn calls<'n>(&self, node: Node<'n>) -> Vec<(&'n ModuleCall, Callee)> {
        let is_shown = |(call, callee): &(&ModuleCall, Callee)| match (callee, &self.kept) {
            (_, None) => true,
            (Callee::Module(id), Some(_)) => self.is_kept(&node.graph().node(*id).module().directory),
            (Callee::Missing, Some(_)) => self.is_gone(node, call),
            (Callee::Outside | Callee::Opaque, Some(_)) => false,
        };
        node.calls().filter(is_shown).collect()
    }

    /// Whether a call leads to a directory that a change takes away.
    fn is_gone(&self, node: Node<'_>, call: &ModuleCall) -> bool {
        node.named_by(call).is_some_and(|path| self.changed.contains(path.as_str()))
    }

    /// What a call leads to: the directory of a module, or what is written.
    fn target(&self, node: Node<'_>, call: &ModuleCall, callee: Callee) -> String {
        if let Callee::Module(id) = callee {
            return self.name(node.graph().node(id));
        }
        let written = |attribute: &Attribute| {
            let value = crate::value::text(&attribute.expr, &Limits::default(), &mut Vec::new());
            value.map_or_else(|| self.expression(attribute), |value| one_line(&value).into_owned())
        };
        let source = call.address.source.as_deref().map(written).unwrap_or_default();
        match call.address.version.as_deref().map(written) {
            Some(version) => format!("{source} {version}"),
            None => source,
        }
    }

    /// What an argument is set to, on one line.
    fn expression(&self, attribute: &Attribute) -> String {
        let text = self.sources.slice(attribute.expr.span);
        one_line(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
    }

    /// What makes a call more or less than one plain call.
    fn repetition(&self, call: &ModuleCall) -> Vec<(&'static str, String)> {
        let arguments = [("count", &call.count), ("for_each", &call.for_each), ("enabled", &call.enabled)];
        let set = arguments.into_iter().filter_map(|(name, argument)| Some((name, argument.as_deref()?)));
        set.map(|(name, argument)| (name, self.expression(argument))).collect()
    }

    /// The same in so many columns, each with two blanks before it.
    fn fitting_repetition(&self, call: &ModuleCall, width: usize) -> String {
        let cut = if self.style.unicode { "…" } else { "..." };
        let mut written = String::new();
        for (name, value) in self.repetition(call) {
            let left = width.saturating_sub(written.chars().count());
            let whole = format!("  {name} = {value}");
            if whole.chars().count() <= left {
                written.push_str(&whole);
                continue;
            }
            let shortest = name.len() + SHORTEST_VALUE;
            if left < shortest {
                written.push_str(&format!("  {name}"));
            } else {
                written.extend(whole.chars().take(left - cut.chars().count()));
                written.push_str(cut);
            }
        }
        written
    }

    /// File and line of a place.
    fn place(&self, span: crate::text::Span) -> String {
        let source = self.sources.get(span.file);
        let name = self.style.names.of(source.name());
        format!("{}:{}", one_line(&name), source.position(span.start).line)
    }
}

/// How much is told of modules on ways of calls; ways can be many more than modules, and one can be long.
const MOST_INSTANCES: usize = 250_000;

/// A value of which less than this could be shown is not worth showing.
const SHORTEST_VALUE: usize = 12;

/// How long a way of calls is followed.
const DEEPEST: usize = 200;

/// What shows what a module is there for, in words.
fn because(reason: Reason) -> String {
    match reason {
        Reason::Policy => "set by the policy".to_owned(),
        Reason::Former => "it had this role before the change".to_owned(),
        Reason::Under(name) => format!("it is under `{name}`"),
        Reason::Called => "other modules call it".to_owned(),
        Reason::LockFile => "it has a lock file".to_owned(),
        Reason::Values => "it has variable definition files".to_owned(),
        Reason::Run => "a test runs it".to_owned(),
        Reason::Terragrunt => "Terragrunt runs it".to_owned(),
        Reason::Storage => "it configures where the state is stored".to_owned(),
        Reason::Aliases => "it declares `configuration_aliases`".to_owned(),
        Reason::Provider => "it configures a provider".to_owned(),
        Reason::Library => "no directory of the repository looks like a root module".to_owned(),
        Reason::Uncalled => "no module calls it".to_owned(),
    }
}

//! Formats modules and their calls: as a tree for people, as a JSON document, or as a graph.

mod callers;
mod document;
mod graph;
mod outline;
mod provider_lines;

use std::collections::BTreeSet;
use std::hash::Hash;

use hashbrown::HashSet;
use smol_str::SmolStr;

use crate::engine::Engine;
use crate::graph::{Callee, Node};
use crate::limits::Limits;
use crate::module::declaration::ModuleCall;
use crate::report::drawing::Drawing;
use crate::report::sanitize::path_at_line_start;
use crate::report::{Style, one_line};
use crate::syntax::Attribute;
use crate::text::Sources;

/// The modules to show, and how.
#[derive(Debug)]
pub struct Picture<'a> {
    /// The modules to start from, each with its engine.
    pub tops: Vec<(Engine, Node<'a>)>,
    /// The directories of the modules to show, or `None` for all descendants of the first ones.
    pub kept: Option<BTreeSet<SmolStr>>,
    /// The directories that a change touches.
    pub changed: BTreeSet<SmolStr>,
    /// Whether to show every resource with its provider configuration.
    pub resources: bool,
    /// All texts.
    pub sources: &'a Sources,
    /// The style of the output.
    pub style: &'a Style,
}

impl<'a> Picture<'a> {
    /// The calls below each starting module, with the provider configurations that reach each of them.
    pub fn outline(&self) -> String {
        outline::write(self)
    }

    /// The call paths that lead to a module.
    pub fn callers(&self, of: Node<'_>) -> String {
        callers::write(self, of)
    }

    /// The JSON document.
    pub fn document(&self) -> String {
        crate::report::escape::to_string(&document::Document::of(self))
    }

    /// Modules and calls in a graph language.
    pub fn drawing(&self, drawing: Drawing) -> String {
        graph::of(self).write("modules", drawing)
    }

    /// The name of the directory of a module.
    fn name(&self, node: Node<'_>) -> String {
        one_line(&self.style.names.of(&node.module().directory)).into_owned()
    }

    /// Like [`Self::name`], for the start of a line.
    fn name_at_line_start(&self, node: Node<'_>) -> String {
        path_at_line_start(&node.module().directory, &self.style.names)
    }

    /// See [`MOST_PARTS`].
    fn most_parts(&self) -> usize {
        MOST_PARTS.max(PARTS_PER_MODULE * self.reached(|node| &node.module().directory).len())
    }

    fn is_kept(&self, directory: &str) -> bool {
        self.kept.as_ref().is_none_or(|kept| kept.contains(directory))
    }

    /// The modules that the first ones call, directly or not, with these. `key` tells modules apart.
    fn reached<K: Eq + Hash>(&self, key: impl Fn(Node<'a>) -> K) -> Vec<Node<'a>> {
        let mut next: Vec<Node<'a>> = self.tops.iter().map(|(_, top)| *top).collect();
        let (mut seen, mut reached) = (HashSet::new(), Vec::new());
        while let Some(node) = next.pop() {
            if seen.insert(key(node)) {
                next.extend(self.calls(node).into_iter().filter_map(|(call, _)| node.child(&call.name)));
                reached.push(node);
            }
        }
        reached
    }

    /// The calls of a module to show.
    fn calls<'n>(&self, node: Node<'n>) -> Vec<(&'n ModuleCall, Callee)> {
        self.shown_calls(node).collect()
    }

    fn shown_calls<'n>(&self, node: Node<'n>) -> impl Iterator<Item = (&'n ModuleCall, Callee)> {
        let is_shown = move |(call, callee): &(&ModuleCall, Callee)| match (callee, &self.kept) {
            (_, None) => true,
            (Callee::Module(id), Some(_)) => self.is_kept(&node.graph().node(*id).module().directory),
            (Callee::Missing, Some(_)) => self.is_gone(node, call),
            (Callee::Outside | Callee::Opaque, Some(_)) => false,
        };
        node.calls().filter(is_shown)
    }

    /// Whether there are calls of a module to show.
    fn has_calls(&self, node: Node<'_>) -> bool {
        self.shown_calls(node).next().is_some()
    }

    /// Whether a call leads to a directory that a change removes.
    fn is_gone(&self, node: Node<'_>, call: &ModuleCall) -> bool {
        node.source_directory(call).is_some_and(|path| self.changed.contains(path.as_str()))
    }

    /// The target of a call: the directory of a module, or the source as written.
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

    /// The value of an argument on one line.
    fn expression(&self, attribute: &Attribute) -> String {
        let text = self.sources.slice(attribute.expr.span);
        one_line(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
    }

    /// The arguments that repeat a call or make it conditional.
    fn repetition(&self, call: &ModuleCall) -> Vec<(&'static str, String)> {
        let arguments = [("count", &call.count), ("for_each", &call.for_each), ("enabled", &call.enabled)];
        let set = arguments.into_iter().filter_map(|(name, argument)| Some((name, argument.as_deref()?)));
        set.map(|(name, argument)| (name, self.expression(argument))).collect()
    }

    /// The same, limited to this many columns, each with two spaces before it.
    fn fitting_repetition(&self, call: &ModuleCall, width: usize) -> String {
        let cut = self.style.ellipsis();
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

    /// File and line of a span.
    fn place(&self, span: crate::text::Span) -> String {
        let source = self.sources.get(span.file);
        let name = self.style.names.of(source.name());
        format!("{}:{}", one_line(&name), source.position(span.start).line)
    }
}

/// The parts of the output about call paths: modules on the paths, and provider configurations that reach them. There can
/// be many more paths than modules, and paths can be long. For many modules, the limit is higher.
const MOST_PARTS: usize = 250_000;

/// See [`MOST_PARTS`].
const PARTS_PER_MODULE: usize = 100;

/// A value is only shown if at least this many columns are available.
const SHORTEST_VALUE: usize = 12;

/// The maximal length of a call path.
const DEEPEST: usize = 200;

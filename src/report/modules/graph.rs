//! Writes modules and their calls in a graph language. Names of directories and calls are escaped.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::provider_lines::{Names, Placed};
use super::{DEEPEST, MOST_INSTANCES, Picture};
use crate::graph::{Callee, Node, Role};
use crate::report::one_line;

/// A graph language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drawing {
    /// Graphviz.
    Dot,
    /// Mermaid, which many repository hosts render in Markdown.
    Mermaid,
}

/// The contents of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    /// The role, if it is a module of this repository.
    role: Option<Role>,
    is_changed: bool,
}

/// The nodes and edges, by name.
#[derive(Debug, Default)]
struct Graph {
    boxes: BTreeMap<String, Shape>,
    /// The provider configurations that reach each module by any call path.
    providers: BTreeMap<String, Vec<String>>,
    /// The edges with their labels.
    arrows: BTreeMap<(String, String), Vec<String>>,
}

/// The graph of all modules to show.
pub(super) fn write(picture: &Picture<'_>, drawing: Drawing) -> String {
    let graph = Graph::of(picture);
    match drawing {
        Drawing::Dot => graph.dot(),
        Drawing::Mermaid => graph.mermaid(),
    }
}

impl Graph {
    fn of(picture: &Picture<'_>) -> Self {
        let mut graph = Self::default();
        let mut next: Vec<Node<'_>> = picture.tops.iter().map(|(_, top)| *top).collect();
        while let Some(node) = next.pop() {
            let name = picture.name(node);
            let is_changed = picture.changed.contains(&node.module().directory);
            if graph.boxes.insert(name.clone(), Shape { role: Some(node.role()), is_changed }).is_some() {
                continue;
            }
            for (call, callee) in picture.calls(node) {
                let target = picture.target(node, call, callee);
                match callee {
                    Callee::Module(id) => next.push(node.graph().node(id)),
                    Callee::Missing | Callee::Outside | Callee::Opaque => {
                        let is_changed = picture.is_gone(node, call);
                        graph.boxes.entry(target.clone()).or_insert(Shape { role: None, is_changed });
                    }
                }
                let mut words = vec![one_line(&call.name).into_owned()];
                words.extend(picture.repetition(call).iter().map(|(name, _)| (*name).to_owned()));
                words.extend(call.providers.iter().map(|passed| {
                    one_line(&format!("{} = {}", passed.in_child.compact(), passed.in_parent.compact()))
                        .into_owned()
                }));
                graph.arrows.entry((name.clone(), target)).or_default().push(words.join(", "));
            }
        }
        let names = Names::of(picture);
        let mut seen = HashSet::new();
        for (_, top) in &picture.tops {
            graph.reach(picture, &names, &Placed::top(*top), &mut seen);
        }
        graph
    }

    /// Adds the provider configurations of a module and its descendants, once for all call paths with equal output.
    fn reach(&mut self, picture: &Picture<'_>, names: &Names, placed: &Placed<'_>, seen: &mut HashSet<u64>) {
        if placed.levels.len() > DEEPEST || seen.len() >= MOST_INSTANCES || !seen.insert(placed.likeness()) {
            return;
        }
        let lines = picture.provider_lines(placed, names);
        let known = self.providers.entry(picture.name(placed.node)).or_default();
        let mut lines = lines.iter().map(|line| line.text().to_owned()).peekable();
        while let Some(mut line) = lines.next() {
            while let Some(users) = lines.next_if(|next| next.starts_with(' ')) {
                line.push('\n');
                line.push_str(users.trim_start());
            }
            if !known.contains(&line) {
                known.push(line);
            }
        }
        for (call, _) in picture.calls(placed.node) {
            if let Some(called) = placed.called(call).filter(|called| !placed.leads_through(called.node)) {
                self.reach(picture, names, &called, seen);
            }
        }
    }

    /// The lines of a node: the name, and the provider configurations.
    fn lines(&self, name: &str) -> Vec<String> {
        let providers = self.providers.get(name).into_iter().flatten();
        std::iter::once(name.to_owned())
            .chain(providers.flat_map(|line| line.lines()).map(str::to_owned))
            .collect()
    }

    fn dot(&self) -> String {
        let mut text = "digraph modules {\n  rankdir=LR;\n  node [shape=box, style=rounded];\n".to_owned();
        for (name, shape) in &self.boxes {
            let role = match shape.role {
                Some(Role::Root) => ", style=\"rounded,bold\"",
                Some(Role::Shared) => "",
                Some(Role::Example | Role::Test) => ", style=\"rounded,dotted\"",
                None => ", style=dashed",
            };
            let changed = if shape.is_changed { ", color=red" } else { "" };
            let label = in_dot(&self.lines(name).join("\n"));
            text.push_str(&format!("  {} [label={label}{role}{changed}];\n", in_dot(name)));
        }
        for ((from, to), words) in &self.arrows {
            let label = in_dot(&words.join("\n"));
            text.push_str(&format!("  {} -> {} [label={label}];\n", in_dot(from), in_dot(to)));
        }
        text + "}\n"
    }

    fn mermaid(&self) -> String {
        let numbers: HashMap<&String, usize> = self.boxes.keys().zip(0..).collect();
        let number = |name: &String| numbers.get(name).copied().unwrap_or_default();
        let mut text = "flowchart LR\n".to_owned();
        for (name, shape) in &self.boxes {
            let lines: Vec<String> = self.lines(name).iter().map(|line| in_mermaid(line)).collect();
            let label = lines.join("<br>");
            let drawn = match shape.role {
                Some(Role::Root) => format!("[[\"{label}\"]]"),
                Some(Role::Shared | Role::Example | Role::Test) => format!("[\"{label}\"]"),
                None => format!("([\"{label}\"])"),
            };
            let changed = if shape.is_changed { ":::changed" } else { "" };
            text.push_str(&format!("  n{}{drawn}{changed}\n", number(name)));
        }
        for ((from, to), words) in &self.arrows {
            let words: Vec<String> = words.iter().map(|words| in_mermaid(words)).collect();
            text.push_str(&format!("  n{} -->|\"{}\"| n{}\n", number(from), words.join("<br>"), number(to)));
        }
        if self.boxes.values().any(|shape| shape.is_changed) {
            text.push_str("  classDef changed stroke:#c00\n");
        }
        text
    }
}

/// A quoted Graphviz string, in which backslashes are escaped.
pub(in crate::report) fn in_dot(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

/// The content of a quoted Mermaid string: special characters are written as numeric entities.
pub(in crate::report) fn in_mermaid(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for c in text.chars() {
        let is_plain = c.is_alphanumeric() || " ./_-,:=".contains(c);
        if is_plain { written.push(c) } else { written.push_str(&format!("#{};", u32::from(c))) }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_nothing_but_text() {
        assert_eq!(in_dot("a\"b\\c\nd"), r#""a\"b\\c\nd""#);
        assert_eq!(in_mermaid("a\"]--> b<br>#`é"), "a#34;#93;--#62; b#60;br#62;#35;#96;é");
    }
}

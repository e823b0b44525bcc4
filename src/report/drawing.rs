//! Writes a graph in a graph language. All text in it is escaped.

use std::collections::BTreeMap;

use hashbrown::HashMap;

/// A graph language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drawing {
    /// Graphviz.
    Dot,
    /// Mermaid, which many repository hosts render in Markdown.
    Mermaid,
}

/// A graph of nodes by name.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) nodes: BTreeMap<String, GraphNode>,
    /// The edges with the lines of their labels.
    pub(super) edges: BTreeMap<(String, String), Vec<String>>,
}

/// A node of a graph.
#[derive(Debug)]
pub(super) struct GraphNode {
    /// The lines of the label after the name.
    pub(super) lines: Vec<String>,
    pub(super) shape: Shape,
    pub(super) is_changed: bool,
}

/// How a node is drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Shape {
    /// Further attributes in Graphviz.
    pub(super) dot: &'static str,
    /// The brackets in Mermaid.
    pub(super) mermaid: (&'static str, &'static str),
}

impl Shape {
    /// Something outside the repository.
    pub(super) const OUTSIDE: Self = Self { dot: ", style=dashed", mermaid: ("([", "])") };
}

impl Graph {
    /// Writes the graph; `name` is its name in Graphviz.
    pub(super) fn write(&self, name: &str, drawing: Drawing) -> String {
        match drawing {
            Drawing::Dot => self.dot(name),
            Drawing::Mermaid => self.mermaid(),
        }
    }

    fn dot(&self, name: &str) -> String {
        let mut text = format!("digraph {name} {{\n  rankdir=LR;\n  node [shape=box, style=rounded];\n");
        for (name, GraphNode { lines, shape, is_changed }) in &self.nodes {
            let changed = if *is_changed { ", color=red" } else { "" };
            let label = in_dot(&[std::slice::from_ref(name), lines].concat().join("\n"));
            text.push_str(&format!("  {} [label={label}{}{changed}];\n", in_dot(name), shape.dot));
        }
        for ((from, to), lines) in &self.edges {
            let label = in_dot(&lines.join("\n"));
            text.push_str(&format!("  {} -> {} [label={label}];\n", in_dot(from), in_dot(to)));
        }
        text + "}\n"
    }

    fn mermaid(&self) -> String {
        let numbers: HashMap<&String, usize> = self.nodes.keys().zip(0..).collect();
        let number = |name: &String| numbers.get(name).copied().unwrap_or_default();
        let label =
            |lines: &[String]| lines.iter().map(|line| in_mermaid(line)).collect::<Vec<_>>().join("<br>");
        let mut text = "flowchart LR\n".to_owned();
        for (name, GraphNode { lines, shape, is_changed }) in &self.nodes {
            let label = label(&[std::slice::from_ref(name), lines].concat());
            let ((open, close), changed) = (shape.mermaid, if *is_changed { ":::changed" } else { "" });
            text.push_str(&format!("  n{}{open}\"{label}\"{close}{changed}\n", number(name)));
        }
        for ((from, to), lines) in &self.edges {
            let label = if lines.is_empty() { String::new() } else { format!("|\"{}\"|", label(lines)) };
            text.push_str(&format!("  n{} -->{label} n{}\n", number(from), number(to)));
        }
        if self.nodes.values().any(|node| node.is_changed) {
            text.push_str("  classDef changed stroke:#c00\n");
        }
        text
    }
}

/// A quoted Graphviz string, in which backslashes are escaped.
fn in_dot(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

/// The content of a quoted Mermaid string: special characters are written as numeric entities.
fn in_mermaid(text: &str) -> String {
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

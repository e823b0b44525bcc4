//! Writes the states of root modules for people and for programs, or as a graph.

use std::collections::BTreeMap;

use serde::Serialize;
use smol_str::SmolStr;

use super::drawing::{Drawing, Graph, GraphNode, Shape};
use super::sanitize::path_at_line_start;
use super::{Style, escape, from_top, one_line};
use crate::check::{Certainty, RootState, StateRead};
use crate::rules::BackendReplacement;
use crate::text::counted;

/// For people: each root module with its state, and below it the states that it reads.
pub fn human(states: &[RootState], style: &Style) -> String {
    let mut text = String::new();
    for state in states {
        let name = path_at_line_start(&state.directory, &style.names);
        text.push_str(&format!(
            "{name}  {}{}\n",
            address(&state.backend, &state.arguments),
            remark(&state.certainty, style)
        ));
        for other in &state.shared_with {
            text.push_str(&format!("   same state as {}\n", shown(other, style)));
        }
        for read in &state.reads {
            text.push_str(&format!("   reads {}\n", one_line(&read_line(read, state, style))));
        }
    }
    let reads: usize = states.iter().map(|state| state.reads.len()).sum();
    text.push_str(&format!(
        "\n{}, {} through `terraform_remote_state`\n",
        counted(states.len(), "root module"),
        counted(reads, "read")
    ));
    text
}

fn read_line(read: &StateRead, state: &RootState, style: &Style) -> String {
    let from = match (&read.roots[..], &read.address) {
        ([], Some((backend, arguments))) => {
            format!("{} (kept by no root module here)", address(backend, arguments))
        }
        ([], None) => "a state whose address is not known before a plan".to_owned(),
        (roots, _) => roots.iter().map(|root| shown(root, style)).collect::<Vec<_>>().join(" or "),
    };
    let outputs: Vec<String> = read.outputs.iter().map(|name| output(read, name)).collect();
    let outputs = if outputs.is_empty() { String::new() } else { format!(": {}", outputs.join(", ")) };
    let place = if read.module == state.directory {
        String::new()
    } else {
        format!("  (in {})", shown(&read.module, style))
    };
    format!("{from}{outputs}{place}")
}

/// An output, with a remark if it is not declared.
fn output(read: &StateRead, name: &SmolStr) -> String {
    if read.undeclared.contains(name) { format!("{name} (not declared there)") } else { name.to_string() }
}

fn address(backend: &str, arguments: &BTreeMap<SmolStr, SmolStr>) -> String {
    let arguments = arguments.iter().map(|(name, value)| format!(" {name}={value}"));
    one_line(&format!("{backend}{}", arguments.collect::<String>())).into_owned()
}

fn remark(certainty: &Certainty, style: &Style) -> String {
    match certainty {
        Certainty::Known => String::new(),
        Certainty::Partial { missing, unclear } => {
            let parts =
                [(missing, "set"), (unclear, "known")].into_iter().filter(|(names, _)| !names.is_empty());
            let parts = parts.map(|(names, what)| {
                format!("{} {} not {what}", names.join(", "), if names.len() == 1 { "is" } else { "are" })
            });
            format!("  (partial: {})", parts.collect::<Vec<_>>().join(", "))
        }
        Certainty::Replaceable(BackendReplacement::BackendConfig(path)) => {
            format!(
                "  (unknown: `init -backend-config` may replace the arguments, see {})",
                shown(path, style)
            )
        }
        Certainty::Replaceable(BackendReplacement::Terragrunt(Some(unit))) => {
            format!("  (unknown: Terragrunt may generate another backend, see {})", shown(unit, style))
        }
        Certainty::Replaceable(BackendReplacement::Terragrunt(None)) => {
            "  (unknown: Terragrunt runs this module and may generate another backend)".to_owned()
        }
        Certainty::Unclear => {
            "  (unknown: a file cannot be read, or the path leads out of the repository)".to_owned()
        }
        Certainty::UnknownBackend => "  (unknown: overrule does not know this backend)".to_owned(),
    }
}

fn shown(directory: &str, style: &Style) -> String {
    one_line(&style.names.of(directory)).into_owned()
}

/// As a graph: root modules, and an arrow from each to the states that it reads.
pub fn drawing(states: &[RootState], style: &Style, drawing: Drawing) -> String {
    let mut graph = Graph::default();
    for state in states {
        let name = shown(&state.directory, style);
        let line =
            format!("{}{}", address(&state.backend, &state.arguments), remark(&state.certainty, style));
        let root = GraphNode { lines: vec![line], shape: ROOT, is_changed: false };
        graph.nodes.insert(name.clone(), root);
        for read in &state.reads {
            let targets: Vec<String> = match (&read.roots[..], &read.address) {
                ([], Some((backend, arguments))) => vec![address(backend, arguments)],
                ([], None) => vec!["unknown state".to_owned()],
                (roots, _) => roots.iter().map(|root| shown(root, style)).collect(),
            };
            for target in targets {
                let other = GraphNode { lines: Vec::new(), shape: Shape::OUTSIDE, is_changed: false };
                graph.nodes.entry(target.clone()).or_insert(other);
                let outputs = graph.edges.entry((name.clone(), target)).or_default();
                outputs.extend(read.outputs.iter().map(|name| output(read, name)));
                outputs.sort_unstable();
                outputs.dedup();
            }
        }
    }
    graph.write("states", drawing)
}

const ROOT: Shape = Shape { dot: "", mermaid: ("[[", "]]") };

/// For programs.
pub fn json(states: &[RootState]) -> String {
    let paths = |directories: &[SmolStr]| directories.iter().map(|path| from_top(path)).collect::<Vec<_>>();
    let read = |read: &StateRead| Read {
        data: format!("data.terraform_remote_state.{}", read.name),
        module: from_top(&read.module),
        backend: read.address.as_ref().map(|(backend, _)| backend.to_string()),
        arguments: read.address.as_ref().map(|(_, arguments)| texts(arguments)),
        roots: paths(&read.roots),
        outputs: read.outputs.iter().map(ToString::to_string).collect(),
        undeclared: read.undeclared.iter().map(ToString::to_string).collect(),
    };
    let root = |state: &RootState| Root {
        module: from_top(&state.directory),
        backend: state.backend.to_string(),
        arguments: texts(&state.arguments),
        certainty: match state.certainty {
            Certainty::Known => "known",
            Certainty::Partial { .. } => "partial",
            Certainty::Replaceable(_) | Certainty::Unclear | Certainty::UnknownBackend => "unknown",
        },
        missing: match &state.certainty {
            Certainty::Partial { missing, unclear } => {
                missing.iter().chain(unclear).map(ToString::to_string).collect()
            }
            Certainty::Known | Certainty::Replaceable(_) | Certainty::Unclear | Certainty::UnknownBackend => {
                Vec::new()
            }
        },
        replaced_by: match &state.certainty {
            Certainty::Replaceable(BackendReplacement::BackendConfig(path)) => Some(path.clone()),
            Certainty::Replaceable(BackendReplacement::Terragrunt(unit)) => unit.clone(),
            Certainty::Known | Certainty::Partial { .. } | Certainty::Unclear | Certainty::UnknownBackend => {
                None
            }
        },
        shared_with: paths(&state.shared_with),
        reads: state.reads.iter().map(read).collect(),
    };
    escape::to_string(&Document { format_version: "1.0", roots: states.iter().map(root).collect() })
}

fn texts(arguments: &BTreeMap<SmolStr, SmolStr>) -> BTreeMap<String, String> {
    arguments.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
}

#[derive(Debug, Serialize)]
struct Document {
    format_version: &'static str,
    roots: Vec<Root>,
}

#[derive(Debug, Serialize)]
struct Root {
    module: String,
    backend: String,
    arguments: BTreeMap<String, String>,
    certainty: &'static str,
    missing: Vec<String>,
    /// The file or directory that may replace the backend or its arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced_by: Option<String>,
    shared_with: Vec<String>,
    reads: Vec<Read>,
}

#[derive(Debug, Serialize)]
struct Read {
    data: String,
    module: String,
    backend: Option<String>,
    arguments: Option<BTreeMap<String, String>>,
    roots: Vec<String>,
    outputs: Vec<String>,
    undeclared: Vec<String>,
}

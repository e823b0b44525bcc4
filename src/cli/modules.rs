//! `overrule modules`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use smol_str::SmolStr;

use super::stream::err;
use super::terminal::Terminal;
use super::{ENGINE_HELP, Failure, place, policy, say, state};
use crate::check::{Analysis, RootState, readers, state_map};
use crate::engine::{Choice, Engine};
use crate::graph::{Callee, Node};
use crate::module::declaration::ModuleCall;
use crate::report::modules::Picture;
use crate::report::{Drawing, Style, states};
use crate::session::terragrunt::ChangedUnits;
use crate::vfs::{Change, Snapshot, ancestors};

/// The arguments of `modules`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Directories whose modules are shown, with the modules that they call [default: the whole repository, or the
    /// current directory outside a repository]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
    /// Show the callers of this module, up to the root modules
    #[arg(long, value_name = "MODULE", conflicts_with_all = ["paths", "impact"])]
    callers: Option<PathBuf>,
    /// Show the modules with staged changes, and their callers
    #[arg(long, conflicts_with_all = ["staged", "rev"])]
    impact: bool,
    /// Show every resource with the provider configuration that it uses
    #[arg(long, conflicts_with = "callers")]
    resources: bool,
    /// Show where each root module keeps its state, and which states it reads through `terraform_remote_state`
    #[arg(long = "state", conflicts_with_all = ["callers", "impact", "resources"])]
    states: bool,
    #[arg(long, value_name = "ENGINE", value_parser = Choice::parse, help = ENGINE_HELP)]
    engine: Option<Choice>,
    #[command(flatten)]
    state: state::Arguments,
    #[command(flatten)]
    policy: policy::Arguments,
}

/// The formats of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A tree
    Human,
    /// A document for programs
    Json,
    /// A graph for Graphviz
    Dot,
    /// A graph for Mermaid
    Mermaid,
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments, terminal: &Terminal) -> Result<ExitCode, Failure> {
    let current = place::current()?;
    let (mut snapshot, changed) = open(arguments, &current)?;
    let asked = arguments.paths.iter().chain(&arguments.callers).zip(snapshot.scope());
    place::are_directories(asked, |path| snapshot.has_directory(path))?;
    let (policy, _) = arguments.policy.load("shown", &current, &mut snapshot, terminal)?;
    let analysis = Analysis::of(&mut snapshot, arguments.engine.as_ref(), &policy);
    arguments.state.has_files(&snapshot, |_| true)?;
    let style = terminal.style(place::names(&current, snapshot.top()));
    let (sources, scope) = (snapshot.sources(), snapshot.scope());
    if arguments.states {
        let states = state_map(&analysis, &snapshot, scope);
        if states.is_empty() {
            err("note: no root module was found\n");
        }
        return say(&shown_states(&states, &style, arguments.format));
    }
    let resources = arguments.resources;
    let mut picture = Picture { tops: Vec::new(), kept: None, changed, resources, sources, style: &style };
    let all: Vec<(Engine, Node<'_>)> =
        analysis.views().flat_map(|view| view.modules().map(move |node| (view.engine, node))).collect();
    let called = arguments.callers.is_some().then(|| all.iter().find(|(_, node)| is_at(node, scope)));
    if let Some(called) = called {
        let (_, node) = called.ok_or_else(|| {
            let shown = arguments.callers.iter().map(|path| path.to_string_lossy()).collect::<String>();
            Failure::new(format!("`{}` contains no module", crate::report::one_line(&shown)))
                .help("`overrule modules` lists all modules")
        })?;
        picture.kept = Some(leading_to(vec![*node]));
        picture.tops = tops(&all, &[String::new()], picture.kept.as_ref());
        return say(&match arguments.format {
            Format::Human => picture.callers(*node),
            format => shown(&picture, format),
        });
    }
    if arguments.impact {
        let touched = all.iter().map(|(_, node)| *node).filter(|node| is_touched(*node, &picture.changed));
        picture.kept = Some(leading_to(touched.collect()));
    }
    picture.tops = tops(&all, scope, picture.kept.as_ref());
    if picture.tops.is_empty() {
        if arguments.impact {
            err("note: no staged file belongs to a module\n");
        } else {
            err(&place::no_module(&snapshot, &current));
        }
    }
    say(&shown(&picture, arguments.format))
}

/// The files to show, and the directories that staged changes affect, if those are shown.
fn open(arguments: &Arguments, current: &Path) -> Result<(Snapshot, BTreeSet<SmolStr>), Failure> {
    let mut changed = BTreeSet::new();
    let snapshot = if arguments.impact {
        let change = Change::staged(current)?;
        let touched = change.touched()?.into_iter().chain(ChangedUnits::of(&change).touched);
        changed = touched.chain(readers(&change)?.into_keys()).map(SmolStr::from).collect();
        Snapshot::listed_in_index(current)?.asked(current, &arguments.paths)?
    } else {
        let paths = arguments.callers.as_ref().map_or(&arguments.paths[..], std::slice::from_ref);
        arguments.state.open(current, paths)?
    };
    Ok((snapshot, changed))
}

fn shown_states(states: &[RootState], style: &Style, format: Format) -> String {
    match format {
        Format::Human => states::human(states, style),
        Format::Json => states::json(states),
        Format::Dot => states::drawing(states, style, Drawing::Dot),
        Format::Mermaid => states::drawing(states, style, Drawing::Mermaid),
    }
}

fn shown(picture: &Picture<'_>, format: Format) -> String {
    match format {
        Format::Human => picture.outline(),
        Format::Json => picture.document(),
        Format::Dot => picture.drawing(Drawing::Dot),
        Format::Mermaid => picture.drawing(Drawing::Mermaid),
    }
}

fn is_at(node: &Node<'_>, scope: &[String]) -> bool {
    scope.iter().any(|path| *path == node.module().directory)
}

/// Whether a change touches a module or removes a module that it calls.
fn is_touched(node: Node<'_>, changed: &BTreeSet<SmolStr>) -> bool {
    let loses = |(call, callee): (&ModuleCall, Callee)| {
        let path = node.source_directory(call).filter(|_| callee == Callee::Missing);
        path.is_some_and(|path| changed.contains(path.as_str()))
    };
    changed.contains(&node.module().directory) || node.calls().any(loses)
}

/// The directories of modules and of all their callers, direct or not.
fn leading_to(nodes: Vec<Node<'_>>) -> BTreeSet<SmolStr> {
    let mut directories = BTreeSet::new();
    let mut next = nodes;
    while let Some(node) = next.pop() {
        if directories.insert(node.module().directory.clone()) {
            next.extend(node.callers().map(|(caller, _)| caller));
        }
    }
    directories
}

/// The modules to start from: those in scope that no other one in scope calls, directly or not.
fn tops<'t>(
    all: &[(Engine, Node<'t>)],
    scope: &[String],
    kept: Option<&BTreeSet<SmolStr>>,
) -> Vec<(Engine, Node<'t>)> {
    let is_in_scope = |directory: &str| {
        let above = || ancestors(directory);
        scope.iter().any(|path| above().any(|above| above == path))
    };
    let is_shown = |node: &Node<'_>| {
        let directory = &node.module().directory;
        is_in_scope(directory) && kept.is_none_or(|kept| kept.contains(directory))
    };
    let mut tops: Vec<(Engine, Node<'t>)> = Vec::new();
    let mut reached: BTreeSet<SmolStr> = BTreeSet::new();
    let mut add = |engine: Engine, node: Node<'t>| {
        if reached.contains(&node.module().directory) {
            return;
        }
        tops.push((engine, node));
        let mut next = vec![node];
        while let Some(node) = next.pop() {
            if reached.insert(node.module().directory.clone()) {
                next.extend(node.child_calls().map(|(_, child)| child));
            }
        }
    };
    let shown = || all.iter().filter(|(_, node)| is_shown(node));
    for (engine, node) in shown().filter(|(_, node)| !node.callers().any(|(caller, _)| is_shown(&caller))) {
        add(*engine, *node);
    }
    // In a cycle of calls, every module has a caller.
    for (engine, node) in shown() {
        add(*engine, *node);
    }
    tops.sort_by(|(_, a), (_, b)| a.module().directory.cmp(&b.module().directory));
    tops
}

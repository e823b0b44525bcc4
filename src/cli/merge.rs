//! `overrule merge`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;

use super::stream::{err, out};
use super::terminal::Terminal;
use super::{Failure, exit_code, place, policy, shell, state};
use crate::check::{Analysis, EngineView};
use crate::engine::{Choice, FileKind, Product};
use crate::finding::has_errors;
use crate::graph::Node;
use crate::report::merged::{self, MergeStyle};
use crate::report::one_line;
use crate::text::nearest;
use crate::vfs::Snapshot;

/// The arguments of `merge`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Directory of the module
    #[arg(value_name = "DIR", default_value = ".")]
    directory: PathBuf,
    /// Print the changes that override files make, as a diff
    #[arg(long, conflicts_with = "format")]
    diff: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "hcl")]
    format: Format,
    /// Print only this block, such as `aws_instance.web`, `variable.region` or `terraform`
    #[arg(long, value_name = "ADDRESS")]
    block: Option<String>,
    /// Leave out the comments that name origins
    #[arg(long)]
    no_comments: bool,
    /// Engine to read the module for: `terraform`, `opentofu`, one with a version (`terraform@1.11`), or `both`, which prints the result for Terraform, and a note if the result for OpenTofu differs [default: `engine` of the policy; otherwise the engine that the files of a module indicate, or both]
    #[arg(long, value_name = "ENGINE", value_parser = Choice::parse)]
    engine: Option<Choice>,
    #[command(flatten)]
    state: state::Arguments,
    #[command(flatten)]
    policy: policy::Arguments,
}

/// The formats of a merged module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The merged configuration
    Hcl,
    /// Every argument with its origin and its previous value
    Json,
}

/// Runs the command. The exit code is 1 if the engine would refuse the module.
pub(super) fn run(arguments: &Arguments, terminal: &Terminal) -> Result<ExitCode, Failure> {
    let current = place::current()?;
    let mut snapshot = arguments.state.open(&current, std::slice::from_ref(&arguments.directory))?;
    place::are_directories([(&arguments.directory, &snapshot.scope()[0])], |path| {
        snapshot.has_directory(path)
    })?;
    // Findings name a variable as references do.
    let block = arguments.block.as_ref().map(|block| match block.strip_prefix("var.") {
        Some(name) => format!("variable.{name}"),
        None => block.clone(),
    });
    let (policy, _) = arguments.policy.load("merged", &current, &mut snapshot, terminal)?;
    let analysis = Analysis::of(&mut snapshot, arguments.engine.as_ref(), &policy);
    arguments
        .state
        .has_files(&snapshot, |directory| snapshot.scope().iter().any(|asked| asked == directory))?;
    let seen = seen(&analysis, &snapshot);
    let is_sound = |(view, node): &&(EngineView<'_>, Node<'_>)| !has_errors(view.findings(*node));
    let Some((view, node)) = seen.iter().find(is_sound).or(seen.first()) else {
        return Err(no_module(&arguments.directory));
    };
    let style = MergeStyle {
        comments: !arguments.no_comments,
        color: terminal.color,
        unicode: terminal.unicode,
        only: block.clone(),
        names: place::names(&current, snapshot.top()),
    };
    let write = |view: EngineView<'_>, node: Node<'_>, style: &MergeStyle| {
        let merged = view.merged(node, &snapshot);
        let (module, sources) = (node.module(), snapshot.sources());
        match arguments.format {
            Format::Json => merged::document(module, &merged, sources, style),
            Format::Hcl if arguments.diff => merged::difference(module, &merged, sources, style),
            Format::Hcl => merged::text(module, &merged, sources, style),
        }
    };
    if let Some(block) = &block {
        let known = merged::addresses(&view.merged(*node, &snapshot));
        if !known.contains(block) {
            return Err(no_block(block, &known));
        }
    }
    let text = write(*view, *node, &style);
    out(&text)?;
    if arguments.format == Format::Hcl {
        let plain = MergeStyle { comments: false, color: false, ..style };
        let ours = write(*view, *node, &plain);
        let others = seen.iter().filter(|(other, _)| other.engine != view.engine);
        for (other, _) in others.filter(|(view, node)| write(*view, *node, &plain) != ours) {
            note_of_difference(other.engine.product);
        }
    }
    let files = view.files(*node, &snapshot);
    if files.iter().all(|file| file.kind == FileKind::Primary) {
        err("note: this module has no override files\n");
    }
    let is_refused = has_errors(view.findings(*node));
    if is_refused {
        err(&format!(
            "note: {} rejects this module: run `overrule check {}` for the errors\n",
            view.engine.product.name(),
            shell::word(&arguments.directory)
        ));
    }
    Ok(exit_code(is_refused))
}

/// Says that another product merges the module differently.
fn note_of_difference(other: Product) {
    let (name, word) = (other.name(), other.word());
    err(&format!("note: {name} merges this module differently: use `--engine {word}` to print that\n"));
}

/// The module for each engine that it is written for.
fn seen<'s>(analysis: &'s Analysis, snapshot: &Snapshot) -> Vec<(EngineView<'s>, Node<'s>)> {
    let is_asked_for = |node: &Node<'_>| snapshot.scope().iter().any(|path| *path == node.module().directory);
    let of_view = |view: EngineView<'s>| Some((view, view.modules().find(is_asked_for)?));
    analysis.views().filter_map(of_view).collect()
}

fn no_module(directory: &Path) -> Failure {
    let shown = one_line(&directory.to_string_lossy()).into_owned();
    Failure::new(format!("`{shown}` contains no Terraform or OpenTofu module"))
        .help("`overrule modules` lists all modules")
}

fn no_block(block: &str, known: &[String]) -> Failure {
    Failure::new(format!("the module has no block `{}`", one_line(block)))
        .help("run `overrule merge` without `--block` to see all blocks")
        .meant(nearest(block, known.iter().map(String::as_str)))
}

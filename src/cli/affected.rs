//! `overrule affected`: the root modules whose plan a change can affect.

use std::process::ExitCode;

use clap::ValueEnum;

use super::stream::err;
use super::terminal::Terminal;
use super::{ENGINE_HELP, Failure, change_options, place, policy, say};
use crate::check::{self, Asked};
use crate::engine::Choice;
use crate::graph::Role;
use crate::report::affected;

/// The arguments of `affected`.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Arguments {
    #[command(flatten)]
    base: change_options::Arguments,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
    /// List the affected test files instead of root modules
    #[arg(long)]
    tests: bool,
    /// Also list modules with the role `example` or `test`; a `role` block of the policy sets a role
    #[arg(long)]
    examples: bool,
    #[arg(long, value_name = "ENGINE", value_parser = Choice::parse, help = ENGINE_HELP)]
    engine: Option<Choice>,
    #[command(flatten)]
    policy: policy::Arguments,
}

/// The formats of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One line per module, with the reason
    Human,
    /// A document for programs
    Json,
    /// One path per line
    Paths,
    /// The matrix of a job in GitHub Actions
    GithubMatrix,
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments, terminal: &Terminal) -> Result<ExitCode, Failure> {
    if arguments.tests && arguments.format == Format::GithubMatrix {
        return Err(Failure::new("`--format github-matrix` lists directories to plan, not test files")
            .help("use `--tests` with `--format paths` or `--format json`"));
    }
    let current = place::current()?;
    let change = arguments.base.change(&current)?;
    let mut snapshot = change.unread();
    let (policy, _) = arguments.policy.load("compared", &current, &mut snapshot, terminal)?;
    let asked = Asked { policy: &policy, texts: snapshot.sources(), choice: arguments.engine.as_ref() };
    let mut affected = check::affected(&change, asked)?;
    if arguments.tests {
        affected.modules.clear();
        affected.units.clear();
    } else {
        affected.tests.clear();
        affected.modules.retain(|module| arguments.examples || module.role == Role::Root);
    }
    let style = terminal.style(place::names(&current, snapshot.top()));
    if arguments.format != Format::Human
        && let Some(note) = affected::left_out(&affected)
    {
        err(&format!("note: {note}"));
    }
    say(&match arguments.format {
        Format::Human => affected::human(&affected, &style),
        Format::Json => affected::json(&affected),
        Format::Paths => affected::paths(&affected),
        Format::GithubMatrix => affected::github_matrix(&affected),
    })
}

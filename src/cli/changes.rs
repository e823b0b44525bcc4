//! `overrule changes`: changes to the interfaces of modules.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;

use super::terminal::Terminal;
use super::{ENGINE_HELP, Failure, change_options, exit_code, place, policy, stream};
use crate::check::{self, Asked};
use crate::engine::Choice;
use crate::module::interface::Impact;
use crate::report::changes;

/// The arguments of `changes`.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Arguments {
    /// Directories of modules to compare [default: all that the change can affect]
    #[arg(value_name = "MODULE")]
    modules: Vec<PathBuf>,
    #[command(flatten)]
    base: change_options::Arguments,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
    /// Exit with 1 if a change has this impact or a stronger one (`check --fail-on` takes a severity instead)
    #[arg(long, value_enum, value_name = "IMPACT")]
    fail_on: Option<Impact>,
    #[arg(long, value_name = "ENGINE", value_parser = Choice::parse, help = ENGINE_HELP)]
    engine: Option<Choice>,
    #[command(flatten)]
    policy: policy::Arguments,
}

/// The formats of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A list for each module
    Human,
    /// A document for programs
    Json,
    /// Release notes
    Markdown,
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments, terminal: &Terminal) -> Result<ExitCode, Failure> {
    let current = place::current()?;
    let change = arguments.base.change(&current)?;
    let modules = change.scope(&current, &arguments.modules)?;
    place::are_directories(arguments.modules.iter().zip(&modules), |path| change.has_directory(path))?;
    let mut snapshot = change.unread();
    let (policy, _) = arguments.policy.load("compared", &current, &mut snapshot, terminal)?;
    let asked = Asked { policy: &policy, texts: snapshot.sources(), choice: arguments.engine.as_ref() };
    let found = check::interface_changes(&change, asked, &modules)?;
    let style = terminal.style(place::names(&current, snapshot.top()));
    stream::out(&match arguments.format {
        Format::Human => changes::human(&found, &style),
        Format::Json => changes::json(&found),
        Format::Markdown => changes::markdown(&found),
    })?;
    Ok(exit_code(changes::impact(&found) >= arguments.fail_on && arguments.fail_on.is_some()))
}

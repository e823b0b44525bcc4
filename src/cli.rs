//! Turns the arguments of the process into an exit code, one file a command.
//!
//! The report goes to standard output, and all else to standard error. Exit codes: 0 nothing found that fails a run,
//! 1 something found, 2 the command did not take place.

mod affected;
mod base;
mod changes;
mod check;
mod completions;
mod explain;
mod hook;
mod init;
mod man;
mod merge;
mod modules;
mod place;
mod policy;
mod progress;
mod rule_name;
mod rules;
mod shell;
mod state;
mod stream;
mod terminal;
mod test;

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};

use stream::{err, err_painted, out};
use terminal::Terminal;

use crate::report::{one_line, sanitize};
use crate::text::file_name::without_verbatim_prefix;
use crate::text::{counted, nearest};
use crate::vfs::{self, cause};

/// Check Terraform and OpenTofu modules before `init`.
#[derive(Debug, Parser)]
#[command(name = "overrule", version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// When to use colors
    #[arg(
        long,
        global = true,
        value_enum,
        default_value = "auto",
        value_name = "WHEN",
        help_heading = "Output"
    )]
    color: Color,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check modules and report findings
    Check(Box<check::Arguments>),
    /// Print a module after all override files, with the origin of each overridden part
    Merge(Box<merge::Arguments>),
    /// Print module calls and the provider configurations that reach each module
    Modules(Box<modules::Arguments>),
    /// List the root modules whose plan a change can affect, for CI matrices
    Affected(Box<affected::Arguments>),
    /// List changes to module interfaces and addresses: breaking, feature, fix
    Changes(Box<changes::Arguments>),
    /// Show the page of a rule: what it finds, why, and how to fix it
    Explain(explain::Arguments),
    /// List all rules with their levels, or print a preset
    Rules(rules::Arguments),
    /// Write a starter policy, `overrule.hcl`
    Init,
    /// Run the examples of custom rules
    Test(test::Arguments),
    /// Install or remove the git hooks that check every commit
    Hook(hook::Arguments),
    /// Print completions for a shell
    Completions(completions::Arguments),
    /// Print the manual page
    Man,
    /// Print the version
    Version,
}

/// When to use colors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

/// Why a command did not take place.
#[derive(Debug)]
struct Failure {
    /// What is shown before it; empty, or lines.
    above: String,
    /// One lower-case line.
    message: String,
    /// An order, or the nearest right word.
    help: Option<String>,
}

impl Failure {
    fn new(message: impl Into<String>) -> Self {
        Self { above: String::new(), message: message.into(), help: None }
    }

    /// That something cannot be done with a file, and what the system says of it.
    fn cannot(what: &str, path: &Path, error: &io::Error) -> Self {
        let path = path.to_string_lossy();
        Self::new(format!("cannot {what} `{}`: {}", without_verbatim_prefix(&path), cause(error)))
    }

    /// The same where so many files were changed before, which nobody should have to guess.
    fn behind(self, files: usize) -> Self {
        let before = match files {
            0 => return self,
            1 => "1 file was changed before".to_owned(),
            _ => format!("{} were changed before", counted(files, "file")),
        };
        Self { message: format!("{}; {before}", self.message), ..self }
    }

    fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

impl From<vfs::Error> for Failure {
    fn from(error: vfs::Error) -> Self {
        let failure = Self::new(error.to_string());
        match error.order() {
            Some(order) => failure.help(order),
            None => failure,
        }
    }
}

/// That nothing of a kind has this name, and which names there are.
fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    let hint = match nearest(name, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("there are {}", known.join(", ")),
    };
    format!("no {what} is named `{name}`; {hint}")
}

const FAILED: u8 = 2;

/// Runs the program on the arguments of the process.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(refused) => {
            tell_refused(&refused);
            return ExitCode::from(u8::try_from(refused.exit_code()).unwrap_or(FAILED));
        }
    };
    let terminal = Terminal::look(arguments.color);
    let done = match arguments.command {
        Command::Check(arguments) => check::run(&arguments, &terminal),
        Command::Merge(arguments) => merge::run(&arguments, &terminal),
        Command::Modules(arguments) => modules::run(&arguments, &terminal),
        Command::Affected(arguments) => affected::run(&arguments, &terminal),
        Command::Changes(arguments) => changes::run(&arguments, &terminal),
        Command::Explain(arguments) => explain::run(&arguments, &terminal),
        Command::Rules(arguments) => rules::run(&arguments, &terminal),
        Command::Test(arguments) => test::run(&arguments, &terminal),
        Command::Init => init::run(),
        Command::Hook(arguments) => hook::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man => man::run(),
        Command::Version => say(concat!("overrule ", env!("CARGO_PKG_VERSION"), "\n")),
    };
    done.unwrap_or_else(|failure| {
        err_painted(&failure.above);
        // Names of files are in both, and a hook is given those that somebody else chose.
        err(&format!("error: {}\n", one_line(&failure.message)));
        if let Some(help) = failure.help {
            err(&format!("  help: {}\n", one_line(&help)));
        }
        ExitCode::from(FAILED)
    })
}

/// Writes what clap says: help and version to standard output, and what is wrong with the arguments to standard error.
fn tell_refused(refused: &clap::Error) {
    let is_plain = |argument: OsString| {
        let text = argument.to_string_lossy();
        sanitize(&text) == text
    };
    if !refused.use_stderr() || env::args_os().all(is_plain) {
        // That nobody listens is no failure of ours.
        refused.print().ok();
    } else {
        // Among the colours of clap, those that somebody wrote could not be told.
        err(&refused.render().to_string());
    }
}

/// Writes what a command has to say, and succeeds.
fn say(text: &str) -> Result<ExitCode, Failure> {
    out(text)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_hold_together() {
        <Arguments as clap::CommandFactory>::command().debug_assert();
    }
}

//! The command line: one file per command.
//!
//! Reports go to standard output, everything else to standard error. Exit codes: 0 without findings that fail the run,
//! 1 with such findings, 2 if the command could not run.

mod affected;
mod change_options;
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

use clap::builder::PossibleValue;
use clap::{Parser, Subcommand, ValueEnum};

use stream::{err, err_painted, out};
use terminal::Terminal;

use crate::finding::Safety;
use crate::module::interface::Impact;
use crate::policy::FailOn;
use crate::report::{Format, one_line, sanitize};
use crate::text::file_name::without_verbatim_prefix;
use crate::text::{counted, nearest};
use crate::vfs::{self, cause};

/// The help of `--engine` for commands that read modules without a check.
const ENGINE_HELP: &str = "Engine to read the modules for: `terraform`, `opentofu`, one with a version (`terraform@1.11`), or `both` [default: `engine` of the policy; otherwise the engine that the files of a module indicate, or both]";

/// Check Terraform and OpenTofu modules before `terraform init`.
#[derive(Debug, Parser)]
#[command(name = "overrule", bin_name = "overrule", version, max_term_width = 100)]
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
    /// Print a module with its override files merged, and the origin of each overridden part
    Merge(Box<merge::Arguments>),
    /// Print module calls and the provider configurations that reach each module
    Modules(Box<modules::Arguments>),
    /// List the root modules whose plan a change can affect, for CI matrices
    Affected(Box<affected::Arguments>),
    /// List changes to the interfaces of modules, each as breaking, feature or fix
    Changes(Box<changes::Arguments>),
    /// Show the page of a rule: what it finds, why, and how to fix it
    Explain(explain::Arguments),
    /// List all rules with their levels; with `--preset`, print that preset as a policy file
    Rules(rules::Arguments),
    /// Write a starter policy, `overrule.hcl`
    Init,
    /// Test custom rules with the examples in their policies and pages
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

/// Accepts types of other layers as option values, by their names.
macro_rules! option_values {
    ($($values:ty: $all:expr, $name:expr;)*) => {$(
        impl ValueEnum for $values {
            fn value_variants<'a>() -> &'a [Self] {
                const ALL: &[$values] = $all;
                ALL
            }

            fn to_possible_value(&self) -> Option<PossibleValue> {
                Some(PossibleValue::new(($name)(*self)))
            }
        }
    )*};
}

option_values! {
    FailOn: &FailOn::ALL, FailOn::word;
    Format: Format::ALL, |format: Format| format.name;
    Impact: &Impact::ALL, Impact::name;
    Safety: &[Safety::Safe, Safety::Unsafe], Safety::name;
}

/// When to use colors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

/// The error of a command that could not run.
#[derive(Debug)]
struct Failure {
    /// Text before the message, with a line break at its end if it is not empty.
    above: String,
    /// The message: one line in lower case.
    message: String,
    /// The help, in the imperative.
    help: Option<String>,
}

impl Failure {
    fn new(message: impl Into<String>) -> Self {
        Self { above: String::new(), message: message.into(), help: None }
    }

    /// The error of the operating system for a file.
    fn cannot(what: &str, path: &Path, error: &io::Error) -> Self {
        let path = path.to_string_lossy();
        Self::new(format!("cannot {what} `{}`: {}", without_verbatim_prefix(&path), cause(error)))
    }

    /// Adds how many files were changed before the error.
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

    /// Adds the known name that is probably meant, if there is one.
    fn meant(self, name: Option<&str>) -> Self {
        match name {
            Some(name) => self.help(format!("did you mean `{}`?", one_line(name))),
            None => self,
        }
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

/// The error for an unknown name, with the nearest one or all.
fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    let hint = match nearest(name, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("there are {}", known.join(", ")),
    };
    format!("no {what} is named `{name}`; {hint}")
}

const FAILED: u8 = 2;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(refused) => {
            tell_usage(&refused);
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
        // Both may contain file names, and anybody may choose those.
        err(&format!("error: {}\n", one_line(&failure.message)));
        if let Some(help) = failure.help {
            err(&format!("  help: {}\n", one_line(&help)));
        }
        ExitCode::from(FAILED)
    })
}

/// Prints the message of clap: help and version to standard output, errors in the arguments to standard error.
fn tell_usage(refused: &clap::Error) {
    let is_plain = |argument: OsString| {
        let text = argument.to_string_lossy();
        sanitize(&text) == text
    };
    if !refused.use_stderr() || env::args_os().all(is_plain) {
        // A closed standard error is not an error.
        refused.print().ok();
    } else {
        // Control characters in the arguments could not be distinguished from the colors of clap.
        err(&refused.render().to_string());
    }
    if refused.use_stderr() && env::args_os().any(|argument| argument.is_empty()) {
        err("One argument is empty: a variable in the command may not be set.\n");
    }
}

/// The exit code of a command that ran: 1 if it found what makes it fail.
fn exit_code(fails: bool) -> ExitCode {
    if fails { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Prints the output of a command that succeeds.
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

    #[test]
    fn usage_has_the_same_name_on_windows() {
        let error = Arguments::try_parse_from(["overrule.exe", "check", "--statistic"]).expect_err("a typo");
        assert!(error.to_string().contains("Usage: overrule check --statistics"), "{error}");
    }
}

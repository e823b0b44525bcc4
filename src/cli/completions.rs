//! `overrule completions`.

use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;

use super::{Failure, say};

/// The arguments of `completions`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Shell
    shell: Shell,
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let mut command = super::Arguments::command();
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "overrule", &mut script);
    say(&String::from_utf8_lossy(&script))
}

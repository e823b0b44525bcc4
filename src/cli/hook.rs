//! Turns a repository into one whose commits are checked before they are made, and back.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;

use super::{Failure, cause, place, say};
use crate::report::one_line;
use crate::source::{Found, Hook};

/// Arguments of `hook`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Clone, Copy, Subcommand)]
enum What {
    /// Has git check what is staged before every commit; a hook that is there already is left alone
    Install,
    /// Takes that hook away
    Uninstall,
}

/// What git calls the hook that it runs before a commit is made.
const NAME: &str = "pre-commit";

/// The hook. Its text is how it is known again, so one that somebody changed is theirs.
const HOOK: &str = "\
#!/bin/sh
# Written by `overrule hook install`. `overrule hook uninstall` takes it away.
command -v overrule >/dev/null 2>&1 || {
    echo 'overrule is not on PATH, so this commit cannot be checked (git commit --no-verify makes it anyway)' >&2
    exit 1
}
exec overrule check --hook
";

/// Installs the hook, or takes it away.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let current = place::current()?;
    let hook = Hook::of(&current, NAME)?;
    let shown = hook.path.strip_prefix(&hook.top).unwrap_or(&hook.path).to_string_lossy();
    let shown = one_line(&shown);
    let is_ours = match &hook.found {
        Found::Nothing => false,
        Found::Text(text) if text == HOOK => true,
        Found::Text(_) | Found::Other => return Err(foreign(&shown, arguments.what)),
    };
    let failed =
        |what: &str, error: &io::Error| Failure::new(format!("cannot {what} `{shown}`: {}", cause(error)));
    match (arguments.what, is_ours) {
        (What::Install, _) if !hook.is_own => Err(Failure::new(format!(
            "`core.hooksPath` leads to `{shown}`, which is not of this repository alone"
        ))
        .help(format!("write a hook there that has the line `{LINE}`"))),
        (What::Install, false) => {
            install(&hook.path).map_err(|error| failed("write", &error))?;
            say(&format!("installed `{shown}`: what is staged is checked before every commit\n"))
        }
        (What::Install, true) => {
            make_executable(&hook.path).map_err(|error| failed("write", &error))?;
            say(&format!("`{shown}` is installed already\n"))
        }
        (What::Uninstall, true) => {
            fs::remove_file(&hook.path).map_err(|error| failed("remove", &error))?;
            say(&format!("removed `{shown}`\n"))
        }
        (What::Uninstall, false) => say("there is no hook to take away\n"),
    }
}

/// What a hook of somebody else's has to have in it.
const LINE: &str = "overrule check --hook || exit 1";

fn foreign(shown: &str, what: What) -> Failure {
    let failure = Failure::new(format!("`{shown}` is another hook, and left as it is"));
    match what {
        What::Install => failure.help(format!("add the line `{LINE}` to it")),
        What::Uninstall => failure.help(format!("take the line `{LINE}` out of it")),
    }
}

/// Writes the hook as a program. What was put there meanwhile is not lost.
fn install(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(HOOK.as_bytes())?;
    make_executable(path)
}

#[cfg(unix)]
fn make_executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;

    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

/// Git for Windows runs whatever is in the place of a hook.
#[cfg(not(unix))]
fn make_executable(_: &Path) -> io::Result<()> {
    Ok(())
}

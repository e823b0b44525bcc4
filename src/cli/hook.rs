//! Turns a repository into one whose commits are checked before they are made, and back.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;

use super::{Failure, place, say};
use crate::report::one_line;
use crate::source::{Error, Found, Hook, cause};

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
    let hook = Hook::of(&current, NAME).map_err(nowhere)?;
    let shown = hook.path.strip_prefix(&hook.top).unwrap_or(&hook.path).to_string_lossy();
    let shown = one_line(&shown);
    let is_ours = match (&hook.found, arguments.what) {
        (Found::Nothing, _) => false,
        (Found::Text(text), _) if text == HOOK => true,
        (Found::Text(text), What::Install) if runs_check(text) => {
            return say(&format!("`{shown}` runs `{COMMAND}` already\n"));
        }
        (Found::Text(text), what) => return Err(foreign(&shown, what, runs_check(text))),
        (Found::Other, what) => return Err(foreign(&shown, what, false)),
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

/// What such a line runs.
const COMMAND: &str = "overrule check --hook";

fn foreign(shown: &str, what: What, runs_check: bool) -> Failure {
    let failure = Failure::new(format!("`{shown}` is another hook, and left as it is"));
    match what {
        What::Install => failure.help(format!("add the line `{LINE}` to it")),
        What::Uninstall if runs_check => failure.help(format!("take the line with `{COMMAND}` out of it")),
        What::Uninstall => failure,
    }
}

/// Whether a line of a hook runs the check, with whichever other options.
fn runs_check(hook: &str) -> bool {
    let commands = |line: &str| line.split([';', '&', '|', '(', ')', '{', '}']).any(is_check);
    // What stands behind is a remark.
    hook.lines().any(|line| commands(line.split(" #").next().unwrap_or(line)))
}

/// Whether a command is the check: words such as `exec` or `A=1` may stand before the program, and options behind it.
fn is_check(command: &str) -> bool {
    let is_before = |word: &&str| {
        ["!", "if", "then", "else", "do", "exec", "command", "env", "time"].contains(word)
            || word.contains('=')
    };
    let mut words = command.split_whitespace().skip_while(is_before);
    let program = words.next().unwrap_or_default().trim_matches(['"', '\'']);
    let is_program = ["overrule", "overrule.exe"].contains(&program.rsplit('/').next().unwrap_or(program));
    let words: Vec<&str> = words.collect();
    is_program && words.contains(&"check") && words.contains(&"--hook")
}

/// Where git would look for hooks there may be no folder: `/dev/null` is how people turn them off.
fn nowhere(error: Error) -> Failure {
    let folder = match &error {
        Error::File { path, .. } => path.parent().filter(|folder| folder.exists() && !folder.is_dir()),
        Error::Path { .. } | Error::Apart { .. } | Error::Git { .. } | Error::TwoPolicies { .. } => None,
    };
    match folder {
        Some(folder) => Failure::new(format!(
            "git looks for hooks in `{}`, which is no folder",
            folder.display()
        ))
        .help("`git config --show-origin core.hooksPath` tells who says so; take that out, or name a folder"),
        None => error.into(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_runs_the_check_is_known_whatever_is_around_it() {
        assert!(runs_check(HOOK));
        for line in [
            "overrule check --hook || exit 1",
            "  if ! overrule check --hook; then exit 1; fi",
            "\"$HOME/.cargo/bin/overrule\" check --quiet --hook -- \"$@\"",
            "NO_COLOR=1 overrule --color never check --hook # of ours",
            "make lint && exec overrule check --hook",
        ] {
            assert!(runs_check(&format!("#!/bin/sh\n{line}\n")), "{line}");
        }
        for line in [
            "# overrule check --hook",
            "echo overrule check --hook",
            "overrule check",
            "other check --hook",
            "overrule check # --hook",
        ] {
            assert!(!runs_check(&format!("#!/bin/sh\n{line}\n")), "{line}");
        }
    }
}

//! `overrule hook`: installs and removes the git hooks that check each commit.

use std::fs;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;

use super::stream::create;
use super::{Failure, out, place, say};
use crate::report::one_line;
use crate::text::file_name::without_verbatim_prefix;
use crate::vfs::{Error, Found, Hook, cause};

/// The arguments of `hook`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Clone, Copy, Subcommand)]
enum What {
    /// Install hooks that check `git commit`, and merges that make a commit; fails if another tool has installed a hook
    Install,
    /// Remove the hooks that `hook install` wrote
    Uninstall,
}

/// The hooks that git runs before a commit: the first for `git commit`, the second for a merge that makes a commit.
const NAMES: [&str; 2] = ["pre-commit", "pre-merge-commit"];

/// The hook. A hook with another text belongs to the user.
const HOOK: &str = "\
#!/bin/sh
# Written by `overrule hook install`. `overrule hook uninstall` removes it.
command -v overrule >/dev/null 2>&1 || {
    echo 'overrule is not on PATH, so this commit was not checked. Use --no-verify to commit anyway.' >&2
    exit 1
}
exec overrule check --hook
";

/// The state of a hook.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Missing,
    Ours,
    /// A hook of the user that runs the check.
    Equal,
    /// Another hook of the user.
    Other,
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let current = place::current()?;
    let hooks =
        NAMES.map(|name| Hook::of(&current, name).map_err(nowhere).map(|hook| (state(&hook, name), hook)));
    let [first, second] = hooks;
    let hooks = [first?, second?];
    match arguments.what {
        What::Install => install_all(&hooks),
        What::Uninstall => uninstall_all(&hooks),
    }
}

fn state(hook: &Hook, name: &str) -> State {
    match &hook.found {
        Found::Nothing => State::Missing,
        Found::Text(text) if text == HOOK => State::Ours,
        Found::Text(text) if runs_check(text) || name != NAMES[0] && runs_first(text) => State::Equal,
        Found::Text(_) | Found::Other => State::Other,
    }
}

/// Installs the hooks. Writes nothing unless all can be written.
fn install_all(hooks: &[(State, Hook)]) -> Result<ExitCode, Failure> {
    let mut report = String::new();
    for (state, hook) in hooks {
        let shown = shown(hook);
        match state {
            State::Missing | State::Ours if !hook.is_own => {
                let why =
                    format!("`core.hooksPath` leads to `{shown}`, which other repositories may also use");
                return Err(Failure::new(why).help(format!("add a hook there with the line `{LINE}`")));
            }
            State::Other => return Err(foreign(hook).help(way_around(hook))),
            State::Missing | State::Ours | State::Equal => {}
        }
    }
    for (state, hook) in hooks {
        let shown = shown(hook);
        let failed = |error| failed("write", &shown, &error);
        match state {
            State::Missing => {
                install(&hook.path).map_err(failed)?;
                report.push_str(&format!("installed `{shown}`\n"));
            }
            State::Ours => {
                make_executable(&hook.path).map_err(failed)?;
                report.push_str(&format!("`{shown}` is already installed\n"));
            }
            State::Equal => report.push_str(&format!("`{shown}` already runs `{COMMAND}`\n")),
            State::Other => {}
        }
    }
    say(&report)
}

/// Removes the hooks that `install` wrote.
fn uninstall_all(hooks: &[(State, Hook)]) -> Result<ExitCode, Failure> {
    let mut report = String::new();
    for (_, hook) in hooks.iter().filter(|(state, _)| *state == State::Ours) {
        let shown = shown(hook);
        fs::remove_file(&hook.path).map_err(|error| failed("remove", &shown, &error))?;
        report.push_str(&format!("removed `{shown}`\n"));
    }
    if let Some((_, hook)) = hooks.iter().find(|(state, _)| *state == State::Equal) {
        out(&report)?;
        return Err(foreign(hook).help(format!("remove the line with `{COMMAND}`")));
    }
    match hooks.iter().find(|(state, _)| *state == State::Other) {
        Some((_, hook)) if report.is_empty() => {
            Err(foreign(hook).help("remove it yourself if it is not needed"))
        }
        _ if report.is_empty() => say("no hook is installed\n"),
        _ => say(&report),
    }
}

/// The path of a hook, relative to the top of the working tree.
fn shown(hook: &Hook) -> String {
    let path = hook.path.strip_prefix(&hook.top).unwrap_or(&hook.path).to_string_lossy();
    one_line(&without_verbatim_prefix(&path)).into_owned()
}

fn failed(what: &str, shown: &str, error: &io::Error) -> Failure {
    Failure::new(format!("cannot {what} `{shown}`: {}", cause(error)))
}

/// The error for a hook that overrule does not change.
fn foreign(hook: &Hook) -> Failure {
    let what = match &hook.found {
        Found::Text(text) if text.contains(MARK) => "was changed since overrule wrote it",
        _ if hook.path.is_dir() => "is a directory",
        _ if !hook.path.exists() => "is a broken symbolic link",
        _ => "was not written by overrule",
    };
    Failure::new(format!("`{}` {what}, so overrule does not change it", shown(hook)))
}

/// The help for installing a hook where there is another one.
fn way_around(hook: &Hook) -> String {
    match &hook.found {
        Found::Text(text) if text.contains(MARK) => {
            format!("remove it and run `overrule hook install` again, or add the line `{LINE}` to it")
        }
        _ if hook.path.is_file() => format!("add the line `{LINE}` to it"),
        _ => "remove it and run `overrule hook install` again".to_owned(),
    }
}

/// Part of the text of every hook that overrule wrote.
const MARK: &str = "Written by `overrule hook install`";

/// The line to add to a hook of the user.
const LINE: &str = "overrule check --hook || exit 1";

/// The command in that line.
const COMMAND: &str = "overrule check --hook";

/// Whether a line of a hook runs the check, with any other options.
fn runs_check(hook: &str) -> bool {
    let commands = |line: &str| line.split([';', '&', '|', '(', ')', '{', '}']).any(is_check);
    // The rest is a comment.
    hook.lines().any(|line| commands(line.split(" #").next().unwrap_or(line)))
}

/// Whether a hook runs the `pre-commit` hook, as the sample of git does.
fn runs_first(hook: &str) -> bool {
    hook.lines().any(|line| !line.trim_start().starts_with('#') && line.contains("hooks/pre-commit"))
}

/// Whether a command is the check. Words such as `exec` or `A=1` may precede the program.
fn is_check(command: &str) -> bool {
    let is_before = |word: &String| {
        ["!", "if", "then", "else", "do", "exec", "command", "env", "time"].contains(&word.as_str())
            || word.contains('=')
    };
    let mut words = words(command).into_iter().skip_while(is_before);
    let program = words.next().unwrap_or_default();
    let is_program =
        ["overrule", "overrule.exe"].contains(&program.rsplit(['/', '\\']).next().unwrap_or(&program));
    let words: Vec<String> = words.collect();
    is_program && ["check", "--hook"].iter().all(|word| words.iter().any(|other| other == word))
}

/// Splits a command into words. A quoted path can contain spaces.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in command.chars() {
        match quote {
            None if c.is_whitespace() => words.push(String::new()),
            None if c == '"' || c == '\'' => quote = Some(c),
            Some(closing) if c == closing => quote = None,
            None | Some(_) => words.last_mut().expect("there is always one").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The error if git looks for hooks in something that is not a directory: `/dev/null` turns hooks off.
fn nowhere(error: Error) -> Failure {
    let directory = match &error {
        Error::File { path, .. } => {
            path.parent().filter(|directory| directory.exists() && !directory.is_dir())
        }
        Error::Path { .. } | Error::Apart { .. } | Error::Git { .. } | Error::TwoPolicies { .. } => None,
    };
    match directory {
        Some(directory) => Failure::new(format!(
            "git looks for hooks in `{}`, which is not a directory",
            directory.display()
        ))
        .help(if directory.ends_with(".git/hooks") {
            "remove this file and run `overrule hook install` again"
        } else {
            "run `git config --show-origin core.hooksPath` to see which file sets it; remove the setting or name a directory"
        }),
        None => error.into(),
    }
}

/// Writes the hook, unless a file was created meanwhile.
fn install(path: &Path) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    create(path, HOOK)?;
    make_executable(path)
}

#[cfg(unix)]
fn make_executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;

    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

/// Git for Windows runs hooks that are not marked as executable.
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
            r"'C:\Program Files\overrule.exe' check --hook || exit 1",
            r#""C:\tools\overrule.exe" check --hook"#,
            "overrule check --hook\r",
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

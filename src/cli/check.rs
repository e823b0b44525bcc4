//! `overrule check`.

mod cache_file;
mod change;
mod check_run;
mod exceptions;
mod fix;
mod outputs;
mod request;
mod rewrite;
mod selection;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use smol_str::SmolStr;

use super::progress::Progress;
use super::rule_name::RuleName;
use super::stream::err;
use super::terminal::Terminal;
use super::{Failure, exit_code, place, policy};
use crate::check::{Baseline, ProgressCounts};
use crate::engine::{Choice, Product};
use crate::finding::Safety;
use crate::policy::{Date, FailOn, can_be_off};
use crate::report::{Style, count_fixable, one_line};
use crate::session;
use crate::text::counted;
use crate::vfs::Snapshot;
use check_run::CheckRun;
use outputs::Run;
use request::{CheckRequest, Mode};

/// The arguments of `check`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, next_help_heading = "What to check")]
pub(super) struct Arguments {
    /// Directories or files to report on [default: the whole repository, or the current directory outside a repository]
    #[arg(value_name = "PATH", help_heading = "Arguments")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    change: change::Arguments,
    /// Report nothing under these paths, relative to the root of the repository; their files are still read
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Check calls to registry and remote modules against the modules that `init` installed (`.terraform`, or `TF_DATA_DIR`)
    #[arg(long, conflicts_with_all = PARTS, conflicts_with_all = ["write_baseline", "add_exceptions"])]
    installed: bool,
    /// Engine to check for: `terraform`, `opentofu`, one with a version (`terraform@1.11`), or `both` [default: `engine` of the policy; otherwise the engine that the files of a module indicate, or both]
    #[arg(long, value_name = "ENGINE", value_parser = Choice::parse)]
    engine: Option<Choice>,
    /// Report only these rules: names, globs (`override-*`) or presets; enables rules that are off, except where a `paths` block turns them off; comma-separated, repeatable
    #[arg(long, value_name = "RULE", value_parser = RuleName::Selected, hide_possible_values = true, value_delimiter = ',', help_heading = RULES, display_order = 50)]
    select: Vec<String>,
    /// Leave out these rules: names, globs or presets; comma-separated, repeatable
    #[arg(long, value_name = "RULE", value_parser = RuleName::Selected, hide_possible_values = true, value_delimiter = ',', help_heading = RULES, display_order = 51)]
    ignore: Vec<String>,
    /// Lowest severity that makes the exit code 1 [default: `fail_on` of the policy, or `error`]
    #[arg(long, value_enum, value_name = "SEVERITY", help_heading = RULES, display_order = 52)]
    fail_on: Option<FailOn>,
    #[command(flatten)]
    reports: outputs::Arguments,
    #[command(flatten)]
    fixes: fix::Arguments,
    /// Add an exception for every finding except syntax errors: a comment above the finding, or a block in the policy file; not with `--preset` or `--isolated`
    #[arg(long, conflicts_with_all = ["write_baseline", "isolated", "preset", "policy_from"], conflicts_with_all = PARTS, help_heading = SUPPRESSION)]
    add_exceptions: bool,
    /// Reason that `--add-exceptions` writes
    #[arg(long, value_name = "TEXT", default_value = "existed before this rule", value_parser = reason, requires = "add_exceptions", help_heading = SUPPRESSION)]
    reason: String,
    /// Report only findings that this file does not list
    #[arg(long, value_name = "FILE", conflicts_with = "policy_from", help_heading = SUPPRESSION)]
    baseline: Option<PathBuf>,
    /// Write the current findings to a file for `--baseline`, except syntax errors, which are always reported
    #[arg(long, value_name = "FILE", value_parser = list, conflicts_with_all = PARTS, help_heading = SUPPRESSION)]
    write_baseline: Option<PathBuf>,
    /// Date used to decide whether exceptions have expired, such as `2027-03-31` [default: today]
    #[arg(long, value_name = "DATE", value_parser = date, help_heading = SUPPRESSION)]
    today: Option<Date>,
    #[command(flatten)]
    policy: policy::Arguments,
    /// Number of threads [default: the number of processors]
    #[arg(long, value_name = "NUMBER", value_parser = threads, help_heading = LIMITS)]
    threads: Option<u16>,
}

/// Headings of `--help`.
const RULES: &str = "Rules";
const SUPPRESSION: &str = "Suppression";
const LIMITS: &str = "Limits";

const EXAMPLES: &str = "\
Examples:
  overrule check                                  the whole repository
  overrule check modules/network                  findings under one directory
  overrule check --changed                        staged content: new findings only
  overrule check --base origin/main               new findings of a branch
  overrule check --installed                      after init: calls to registry modules too
  overrule check --preset strict --select 'override-*'
  overrule check --output sarif=report.sarif      one more report, in a file
  overrule check --diff                           what --fix would change
  overrule check --add-exceptions --reason 'exists since 2024'
  overrule check --limit file_size=128MiB";

/// Options that check another state than the working tree.
const PARTS: [&str; 3] = ["changed", "base", "hook"];

/// More threads than this make a run slower.
const MAX_THREADS: u16 = 256;

/// Prints a note about files of kinds that are not read.
fn unread_kinds(snapshot: &Snapshot) {
    for (kind, count) in snapshot.unread_kinds() {
        let files = if count == 1 { "file was" } else { "files were" };
        err(&format!("note: {count} {kind} {files} not read: overrule does not check {kind} files\n"));
    }
}

/// Prints a note about module calls that lead out of the given directories, outside a repository.
fn unread_calls(number: usize) {
    let calls = match number {
        0 => return,
        1 => "1 module call that leads to another directory was".to_owned(),
        _ => format!("{number} module calls that lead to other directories were"),
    };
    err(&format!(
        "note: {calls} not checked: outside a git repository, overrule reads only the given directories\n"
    ));
}

/// Prints a note about a change that affects no module, or none under the given paths.
fn unaffected(snapshot: &Snapshot, has_paths: bool) {
    let below = if has_paths { " under the given paths" } else { "" };
    // A bare repository has no other changes.
    let unstaged = if snapshot.top().is_some() { "; unstaged changes are not part of it" } else { "" };
    err(&format!("note: the change affects no module{below}{unstaged}\n"));
}

/// Prints a note about modules that were checked for one product because of their syntax.
fn assumed_products(judged: &CheckRun, request: &CheckRequest<'_>) {
    let CheckRun { snapshot, outcome, .. } = judged;
    let names = place::names(&request.current, snapshot.top());
    for product in Product::ALL {
        let mut places = outcome.assumed.values().filter(|(assumed, _)| *assumed == product);
        let Some((_, first)) = places.next() else { continue };
        let source = snapshot.sources().get(first.file);
        let (file, line) = (names.of(source.name()), source.position(first.start).line);
        let (name, place) = (product.name(), format!("{}:{line}", one_line(&file)));
        let what = match places.count() {
            0 => format!("1 module for {name} only, because {place} is valid only in {name}"),
            others => format!(
                "{} for {name} only, because they contain syntax that is valid only in {name}, first in {place}",
                counted(others + 1, "module")
            ),
        };
        err(&format!(
            "note: checked {what}; to check for another engine, use `--engine` or set `engine` in the policy\n"
        ));
    }
}

/// Prints a note about how many module calls were checked against installed modules.
fn installed(calls: Option<&BTreeMap<(SmolStr, SmolStr), bool>>) {
    let Some(calls) = calls else { return };
    let covered = calls.values().filter(|is_installed| **is_installed).count();
    let others = calls.len() - covered;
    let calls = counted(calls.len(), "call");
    let note = match (covered, others) {
        (0, 0) => "no module calls a registry or remote module".to_owned(),
        (_, 0) => format!("checked {calls} to registry and remote modules against installed modules"),
        _ => format!(
            "checked {covered} of {calls} to registry and remote modules against installed modules; run `init` to \
             install the rest"
        ),
    };
    err(&format!("note: {note}\n"));
}

/// Runs the command and returns the exit code.
pub(super) fn run(arguments: &Arguments, terminal: &Terminal) -> Result<ExitCode, Failure> {
    let started = Instant::now();
    let request = CheckRequest::of(arguments)?;
    let counts = ProgressCounts::default();
    let progress = Progress::start(arguments.reports.quiet, counts.clone());
    let judged = session::in_threads(arguments.threads, || CheckRun::of(&request, terminal, &counts));
    drop(progress);
    let mut judged = judged?;
    if judged.outcome.modules == 0 && !arguments.reports.quiet && !judged.is_of_change {
        err(&place::no_module(&judged.snapshot, &request.current));
    }
    if judged.outcome.modules == 0
        && judged.is_of_change
        && !arguments.reports.quiet
        && !arguments.change.is_of_hook()
    {
        unaffected(&judged.snapshot, !arguments.paths.is_empty());
    }
    if !arguments.reports.quiet {
        if let Some(error) = judged.snapshot.unopened() {
            err(&format!("note: {error}, so overrule checked this directory without git\n"));
        }
        unread_kinds(&judged.snapshot);
        unread_calls(judged.outcome.unread_calls);
        installed(judged.outcome.installed.as_ref());
    }
    if !arguments.reports.quiet && !arguments.change.is_of_hook() {
        assumed_products(&judged, &request);
    }
    if let (Mode::ShowFixes(safety), Some(fixed)) = (request.mode, &judged.fixed) {
        if fixed.resolved.is_empty() && fixed.withheld.is_empty() && !arguments.reports.quiet {
            err(&match safety {
                Safety::Safe => match count_fixable(&judged.outcome, Safety::Unsafe) {
                    0 => "no finding has a safe fix\n".to_owned(),
                    number => format!("no finding has a safe fix; `--fix=unsafe` would fix {number}\n"),
                },
                Safety::Unsafe => "no finding has a fix\n".to_owned(),
            });
        }
        fix::show(fixed, &judged.snapshot, terminal.color)?;
        fix::report(fixed, &judged.snapshot, None, &place::names(&request.current, judged.snapshot.top()));
        return Ok(exit_code(!fixed.files.is_empty()));
    }
    let done = write(&request, &mut judged)?;
    let CheckRun { snapshot, outcome, fail_on, .. } = &judged;
    let elapsed = terminal.is_one.then(|| started.elapsed());
    let run = Run { outcome, snapshot, current: &request.current, paths: &arguments.paths };
    let style = Style { elapsed, fail_on: *fail_on, unstaged: done.unstaged, ..arguments.policy.style() };
    arguments.reports.write(&run, style, terminal).map_err(|failure| failure.behind(done.files))?;
    let fails = done.fails || outcome.verdicts.iter().any(|verdict| fail_on.is_met_by(verdict.level));
    if fails && judged.is_commit && done.unstaged == 0 {
        err("The commit was not made. Fix the findings, stage the files and commit again.\n");
        if outcome.known > 0 {
            err("Run `overrule check --changed --all-findings` to see existing findings too.\n");
        }
    }
    Ok(exit_code(fails))
}

/// The effects of fixes, exceptions and baselines.
#[derive(Debug, Default)]
struct Done {
    /// The number of written files.
    files: usize,
    /// The number of findings that are fixed only in the working tree, if staged content was checked.
    unstaged: usize,
    /// Whether the run fails, whatever findings remain.
    fails: bool,
}

/// Fixes findings, or adds exceptions or a baseline, as requested. The remaining findings stay in the outcome.
fn write(request: &CheckRequest<'_>, judged: &mut CheckRun) -> Result<Done, Failure> {
    let CheckRun { snapshot, outcome, .. } = judged;
    let names = place::names(&request.current, snapshot.top());
    match request.mode {
        Mode::Report | Mode::ShowFixes(_) => Ok(Done::default()),
        Mode::WriteBaseline(file) => {
            let list = Baseline::write(&outcome.verdicts, snapshot.sources());
            fs::write(file, list).map_err(|error| Failure::cannot("write", file, &error))?;
            let before = outcome.verdicts.len();
            outcome.verdicts.retain(|verdict| !can_be_off(&verdict.finding.rule));
            let listed = before - outcome.verdicts.len();
            outcome.known += listed;
            let listed = counted(listed, "finding");
            err(&format!("wrote {listed} to {}\n", one_line(&file.to_string_lossy())));
            Ok(Done { files: 1, ..Done::default() })
        }
        Mode::AddExceptions => {
            let (found, reason) = (&outcome.verdicts, &request.arguments.reason);
            let additions = exceptions::additions(snapshot, found, judged.allows_comments, reason);
            let files = exceptions::write(&additions, snapshot, judged.policy, &names)?;
            outcome.verdicts = additions.left;
            Ok(Done { files, ..Done::default() })
        }
        Mode::Fix(_) => {
            let Some(fixed) = judged.fixed.take() else { return Ok(Done::default()) };
            let files = fix::write(&fixed, snapshot)?;
            fix::report(&fixed, snapshot, Some(request.to_stage(judged.is_of_change)), &names);
            // The fix is not staged, so the finding remains in the index.
            let fails = judged.is_of_change
                && fixed.resolved.iter().any(|verdict| judged.fail_on.is_met_by(verdict.level));
            let unstaged = if judged.is_of_change { fixed.resolved.len() } else { 0 };
            (*snapshot, outcome.verdicts) = (fixed.snapshot, fixed.left);
            Ok(Done { files, unstaged, fails })
        }
    }
}

fn threads(text: &str) -> Result<u16, String> {
    let number = text.parse().ok().filter(|number| (1..=MAX_THREADS).contains(number));
    number.ok_or_else(|| format!("write a whole number from 1 to {MAX_THREADS}"))
}

fn date(text: &str) -> Result<Date, String> {
    Date::parse(text).ok_or_else(|| "write year, month and day, as in `2027-03-31`".to_owned())
}

fn list(text: &str) -> Result<PathBuf, String> {
    match text {
        "-" => Err("`--baseline` requires a file, not `-`".to_owned()),
        file => Ok(PathBuf::from(file)),
    }
}

fn reason(text: &str) -> Result<String, String> {
    let is_one_line = !text.contains(char::is_control) && text.contains(char::is_alphanumeric);
    is_one_line.then(|| text.trim().to_owned()).ok_or_else(|| "write a reason on one line".to_owned())
}

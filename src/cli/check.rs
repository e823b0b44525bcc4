//! Turns paths and options into a report and an exit code.

mod change;
mod exceptions;
mod fix;
mod memory;
mod reports;
mod rewrite;
mod selection;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::builder::PossibleValue;
use clap::{ValueEnum, value_parser};

use super::progress::Progress;
use super::stream::err;
use super::terminal::Terminal;
use super::{Failure, place, policy};
use crate::check::{self, Baseline, Checked, Outcome, Settings};
use crate::engine::Choice;
use crate::policy::{Date, FailOn, Globs, can_be_off};
use crate::report::Style;
use crate::source::{Change, Excerpt, Worktree};
use change::Wanted;
use reports::Run;

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Files or folders to report on [default: the whole repository, or the current folder outside of one]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    reports: reports::Arguments,
    /// What the modules are for: `terraform`, `opentofu`, one of them in a version (`terraform@1.11`), or `both`
    #[arg(long, value_name = "ENGINE", value_parser = Choice::parse)]
    engine: Option<Choice>,
    /// Reports these rules only
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    select: Vec<String>,
    /// Leaves out these rules
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    ignore: Vec<String>,
    /// Leaves out what is found under these paths, from the top of the repository; they are read nevertheless
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    #[command(flatten)]
    change: change::Arguments,
    #[command(flatten)]
    policy: policy::Arguments,
    /// From which level on a finding makes the exit code 1 [default: what the policy says, else `error`]
    #[arg(long, value_enum, value_name = "LEVEL")]
    fail_on: Option<FailOn>,
    /// The day on which exceptions that end are looked at, such as `2027-03-31` [default: today]
    #[arg(long, value_name = "DATE", value_parser = date)]
    today: Option<Date>,
    /// Leaves out what is listed in a file that `--write-baseline` wrote
    #[arg(long, value_name = "FILE", conflicts_with = "policy_from")]
    baseline: Option<PathBuf>,
    /// Lists in a file all that was found, known to `--baseline` or not, so that `--baseline` can leave it out from now on;
    /// what keeps files from being read is told all the same
    #[arg(long, value_name = "FILE", conflicts_with_all = PARTS)]
    write_baseline: Option<PathBuf>,
    /// Writes an exception for every finding: a comment above it, or else a block in the policy
    #[arg(long, conflicts_with_all = ["write_baseline", "isolated", "policy_from"], conflicts_with_all = PARTS)]
    add_exceptions: bool,
    /// What the exceptions of `--add-exceptions` give as their reason
    #[arg(long, value_name = "TEXT", default_value = "was here before this rule", value_parser = reason, requires = "add_exceptions")]
    reason: String,
    #[command(flatten)]
    fixes: fix::Arguments,
    /// How many threads to use [default: one for each processor]
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u16).range(1..=MOST_THREADS))]
    threads: Option<u16>,
}

/// Options with which not everything is looked at, or not as it lies there.
const PARTS: [&str; 3] = ["changed", "base", "hook"];

const FOUND: u8 = 1;

/// Beyond that, threads take more time from each other than they save.
const MOST_THREADS: i64 = 256;

/// Checks, reports, and says with the exit code whether something was found.
pub(super) fn run(arguments: &Arguments, terminal: &Terminal) -> Result<ExitCode, Failure> {
    let started = Instant::now();
    let exclude = Globs::new(arguments.exclude.iter().map(String::as_str)).map_err(Failure::new)?;
    let current = place::current()?;
    let is_quiet = arguments.reports.quiet;
    let progress = Progress::start(is_quiet);
    let checked = check::in_threads(arguments.threads, || {
        let wanted = arguments.change.wanted(&current, &arguments.paths)?;
        let mut worktree = match &wanted {
            None => Worktree::listed(&current, &arguments.paths)?,
            Some(Wanted::Change { change, .. } | Wanted::Named { index: change, .. }) => change.unread(),
        };
        let loaded = arguments.policy.load(&current, &mut worktree, terminal);
        if let Some(Wanted::Change { change, .. } | Wanted::Named { index: change, .. }) = &wanted {
            // A policy that is not here is no mistake in it.
            change.is_whole(&Excerpt::default())?;
        }
        let (policy, file) = loaded?;
        let known = arguments.baseline.as_deref().map(baseline).transpose()?;
        let settings = Settings {
            engines: arguments.engine.clone(),
            select: selection::select(&arguments.select, &policy)?,
            ignore: selection::ignore(&arguments.ignore, &policy)?,
            exclude,
            today: Some(arguments.today.unwrap_or_else(Date::today)),
            // A new list is of everything that is found, known or not.
            baseline: known.filter(|_| arguments.write_baseline.is_none()).unwrap_or_default(),
            comments: arguments.policy.trusts_comments(),
            policy,
        };
        let (worktree, outcome) = match &wanted {
            None => {
                let outcome = check::run(&mut worktree, &settings);
                (worktree, outcome)
            }
            Some(Wanted::Change { change, scope, all }) => taken(
                check::run_change(change, worktree.sources(), &settings, scope, *all)?,
                change,
                is_quiet,
            ),
            Some(Wanted::Named { index, paths }) => {
                taken(check::run_named(index, worktree.sources(), &settings, paths)?, index, is_quiet)
            }
        };
        let fixed =
            arguments.fixes.wanted().map(|safety| fix::fix(&worktree, &outcome.verdicts, &settings, safety));
        Ok::<_, Failure>((worktree, outcome, fixed, settings.policy.fail_on(), file, wanted.is_some()))
    });
    drop(progress);
    let (mut worktree, mut outcome, fixed, fail_on, policy, is_part) = checked?;
    if outcome.modules == 0 && !is_quiet && !is_part {
        err("note: no Terraform or OpenTofu module was found\n");
    }
    if let Some(file) = &arguments.write_baseline {
        let list = Baseline::write(&outcome.verdicts, worktree.sources());
        fs::write(file, list)
            .map_err(|error| Failure::new(format!("cannot write `{}`: {error}", file.display())))?;
        outcome.known += outcome.verdicts.len();
        outcome.verdicts.retain(|verdict| !can_be_off(&verdict.finding.rule));
        outcome.known -= outcome.verdicts.len();
    }
    if arguments.add_exceptions {
        let additions = exceptions::excuse(&worktree, &outcome.verdicts, &arguments.reason);
        exceptions::write(&additions, &worktree, policy, &place::names(&current, worktree.top()))?;
        outcome.verdicts = additions.left;
    }
    let fail_on = arguments.fail_on.unwrap_or(fail_on);
    let mut fails = false;
    if let Some(fixed) = fixed {
        let names = place::names(&current, worktree.top());
        if arguments.fixes.diff {
            fix::show(&fixed, &worktree, terminal.color)?;
            fix::tell(&fixed, false, is_part, &names);
            return Ok(if fixed.files.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(FOUND) });
        }
        fix::write(&fixed, &worktree)?;
        fix::tell(&fixed, true, is_part, &names);
        // What is fixed in the work tree is as it was in the index.
        fails = is_part && fixed.mended.iter().any(|verdict| fail_on.is_met_by(verdict.level));
        (worktree, outcome.verdicts) = (fixed.worktree, fixed.left);
    }
    let elapsed = terminal.is_one.then(|| started.elapsed());
    let run = Run { outcome: &outcome, worktree: &worktree, current: &current, paths: &arguments.paths };
    arguments.reports.write(&run, Style { elapsed, fail_on, ..Style::default() }, terminal)?;
    fails |= outcome.verdicts.iter().any(|verdict| fail_on.is_met_by(verdict.level));
    Ok(if fails { ExitCode::from(FOUND) } else { ExitCode::SUCCESS })
}

/// Takes what a run came to, keeps what it remembers beside what git keeps, and says what it did not see.
fn taken(checked: Checked, change: &Change, is_quiet: bool) -> (Worktree, Outcome) {
    if checked.absent > 0 && !is_quiet {
        err(&format!(
            "note: files of {} are not in this clone, so it is not known what is called there\n",
            if checked.absent == 1 { "1 module".to_owned() } else { format!("{} modules", checked.absent) }
        ));
    }
    if let Some((name, bytes)) = &checked.memory {
        memory::keep(&change.memory(), name, bytes);
    }
    (checked.worktree, checked.outcome)
}

fn date(text: &str) -> Result<Date, String> {
    Date::parse(text).ok_or_else(|| "write year, month and day, as in `2027-03-31`".to_owned())
}

fn reason(text: &str) -> Result<String, String> {
    let is_one_line = !text.contains(char::is_control) && text.contains(char::is_alphanumeric);
    is_one_line
        .then(|| text.trim().to_owned())
        .ok_or_else(|| "write a reason in words, in one line".to_owned())
}

fn baseline(file: &Path) -> Result<Baseline, Failure> {
    let wrong = |why: String| Failure::new(format!("cannot read `{}`: {why}", file.display()));
    let text = fs::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
    Baseline::parse(&text).map_err(wrong)
}

impl ValueEnum for FailOn {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [FailOn; 4] = FailOn::ALL;
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.word()))
    }
}

//! Runs a check with the options of the command line. It writes only to the cache.

use std::env;
use std::path::PathBuf;

use super::change::Wanted;
use super::request::{CheckRequest, Mode};
use super::{cache_file, fix, selection};
use crate::check::{self, Checked, Fixed, Outcome, ProgressCounts, Settings};
use crate::cli::stream::err;
use crate::cli::terminal::Terminal;
use crate::cli::{Failure, place};
use crate::policy::{Date, FailOn};
use crate::report::one_line;
use crate::rules::Earlier;
use crate::session;
use crate::text::{FileId, counted};
use crate::vfs::{Change, DataDirectory, Excerpt, Snapshot};

/// A finished check.
#[derive(Debug)]
pub(super) struct CheckRun {
    /// The checked files.
    pub(super) snapshot: Snapshot,
    /// The findings.
    pub(super) outcome: Outcome,
    /// The result of fixes, if requested.
    pub(super) fixed: Option<Fixed>,
    /// The level from which a finding fails the run.
    pub(super) fail_on: FailOn,
    /// The policy file, if there is one.
    pub(super) policy: Option<FileId>,
    /// Whether the files of a change were checked, not those of the working tree.
    pub(super) is_of_change: bool,
    /// Whether the policy allows exceptions in comments.
    pub(super) allows_comments: bool,
    /// Whether git makes a commit unless the run fails.
    pub(super) is_commit: bool,
}

impl CheckRun {
    /// Loads the policy, checks, and tries fixes.
    pub(super) fn of(
        request: &CheckRequest<'_>,
        terminal: &Terminal,
        counts: &ProgressCounts,
    ) -> Result<Self, Failure> {
        let (arguments, current) = (request.arguments, &request.current);
        let wanted = arguments.change.wanted(current, &arguments.paths)?;
        let mut snapshot = match &wanted {
            None => Snapshot::listed(current, &arguments.paths)?,
            Some(Wanted::Change { change, .. } | Wanted::Named { index: change, .. }) => change.unread(),
        };
        let loaded = arguments.policy.load("checked", current, &mut snapshot, terminal);
        if let Some(Wanted::Change { change, .. } | Wanted::Named { index: change, .. }) = &wanted {
            // A missing policy file has an error of its own.
            change.is_whole(&Excerpt::default())?;
        }
        let (policy, file) = loaded?;
        let is_quiet = arguments.reports.quiet;
        if let Some(name) = arguments.policy.left_aside(&snapshot, file).filter(|_| !is_quiet) {
            let why = if wanted.is_some() {
                "is not staged, so this check does not use it".to_owned()
            } else {
                let file = place::names(current, snapshot.top()).of(name);
                format!(
                    "is in none of the checked directories; to use it, add `--policy {}`",
                    one_line(&file)
                )
            };
            err(&format!("note: `{name}` {why}\n"));
        }
        let settings = Settings {
            engines: arguments.engine.clone(),
            select: selection::select(&arguments.select, &policy)?,
            ignore: selection::ignore(&arguments.ignore, &policy)?,
            exclude: request.exclude.clone(),
            today: Some(arguments.today.unwrap_or_else(Date::today)),
            baseline: request.baseline.clone(),
            trusts_change: arguments.policy.trusts_change(),
            counts: counts.clone(),
            installed: arguments.installed.then(|| DataDirectory::of_variable(data_directory())),
            policy,
        };
        let (snapshot, outcome, earlier) = match &wanted {
            None => {
                let outcome = check::run(&mut snapshot, &settings);
                (snapshot, outcome, None)
            }
            Some(Wanted::Change { change, scope, all, .. }) => taken(
                check::run_change(change, snapshot.sources(), &settings, scope, *all)?,
                change,
                is_quiet,
            ),
            Some(Wanted::Named { index, paths }) => {
                taken(check::run_named(index, snapshot.sources(), &settings, paths)?, index, is_quiet)
            }
        };
        let fixed = match request.mode {
            Mode::Fix(safety) | Mode::ShowFixes(safety) => {
                Some(fix::fix(&snapshot, earlier.as_ref(), &outcome.verdicts, &settings, safety))
            }
            Mode::Report | Mode::WriteBaseline(_) | Mode::AddExceptions => None,
        };
        // What was seen of the state before is not needed any more, and can be large.
        session::threads::discard(earlier);
        let fail_on = arguments.fail_on.unwrap_or(settings.policy.fail_on());
        let is_commit = matches!(wanted, Some(Wanted::Change { is_commit: true, .. }));
        Ok(Self {
            snapshot,
            outcome,
            fixed,
            fail_on,
            policy: file,
            is_of_change: wanted.is_some(),
            allows_comments: settings.allows_comments(),
            is_commit,
        })
    }
}

/// The data directory that the environment sets, as for Terraform.
fn data_directory() -> Option<PathBuf> {
    env::var_os("TF_DATA_DIR").map(PathBuf::from)
}

/// Stores the cache and prints notes about what was not checked.
fn taken(checked: Checked, change: &Change, is_quiet: bool) -> (Snapshot, Outcome, Option<Earlier>) {
    if checked.absent > 0 && !is_quiet {
        err(&format!(
            "note: this clone lacks files of {}, so the module calls there are unknown\n",
            counted(checked.absent, "module")
        ));
    }
    if let Some((name, bytes)) = &checked.cache {
        cache_file::keep(&change.cache_directory(), name, bytes);
    }
    (checked.snapshot, checked.outcome, checked.earlier)
}

//! `--fix` and `--diff`.

use std::collections::BTreeMap;

use super::rewrite::{self, Rewrite};
use crate::check::{self, Fixed, Settings, Verdict};
use crate::cli::Failure;
use crate::cli::stream::{err, out};
use crate::finding::Safety;
use crate::report::{PathStyle, one_line, unified};
use crate::rules::Earlier;
use crate::text::{FileId, counted};
use crate::vfs::Snapshot;

/// Options for fixes.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "Fixes")]
pub(super) struct Arguments {
    /// Fix findings in the working tree: safe fixes, or with `--fix=unsafe` also fixes that need a review
    #[arg(
        long,
        value_enum,
        value_name = "WHICH",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "safe",
        hide_possible_values = true,
        conflicts_with_all = OTHERS
    )]
    fix: Option<Safety>,
    /// Print the changes of `--fix` without writing them; the exit code is 1 if there are any
    #[arg(long, conflicts_with_all = OTHERS, conflicts_with_all = ["format", "output", "statistics"])]
    pub(super) diff: bool,
}

/// Options that change files.
const OTHERS: [&str; 2] = ["write_baseline", "add_exceptions"];

impl Arguments {
    /// The requested fixes.
    pub(super) fn wanted(&self) -> Option<Safety> {
        self.fix.or(self.diff.then_some(Safety::Safe))
    }
}

/// Computes fixes. Nothing is written yet.
pub(super) fn fix(
    snapshot: &Snapshot,
    earlier: Option<&Earlier>,
    reported: &[Verdict],
    settings: &Settings,
    safety: Safety,
) -> Fixed {
    let mut standing = |id: FileId| rewrite::refusal(snapshot, id);
    check::fix(snapshot, earlier, reported, settings, safety, &mut standing)
}

/// Writes the files and returns their number.
pub(super) fn write(fixed: &Fixed, before: &Snapshot) -> Result<usize, Failure> {
    let mut rewrite = Rewrite::of(before);
    for id in &fixed.files {
        rewrite.change(before, *id, fixed.snapshot.sources().get(*id).text())?;
    }
    rewrite.finish()
}

/// Prints the differences to standard output.
pub(super) fn show(fixed: &Fixed, before: &Snapshot, color: bool) -> Result<(), Failure> {
    let mut shown = String::new();
    for id in &fixed.files {
        let source = before.sources().get(*id);
        let name = one_line(source.name());
        let after = fixed.snapshot.sources().get(*id).text();
        shown.push_str(&unified(&format!("a/{name}"), &format!("b/{name}"), source.text(), after, color));
    }
    out(&shown)
}

/// Prints how many fixes were applied, and what remains `to_do`; without it, how many would be applied. Also prints which
/// fixes were withheld, with the reason and their places in the content that the files have then.
pub(super) fn report(fixed: &Fixed, before: &Snapshot, to_do: Option<&str>, names: &PathStyle) {
    if !fixed.resolved.is_empty() {
        let done = if to_do.is_some() { "fixed" } else { "would fix" };
        let (findings, files) =
            (counted(fixed.resolved.len(), "finding"), counted(fixed.files.len(), "file"));
        err(&format!("{done} {findings} in {files}{}\n", to_do.unwrap_or_default()));
    }
    let mut by_reason: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let (withheld, snapshot) = match to_do {
        Some(_) => (&fixed.withheld, &fixed.snapshot),
        None => (&fixed.withheld_before, before),
    };
    for (verdict, why) in withheld {
        by_reason.entry(why).or_default().push(place(verdict, snapshot, names));
    }
    rewrite::tell_refused("not fixed", by_reason);
}

fn place(verdict: &Verdict, snapshot: &Snapshot, names: &PathStyle) -> String {
    let finding = &verdict.finding;
    let place = match finding.primary {
        Some(span) => {
            let source = snapshot.sources().get(span.file);
            format!("{}:{}", one_line(&names.of(source.name())), source.position(span.start).line)
        }
        None => one_line(&names.of(&finding.module)).into_owned(),
    };
    format!("{place} ({})", finding.rule.as_str())
}

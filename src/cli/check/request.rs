//! Turns arguments into what a run is asked for, and refuses what cannot be done before anything is read or written.

use std::fs;
use std::path::{Path, PathBuf};

use super::Arguments;
use crate::check::Baseline;
use crate::cli::{Failure, place};
use crate::finding::Safety;
use crate::policy::Globs;

/// What a run is asked for.
#[derive(Debug)]
pub(super) struct CheckRequest<'a> {
    /// As they were given.
    pub(super) arguments: &'a Arguments,
    /// The directory that paths count from.
    pub(super) current: PathBuf,
    /// What is left out.
    pub(super) exclude: Globs,
    /// What is known.
    pub(super) baseline: Baseline,
    /// What is done with what is found.
    pub(super) mode: Mode<'a>,
}

/// What is done with what is found, before the rest of it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode<'a> {
    /// Nothing.
    Tell,
    /// It is listed in a file.
    List(&'a Path),
    /// It is suppressed.
    AddExceptions,
    /// What can be fixed is fixed.
    Fix(Safety),
    /// It is shown what would be fixed, and nothing else is told.
    ShowFixes(Safety),
}

impl<'a> CheckRequest<'a> {
    /// What these arguments ask for.
    pub(super) fn of(arguments: &'a Arguments) -> Result<Self, Failure> {
        let current = place::current()?;
        let mode = match (&arguments.write_baseline, arguments.fixes.wanted()) {
            (Some(file), _) => Mode::List(file),
            (None, Some(safety)) if arguments.fixes.diff => Mode::ShowFixes(safety),
            (None, Some(safety)) => Mode::Fix(safety),
            (None, None) if arguments.add_exceptions => Mode::AddExceptions,
            (None, None) => Mode::Tell,
        };
        let exclude = Globs::new(arguments.exclude.iter().map(String::as_str))
            .map_err(|invalid| Failure::new(invalid.why))?;
        arguments.reports.validate(&current, arguments.write_baseline.as_deref())?;
        let known = arguments.baseline.as_deref().map(baseline).transpose()?.unwrap_or_default();
        // A new list is of everything that is found, known or not.
        let baseline = if matches!(mode, Mode::List(_)) { Baseline::default() } else { known };
        Ok(Self { arguments, current, exclude, baseline, mode })
    }
}

impl CheckRequest<'_> {
    /// What is to be done once files are fixed, behind what is said of that, where only what is staged counts.
    pub(super) fn to_stage(&self, is_part: bool) -> &'static str {
        match (is_part, self.arguments.change.is_of_hook()) {
            (false, _) => "",
            (true, true) => "; stage the changes and commit again",
            (true, false) => "; stage the changes",
        }
    }
}

fn baseline(file: &Path) -> Result<Baseline, Failure> {
    let text = fs::read_to_string(file).map_err(|error| Failure::cannot("read", file, &error))?;
    Baseline::parse(&text).map_err(|why| Failure::new(format!("cannot read `{}`: {why}", file.display())))
}

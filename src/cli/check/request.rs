//! The checked arguments of a run. Contradictory arguments are refused before anything is read or written.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use super::Arguments;
use crate::check::Baseline;
use crate::cli::{Failure, place};
use crate::finding::Safety;
use crate::policy::Globs;

/// The checked arguments of a run.
#[derive(Debug)]
pub(super) struct CheckRequest<'a> {
    /// The arguments.
    pub(super) arguments: &'a Arguments,
    /// The current directory.
    pub(super) current: PathBuf,
    /// The excluded paths.
    pub(super) exclude: Globs,
    /// The baseline.
    pub(super) baseline: Baseline,
    /// What to do with the findings.
    pub(super) mode: Mode<'a>,
}

/// What to do with findings before the rest is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode<'a> {
    /// Nothing.
    Report,
    /// Write them to a baseline.
    WriteBaseline(&'a Path),
    /// Add exceptions.
    AddExceptions,
    /// Apply fixes.
    Fix(Safety),
    /// Print the changes of fixes and nothing else.
    ShowFixes(Safety),
}

impl<'a> CheckRequest<'a> {
    /// Checks the arguments.
    pub(super) fn of(arguments: &'a Arguments) -> Result<Self, Failure> {
        let current = place::current()?;
        let mode = match (&arguments.write_baseline, arguments.fixes.wanted()) {
            (Some(file), _) => Mode::WriteBaseline(file),
            (None, Some(safety)) if arguments.fixes.diff => Mode::ShowFixes(safety),
            (None, Some(safety)) => Mode::Fix(safety),
            (None, None) if arguments.add_exceptions => Mode::AddExceptions,
            (None, None) => Mode::Report,
        };
        let exclude = Globs::new(arguments.exclude.iter().map(String::as_str))
            .map_err(|invalid| Failure::new(invalid.why))?;
        arguments.reports.validate(&current, arguments.write_baseline.as_deref())?;
        let known = arguments.baseline.as_deref().map(baseline).transpose()?.unwrap_or_default();
        // A new baseline lists all findings, including known ones.
        let baseline = if let Mode::WriteBaseline(file) = mode {
            replaceable(file)?;
            if arguments.baseline.is_some() {
                checks_everything(arguments)?;
            }
            Baseline::default()
        } else {
            known
        };
        Ok(Self { arguments, current, exclude, baseline, mode })
    }

    /// What remains to be done after fixes, if only staged content counts.
    pub(super) fn to_stage(&self, is_of_change: bool) -> &'static str {
        match (is_of_change, self.arguments.change.is_of_hook()) {
            (false, _) => "",
            (true, true) => "; stage the changes and commit again",
            (true, false) => "; stage the changes",
        }
    }
}

/// Checks that an updated baseline loses no findings, because the run does not look for them.
fn checks_everything(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { paths, select, ignore, exclude, .. } = arguments;
    let given = [
        ("the paths", !paths.is_empty()),
        ("`--select`", !select.is_empty()),
        ("`--ignore`", !ignore.is_empty()),
        ("`--exclude`", !exclude.is_empty()),
    ];
    let Some((given, _)) = given.into_iter().find(|(_, is_given)| *is_given) else { return Ok(()) };
    let what = "a run of only some paths or rules would remove all other findings from the baseline";
    Err(Failure::new(what).help(format!("remove {given}, or write a new baseline without `--baseline`")))
}

/// The largest baseline, in bytes.
const BASELINE_LIMIT: u64 = 1 << 28;

fn baseline(file: &Path) -> Result<Baseline, Failure> {
    let shown = file.display();
    let anew = format!("to write a new baseline, run `overrule check --write-baseline {shown}`");
    let cannot = |why: &str| Failure::new(format!("cannot read `{shown}`: {why}"));
    let mut bytes = Vec::new();
    File::open(file).and_then(|open| open.take(BASELINE_LIMIT).read_to_end(&mut bytes)).map_err(|error| {
        let failure = Failure::cannot("read", file, &error);
        if error.kind() == ErrorKind::NotFound { failure.help(anew.as_str()) } else { failure }
    })?;
    if bytes.len() as u64 == BASELINE_LIMIT {
        return Err(cannot("it is too large for a baseline").help(anew));
    }
    let text = String::from_utf8(bytes).map_err(|_| cannot("it is not a baseline"))?;
    if !Baseline::is_one(&text) {
        return Err(cannot("it is not a baseline").help("name a file that `--write-baseline` wrote"));
    }
    Baseline::parse(&text).map_err(|why| cannot(&why).help(format!("remove this line; {anew}")))
}

/// Checks that a baseline to write does not replace another file.
fn replaceable(file: &Path) -> Result<(), Failure> {
    if !file.is_file() || baseline(file).is_ok() {
        return Ok(());
    }
    let what = format!("`{}` exists and is not a baseline", file.display());
    Err(Failure::new(what).help("name another file, or remove this one"))
}

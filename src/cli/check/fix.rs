//! Turns what was fixed into files, or into what would change in them.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use clap::builder::PossibleValue;
use tempfile::{Builder, NamedTempFile};

use crate::check::{self, Fixed, Settings, Verdict};
use crate::cli::Failure;
use crate::cli::stream::{err, out};
use crate::finding::Safety;
use crate::report::{Names, one_line, unified};
use crate::source::{Standing, Worktree};
use crate::text::{FileId, counted};

/// Options that have findings fixed.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Arguments {
    /// Fixes in the work tree what can be fixed: what is safe, or with `--fix=unsafe` also what may change more than it
    /// mends
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
    /// Shows what `--fix` would change, and changes nothing; the exit code is 1 if that is anything
    #[arg(long, conflicts_with_all = OTHERS, conflicts_with_all = ["format", "output", "statistics"])]
    pub(super) diff: bool,
}

/// Options that write something else into files.
const OTHERS: [&str; 2] = ["write_baseline", "add_exceptions"];

/// How many places are named of those that one reason holds for.
const MOST_PLACES: usize = 3;

impl Arguments {
    /// Which fixes are asked for.
    pub(super) fn wanted(&self) -> Option<Safety> {
        self.fix.or(self.diff.then_some(Safety::Safe))
    }
}

/// Fixes what a run told, as far as the files on disk may be written. Nothing is written yet.
pub(super) fn fix(worktree: &Worktree, told: &[Verdict], settings: &Settings, safety: Safety) -> Fixed {
    let mut known: HashMap<FileId, Option<String>> = HashMap::new();
    let mut standing = |id: FileId| {
        let look = || match worktree.standing(id) {
            Standing::Same(_) | Standing::SameWithCarriageReturns(_) => None,
            Standing::Other(why) => Some(why),
        };
        known.entry(id).or_insert_with(look).clone()
    };
    check::fix(worktree, told, settings, safety, &mut standing)
}

/// Writes the files, each in one step: who reads one meanwhile reads what was there before, or all that is new.
pub(super) fn write(fixed: &Fixed, before: &Worktree) -> Result<(), Failure> {
    let mut ready: Vec<(NamedTempFile, PathBuf)> = Vec::new();
    for id in &fixed.files {
        let name = before.sources().get(*id).name();
        let text = fixed.worktree.sources().get(*id).text();
        let cannot =
            |why: String| Failure::new(format!("nothing is fixed: cannot write `{}`: {why}", one_line(name)));
        let (path, text) = match before.standing(*id) {
            Standing::Same(path) => (path, text.to_owned()),
            Standing::SameWithCarriageReturns(path) => (path, text.replace('\n', "\r\n")),
            Standing::Other(why) => return Err(cannot(why)),
        };
        ready.push((prepare(&path, &text).map_err(|error| cannot(error.to_string()))?, path));
    }
    for (file, path) in ready {
        file.persist(&path)
            .map_err(|failed| Failure::new(format!("cannot write `{}`: {}", path.display(), failed.error)))?;
    }
    Ok(())
}

/// A file beside another, with its permissions, that can take its place.
fn prepare(path: &Path, text: &str) -> io::Result<NamedTempFile> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = Builder::new().prefix(".overrule-").suffix(".tmp").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(fs::metadata(path)?.permissions())?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// Shows on standard output what is different in the files.
pub(super) fn show(fixed: &Fixed, before: &Worktree, color: bool) -> Result<(), Failure> {
    let mut shown = String::new();
    for id in &fixed.files {
        let source = before.sources().get(*id);
        let name = one_line(source.name());
        let after = fixed.worktree.sources().get(*id).text();
        shown.push_str(&unified(&format!("a/{name}"), &format!("b/{name}"), source.text(), after, color));
    }
    out(&shown)
}

/// Says what was done, or would be, and what was not for which reason.
pub(super) fn tell(fixed: &Fixed, is_done: bool, is_staged: bool, names: &Names) {
    if !fixed.mended.is_empty() {
        let done = if is_done { "fixed" } else { "would fix" };
        let (findings, files) = (counted(fixed.mended.len(), "finding"), counted(fixed.files.len(), "file"));
        let stage = if is_done && is_staged { "; stage what you want of that" } else { "" };
        err(&format!("{done} {findings} in {files}{stage}\n"));
    }
    let mut by_reason: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (verdict, why) in &fixed.withheld {
        by_reason.entry(why).or_default().push(place(verdict, fixed, names));
    }
    for (why, mut places) in by_reason {
        let others = places.len().saturating_sub(MOST_PLACES);
        places.truncate(MOST_PLACES);
        let others = if others == 0 { String::new() } else { format!(" and {others} more") };
        err(&format!("not fixed: {}{others}: {}\n", places.join(", "), one_line(why)));
    }
}

fn place(verdict: &Verdict, fixed: &Fixed, names: &Names) -> String {
    let finding = &verdict.finding;
    let place = match finding.primary {
        Some(span) => {
            let source = fixed.worktree.sources().get(span.file);
            format!("{}:{}", one_line(&names.of(source.name())), source.position(span.start).line)
        }
        None => one_line(&names.of(&finding.module)).into_owned(),
    };
    format!("{place} ({})", finding.rule.as_str())
}

impl ValueEnum for Safety {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Safe, Self::Unsafe]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

//! Turns new texts of files into files: each in one step, and none where one of them is seen not to be possible.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use crate::cli::Failure;
use crate::cli::stream::err;
use crate::report::one_line;
use crate::source::{Standing, Worktree, cause};
use crate::text::FileId;

/// Files that are about to be written. Nothing is changed before [`Rewrite::finish`]; who reads a file meanwhile reads what
/// was there before, or all that is new.
#[derive(Debug, Default)]
pub(super) struct Rewrite {
    changed: Vec<(NamedTempFile, PathBuf)>,
    new: Vec<(String, PathBuf)>,
}

/// How many names are told of those that one reason holds for.
const MOST_NAMES: usize = 3;

/// Why a file of a run may not be changed, if so.
pub(super) fn refusal(worktree: &Worktree, id: FileId) -> Option<String> {
    match worktree.standing(id) {
        Standing::Same(_) | Standing::SameWithCarriageReturns(_) => None,
        Standing::Other(why) => Some(why),
    }
}

/// Says what was not changed for which reason.
pub(super) fn tell_refused(what: &str, by_reason: BTreeMap<&str, Vec<String>>) {
    for (why, mut names) in by_reason {
        let others = names.len().saturating_sub(MOST_NAMES);
        names.truncate(MOST_NAMES);
        let others = if others == 0 { String::new() } else { format!(" and {others} more") };
        err(&format!("{what}: {}{others}: {}\n", names.join(", "), one_line(why)));
    }
}

impl Rewrite {
    /// Makes ready a text for a file of the run.
    pub(super) fn change(&mut self, worktree: &Worktree, id: FileId, text: &str) -> Result<(), Failure> {
        let name = Path::new(worktree.sources().get(id).name());
        let (path, text) = match worktree.standing(id) {
            Standing::Same(path) => (path, text.to_owned()),
            Standing::SameWithCarriageReturns(path) => (path, text.replace('\n', "\r\n")),
            Standing::Other(why) => return Err(unchanged(name, &why)),
        };
        self.prepare(path, &text).map_err(|error| unchanged(name, &cause(&error)))
    }

    /// Makes ready a text for a file that somebody named, and that may lie anywhere; `before` is what was read of it. A link
    /// stays one, and what it leads to is changed.
    pub(super) fn change_at(&mut self, path: &Path, before: &str, text: &str) -> Result<(), Failure> {
        let failed = |error: io::Error| unchanged(path, &cause(&error));
        let real = fs::canonicalize(path).map_err(failed)?;
        if fs::metadata(&real).map_err(failed)?.permissions().readonly() {
            return Err(unchanged(path, "it is read-only"));
        }
        if fs::read(&real).map_err(failed)? != before.as_bytes() {
            return Err(unchanged(path, "it has changed since it was read"));
        }
        self.prepare(real, text).map_err(failed)
    }

    /// Adds a file that is not there yet.
    pub(super) fn create(&mut self, path: PathBuf, text: String) {
        self.new.push((text, path));
    }

    /// Puts all of it in its place, and says how many files that are.
    pub(super) fn finish(self) -> Result<usize, Failure> {
        let mut done = 0;
        // What is new may be there meanwhile, so it is tried before anything is changed.
        for (text, path) in self.new {
            let written = File::create_new(&path).and_then(|mut file| file.write_all(text.as_bytes()));
            written.map_err(|error| Failure::cannot("write", &path, &error).behind(done))?;
            done += 1;
        }
        for (file, path) in self.changed {
            file.persist(&path)
                .map_err(|failed| Failure::cannot("write", &path, &failed.error).behind(done))?;
            done += 1;
        }
        Ok(done)
    }

    /// Writes a file beside another, with its permissions, that can take its place.
    fn prepare(&mut self, path: PathBuf, text: &str) -> io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut file = Builder::new().prefix(".overrule-").suffix(".tmp").tempfile_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().set_permissions(fs::metadata(&path)?.permissions())?;
        file.as_file().sync_all()?;
        self.changed.push((file, path));
        Ok(())
    }
}

fn unchanged(path: &Path, why: &str) -> Failure {
    Failure::new(format!("nothing was changed: cannot write `{}`: {why}", path.display()))
}

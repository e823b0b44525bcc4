//! Writes new content to files: each atomically, and none if one of them cannot be written.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use crate::cli::Failure;
use crate::cli::stream::{create, err};
use crate::report::one_line;
use crate::text::FileId;
use crate::vfs::{HARD_LINKS, Snapshot, Standing, cause, has_hard_links};

/// Files to write. Nothing changes before [`Rewrite::finish`]. A concurrent reader sees the old or the new content.
#[derive(Debug, Default)]
pub(super) struct Rewrite {
    /// The git directory, if there is one.
    scratch: Option<PathBuf>,
    changed: Vec<(NamedTempFile, PathBuf)>,
    new: Vec<(String, PathBuf)>,
}

/// The number of file names in a message about one reason.
const MOST_NAMES: usize = 3;

/// Returns why a file may not be changed, if so.
pub(super) fn refusal(snapshot: &Snapshot, id: FileId) -> Option<String> {
    match snapshot.standing(id) {
        Standing::Same(_) | Standing::SameWithCarriageReturns(_) => None,
        Standing::Other(why) => Some(why),
    }
}

/// Prints which files were not changed, with the reason.
pub(super) fn tell_refused(what: &str, by_reason: BTreeMap<&str, Vec<String>>) {
    for (why, mut names) in by_reason {
        let others = names.len().saturating_sub(MOST_NAMES);
        names.truncate(MOST_NAMES);
        let others = if others == 0 { String::new() } else { format!(" and {others} more") };
        err(&format!("{what}: {}{others}: {}\n", names.join(", "), one_line(why)));
    }
}

impl Rewrite {
    /// Creates a rewrite for the files of a run.
    pub(super) fn of(snapshot: &Snapshot) -> Self {
        Self { scratch: snapshot.git_directory(), ..Self::default() }
    }

    /// Adds new content for a file of the run.
    pub(super) fn change(&mut self, snapshot: &Snapshot, id: FileId, text: &str) -> Result<(), Failure> {
        let name = Path::new(snapshot.sources().get(id).name());
        let (path, text) = match snapshot.standing(id) {
            Standing::Same(path) => (path, text.to_owned()),
            Standing::SameWithCarriageReturns(path) => (path, text.replace('\n', "\r\n")),
            Standing::Other(why) => return Err(unchanged(name, &why)),
        };
        self.prepare(path, &text).map_err(|error| unchanged(name, &cause(&error)))
    }

    /// Adds new content for a file anywhere. `before` is its old content. The target of a symbolic link is changed, not
    /// the link.
    pub(super) fn change_at(&mut self, path: &Path, before: &str, text: &str) -> Result<(), Failure> {
        let failed = |error: io::Error| unchanged(path, &cause(&error));
        let real = fs::canonicalize(path).map_err(failed)?;
        let metadata = fs::metadata(&real).map_err(failed)?;
        if metadata.permissions().readonly() {
            return Err(unchanged(path, "it is read-only"));
        }
        if has_hard_links(&metadata) {
            return Err(unchanged(path, HARD_LINKS));
        }
        if fs::read(&real).map_err(failed)? != before.as_bytes() {
            return Err(unchanged(path, "it was changed during the run"));
        }
        self.prepare(real, text).map_err(failed)
    }

    /// Adds a new file.
    pub(super) fn create(&mut self, path: PathBuf, text: String) {
        self.new.push((text, path));
    }

    /// Writes all files and returns their number.
    pub(super) fn finish(self) -> Result<usize, Failure> {
        let mut done = 0;
        // A new file may exist by now, so it is created before any other file changes.
        for (text, path) in self.new {
            create(&path, &text).map_err(|error| Failure::cannot("write", &path, &error).behind(done))?;
            done += 1;
        }
        for (file, path) in self.changed {
            file.persist(&path)
                .map_err(|failed| Failure::cannot("write", &path, &failed.error).behind(done))?;
            done += 1;
        }
        Ok(done)
    }

    /// Writes a temporary file with the owner and the permissions of the file that it replaces.
    ///
    /// It is in the git directory if that is on the same file system, so that `git add` never finds the file of an
    /// interrupted run, and otherwise beside the file.
    fn prepare(&mut self, path: PathBuf, text: &str) -> io::Result<()> {
        let metadata = fs::metadata(&path)?;
        let beside = path.parent().unwrap_or(Path::new("."));
        let directory = self.scratch.as_deref().filter(|scratch| is_same_file_system(scratch, beside));
        let mut file =
            Builder::new().prefix(".overrule-").suffix(".tmp").tempfile_in(directory.unwrap_or(beside))?;
        file.write_all(text.as_bytes())?;
        keep_owner(&metadata, file.as_file())?;
        file.as_file().set_permissions(metadata.permissions())?;
        file.as_file().sync_all()?;
        self.changed.push((file, path));
        Ok(())
    }
}

/// Gives a file the owner and the group of the one that it replaces, or fails.
#[cfg(unix)]
fn keep_owner(old: &Metadata, new: &File) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let made = new.metadata()?;
    if (old.uid(), old.gid()) == (made.uid(), made.gid()) {
        return Ok(());
    }
    fchown(new, Some(old.uid()), Some(old.gid()))
        .map_err(|error| io::Error::new(error.kind(), "its owner or group cannot be preserved"))
}

/// A new file inherits the permissions of its directory.
#[cfg(not(unix))]
fn keep_owner(_: &Metadata, _: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn is_same_file_system(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let device = |path: &Path| fs::metadata(path).map(|metadata| metadata.dev()).ok();
    device(one).is_some_and(|one| device(other) == Some(one))
}

#[cfg(not(unix))]
fn is_same_file_system(one: &Path, other: &Path) -> bool {
    let volume = |path: &Path| {
        fs::canonicalize(path).ok()?.components().next().map(|part| part.as_os_str().to_owned())
    };
    volume(one).is_some_and(|one| volume(other) == Some(one))
}

fn unchanged(path: &Path, why: &str) -> Failure {
    Failure::new(format!("nothing was changed: cannot write `{}`: {why}", path.display()))
}

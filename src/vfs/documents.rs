//! Finds the policies and pages in a directory, for `overrule test`.

use std::ffi::OsStr;
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

use super::from_disk;
use super::policy::POLICY_LIMIT;
use super::read::{self, Failure};
use super::top_directory::{OF_TOOLS, slashed};
use super::{Error, Snapshot};
use crate::engine::LOCK_FILE;
use crate::text::{FileId, Source};

/// The documents in and below a directory, each list sorted by path.
#[derive(Debug, Default)]
pub struct Documents {
    /// The `.hcl` files. Not all have to be policies.
    pub policies: Vec<FileId>,
    /// The `.md` files.
    pub pages: Vec<FileId>,
}

impl Snapshot {
    /// Reads the documents of a directory that is relative to the directory `current`. The top is that of the
    /// repository around it, or the directory itself.
    pub fn of_documents(current: &Path, directory: &Path) -> Result<(Self, Documents), Error> {
        let given = from_disk::given(current, directory)?;
        if !given.is_directory {
            return Err(Error::File { path: directory.to_owned(), why: "it is not a directory".to_owned() });
        }
        let mut snapshot = Self::without_modules(&given.real)?;
        let mut files = Vec::new();
        let mut next = vec![given.real];
        while let Some(directory) = next.pop() {
            let unreadable = |error| Error::path(&directory, &directory, error);
            for entry in fs::read_dir(&directory).map_err(unreadable)? {
                let entry = entry.map_err(unreadable)?;
                let kind = entry.file_type().map_err(unreadable)?;
                let is_left_out = OF_TOOLS.iter().any(|name| entry.file_name() == *name);
                if kind.is_dir() && !is_left_out {
                    next.push(entry.path());
                } else if !kind.is_dir() && is_document(&entry) {
                    files.push(entry.path());
                }
            }
        }
        files.sort();
        let mut documents = Documents::default();
        for path in files {
            let is_page = path.extension() == Some(OsStr::new("md"));
            let id = snapshot.document(&path)?;
            if is_page { &mut documents.pages } else { &mut documents.policies }.push(id);
        }
        Ok((snapshot, documents))
    }

    fn document(&mut self, path: &Path) -> Result<FileId, Error> {
        let failed = |why: &Failure| Error::File { path: path.to_owned(), why: why.reason() };
        let top = self.top().map(Path::to_owned).unwrap_or_default();
        let real: PathBuf = fs::canonicalize(path).map_err(|error| failed(&Failure::Io(error)))?;
        // A link out of the repository is not followed.
        if !real.starts_with(&top) {
            return Err(failed(&Failure::Leaves));
        }
        let bytes = read::regular(&real, POLICY_LIMIT).map_err(|failure| failed(&failure))?;
        let name = slashed(path.strip_prefix(&top).unwrap_or(path));
        Ok(self.sources.push(Source::new(name, bytes)))
    }
}

/// The dependency lock file is not a policy.
fn is_document(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    let extension = Path::new(&name).extension();
    (extension == Some(OsStr::new("hcl")) && name != LOCK_FILE) || extension == Some(OsStr::new("md"))
}

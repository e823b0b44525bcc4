//! Reads policy files.
//!
//! They come from the checked state, or from a revision that the author of that state cannot change.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{MAIN_SEPARATOR, Path};
use std::sync::Arc;

use super::git::Git;
use super::git::tree::GitTree;
use super::path::{child, join, parent};
use super::read::{self, Failure};
use super::top_directory::slashed;
use super::{Error, Origin, Snapshot};
use crate::text::file_name::{decode_os, encode_os, without_verbatim_prefix};
use crate::text::{FileId, Source};

/// The paths of the policy in a repository. A new one gets the first.
pub const POLICIES: [&str; 2] = ["overrule.hcl", ".config/overrule.hcl"];

/// The maximum size of a policy in bytes.
pub(super) const POLICY_LIMIT: u64 = 4 << 20;

/// The reason why a policy file was not read.
#[derive(Debug)]
pub struct NotRead {
    /// One line for the end of a sentence.
    pub why: String,
    /// Whether it is outside the repository.
    pub is_outside: bool,
}

impl From<Failure> for NotRead {
    fn from(failure: Failure) -> Self {
        Self { why: failure.reason(), is_outside: matches!(failure, Failure::Leaves) }
    }
}

impl Snapshot {
    /// Takes policies from a revision of the repository around the directory `current`.
    pub fn trust(&mut self, current: &Path, revision: &str) -> Result<(), Error> {
        let git = Git::around(current)?;
        let commit = git.known_commit(revision)?;
        let trusted = GitTree::of_tree(&git.repository, git.tree(commit)?);
        for name in POLICIES {
            // The policy is read later. Here, only a file that a partial clone lacks matters.
            let _ = trusted.read().content(name, POLICY_LIMIT);
        }
        if trusted.has_missed(false) {
            return Err(trusted.remedy(revision).now(&BTreeSet::new()));
        }
        self.trusted = Some(Arc::new(trusted));
        Ok(())
    }

    /// Reads the policy of the repository, if there is one.
    pub fn read_policy(&mut self) -> Result<Option<FileId>, Error> {
        let mut found = Vec::new();
        for name in POLICIES {
            match self.content(name) {
                Ok(bytes) => found.push(Source::new(name, bytes)),
                Err(Failure::Io(error)) if error.kind() == ErrorKind::NotFound => {}
                Err(failure) => return Err(Error::File { path: name.into(), why: failure.reason() }),
            }
        }
        let mut found = found.into_iter();
        let policy = found.next();
        if found.next().is_some() {
            return Err(Error::TwoPolicies { first: POLICIES[0].into(), second: POLICIES[1].into() });
        }
        Ok(policy.map(|policy| self.sources.push(policy)))
    }

    /// Reads the policy at a path relative to the directory `current`, which may be anywhere.
    pub fn read_policy_at(&mut self, current: &Path, path: &Path) -> Result<FileId, Error> {
        let at = current.join(path);
        let real = fs::canonicalize(&at).map_err(|error| Error::path(path, &at, error))?;
        let bytes = read::regular(&real, POLICY_LIMIT)
            .map_err(|failure| Error::File { path: path.to_owned(), why: failure.reason() })?;
        let name = match self.top().and_then(|top| real.strip_prefix(top).ok()) {
            Some(inside) => slashed(inside),
            None => without_verbatim_prefix(&decode_os(real.as_os_str())).replace(MAIN_SEPARATOR, "/"),
        };
        Ok(self.sources.push(Source::new(name, bytes)))
    }

    /// Reads a policy that another one extends. The path is relative to the directory of that one, and has to be in the
    /// repository or below that directory.
    pub fn read_beside(&mut self, policy: FileId, path: &str) -> Result<FileId, NotRead> {
        let name = self.sources.get(policy).name();
        let directory = parent(name).unwrap_or_default().to_owned();
        // A policy outside the repository is named by its path on disk.
        let is_outside = Path::new(&directory).is_absolute();
        let inside = join(if is_outside { "" } else { &directory }, path);
        let inside = inside.ok_or(Failure::Leaves)?;
        let (name, bytes) = if is_outside {
            let name = child(&directory, &inside);
            let bytes = read::regular(Path::new(&encode_os(&name)), POLICY_LIMIT);
            (name, bytes)
        } else {
            let bytes = self.content(&inside);
            (inside, bytes)
        };
        Ok(self.sources.push(Source::new(name, bytes?)))
    }

    /// The content of a file that is not part of a module, relative to the top.
    fn content(&self, path: &str) -> Result<Vec<u8>, Failure> {
        if let Some(trusted) = &self.trusted {
            return trusted.read().content(path, POLICY_LIMIT);
        }
        match &self.origin {
            Origin::Memory { others, .. } => {
                others.get(path).cloned().ok_or_else(|| Failure::Io(ErrorKind::NotFound.into()))
            }
            Origin::Git { git_tree, .. } => git_tree.read().content(path, POLICY_LIMIT),
            Origin::Disk(top) => read::inside(top, path, POLICY_LIMIT),
        }
    }
}

//! Turns the place where a policy is kept into a source of the run.
//!
//! That place is the state that the run looks at, or a revision that whoever made that state cannot alter.

use std::fs;
use std::io::ErrorKind;
use std::path::{MAIN_SEPARATOR, Path};
use std::sync::Arc;

use super::git::Git;
use super::git_tree::GitTree;
use super::path::{child, join, parent};
use super::read::{self, Failure};
use super::top::slashed;
use super::{Error, Origin, Snapshot};
use crate::text::file_name::{decode_os, encode_os, without_verbatim_prefix};
use crate::text::{FileId, Source};

/// Where a repository keeps its policy; a new one goes to the first.
pub const POLICIES: [&str; 2] = ["overrule.hcl", ".config/overrule.hcl"];

/// Policies that people write stay far below this.
pub(super) const POLICY_LIMIT: u64 = 4 << 20;

impl Snapshot {
    /// From now on takes policies from a revision of the repository around the directory `current`, whatever lies in
    /// what the run looks at.
    pub fn trust(&mut self, current: &Path, revision: &str) -> Result<(), Error> {
        let git = Git::around(current)?;
        let commit = git.known_commit(revision)?;
        self.trusted = Some(Arc::new(GitTree::of_tree(&git.repository, git.tree(commit)?)));
        Ok(())
    }

    /// Reads the policy at the top of the run, if there is one.
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

    /// Reads the policy at a path that a person gives in the directory `current`. It may lie anywhere.
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

    /// Reads a policy that another one names, from the directory of that one; in the repository, or below that
    /// directory.
    pub fn read_beside(&mut self, policy: FileId, path: &str) -> Result<FileId, String> {
        let name = self.sources.get(policy).name();
        let directory = parent(name).unwrap_or_default().to_owned();
        // A policy from outside of the run is called as it is on disk.
        let is_outside = Path::new(&directory).is_absolute();
        let inside = join(if is_outside { "" } else { &directory }, path);
        let inside = inside.ok_or_else(|| Failure::Leaves.reason())?;
        let (name, bytes) = if is_outside {
            let name = child(&directory, &inside);
            let bytes = read::regular(Path::new(&encode_os(&name)), POLICY_LIMIT);
            (name, bytes)
        } else {
            let bytes = self.content(&inside);
            (inside, bytes)
        };
        let bytes = bytes.map_err(|failure| failure.reason())?;
        Ok(self.sources.push(Source::new(name, bytes)))
    }

    /// The bytes of a file at a path from the top that is no part of a module.
    fn content(&self, path: &str) -> Result<Vec<u8>, Failure> {
        let missing = || Failure::Io(ErrorKind::NotFound.into());
        if let Some(trusted) = &self.trusted {
            return trusted.read().content(path, POLICY_LIMIT);
        }
        match &self.origin {
            Origin::Memory { others, .. } => others.get(path).cloned().ok_or_else(missing),
            Origin::Git { git_tree, .. } => git_tree.read().content(path, POLICY_LIMIT),
            // Of directories without a repository around them, what lies beside them is none of our business.
            Origin::Disk(top) if !top.holds(top.path()) => Err(missing()),
            Origin::Disk(top) => {
                let real = fs::canonicalize(top.path().join(encode_os(path))).map_err(Failure::Io)?;
                if top.holds(&real) { read::regular(&real, POLICY_LIMIT) } else { Err(Failure::Leaves) }
            }
        }
    }
}

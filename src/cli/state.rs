//! The options `--staged` and `--rev`.

use std::path::{Path, PathBuf};

use super::Failure;
use crate::vfs::Snapshot;

/// Options for the state to read. The default is the working tree.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Arguments {
    /// Read staged content instead of the working tree
    #[arg(long)]
    staged: bool,
    /// Read a commit instead of the working tree
    #[arg(long, value_name = "REV", conflicts_with = "staged")]
    rev: Option<String>,
}

impl Arguments {
    /// Lists the files of that state around paths.
    pub(super) fn open(&self, current: &Path, paths: &[PathBuf]) -> Result<Snapshot, Failure> {
        let read = match &self.rev {
            Some(revision) => Snapshot::listed_in_revision(current, revision),
            None if self.staged => Snapshot::listed_in_index(current),
            None => return Ok(Snapshot::listed(current, paths)?),
        };
        Ok(read?.asked(current, paths)?)
    }

    /// Checks that the clone has all files of the directories for which `is_needed` is true.
    pub(super) fn has_files(
        &self,
        snapshot: &Snapshot,
        is_needed: impl Fn(&str) -> bool,
    ) -> Result<(), Failure> {
        Ok(snapshot.has_files(self.revision(), is_needed)?)
    }

    /// The revision that contains the files of that state, except new staged files, which every clone has.
    fn revision(&self) -> &str {
        self.rev.as_deref().unwrap_or("HEAD")
    }
}

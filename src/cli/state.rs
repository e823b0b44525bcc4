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
}

//! A snapshot with other content of some files, and checks whether files can be written.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Origin, Snapshot, read};
use crate::text::FileId;
use crate::text::file_name::encode_os;

/// The state of a file on disk, compared with what was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It is unchanged and can be written.
    Same(PathBuf),
    /// It differs only in its line endings, as on Windows.
    SameWithCarriageReturns(PathBuf),
    /// It must not be written, for this reason in one lower-case line.
    Other(String),
}

impl Snapshot {
    /// Returns the snapshot with other content of some files.
    #[must_use]
    pub fn edited(&self, texts: &BTreeMap<FileId, String>) -> Self {
        let mut edited = self.clone();
        for (id, text) in texts {
            edited.sources.replace(*id, text);
        }
        edited
    }

    /// Checks whether a file can be written.
    pub fn standing(&self, id: FileId) -> Standing {
        let source = self.sources.get(id);
        let Some(top) = self.top() else {
            return Standing::Other("it is not in a working tree".to_owned());
        };
        let disk = top.join(encode_os(source.name()));
        let in_index = match &self.origin {
            Origin::Disk(_) | Origin::Memory { .. } => false,
            Origin::Git { .. } => true,
        };
        standing(top, &disk, source.text(), in_index).unwrap_or_else(|error| {
            Standing::Other(format!("it could not be read again: {}", read::Failure::Io(error).reason()))
        })
    }
}

/// The reason for a file with several hard links.
pub const HARD_LINKS: &str = "it has other hard links, which would not change";

/// Whether a file has several hard links. Replacing one would separate them.
#[cfg(unix)]
pub fn has_hard_links(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) > 1
}

/// Whether a file has several hard links, which is unknown without an open file.
#[cfg(not(unix))]
pub fn has_hard_links(_: &fs::Metadata) -> bool {
    false
}

fn standing(top: &Path, disk: &Path, text: &str, in_index: bool) -> std::io::Result<Standing> {
    let metadata = fs::symlink_metadata(disk)?;
    let refused = |why: &str| Ok(Standing::Other(why.to_owned()));
    if metadata.is_symlink() {
        return refused("it is a symbolic link");
    }
    if !metadata.is_file() {
        return refused("it is not a regular file");
    }
    if has_hard_links(&metadata) {
        return refused(HARD_LINKS);
    }
    let real = fs::canonicalize(disk)?;
    if !real.starts_with(fs::canonicalize(top)?) {
        return refused("it is outside the repository");
    }
    if metadata.permissions().readonly() {
        return refused("it is read-only");
    }
    let bytes = fs::read(disk)?;
    if bytes == text.as_bytes() {
        return Ok(Standing::Same(real));
    }
    if !in_index {
        return refused("it was changed during the run");
    }
    let is_converted = !text.contains('\r') && bytes == text.replace('\n', "\r\n").as_bytes();
    if is_converted {
        return Ok(Standing::SameWithCarriageReturns(real));
    }
    refused("it has changes that are not staged")
}

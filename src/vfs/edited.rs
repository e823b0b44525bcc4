//! Turns a working tree and new texts for some of its files into the working tree as it would be, and says of a file on
//! disk whether it may be written.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Origin, Snapshot, read};
use crate::text::FileId;
use crate::text::file_name::encode_os;

/// How a file on disk stands to what was read of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It holds what was read, and may be written.
    Same(PathBuf),
    /// The same, but for its lines, which end as those of Windows do on disk and not in the index.
    SameWithCarriageReturns(PathBuf),
    /// It is not to be written; one lower-case line says why.
    Other(String),
}

impl Snapshot {
    /// The working tree with other texts for some files.
    #[must_use]
    pub fn edited(&self, texts: &BTreeMap<FileId, String>) -> Self {
        let mut edited = self.clone();
        for (id, text) in texts {
            edited.sources.replace(*id, text);
        }
        edited
    }

    /// Looks whether a file of the run may be written where it lies on disk.
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

/// Why a file with several hard links is not written.
pub const HARD_LINKS: &str = "it has other hard links, which would not change";

/// Whether other names on the file system are the same file, so that replacing one of them would part them.
#[cfg(unix)]
pub fn has_hard_links(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) > 1
}

/// Whether other names on the file system are the same file; unknown without a handle of it.
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
        return refused("it is outside of the repository");
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

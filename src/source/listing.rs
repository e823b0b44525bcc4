//! A folder on disk, turned into the names in it that matter, without a look into any file.

use std::ffi::OsString;
use std::fs::{self, FileType};
use std::io;
use std::path::Path;

use smol_str::{SmolStr, ToSmolStr};

use crate::engine::{self, Signal};

/// What a folder holds.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// Files that some engine would load, sorted byte by byte.
    pub(super) modules: Vec<Entry>,
    /// Files that may say which engine is meant, sorted.
    pub(super) evidence: Vec<Entry>,
    /// Folders, sorted.
    pub(super) folders: Vec<OsString>,
    /// Symbolic links under other names than those above, sorted.
    pub(super) links: Vec<OsString>,
    pub(super) has_lock_file: bool,
    pub(super) has_values: bool,
    /// Whether another repository begins here.
    pub(super) has_git: bool,
}

/// A file, or what has the name of one.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: SmolStr,
    pub(super) on_disk: OsString,
    pub(super) kind: Kind,
}

/// What an entry of a folder is, without following a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Link,
    /// A pipe, a socket, a device: opening one may block for ever.
    Special,
}

/// Reads the names in `folder`. What vanishes meanwhile was never there.
pub(super) fn list(folder: &Path) -> io::Result<Listing> {
    let mut listing = Listing::default();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if let Ok(kind) = entry.file_type() {
            listing.add(entry.file_name(), kind);
        }
    }
    listing.modules.sort_by(|a, b| a.on_disk.cmp(&b.on_disk));
    listing.evidence.sort_by(|a, b| a.on_disk.cmp(&b.on_disk));
    listing.folders.sort();
    listing.links.sort();
    Ok(listing)
}

impl Listing {
    fn add(&mut self, on_disk: OsString, kind: FileType) {
        let text = on_disk.to_string_lossy();
        if text == ".git" {
            self.has_git = true;
        } else if kind.is_dir() {
            self.folders.push(on_disk);
        } else if engine::is_module_file(&text) {
            self.modules.push(Entry { name: text.to_smolstr(), kind: Kind::of(kind), on_disk });
        } else if Signal::may_be_in(&text) {
            self.has_lock_file |= text == ".terraform.lock.hcl";
            self.evidence.push(Entry { name: text.to_smolstr(), kind: Kind::of(kind), on_disk });
        } else if text.ends_with(".tfvars") || text.ends_with(".tfvars.json") {
            self.has_values = true;
        } else if kind.is_symlink() {
            self.links.push(on_disk);
        }
    }
}

impl Kind {
    fn of(kind: FileType) -> Self {
        if kind.is_file() {
            Self::File
        } else if kind.is_symlink() {
            Self::Link
        } else {
            Self::Special
        }
    }
}

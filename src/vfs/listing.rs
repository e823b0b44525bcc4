//! Finds the relevant names in a directory without reading files.

use std::ffi::OsString;
use std::fs::{self, FileType};
use std::io;
use std::path::Path;

use smol_str::{SmolStr, ToSmolStr};

use crate::engine::{self, Companion, LOCK_FILE, Signal, is_automatic_values_file};
use crate::text::file_name::decode_os;

/// The relevant entries of a directory. `At` is the type of their places.
#[derive(Debug)]
pub(super) struct Listing<At> {
    /// Files that an engine may load, in the order in which they were added.
    pub(super) modules: Vec<Entry<At>>,
    /// Files that may be evidence of an engine.
    pub(super) evidence: Vec<Entry<At>>,
    pub(super) has_lock_file: bool,
    /// Files that an engine reads beside those of a module.
    pub(super) companions: Vec<Entry<At>>,
    /// JSON files that lack only a part of the name of an override file, without symbolic links.
    pub(super) misnamed: Vec<Entry<At>>,
    /// Files of kinds that are not read, by name.
    pub(super) unread: Vec<SmolStr>,
    /// Module files that a tool generates from templates in this directory, by name.
    pub(super) rendered: Vec<SmolStr>,
}

/// An entry with the name of a relevant file.
#[derive(Debug)]
pub(super) struct Entry<At> {
    pub(super) name: SmolStr,
    pub(super) at: At,
    pub(super) kind: Kind,
}

/// The kind of an entry, without following a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Link,
    Directory,
    /// A pipe, a socket or a device. Opening one may block forever.
    Special,
}

/// The entries of a directory on disk.
#[derive(Debug, Default)]
pub(super) struct OnDisk {
    /// Relevant files, sorted by bytes.
    pub(super) files: Listing<OsString>,
    /// Directories, sorted.
    pub(super) directories: Vec<OsString>,
    /// Symbolic links with other names than those of relevant files, sorted.
    pub(super) links: Vec<OsString>,
    /// Whether another repository starts here.
    pub(super) has_git: bool,
}

/// Lists `directory`. An entry that disappears meanwhile is skipped.
pub(super) fn list(directory: &Path) -> io::Result<OnDisk> {
    let mut listing = OnDisk::default();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if let Ok(kind) = entry.file_type() {
            listing.add(entry.file_name(), kind);
        }
    }
    listing.files.modules.sort_by(|a, b| a.at.cmp(&b.at));
    listing.files.evidence.sort_by(|a, b| a.at.cmp(&b.at));
    listing.files.companions.sort_by(|a, b| a.at.cmp(&b.at));
    listing.files.misnamed.sort_by(|a, b| a.at.cmp(&b.at));
    listing.directories.sort();
    listing.links.sort();
    Ok(listing)
}

impl<At> Default for Listing<At> {
    fn default() -> Self {
        Self {
            modules: Vec::new(),
            evidence: Vec::new(),
            misnamed: Vec::new(),
            has_lock_file: false,
            companions: Vec::new(),
            unread: Vec::new(),
            rendered: Vec::new(),
        }
    }
}

impl<At> Listing<At> {
    /// Whether a template generates a module file that does not exist.
    pub(super) fn lacks_rendered_files(&self) -> bool {
        self.rendered.iter().any(|file| self.modules.iter().all(|entry| entry.name != *file))
    }

    /// Whether there are variable values, which is a sign of a root module.
    pub(super) fn has_values(&self) -> bool {
        self.companions.iter().any(|entry| Companion::of(&entry.name) == Some(Companion::Values))
    }

    /// Whether there are no relevant entries.
    pub(super) fn is_empty(&self) -> bool {
        self.modules.is_empty()
            && self.evidence.is_empty()
            && self.companions.is_empty()
            && self.unread.is_empty()
    }

    /// Adds a directory with the name of a file that an engine then fails to read. Engines ignore all others.
    pub(super) fn add_directory(&mut self, name: &str, at: At) {
        if name == LOCK_FILE || is_automatic_values_file(name) {
            self.add(name, at, Kind::Directory);
        }
    }

    /// Adds an entry that is not a directory, if its name is relevant. Returns its place otherwise.
    pub(super) fn add(&mut self, name: &str, at: At, kind: Kind) -> Option<At> {
        if engine::is_module_file(name) {
            self.modules.push(Entry { name: name.to_smolstr(), kind, at });
        } else if Signal::may_be_in(name) {
            self.has_lock_file |= name == LOCK_FILE;
            self.evidence.push(Entry { name: name.to_smolstr(), kind, at });
        } else if Companion::of(name).is_some() {
            self.companions.push(Entry { name: name.to_smolstr(), kind, at });
        } else if engine::unread_kind(name).is_some() {
            self.unread.push(name.to_smolstr());
        } else if kind == Kind::File && engine::meant_override_file(name).is_some() {
            self.misnamed.push(Entry { name: name.to_smolstr(), kind, at });
        } else if let Some(file) = rendered(name) {
            self.rendered.push(file);
            return Some(at);
        } else {
            return Some(at);
        }
        None
    }
}

impl OnDisk {
    fn add(&mut self, name: OsString, kind: FileType) {
        let text = decode_os(&name).into_owned();
        if text == ".git" {
            self.has_git = true;
        } else if kind.is_dir() {
            self.files.add_directory(&text, name.clone());
            self.directories.push(name);
        } else if let Some(name) = self.files.add(&text, name, Kind::of(kind))
            && kind.is_symlink()
        {
            self.links.push(name);
        }
    }
}

/// The extensions of templates from which tools generate files before an engine runs.
const TEMPLATES: [&str; 10] =
    [".tftpl", ".j2", ".jinja", ".jinja2", ".erb", ".tmpl", ".tpl", ".gotmpl", ".mustache", ".template"];

/// The module file that a tool generates from a template: `x.tf` from `x.tf.j2`, and for AWS Control Tower Account
/// Factory `x.tf` from `x.jinja`.
pub(super) fn rendered(name: &str) -> Option<SmolStr> {
    let (file, end) = TEMPLATES.iter().find_map(|end| Some((name.strip_suffix(end)?, *end)))?;
    if engine::is_module_file(file) {
        return Some(file.into());
    }
    (end == ".jinja" && !file.contains('.')).then(|| format!("{file}.tf").into())
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

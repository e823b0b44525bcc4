//! The names in a directory, turned into those that matter, without a look into any file.

use std::ffi::OsString;
use std::fs::{self, FileType};
use std::io;
use std::path::Path;

use smol_str::{SmolStr, ToSmolStr};

use crate::engine::{self, Companion, LOCK_FILE, Signal};
use crate::text::file_name::decode_os;

/// What a directory holds; `At` says where each of its files is kept.
#[derive(Debug)]
pub(super) struct Listing<At> {
    /// Files that some engine would load, in the order in which they were added.
    pub(super) modules: Vec<Entry<At>>,
    /// Files that may say which engine is meant.
    pub(super) evidence: Vec<Entry<At>>,
    pub(super) has_lock_file: bool,
    /// Files that an engine reads beside the files of a module.
    pub(super) companions: Vec<Entry<At>>,
    /// JSON files that are override files but for their names; symbolic links left out.
    pub(super) misnamed: Vec<Entry<At>>,
    /// Files of kinds that are not read, by name.
    pub(super) unread: Vec<SmolStr>,
    /// Module files that a tool makes of templates here, by name.
    pub(super) rendered: Vec<SmolStr>,
}

/// A file, or what has the name of one.
#[derive(Debug)]
pub(super) struct Entry<At> {
    pub(super) name: SmolStr,
    pub(super) at: At,
    pub(super) kind: Kind,
}

/// What an entry of a directory is, without following a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Link,
    /// A pipe, a socket, a device: opening one may block for ever.
    Special,
}

/// What a directory on disk holds, by the names there.
#[derive(Debug, Default)]
pub(super) struct OnDisk {
    /// Its files, sorted byte by byte.
    pub(super) files: Listing<OsString>,
    /// Directories, sorted.
    pub(super) directories: Vec<OsString>,
    /// Symbolic links under other names than those of the files, sorted.
    pub(super) links: Vec<OsString>,
    /// Whether another repository begins here.
    pub(super) has_git: bool,
}

/// Reads the names in `directory`. What vanishes meanwhile was never there.
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
    /// Whether a template makes a module file that is not there.
    pub(super) fn lacks_rendered_files(&self) -> bool {
        self.rendered.iter().any(|file| self.modules.iter().all(|entry| entry.name != *file))
    }

    /// Whether there are values of variables, as beside a root module.
    pub(super) fn has_values(&self) -> bool {
        self.companions.iter().any(|entry| Companion::of(&entry.name) == Some(Companion::Values))
    }

    /// Whether nothing in it matters.
    pub(super) fn is_empty(&self) -> bool {
        self.modules.is_empty()
            && self.evidence.is_empty()
            && self.companions.is_empty()
            && self.unread.is_empty()
    }

    /// Adds what is no directory, if its name is one of those that matter; gives back where it is kept if not.
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
            self.directories.push(name);
        } else if let Some(name) = self.files.add(&text, name, Kind::of(kind))
            && kind.is_symlink()
        {
            self.links.push(name);
        }
    }
}

/// How the names of templates end from which tools make files before an engine runs.
const TEMPLATES: [&str; 9] =
    [".j2", ".jinja", ".jinja2", ".erb", ".tmpl", ".tpl", ".gotmpl", ".mustache", ".template"];

/// The module file that a tool makes of a template: of `x.tf.j2` it makes `x.tf`, and AWS Control Tower Account Factory
/// makes `x.tf` of `x.jinja`.
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

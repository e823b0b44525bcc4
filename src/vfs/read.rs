//! Reads the files of a directory.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use smol_str::SmolStr;

use super::listing::{Entry, Kind, Listing};
use super::path::{ancestors, child, last_name, tested_by};
use super::top_directory::{Top, slashed};
use crate::engine::{Companion, LOCK_FILE, Signal};
use crate::finding::{EngineRule, Finding, Severity};
use crate::limits::{Limit, Limits};
use crate::text::Source;
use crate::text::file_name::encode_os;

/// Reads files of one run.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    top: &'a Top,
    limits: &'a Limits,
}

/// The files of a directory.
pub(super) struct Read {
    /// Module files, sorted by bytes. One without a source has a finding.
    pub(super) files: Vec<ReadFile>,
    /// Files beside them. One without a source cannot be read.
    pub(super) companions: Vec<ReadFile>,
    /// Files of kinds that are not read, by name.
    pub(super) unread: Vec<SmolStr>,
    pub(super) signals: Vec<Signal>,
    /// The dependency lock file, if it can be read.
    pub(super) lock: Option<Source>,
    /// JSON files that lack only a part of the name of an override file.
    pub(super) misnamed: Vec<Source>,
    pub(super) findings: Vec<Finding>,
}

/// A file of a module, or one beside it.
pub(super) struct ReadFile {
    pub(super) name: SmolStr,
    pub(super) source: Option<Source>,
    /// The target of a symbolic link, relative to the top.
    pub(super) target: Option<String>,
    /// Whether it is a symbolic link to nothing.
    pub(super) is_broken_link: bool,
}

/// The content of a file.
pub(super) struct Bytes {
    pub(super) bytes: Vec<u8>,
    /// The target of a symbolic link, relative to the top.
    pub(super) target: Option<String>,
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, target: None }
    }
}

/// The reason why a file was not read.
#[derive(Debug)]
pub(super) enum Failure {
    Io(io::Error),
    Directory,
    NotAFile,
    Leaves,
    TooLarge,
    StandIn,
}

/// The start of pointer files of Git LFS, and of files encrypted by git-crypt.
const STAND_INS: [&[u8]; 2] = [b"version https://git-lfs.github.com/spec/", b"\0GITCRYPT\0"];

/// Whether a filter of git replaces this content in the working tree.
pub fn is_stand_in(bytes: &[u8]) -> bool {
    STAND_INS.iter().any(|start| bytes.starts_with(start))
}

impl<'a> Reader<'a> {
    pub(super) fn new(top: &'a Top, limits: &'a Limits) -> Self {
        Self { top, limits }
    }

    /// Reads the files of the directory at `path`, listed from `disk`.
    pub(super) fn directory(self, path: &str, disk: &Path, listing: &Listing<OsString>) -> Read {
        Read::of(path, listing, self.limits, |entry, limit| self.bytes(disk, entry, limit))
    }

    fn bytes(self, directory: &Path, entry: &Entry<OsString>, limit: u64) -> Result<Bytes, Failure> {
        let disk = directory.join(&entry.at);
        match entry.kind {
            Kind::File => Ok(content(&disk, limit)?.into()),
            Kind::Link => {
                let real = self.followed(&disk)?;
                let target = real.strip_prefix(self.top.path()).ok().map(slashed);
                Ok(Bytes { bytes: content(&real, limit)?, target })
            }
            Kind::Directory => Err(Failure::Directory),
            Kind::Special => Err(Failure::NotAFile),
        }
    }

    /// The target of a link, if it may be read.
    fn followed(self, link: &Path) -> Result<std::path::PathBuf, Failure> {
        let real = fs::canonicalize(link).map_err(Failure::Io)?;
        if !self.top.holds(&real) {
            return Err(Failure::Leaves);
        }
        // A pipe behind a link would block too.
        if fs::metadata(&real).map_err(Failure::Io)?.is_file() { Ok(real) } else { Err(Failure::NotAFile) }
    }
}

impl Read {
    /// Reads the files of the directory at `path`. `bytes` returns the content of a file up to a size.
    pub(super) fn of<At>(
        path: &str,
        listing: &Listing<At>,
        limits: &Limits,
        bytes: impl Fn(&Entry<At>, u64) -> Result<Bytes, Failure>,
    ) -> Self {
        let mut findings = Vec::new();
        let directory = Files { path, listing, limits, bytes: &bytes };
        let files = directory.sources(&mut findings);
        let companions = directory.companions(&mut findings);
        let (signals, lock) = directory.evidence(&mut findings);
        let misnamed = listing.misnamed.iter().filter_map(|entry| {
            // An unreadable file is not evidence of an engine.
            let read = bytes(entry, limits.get(Limit::FileSize)).ok()?;
            Some(Source::new(child(path, &entry.name), read.bytes))
        });
        let misnamed = misnamed.collect();
        Self { files, companions, unread: listing.unread.clone(), signals, lock, misnamed, findings }
    }
}

/// The files of a directory, and how they are read.
pub(super) struct Files<'f, At> {
    pub(super) path: &'f str,
    pub(super) listing: &'f Listing<At>,
    pub(super) limits: &'f Limits,
    pub(super) bytes: &'f ReadEntry<'f, At>,
}

/// Returns the content of a file up to a size.
type ReadEntry<'f, At> = dyn Fn(&Entry<At>, u64) -> Result<Bytes, Failure> + 'f;

impl<At> Files<'_, At> {
    fn bytes(&self, entry: &Entry<At>) -> Result<Bytes, Failure> {
        (self.bytes)(entry, self.limits.get(Limit::FileSize))
    }

    /// Reads files. One without a source has a finding in the module that `reported_in` returns, if any.
    fn read<'m>(
        &self,
        entries: &[Entry<At>],
        findings: &mut Vec<Finding>,
        reported_in: impl Fn(&Entry<At>, &Failure) -> Option<&'m str>,
    ) -> Vec<ReadFile> {
        let read = |entry: &Entry<At>| {
            let name = child(self.path, &entry.name);
            // Encrypted values are recognized where values are parsed.
            let is_stand_in =
                |bytes: &[u8]| Companion::of(&entry.name) != Some(Companion::Values) && is_stand_in(bytes);
            let read = self
                .bytes(entry)
                .and_then(|read| if is_stand_in(&read.bytes) { Err(Failure::StandIn) } else { Ok(read) });
            let (source, target, is_broken_link) = match read {
                Ok(Bytes { bytes, target }) => (Some(Source::new(name, bytes)), target, false),
                Err(failure) => {
                    let module = reported_in(entry, &failure);
                    findings.extend(module.map(|module| failure.finding(&name, self.limits).module(module)));
                    (None, None, failure.is_missing())
                }
            };
            ReadFile { name: entry.name.clone(), source, target, is_broken_link }
        };
        entries.iter().map(read).collect()
    }

    /// The module files. One without a source has a finding.
    pub(super) fn sources(&self, findings: &mut Vec<Finding>) -> Vec<ReadFile> {
        self.read(&self.listing.modules, findings, |_, _| Some(self.path))
    }

    /// The files that engines read beside those of a module. A file that is too large has a finding.
    fn companions(&self, findings: &mut Vec<Finding>) -> Vec<ReadFile> {
        let module = tested_by(self.path).unwrap_or(self.path);
        self.read(&self.listing.companions, findings, |entry, failure| {
            // Terraform reads all test files, but variable values only for some commands.
            let is_reported = match failure {
                Failure::TooLarge | Failure::Directory => true,
                Failure::Io(_) | Failure::NotAFile => Companion::of(&entry.name) == Some(Companion::Test),
                Failure::Leaves | Failure::StandIn => false,
            };
            is_reported.then_some(module)
        })
    }

    /// The evidence of an engine, with the lock file.
    pub(super) fn evidence(&self, findings: &mut Vec<Finding>) -> (Vec<Signal>, Option<Source>) {
        let mut lock = None;
        let names: Vec<&str> = self.listing.modules.iter().map(|entry| entry.name.as_str()).collect();
        let mut signals = Signal::of_module_files(&names);
        for entry in &self.listing.evidence {
            match self.bytes(entry) {
                Ok(Bytes { bytes, .. }) => {
                    signals.extend(Signal::of_file(&entry.name, &String::from_utf8_lossy(&bytes)));
                    if entry.name == LOCK_FILE {
                        lock = Some(Source::new(child(self.path, &entry.name), bytes));
                    }
                }
                Err(failure @ (Failure::TooLarge | Failure::Directory)) => {
                    let name = child(self.path, &entry.name);
                    findings.push(failure.finding(&name, self.limits).module(self.path));
                }
                // An unreadable file is no evidence.
                Err(Failure::Io(_) | Failure::NotAFile | Failure::Leaves | Failure::StandIn) => {}
            }
        }
        (signals, lock)
    }
}

/// The content of a path from the command line, which may be a directory or a pipe.
pub(super) fn regular(path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    if !fs::metadata(path).map_err(Failure::Io)?.is_file() {
        return Err(Failure::NotAFile);
    }
    content(path, limit)
}

/// The content of a file at a path relative to the top.
pub(super) fn inside(top: &Top, path: &str, limit: u64) -> Result<Vec<u8>, Failure> {
    // Without a repository, only the requested directories are read.
    if !top.holds(top.path()) {
        return Err(Failure::Io(io::ErrorKind::NotFound.into()));
    }
    let at = top.path().join(encode_os(path));
    let is_broken_link = || ancestors(path).any(|path| is_broken_link(&top.path().join(encode_os(path))));
    let real = match fs::canonicalize(at) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && is_broken_link() => {
            return Err(broken_link());
        }
        real => real.map_err(Failure::Io)?,
    };
    if top.holds(&real) { regular(&real, limit) } else { Err(Failure::Leaves) }
}

/// Whether a path is a symbolic link to nothing.
pub(super) fn is_broken_link(path: &Path) -> bool {
    let is_missing = |error: io::Error| error.kind() == io::ErrorKind::NotFound;
    path.is_symlink() && fs::metadata(path).err().is_some_and(is_missing)
}

/// The failure to read a symbolic link to nothing where a link must not stand for a missing file.
pub(super) fn broken_link() -> Failure {
    Failure::Io(io::Error::other(BROKEN_LINK))
}

/// The reason why a symbolic link to nothing cannot be read.
pub(super) const BROKEN_LINK: &str = "it is a broken symbolic link";

fn content(path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    let mut file = File::open(path).map_err(Failure::Io)?;
    let size = file.metadata().map_or(0, |metadata| metadata.len());
    if size > limit {
        return Err(Failure::TooLarge);
    }
    let size = usize::try_from(size).unwrap_or_default();
    // The buffer has one byte more than the file, so that one read finds its end.
    let mut bytes = vec![0; size + 1];
    let read = match file.read(&mut bytes) {
        Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
        read => read.map_err(Failure::Io)?,
    };
    bytes.truncate(read);
    if read != size {
        // The file may grow while it is read.
        file.take((limit + 1).saturating_sub(read as u64)).read_to_end(&mut bytes).map_err(Failure::Io)?;
    }
    if bytes.len() as u64 > limit { Err(Failure::TooLarge) } else { Ok(bytes) }
}

impl Failure {
    fn is_missing(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == io::ErrorKind::NotFound)
    }

    /// The reason: one line for the end of a sentence.
    pub(super) fn reason(&self) -> String {
        match self {
            Self::Io(error) => reason(error),
            Self::Directory => "it is a directory".to_owned(),
            Self::NotAFile => "it is not a regular file".to_owned(),
            Self::Leaves => "it is outside the repository".to_owned(),
            Self::TooLarge => "it is too large".to_owned(),
            Self::StandIn => "it is encrypted by git-crypt, or a pointer of Git LFS".to_owned(),
        }
    }

    /// The finding for the file `name`.
    fn finding(&self, name: &str, limits: &Limits) -> Finding {
        match self {
            Self::Io(_) | Self::NotAFile => unreadable(name, &self.reason()),
            Self::Directory if last_name(name) == LOCK_FILE => unreadable(name, &self.reason()).at_validate(),
            Self::Directory => {
                let summary = "Failed to read variables file".to_owned();
                Finding { summary, ..unreadable(name, &self.reason()) }.at_plan()
            }
            Self::Leaves => link_leaves(name).about(name),
            Self::StandIn => Finding::language(EngineRule::UnreadableFile, "Content of a file is unknown")
                .severity(Severity::Notice)
                .detail(format!(
                    "The file \"{name}\" could not be read: {}. overrule checks this module without it.",
                    self.reason()
                ))
                .about(name),
            Self::TooLarge => {
                let detail =
                    format!("The file \"{name}\" is too large, so overrule checks this module without it.");
                Finding::limit(Limit::FileSize, limits, "File too large to check", &detail).about(name)
            }
        }
    }
}

/// The finding for a file that could not be read. The engines report it without a location.
pub fn unreadable(name: &str, why: &str) -> Finding {
    Finding::language(EngineRule::UnreadableFile, "Failed to read file")
        .detail(format!("The file \"{name}\" could not be read: {why}."))
        .about(name)
}

/// The finding for a directory that could not be listed.
pub(super) fn unreadable_directory(path: &str, tracked: bool, failure: &Failure) -> Finding {
    let severity = if tracked { Severity::Error } else { Severity::Warning };
    Finding::language(EngineRule::UnreadableFile, "Failed to read module directory")
        .severity(severity)
        .detail(format!("The directory \"{path}\" could not be read: {}.", failure.reason()))
        .module(path)
}

/// The finding for a symbolic link to a place that is not read.
pub(super) fn link_leaves(name: &str) -> Finding {
    Finding::language(EngineRule::LinkLeavesRepository, "Symbolic link leaves the repository")
        .severity(Severity::Warning)
        .detail(format!(
            "\"{name}\" is a symbolic link that points outside of the repository. overrule does not follow \
             it, so the declarations in its target are unknown."
        ))
        .help("move or copy its target into the repository")
}

/// The reason why something could not be read, for the end of a sentence. Usual reasons have the same words on all
/// systems.
pub(super) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => cause(error),
    }
}

/// The message of the system for the end of a sentence, without the error number. The most frequent one is the same on
/// all systems.
pub fn cause(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::NotFound {
        return "no such file or directory".to_owned();
    }
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text).trim_end_matches('.');
    // The rest may contain a path.
    text.chars().take(1).flat_map(char::to_lowercase).chain(text.chars().skip(1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_ends_a_sentence_on_windows_too() {
        let windows = |text: &str| cause(&io::Error::other(text));
        assert_eq!(windows("Access is denied. (os error 5)"), "access is denied");
        assert_eq!(windows("Cannot read /A/b"), "cannot read /A/b");
        assert_eq!(cause(&io::Error::from_raw_os_error(2)), "no such file or directory");
    }
}

//! Adds directories and files to a snapshot, each file once.

use smol_str::SmolStr;

use super::path::{child, last_name, parent};
use super::read::{Read, ReadFile};
use super::{Directory, File, Snapshot};
use crate::engine::{self, Notation, Signal};
use crate::finding::{Finding, Severity};
use crate::limits::Limit;
use crate::text::{FileId, Source};

/// Files that are read through symbolic links may add up to one eighth of the file size limit: a small file can be
/// linked many times.
const LINKED_PART: u64 = 8;

/// The bytes for a file in a directory behind a symbolic link, whatever its size: links that lead to directories with
/// links make many modules of few files.
const LINKED_FILE: u64 = 2 << 10;

impl Snapshot {
    /// Adds a directory with its files. One without module files can only have evidence for other directories.
    pub(super) fn take_in(&mut self, directory: Directory, read: Read) {
        if !read.unread.is_empty() {
            self.has_stacks |=
                read.unread.iter().any(|name| engine::unread_kind(name) == Some(engine::STACK));
            self.unread_kinds.insert(directory.path.clone(), read.unread.clone());
        }
        if read.files.is_empty() {
            self.findings.extend(read.findings);
            self.listen(&directory.path, read.signals);
            self.accompanied(&directory.path, read.companions);
        } else {
            self.put(directory, read, true);
        }
    }

    pub(super) fn listen(&mut self, path: &str, signals: Vec<Signal>) {
        if !signals.is_empty() {
            self.signals.insert(path.into(), signals);
        }
    }

    pub(super) fn put(&mut self, mut directory: Directory, read: Read, with_findings: bool) -> usize {
        if with_findings {
            self.findings.extend(read.findings);
        }
        self.listen(&directory.path, read.signals);
        let is_linked = directory.real != directory.path;
        if is_linked {
            self.linked_bytes += LINKED_FILE * read.files.len() as u64;
        }
        let files = read.files.into_iter().map(|ReadFile { name, source, target, .. }| {
            let target = target.or_else(|| is_linked.then(|| child(&directory.real, &name)));
            File { name, id: source.and_then(|source| self.add_file(source, target.as_deref())) }
        });
        directory.files = files.collect();
        // They replace the list of read files, which is four times as large.
        directory.files.shrink_to_fit();
        directory.lock = read.lock.map(|lock| self.sources.push(lock));
        directory.misnamed = read.misnamed.into_iter().map(|file| self.sources.push(file)).collect();
        if !is_linked {
            self.accompanied(&directory.path, read.companions);
        }
        self.add(directory)
    }

    /// Adds a file, which was read through a symbolic link if there is a `target`.
    pub(super) fn add_file(&mut self, source: Source, target: Option<&str>) -> Option<FileId> {
        if let Some(target) = target {
            return self.behind_link(source, target);
        }
        let known = self.linked.get(source.name()).copied();
        Some(known.unwrap_or_else(|| self.sources.push(source)))
    }

    /// Adds a file that was read through a symbolic link, as the file at its real path.
    fn behind_link(&mut self, source: Source, target: &str) -> Option<FileId> {
        let link = SmolStr::new(source.name());
        if self.linked_bytes > self.limits.get(Limit::FileSize) / LINKED_PART {
            let detail = format!(
                "\"{link}\" is one of many symbolic links. Links may add up to a {LINKED_PART}th of the limit to what is \
                 checked, and this module is checked without the file."
            );
            let finding =
                Finding::limit(Limit::FileSize, &self.limits, "Too much behind symbolic links", &detail);
            let module = parent(&link).unwrap_or_default();
            self.findings.push(finding.severity(Severity::Error).about(link.clone()).module(module));
            return None;
        }
        self.linked_bytes += source.text().len() as u64;
        // An engine parses the file differently under the two names if only one of them means JSON.
        if Notation::of(&link) != Notation::of(target) {
            return Some(self.sources.push(source));
        }
        let in_directory = |directory: &Directory| {
            let file = directory.file(last_name(target))?;
            file.id.filter(|id| self.sources.get(*id).name() == target)
        };
        let known = self.linked.get(target).copied();
        let known =
            known.or_else(|| self.directory(parent(target).unwrap_or_default()).and_then(in_directory));
        let known = known.or_else(|| self.companion_at(target));
        let id = known.unwrap_or_else(|| self.sources.push(source.renamed(target)));
        self.linked.insert(target.into(), id);
        self.sources.add_link(id, link);
        Some(id)
    }

    pub(super) fn add(&mut self, directory: Directory) -> usize {
        let number = self.directories.len();
        self.by_path.insert(directory.path.clone(), number);
        self.directories.push(directory);
        number
    }
}

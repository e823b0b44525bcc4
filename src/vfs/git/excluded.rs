//! Finds the lines of `.gitignore` files that exclude a file.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use gix::bstr::ByteSlice;
use gix::glob::Pattern;
use gix::glob::pattern::{Case, Mode};
use gix::ignore::Search;
use gix::ignore::search::Ignore;
use hashbrown::HashMap;

use super::repository::Repository;
use super::tree::{ItemKind, Reading};
use crate::engine::LOCK_FILE;
use crate::finding::{EngineRule, Finding};
use crate::limits::Limit;
use crate::text::file_name::{encode, encode_os};
use crate::text::{FileId, Source, Sources, Span, grouped};
use crate::vfs::memo::Memo;
use crate::vfs::top_directory::Top;
use crate::vfs::{Origin, Snapshot, ancestors, child, parent, read};

/// A line of a `.gitignore` that excludes a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exclusion {
    /// The path of the `.gitignore`, relative to the top.
    pub file: String,
    /// The normalized pattern.
    pub pattern: String,
    /// The line, from 1.
    line: usize,
}

/// A function that reads the `.gitignore` at a path, if it is a regular file.
type Read<'r> = &'r dyn Fn(&str) -> Option<Vec<u8>>;

/// A parsed `.gitignore`.
#[derive(Debug)]
pub(in crate::vfs) struct Rules {
    search: Search,
    /// Whether it has too many patterns.
    is_cut: bool,
}

/// What is known about the directories of a state.
#[derive(Debug, Default)]
pub(in crate::vfs) struct RulesByDirectory {
    /// The parsed `.gitignore` of each directory, if it has one.
    rules: Memo<String, Option<Arc<Rules>>>,
    /// Whether each directory, or a parent, is excluded.
    excluded: Memo<String, bool>,
}

/// Searches `.gitignore` files. The settings of the user and of the clone do not count.
pub(in crate::vfs) struct Exclusions<'r> {
    read: Read<'r>,
    known: &'r RulesByDirectory,
    /// The files with too many patterns.
    cut: BTreeSet<String>,
}

/// The number of patterns of a file that are compared. Each is compared with every directory.
const MOST_PATTERNS: usize = 10_000;

/// The number of patterns that one with wildcards counts as, unless it is simple, such as `*.log`.
const WITH_WILDCARDS: usize = 5;

impl<'r> Exclusions<'r> {
    pub(in crate::vfs) fn new(read: Read<'r>, known: &'r RulesByDirectory) -> Self {
        Self { read, known, cut: BTreeSet::new() }
    }

    /// The line that excludes the file at a path. `None` if a parent directory is excluded.
    pub(in crate::vfs) fn of(&mut self, path: &str) -> Option<Exclusion> {
        let around = self.around(path);
        let directory = parent(path).unwrap_or_default();
        if self.is_excluded(directory, &around) { None } else { matching(path, false, &around) }
    }

    /// Whether a file or a parent directory is excluded.
    pub(in crate::vfs) fn has_file(&mut self, path: &str) -> bool {
        let around = self.around(path);
        self.is_excluded(parent(path).unwrap_or_default(), &around)
            || matching(path, false, &around).is_some()
    }

    /// The directories around a path that have a `.gitignore`, from the nearest.
    fn around<'p>(&mut self, path: &'p str) -> Vec<(&'p str, Arc<Rules>)> {
        let around = ancestors(path).skip(1);
        around.filter_map(|directory| Some((directory, self.rules_of(directory)?))).collect()
    }

    /// Whether a directory or a parent is excluded. `around` are the rules for a path in the directory.
    fn is_excluded(&mut self, directory: &str, around: &[(&str, Arc<Rules>)]) -> bool {
        if around.is_empty() {
            return false;
        }
        let mut unknown: Vec<&str> = ancestors(directory).filter(|path| !path.is_empty()).collect();
        let mut is_excluded = false;
        while let Some(directory) = unknown.pop() {
            let find = || is_excluded || matching(directory, true, around).is_some();
            is_excluded = self.known.excluded.get(directory, find);
        }
        is_excluded
    }

    fn rules_of(&mut self, directory: &str) -> Option<Arc<Rules>> {
        let file = || child(directory, FILE);
        let rules =
            self.known.rules.get(directory, || (self.read)(&file()).map(|bytes| Arc::new(Rules::of(&bytes))));
        if rules.as_ref().is_some_and(|rules| rules.is_cut) {
            self.cut.insert(file());
        }
        rules
    }
}

impl Rules {
    fn of(bytes: &[u8]) -> Self {
        let mut search = Search::default();
        let parse = Ignore { support_precious: false };
        // This fails only for a path outside the directory of the file.
        search.add_patterns_buffer(bytes, FILE, None, parse).ok();
        let is_cut = cut(&mut search);
        Self { search, is_cut }
    }
}

/// The line of the nearest `.gitignore` with a match for a path, if it excludes the path. `around` are the rules for the
/// path, or for a path below it.
fn matching(path: &str, is_directory: bool, around: &[(&str, Arc<Rules>)]) -> Option<Exclusion> {
    let mut around = around.iter().filter(|(directory, _)| directory.len() < path.len());
    around.find_map(|(directory, rules)| {
        let inside = if directory.is_empty() { path } else { &path[directory.len() + 1..] };
        let found = rules.search.pattern_matching_relative_path(
            inside.into(),
            Some(is_directory),
            Case::Sensitive,
        )?;
        Some((!found.pattern.is_negative()).then(|| Exclusion {
            file: child(directory, FILE),
            pattern: found.pattern.to_string(),
            line: found.sequence_number,
        }))
    })?
}

/// Drops the patterns above [`MOST_PATTERNS`]. Returns whether there are any.
fn cut(rules: &mut Search) -> bool {
    let mut number = 0;
    for list in &mut rules.patterns {
        list.patterns.retain(|mapping| {
            let Pattern { first_wildcard_pos, mode, .. } = &mapping.pattern;
            let is_simple = first_wildcard_pos.is_none() || mode.contains(Mode::ENDS_WITH);
            number += if is_simple { 1 } else { WITH_WILDCARDS };
            number <= MOST_PATTERNS
        });
    }
    number > MOST_PATTERNS
}

/// The file name.
const FILE: &str = ".gitignore";

impl Snapshot {
    /// Finds the dependency lock files that a `.gitignore` excludes, for
    /// [`Directory::excluded_lock`](crate::vfs::Directory). Returns a finding for each `.gitignore` that is too long.
    pub fn find_excluded_locks(&mut self) -> Vec<Finding> {
        let directories = self.directories.iter().enumerate();
        let paths: Vec<(usize, String)> =
            directories.map(|(number, directory)| (number, child(&directory.path, LOCK_FILE))).collect();
        let read = |path: &str| self.ignore_file(path);
        let mut exclusions = Exclusions::new(&read, &self.ignore_rules);
        let mut excluded: Vec<(usize, Exclusion)> =
            paths.iter().filter_map(|(number, path)| Some((*number, exclusions.of(path)?))).collect();
        let too_long = exclusions.cut.iter().map(|file| too_long(file)).collect();
        self.retain_untracked(&mut excluded);
        let mut files: HashMap<String, FileId> = HashMap::new();
        for (number, Exclusion { file, line, .. }) in excluded {
            let id = files.get(&file).copied().or_else(|| {
                let source = Source::new(file.clone(), self.ignore_file(&file)?);
                Some(self.sources.push(source))
            });
            let Some(id) = id else { continue };
            files.insert(file, id);
            self.directories[number].excluded_lock = line_at(&self.sources, id, line);
        }
        too_long
    }

    /// The line of a `.gitignore` that excludes the file at a path, tracked or not.
    pub fn exclusion(&self, path: &str) -> Option<Exclusion> {
        Exclusions::new(&|path| self.ignore_file(path), &self.ignore_rules).of(path)
    }

    /// Whether a `.gitignore` excludes a missing directory, so that a tool may create it.
    pub(in crate::vfs) fn ignores(&self, directory: &str) -> bool {
        Exclusions::new(&|path| self.ignore_file(path), &self.ignore_rules)
            .has_file(&child(directory, "main.tf"))
    }

    /// Drops the directories whose lock file git tracks, although a line excludes it.
    fn retain_untracked(&self, excluded: &mut Vec<(usize, Exclusion)>) {
        let has_lock = |number: usize| self.directories[number].has_lock_file;
        if !excluded.iter().any(|(number, _)| has_lock(*number)) {
            return;
        }
        let index = match &self.origin {
            // The files were given, so an excluded one is not in git.
            Origin::Memory { .. } => return,
            Origin::Git { .. } => None,
            Origin::Disk(top) => {
                Repository::around(top.path()).and_then(|repository| repository.index().ok())
            }
        };
        let is_tracked = |number: usize| {
            let path = child(&self.directories[number].path, LOCK_FILE);
            index.as_ref().is_none_or(|index| index.entry_range(encode(&path).as_bstr()).is_some())
        };
        excluded.retain(|(number, _)| !has_lock(*number) || !is_tracked(*number));
    }

    /// The content of a `.gitignore`. As in git, symbolic links do not count.
    fn ignore_file(&self, path: &str) -> Option<Vec<u8>> {
        let limit = self.limits.get(Limit::FileSize);
        match &self.origin {
            Origin::Memory { others, .. } => others.get(path).cloned(),
            Origin::Disk(top) => on_disk(top, path, limit),
            Origin::Git { git_tree, .. } => in_git(&git_tree.read(), path, limit),
        }
    }
}

fn too_long(file: &str) -> Finding {
    Finding::language(EngineRule::LimitReached, "Too many patterns in a .gitignore file")
        .detail(format!(
            "overrule compares at most {} patterns of `{file}` with the paths of lock files. A pattern with wildcards \
             counts as {WITH_WILDCARDS}, unless it is as simple as `*.log`. The other patterns may exclude further \
             lock files.",
            grouped(MOST_PATTERNS as u64)
        ))
        .about(file)
        .module(parent(file).unwrap_or_default())
}

/// The content of a `.gitignore` in a working tree.
pub(in crate::vfs) fn on_disk(top: &Top, path: &str, limit: u64) -> Option<Vec<u8>> {
    let disk = top.path().join(encode_os(path));
    let is_file = fs::symlink_metadata(&disk).is_ok_and(|metadata| metadata.is_file());
    (top.is_repository && is_file).then(|| read::regular(&disk, limit).ok())?
}

/// The content of a `.gitignore` in an index or a commit.
pub(in crate::vfs) fn in_git(reading: &Reading<'_>, path: &str, limit: u64) -> Option<Vec<u8>> {
    let item = reading.item(encode(path).as_bstr()).ok()??;
    (item.kind == ItemKind::File).then(|| reading.content(path, limit).ok())?
}

/// The text of a line.
fn line_at(sources: &Sources, id: FileId, line: usize) -> Option<Span> {
    let source = sources.get(id);
    let start = *source.line_starts().get(line - 1)? as usize;
    let written = source.text().get(start..)?.lines().next()?.trim_end();
    Some(Span::new(id, start..start + written.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_very_many_patterns_is_read_in_part() {
        let check = |number: usize| {
            let patterns = (0..number).map(|number| format!("**/*a{number}*/**\n"));
            let text = patterns.collect::<String>() + "live/*.hcl\n";
            let files = [(".gitignore", text.as_str()), ("live/main.tf", "")];
            let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
            let mut snapshot = Snapshot::of_files(files.into());
            let findings = snapshot.find_excluded_locks();
            (findings.len(), snapshot.directories()[0].excluded_lock.is_some())
        };
        let most = MOST_PATTERNS / WITH_WILDCARDS;
        assert_eq!(check(most - 1), (0, true));
        assert_eq!(check(most), (1, false));
    }
}

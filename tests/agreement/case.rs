//! Parses and writes case files: small module trees, each followed by the recorded answers of the engine.
//!
//! ```text
//! Any text up to the first case.
//!
//! === what the case shows
//! --- main.tf
//! variable "a" {}
//! --- modules/net/main.tf
//! >>> terraform 1.11.4 reached validate
//! load error main.tf:1: Some summary
//! ```
//!
//! Each `>>>` opens one answer; more than one where the engine answers at random. Behind the name of a file may stand
//! `escaped` (`\r`, `\n`, `\t`, `\\`, `\xFF`; line ends of the text itself do not count) or `-> TARGET` (a symbolic
//! link); a name that ends in `/` is an empty directory.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::answer::{Answer, Diagnostic};

/// The recorded release.
pub(crate) const RELEASE: &str = "1.11.4";

/// A module tree and the answers of the engine.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) name: String,
    /// The text between the name and the first file.
    note: String,
    pub(crate) entries: Vec<Entry>,
    /// The accepted answers. Empty if none is recorded yet.
    pub(crate) answers: Vec<Answer>,
}

/// An entry of the directory.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) path: String,
    /// The lines in the case file.
    pub(crate) text: String,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Plain,
    Escaped,
    Link(String),
    Directory,
}

impl Entry {
    /// A file with this text.
    pub(crate) fn plain(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into(), kind: Kind::Plain }
    }

    /// Whether this is a symbolic link to the file at a path.
    fn leads_to(&self, file: &str) -> bool {
        let Kind::Link(target) = &self.kind else { return false };
        let directory =
            self.path.rsplit_once('/').map_or(String::new(), |(directory, _)| format!("{directory}/"));
        format!("{directory}{target}") == file
    }

    pub(crate) fn titled(title: &str) -> Self {
        let (path, kind) = if let Some((path, target)) = title.split_once(" -> ") {
            (path, Kind::Link(target.to_owned()))
        } else if let Some(path) = title.strip_suffix(" escaped") {
            (path, Kind::Escaped)
        } else if let Some(path) = title.strip_suffix('/') {
            (path, Kind::Directory)
        } else {
            (title, Kind::Plain)
        };
        Self { path: path.to_owned(), text: String::new(), kind }
    }

    fn title(&self) -> String {
        match &self.kind {
            Kind::Plain => self.path.clone(),
            Kind::Escaped => format!("{} escaped", self.path),
            Kind::Link(target) => format!("{} -> {target}", self.path),
            Kind::Directory => format!("{}/", self.path),
        }
    }

    /// The bytes of the file. `None` for a link or directory.
    pub(crate) fn bytes(&self) -> Option<Vec<u8>> {
        match self.kind {
            Kind::Plain => Some(self.text.clone().into_bytes()),
            Kind::Escaped => Some(unescape(&self.text)),
            Kind::Link(_) | Kind::Directory => None,
        }
    }
}

impl Case {
    /// The symbolic link to a file, whose name Terraform uses.
    pub(crate) fn link_to(&self, file: &str) -> Option<&str> {
        Some(&self.entries.iter().find(|entry| entry.leads_to(file))?.path)
    }

    /// A case without recorded answers.
    pub(crate) fn new(name: impl Into<String>, entries: Vec<Entry>) -> Self {
        Self { name: name.into(), note: String::new(), entries, answers: Vec::new() }
    }

    /// Writes the tree into an existing directory.
    pub(crate) fn lay_out(&self, directory: &Path) {
        for entry in &self.entries {
            let path = directory.join(&entry.path);
            fs::create_dir_all(path.parent().expect("a path below the directory")).expect("a new directory");
            match (&entry.kind, entry.bytes()) {
                (Kind::Link(target), _) => link(target, &path),
                (_, Some(bytes)) => fs::write(&path, bytes).expect("a new file"),
                (_, None) => fs::create_dir_all(&path).expect("a new directory"),
            }
        }
    }

    /// The tree without its answers, as in a case file.
    pub(crate) fn tree(&self) -> String {
        let mut text = format!("=== {}\n{}", self.name, self.note);
        for entry in &self.entries {
            let _ = write!(text, "--- {}\n{}", entry.title(), entry.text);
            if !text.ends_with('\n') {
                text.push('\n');
            }
        }
        text
    }
}

/// A file of cases.
#[derive(Debug)]
pub(crate) struct Cases {
    prelude: String,
    pub(crate) cases: Vec<Case>,
}

impl Cases {
    /// Reads a case file.
    ///
    /// # Panics
    /// On a file that does not follow the format, with the line.
    pub(crate) fn parse(text: &str) -> Self {
        let mut all = Self { prelude: String::new(), cases: Vec::new() };
        for (number, line) in text.lines().enumerate() {
            let wrong = |what: &str| -> String { format!("line {}: {what}: {line}", number + 1) };
            if let Some(name) = line.strip_prefix("=== ") {
                all.cases.push(Case::new(name, Vec::new()));
                continue;
            }
            let Some(case) = all.cases.last_mut() else {
                all.prelude.push_str(line);
                all.prelude.push('\n');
                continue;
            };
            if let Some(title) = line.strip_prefix("--- ") {
                case.entries.push(Entry::titled(title));
            } else if let Some(head) = line.strip_prefix(">>> ") {
                let answer = head
                    .rsplit(' ')
                    .next()
                    .and_then(Answer::reaching)
                    .unwrap_or_else(|| panic!("{}", wrong("reach")));
                case.answers.push(answer);
            } else if let Some(answer) = case.answers.last_mut() {
                if !line.is_empty() {
                    let diagnostic =
                        Diagnostic::parse(line).unwrap_or_else(|| panic!("{}", wrong("diagnostic")));
                    answer.diagnostics.insert(diagnostic);
                }
            } else {
                let text = case.entries.last_mut().map_or(&mut case.note, |entry| &mut entry.text);
                text.push_str(line);
                text.push('\n');
            }
        }
        for entry in all.cases.iter_mut().flat_map(|case| &mut case.entries) {
            // Empty lines before the next marker are only for readability.
            entry.text.truncate(entry.text.trim_end_matches('\n').len());
            if !entry.text.is_empty() {
                entry.text.push('\n');
            }
        }
        all
    }
}

impl std::fmt::Display for Cases {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}", self.prelude)?;
        for (number, case) in self.cases.iter().enumerate() {
            write!(out, "{}", case.tree())?;
            for answer in &case.answers {
                writeln!(out, ">>> terraform {RELEASE} reached {}", answer.reach_name())?;
                for diagnostic in &answer.diagnostics {
                    writeln!(out, "{diagnostic}")?;
                }
            }
            if number + 1 < self.cases.len() {
                writeln!(out)?;
            }
        }
        Ok(())
    }
}

fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.chars().filter(|c| *c != '\n');
    while let Some(char) = rest.next() {
        if char != '\\' {
            bytes.extend(char.to_string().bytes());
            continue;
        }
        match rest.next() {
            Some('n') => bytes.push(b'\n'),
            Some('r') => bytes.push(b'\r'),
            Some('t') => bytes.push(b'\t'),
            Some('\\') => bytes.push(b'\\'),
            Some('x') => {
                let digits: String = rest.by_ref().take(2).collect();
                bytes.push(u8::from_str_radix(&digits, 16).expect("two hexadecimal digits behind \\x"));
            }
            other => panic!("unknown escape {other:?}"),
        }
    }
    bytes
}

#[cfg(unix)]
fn link(target: &str, path: &Path) {
    std::os::unix::fs::symlink(target, path).expect("a new link");
}

#[cfg(not(unix))]
fn link(_: &str, _: &Path) {}

//! Turns what a file was and what has become of it into a unified difference.

use similar::{ChangeTag, TextDiff};

use super::{MergeStyle, Part, Writer};
use crate::engine::FileKind;
use crate::module::merged::MergedFile;
use crate::report::one_line;

/// How many lines around a change are shown.
const CONTEXT: usize = 3;

impl Writer<'_> {
    /// What differs in one file; nothing where nothing does.
    pub(super) fn difference(&self, file: &MergedFile) -> String {
        let plain = MergeStyle { color: false, ..self.style.clone() };
        let is_override = file.kind == FileKind::Override;
        let before = if is_override { String::new() } else { self.as_written(file).paint(&plain) };
        let after = self.file(file).paint(&plain);
        let name = self.sources.get(file.body.span().file).name();
        let name = one_line(&self.style.names.of(name)).into_owned();
        let from = if is_override { "/dev/null".to_owned() } else { format!("a/{name}") };
        let diff = TextDiff::from_lines(&before, &after);
        let mut written = String::new();
        for (number, hunk) in diff.unified_diff().context_radius(CONTEXT).iter_hunks().enumerate() {
            if number == 0 {
                let header = format!("--- {from}\n+++ b/{name}");
                written.push_str(&self.painted(&header, "1"));
            }
            written.push_str(&self.painted(&hunk.header().to_string(), "36"));
            for change in hunk.iter_changes() {
                let line = change.value().trim_end_matches('\n');
                written.push_str(&match change.tag() {
                    ChangeTag::Equal => format!(" {line}\n"),
                    ChangeTag::Delete => self.painted(&format!("-{line}"), "31"),
                    ChangeTag::Insert => self.painted(&format!("+{line}"), "32"),
                });
            }
        }
        written
    }

    /// A file without anything from override files.
    fn as_written(&self, file: &MergedFile) -> Part {
        let written = MergedFile::as_written(file, self.module);
        self.file(&written)
    }

    fn painted(&self, text: &str, code: &str) -> String {
        if !self.style.color {
            return format!("{text}\n");
        }
        let lines = text.lines().map(|line| format!("\u{1b}[{code}m{line}\u{1b}[0m\n"));
        lines.collect::<Vec<_>>().concat()
    }
}

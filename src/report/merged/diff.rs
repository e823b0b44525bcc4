//! The difference between a base file and the merged one.

use super::{MergeStyle, Part, Writer};
use crate::engine::FileKind;
use crate::module::merged::MergedFile;
use crate::report::{one_line, unified};

impl Writer<'_> {
    /// The difference in one file, or an empty text.
    pub(super) fn difference(&self, file: &MergedFile) -> String {
        let plain = MergeStyle { color: false, ..self.style.clone() };
        let is_override = file.kind == FileKind::Override;
        let before = if is_override { String::new() } else { self.as_written(file).paint(&plain) };
        let after = self.file(file).paint(&plain);
        let name = self.sources.get(file.body.span().file).name();
        let name = one_line(&self.style.names.of(name)).into_owned();
        let from = if is_override { "/dev/null".to_owned() } else { format!("a/{name}") };
        unified(&from, &format!("b/{name}"), &before, &after, self.style.color)
    }

    /// A file without the parts from override files.
    fn as_written(&self, file: &MergedFile) -> Part {
        let written = MergedFile::as_written(file, self.module);
        self.file(&written)
    }
}

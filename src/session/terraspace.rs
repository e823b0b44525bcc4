//! Recognizes the stacks of Terraspace, which copies the files of `config/terraform` into each before an engine runs.

use crate::vfs::{NamedFile, NamedFiles, child, parent};

/// Whether a directory is `app/stacks/NAME` of a Terraspace project, or the `config/terraform` that it is joined with.
pub(super) fn is_joined(directory: &str, files: &NamedFiles) -> bool {
    let stack = || parent(directory).and_then(|stacks| project(stacks, "app/stacks"));
    let Some(project) = project(directory, "config/terraform").or_else(stack) else { return false };
    matches!(files.at(&child(project, "config/app.rb")), NamedFile::File(_))
}

/// The directory in which a path leads to another one.
fn project<'d>(directory: &'d str, path: &str) -> Option<&'d str> {
    let project = directory.strip_suffix(path)?;
    if project.is_empty() { Some(project) } else { project.strip_suffix('/') }
}

//! Recognizes the stacks of Terraspace, which copies the files of `config/terraform` into each before an engine runs.

use crate::vfs::{NamedFile, NamedFiles, child, parent};

/// Whether a directory is `app/stacks/NAME` of a Terraspace project.
pub(super) fn is_stack(directory: &str, files: &NamedFiles) -> bool {
    let Some(stacks) = parent(directory) else { return false };
    let project = match stacks.strip_suffix("app/stacks") {
        Some("") => "",
        Some(project) => match project.strip_suffix('/') {
            Some(project) => project,
            None => return false,
        },
        None => return false,
    };
    matches!(files.at(&child(project, "config/app.rb")), NamedFile::File(_))
}

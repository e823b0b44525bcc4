//! Recognizes files that are parts of other modules, or alternatives to each other.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::FileKind;
use crate::finding::{Code, Concern, EngineRule, Finding, Severity};
use crate::graph::{Node, Role};
use crate::module::Module;
use crate::module::declaration::Origin;
use crate::text::{FileId, Span};
use crate::vfs::Directory;

/// The smallest number of undeclared objects in parts of other modules.
const FEWEST_UNDECLARED: usize = 10;

/// Whether the override files override nothing, and the other files are incomplete without the base files.
pub(super) fn overrides_nothing(
    module: &Module,
    files: &[(FileId, FileKind)],
    findings: &[&Finding],
) -> Option<&'static str> {
    let has = |id: FileId, rule: EngineRule| {
        findings
            .iter()
            .any(|finding| finding.rule == rule.id() && finding.primary.is_some_and(|place| place.file == id))
    };
    let is_override = |kind: FileKind| kind == FileKind::Override;
    let is_fragment = |(id, kind): &(FileId, FileKind)| match kind {
        FileKind::Override => has(*id, EngineRule::OverrideWithoutBase),
        FileKind::Primary => has(*id, EngineRule::UndeclaredReference),
    };
    if module.overridden().next().is_some() {
        None
    } else if files.iter().all(|(_, kind)| is_override(*kind)) {
        let has_orphan = files.iter().any(|(id, _)| has(*id, EngineRule::OverrideWithoutBase));
        has_orphan.then_some("This directory contains only override files and no base files.")
    } else if files.iter().any(|(_, kind)| is_override(*kind))
        && files.iter().all(is_fragment)
        && !is_run(module)
    {
        Some(
            "The override files in this directory override nothing in it, and every other file refers to an object \
             that is not declared here.",
        )
    } else {
        None
    }
}

/// Whether most of the files refer to objects that are declared elsewhere. Variables count only in a test that declares
/// none: in other modules, their file may not be in the commit yet.
pub(super) fn are_parts(
    node: Node<'_>,
    files: &[(FileId, FileKind)],
    findings: &[&Finding],
) -> Option<&'static str> {
    let module = node.module();
    let variables_count = node.role() == Role::Test && module.variables.is_empty();
    let is_undeclared = |finding: &&&Finding| {
        finding.rule == EngineRule::UndeclaredReference.id()
            && finding.severity == Severity::Error
            && (variables_count || !is_about_variable(finding))
    };
    let undeclared: Vec<&&Finding> = findings.iter().filter(is_undeclared).collect();
    let objects: BTreeSet<&str> = undeclared.iter().map(|finding| finding.detail.as_str()).collect();
    let places: BTreeSet<FileId> =
        undeclared.iter().filter_map(|finding| Some(finding.primary?.file)).collect();
    let are_many = objects.len() >= FEWEST_UNDECLARED && 2 * places.len() >= files.len();
    (are_many && !is_run(module)).then_some(
        "At least half of the files in this directory refer to objects that are not declared here, so the files are \
         parts of other modules.",
    )
}

/// Whether a finding is about the name of a variable.
pub(super) fn is_about_variable(finding: &Finding) -> bool {
    matches!(&finding.concern, Concern::Name(name) if name.starts_with("var."))
}

/// Whether there is no block of a module, and most files have arguments at their top: bodies of blocks, or variable
/// values in a file with the wrong name.
pub(super) fn hold_arguments(
    module: &Module,
    files: &[(FileId, FileKind)],
    findings: &[&Finding],
) -> Option<&'static str> {
    // An argument with the name of a block is a mistake, for which there is a help.
    let is_part = |finding: &&Finding| {
        finding.rule == EngineRule::UnsupportedBlockOrArgument.id() && finding.help.is_none()
    };
    let arguments = findings.iter().filter(|finding| finding.code == Some(Code::UnsupportedArgument));
    let places: BTreeSet<FileId> = arguments.filter_map(|finding| Some(finding.primary?.file)).collect();
    let are_parts = findings.iter().all(is_part) && 2 * places.len() > files.len();
    (are_parts && module.top_blocks == 0).then_some(
        if files.len() == 1 {
            "The only file in this directory contains arguments outside of blocks and declares nothing, so it does not \
             form a module."
        } else {
            "Most files in this directory contain arguments outside of blocks, and none declares anything, so they are \
             parts of blocks."
        },
    )
}

/// Whether only one of the files can be in use: all have only settings, or they are variants for tests.
pub(super) fn are_alternatives(
    directory: &Directory,
    node: Node<'_>,
    files: &[(FileId, FileKind)],
    findings: &[&Finding],
) -> Option<&'static str> {
    let module = node.module();
    let is_duplicate = |finding: &&&Finding| finding.rule == EngineRule::DuplicateDeclaration.id();
    // A file that repeats its own declarations is wrong in itself.
    let repeats_other = |finding: &&Finding| {
        let place = finding.primary?;
        let first = finding.related.first().map(|first| first.span.file);
        (first != Some(place.file)).then_some(place)
    };
    let repeated: BTreeSet<Span> = findings.iter().filter(is_duplicate).filter_map(repeats_other).collect();
    let mut repeats: BTreeMap<FileId, usize> = BTreeMap::new();
    for place in &repeated {
        *repeats.entry(place.file).or_default() += 1;
    }
    if files.len() < 2 || repeats.len() + 1 != files.len() {
        return None;
    }
    let own_headers = || module.origins().map(Origin::header).filter(|header| !repeated.contains(header));
    let own = |file: FileId| own_headers().filter(|header| header.file == file).count();
    if repeats.iter().all(|(file, repeats)| *repeats > own(*file)) {
        match node.role() {
            Role::Test => {
                return Some(
                    "The files in this directory repeat each other's declarations, so Terraform and OpenTofu cannot \
                     load them together. This is not an error if a test uses only one of them at a time.",
                );
            }
            Role::Example => {
                return Some(
                    "The files in this directory repeat each other's declarations, so Terraform and OpenTofu cannot \
                     load them together. This is not an error if each is an example of its own.",
                );
            }
            Role::Root | Role::Shared => {}
        }
    }
    let names: Vec<&str> = directory.files.iter().map(|file| file.name.as_str()).collect();
    (differ_in_last_part(&names) && holds_only_settings(module)).then_some(
        "The files in this directory contain only settings, and each repeats the settings of the others, so \
         Terraform and OpenTofu cannot load them together.",
    )
}

/// Whether the module declares nothing beside settings and providers.
fn holds_only_settings(module: &Module) -> bool {
    module.variables.is_empty()
        && module.locals.is_empty()
        && module.outputs.is_empty()
        && module.calls.is_empty()
        && module.refused_calls.is_empty()
        && module.resources.is_empty()
        && module.actions.is_empty()
        && module.moved.is_empty()
        && module.removed.is_empty()
        && module.imports.is_empty()
        && module.checks.is_empty()
}

/// Whether there are several names that differ only in their last part, such as `state-s3.tf` and `state-gcs.tf`.
fn differ_in_last_part(names: &[&str]) -> bool {
    let first_part = |name: &str| {
        let (stem, _) = name.split_once('.')?;
        Some(stem.rsplit_once(['-', '_'])?.0.to_owned())
    };
    let parts: Option<BTreeSet<String>> = names.iter().map(|name| first_part(name)).collect();
    names.len() > 1 && parts.is_some_and(|parts| parts.len() == 1)
}

/// Whether the module has settings of a root module.
pub(super) fn is_run(module: &Module) -> bool {
    module.backend.is_some()
        || module.cloud.is_some()
        || module.providers.values().any(|provider| !provider.config.is_empty())
}

//! Finds directories whose files are not loaded together: fragments, templates, expected results of tests.
//!
//! Errors in such files are not useful. A directory counts as one only if a module under development never looks like
//! it:
//!
//! - by its syntax ([`finding`]): at least six files, and more than half of all, have errors that no file of a module
//!   has, or every syntax error is in a file with a placeholder of a template;
//! - by its content ([`evidence`]): no module calls it, no file beside it shows that it is a root module, and its files
//!   are override files without a base, parts of other modules, alternatives that are used one at a time, or targets of
//!   symbolic links.

mod parts;
mod snippets;
pub(super) mod templates;

use std::collections::{BTreeMap, BTreeSet};

use parts::{are_alternatives, are_parts, hold_arguments, overrides_nothing};
use snippets::{are_snippets, may_be_wrong};

use crate::engine::{Companion, FileKind};
use crate::finding::{EngineRule, Finding, Severity};
use crate::graph::{Node, Reason, Role};
use crate::text::{FileId, Span};
use crate::vfs::{Directory, Snapshot, parent};

/// The smallest number of files with errors.
const FEWEST: usize = 6;

/// The number of files that the finding shows.
const SHOWN: usize = 3;

/// Returns the one finding about a directory that replaces those in its files. `is_template` says which files have a
/// syntax error at a placeholder.
pub(crate) fn finding(
    directory: &Directory,
    files: usize,
    findings: &[Finding],
    is_template: impl Fn(FileId) -> bool,
) -> Option<Finding> {
    let broken = first_of_each_file(findings.iter().filter(|finding| breaks_file(finding)));
    let is_unread = |(_, finding): &&(Span, &Finding)| finding.rule == EngineRule::SyntaxError.id();
    let unread = broken.values().filter(is_unread).count();
    let templates = broken.keys().filter(|file| is_template(**file)).count();
    let why = if templates > 0 && templates == unread {
        "The files in this directory contain template placeholders, so Terraform and OpenTofu cannot parse them."
            .to_owned()
    } else if broken.len() >= FEWEST && 2 * broken.len() > files {
        format!(
            "{} of the {files} files in this directory have syntax errors or duplicate declarations, so they do not \
             form a module.",
            broken.len()
        )
    } else {
        return None;
    };
    let is_of_templates = directory.path.split('/').any(|name| matches!(name, "template" | "templates"));
    let is_expected = templates > 0 && is_of_templates || may_be_wrong(&directory.path, unread > 0);
    let severity = if is_expected { Severity::Notice } else { Severity::Error };
    Some(not_a_module(directory, &why, severity, broken))
}

/// The first of some findings in each file, with its place.
fn first_of_each_file<'f>(
    findings: impl Iterator<Item = &'f Finding>,
) -> BTreeMap<FileId, (Span, &'f Finding)> {
    let mut first = BTreeMap::new();
    for (place, finding) in findings.filter_map(|finding| Some((finding.primary?, finding))) {
        first.entry(place.file).or_insert((place, finding));
    }
    first
}

/// Why a directory is not a module, although an engine would load it as one.
#[derive(Debug)]
pub(crate) enum Evidence {
    /// Modules elsewhere load its files through symbolic links and are checked with them.
    LinkTargets,
    /// Its files are meant to be copied to other directories.
    Fragments(Box<Finding>),
}

/// Looks for evidence that a directory is not a module. `findings` are all findings of its module. A module that is
/// called or tested, has a lock file or variable values beside it, or has the role `root` or `shared` in the policy always
/// counts as one. So does the top of the repository, unless it has errors and holds only targets of links.
pub(crate) fn evidence(node: Node<'_>, snapshot: &Snapshot, findings: &[&Finding]) -> Option<Evidence> {
    let module = node.module();
    let directory = snapshot.directory(&module.directory)?;
    // A module with these signs is checked by itself.
    let is_whole = matches!(node.role_with_reason(), (Role::Root | Role::Shared, Reason::Policy));
    let is_tested = !node.tests().is_empty() || node.run_by_tests().next().is_some();
    if is_whole || node.is_called() || is_tested || directory.has_lock_file || module.excluded {
        return None;
    }
    let fragments = |why: &str| {
        let errors = first_of_each_file(findings.iter().copied());
        Some(Evidence::Fragments(Box::new(not_a_module(directory, why, Severity::Notice, errors))))
    };
    let files = directory.module_files(module.features.engine);
    let files: Vec<(FileId, FileKind)> =
        files.into_iter().filter_map(|(file, loaded)| Some((file.id?, loaded.kind))).collect();
    if directory.path.is_empty() {
        return are_link_targets(&files, directory, snapshot, findings).then_some(Evidence::LinkTargets);
    }
    if let Some(why) = are_snippets(node, findings) {
        return fragments(&why);
    }
    if directory.has_values && has_own_values(directory, snapshot) {
        // A test may copy override files and values over a module.
        let why = overrides_nothing(module, &files, findings).filter(|_| node.role() == Role::Test);
        return why.and_then(fragments);
    }
    if are_link_targets(&files, directory, snapshot, findings) {
        return Some(Evidence::LinkTargets);
    }
    let why = overrides_nothing(module, &files, findings)
        .or_else(|| are_parts(node, &files, findings))
        .or_else(|| hold_arguments(module, &files, findings))
        .or_else(|| are_alternatives(directory, node, &files, findings))?;
    fragments(why)
}

/// Whether other directories load the files through symbolic links: all files, or most of them if these do not work
/// together and no directory loads them all. At the top of the repository, both.
fn are_link_targets(
    files: &[(FileId, FileKind)],
    directory: &Directory,
    snapshot: &Snapshot,
    findings: &[&Finding],
) -> bool {
    let files_with_users = || files.iter().filter(|(id, _)| users(*id, directory, snapshot).next().is_some());
    let used = files_with_users().count();
    let are_all = used == files.len() && used > 0;
    if are_all && !directory.path.is_empty() {
        return true;
    }
    let is_whole = || {
        let mut used_by =
            files_with_users().map(|(id, _)| users(*id, directory, snapshot).collect::<BTreeSet<_>>());
        let first = used_by.next().unwrap_or_default();
        !used_by.fold(first, |common, users| &common & &users).is_empty()
    };
    let is_wrong = || findings.iter().any(|finding| finding.severity == Severity::Error);
    let are_most = 2 * used > files.len() && !directory.path.is_empty();
    (are_all || are_most) && is_wrong() && !is_whole()
}

/// Whether a file with values beside the module is not the target of a link from another directory.
fn has_own_values(directory: &Directory, snapshot: &Snapshot) -> bool {
    let is_own = |id: FileId| users(id, directory, snapshot).next().is_none();
    let files = snapshot.companions_in(&directory.path).iter();
    let mut values = files.filter(|file| file.kind == Companion::Values);
    values.any(|file| file.id.is_none_or(is_own))
}

/// The directories that load a file through a symbolic link.
fn users<'s>(id: FileId, directory: &Directory, snapshot: &'s Snapshot) -> impl Iterator<Item = &'s str> {
    let links = snapshot.sources().links(id).iter();
    let others = links.filter_map(|link| snapshot.directory(parent(link).unwrap_or_default()));
    others.filter(|other| other.real != directory.real).map(|other| other.path.as_str())
}

/// The finding about a directory, with the first error in some of its files.
fn not_a_module(
    directory: &Directory,
    why: &str,
    severity: Severity,
    errors: BTreeMap<FileId, (Span, &Finding)>,
) -> Finding {
    let pattern = if directory.path.is_empty() { "*.tf" } else { directory.path.as_str() };
    let finding = Finding::language(EngineRule::NotAModule, "Directory is not a module")
        .severity(severity)
        .detail(why)
        .module(directory.path.clone())
        .help(format!(
            "correct the marked errors, or, if the files are not meant to be one module, add `exclude = [\"{pattern}\"]` \
             to the `policy` block of `overrule.hcl`"
        ));
    errors.into_values().take(SHOWN).fold(finding, |finding, (place, error)| {
        finding.related(place, format!("the first error in this file: {}", error.summary))
    })
}

/// Whether an error shows that a file does not belong to the others of its directory.
fn breaks_file(finding: &Finding) -> bool {
    let is = |rule: EngineRule| finding.rule == rule.id();
    finding.severity == Severity::Error
        && (is(EngineRule::SyntaxError) || is(EngineRule::DuplicateDeclaration))
}

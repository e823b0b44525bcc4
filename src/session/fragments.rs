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

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::FileKind;
use crate::finding::{Code, EngineRule, Finding, Severity};
use crate::graph::{Node, Reason, Role};
use crate::module::Module;
use crate::module::declaration::Origin;
use crate::text::{FileId, Source, Span};
use crate::vfs::{Directory, Snapshot, parent};

/// The smallest number of files with errors.
const FEWEST: usize = 6;

/// The smallest number of undeclared objects in parts of other modules.
const FEWEST_UNDECLARED: usize = 10;

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
    let severity = if templates > 0 && is_of_templates { Severity::Notice } else { Severity::Error };
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
/// called, has a lock file or variable values beside it, is the top of the repository, or has the role `root` or `shared`
/// in the policy always counts as one.
pub(crate) fn evidence(node: Node<'_>, snapshot: &Snapshot, findings: &[&Finding]) -> Option<Evidence> {
    let module = node.module();
    let directory = snapshot.directory(&module.directory)?;
    // A module with these signs is checked by itself.
    let is_whole = directory.path.is_empty()
        || matches!(node.role_with_reason(), (Role::Root | Role::Shared, Reason::Policy));
    if is_whole || node.is_called() || directory.has_lock_file || module.excluded {
        return None;
    }
    let fragments = |why: &str| {
        let errors = first_of_each_file(findings.iter().copied());
        Some(Evidence::Fragments(Box::new(not_a_module(directory, why, Severity::Notice, errors))))
    };
    if let Some(why) = are_snippets(node, findings) {
        return fragments(&why);
    }
    let files = directory.module_files(module.features.engine);
    let files: Vec<(FileId, FileKind)> =
        files.into_iter().filter_map(|(file, loaded)| Some((file.id?, loaded.kind))).collect();
    if directory.has_values {
        // A test may copy override files and values over a module.
        let why = overrides_nothing(module, &files, findings).filter(|_| node.role() == Role::Test);
        return why.and_then(fragments);
    }
    if !files.is_empty() && files.iter().all(|(id, _)| is_linked_elsewhere(*id, directory, snapshot)) {
        return Some(Evidence::LinkTargets);
    }
    let why = overrides_nothing(module, &files, findings)
        .or_else(|| are_parts(node, &files, findings))
        .or_else(|| hold_arguments(module, &files, findings))
        .or_else(|| are_alternatives(directory, node, &files, findings))?;
    fragments(why)
}

/// Whether another directory loads a file through a symbolic link.
fn is_linked_elsewhere(id: FileId, directory: &Directory, snapshot: &Snapshot) -> bool {
    let links = snapshot.sources().links(id).iter();
    let mut others = links.filter_map(|link| snapshot.directory(parent(link).unwrap_or_default()));
    others.any(|other| other.real != directory.real)
}

/// Whether the override files override nothing, and the other files are incomplete without the base files.
fn overrides_nothing(
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
fn are_parts(node: Node<'_>, files: &[(FileId, FileKind)], findings: &[&Finding]) -> Option<&'static str> {
    const SUMMARIES: [&str; 3] = [
        "Reference to undeclared local value",
        "Reference to undeclared module",
        "Reference to undeclared resource",
    ];
    let module = node.module();
    let variables_count = node.role() == Role::Test && module.variables.is_empty();
    let is_undeclared = |finding: &&&Finding| {
        finding.rule == EngineRule::UndeclaredReference.id()
            && finding.severity == Severity::Error
            && (variables_count || SUMMARIES.contains(&finding.summary.as_str()))
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

/// Whether the files show how to call modules, or are copied somewhere else, and are incomplete here: they are in
/// documentation, examples, tests, templates or an archive, and refer to objects and modules that do not exist.
fn are_snippets(node: Node<'_>, findings: &[&Finding]) -> Option<String> {
    let module = node.module();
    let errors: Vec<&Finding> =
        findings.iter().copied().filter(|finding| finding.severity == Severity::Error).collect();
    let of = |rule: EngineRule| errors.iter().filter(move |finding| finding.rule == rule.id());
    let undeclared: BTreeSet<&str> =
        of(EngineRule::UndeclaredReference).map(|finding| finding.detail.as_str()).collect();
    let missing = of(EngineRule::MissingModule).count();
    let place = Place::of(&module.directory, node.role())?;
    if errors.is_empty() {
        return None;
    }
    let marks = match place {
        Place::Archive => Some("an archive"),
        Place::TestData => Some("test data, which may be wrong on purpose"),
        Place::Documentation | Place::Template | Place::Example => None,
    };
    if let Some(what) = marks {
        return Some(format!("The name of this directory, or of one around it, marks {what}."));
    }
    let is_function = |finding: &&&Finding| finding.code == Some(Code::UnknownProviderFunction);
    let functions = errors.iter().filter(is_function).count();
    let are_all_known = of(EngineRule::UndeclaredReference).count() + missing + functions == errors.len();
    let is_completed = matches!(place, Place::Documentation | Place::Template);
    if !are_all_known || is_run(module) && !is_completed {
        return None;
    }
    let is_snippet = match place {
        Place::Documentation => missing > 0 || undeclared.len() > 1,
        Place::Template => !undeclared.is_empty() || missing > 0,
        Place::Example => {
            let declares = !module.variables.is_empty() || !module.locals.is_empty();
            // The file with the variables may not be in the commit yet.
            let is_variable = |finding: &&&Finding| finding.summary.ends_with("input variable");
            let others: BTreeSet<&str> = of(EngineRule::UndeclaredReference)
                .filter(|finding| !is_variable(finding))
                .map(|finding| finding.detail.as_str())
                .collect();
            !undeclared.is_empty() && missing > 0
                || others.len() > 1 && !declares
                || functions == errors.len() && module.required_providers.is_empty()
        }
        Place::Archive | Place::TestData => true,
    };
    is_snippet.then(|| {
        let objects = counted(
            undeclared.len(),
            "object that is not declared here",
            "objects that are not declared here",
        );
        let modules = counted(missing, "module that does not exist", "modules that do not exist");
        let functions =
            counted(functions, "function of an undeclared provider", "functions of undeclared providers");
        let lacks: Vec<String> = objects.into_iter().chain(modules).chain(functions).collect();
        format!(
            "The files in this directory refer to {}. {}",
            lacks.join(" and "),
            match place {
                Place::Documentation =>
                    "They are in documentation, so they are probably parts of other modules.",
                Place::Template =>
                    "They are in a directory of templates, so another program probably completes them.",
                Place::Example | Place::Archive | Place::TestData =>
                    "No module calls them, so they are probably parts of other modules.",
            }
        )
    })
}

/// `count` with the right noun. `None` for 0.
fn counted(count: usize, one: &str, many: &str) -> Option<String> {
    match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        _ => Some(format!("{count} {many}")),
    }
}

/// A place for files that are often incomplete.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Archive,
    TestData,
    Documentation,
    Template,
    Example,
}

impl Place {
    fn of(directory: &str, role: Role) -> Option<Self> {
        let named = |names: &[&str]| {
            directory.split('/').any(|part| {
                let part = part.trim_start_matches(['_', '.', '-']).to_ascii_lowercase();
                names.contains(&part.as_str())
            })
        };
        if named(&["archive", "archived", "archives", "archive-code", "archive-codes"]) {
            Some(Self::Archive)
        } else if named(&["testdata"]) {
            Some(Self::TestData)
        } else if named(&["doc", "docs", "documentation", "snippet", "snippets"]) {
            Some(Self::Documentation)
        } else if named(&["template", "templates", "skeleton", "skeletons", "boilerplate", "boilerplates"])
            || directory.split('/').any(|part| part.ends_with("-template") || part.ends_with("_template"))
        {
            Some(Self::Template)
        } else {
            matches!(role, Role::Example | Role::Test).then_some(Self::Example)
        }
    }
}

/// Whether there is no block of a module, and most files have arguments at their top: bodies of blocks, or variable
/// values in a file with the wrong name.
fn hold_arguments(
    module: &Module,
    files: &[(FileId, FileKind)],
    findings: &[&Finding],
) -> Option<&'static str> {
    // An argument with the name of a block is a mistake, for which there is a help.
    let is_part = |finding: &&Finding| {
        finding.rule == EngineRule::UnsupportedBlockOrArgument.id() && finding.help.is_none()
    };
    let arguments = findings.iter().filter(|finding| finding.summary == "Unsupported argument");
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

/// Whether the module has settings of a root module.
fn is_run(module: &Module) -> bool {
    module.backend.is_some()
        || module.cloud.is_some()
        || module.providers.values().any(|provider| !provider.config.is_empty())
}

/// Whether only one of the files can be in use: all have only settings, or they are variants for tests.
fn are_alternatives(
    directory: &Directory,
    node: Node<'_>,
    files: &[(FileId, FileKind)],
    findings: &[&Finding],
) -> Option<&'static str> {
    let module = node.module();
    let is_duplicate = |finding: &&&Finding| finding.rule == EngineRule::DuplicateDeclaration.id();
    let repeated: BTreeSet<Span> =
        findings.iter().filter(is_duplicate).filter_map(|finding| finding.primary).collect();
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

/// Whether one of these syntax errors is on a line with a placeholder of a template outside strings and comments: `{{
/// name }}`, `{% … %}` or `<% … %>`.
pub(crate) fn has_placeholder(source: &Source, errors: &[Finding]) -> bool {
    let places = errors.iter().filter_map(|error| error.primary);
    places.take(MOST_ERRORS).any(|place| {
        let line = source.position(place.start).line;
        source.text().lines().nth(line - 1).is_some_and(is_placeholder_in)
    })
}

/// The first errors show the kind of file.
const MOST_ERRORS: usize = 3;

fn is_placeholder_in(line: &str) -> bool {
    let mut is_string = false;
    let mut rest = line;
    let ends = ["%}", "%>"].map(|end| line.rfind(end).unwrap_or_default());
    while let Some(first) = rest.chars().next() {
        let is_comment = rest.starts_with('#') || rest.starts_with("//");
        if is_string && first == '\\' {
            rest = rest.get(2..).unwrap_or_default();
            continue;
        }
        if first == '"' {
            is_string = !is_string;
        } else if !is_string && is_comment {
            return false;
        } else if !is_string && starts_with_placeholder(rest, ends.map(|end| (line.len() - rest.len()) < end))
        {
            return true;
        }
        rest = &rest[first.len_utf8()..];
    }
    false
}

/// Whether text starts with a name in capitals for a person to replace, and `>`: `INSERT_VALUE_HERE>`.
fn is_blank(text: &str) -> bool {
    let is_in_name =
        |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || "_- ".contains(letter);
    let Some((name, _)) = text.split_once('>') else { return false };
    name.len() > 2
        && name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.chars().all(is_in_name)
}

/// Whether text starts with a placeholder. The flags say whether `%}` and `%>` follow.
fn starts_with_placeholder(text: &str, [has_tag_end, has_erb_end]: [bool; 2]) -> bool {
    let names = |inner: &str| {
        // Go templates assign with `:=`. Two braces around an object are a typing error.
        let inner = inner.replace(":=", " ");
        let inner = inner.find(['=', ':', '{']).map_or(inner.as_str(), |object| &inner[..object]);
        inner.split_once("}}").is_some_and(|(name, _)| name.contains(char::is_alphanumeric))
    };
    text.strip_prefix("{{").is_some_and(names)
        || text.strip_prefix('<').is_some_and(is_blank)
        || has_tag_end && text.starts_with("{%")
        || has_erb_end && text.starts_with("<%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_distinguished_from_typos() {
        for line in [
            "{{ template \"x\" . }}",
            "{{- $zones := (datasource \"config\").zones }}",
            "resource \"a\" {{ .Name }} {",
            "  count = {{cookiecutter.count}}",
            "{% if a == 1 %}",
            "<%= render \"x\" %>",
            "bucket = <INSERT_VALUE_HERE>",
        ] {
            assert!(is_placeholder_in(line), "{line}");
        }
        for line in [
            "variable \"a\" {{",
            "  default = {{}}",
            "  tags = {{ Name = \"x\" }}",
            "  command = \"docker ps --format {{.Names}}",
            "  a = \"\\\"{{ name }}",
            "  # {{ name }}",
            "  a = 1 // <% name %>",
            "  a = b < c",
            "  a = \"<NAME>\" b",
            "  a = b <C> d",
        ] {
            assert!(!is_placeholder_in(line), "{line}");
        }
    }
}

//! Finds directories whose files are not meant to be loaded together: fragments, templates, expected results of tests.
//!
//! Every file of such a directory brings errors that nobody wants to hear. A directory counts as one only where a
//! module that somebody is working on does not: where six files or more, and more than half of all, have errors that
//! keep a file from being one of a module; or where every syntax error is in a file with a placeholder of a template.

use std::collections::BTreeMap;

use crate::finding::{EngineRule, Finding, RuleId, Severity};
use crate::text::{FileId, Source, Span};
use crate::vfs::Directory;

/// As few files with errors as can make up such a directory.
const FEWEST: usize = 6;

/// How many of those files are pointed at.
const SHOWN: usize = 3;

/// The one finding about a directory, in the place of those about its files; `is_template` tells which of them hold a
/// placeholder where a syntax error is.
pub(crate) fn finding(
    directory: &Directory,
    files: usize,
    findings: &[Finding],
    is_template: impl Fn(FileId) -> bool,
) -> Option<Finding> {
    let mut broken: BTreeMap<FileId, Span> = BTreeMap::new();
    let (mut unread, mut templates) = (0, 0);
    for finding in findings.iter().filter(|finding| breaks_file(finding)) {
        let Some(place) = finding.primary else { continue };
        if broken.contains_key(&place.file) {
            continue;
        }
        broken.insert(place.file, place);
        unread += usize::from(finding.rule == EngineRule::SyntaxError.id());
        templates += usize::from(is_template(place.file));
    }
    let why = if templates > 0 && templates == unread {
        "The files in this directory have placeholders of a template in them, so Terraform and OpenTofu cannot read them."
            .to_owned()
    } else if broken.len() >= FEWEST && 2 * broken.len() > files {
        format!(
            "{} of the {files} files in this directory have syntax errors, or declare what other files declare, so they \
             do not make up a module.",
            broken.len()
        )
    } else {
        return None;
    };
    let pattern = if directory.path.is_empty() { "*.tf" } else { directory.path.as_str() };
    let finding = Finding::language(EngineRule::NotAModule, "Directory is not a module")
        .detail(why)
        .module(directory.path.clone())
        .help(format!(
            "if that is intended, write `exclude = [\"{pattern}\"]` in the `policy` block of `overrule.hcl`"
        ));
    let places = broken.into_values().take(SHOWN);
    Some(places.fold(finding, |finding, place| finding.related(place, "the first error in this file")))
}

/// Whether an error shows that a file does not belong to the others of its directory.
fn breaks_file(finding: &Finding) -> bool {
    let is = |rule: EngineRule| -> bool { finding.rule == RuleId::built_in(rule.name()) };
    finding.severity == Severity::Error
        && (is(EngineRule::SyntaxError) || is(EngineRule::DuplicateDeclaration))
}

/// Whether one of these syntax errors is on a line with a placeholder of a template: `{{ name }}`, `{% … %}` or `<% …
/// %>` outside of strings and comments.
pub(crate) fn has_placeholder(source: &Source, errors: &[Finding]) -> bool {
    let places = errors.iter().filter_map(|error| error.primary);
    places.take(MOST_ERRORS).any(|place| {
        let line = source.position(place.start).line;
        source.text().lines().nth(line - 1).is_some_and(is_placeholder_in)
    })
}

/// The first errors show what a file is.
const MOST_ERRORS: usize = 3;

fn is_placeholder_in(line: &str) -> bool {
    let mut is_string = false;
    let mut rest = line;
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
        } else if !is_string && starts_with_placeholder(rest) {
            return true;
        }
        rest = &rest[first.len_utf8()..];
    }
    false
}

fn starts_with_placeholder(text: &str) -> bool {
    let between = |open: &str, close: &str| Some(text.strip_prefix(open)?.split_once(close)?.0);
    // Two braces are a slip of the finger where what is between them is an object.
    let names = |inner: &str| inner.contains(char::is_alphanumeric) && !inner.contains(['=', ':', '{']);
    between("{{", "}}").is_some_and(names) || between("{%", "%}").is_some() || between("<%", "%>").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_told_from_slips() {
        for line in [
            "{{ template \"x\" . }}",
            "resource \"a\" {{ .Name }} {",
            "  count = {{cookiecutter.count}}",
            "{% if a == 1 %}",
            "<%= render \"x\" %>",
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
        ] {
            assert!(!is_placeholder_in(line), "{line}");
        }
    }
}

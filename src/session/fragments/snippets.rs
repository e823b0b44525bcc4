//! Recognizes parts of modules in documentation, examples, templates and archives.

use std::collections::BTreeSet;

use super::parts::{is_about_variable, is_run};
use crate::finding::{Code, EngineRule, Finding, Severity};
use crate::graph::{Node, Role};

/// Whether the files show how to call modules, or are copied somewhere else, and are incomplete here: they are in
/// documentation, examples, tests, templates or an archive, and refer to objects and modules that do not exist.
pub(super) fn are_snippets(node: Node<'_>, findings: &[&Finding]) -> Option<String> {
    let module = node.module();
    let errors: Vec<&Finding> =
        findings.iter().copied().filter(|finding| finding.severity == Severity::Error).collect();
    let of = |rule: EngineRule| errors.iter().filter(move |finding| finding.rule == rule.id());
    let undeclared: BTreeSet<&str> =
        of(EngineRule::UndeclaredReference).map(|finding| finding.detail.as_str()).collect();
    let missing = of(EngineRule::MissingModule).count();
    if errors.is_empty() {
        return None;
    }
    if is_of_provider(&module.directory) && of(EngineRule::SyntaxError).next().is_none() {
        let why = "This directory is where the documentation of a provider gets its examples, which are incomplete or \
                   show alternatives.";
        return Some(why.to_owned());
    }
    let place = Place::of(&module.directory, node.role())?;
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
        // Its own tests run a module as it is.
        Place::Template => node.tests().is_empty() && (!undeclared.is_empty() || missing > 0),
        Place::Example => {
            let declares = !module.variables.is_empty() || !module.locals.is_empty();
            // The file with the variables may not be in the commit yet.
            let others: BTreeSet<&str> = of(EngineRule::UndeclaredReference)
                .filter(|finding| !is_about_variable(finding))
                .map(|finding| finding.detail.as_str())
                .collect();
            !undeclared.is_empty() && missing > 0
                || others.len() > 1 && !declares
                || functions == errors.len() && module.required_providers.is_empty()
        }
        Place::Archive | Place::TestData => true,
    };
    is_snippet.then(|| why(place, undeclared.len(), missing, functions))
}

/// Whether the name of a directory says that its files, which have syntax errors or not, may be wrong.
pub(super) fn may_be_wrong(directory: &str, has_syntax_errors: bool) -> bool {
    let is_marked = matches!(Place::of(directory, Role::Root), Some(Place::Archive | Place::TestData));
    is_marked || is_of_provider(directory) && !has_syntax_errors
}

/// Whether the documentation of a provider shows the files, because their directory has a name that `tfplugindocs`
/// expects: `examples/provider`, or such as `examples/resources/NAME`.
fn is_of_provider(directory: &str) -> bool {
    let parts: Vec<&str> = directory.rsplit('/').take(3).collect();
    match parts[..] {
        ["provider", "examples", ..] => true,
        [_, kind, "examples"] => {
            ["actions", "data-sources", "ephemeral-resources", "functions", "list-resources", "resources"]
                .contains(&kind)
        }
        _ => false,
    }
}

/// The explanation: the objects that the files lack, and the reason to expect that in such a place.
fn why(place: Place, undeclared: usize, missing: usize, functions: usize) -> String {
    let objects =
        counted(undeclared, "object that is not declared here", "objects that are not declared here");
    let modules = counted(missing, "module that does not exist", "modules that do not exist");
    let functions =
        counted(functions, "function of an undeclared provider", "functions of undeclared providers");
    let lacks: Vec<String> = objects.into_iter().chain(modules).chain(functions).collect();
    let reason = match place {
        Place::Documentation => "They are in documentation, so they are probably parts of other modules.",
        Place::Template => {
            "They are in a directory of templates, so another program probably completes them."
        }
        Place::Example | Place::Archive | Place::TestData => {
            "No module calls them, so they are probably parts of other modules."
        }
    };
    format!("The files in this directory refer to {}. {reason}", lacks.join(" and "))
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
        // Below `modules` or `examples`, this is the name of a product, such as an instance template.
        let is_of_template = |part: &str| part.ends_with("-template") || part.ends_with("_template");
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
            || directory.split('/').any(is_of_template) && !named(&["modules", "example", "examples"])
        {
            Some(Self::Template)
        } else {
            matches!(role, Role::Example | Role::Test).then_some(Self::Example)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_directory_says_that_its_files_may_be_wrong() {
        for (directory, with_syntax_errors, without) in [
            ("internal/services/zone/testdata", true, true),
            ("archived/net", true, true),
            ("examples/resources/acme_zone", false, true),
            ("examples/zone", false, false),
            ("modules/net", false, false),
        ] {
            assert_eq!(may_be_wrong(directory, true), with_syntax_errors, "{directory}");
            assert_eq!(may_be_wrong(directory, false), without, "{directory}");
        }
    }

    #[test]
    fn a_template_is_the_name_of_a_product_below_modules_and_examples() {
        let is_template = |directory| matches!(Place::of(directory, Role::Root), Some(Place::Template));
        assert!(is_template("service-template/infra"));
        assert!(!is_template("examples/iam-policy-template") && !is_template("modules/instance_template"));
    }
}

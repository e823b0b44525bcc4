//! Runs the checker on many cases at once.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::answer::{Answer, Diagnostic, Reach, Stage};
use crate::calls::installed;
use crate::case::Case;
use crate::configurations::{Ours, used};

/// Findings in the parent module about the child module, which an engine with errors in the root module does not
/// reach. The checker reports them nevertheless.
const ABOUT_CALLED: &[&str] = &[
    "Module is incompatible with count, for_each, and depends_on",
    "Cannot override provider configuration",
    "Module not installed",
    "Failed to read mock data directory",
];

/// The pseudo directory of mock files.
const MOCKS: &str = "mock files";

/// The checker's findings for one case, and the directories of its tree.
pub(crate) struct Checked {
    all: Vec<Found>,
    reachable: BTreeSet<String>,
}

struct Found {
    diagnostic: Diagnostic,
    /// The directory of its position, or of the module if it has no position.
    directory: String,
}

impl Checked {
    /// The findings that the engine could have reported, given its reach: the checker continues where the engine
    /// stops.
    pub(crate) fn within(&self, answer: &Answer) -> BTreeSet<Diagnostic> {
        let reaches = |said: &Found| said.directory == MOCKS || self.reachable.contains(&said.directory);
        let is_within = |said: &&Found| match answer.reach {
            Reach::Root => {
                let about_called = ABOUT_CALLED.contains(&said.diagnostic.summary.as_str());
                said.directory.is_empty() && said.diagnostic.stage == Stage::Load && !about_called
            }
            Reach::ModuleGraph | Reach::Requirements => {
                reaches(said) && Reach::of(&said.diagnostic) <= answer.reach
            }
            Reach::Graph => {
                let is_first = answer.diagnostics.contains(&said.diagnostic);
                reaches(said) && (is_first || said.diagnostic.stage == Stage::Load)
            }
            Reach::Validate => reaches(said),
        };
        self.all.iter().filter(is_within).map(|said| said.diagnostic.clone()).collect()
    }
}

/// The arguments that match the recorded answers.
const AS_RECORDED: &[&str] = &["--engine", "terraform@1.11"];

/// The number of language diagnostics of a run with these arguments, for every case, without those that only a plan
/// reports: the recorded answers are those of `validate`.
pub(crate) fn count(cases: &[Case], arguments: &[&str]) -> Vec<usize> {
    let place = lay_out(cases);
    fs::write(place.path().join("overrule.hcl"), "policy {\n  extends = [\"language\"]\n}\n")
        .expect("a policy");
    let mut counts = vec![0; cases.len()];
    let found = run(place.path(), arguments);
    for diagnostic in found.iter().filter(|diagnostic| diagnostic["stage"] != "plan") {
        counts[number_of(diagnostic).expect("a place in a case").0] += 1;
    }
    counts
}

/// Checks every case in one run of the program.
pub(crate) fn check(cases: &[Case]) -> Vec<Checked> {
    let place = lay_out(cases);
    let of_case = |number| {
        let root = place.path().join(directory(number));
        let reachable = installed(&root).into_iter().map(|module| module.directory).collect();
        Checked { all: Vec::new(), reachable }
    };
    let mut said: Vec<Checked> = (0..cases.len()).map(of_case).collect();
    for diagnostic in run(place.path(), AS_RECORDED) {
        let Some((number, mut found)) = belongs(&diagnostic) else { continue };
        // A linked file is reported at its real path.
        if let Some(link) = cases[number].link_to(&found.diagnostic.file) {
            link.clone_into(&mut found.diagnostic.file);
            found.directory =
                link.rsplit_once('/').map_or(String::new(), |(directory, _)| directory.to_owned());
        }
        said[number].all.push(found);
    }
    said
}

/// The provider configurations of every case: errors, and the configuration of each resource.
pub(crate) fn configurations(cases: &[Case]) -> Vec<Ours> {
    let place = lay_out(cases);
    let mut ours: Vec<Ours> = cases.iter().map(|_| Ours::default()).collect();
    let reachable = (0..cases.len()).map(|number| {
        let root = place.path().join(directory(number));
        installed(&root).into_iter().map(|module| module.directory).collect()
    });
    let reachable: Vec<BTreeSet<String>> = reachable.collect();
    for diagnostic in run(place.path(), AS_RECORDED) {
        let Some((number, found)) = belongs(&diagnostic) else { continue };
        if found.diagnostic.is_error && reachable[number].contains(&found.directory) {
            ours[number].errors.insert(found.diagnostic.summary);
        }
    }
    let output = Command::new(env!("CARGO_BIN_EXE_overrule"))
        .args(["modules", "--resources", "--format", "json"])
        .args(AS_RECORDED)
        .current_dir(place.path())
        .env_clear()
        .output()
        .expect("the program runs");
    let shown: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("no document, {error}: {}", String::from_utf8_lossy(&output.stderr)));
    for root in shown["roots"].as_array().expect("a list of roots") {
        let directory = root["module"].as_str().expect("a directory");
        let Some(number) = directory.strip_prefix("case").and_then(|number| number.parse::<usize>().ok())
        else {
            continue;
        };
        let resources = root["resources"].as_array().expect("a list of resources");
        ours[number].resources = resources.iter().map(used).collect();
    }
    ours
}

/// The findings of every case, in all stages, as positions and summaries.
pub(crate) fn of_tests(cases: &[Case]) -> Vec<BTreeSet<(String, usize, String)>> {
    let place = lay_out(cases);
    let mut said = vec![BTreeSet::new(); cases.len()];
    for diagnostic in run(place.path(), AS_RECORDED) {
        let Some((number, case)) = number_of(&diagnostic) else { continue };
        let Some(Found { diagnostic, .. }) = parse(&diagnostic, case) else { continue };
        said[number].insert((diagnostic.file, diagnostic.line, diagnostic.summary));
    }
    said
}

/// Checks an existing directory.
pub(crate) fn check_directory(root: &Path) -> Checked {
    let reachable = installed(root).into_iter().map(|module| module.directory).collect();
    let all = run(root, AS_RECORDED).iter().filter_map(|diagnostic| parse(diagnostic, "")).collect();
    Checked { all, reachable }
}

/// A directory with a subdirectory for each case. The recorded answers are those of Terraform in that subdirectory, so a policy
/// makes each of them a root module.
fn lay_out(cases: &[Case]) -> TempDir {
    let place = tempfile::tempdir().expect("a temporary directory");
    fs::write(place.path().join("overrule.hcl"), "role \"root\" {\n  paths = [\"case*\"]\n}\n")
        .expect("a policy");
    for (number, case) in cases.iter().enumerate() {
        let root = place.path().join(directory(number));
        fs::create_dir(&root).expect("a new directory");
        case.lay_out(&root);
    }
    place
}

fn directory(number: usize) -> String {
    format!("case{number:05}")
}

/// The diagnostics of a run on the directory.
fn run(root: &Path, arguments: &[&str]) -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_overrule"))
        .args(["check", "--format", "json"])
        .args(arguments)
        .arg(root)
        .env_clear()
        .output()
        .expect("the program runs");
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("no report, {error}: {}", String::from_utf8_lossy(&output.stderr)));
    report["diagnostics"].as_array().expect("a list of diagnostics").clone()
}

/// The number of the case of a diagnostic, and the diagnostic relative to that case.
fn belongs(diagnostic: &Value) -> Option<(usize, Found)> {
    // Only `plan` checks unused configurations; the answers are those of `validate` and `graph`.
    if diagnostic["stage"] == "plan" || diagnostic["stage"] == "test" {
        return None;
    }
    let (number, case) = number_of(diagnostic)?;
    Some((number, parse(diagnostic, case)?))
}

/// The number of the case of a diagnostic, and the directory in that case.
fn number_of(diagnostic: &Value) -> Option<(usize, &str)> {
    let place = diagnostic["range"]["filename"].as_str().or_else(|| diagnostic["module"].as_str())?;
    let case = place.split('/').next()?;
    Some((case.strip_prefix("case")?.parse().ok()?, case))
}

/// A language finding above the severity of a notice, with paths relative to `top`.
fn parse(diagnostic: &Value, top: &str) -> Option<Found> {
    if diagnostic["category"] != "language" || diagnostic["level"] == "notice" {
        return None;
    }
    let name = |value: &Value| {
        let name = value.as_str().unwrap_or_default();
        name.strip_prefix(top).map_or(name, |inside| inside.trim_start_matches('/')).to_owned()
    };
    let file = name(&diagnostic["range"]["filename"]);
    let summary = diagnostic["summary"].as_str().unwrap_or_default().to_owned();
    let line = diagnostic["range"]["start"]["line"].as_u64();
    let directory = match file.rsplit_once('/') {
        Some((directory, _)) => directory.to_owned(),
        None if file.is_empty() => name(&diagnostic["module"]),
        None => String::new(),
    };
    let diagnostic = Diagnostic {
        file,
        line: line.map_or(0, |line| usize::try_from(line).expect("a line number")),
        stage: if diagnostic["stage"] == "validate" { Stage::Validate } else { Stage::Load },
        is_error: diagnostic["severity"] == "error",
        summary: if summary.starts_with("Cycle: ") { "Cycle".to_owned() } else { summary },
    };
    let ends = |ends: &[&str]| ends.iter().any(|end| diagnostic.file.ends_with(end));
    // Test files are loaded with the root module, mock files after the tree.
    let directory = if directory == "tests" && ends(&[".tftest.hcl", ".tftest.json"]) {
        String::new()
    } else if ends(&[".tfmock.hcl", ".tfmock.json"]) {
        MOCKS.to_owned()
    } else {
        directory
    };
    Some(Found { diagnostic, directory })
}

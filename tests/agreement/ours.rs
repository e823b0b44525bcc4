//! Turns cases into what the checker says about them, many at once.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::answer::{Diagnostic, Reach, Stage};
use crate::calls::installed;
use crate::case::Case;

/// What stands in the calling module but is about the called one, to which an engine with errors in the root does not
/// get. The checker says so nevertheless.
const ABOUT_CALLED: &[&str] = &[
    "Module is incompatible with count, for_each, and depends_on",
    "Cannot override provider configuration",
    "Module not installed",
];

/// What the checker says about one case, and which folders belong to its tree.
pub(crate) struct Said {
    all: BTreeSet<Diagnostic>,
    reachable: BTreeSet<String>,
}

impl Said {
    /// What an engine that got so far could have said too: the checker goes on where the engine stops.
    pub(crate) fn within(&self, reach: Reach) -> BTreeSet<Diagnostic> {
        let is_within = |said: &&Diagnostic| match reach {
            Reach::Root => {
                let about_called = ABOUT_CALLED.contains(&said.summary.as_str());
                said.folder().is_empty() && said.stage == Stage::Load && !about_called
            }
            Reach::Tree | Reach::Requirements | Reach::Graph | Reach::Validate => {
                self.reachable.contains(said.folder()) && Reach::of(said) <= reach
            }
        };
        self.all.iter().filter(is_within).cloned().collect()
    }
}

/// Checks every case, all in one run of the program.
pub(crate) fn check(cases: &[Case]) -> Vec<Said> {
    let place = tempfile::tempdir().expect("a temporary folder");
    let mut said: Vec<Said> = cases
        .iter()
        .enumerate()
        .map(|(number, case)| {
            let root = place.path().join(folder(number));
            fs::create_dir(&root).expect("a new folder");
            case.lay_out(&root);
            let reachable = installed(&root).into_iter().map(|module| module.folder).collect();
            Said { all: BTreeSet::new(), reachable }
        })
        .collect();
    for diagnostic in run(place.path()) {
        let Some((number, diagnostic)) = belongs(&diagnostic) else { continue };
        said[number].all.insert(diagnostic);
    }
    said
}

/// Checks a folder as it is.
pub(crate) fn check_folder(root: &Path) -> Said {
    let reachable = installed(root).into_iter().map(|module| module.folder).collect();
    let all = run(root).iter().filter_map(|diagnostic| parse(diagnostic, "")).collect();
    Said { all, reachable }
}

fn folder(number: usize) -> String {
    format!("case{number:05}")
}

/// The diagnostics of a run over the folder.
fn run(root: &Path) -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_overrule"))
        .args(["check", "--format", "json", "--engine", "terraform@1.11.4"])
        .arg(root)
        .env_clear()
        .output()
        .expect("the program runs");
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("no report, {error}: {}", String::from_utf8_lossy(&output.stderr)));
    report["diagnostics"].as_array().expect("a list of diagnostics").clone()
}

/// The number of the case that a diagnostic is about, and the diagnostic as if that case were alone.
fn belongs(diagnostic: &Value) -> Option<(usize, Diagnostic)> {
    let place = diagnostic["range"]["filename"].as_str().or_else(|| diagnostic["module"].as_str())?;
    let case = place.split('/').next()?;
    let number = case.strip_prefix("case")?.parse().ok()?;
    Some((number, parse(diagnostic, &format!("{case}/"))?))
}

/// A language finding that is more than a notice.
fn parse(diagnostic: &Value, prefix: &str) -> Option<Diagnostic> {
    if diagnostic["category"] != "language" || diagnostic["level"] == "notice" {
        return None;
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let file = text(&diagnostic["range"]["filename"]);
    let summary = text(&diagnostic["summary"]);
    Some(Diagnostic {
        file: file.strip_prefix(prefix).unwrap_or(&file).to_owned(),
        line: diagnostic["range"]["start"]["line"]
            .as_u64()
            .map_or(0, |line| usize::try_from(line).expect("a line number")),
        stage: if diagnostic["stage"] == "validate" { Stage::Validate } else { Stage::Load },
        is_error: diagnostic["severity"] == "error",
        summary: if summary.starts_with("Cycle: ") { "Cycle".to_owned() } else { summary },
    })
}

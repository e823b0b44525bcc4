//! Turns a case into the answers of the real `terraform`.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::answer::{Answer, Diagnostic, Reach, Stage};
use crate::calls::{installed, manifest};
use crate::case::{Case, RELEASE};

/// Asks for a provider that is not there, so that only the loader speaks; and calls a module that is not there,
/// which the loader says only where it follows calls at all.
const PROBE_FILE: &str = "zzzz_probe.tf";
const PROBE_PROVIDER: &str = "resource \"overrule-probe_stage\" \"probe\" {}\n";
const PROBE_CALL: &str = "module \"overrule_probe\" {\n  source = \"./overrule-probe\"\n}\n";

/// How often an engine that may answer at random is asked.
const PATIENCE: usize = 16;

/// The program on PATH, if it is the release that was recorded.
pub(crate) struct Terraform {
    program: OsString,
}

/// One diagnostic as it was printed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Said {
    file: String,
    line: usize,
    is_error: bool,
    summary: String,
    detail: String,
}

impl Said {
    /// Something that is so only because nothing was installed, which no checker of files can know.
    fn is_about_installation(&self) -> bool {
        ["Missing required provider", "Missing required provisioner plugin"].contains(&self.summary.as_str())
            || (self.summary == "Module not installed" && !self.detail.contains("could not be read"))
    }

    fn at(self, stage: Stage) -> Diagnostic {
        Diagnostic { file: self.file, line: self.line, stage, is_error: self.is_error, summary: self.summary }
    }
}

impl Terraform {
    /// Looks for it.
    pub(crate) fn find() -> Option<Self> {
        let found = Self { program: OsString::from("terraform") };
        let output = found.command().args(["version", "-json"]).output().ok()?;
        let version: Value = serde_json::from_slice(&output.stdout).ok()?;
        (version.get("terraform_version")?.as_str()? == RELEASE).then_some(found)
    }

    /// Every answer that was seen: one, except where chance decides.
    pub(crate) fn ask(&self, case: &Case) -> Vec<Answer> {
        let place = tempfile::tempdir().expect("a temporary folder");
        let root = place.path().join("root");
        fs::create_dir(&root).expect("a new folder");
        case.lay_out(&root);
        let first = self.ask_folder(&root, place.path());
        let mut answers = BTreeSet::from([first.clone()]);
        if may_be_random(&first, case) {
            answers.extend((1..PATIENCE).map(|_| self.ask_folder(&root, place.path())));
        } else if !first.diagnostics.is_empty() {
            let second = self.ask_folder(&root, place.path());
            if answers.insert(second) {
                answers.extend((2..PATIENCE).map(|_| self.ask_folder(&root, place.path())));
            }
        }
        answers.into_iter().collect()
    }

    /// Asks once about the module in `root`; `aside` is a folder for what is no part of it. A probe file is written
    /// into the module for a moment where that is needed to tell the loader's diagnostics from the others.
    pub(crate) fn ask_folder(&self, root: &Path, aside: &Path) -> Answer {
        let modules = installed(root);
        let all = self.validate(root, aside, &modules);
        if all.is_empty() {
            return Answer { reach: Reach::Validate, diagnostics: BTreeSet::new() };
        }
        let loaded = self.validate_with(PROBE_PROVIDER, root, aside, &modules);
        let loader_erred = loaded.iter().any(|said| said.is_error && !said.is_about_installation());
        let reach = if !loader_erred {
            if all.iter().any(Said::is_about_installation) { Reach::Tree } else { Reach::Validate }
        } else if modules.len() > 1 && !self.follows_calls(root, aside, &modules) {
            Reach::Root
        } else {
            Reach::Tree
        };
        let of_loader: BTreeSet<&String> = loaded.iter().map(|said| &said.summary).collect();
        let diagnostics = all
            .iter()
            .filter(|said| !said.is_about_installation())
            .map(|said| {
                let stage = if loader_erred || of_loader.contains(&said.summary) {
                    Stage::Load
                } else {
                    Stage::Validate
                };
                said.clone().at(stage)
            })
            .collect();
        Answer { reach, diagnostics }
    }

    fn follows_calls(&self, root: &Path, aside: &Path, modules: &[crate::calls::Installed]) -> bool {
        self.validate_with(PROBE_CALL, root, aside, modules).iter().any(|said| said.file == PROBE_FILE)
    }

    fn validate_with(
        &self,
        probe: &str,
        root: &Path,
        aside: &Path,
        modules: &[crate::calls::Installed],
    ) -> BTreeSet<Said> {
        let file = root.join(PROBE_FILE);
        fs::write(&file, probe).expect("the probe file");
        let said = self.validate(root, aside, modules);
        fs::remove_file(&file).expect("the probe file");
        said
    }

    fn validate(&self, root: &Path, aside: &Path, modules: &[crate::calls::Installed]) -> BTreeSet<Said> {
        let data = aside.join("data");
        fs::create_dir_all(data.join("modules")).expect("a data folder");
        fs::write(data.join("modules/modules.json"), manifest(modules)).expect("a manifest");
        let output = self
            .command()
            .args(["validate", "-json", "-no-color"])
            .current_dir(root)
            .env("TF_DATA_DIR", &data)
            .env("HOME", aside)
            .output()
            .expect("terraform runs");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            panic!("no answer, {error}: {}", String::from_utf8_lossy(&output.stderr))
        });
        answer["diagnostics"].as_array().into_iter().flatten().map(said).collect()
    }

    /// The program in an environment of its own, so that nobody's settings have a say.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.env_clear().env("CHECKPOINT_DISABLE", "1");
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        command
    }
}

/// Go walks its maps at random, and where a tree has such a choice the engine must be asked more than twice.
fn may_be_random(answer: &Answer, case: &Case) -> bool {
    let telling = [
        "Duplicate required provider",
        "Provider type mismatch",
        "Reference to undefined provider",
        "Missing required provider configuration",
        "Cycle",
    ];
    let faulty_requirement = answer.diagnostics.iter().any(|said| {
        [
            "Invalid provider",
            "Invalid required_providers",
            "Invalid source",
            "Invalid version",
            "Invalid config",
            "Invalid Attr",
        ]
        .iter()
        .any(|start| said.summary.starts_with(start))
    });
    (faulty_requirement && case.tree().contains("required_providers"))
        || answer.diagnostics.iter().any(|said| telling.iter().any(|start| said.summary.starts_with(start)))
}

fn said(diagnostic: &Value) -> Said {
    let range = &diagnostic["range"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let summary = text(&diagnostic["summary"]);
    Said {
        file: text(&range["filename"]),
        line: range["start"]["line"].as_u64().map_or(0, |line| usize::try_from(line).expect("a line number")),
        is_error: diagnostic["severity"] == "error",
        // A cycle names its members in an order that changes from run to run.
        summary: if summary.starts_with("Cycle: ") { "Cycle".to_owned() } else { summary },
        detail: text(&diagnostic["detail"]),
    }
}

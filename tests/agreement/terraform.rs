//! Runs the real `terraform` on cases.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::answer::{Answer, Diagnostic, Reach, Stage};
use crate::calls::{Installed, installed, manifest};
use crate::case::{Case, RELEASE};
use crate::configurations::Reached;

/// Calls a module that does not exist. This is an error of the loader, so `validate` does not start, and the loader
/// reports it only if it follows calls at all.
const PROBE_FILE: &str = "zzzz_probe.tf";
const PROBE: &str = "module \"overrule_probe\" {\n  source = \"./overrule-probe\"\n}\n";

/// An invalid reference, which is reported only during the graph walk.
const WALK_PROBE: &str = "output \"overrule_probe\" {\n  value = var.overrule_probe\n}\n";

/// Errors that only the loader reports, with other words if the tree has an error, such as the probe.
const OF_LOADER: &[&str] = &["Provider type mismatch", "Reference to undefined provider"];

/// The number of runs of an engine with random answers.
const PATIENCE: usize = 24;

/// The program on PATH, if it is the recorded release.
pub(crate) struct Terraform {
    program: OsString,
}

/// A diagnostic as printed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Printed {
    file: String,
    line: usize,
    is_error: bool,
    summary: String,
    detail: String,
}

impl Printed {
    /// Whether it only concerns missing installations, which a checker of files cannot know.
    fn is_about_installation(&self) -> bool {
        ["Missing required provider", "Missing required provisioner plugin"].contains(&self.summary.as_str())
            || (self.summary == "Module not installed" && !self.detail.contains("could not be read"))
    }

    fn at(self, stage: Stage) -> Diagnostic {
        Diagnostic { file: self.file, line: self.line, stage, is_error: self.is_error, summary: self.summary }
    }
}

impl Terraform {
    /// Searches the program.
    pub(crate) fn find() -> Option<Self> {
        let found = Self { program: OsString::from("terraform") };
        let output = found.command().args(["version", "-json"]).output().ok()?;
        let version: Value = serde_json::from_slice(&output.stdout).ok()?;
        (version.get("terraform_version")?.as_str()? == RELEASE).then_some(found)
    }

    /// Every observed answer: one, unless the answer is random.
    pub(crate) fn ask(&self, case: &Case) -> Vec<Answer> {
        let place = tempfile::tempdir().expect("a temporary directory");
        let root = place.path().join("root");
        fs::create_dir(&root).expect("a new directory");
        case.lay_out(&root);
        let modules = installed(&root);
        let again = || self.validate(&root, place.path(), &modules);
        let first = again();
        let mut outcomes = BTreeSet::from([first.clone()]);
        if may_be_random(&first, &modules, case) || (!first.is_empty() && outcomes.insert(again())) {
            outcomes.extend((1..PATIENCE).map(|_| again()));
        }
        let answers: BTreeSet<Answer> =
            outcomes.iter().map(|said| self.staged(said, &root, place.path(), &modules)).collect();
        answers.into_iter().collect()
    }

    /// Runs once for the module in `root`; `aside` is a directory for other files.
    pub(crate) fn ask_directory(&self, root: &Path, aside: &Path) -> Answer {
        let modules = installed(root);
        let said = self.validate(root, aside, &modules);
        self.staged(&said, root, aside, &modules)
    }

    /// The full diagnostics of the module in `root` without positions: whether each is an error, its summary and its
    /// detail.
    pub(crate) fn words(&self, root: &Path, aside: &Path) -> BTreeSet<(bool, String, String)> {
        let said = self.validate(root, aside, &installed(root));
        let words = said.into_iter().filter(|said| !said.is_about_installation()).map(|said| {
            let is_place = |word: &&str| word.contains(".tf");
            let detail: Vec<&str> = said.detail.split_whitespace().filter(|word| !is_place(word)).collect();
            (said.is_error, said.summary, detail.join(" "))
        });
        words.collect()
    }

    /// Determines the stage of each diagnostic and the reach of the run, if necessary with a temporary probe file in
    /// the module.
    fn staged(&self, all: &BTreeSet<Printed>, root: &Path, aside: &Path, modules: &[Installed]) -> Answer {
        let answer = |reach: Reach, stage: &dyn Fn(&Printed) -> Stage| {
            let said = all.iter().filter(|said| !said.is_about_installation());
            Answer { reach, diagnostics: said.map(|said| said.clone().at(stage(said))).collect() }
        };
        if all.is_empty() {
            return answer(Reach::Validate, &|_| Stage::Load);
        }
        if all.iter().any(|said| said.summary == "Missing required provider") {
            return answer(Reach::Requirements, &|said| {
                let early = Reach::of(&said.clone().at(Stage::Validate)) == Reach::Requirements;
                if early && said.is_error { Stage::Validate } else { Stage::Load }
            });
        }
        let loaded = self.validate_with(PROBE, root, aside, modules);
        let stage = |said: &Printed| {
            let of_loader = loaded.contains(said)
                || said.summary == "Module not installed"
                || OF_LOADER.contains(&said.summary.as_str());
            if of_loader { Stage::Load } else { Stage::Validate }
        };
        if all.iter().any(|said| said.is_error && stage(said) == Stage::Load) {
            let calls_nothing = modules.len() == 1 && knows_calls(root);
            let follows_calls = calls_nothing || loaded.iter().any(|said| said.file == PROBE_FILE);
            return answer(if follows_calls { Reach::ModuleGraph } else { Reach::Root }, &|_| Stage::Load);
        }
        let late = |said: &&Printed| said.is_error && stage(said) == Stage::Validate;
        let is_early = |said: &Printed| Reach::of(&said.clone().at(Stage::Validate)) == Reach::Requirements;
        let reach = if all.iter().filter(late).any(is_early) {
            Reach::Requirements
        } else if all.iter().any(|said| late(&said)) && !self.walks(root, aside, modules) {
            Reach::Graph
        } else {
            Reach::Validate
        };
        answer(reach, &stage)
    }

    fn walks(&self, root: &Path, aside: &Path, modules: &[Installed]) -> bool {
        self.validate_with(WALK_PROBE, root, aside, modules).iter().any(|said| said.file == PROBE_FILE)
    }

    /// Runs with one more file in the module.
    fn validate_with(
        &self,
        probe: &str,
        root: &Path,
        aside: &Path,
        modules: &[Installed],
    ) -> BTreeSet<Printed> {
        let file = root.join(PROBE_FILE);
        fs::write(&file, probe).expect("the probe file");
        let said = self.validate(root, aside, modules);
        fs::remove_file(&file).expect("the probe file");
        said
    }

    /// The provider configuration of each resource, or the errors of the tree. No provider is installed: each is
    /// configured to be in a directory that does not exist, which the engine notices only after it resolved all of
    /// them.
    pub(crate) fn configurations(&self, case: &Case) -> Reached {
        let place = tempfile::tempdir().expect("a temporary directory");
        let root = place.path().join("root");
        fs::create_dir(&root).expect("a new directory");
        case.lay_out(&root);
        let data = place.path().join("data");
        fs::create_dir_all(data.join("modules")).expect("a data directory");
        fs::write(data.join("modules/modules.json"), manifest(&installed(&root))).expect("a manifest");
        let namespaces = ["hashicorp", "acme", "other"];
        let types =
            ["aa", "bb", "cc", "dd", "ee", "p", "q", "k", "f", "fake", "null", "terraform", "each", "local"];
        let providers = namespaces.iter().flat_map(|namespace| {
            types.iter().map(move |name| format!("\"{namespace}/{name}\" = \"/nonexistent\"\n"))
        });
        let settings = place.path().join("settings");
        let overrides = providers.collect::<String>();
        fs::write(&settings, format!("provider_installation {{\n  dev_overrides {{\n{overrides}  }}\n}}\n"))
            .expect("the settings");
        let output = self
            .command()
            .args(["graph", "-type=plan"])
            .current_dir(&root)
            .env("TF_DATA_DIR", &data)
            .env("TF_CLI_CONFIG_FILE", &settings)
            .env("TF_LOG", "debug")
            .env("HOME", place.path())
            .output()
            .expect("terraform runs");
        let text = String::from_utf8_lossy(&output.stderr);
        // Errors are printed in boxes and with colors.
        let summaries = text.lines().filter_map(|line| {
            let summary = line.split_once("Error: ")?.1.replace("\u{1b}[0m", "").replace("\u{1b}[1m", "");
            let is_of_plugin = summary.starts_with("failed to read") || line.contains("[DEBUG]");
            (!is_of_plugin).then_some(summary)
        });
        let summaries: BTreeSet<String> = summaries.collect();
        if !summaries.is_empty() {
            return Reached::Refused(summaries);
        }
        let uses = text.lines().filter_map(|line| {
            let (resource, rest) = line.split_once("ProviderTransformer: \"")?.1.split_once('"')?;
            let configuration = rest.split_once(" needs ")?.1;
            Some((resource.trim_end_matches(" (expand)").to_owned(), configuration.to_owned()))
        });
        Reached::All(uses.collect())
    }

    /// The diagnostics of `terraform test` for a case: positions and summaries. `None` if it crashes.
    pub(crate) fn test(&self, case: &Case) -> Option<BTreeSet<(String, usize, String)>> {
        let place = tempfile::tempdir().expect("a temporary directory");
        let root = place.path().join("root");
        fs::create_dir(&root).expect("a new directory");
        case.lay_out(&root);
        let data = place.path().join("data");
        fs::create_dir_all(data.join("modules")).expect("a data directory");
        fs::write(data.join("modules/modules.json"), manifest(&installed(&root))).expect("a manifest");
        let output = self
            .command()
            .args(["test", "-json", "-no-color"])
            .current_dir(&root)
            .env("TF_DATA_DIR", &data)
            .env("HOME", place.path())
            .output()
            .expect("terraform runs");
        if String::from_utf8_lossy(&output.stderr).contains("TERRAFORM CRASH") {
            return None;
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let diagnostics = events.filter(|event| event["type"] == "diagnostic");
        let said = diagnostics.map(|event| said(&event["diagnostic"]));
        Some(said.map(|said| (said.file, said.line, said.summary)).collect())
    }

    fn validate(&self, root: &Path, aside: &Path, modules: &[Installed]) -> BTreeSet<Printed> {
        let data = aside.join("data");
        fs::create_dir_all(data.join("modules")).expect("a data directory");
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

    /// The program with a clean environment.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.env_clear().env("CHECKPOINT_DISABLE", "1");
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        command
    }
}

/// Go iterates over maps in random order. For a tree with such a choice, two runs are not enough.
fn may_be_random(said: &BTreeSet<Printed>, modules: &[Installed], case: &Case) -> bool {
    let any =
        |starts: &[&str]| said.iter().any(|said| starts.iter().any(|start| said.summary.starts_with(start)));
    let of_requirement = [
        "Invalid provider",
        "Invalid required_providers",
        "Invalid source",
        "Invalid version constraint",
        "Invalid configuration_aliases",
        "Invalid Attribute",
    ];
    // Of several calls with wrong arguments, only the first one is reported.
    let of_call = [
        "Missing required argument",
        "Unsupported argument",
        "Unsupported block type",
        "Extraneous JSON object property",
    ];
    any(&["Duplicate required provider", "Provider type mismatch"])
        || (modules.len() > 2 && any(&of_call))
        || (any(&of_requirement) && case.tree().contains("required_providers"))
}

fn said(diagnostic: &Value) -> Printed {
    let range = &diagnostic["range"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let summary = text(&diagnostic["summary"]);
    Printed {
        file: text(&range["filename"]),
        line: range["start"]["line"].as_u64().map_or(0, |line| usize::try_from(line).expect("a line number")),
        is_error: diagnostic["severity"] == "error",
        // The order of the members of a cycle changes from run to run.
        summary: if summary.starts_with("Cycle: ") { "Cycle".to_owned() } else { summary },
        detail: text(&diagnostic["detail"]),
    }
}

/// Whether the calls of the root module are known. Those in a broken JSON file are not, although the engine reads
/// them.
fn knows_calls(root: &Path) -> bool {
    let names = fs::read_dir(root)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut json = names.filter(|name| name.strip_suffix(".tf.json").is_some());
    json.all(|name| {
        fs::read(root.join(name)).is_ok_and(|bytes| serde_json::from_slice::<Value>(&bytes).is_ok())
    })
}

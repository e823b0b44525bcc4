//! Runs the real `terraform`, if it is on PATH, for every rule whose page has `Reported by Terraform: no`: it must
//! not report anything where the rule has a finding.

#[path = "agreement/calls.rs"]
mod calls;

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use overrule::check::doctest::example::{Example, examples};
use overrule::engine::{Engine, FileKind, Notation, Product};
use overrule::limits::Limits;
use overrule::module::address::ModuleSource;
use overrule::module::declaration::VersionConstraint;
use overrule::module::{Module, ModuleFile};
use overrule::rules::ENTRIES;
use overrule::rules::page::Page;
use overrule::syntax;
use overrule::text::{FileId, Source};
use serde_json::{Value, json};

/// The release that the pages refer to.
const RELEASE: &str = "1.11.4";

/// Errors that only concern missing installations.
const OF_INSTALLATION: &[&str] =
    &["Missing required provider", "Module not installed", "Module version requirements have changed"];

#[test]
fn terraform_reports_nothing_where_a_page_says_so() {
    let silent: Vec<&Page> =
        ENTRIES.iter().filter_map(|entry| Page::of(entry.id)).filter(|page| is_silent(page)).collect();
    assert!(!silent.is_empty(), "pages say `Reported by Terraform: no`");
    let Some(terraform) = terraform() else { return };
    let mut said = String::new();
    for page in silent {
        let shown = examples(page.text).expect("a page that can be read");
        let asked: Vec<&Example> =
            shown.iter().filter(|example| !example.marks.is_empty() && can_be_asked(example)).collect();
        assert!(!asked.is_empty(), "{}: an example for terraform {RELEASE}", page.rule);
        for example in asked {
            for told in ask(&terraform, example) {
                said +=
                    &format!("policies/rules/{}.md:{}: {}: {told}\n", page.rule, example.line, example.claim);
            }
        }
    }
    assert!(said.is_empty(), "terraform {RELEASE} is not silent:\n{said}");
}

fn is_silent(page: &Page) -> bool {
    page.text.lines().take_while(|line| *line != "## Why").any(|line| line == "Reported by Terraform: no")
}

/// Whether the release on PATH is one that the example is for.
fn can_be_asked(example: &Example) -> bool {
    example.engines.as_ref().is_none_or(|choice| {
        let terraform = choice.engines().iter().filter(|engine| engine.product == Product::Terraform);
        let mut minors = terraform.map(|engine| (engine.version.minor, engine.pinned));
        // An engine without a version means all versions.
        minors.any(|(minor, pinned)| minor == 11 || !pinned)
    })
}

/// Errors anywhere, which would stop the engine, and all diagnostics at the marks of findings. Marks of related
/// locations start with a lower-case letter.
fn ask(terraform: &OsString, example: &Example) -> Vec<String> {
    let place = tempfile::tempdir().expect("a temporary directory");
    let root = place.path().join("root");
    for file in &example.files {
        let path = root.join(&file.name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a new directory");
        fs::write(path, &file.text).expect("a new file");
    }
    let mut told = Vec::new();
    for diagnostic in validate(terraform, &root, place.path()) {
        let summary = diagnostic["summary"].as_str().unwrap_or_default();
        if OF_INSTALLATION.contains(&summary) {
            continue;
        }
        let range = &diagnostic["range"];
        let file = range["filename"].as_str().unwrap_or_default();
        let line = range["start"]["line"].as_u64();
        let marked = example.marks.iter().any(|mark| {
            let words = mark.words.trim_start_matches("warning: ").trim_start_matches("notice: ");
            words.starts_with(|first: char| first.is_uppercase())
                && mark
                    .place
                    .as_ref()
                    .is_some_and(|place| place.file == file && u64::try_from(place.line).ok() == line)
        });
        if marked || diagnostic["severity"] == "error" {
            told.push(format!("{summary} at {file}:{line:?}"));
        }
    }
    told
}

fn validate(terraform: &OsString, root: &Path, aside: &Path) -> Vec<Value> {
    let data = aside.join("data");
    fs::create_dir_all(data.join("modules")).expect("a data directory");
    let manifest = calls::manifest(&calls::installed(root));
    let mut manifest: Value = serde_json::from_str(&manifest).expect("a manifest");
    manifest["Modules"].as_array_mut().expect("a list").extend(elsewhere(root));
    fs::write(data.join("modules/modules.json"), manifest.to_string()).expect("a manifest");
    let output = command(terraform)
        .args(["validate", "-json", "-no-color"])
        .current_dir(root)
        .env("TF_DATA_DIR", &data)
        .env("HOME", aside)
        .output()
        .expect("terraform runs");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("an answer in JSON");
    answer["diagnostics"].as_array().cloned().unwrap_or_default()
}

/// Modules in place of those that the root module calls from elsewhere, as if `init` had downloaded them. They require
/// the providers that the calls pass, and contain nothing else.
fn elsewhere(root: &Path) -> Vec<Value> {
    let features = Engine::newest(Product::Terraform).features();
    let mut names: Vec<String> = fs::read_dir(root)
        .expect("a directory")
        .filter_map(|entry| entry.expect("an entry").file_name().into_string().ok())
        .filter(|name| [".tf", ".tf.json"].iter().any(|end| name.ends_with(end)))
        .collect();
    names.sort();
    let read = |name: &String| Source::new(name.as_str(), fs::read(root.join(name)).expect("a file"));
    let sources: Vec<Source> = names.iter().map(read).collect();
    let parse = |source: &Source| {
        let notation = Notation::of(source.name());
        syntax::parse(FileId::new(0), source, notation, &Limits::default()).0
    };
    let parsed: Vec<syntax::File> = sources.iter().map(parse).collect();
    let files = sources.iter().zip(&parsed).map(|(source, file)| ModuleFile {
        name: source.name(),
        body: &file.body,
        kind: if source.name().strip_suffix("override.tf").is_some() {
            FileKind::Override
        } else {
            FileKind::Primary
        },
        complete: file.complete,
    });
    let module =
        Module::build("", &files.collect::<Vec<_>>(), &features, &Limits::default(), &mut Vec::new());
    let calls = module.calls.values().filter_map(|call| {
        let address = call.source.as_ref()?.address.as_ref()?;
        let version = match address {
            ModuleSource::Local(_) => return None,
            ModuleSource::Registry(_) => Some(some_version(call.version.as_ref())),
            ModuleSource::Remote(_) => None,
        };
        let directory = format!("fetched/{}", call.name);
        fs::create_dir_all(root.join(&directory)).expect("a directory");
        let requirements = call.providers.iter().map(|passed| {
            let required = module.required_providers.get(&passed.in_parent.name);
            let name = &passed.in_child.name;
            let source = required.map_or_else(|| format!("hashicorp/{name}"), |it| it.address.to_string());
            (name.to_string(), json!({ "source": source }))
        });
        let requirements: serde_json::Map<String, Value> = requirements.collect();
        let text = json!({ "terraform": { "required_providers": requirements } });
        fs::write(root.join(&directory).join("main.tf.json"), text.to_string()).expect("a file");
        let (key, address) = (call.name.as_str(), address.to_string());
        Some(json!({ "Key": key, "Source": address, "Dir": directory, "Version": version }))
    });
    calls.collect()
}

/// A version that a constraint allows: the first one that it contains.
fn some_version(constraint: Option<&VersionConstraint>) -> String {
    let Some(text) = constraint.map(|constraint| constraint.text.as_str()) else { return "1.0.0".to_owned() };
    let number = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let number: String = number.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let missing = 2 - number.matches('.').count().min(2);
    format!("{number}{}", ".0".repeat(missing))
}

/// The program on PATH, if it is the release that the pages refer to.
fn terraform() -> Option<OsString> {
    let program = OsString::from("terraform");
    let output = command(&program).args(["version", "-json"]).output().ok()?;
    let version: Value = serde_json::from_slice(&output.stdout).ok()?;
    (version["terraform_version"] == RELEASE).then_some(program)
}

fn command(program: &OsString) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("CHECKPOINT_DISABLE", "1");
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    command
}

//! Compares findings in variable files with `terraform plan`, and findings in the dependency lock file with
//! `terraform validate`.
//!
//! The cases in `tests/agreement/companions/*.txt` are written like those of modules, with one line for each diagnostic
//! below `>>> plan` or `>>> validate`. `AGREEMENT=record` and `AGREEMENT=record-missing` write them.
//! `AGREEMENT_SEEDS='values 0 400'` and `AGREEMENT_SEEDS='locked 0 400'` compare generated files, as in `main.rs`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use serde_json::Value;

use crate::calls::{installed, manifest};
use crate::case::{Case, Entry};
use crate::generated;

/// The manifest of installed modules.
const MANIFEST: &str = ".terraform/modules/modules.json";

/// Differences between a call and the installed module. The checker leaves such a call unknown.
const OF_INSTALLATION: [&str; 3] =
    ["Module not installed", "Module source has changed", "Module version requirements have changed"];

/// The dependency lock file.
const LOCK: &str = ".terraform.lock.hcl";

/// What depends on the environment and on the command line.
const OF_ENVIRONMENT: &str = "No value for required variable";

/// A module with files beside it, and what the engine says: one line for each diagnostic, sorted.
struct Question {
    case: Case,
    answer: Option<Vec<String>>,
}

impl Question {
    fn of(case: Case) -> Self {
        Self { case, answer: None }
    }

    fn is_about_lock(&self) -> bool {
        self.case.entries.iter().any(|entry| entry.path.split('/').next() == Some(LOCK))
    }

    fn command(&self) -> &'static str {
        if self.is_validated() { "validate" } else { "plan" }
    }

    fn has_installed_modules(&self) -> bool {
        self.case.entries.iter().any(|entry| entry.path == MANIFEST)
    }

    fn is_validated(&self) -> bool {
        self.is_about_lock() || self.has_installed_modules()
    }

    /// The files that are named with `-var-file`, in order.
    fn named(&self) -> impl Iterator<Item = &str> {
        let is_named = |path: &&str| {
            let name = path.rsplit('/').next().unwrap_or(path);
            let stem = name.strip_suffix(".json").unwrap_or(name);
            stem.ends_with(".tfvars") && stem != "terraform.tfvars" && !stem.ends_with(".auto.tfvars")
        };
        self.case.entries.iter().map(|entry| entry.path.as_str()).filter(is_named)
    }
}

fn files() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agreement/companions");
    let files = fs::read_dir(directory).expect("the directory of cases");
    let mut files: Vec<PathBuf> = files.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

fn parse(text: &str) -> (String, Vec<Question>) {
    let (mut prelude, mut questions) = (String::new(), Vec::<Question>::new());
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("=== ") {
            questions.push(Question::of(Case::new(name, Vec::new())));
            continue;
        }
        let Some(question) = questions.last_mut() else {
            prelude.push_str(line);
            prelude.push('\n');
            continue;
        };
        if let Some(title) = line.strip_prefix("--- ") {
            question.case.entries.push(Entry::titled(title));
        } else if line.starts_with(">>> ") {
            question.answer = Some(Vec::new());
        } else if let Some(answer) = &mut question.answer {
            answer.extend((!line.is_empty()).then(|| line.to_owned()));
        } else if let Some(entry) = question.case.entries.last_mut() {
            entry.text.push_str(line);
            entry.text.push('\n');
        }
    }
    for entry in questions.iter_mut().flat_map(|question| &mut question.case.entries) {
        entry.text.truncate(entry.text.trim_end_matches('\n').len());
        if !entry.text.is_empty() {
            entry.text.push('\n');
        }
    }
    (prelude, questions)
}

fn write(prelude: &str, questions: &[Question]) -> String {
    let mut text = prelude.to_owned();
    for (number, question) in questions.iter().enumerate() {
        if number > 0 {
            text.push('\n');
        }
        text.push_str(&question.case.tree());
        if let Some(answer) = &question.answer {
            let _ = writeln!(text, ">>> {}", question.command());
            for line in answer {
                let _ = writeln!(text, "{line}");
            }
        }
    }
    text
}

/// Whether the release that was recorded is on PATH.
fn has_terraform() -> bool {
    crate::terraform::Terraform::find().is_some()
}

fn ask_all(questions: &mut [&mut Question]) {
    let share = questions.len().div_ceil(2).max(1);
    thread::scope(|scope| {
        for part in questions.chunks_mut(share) {
            scope.spawn(|| part.iter_mut().for_each(|question| question.answer = Some(ask(question))));
        }
    });
}

/// Asks the engine.
fn ask(question: &Question) -> Vec<String> {
    let place = tempfile::tempdir().expect("a temporary directory");
    let root = place.path().join("root");
    fs::create_dir(&root).expect("a new directory");
    question.case.lay_out(&root);
    let mut command = Command::new("terraform");
    command.env_clear().env("CHECKPOINT_DISABLE", "1").env("HOME", place.path());
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.current_dir(&root);
    if !question.has_installed_modules() {
        let data = place.path().join("data");
        fs::create_dir_all(data.join("modules")).expect("a new directory");
        fs::write(data.join("modules/modules.json"), manifest(&installed(&root))).expect("a manifest");
        command.env("TF_DATA_DIR", data);
    }
    if question.is_validated() {
        command.args(["validate", "-json"]);
    } else {
        // Without a value for a variable that needs one, the engine looks at no other.
        command.env("TF_VAR_nr", "x").env("TF_VAR_good", "1");
        command.args(["plan", "-json", "-input=false", "-refresh=false"]);
        command.args(question.named().map(|file| format!("-var-file={file}")));
    }
    let output = command.output().expect("terraform runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if question.is_validated() {
        let answer: Value = serde_json::from_str(&text).expect("an answer");
        let diagnostics = answer["diagnostics"].as_array().into_iter().flatten();
        let mut lines: Vec<String> = diagnostics.flat_map(of_lock).collect();
        let is_about_installation =
            |line: &String| OF_INSTALLATION.iter().any(|summary| line.ends_with(summary));
        // A warning in an installed module concerns its authors.
        lines.retain(|line| !is_about_installation(line) && !line.starts_with("warning .terraform/"));
        return in_order(lines);
    }
    let messages = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let diagnostics: Vec<Value> =
        messages.map(|message| message["diagnostic"].clone()).filter(Value::is_object).collect();
    let more = diagnostics.iter().filter_map(|diagnostic| {
        let rest =
            diagnostic["detail"].as_str()?.strip_prefix("In addition to the other similar warnings")?;
        rest.split_whitespace().find_map(|word| word.parse::<usize>().ok())
    });
    let more: usize = more.sum();
    let mut lines: Vec<String> = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic["summary"] != "Values for undeclared variables")
        .map(line)
        .collect();
    lines.extend((0..more).map(|_| UNDECLARED.to_owned()));
    lines.retain(|line| !line.ends_with(OF_ENVIRONMENT));
    in_order(lines)
}

/// The engine shows two of these, without a place, and counts the others.
const UNDECLARED: &str = "warning -: Value for undeclared variable";

/// What is said twice of one line counts once.
fn in_order(mut lines: Vec<String>) -> Vec<String> {
    lines.sort();
    let mut before = String::new();
    lines.retain(|line| {
        let is_new = *line != before || line == UNDECLARED;
        before.clone_from(line);
        is_new
    });
    lines
}

fn line(diagnostic: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (severity, summary) = (text(&diagnostic["severity"]), text(&diagnostic["summary"]));
    match diagnostic["range"]["filename"].as_str().filter(|file| !file.is_empty()) {
        Some(file) => format!("{severity} {file}:{}: {summary}", diagnostic["range"]["start"]["line"]),
        None => format!("{severity} -: {summary}"),
    }
}

/// The engine puts all that is wrong with a lock file into one text, without places.
fn of_lock(diagnostic: &Value) -> Vec<String> {
    let summary = diagnostic["summary"].as_str().unwrap_or_default();
    if summary.contains(": there is no package for ") {
        // No provider is installed.
        return Vec::new();
    }
    let Some(said) = summary.strip_prefix("failed to read dependency lock file: ") else {
        return vec![line(diagnostic)];
    };
    let items: Vec<&str> = match said.split_once(" problems:") {
        Some((_, list)) => list.split("\n- ").skip(1).collect(),
        None => vec![said],
    };
    let summaries = items.into_iter().map(|item| item.split_once(": ").map_or(item, |(summary, _)| summary));
    summaries.map(|summary| format!("lock: {}", summary.trim())).collect()
}

/// What the checker says of the same questions.
fn ours(questions: &[&mut Question]) -> Vec<Vec<String>> {
    let place = tempfile::tempdir().expect("a temporary directory");
    for (number, question) in questions.iter().enumerate() {
        let root = place.path().join(format!("case{number:05}"));
        fs::create_dir(&root).expect("a new directory");
        question.case.lay_out(&root);
    }
    let output = Command::new(env!("CARGO_BIN_EXE_overrule"))
        .args(["check", "--installed", "--format", "json", "--engine", "terraform@1.11", "."])
        .current_dir(place.path())
        .env_clear()
        .output()
        .expect("the program runs");
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("no report, {error}: {}", String::from_utf8_lossy(&output.stderr)));
    let mut said: Vec<Vec<String>> = questions.iter().map(|_| Vec::new()).collect();
    for diagnostic in report["diagnostics"].as_array().expect("a list of diagnostics") {
        let file = diagnostic["range"]["filename"].as_str().or_else(|| diagnostic["module"].as_str());
        let (case, inside) = file.and_then(|file| file.split_once('/')).unwrap_or((file.unwrap_or(""), ""));
        let Some(number) = case.strip_prefix("case").and_then(|number| number.parse::<usize>().ok()) else {
            continue;
        };
        let is_unasked = questions[number].is_validated() && diagnostic["stage"] == "plan";
        if diagnostic["category"] != "language" || diagnostic["level"] == "notice" || is_unasked {
            continue;
        }
        let summary = diagnostic["summary"].as_str().unwrap_or_default();
        let severity = diagnostic["severity"].as_str().unwrap_or_default();
        let has_place = diagnostic["range"].is_object();
        let is_about_lock = inside == LOCK || !has_place && questions[number].is_about_lock();
        said[number].push(if is_about_lock && severity == "error" {
            format!("lock: {summary}")
        } else if !has_place {
            format!("{severity} -: {summary}")
        } else if summary == "Value for undeclared variable" {
            UNDECLARED.to_owned()
        } else {
            format!("{severity} {inside}:{}: {summary}", diagnostic["range"]["start"]["line"])
        });
    }
    for (said, question) in said.iter_mut().zip(questions) {
        if question.is_about_lock() {
            // Warnings are silent in `validate`.
            let has_error = said.iter().any(|line| line.starts_with("lock: "));
            for line in said.iter_mut() {
                if let Some((_, summary)) = line.split_once(&format!(" {LOCK}:")) {
                    let summary = summary.split_once(": ").map_or(summary, |(_, summary)| summary);
                    *line = if has_error { format!("lock: {summary}") } else { String::new() };
                }
            }
            said.retain(|line| !line.is_empty());
        }
    }
    said.into_iter().map(in_order).collect()
}

#[test]
fn files_beside_modules_agree() {
    let record = std::env::var("AGREEMENT").ok().filter(|value| value.starts_with("record"));
    let (mut wrong, mut count) = (Vec::new(), 0);
    for file in files() {
        let text = fs::read_to_string(&file).expect("a case file");
        let (prelude, mut questions) = parse(&text);
        if let Some(record) = &record {
            let wanted = |question: &&mut Question| record == "record" || question.answer.is_none();
            ask_all(&mut questions.iter_mut().filter(wanted).collect::<Vec<_>>());
            fs::write(&file, write(&prelude, &questions)).expect("a case file");
        } else {
            assert_eq!(
                write(&prelude, &questions),
                text,
                "{} is written as the recorder does",
                file.display()
            );
        }
        count += questions.len();
        let said = ours(&questions.iter_mut().collect::<Vec<_>>());
        for (question, said) in questions.iter().zip(said) {
            let name = &question.case.name;
            let answer = question.answer.as_ref().unwrap_or_else(|| panic!("nobody asked about: {name}"));
            if *answer != said {
                wrong.push(format!("{name}\n  terraform: {answer:#?}\n  overrule: {said:#?}"));
            }
        }
    }
    assert!(count > 60, "the cases were read: {count}");
    assert!(wrong.is_empty(), "overrule differs from terraform:\n{}", wrong.join("\n"));
}

#[test]
fn records_of_values_and_lock_files_are_those_of_terraform() {
    if !has_terraform() {
        return;
    }
    for file in files() {
        let (_, mut questions) = parse(&fs::read_to_string(&file).expect("a case file"));
        let recorded: Vec<_> = questions.iter().map(|question| question.answer.clone()).collect();
        ask_all(&mut questions.iter_mut().collect::<Vec<_>>());
        for (question, recorded) in questions.iter().zip(recorded) {
            assert_eq!(
                question.answer, recorded,
                "terraform says something else now: {}",
                question.case.name
            );
        }
    }
}

/// Files with mistakes, of a few seeds.
#[test]
fn mistakes_beside_modules_are_found() {
    if has_terraform() {
        for kind in ["values", "locked"] {
            compare((0..25).map(|seed| generated::case(kind, seed)).collect());
        }
    }
}

/// Compares files beside modules with the engine, and prints the differences.
#[expect(clippy::print_stdout, reason = "whoever asks for unseen seeds reads them")]
pub(crate) fn compare(cases: Vec<Case>) {
    let mut questions: Vec<Question> = cases.into_iter().map(Question::of).collect();
    ask_all(&mut questions.iter_mut().collect::<Vec<_>>());
    let said = ours(&questions.iter_mut().collect::<Vec<_>>());
    let (mut both, mut missing, mut extra) = (0, 0, 0);
    for (question, said) in questions.iter().zip(&said) {
        let answer = question.answer.as_ref().expect("an answer");
        let (mut left, mut new) = (answer.clone(), Vec::new());
        for line in said {
            match left.iter().position(|other| other == line) {
                Some(at) => drop(left.remove(at)),
                None => new.push(line),
            }
        }
        both += answer.len() - left.len();
        missing += left.len();
        extra += new.len();
        if !left.is_empty() || !new.is_empty() {
            println!("{}missing: {left:#?}\nextra: {new:#?}\n", question.case.tree());
        }
    }
    println!("{} files: {both} found, {missing} missing, {extra} that terraform does not report", said.len());
    assert!(extra * 200 <= both + extra, "{extra} of {} are false", both + extra);
    assert!(missing * 100 <= 3 * (both + missing), "{missing} of {} are missing", both + missing);
}

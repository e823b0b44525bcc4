//! Tests the differences between Terraform and OpenTofu, and between versions of each.
//!
//! The agreement tests ask the one release of `terraform` that is at hand. What other releases say was read in their
//! sources and run through their loaders; it is written down in the case files beside this one, which look so:
//!
//! ```text
//! Any text up to the first case.
//!
//! === what the case shows
//! --- main.tf
//! variable "a" {}
//! --- modules/net/main.tf
//! >>> opentofu@1.11 opentofu@1.12
//! error main.tf:1:1 Some summary
//! >>> both
//! warning main.tf:1:1 Some summary [OpenTofu]
//! ```
//!
//! A `>>>` names what `--engine` may be told, or `unsaid` where nobody says which engine it is. Below it stands all
//! that is then found. Places are those where a finding begins, and `-` stands for none.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use overrule::check::{self, Settings};
use overrule::engine::Choice;
use overrule::policy::Policy;
use overrule::vfs::Snapshot;

#[test]
fn each_engine_reports_the_recorded_findings() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engines/cases");
    let mut files: Vec<_> = fs::read_dir(directory)
        .expect("the directory of cases")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    let (mut wrong, mut asked) = (String::new(), 0);
    for file in files {
        let text = fs::read_to_string(&file).expect("a case file");
        for case in parse(&text) {
            for (engine, expected) in &case.expected {
                asked += 1;
                let found = found(&case, engine);
                if found != *expected {
                    let name = file.file_name().expect("a name").to_string_lossy();
                    let _ = write!(
                        wrong,
                        "\n{name}: {}\n>>> {engine}\n{}",
                        case.name,
                        difference(expected, &found)
                    );
                }
            }
        }
    }
    assert!(wrong.is_empty(), "what is expected (-) and what is found (+):\n{wrong}");
    assert!(asked > 100, "the cases were read: {asked}");
}

#[derive(Debug, Default)]
struct Case {
    name: String,
    files: Vec<(String, String)>,
    expected: Vec<(String, Vec<String>)>,
}

fn parse(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut open = 0;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("=== ") {
            cases.push(Case { name: name.to_owned(), ..Case::default() });
            continue;
        }
        let Some(case) = cases.last_mut() else { continue };
        if let Some(path) = line.strip_prefix("--- ") {
            case.files.push((path.to_owned(), String::new()));
        } else if let Some(engines) = line.strip_prefix(">>> ") {
            open = case.expected.len();
            case.expected.extend(engines.split(' ').map(|engine| (engine.to_owned(), Vec::new())));
        } else if case.expected.is_empty() {
            let (_, text) = case.files.last_mut().expect("a line of a file");
            text.push_str(line);
            text.push('\n');
        } else if !line.is_empty() {
            for (_, expected) in &mut case.expected[open..] {
                expected.push(line.to_owned());
                expected.sort();
            }
        }
    }
    for case in &cases {
        assert!(!case.expected.is_empty(), "a case that asks nobody: {}", case.name);
    }
    cases
}

/// The findings in the files of a case, one per line, sorted.
fn found(case: &Case, engine: &str) -> Vec<String> {
    let engines = (engine != "unsaid").then(|| Choice::parse(engine).expect("an engine"));
    let files = case.files.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes()));
    let mut snapshot = Snapshot::of_files(files.collect());
    let policy = Policy::preset("language").expect("a preset");
    let outcome = check::run(&mut snapshot, &Settings { policy, engines, ..Settings::default() });
    let mut lines: Vec<String> = outcome
        .verdicts
        .iter()
        .map(|verdict| {
            let finding = &verdict.finding;
            let place = finding.primary.map_or("-".to_owned(), |span| {
                let source = snapshot.sources().get(span.file);
                let start = source.position(span.start);
                format!("{}:{}:{}", source.name(), start.line, start.column)
            });
            let engine = verdict.product.map_or(String::new(), |engine| format!(" [{}]", engine.name()));
            format!("{} {place} {}{engine}", verdict.level.name(), finding.summary)
        })
        .collect();
    lines.sort();
    lines
}

/// The lines of two sorted lists, with a mark at those that only one list has.
fn difference(expected: &[String], found: &[String]) -> String {
    let mut counts: BTreeMap<&String, i32> = BTreeMap::new();
    for line in expected {
        *counts.entry(line).or_default() -= 1;
    }
    for line in found {
        *counts.entry(line).or_default() += 1;
    }
    let mut text = String::new();
    for (line, count) in counts {
        let mark = if count < 0 { '-' } else { '+' };
        for _ in 0..count.abs() {
            let _ = writeln!(text, "{mark} {line}");
        }
    }
    text
}

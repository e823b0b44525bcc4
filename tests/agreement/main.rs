//! Holds the checker to what the real `terraform` says about the same module trees.
//!
//! `AGREEMENT=record cargo test --test agreement` asks the `terraform` on PATH and writes its answers into the files
//! under `tests/agreement/`.

mod answer;
mod calls;
mod case;
mod terraform;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use case::Cases;
use terraform::Terraform;

/// The case files, sorted.
fn case_files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agreement/cases");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder of cases")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    files
}

fn read(file: &Path) -> Cases {
    Cases::parse(&fs::read_to_string(file).expect("a case file"))
}

/// Whether the answers are to be written anew: `AGREEMENT=record`, or `AGREEMENT=record-missing` for new cases only.
fn recording() -> Option<bool> {
    match std::env::var("AGREEMENT").ok()?.as_str() {
        "record" => Some(true),
        "record-missing" => Some(false),
        _ => None,
    }
}

#[test]
fn recorded_cases_are_well_formed() {
    let mut names = BTreeSet::new();
    for file in case_files() {
        if let Some(anew) = recording() {
            record(&file, anew);
        }
        let text = fs::read_to_string(&file).expect("a case file");
        let cases = Cases::parse(&text);
        assert_eq!(cases.to_string(), text, "{} is written as the recorder writes it", file.display());
        for case in &cases.cases {
            assert!(
                names.insert(case.name.clone()),
                "{}: a second case is named {}",
                file.display(),
                case.name
            );
            assert!(
                !case.answers.is_empty(),
                "{}: nobody asked terraform about: {}",
                file.display(),
                case.name
            );
        }
    }
    assert!(names.len() > 450, "the cases were read: {}", names.len());
}

fn record(file: &Path, anew: bool) {
    let terraform = Terraform::find().expect("the recorded release of terraform on PATH");
    let mut cases = read(file);
    for case in &mut cases.cases {
        if anew || case.answers.is_empty() {
            case.answers = terraform.ask(case);
        }
    }
    fs::write(file, cases.to_string()).expect("a case file");
}

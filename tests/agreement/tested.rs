//! Compares findings in test files, including those of stage `test`, with `terraform test`.
//!
//! Each case has one error, because the engine stops at the first one. Only positions and summaries are compared:
//! values that may be set outside of the files are a warning here and an error there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::case::{Case, Cases};
use crate::program;
use crate::terraform::Terraform;

/// A position and a summary.
type Said = BTreeSet<(String, usize, String)>;

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agreement/tested.txt")
}

fn recorded(case: &Case) -> Said {
    let diagnostics = case.answers.iter().flat_map(|answer| &answer.diagnostics);
    diagnostics.map(|one| (one.file.clone(), one.line, one.summary.clone())).collect()
}

#[test]
fn tests_are_judged_as_terraform_test_judges_them() {
    let text = fs::read_to_string(file()).expect("the file of cases");
    let cases = Cases::parse(&text);
    assert_eq!(cases.to_string(), text, "the file is written as the recorder writes it");
    assert!(cases.cases.len() > 50, "the cases were read");
    for (case, said) in cases.cases.iter().zip(program::of_tests(&cases.cases)) {
        assert!(!case.answers.is_empty(), "nobody asked about: {}", case.name);
        assert_eq!(said, recorded(case), "{}", case.name);
    }
}

/// Compares a sample of the records with the engine; `AGREEMENT=all` compares all.
#[test]
fn records_are_those_of_terraform_test() {
    let Some(terraform) = Terraform::find() else { return };
    let cases = Cases::parse(&fs::read_to_string(file()).expect("the file of cases")).cases;
    let all = std::env::var("AGREEMENT").is_ok_and(|value| value == "all");
    for case in cases.iter().step_by(if all { 1 } else { 7 }) {
        assert_eq!(terraform.test(case), recorded(case), "{}", case.name);
    }
}

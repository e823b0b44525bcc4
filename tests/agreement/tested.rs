//! Compares findings in test files, including those of stage `test`, with `terraform test`.
//!
//! Each case has one error, because the engine stops at the first one. Only positions and summaries are compared:
//! values that may be set outside of the files are a warning here and an error there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use crate::case::{Case, Cases};
use crate::generated;
use crate::program;
use crate::terraform::Terraform;

/// Warnings about a run with `target`, which are notices here.
const OF_TARGETS: [&str; 2] = ["Resource targeting is in effect", "Applied changes may be incomplete"];

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
        assert_eq!(terraform.test(case), Some(recorded(case)), "{}", case.name);
    }
}

/// Tests with mistakes, of a few seeds.
#[test]
fn mistakes_in_tests_are_found() {
    if Terraform::find().is_some() {
        compare(&(0..25).map(|seed| generated::case("ran", seed)).collect::<Vec<_>>());
    }
}

/// Compares tests with the engine, and prints the differences.
#[expect(clippy::print_stdout, reason = "whoever asks for unseen seeds reads them")]
pub(crate) fn compare(cases: &[Case]) {
    let terraform = Terraform::find().expect("the recorded release of terraform on PATH");
    let share = cases.len().div_ceil(2).max(1);
    let answers: Vec<Option<Said>> = thread::scope(|scope| {
        let ask = |part: &'_ [Case]| part.iter().map(|case| terraform.test(case)).collect::<Vec<_>>();
        let parts: Vec<_> = cases.chunks(share).map(|part| scope.spawn(move || ask(part))).collect();
        parts.into_iter().flat_map(|part| part.join().expect("answers")).collect()
    });
    let (mut both, mut missing, mut extra) = (0, 0, 0);
    for ((case, answer), said) in cases.iter().zip(answers).zip(program::of_tests(cases)) {
        // Some tests that limit the plan crash the engine.
        let Some(mut answer) = answer else { continue };
        answer.retain(|(_, _, summary)| !OF_TARGETS.contains(&summary.as_str()));
        both += answer.intersection(&said).count();
        missing += answer.difference(&said).count();
        extra += said.difference(&answer).count();
        if answer != said {
            println!("{}", case.tree());
            answer.difference(&said).for_each(|one| println!("- {one:?}"));
            said.difference(&answer).for_each(|one| println!("+ {one:?}"));
        }
    }
    println!("{} cases: {both} diagnostics in both, {missing} missing, {extra} extra", cases.len());
    assert!(extra * 200 <= both + extra, "{extra} of {} are false", both + extra);
    // A few seeds say little about the share.
    assert!(missing * 100 <= 3 * (both + missing).max(100), "{missing} of {} are missing", both + missing);
}

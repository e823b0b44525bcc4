//! Compares the checker with the real `terraform` on the same module trees.
//!
//! `AGREEMENT=record cargo test --test agreement` runs the `terraform` on PATH and writes its answers into the files
//! under `tests/agreement/`; `AGREEMENT=record-missing` adds only missing answers. `AGREEMENT_CASE='tree 17' cargo
//! test --test agreement -- --nocapture shown` shows one case with both answers.

mod answer;
mod companions;
mod both;
mod calls;
mod case;
mod changes;
mod configurations;
mod decoded;
mod fixes;
mod gaps;
mod generated;
mod generator;
mod merged;
mod program;
mod real;
mod score;
mod terraform;
mod tested;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use answer::Stage;
use case::{Case, Cases};
use gaps::Gap;
use score::{Difference, Score};
use terraform::Terraform;

/// The number of threads that run the engine; each question is a process.
const ASKERS: usize = 2;

/// The number of records that a test run compares with the engine; `AGREEMENT=all` compares all.
const SAMPLE: usize = 60;

/// The number of generated cases per write of their answers.
const PIECE: usize = 100;

#[test]
fn recorded_cases_are_well_formed() {
    let mut names = BTreeSet::new();
    for file in case_files() {
        let text = fs::read_to_string(&file).expect("a case file");
        let mut cases = Cases::parse(&text);
        if asked_to_record() {
            ask(&mut cases.cases);
            fs::write(&file, cases.to_string()).expect("a case file");
        } else {
            assert_eq!(cases.to_string(), text, "{} is written as the recorder writes it", file.display());
        }
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

#[test]
fn generated_cases_are_those_that_were_recorded() {
    if asked_to_record() {
        let mut cases = generated_cases(false);
        let count = cases.len();
        // Written in parts, so that an interrupted run keeps its results.
        for start in (0..count).step_by(PIECE) {
            ask(&mut cases[start..(start + PIECE).min(count)]);
            let asked = cases.iter().filter(|case| !case.answers.is_empty());
            let lines: Vec<String> = asked.map(|case| generated::line(case) + "\n").collect();
            fs::write(generated::file(), lines.concat()).expect("the file of records");
        }
    }
    for case in generated_cases(true) {
        assert!(!case.answers.is_empty(), "the generator changed, so record again: {}", case.name);
    }
}

/// The generated cases with their recorded answers. With `strict`, an answer for another text is an error.
fn generated_cases(strict: bool) -> Vec<Case> {
    let mut records = generated::parse(&fs::read_to_string(generated::file()).unwrap_or_default());
    let mut cases = generated::cases();
    for case in &mut cases {
        let Some((hash, answers)) = records.remove(&case.name) else { continue };
        if hash == generated::hash(case) {
            case.answers = answers;
        } else {
            assert!(!strict, "the generator changed, so record again: {}", case.name);
        }
    }
    cases
}

/// The case files, sorted.
fn case_files() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agreement/cases");
    let mut files: Vec<PathBuf> = fs::read_dir(directory)
        .expect("the directory of cases")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    files
}

fn asked_to_record() -> bool {
    std::env::var("AGREEMENT").is_ok_and(|value| value.starts_with("record"))
}

/// Runs the engine for all cases, or for those without an answer.
fn ask(cases: &mut [Case]) {
    let only_missing = std::env::var("AGREEMENT").is_ok_and(|value| value == "record-missing");
    let terraform = Terraform::find().expect("the recorded release of terraform on PATH");
    let share = cases.len().div_ceil(ASKERS).max(1);
    thread::scope(|scope| {
        for part in cases.chunks_mut(share) {
            scope.spawn(|| {
                for case in part.iter_mut().filter(|case| !only_missing || case.answers.is_empty()) {
                    case.answers = terraform.ask(case);
                }
            });
        }
    });
}

#[test]
fn a_case_can_be_shown() {
    let Ok(name) = std::env::var("AGREEMENT_CASE") else { return };
    let known = recorded_cases().chain(generated_cases(false)).find(|case| case.name == name);
    let case = known.unwrap_or_else(|| {
        let (kind, seed) = name.split_once(' ').expect("KIND SEED");
        let mut case = [generated::case(kind, seed.parse().expect("a seed"))];
        ask(&mut case);
        let [case] = case;
        case
    });
    let said = program::check(std::slice::from_ref(&case));
    println!("{}", case.tree());
    for answer in &case.answers {
        let difference = Difference::new(answer, &said[0]);
        println!(">>> reached {}", answer.reach_name());
        for one in &answer.diagnostics {
            println!("{} {one}", if difference.missing.contains(one) { "-" } else { " " });
        }
        for one in &difference.extra {
            println!("+ {one}");
        }
    }
}

/// `AGREEMENT_DIRECTORIES=a:b cargo test --test agreement -- --nocapture directories` compares both on existing
/// directories. The engine gets a copy.
#[test]
fn directories_can_be_compared() {
    let Ok(directories) = std::env::var("AGREEMENT_DIRECTORIES") else { return };
    let terraform = Terraform::find().expect("the recorded release of terraform on PATH");
    for directory in directories.split(':').map(Path::new) {
        let place = tempfile::tempdir().expect("a temporary directory");
        let root = place.path().join("root");
        copy(directory, &root);
        let difference =
            Difference::new(&terraform.ask_directory(&root, place.path()), &program::check_directory(&root));
        println!("=== {}", directory.display());
        difference.missing.iter().for_each(|one| println!("- {one}"));
        difference.extra.iter().for_each(|one| println!("+ {one}"));
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a new directory");
    for entry in fs::read_dir(from).expect("a directory") {
        let entry = entry.expect("an entry");
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).expect("a copy");
        }
    }
}

/// The agreement on the cases: for loading, and for validation after it.
fn scores(cases: &[Case]) -> [Score; 2] {
    let said = program::check(cases);
    [Stage::Load, Stage::Validate].map(|stage| {
        let mut score = Score::of(stage);
        for (case, said) in cases.iter().zip(&said) {
            score.add(case, said);
        }
        score
    })
}

/// Both stages agree exactly about every case, except for the differences in `gaps.txt`.
#[test]
fn all_cases_agree() {
    let recorded: Vec<Case> = recorded_cases().collect();
    let mut gaps = differences("recorded", &recorded);
    let generated = generated_cases(true);
    for kind in ["tree", "hard", "slip", "late", "real", "dynamic", "mistaken", "tested", "mocked"] {
        let of_kind = generated.iter().filter(|case| case.name.starts_with(kind));
        gaps.extend(differences(kind, &of_kind.cloned().collect::<Vec<_>>()));
    }
    let known = gaps::known();
    let new: Vec<&Gap> = gaps.difference(&known).collect();
    assert!(new.is_empty(), "overrule differs from terraform about these cases: {new:#?}");
    let closed: Vec<&Gap> = known.difference(&gaps).collect();
    assert!(closed.is_empty(), "these gaps are closed, so remove them from gaps.txt: {closed:#?}");
}

/// Every difference in the cases, at both stages. Prints the agreement.
#[expect(clippy::print_stdout, reason = "it is part of the report of a test")]
fn differences(kind: &str, cases: &[Case]) -> BTreeSet<Gap> {
    let [load, validate] = scores(cases);
    println!("{kind}, load: {load}\n{kind}, validate: {validate}");
    load.gaps().chain(validate.gaps()).cloned().collect()
}

/// By default both engines are checked, and OpenTofu is mostly skipped if Terraform finds nothing.
#[test]
fn without_findings_for_both_engines_opentofu_has_none() {
    let cases: Vec<Case> = recorded_cases().chain(generated_cases(true)).collect();
    // Syntax for Terraform alone is an error in OpenTofu, and no version of OpenTofu is selected.
    let ignored = ["--ignore", "unsupported-block-or-argument", "--ignore", "unsupported-engine-version"];
    let told = program::count(&cases, &ignored);
    let by_opentofu = program::count(&cases, &[&["--engine", "opentofu"], &ignored[..]].concat());
    let silent: Vec<usize> = (0..cases.len()).filter(|number| told[*number] == 0).collect();
    let wrong: Vec<&str> = silent
        .iter()
        .filter(|number| by_opentofu[**number] > 0)
        .map(|number| cases[*number].name.as_str())
        .collect();
    println!("nothing is said of {} of {} cases", silent.len(), cases.len());
    assert!(wrong.is_empty(), "OpenTofu has something to say of: {wrong:?}");
    assert!(silent.len() > 100, "only {} cases are silent", silent.len());
}

/// `AGREEMENT_SEEDS='hard 5000 6000' cargo test --test agreement -- --nocapture unseen` compares trees without
/// recorded answers. The kinds `ran`, `values` and `locked` are compared with `terraform test`, `plan` and `validate`.
#[test]
fn unseen_cases_can_be_compared() {
    let Ok(seeds) = std::env::var("AGREEMENT_SEEDS") else { return };
    let [kind, from, to] = seeds.split(' ').collect::<Vec<_>>()[..] else { panic!("KIND FROM TO") };
    let seed = |text: &str| text.parse::<u64>().expect("a number");
    let mut cases: Vec<Case> = (seed(from)..seed(to)).map(|seed| generated::case(kind, seed)).collect();
    match kind {
        "ran" => return tested::compare(&cases),
        "values" | "locked" => return companions::compare(cases),
        _ => ask(&mut cases),
    }
    let [load, validate] = scores(&cases);
    println!("{kind}, load: {load}\n{kind}, validate: {validate}");
}

#[test]
fn records_are_those_of_terraform() {
    let Some(terraform) = Terraform::find() else { return };
    let mut cases: Vec<Case> = recorded_cases().chain(generated_cases(true)).collect();
    if std::env::var("AGREEMENT").is_ok_and(|value| value == "all") {
        println!("asking about all {} cases", cases.len());
    } else {
        cases = todays_part(cases).collect();
    }
    let mut stale = Vec::new();
    for case in cases {
        let place = tempfile::tempdir().expect("a temporary directory");
        let root = place.path().join("root");
        fs::create_dir(&root).expect("a new directory");
        case.lay_out(&root);
        // Where Terraform reports the first of several errors in a map, its answer is random.
        let is_recorded = |_| case.answers.contains(&terraform.ask_directory(&root, place.path()));
        if !(0..5).any(is_recorded) {
            stale.push(case.name);
        }
    }
    assert!(
        stale.is_empty(),
        "terraform says something else now, so run: AGREEMENT=record cargo test --test agreement\n{stale:#?}"
    );
}

fn recorded_cases() -> impl Iterator<Item = Case> {
    case_files()
        .into_iter()
        .flat_map(|file| Cases::parse(&fs::read_to_string(file).expect("a case file")).cases)
}

#[test]
fn merged_modules_mean_what_they_were_merged_from() {
    let cases: Vec<Case> = recorded_cases().chain(generated_cases(true)).collect();
    let share = cases.len().div_ceil(ASKERS);
    let differences: Vec<String> = thread::scope(|scope| {
        let parts: Vec<_> = cases
            .chunks(share)
            .map(|part| scope.spawn(|| part.iter().flat_map(merged::differences).collect::<Vec<_>>()))
            .collect();
        parts.into_iter().flat_map(|part| part.join().expect("a comparison")).collect()
    });
    assert!(
        differences.is_empty(),
        "{} of {} differ, among them:\n{}",
        differences.len(),
        cases.len(),
        differences.iter().take(5).cloned().collect::<Vec<_>>().join("\n")
    );
}

/// `AGREEMENT_MERGED='tree 2000 9000'` compares trees without recorded answers.
#[test]
fn merged_modules_are_the_same_to_terraform() {
    let Some(terraform) = Terraform::find() else { return };
    let cases: Vec<Case> = match std::env::var("AGREEMENT_MERGED") {
        Ok(seeds) => {
            let [kind, from, to] = seeds.split(' ').collect::<Vec<_>>()[..] else { panic!("KIND FROM TO") };
            let seed = |text: &str| text.parse::<u64>().expect("a number");
            (seed(from)..seed(to)).map(|seed| generated::case(kind, seed)).collect()
        }
        // JSON with one changed character has no equivalent in another form.
        Err(_) => todays_part(generated_cases(true)).filter(|case| !case.name.starts_with("slip")).collect(),
    };
    let (mut asked, mut apart) = (0, Vec::new());
    for case in &cases {
        let Some(told) = merged::told_apart(case, &terraform) else { continue };
        asked += 1;
        apart.extend((!told.is_empty()).then(|| format!("=== {}\n{}", case.name, told.join("\n"))));
    }
    println!("asked about {asked} merged trees of {}", cases.len());
    assert!(apart.is_empty(), "terraform tells {} from the merged ones:\n{}", apart.len(), apart.join("\n"));
}

/// Another part of the cases each day, so that all are compared in time. `AGREEMENT_PART=7` selects a part.
#[expect(clippy::print_stdout, reason = "it is part of the report of a test")]
fn todays_part(cases: Vec<Case>) -> impl Iterator<Item = Case> {
    let day =
        || SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock behind 1970").as_secs() / 86_400;
    let part = std::env::var("AGREEMENT_PART").map_or_else(|_| day(), |part| part.parse().expect("a number"));
    let parts = cases.len().div_ceil(SAMPLE);
    let part = usize::try_from(part).expect("a small number") % parts;
    println!("AGREEMENT_PART={part} of {parts}");
    cases.into_iter().skip(part).step_by(parts)
}

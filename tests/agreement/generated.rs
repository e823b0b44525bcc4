//! Reads and writes the answers about generated trees, one per line.
//!
//! `tree 17 3f2a9c01 validate: E main.tf:3: Some summary; …`, with ` || ` before another possible answer. `E` and `W`
//! are errors and warnings of the loader, `VE` and `VW` those of `validate`. The number after the seed is a hash of
//! the text of the tree, so that changes to the generator are noticed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::answer::{Answer, Diagnostic};
use crate::case::Case;
use crate::generator;

/// Abbreviations of a stage and a severity.
const CODES: &[(&str, &str)] =
    &[("E", "load error"), ("W", "load warning"), ("VE", "validate error"), ("VW", "validate warning")];

/// The number of trees, and the number of trees with one changed character.
const TREES: u64 = 1200;
const HARD: u64 = 1000;
const SLIPS: u64 = 300;

/// The number of valid trees with expressions.
const LATE: u64 = 600;

/// The number of realistic valid trees, with and without `dynamic` blocks, and of those with one error.
const REAL: u64 = 100;
const DYNAMIC: u64 = 40;
const MISTAKEN: u64 = 160;

/// The number of modules with test files, and with mock files, that have one or two mistakes.
const TESTED: u64 = 120;
const MOCKED: u64 = 50;

/// Every generated case, without answers.
pub(crate) fn cases() -> Vec<Case> {
    let kinds = [
        ("tree", TREES),
        ("hard", HARD),
        ("slip", SLIPS),
        ("late", LATE),
        ("real", REAL),
        ("dynamic", DYNAMIC),
        ("mistaken", MISTAKEN),
        ("tested", TESTED),
        ("mocked", MOCKED),
    ];
    kinds.into_iter().flat_map(|(kind, count)| (0..count).map(move |seed| case(kind, seed))).collect()
}

/// The case of a generator and a seed.
pub(crate) fn case(kind: &str, seed: u64) -> Case {
    match kind {
        "tree" => generator::tree(seed),
        "hard" => generator::hard(seed),
        "wired" => generator::wired(seed),
        "slip" => generator::slip(seed),
        "late" => generator::late(seed),
        "real" => generator::real(seed),
        "dynamic" => generator::dynamic(seed),
        "mistaken" => generator::mistaken(seed),
        "tested" => generator::tested(seed),
        "mocked" => generator::mocked(seed),
        "ran" => generator::ran(seed),
        "values" => generator::companions::values(seed),
        "locked" => generator::companions::locked(seed),
        _ => panic!("no generator makes trees of this kind: {kind}"),
    }
}

/// The file of the answers.
pub(crate) fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agreement/generated.txt")
}

/// The answers by case name, each with the hash of the recorded text.
pub(crate) fn parse(text: &str) -> BTreeMap<String, (String, Vec<Answer>)> {
    text.lines()
        .map(|line| {
            let mut words = line.splitn(4, ' ');
            let mut word = || words.next().unwrap_or_else(|| panic!("a whole record: {line}"));
            let (kind, seed, hash, answers) = (word(), word(), word(), word());
            let answers = answers.split(" || ").map(|answer| parse_answer(answer, line)).collect();
            (format!("{kind} {seed}"), (hash.to_owned(), answers))
        })
        .collect()
}

fn parse_answer(text: &str, line: &str) -> Answer {
    let (reach, said) = text.split_once(':').unwrap_or_else(|| panic!("how far it got: {line}"));
    let mut answer = Answer::reaching(reach).unwrap_or_else(|| panic!("how far it got: {line}"));
    for one in said.split(';').map(str::trim).filter(|one| !one.is_empty()) {
        let (code, rest) = one.split_once(' ').unwrap_or_else(|| panic!("a diagnostic, {one}: {line}"));
        let kind = CODES.iter().find(|(short, _)| *short == code).map_or(code, |(_, kind)| kind);
        let one = Diagnostic::parse(&format!("{kind} {rest}")).unwrap_or_else(|| panic!("{one}: {line}"));
        answer.diagnostics.insert(one);
    }
    answer
}

/// The line of a case.
pub(crate) fn line(case: &Case) -> String {
    let answers: Vec<String> = case
        .answers
        .iter()
        .map(|answer| {
            let said: Vec<String> = answer.diagnostics.iter().map(|one| format!(" {}", short(one))).collect();
            format!("{}:{}", answer.reach_name(), said.join(";"))
        })
        .collect();
    let mut line = String::new();
    let _ = write!(line, "{} {} {}", case.name, hash(case), answers.join(" || "));
    line
}

fn short(diagnostic: &Diagnostic) -> String {
    let text = diagnostic.to_string();
    let code = CODES.iter().find_map(|(code, kind)| Some(format!("{code}{}", text.strip_prefix(kind)?)));
    code.expect("every kind has a code")
}

/// FNV-1a over the text of the tree.
pub(crate) fn hash(case: &Case) -> String {
    let start = 0x811c_9dc5_u32;
    let hash =
        case.tree().bytes().fold(start, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("{hash:08x}")
}

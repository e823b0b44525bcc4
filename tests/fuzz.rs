//! Checks the fuzzer's properties for a few seconds: on all seeds, on inputs that the fuzzer found, and on random
//! changes of seeds.
//!
//! The random numbers have a fixed seed, so failures are reproducible. `OVERRULE_FUZZ_ROUNDS` sets the number of
//! rounds and `OVERRULE_FUZZ_SEED` another seed.

#[path = "../fuzz/src/lib.rs"]
pub mod properties;

use std::env;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Instant;

use properties::{TARGETS, Target};

/// Texts that often break parsers.
const SCRAPS: &[&str] = &[
    "${",
    "%{",
    "}",
    "{",
    "[",
    "]",
    "(",
    ")",
    "\"",
    "<<EOT\n",
    "<<-\"",
    "\n",
    "\r",
    "\r\n",
    "\0",
    "\u{feff}",
    "\u{301}",
    "é",
    "/*",
    "*/",
    "#",
    "//",
    "...",
    "=>",
    "==",
    "=",
    ",",
    ".",
    "*",
    "?",
    ":",
    "-",
    "!",
    "&&",
    "0x1",
    "1e999999999",
    "-0",
    "99999999999999999999999999",
    "null",
    "true",
    "for",
    "in",
    "if",
    "optional(",
    "any",
    "~>",
    "%%{",
    "$${",
    "\\u00",
    "\\",
    "aws.",
    "module.",
    "each.",
    "self",
    "count",
    "\"//\": ",
    "{}",
    "[[[[[[[[",
    "((((((((",
    "!!!!!!!!",
    "--------",
    "a { a { a { a {",
    "${\"${\"${\"",
    "variable \"v\" {}\n",
    "provider \"aws\" {}\n",
    "--- a_override.tf\n",
    "--- b/main.tf\n",
    "# overrule: allow(invalid-name) x\n",
    "::error::x",
    "##[error]",
    "\u{1b}[31m",
];

/// A random number generator: Sebastiano Vigna's `splitmix64`.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = self.0;
        number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        number ^ (number >> 31)
    }

    /// A number below `end`, or 0.
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end.max(1) as u64)).expect("it is below an usize")
    }
}

/// A seed with one to four changes.
fn broken(seeds: &[String], random: &mut Random) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone().into_bytes();
    for _ in 0..=random.below(3) {
        let donor = seeds[random.below(seeds.len())].as_bytes();
        break_once(&mut bytes, donor, random);
    }
    bytes
}

fn break_once(bytes: &mut Vec<u8>, donor: &[u8], random: &mut Random) {
    let start = random.below(bytes.len() + 1);
    let end = (start + random.below(40)).min(bytes.len());
    match random.below(7) {
        0 => drop(bytes.drain(start..end)),
        1 => bytes.truncate(start),
        2 => {
            let byte = u8::try_from(random.below(256)).expect("a byte");
            bytes.splice(start..(start + 1).min(bytes.len()), [byte]);
        }
        3 => {
            let from = random.below(donor.len());
            let to = (from + random.below(200)).min(donor.len());
            bytes.splice(start..end, donor[from..to].iter().copied());
        }
        4 => {
            let scrap = SCRAPS[random.below(SCRAPS.len())].repeat(1 + random.below(300));
            bytes.splice(start..start, scrap.into_bytes());
        }
        _ => {
            let scrap = SCRAPS[random.below(SCRAPS.len())];
            bytes.splice(start..end.min(start + random.below(3)), scrap.bytes());
        }
    }
}

fn number(variable: &str, otherwise: u64) -> u64 {
    env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn hold(target: &Target, bytes: &[u8], from: &str) {
    if let Err(why) = catch_unwind(AssertUnwindSafe(|| (target.holds)(bytes))) {
        let words = why.downcast_ref::<String>().map(String::as_str).or(why.downcast_ref::<&str>().copied());
        let input = String::from_utf8_lossy(bytes);
        panic!("`{}`, {from}: {}\n{input}", target.name, words.unwrap_or_default());
    }
}

/// Checks one in `of` seeds unchanged, and changed seeds for a number of rounds.
fn a_while(name: &str, of: usize, rounds: u64) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target");
    let seeds = (target.seeds)();
    assert!(seeds.len() > 10, "there are examples");
    for seed in seeds.iter().step_by(of) {
        hold(target, seed.as_bytes(), "as it is in the project");
    }
    let first = number("OVERRULE_FUZZ_SEED", 1);
    for round in first..first + number("OVERRULE_FUZZ_ROUNDS", rounds) {
        let bytes = broken(&seeds, &mut Random(round.wrapping_mul(0x2545_f491_4f6c_dd1d)));
        hold(target, &bytes, &format!("OVERRULE_FUZZ_SEED={round}"));
    }
}

#[test]
fn native_syntax_holds() {
    a_while("native", 1, 1_000);
}

#[test]
fn json_holds() {
    a_while("json", 1, 3_000);
}

#[test]
fn files_beside_modules_hold() {
    a_while("companions", 1, 2_000);
}

#[test]
fn policies_hold() {
    a_while("policy", 2, 100);
}

#[test]
fn test_files_hold() {
    a_while("test_file", 1, 100);
}

#[test]
fn values_hold() {
    a_while("value", 1, 3_000);
}

#[test]
fn decoding_holds() {
    a_while("decode", 1, 1_000);
}

#[test]
fn large_files_take_no_long_time() {
    let aliases: Vec<String> =
        (1..40).map(|level| format!("a{level}: &a{level} [*a{0}, *a{0}]\n", level - 1)).collect();
    let aliases = aliases.concat();
    let started = Instant::now();
    for content in [
        format!("a,b\n{}", "1,\"x\"\n".repeat(1_000_000)),
        format!("a: &a0 [x]\n{aliases}"),
        "- [[[[{a: b}]]]]\n".repeat(200_000),
        "- a\n".repeat(200_000) + &"\tb\n".repeat(200_000),
        "[".repeat(1_000_000),
        format!("x: {}", "y".repeat(8 << 20)),
        format!("[{}1]", "1,".repeat(2_000_000)),
        "${file(\"x\")} ${templatefile(\"x\", {})} ".repeat(1_000),
        "%{ for x in b }".repeat(200) + &"%{ endfor }".repeat(200),
        "{a,b}".repeat(100) + "/**".repeat(100).as_str(),
    ] {
        properties::decode::holds(content.as_bytes());
    }
    assert!(started.elapsed().as_secs() < 60, "it took {:?}", started.elapsed());
}

#[test]
fn merging_holds() {
    a_while("merge", 4, 100);
}

#[test]
fn changes_of_connected_modules_hold() {
    a_while("change", 1, 40);
}

#[test]
fn checks_hold() {
    a_while("check", 12, 30);
}

/// Minimized inputs that the fuzzer found: `tests/fuzz/<target>-<name>`.
#[test]
fn what_was_found_once_holds() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz");
    let mut seen = 0;
    for entry in fs::read_dir(directory).expect("what was found") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        let target = TARGETS.iter().find(|target| name.starts_with(&format!("{}-", target.name)));
        hold(target.expect("a file is named for its target"), &fs::read(&path).expect("a file"), name);
        seen += 1;
    }
    assert!(seen > 0, "there is something");
}

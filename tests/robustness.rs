//! No input makes a check panic, hang or answer differently twice: modules are broken at random, for a while.
//!
//! The random numbers start from a seed, so that what fails fails again. `OVERRULE_ROBUSTNESS_SECONDS` makes it longer
//! and `OVERRULE_ROBUSTNESS_SEED` starts elsewhere.

use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use overrule::check::{self, Settings};
use overrule::source::Worktree;

/// Much of the language in few words; what is broken starts from here.
const FILES: &[(&str, &str)] = &[
    (
        "main.tf",
        r#"terraform {
  required_version = ">= 1.3, < 2.0"
  backend "s3" { key = "a" }
  required_providers {
    aws = { source = "hashicorp/aws", version = "~> 5.0", configuration_aliases = [aws.west] }
  }
}
variable "v" {
  type    = object({ a = string, b = optional(list(number), [1, 2]) })
  default = { a = "x", b = [1.5e3, -2] }
  validation {
    condition     = length(var.v.a) > 0 && can(regex("^[a-z]+$", var.v.a))
    error_message = "No ${upper("a")}."
  }
}
locals { a = [for k, v in var.v : "${k}=${v}" if v != null]..., b = { for x in [1] : x => x... } }
provider "aws" { alias = "west" }
module "net" {
  source    = "./net"
  providers = { aws.main = aws.west }
  for_each  = toset(["a"])
  name      = each.key
}
resource "aws_instance" "a" {
  count    = var.v.a == "x" ? 1 : 0
  provider = aws.west
  user_data = <<-EOT
    %{ for i in local.a ~}
    ${i}
    %{ endfor ~}
  EOT
  dynamic "disk" {
    for_each = [1]
    content { size = disk.value }
  }
  lifecycle { ignore_changes = [tags["a"]] }
  depends_on = [module.net]
}
moved {
  from = aws_instance.b
  to   = aws_instance.a[0]
}
removed {
  from = aws_instance.c
  lifecycle { destroy = false }
}
import {
  to = aws_instance.a[0]
  id = "i-1"
}
check "c" {
  assert {
    condition     = true
    error_message = "é"
  }
}
output "o" { value = module.net["a"].o }
"#,
    ),
    (
        "a_override.tf",
        r#"variable "v" { default = null }
resource "aws_instance" "a" { count = 2 }
locals { a = "ü" }
terraform {
  required_providers { aws = { source = "other/aws" } }
}
"#,
    ),
    (
        "b_override.tf.json",
        r#"{"variable": {"v": {"type": "string", "default": "${1}"}}, "//": "a", "locals": [{"a": 1e400}, {"b": null}],
"module": {"net": {"source": "./net", "providers": {"aws": "aws"}}}, "output": {"o": {"value": "${[for x in y: x]}"}}}"#,
    ),
    (
        "net/main.tf",
        r#"terraform {
  required_providers { aws = { source = "hashicorp/aws", configuration_aliases = [aws.main] } }
}
variable "name" { type = string }
provider "aws" { region = "x" }
module "up" { source = "../" }
data "aws_ami" "x" { provider = aws.main }
output "o" {
  value     = var.name
  sensitive = true
}
"#,
    ),
    (
        "net/x.tofu",
        "module \"y\" {\n  source = \"./${var.name}\"\n  lifecycle { enabled = var.name != \"\" }\n}\n",
    ),
];

/// What breaks parsers.
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
];

/// The numbers of Sebastiano Vigna's `splitmix64`.
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

type Files = Vec<(String, Vec<u8>)>;

fn whole() -> Files {
    FILES.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
}

/// Breaks one to four places.
fn broken(random: &mut Random) -> Files {
    let mut files = whole();
    for _ in 0..=random.below(3) {
        let file = random.below(files.len());
        let donor = files[random.below(files.len())].1.clone();
        break_once(&mut files[file].1, &donor, random);
    }
    files
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

/// Everything that a check says, as text.
fn said(files: &Files) -> String {
    let mut worktree = Worktree::of_files(files.clone());
    let outcome = check::run(&mut worktree, &Settings::default());
    // A report asks for the place of every finding.
    let places = outcome.verdicts.iter().map(|verdict| {
        let finding = &verdict.finding;
        let related = finding.related.iter().map(|related| related.span);
        finding
            .primary
            .into_iter()
            .chain(related)
            .map(|span| worktree.sources().place(span))
            .collect::<Vec<_>>()
    });
    format!("{:?}\n{:#?}", places.collect::<Vec<_>>(), outcome.verdicts)
}

fn number(variable: &str, otherwise: u64) -> u64 {
    env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn broken_modules_neither_panic_nor_hang() {
    let seconds = number("OVERRULE_ROBUSTNESS_SECONDS", 5);
    let seed = number("OVERRULE_ROBUSTNESS_SEED", 1);
    let end = Instant::now() + Duration::from_secs(seconds);
    for round in seed.. {
        let files = broken(&mut Random(round.wrapping_mul(0x2545_f491_4f6c_dd1d)));
        let started = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| said(&files)));
        let show = || {
            let texts =
                files.iter().map(|(path, bytes)| format!("--- {path}\n{}", String::from_utf8_lossy(bytes)));
            format!("OVERRULE_ROBUSTNESS_SEED={round}\n{}", texts.collect::<Vec<_>>().join("\n"))
        };
        let first = outcome.unwrap_or_else(|_| panic!("a check panics: {}", show()));
        // Generous, for a loaded machine without optimisation.
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "a check takes {:?}: {}",
            started.elapsed(),
            show()
        );
        if round % 16 == 0 {
            assert_eq!(said(&files), first, "two checks differ: {}", show());
        }
        if Instant::now() > end {
            break;
        }
    }
}

#[test]
fn deep_nesting_and_long_chains_are_no_trouble() {
    const DEEP: usize = 20_000;
    let texts = [
        format!("a = {}1{}\n", "(".repeat(DEEP), ")".repeat(DEEP)),
        format!("a = {}1{}\n", "[".repeat(DEEP), "]".repeat(DEEP)),
        format!("a = {}1{}\n", "{ a = ".repeat(DEEP), " }".repeat(DEEP)),
        format!("a = {}true\n", "!".repeat(DEEP)),
        format!("a = {}1\n", "-".repeat(DEEP)),
        format!("a = 1{}\n", " + 1".repeat(DEEP)),
        format!("a = {}1{}\n", "true ? 1 : ".repeat(DEEP), ""),
        format!("a = {}1{}\n", "f(".repeat(DEEP), ")".repeat(DEEP)),
        format!("a = {}x{}\n", "\"${".repeat(DEEP), "}\"".repeat(DEEP)),
        format!("a = b{}\n", ".c".repeat(DEEP)),
        format!("a = b{}\n", "[0]".repeat(DEEP)),
        format!("a = b{}{}\n", "[b".repeat(DEEP), "]".repeat(DEEP)),
        format!("{}{}\n", "a {\n".repeat(DEEP), "}\n".repeat(DEEP)),
        format!("variable \"a\" {{\n  type = {}any{}\n}}\n", "list(".repeat(DEEP), ")".repeat(DEEP)),
        format!("a = \"{}{}\"\n", "%{ if true }".repeat(DEEP), "%{ endif }".repeat(DEEP)),
        format!("a = {}[]{}\n", "[for x in ".repeat(DEEP), " : x]".repeat(DEEP)),
    ];
    let wrapped = texts
        .iter()
        .map(|text| ("main.tf", format!("locals {{\n{text}}}\n")))
        .chain(texts.iter().map(|text| ("main.tf", text.clone())));
    let json = [
        format!("{{\"locals\": {}1{}}}", "[".repeat(DEEP), "]".repeat(DEEP)),
        format!("{{\"locals\": {}1{}}}", "{\"a\": ".repeat(DEEP), "}".repeat(DEEP)),
        format!("{{\"output\": {{\"a\": {{\"value\": \"{}x{}\"}}}}}}", "${[".repeat(DEEP), "]}".repeat(DEEP)),
    ];
    for (name, text) in wrapped.chain(json.into_iter().map(|text| ("main.tf.json", text))) {
        said(&vec![(name.to_owned(), text.into_bytes())]);
    }
}

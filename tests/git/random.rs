//! Random repositories and changes: the findings of a change are the difference of two checks of the whole
//! repository, and the findings in affected modules are those of a check of the whole repository.

use indoc::indoc;
use std::collections::{BTreeMap, BTreeSet};

use overrule::check::{Outcome, Settings, Verdict, load_policy, run, run_change};
use overrule::rules::{ENTRIES, Entry};
use overrule::text::Sources;
use overrule::vfs::{Change, Snapshot};

use crate::dice::Dice;
use crate::place::{Place, of_index, of_revision};

/// The directories of modules.
const DIRECTORIES: &[&str] = &[
    "",
    "live/a",
    "live/b",
    "live/b/inner",
    "modules/net",
    "modules/net/sub",
    "modules/app",
    "modules/dns",
    "modules/old",
    "examples/one",
    "tests/all",
    "lib/x",
];

/// Content of modules, in addition to calls.
const PARTS: &[&str] = &[
    "provider \"aws\" {\n  region = \"x\"\n}\n",
    indoc! {r#"
        provider "aws" {
          alias  = "w"
          region = "x"
        }
    "#},
    "provider \"aws\" {}\n",
    indoc! {r#"
        terraform {
          required_providers {
            aws = {
              source = "hashicorp/aws"
            }
          }
        }
    "#},
    indoc! {r#"
        terraform {
          required_providers {
            aws = {
              source  = "hashicorp/aws"
              version = "~> 5.0"
              configuration_aliases = [aws.w]
            }
          }
        }
    "#},
    "terraform {\n  required_version = \">= 1.5\"\n}\n",
    "terraform {\n  required_version = \"< 1.2\"\n}\n",
    "terraform {\n  backend \"s3\" {}\n}\n",
    "resource \"aws_vpc\" \"v\" {}\n",
    "resource \"aws_vpc\" \"w\" {\n  provider = aws.w\n}\n",
    "variable \"need\" {}\n",
    indoc! {r#"
        variable "opt" {
          type    = string
          default = ""
        }
    "#},
    indoc! {r#"
        variable "fixed" {
          type  = string
          const = true
        }
    "#},
    indoc! {r#"
        variable "secret" {
          sensitive = true
        }
        output "secret" {
          value = var.secret
        }
    "#},
    "output \"out\" {\n  value = 1\n}\n",
    "variable \"twice\" {}\nvariable \"twice\" {}\n",
    indoc! {r#"
        import {
          to = aws_vpc.v
          id = "1"
        }
    "#},
    indoc! {"
        moved {
          from = aws_vpc.old
          to   = aws_vpc.v
        }
    "},
    indoc! {"
        moved {
          from = module.c0.aws_vpc.old
          to   = module.c0.aws_vpc.v
        }
    "},
    indoc! {"
        locals {
          a = module.c0.out
          b = module.c1.none
        }
    "},
    "terraform {\n  encryption {}\n}\n",
    "removed {\n  from = aws_vpc.gone\n}\n",
    "# overrule: allow(duplicate-declaration) known\nvariable \"dup\" {}\nvariable \"dup\" {}\n",
    "# overrule: allow(invalid-name) nothing is wrong here\nlocals {}\n",
    "resource \"broken\" {\n",
];

/// Other files in a directory.
const BESIDE: &[(&str, &str)] = &[
    (".terraform.lock.hcl", "# This file is maintained automatically by \"terraform init\".\n"),
    (".terraform.lock.hcl", "# This file is maintained automatically by \"tofu init\".\n"),
    (".terraform-version", "1.9.8\n"),
    (".opentofu-version", "1.8.2\n"),
    ("x.tfvars", ""),
    ("readme.md", "text"),
    ("main_override.tf", "module \"c0\" {\n  source = \"./nowhere\"\n}\n"),
    ("dev_override.tf", "provider \"aws\" {\n  region = \"y\"\n}\n"),
    ("main.tofu", "output \"out\" {\n  value = 2\n}\n"),
    ("extra.tf.json", "{\"variable\": {\"need\": {}}}"),
];

const POLICY: &str = indoc! {r#"
    policy {
      extends = ["strict"]
    }

    exception "variable-type-missing" {
      paths  = ["lib"]
      reason = "later"
    }
"#};

/// The relative path of one directory in another.
fn address(from: &str, to: &str) -> String {
    let ups = from.split('/').filter(|name| !name.is_empty()).count();
    if ups == 0 { format!("./{to}") } else { format!("{}{to}", "../".repeat(ups)) }
}

fn call(dice: &mut Dice, from: &str, number: usize) -> String {
    let to = match dice.roll(12) {
        0 => "modules/gone",
        1 => "modules/linked",
        2 => "linked/net",
        _ => dice.pick(DIRECTORIES),
    };
    let mut call = format!("module \"c{number}\" {{\n  source = \"{}\"\n", address(from, to));
    for line in [
        "  count = 2\n",
        "  providers = { aws = aws }\n",
        "  providers = { aws.w = aws.w }\n",
        "  need = 1\n",
        "  fixed = \"a\"\n",
        "  fixed = aws_vpc.v.id\n",
        "  other = 1\n",
        "  depends_on = [aws_vpc.v]\n",
    ] {
        if dice.roll(5) == 0 && !call.contains(line.split('=').next().unwrap_or_default()) {
            call += line;
        }
    }
    call + "}\n"
}

fn module(dice: &mut Dice, directory: &str) -> String {
    let mut text = String::new();
    for _ in 0..=dice.roll(4) {
        text += PARTS[dice.roll(PARTS.len())];
    }
    for number in 0..dice.roll(4) {
        text += &call(dice, directory, number);
    }
    text
}

fn inside(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

/// One random step, staged.
fn step(dice: &mut Dice, place: &Place) {
    let directory = *dice.pick(DIRECTORIES);
    match dice.roll(9) {
        0 => drop(place.ask_git(&[
            "rm",
            "--quiet",
            "-r",
            "--force",
            "--ignore-unmatch",
            if directory.is_empty() { "main.tf" } else { directory },
        ])),
        1 => {
            let (name, text) = *dice.pick(BESIDE);
            place.stage(&inside(directory, name), text);
        }
        2 => {
            let (name, _) = *dice.pick(BESIDE);
            place.git(&["rm", "--quiet", "--force", "--ignore-unmatch", &inside(directory, name)]);
        }
        3 => link(dice, place),
        _ => place.stage(&inside(directory, "main.tf"), module(dice, directory)),
    }
}

#[cfg(unix)]
fn link(dice: &mut Dice, place: &Place) {
    let (path, target) = *dice.pick(&[
        ("modules/linked", "net"),
        ("modules/linked", "app"),
        ("linked", "modules"),
        ("linked", "lib"),
        ("lib/x/more.tf", "../../modules/net/main.tf"),
        ("lib/x/more.tf", "../../modules/dns/main.tf"),
    ]);
    std::fs::remove_file(place.path().join(path)).ok();
    place.link(path, target);
    place.git(&["add", "--force", path]);
}

#[cfg(not(unix))]
fn link(_: &mut Dice, _: &Place) {}

/// A resource of a provider.
const RESOURCE: &str = r#"resource "aws_subnet" "s" {
  size = 1
  name = "${var.opt}x"
  rule {
    port = [1, 2]
  }
}
"#;

/// Stages a change that usually does not affect callers of the module.
fn edit(dice: &mut Dice, place: &Place) {
    let directory: &str = DIRECTORIES[dice.roll(DIRECTORIES.len())];
    let path = inside(directory, "main.tf");
    let Ok(text) = std::fs::read_to_string(place.path().join(&path)) else { return };
    let number = dice.roll(1_000);
    let text = match dice.roll(6) {
        0 => format!("# {number}\n{text}"),
        1 => format!("{text}# {number}\n"),
        2 => text.replace("size = ", &format!("size = {number}")),
        3 => text.replace("port = ", &format!("text = \"{number}\"\n    port = ")),
        4 => text.replace("\"need\" {}", &format!("\"need\" {{\n  description = \"{number}\"\n}}")),
        _ => text.replace("}x\"", &format!("}}{number}\"")),
    };
    place.stage(&path, text);
}

/// The content of a verdict, independent of file numbers.
fn told(verdict: &Verdict, sources: &Sources) -> String {
    let place = |span| sources.place(span);
    let finding = &verdict.finding;
    let related: Vec<String> =
        finding.related.iter().map(|other| format!("{} {}", place(other.span), other.message)).collect();
    // Only a comparison of both states knows why the module is missing.
    let detail = if finding.rule.as_str() == "missing-module" { "" } else { &finding.detail };
    format!(
        "{} | {} | {} | {} | {} | {related:?} | {:?}",
        finding.module,
        finding.rule.as_str(),
        verdict.level.name(),
        finding.primary.map(place).unwrap_or_default(),
        detail,
        verdict.product
    )
}

fn by_fingerprint(outcome: &Outcome, sources: &Sources) -> BTreeMap<String, String> {
    // Only a check of the whole repository can decide whether exceptions in the policy have an effect, and some rules
    // need two states.
    let of_modules = outcome.verdicts.iter().filter(|verdict| {
        let in_policy = |span: overrule::text::Span| sources.get(span.file).name() == "overrule.hcl";
        let is_found = |entry: &Entry| entry.id == verdict.finding.rule.as_str() && !entry.is_steady;
        !verdict.finding.primary.is_some_and(in_policy) && !ENTRIES.iter().any(is_found)
    });
    of_modules.map(|verdict| (verdict.fingerprint.clone(), told(verdict, sources))).collect()
}

/// The findings in all modules of a working tree.
fn whole(mut snapshot: Snapshot, settings: &dyn Fn(&mut Snapshot) -> Settings) -> BTreeMap<String, String> {
    let settings = settings(&mut snapshot);
    let outcome = run(&mut snapshot, &settings);
    by_fingerprint(&outcome, snapshot.sources())
}

/// Settings with the policy of the later state.
fn settings(index: &mut Snapshot) -> Settings {
    let file = index.read_policy().expect("one policy at most");
    let policy = load_policy(index, file).expect("a policy without mistakes");
    Settings { policy, ..Settings::default() }
}

/// The findings by module and rule.
fn by_rule<'t>(told: impl Iterator<Item = &'t String>) -> BTreeMap<String, Vec<&'t String>> {
    let mut rules: BTreeMap<String, Vec<&String>> = BTreeMap::new();
    for told in told {
        let rule = told.splitn(3, " | ").take(2).collect::<Vec<_>>().join(" | ");
        rules.entry(rule).or_default().push(told);
    }
    for told in rules.values_mut() {
        told.sort();
    }
    rules
}

fn compare(place: &Place, seed: u64) -> usize {
    let path = place.path();
    let change = Change::staged(&path).expect("a repository");
    let mut unread = change.unread();
    let own = settings(&mut unread);
    let tell = |all| {
        let scope = [String::new()];
        let checked = run_change(&change, unread.sources(), &own, &scope, all).expect("a change");
        let told = by_fingerprint(&checked.outcome, checked.snapshot.sources());
        let modules: BTreeSet<String> = checked.affected.iter().map(ToString::to_string).collect();
        (told, modules)
    };
    let now = whole(of_index(&path).expect("an index"), &settings);
    // No step changes the policy.
    let before = whole(of_revision(&path, "HEAD").expect("a commit"), &settings);
    let new: BTreeMap<_, _> = now
        .iter()
        .filter(|(name, _)| !before.contains_key(*name))
        .map(|(a, b)| (a.clone(), b.clone()))
        .collect();
    let (found, _) = tell(false);
    let gone = before.iter().filter(|(name, _)| !now.contains_key(*name)).map(|(_, told)| told);
    let (ours, theirs, gone) = (by_rule(found.values()), by_rule(new.values()), by_rule(gone));
    let (before, all_now) = (by_rule(before.values()), by_rule(now.values()));
    for (rule, theirs) in &theirs {
        let ours = ours.get(rule).cloned().unwrap_or_default();
        let most = |found: &BTreeMap<String, Vec<&String>>| found.get(rule).map_or(0, Vec::len);
        if most(&before) == 0 || most(&all_now) == 1 && most(&gone) == 0 {
            assert_eq!(&ours, theirs, "what is new, seed {seed}");
        }
        // An equal finding, or one in a renamed block, is reported elsewhere or is an existing one.
        assert!(
            ours.len() <= theirs.len() && ours.len() + most(&gone) >= theirs.len(),
            "{rule}, seed {seed}"
        );
    }
    assert!(
        ours.keys().all(|rule| theirs.contains_key(rule)),
        "what is not new is not told, seed {seed}: {ours:?} {theirs:?}"
    );
    assert!(found.values().all(|told| now.values().any(|other| other == told)), "seed {seed}");
    let (all, affected) = tell(true);
    let of_affected =
        now.values().filter(|told| affected.contains(told.split(" | ").next().unwrap_or_default()));
    assert_eq!(by_rule(all.values()), by_rule(of_affected), "all of the affected modules, seed {seed}");
    found.len()
}

/// The seeds to test: those in `GIT_SEEDS`, such as `0..100`, or the first few.
fn seeds(few: u64) -> Vec<u64> {
    match std::env::var("GIT_SEEDS") {
        Ok(range) => {
            let (from, to) = range.split_once("..").expect("as in 0..100");
            (from.parse().expect("a number")..to.parse().expect("a number")).collect()
        }
        Err(_) => (0..few).collect(),
    }
}

#[test]
fn what_a_change_brings_is_the_difference_of_two_looks_at_the_whole() {
    let mut found = 0;
    for seed in seeds(12) {
        let mut dice = Dice::new(seed);
        let place = Place::repository(&[("overrule.hcl", POLICY)]);
        for directory in DIRECTORIES {
            if dice.roll(6) > 0 {
                place.write(&inside(directory, "main.tf"), module(&mut dice, directory));
            }
        }
        place.git(&["add", "."]);
        for _ in 0..6 {
            step(&mut dice, &place);
        }
        place.git(&["commit", "--quiet", "--message", "first"]);
        for _ in 0..3 {
            for _ in 0..=dice.roll(3) {
                step(&mut dice, &place);
            }
            found += compare(&place, seed);
            if dice.roll(2) == 0 {
                place.git(&["commit", "--quiet", "--allow-empty", "--message", "next"]);
            }
        }
    }
    assert!(found > 0, "some change brings something");
}

#[test]
fn a_change_that_callers_do_not_see_is_the_difference_of_two_looks_at_the_whole() {
    for seed in seeds(12) {
        let mut dice = Dice::new(1_000 + seed);
        let place = Place::repository(&[("overrule.hcl", POLICY)]);
        for directory in DIRECTORIES {
            let text = module(&mut dice, directory);
            let is_broken = text.contains("\"broken\"");
            let text = if is_broken { String::new() } else { format!("{text}{RESOURCE}") };
            place.write(&inside(directory, "main.tf"), text);
        }
        place.git(&["add", "."]);
        place.git(&["commit", "--quiet", "--message", "first"]);
        for _ in 0..4 {
            for _ in 0..=dice.roll(2) {
                edit(&mut dice, &place);
            }
            if dice.roll(4) == 0 {
                step(&mut dice, &place);
            }
            compare(&place, seed);
            if dice.roll(2) == 0 {
                place.git(&["commit", "--quiet", "--allow-empty", "--message", "next"]);
            }
        }
    }
}

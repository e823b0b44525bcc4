//! Findings of both engines together do not depend on batches, or on which engine was skipped.

use super::*;
use crate::check::doctest::example::examples;
use crate::check::{Settings, load_policy, run};
use crate::rules::page::PAGES;
use indoc::indoc;

fn reported(files: &[(&str, &str)], policy: &str) -> Vec<String> {
    let files = files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()));
    let policy = Policy::preset(policy).expect("a preset");
    let outcome = run(&mut Snapshot::of_files(files.collect()), &Settings { policy, ..Settings::default() });
    let line = |verdict: &crate::check::Verdict| {
        format!("{} {}", verdict.finding.module, verdict.finding.rule.as_str())
    };
    outcome.verdicts.iter().map(line).collect()
}

const ASKS: &str = indoc! {r#"
    terraform {
      required_providers {
        x = {
          source = "y/x"
          configuration_aliases = [x.a]
        }
      }
    }
"#};
const CALLS: &str = "module \"m\" {\n  source = \"../net\"\n}\n";

#[test]
fn calls_in_modules_for_the_other_engine_are_ignored() {
    // This one has errors of its own, so that its engine does not get to the call.
    let of_tofu = format!("terraform {{\n  encryption {{}}\n}}\nvariable \"a b\" {{}}\n{CALLS}");
    let files = [("net/main.tf", ASKS), ("tofu/main.tf", &of_tofu), ("both/main.tf", CALLS)];
    assert_eq!(reported(&files, "language"), ["both missing-provider-configuration", "tofu invalid-name"]);
}

#[test]
fn an_exception_in_a_file_that_no_engine_loads_there_is_left_alone() {
    let called = indoc! {r#"
        terraform {
          required_version = ">= 1.5"
        }
        module "m" {
          source = "../net"
        }
    "#};
    let comment = "# overrule: allow(invalid-name) nothing is wrong\nlocals {}\n";
    let files = [
        ("net/main.tf", comment),
        ("net/main.tofu", ""),
        ("tofu/main.tf", called),
        ("tofu/.opentofu-version", "1.9.0\n"),
        ("terraform/.terraform-version", "1.9.0\n"),
        ("terraform/main.tf", comment),
    ];
    assert_eq!(reported(&files, "recommended"), ["terraform unused-exception"]);
}

#[test]
fn what_an_old_version_does_not_know_is_no_syntax_of_the_other_engine() {
    let shared = indoc! {r#"
        variable "a" {
          ephemeral = true
        }
        variable "b c" {}
    "#};
    let files = [
        ("net/main.tf", shared),
        ("old/main.tf", CALLS),
        ("old/.terraform-version", "1.5.7\n"),
        ("new/main.tf", CALLS),
    ];
    // Only Terraform asks for a version where there are `.tf` files.
    let reported = reported(&files, "recommended");
    assert!(reported.contains(&"new required-version-missing".to_owned()), "{reported:?}");
}

#[test]
fn two_versions_that_say_the_same_at_different_times_say_it_once() {
    let calls = indoc! {r#"
        module "m" {
          source = "../net"
          none   = 1
        }
    "#};
    let shared = "terraform {\n  required_version = \">= 1.5\"\n}\n";
    let root = "module \"m\" {\n  source = \"../app\"\n}\n";
    let files = [
        ("net/main.tf", shared),
        ("app/main.tf", calls),
        ("old/main.tf", root),
        ("old/.terraform-version", "1.9.8\n"),
        ("new/main.tf", root),
    ];
    assert_eq!(reported(&files, "language"), ["app unknown-module-argument"]);
}

#[test]
fn a_ring_that_another_one_leads_to_is_for_the_engines_of_that() {
    let ring = |own: &str, other: &str| {
        format!(
            "module \"own\" {{\n  source = \"../{own}\"\n}}\nmodule \"other\" {{\n  source = \"../{other}\"\n}}\n"
        )
    };
    let (inner, outer) = (ring("a", "a"), ring("b", "a"));
    let files = [
        ("a/main.tf", inner.as_str()),
        ("a/.terraform-version", "1.9.8\n"),
        ("b/main.tf", &outer),
        ("b/.opentofu-version", "1.9.0\n"),
    ];
    let texts = files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()));
    let outcome = run(&mut Snapshot::of_files(texts.collect()), &Settings::default());
    let engines: Vec<_> = outcome.engines.iter().map(|engine| engine.word()).collect();
    assert_eq!(engines, ["opentofu@1.9.0"]);
}

/// What is seen, as text in an order of its own. Where the modules are kept, no engine is left out.
fn seen(files: &[(String, String)], keep: bool, batch: usize) -> Vec<String> {
    let files = files.iter().map(|(name, text)| (name.clone(), text.clone().into_bytes()));
    let mut snapshot = Snapshot::of_files(files.collect());
    let own =
        snapshot.read_policy().ok().flatten().and_then(|file| load_policy(&mut snapshot, Some(file)).ok());
    let policy = own.unwrap_or_else(|| Policy::preset("strict").expect("a preset"));
    let settings = &Settings { policy, ..Settings::default() };
    let active_rules = ActiveRules::new(&settings.policy, &[], &mut Vec::new());
    let states = &States::default();
    let request = EngineCheck {
        settings,
        active_rules: &active_rules,
        earlier: None,
        states,
        keeps_graphs: keep,
        batch_bytes: batch,
    };
    let (seen, findings) = check_all(&mut snapshot, &mut ParseCache::default(), &request);
    let findings = findings.finish(snapshot.sources());
    let mut reported: Vec<String> = findings.iter().map(|finding| format!("{finding:?}")).collect();
    reported.sort();
    reported.push(format!("{:?} {:?}", seen.engines, seen.checked_by));
    reported
}

#[test]
fn findings_do_not_depend_on_the_batches() {
    let mut files = Vec::new();
    for number in 0..8 {
        // The last of them calls the first in words that do not show it before they are read.
        let source = if number == 7 { "..\\/net0".to_owned() } else { format!("../net{}", number / 2) };
        let call = format!(
            "{{\"module\": {{\"m\": {{\"source\": \"{source}\", \"count\": 2, \"n{number}\": 1}}}}}}"
        );
        files.push((format!("live{number}/main.tf.json"), call));
        files.push((format!("net{number}/main.tf"), "provider \"aws\" {}\nvariable \"n\" {}\n".to_owned()));
        files.push((format!("net{number}/a_override.tf"), "variable \"m\" {}\n".to_owned()));
        files.push((format!("tofu{number}/main.tofu"), "locals {\n  a = tofu.b\n}\n".to_owned()));
    }
    // A directory without files of its own is known once somebody calls it.
    let odd = indoc! {r#"
        module "m" {
          source = "../none"
        }
        module "n" {
          source = "../nothing"
        }
    "#};
    files.push(("odd/main.tf".to_owned(), odd.to_owned()));
    files.push(("none/below/main.tf".to_owned(), "locals {}\n".to_owned()));
    let whole = seen(&files, true, usize::MAX);
    assert!(whole.len() > 30, "{}", whole.len());
    assert_eq!(seen(&files, false, 1), whole);
    files.retain(|(path, _)| !path.starts_with("live7/"));
    assert_eq!(seen(&files, false, 1), seen(&files, true, usize::MAX));
}

#[test]
fn findings_do_not_depend_on_skipped_engines() {
    for page in PAGES.iter() {
        for example in examples(page.text).expect("a page is well-formed") {
            let files: Vec<(String, String)> =
                example.files.into_iter().map(|file| (file.name, file.text)).collect();
            let whole = seen(&files, true, usize::MAX);
            assert_eq!(seen(&files, false, usize::MAX), whole, "{}: {}", page.rule, example.claim);
        }
    }
}

#[test]
fn opentofu_need_not_look_where_it_would_find_nothing() {
    let looks = |files: &[(&str, &str)]| {
        let files = files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()));
        let snapshot = Snapshot::of_files(files.collect());
        let policy = Policy::preset("language").expect("a preset");
        let settings = &Settings { policy, ..Settings::default() };
        let active_rules = ActiveRules::new(&settings.policy, &[], &mut Vec::new());
        let request = EngineCheck {
            settings,
            active_rules: &active_rules,
            earlier: None,
            states: &States::default(),
            keeps_graphs: false,
            batch_bytes: usize::MAX,
        };
        let batch = Batch::whole(&snapshot);
        let mut checked = BatchResult::default();
        load_engines(
            &snapshot,
            &mut ParseCache::default(),
            &batch,
            None,
            &settings.policy,
            &mut |cache, loaded, roots| checked.add_engine(&request, &snapshot, cache, loaded, &roots),
        )
        .expect("all of it");
        let directories =
            |result: &EngineResult| result.directories().into_iter().cloned().collect::<Vec<_>>();
        checked
            .of_engines
            .iter()
            .filter(|result| result.engine.product == Product::OpenTofu)
            .flat_map(directories)
            .collect::<Vec<_>>()
    };
    let quiet = ("a/main.tf", CALLS);
    let called = ("net/main.tf", "variable \"a\" {}\n");
    assert_eq!(looks(&[quiet, ("net/main.tf", "")]), [""; 0]);
    assert_eq!(looks(&[quiet, called, ("b/main.tf", "locals {}\n")]), ["a", "net"]);
    for text in [
        "locals {\n  a = true && true\n}\n",
        "locals {\n  a = string\n}\n",
        indoc! {r#"
            variable "a" {
              type    = object({})
              default = { b = 1 }
            }
        "#},
        indoc! {r#"
            output "a" {
              type  = string
              value = ""
            }
        "#},
        indoc! {r#"
            terraform {
              required_providers {
                x = { source = "registry.terraform.io/a/x" }
              }
            }
        "#},
        "locals {\n  a = local.none\n}\n",
    ] {
        assert_eq!(looks(&[("a/main.tf", text), ("b/main.tf", "locals {}\n")]), ["a"], "{text}");
    }
    assert_eq!(looks(&[("a/main.tf", ""), ("a/main.tofu", "locals {}\n")]), ["a"]);
    assert_eq!(looks(&[("a/main.tf", ""), ("a/.opentofu-version", "1.12.0\n")]), ["a"]);
}

//! Custom rules on modules with overrides, unknown values and other special cases.

use indoc::indoc;
use std::collections::BTreeSet;

use overrule::check::doctest::example::{Example, examples};
use overrule::check::{Settings, load_policy, rule_names, run};
use overrule::finding::RuleId;
use overrule::graph::Role;
use overrule::policy::{Policy, can_be_off};
use overrule::rules::page::Page;
use overrule::rules::{TEMPLATES, Template};
use overrule::vfs::Snapshot;

/// The findings in these files, one of which is the policy: rule, position and summary, sorted by position.
fn found(files: &[(&str, &str)], select: &[&str]) -> Vec<String> {
    let files = files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()));
    let mut snapshot = Snapshot::of_files(files.collect());
    let file = snapshot.read_policy().expect("one policy");
    let policy = load_policy(&mut snapshot, file).expect("a policy without a mistake");
    let select = select.iter().map(|rule| RuleId::named(*rule)).collect();
    let outcome = run(&mut snapshot, &Settings { policy, select, ..Settings::default() });
    let told = outcome.verdicts.iter().map(|verdict| {
        let finding = &verdict.finding;
        let place = finding.primary.map(|span| snapshot.sources().place(span)).unwrap_or_default();
        format!("{place} {} {}", finding.rule.as_str(), finding.address)
    });
    told.collect()
}

/// The blocks that lack a required argument.
fn missing(blocks: &str, argument: &str, files: &[(&str, &str)]) -> Vec<String> {
    let policy = format!(
        "policy {{\n  extends = []\n}}\nrule \"required-argument\" \"own\" {{\n  blocks = [\"{blocks}\"]\n  argument = {argument}\n}}\n"
    );
    found(&[files, &[("overrule.hcl", &policy)]].concat(), &["own"])
}

#[test]
fn a_lifecycle_is_merged_argument_by_argument() {
    let base = indoc! {r#"
        resource "a_b" "c" {
          lifecycle {
            create_before_destroy = true
          }
        }
    "#};
    let over = indoc! {r#"
        resource "a_b" "c" {
          lifecycle {
            prevent_destroy = true
            replace_triggered_by = [x_y.z]
          }
        }
        resource "x_y" "z" {}
    "#};
    let base = format!("{base}resource \"x_y\" \"z\" {{}}\n");
    let files = [("main.tf", base.as_str()), ("override.tf", over)];
    let nothing: [&str; 0] = [];
    assert_eq!(missing("resource.a_b", "\"lifecycle.prevent_destroy\"", &files), nothing);
    assert_eq!(missing("resource.a_b", "\"lifecycle.create_before_destroy\"", &files), nothing);
    // The engine uses only the argument of the base.
    assert_eq!(
        missing("resource.a_b", "\"lifecycle.replace_triggered_by\"", &files),
        ["main.tf:2,3 own a_b.c"]
    );
    assert_eq!(missing("resource.x_y", "\"lifecycle.prevent_destroy\"", &files), ["main.tf:6,1 own x_y.z"]);
}

#[test]
fn validations_stay_those_of_the_base() {
    let files = [
        ("main.tf", "variable \"a\" {}\n"),
        (
            "override.tf",
            indoc! {r#"
                variable "a" {
                  type = string
                  validation {
                    condition = true
                    error_message = "No."
                  }
                }
            "#},
        ),
    ];
    assert_eq!(missing("variable.*", "validation", &files), ["main.tf:1,1 own variable.a"]);
    assert!(missing("variable.*", "type", &files).is_empty());
}

#[test]
fn json_has_the_same_ways() {
    let files = [(
        "main.tf.json",
        r#"{"resource": {"a_b": {
  "none": {},
  "tags": {"tags": {"Name": "x"}},
  "key": {"tags": {"${var.k}": "x"}},
  "there": {"tags": {"Owner": "x"}},
  "blocks": {"ingress": [{"description": "x"}, {"port": 1}]},
  "dynamic": {"dynamic": {"ingress": {"for_each": [1], "content": {}}}}
}}}"#,
    )];
    assert_eq!(
        missing("resource.a_b.{none,tags,key,there}", "tags.Owner", &files),
        ["main.tf.json:2,11 own a_b.none", "main.tf.json:3,12 own a_b.tags"]
    );
    assert_eq!(
        missing("resource.a_b.{blocks,dynamic}", "ingress.description", &files),
        ["main.tf.json:6,48 own a_b.blocks", "main.tf.json:7,38 own a_b.dynamic"]
    );
}

#[test]
fn a_type_determines_the_keys() {
    let files = [(
        "main.tf",
        indoc! {r#"
            variable "t" {
              type = object({ Name = string })
            }
            variable "any" {}
            resource "a_b" "typed" {
              tags = var.t
            }
            resource "a_b" "any" {
              tags = var.any
            }
            resource "a_b" "each" {
              for_each = var.any
              tags = each.value
            }
        "#},
    )];
    assert_eq!(missing("resource.a_b", "tags.Name", &files), [""; 0]);
    assert_eq!(missing("resource.a_b", "tags.Owner", &files), ["main.tf:6,10 own a_b.typed"]);
}

#[test]
fn what_is_escaped_and_what_was_not_read_is_not_missed() {
    let escaped = indoc! {r#"
        resource "a_b" "c" {
          _ {
            count = 1
          }
        }
    "#};
    assert!(missing("resource.a_b", "count", &[("main.tf", escaped)]).is_empty());
    let broken = "resource \"a_b\" \"c\" {\n  x = \n}\n";
    let told = missing("resource.a_b", "tags", &[("main.tf", broken)]);
    assert!(told.iter().all(|told| told.contains("syntax-error")), "{told:?}");
}

#[test]
fn configurations_of_providers_are_known_by_their_alias() {
    let files = [(
        "main.tf",
        indoc! {r#"
            provider "aws" {
              region = "a"
            }
            provider "aws" {
              alias = "west"
            }
        "#},
    )];
    assert_eq!(missing("provider.aws.west", "region", &files), ["main.tf:4,1 own provider.aws.west"]);
    assert_eq!(missing("provider.aws", "profile", &files).len(), 2);
    assert_eq!(missing("provider.aws", "profile", &files), missing("*.aws", "profile", &files));
}

const OWNER: &str = indoc! {r#"
    policy {
      extends = ["recommended"]
    }
    rule "required-argument" "owner-tag" {
      blocks = ["resource.a_*"]
      argument = "tags.Owner"
    }
"#};

#[test]
fn comments_and_exceptions_know_it_by_its_name() {
    let main = indoc! {r#"
        # overrule: allow(owner-tag) goes away
        resource "a_b" "c" {}
        resource "a_b" "d" {}
        # overrule: allow(owner-tag) of no use
        locals {}
        # overrule: allow(owner-tga) misspelt
    "#};
    let policy =
        format!("{OWNER}exception \"owner-tag\" {{\n  paths = [\"other\"]\n  reason = \"goes away\"\n}}\n");
    let json = r#"{"resource": {"a_b": {"c": {"//": "overrule: allow(owner-tag) goes away too"}}}}"#;
    let files = [
        ("main.tf", main),
        ("other/main.tf", "resource \"a_b\" \"c\" {}\n"),
        ("json/main.tf.json", json),
        ("overrule.hcl", &policy),
    ];
    assert_eq!(
        found(&files, &["owner-tag", "unused-exception"]),
        ["main.tf:3,1 owner-tag a_b.d", "main.tf:4,1 unused-exception ", "main.tf:6,1 unused-exception ",]
    );
}

#[test]
fn roles_and_paths_say_where_it_looks() {
    let policy = indoc! {r#"
        policy {
          extends = []
        }
        role "shared" {
          paths = ["lib"]
        }
        rule "required-file" "readme" {
          file = "README.md"
          roles = ["shared"]
        }
        rule "forbidden-block" "no-a" {
          level = "off"
          blocks = ["resource.a_b"]
        }
        paths "live" {
          rule "no-a" { level = "warning" }
        }
    "#};
    let block = "resource \"a_b\" \"c\" {}\n";
    let root = format!("{block}terraform {{\n  backend \"local\" {{}}\n}}\n");
    let files = [("lib/main.tf", block), ("live/main.tf", &root), ("overrule.hcl", policy)];
    assert_eq!(
        found(&files, &["readme", "no-a"]),
        ["lib/main.tf:1,1 readme ", "live/main.tf:1,1 no-a a_b.c"]
    );
}

#[test]
fn settings_in_several_blocks_all_count_unless_an_override_file_sets_them() {
    let policy = indoc! {r#"
        policy {
          extends = []
        }
        rule "forbidden-value" "own" {
          blocks = ["terraform"]
          argument = "required_version"
          values = [">= *"]
        }
    "#};
    let setting = "terraform {\n  required_version = \">= 1.0\"\n}\n";
    let other = "terraform {\n  required_version = \"~> 1.2\"\n}\n";
    let files = [("a.tf", setting), ("b.tf", other), ("c.tf", setting), ("overrule.hcl", policy)];
    assert_eq!(found(&files, &["own"]), ["a.tf:2,22 own terraform", "c.tf:2,22 own terraform"]);
    let files = [("a.tf", setting), ("override.tf", other), ("overrule.hcl", policy)];
    assert_eq!(found(&files, &["own"]), [""; 0]);
    let files = [("a.tf", other), ("override.tf", setting), ("overrule.hcl", policy)];
    assert_eq!(found(&files, &["own"]), ["override.tf:2,22 own terraform"]);
}

#[test]
fn both_engines_find_it_once() {
    let files = [("main.tf", "resource \"a_b\" \"c\" {}\n"), ("overrule.hcl", OWNER)];
    assert_eq!(found(&files, &["owner-tag"]), ["main.tf:1,1 owner-tag a_b.c"]);
}

/// The errors in the options of a custom rule: position, summary, detail and help.
fn refused(kind: &str, options: &str) -> String {
    let policy = format!("rule \"{kind}\" \"own\" {{\n{options}\n}}\n");
    let mut snapshot = Snapshot::of_files(vec![("overrule.hcl".to_owned(), policy.into_bytes())]);
    let file = snapshot.read_policy().expect("one policy");
    let mistakes = load_policy(&mut snapshot, file).expect_err("a mistake");
    let [finding] = mistakes.as_slice() else { panic!("one mistake: {mistakes:#?}") };
    let place = finding.primary.map(|span| snapshot.sources().place(span)).unwrap_or_default();
    format!(
        "{place} {}: {} ({})",
        finding.summary,
        finding.detail,
        finding.help.as_deref().unwrap_or_default()
    )
}

#[test]
fn an_error_in_an_option_is_reported_at_its_position() {
    let argument = "blocks = [\"resource\"]\nargument = ";
    assert!(refused("naming", "blocks = [\"local\"]\npattern = \"a)|(b\"").starts_with(
        "overrule.hcl:3,11 Invalid `pattern`: The regular expression is not valid: unopened group."
    ));
    assert!(
        refused("naming", "blocks = [\"local\"]\npattern = \"a\"\nstyle = \"snake_case\"")
            .starts_with("overrule.hcl:4,9 Invalid `style`")
    );
    assert!(refused("naming", "blocks = [\"local\"]").ends_with("(set `style` or `pattern`)"));
    assert_eq!(
        refused("required-argument", "blocks = [\"local.*\"]\nargument = \"a\""),
        "overrule.hcl:2,11 Invalid pattern: `local.*` cannot match a block: a local value has no arguments. ()"
    );
    assert!(
        refused("forbidden-block", "blocks = [\"aws_iam_user.*\"]")
            .ends_with("(write `resource.aws_iam_user.*`)")
    );
    assert!(refused("forbidden-block", "blocks = [\"resourc.x\"]").ends_with("(did you mean `resource`?)"));
    assert!(
        refused("forbidden-block", "blocks = [\"resource.[\"]")
            .starts_with("overrule.hcl:2,11 Invalid pattern")
    );
    assert!(
        refused("required-argument", &format!("{argument}tags[0]"))
            .starts_with("overrule.hcl:3,12 Invalid `argument`")
    );
    assert!(
        refused("required-argument", &format!("{argument}5")).contains("`argument` must be a quoted string")
    );
    assert!(refused("forbidden-value", &format!("{argument}\"a\"")).ends_with("(set `values`)"));
    assert!(
        refused("allowed-value", &format!("{argument}\"a\"\nvalues = [null]"))
            .starts_with("overrule.hcl:4,11 Unsuitable value")
    );
    assert!(refused("allowed-source", "").ends_with("(set `modules` or `providers`)"));
    assert!(
        refused("required-file", "file = \"../README.md\"").starts_with("overrule.hcl:2,8 Invalid `file`")
    );
    assert!(
        refused("required-file", "file = \"a\"\nroles = [\"shard\"]").ends_with("(did you mean `shared`?)")
    );
    assert!(refused("required-file", "file = \"a\"\nmesage = \"b\"").ends_with("(did you mean `message`?)"));
}

/// The examples of every rule that a policy can name, with the rules whose findings they show: for a template, the
/// custom rules in the policy of the example.
fn shown() -> Vec<(Vec<String>, Example)> {
    let mut shown = Vec::new();
    let templates = TEMPLATES.iter().map(|template| template.id);
    for name in rule_names().into_iter().chain(templates) {
        let page = Page::of(name).expect("a page");
        for example in examples(page.text).expect("examples") {
            let own = policy_of(&example).map(|policy| {
                let own = policy.custom_rules().filter(|(_, definition)| definition.template == name);
                own.map(|(rule, _)| rule.to_string()).collect()
            });
            let rules =
                if Template::named(name).is_some() { own.unwrap_or_default() } else { vec![name.to_owned()] };
            shown.push((rules, example));
        }
    }
    shown
}

fn policy_text(example: &Example) -> Option<&str> {
    example.files.iter().find(|file| file.name == "overrule.hcl").map(|file| file.text.as_str())
}

fn policy_of(example: &Example) -> Option<Policy> {
    let text = policy_text(example)?;
    let mut snapshot = Snapshot::of_files(vec![("overrule.hcl".to_owned(), text.as_bytes().to_vec())]);
    let file = snapshot.read_policy().expect("one policy");
    load_policy(&mut snapshot, file).ok()
}

/// The findings of a rule in an example with these arguments in the policy.
fn found_with(example: &Example, rule: &str, arguments: &str) -> Vec<String> {
    let block = format!("\nrule \"{rule}\" {{\n  {arguments}\n}}\n");
    let (example, policy) = if let Some(text) = policy_text(example) {
        (example.with(&[("overrule.hcl".to_owned(), format!("{text}{block}"))]), Policy::recommended())
    } else {
        let text = format!("policy {{\n  extends = [\"strict\"]\n}}\n{block}");
        let mut snapshot = Snapshot::of_files(vec![("overrule.hcl".to_owned(), text.into_bytes())]);
        let file = snapshot.read_policy().expect("one policy");
        (example.with(&[]), load_policy(&mut snapshot, file).expect("a policy without a mistake"))
    };
    let found = example.rules(&policy).into_iter();
    found.filter(|(id, _)| id.as_str() == rule).map(|(_, words)| words).collect()
}

#[test]
fn every_rule_takes_level_message_paths_and_roles() {
    let mut tested = BTreeSet::new();
    for (rules, example) in shown() {
        for rule in &rules {
            if tested.contains(rule) {
                continue;
            }
            let can_be_off = can_be_off(&RuleId::named(rule.as_str()));
            let every_role = "roles = [\"root\", \"shared\", \"example\", \"test\"]";
            let every_role = if can_be_off { every_role } else { "" };
            let found = |arguments: &str| found_with(&example, rule, arguments);
            let all = found(&format!("level = \"notice\"\n  {every_role}"));
            if all.is_empty() {
                continue;
            }
            let place = format!("{rule}: {}", example.claim);
            tested.insert(rule.clone());
            assert!(all.iter().all(|words| words.starts_with("notice: ")), "{place}: {all:?}");
            let reworded =
                found(&format!("level = \"warning\"\n  message = \"In our words\"\n  {every_role}"));
            assert_eq!(reworded, vec!["warning: In our words"; all.len()], "{place}");
            if !can_be_off {
                continue;
            }
            let in_paths = |paths: &str| found(&format!("paths = [{paths}]\n  {every_role}")).len();
            assert_eq!(in_paths("\"not/there\""), 0, "{place}");
            assert_eq!(in_paths("\"not/there\", \"**\""), all.len(), "{place}");
            assert_eq!(in_paths("\"**\", \"!**\""), 0, "{place}");
            let in_role = |role: Role| found(&format!("roles = [\"{}\"]", role.word())).len();
            let by_role = Role::ALL.map(in_role);
            if ABOUT_POLICIES.contains(&rule.as_str()) {
                assert!(by_role.iter().all(|found| *found <= all.len()), "{place}: {by_role:?}");
            } else {
                assert_eq!(by_role.iter().sum::<usize>(), all.len(), "{place}: {by_role:?}");
            }
        }
    }
    let untested: Vec<&str> = rule_names()
        .into_iter()
        .filter(|rule| !tested.contains(*rule) && !NOT_IN_A_TEXT.contains(rule))
        .collect();
    assert!(untested.is_empty(), "no example shows a finding of {untested:?}");
}

/// Rules with findings in a policy, which belongs to no module.
const ABOUT_POLICIES: &[&str] = &["expired-exception", "unused-exception"];

/// Rules whose findings cannot be shown with text files.
const NOT_IN_A_TEXT: &[&str] = &["link-leaves-repository", "unreadable-file"];

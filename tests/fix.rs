//! Tests of fixes in memory: the fixed text, and the fixes that are not applied.

use indoc::indoc;
use overrule::check::{self, Fixed, Settings, Verdict};
use overrule::finding::{RuleId, Safety};
use overrule::policy::Policy;
use overrule::vfs::Snapshot;

fn snapshot(files: &[(&str, &str)]) -> Snapshot {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
    Snapshot::of_files(files.collect())
}

/// Fixes the findings of these rules, with all rules of the strictest preset enabled.
fn fixed(files: &[(&str, &str)], rules: &[&str], safety: Safety) -> Fixed {
    let policy = Policy::preset("strict").expect("a preset");
    let select = rules.iter().map(|rule| RuleId::named(*rule)).collect();
    let settings = Settings { policy, select, ..Settings::default() };
    let mut snapshot = snapshot(files);
    let outcome = check::run(&mut snapshot, &settings);
    assert!(!outcome.verdicts.is_empty(), "something is found");
    check::fix(&snapshot, None, &outcome.verdicts, &settings, safety, &mut |_| None)
}

/// The text of a file after fixing.
fn text<'f>(fixed: &'f Fixed, name: &str) -> &'f str {
    let file = fixed.snapshot.sources().iter().find(|(_, source)| source.name() == name);
    file.map(|(_, source)| source.text()).expect("the file")
}

/// The text of `main.tf` after fixing, where nothing may remain to fix.
fn main(before: &str, rules: &[&str]) -> String {
    let made = fixed(&[("main.tf", before)], rules, Safety::Unsafe);
    assert!(made.left.is_empty() && made.withheld.is_empty(), "{made:#?}");
    text(&made, "main.tf").to_owned()
}

fn why(fixed: &Fixed) -> Vec<&str> {
    fixed.withheld.iter().map(|(_, why)| why.as_str()).collect()
}

fn rules_of(verdicts: &[Verdict]) -> Vec<&str> {
    verdicts.iter().map(|verdict| verdict.finding.rule.as_str()).collect()
}

const SOURCE: &[&str] = &["provider-source-missing"];
const UNUSED: &[&str] = &["unused-declaration"];

#[test]
fn a_local_value_that_may_fail_is_removed_on_request_only() {
    let before = indoc! {r#"
        variable "size" {
          type = string
        }
        output "size" {
          value = var.size
        }
        locals {
          sizes = ["s", "m"]
          check = index(["s", "m"], var.size)
        }
    "#};
    let made = |safety| text(&fixed(&[("main.tf", before)], UNUSED, safety), "main.tf").to_owned();
    let (safe, other) = (made(Safety::Safe), made(Safety::Unsafe));
    assert!(!safe.contains("sizes") && safe.contains("check = index("), "{safe}");
    assert!(!other.contains("locals"), "{other}");
}

#[test]
fn lines_end_as_they_did_and_a_byte_order_mark_stays() {
    let before =
        "\u{feff}terraform {\r\n  required_providers {\r\n    aws = \"~> 5.0\" # ours\r\n  }\r\n}\r\n";
    let after = "\u{feff}terraform {\r\n  required_providers {\r\n    aws = {\r\n      source  = \"hashicorp/aws\"\r\n      version = \"~> 5.0\"\r\n    } # ours\r\n  }\r\n}\r\n";
    assert_eq!(main(before, SOURCE), after);
}

#[test]
fn comments_inside_of_what_is_changed_stay() {
    let before = indoc! {r#"
        terraform {
          required_providers {
            aws = {
              # since the new regions
              version = "~> 5.0" /* not 6 */
            }
            random = { /* any */ version = "3" }
          }
        }
    "#};
    let after = indoc! {r#"
        terraform {
          required_providers {
            aws = {
              # since the new regions
              source  = "hashicorp/aws"
              version = "~> 5.0" /* not 6 */
            }
            random = { /* any */ source = "hashicorp/random", version = "3" }
          }
        }
    "#};
    assert_eq!(main(before, SOURCE), after);
}

#[test]
fn the_last_line_needs_no_end() {
    let before = "locals { a = 1 }\noutput \"b\" { value = local.b }\nlocals { b = 2 }";
    assert_eq!(main(before, UNUSED), "output \"b\" { value = local.b }\nlocals { b = 2 }");
    assert_eq!(main("locals {}\nlocals { a = 1 }", UNUSED), "locals {}\n");
}

#[test]
fn what_makes_room_for_more_is_followed_by_it() {
    let before = indoc! {r#"
        locals {
          a = local.b
          b = local.c
          c = local.d
          d = 1

          kept = 2
        }
        output "o" {
          value = local.kept
        }
    "#};
    assert_eq!(
        main(before, UNUSED),
        indoc! {r#"
            locals {
              kept = 2
            }
            output "o" {
              value = local.kept
            }
        "#}
    );
}

#[test]
fn neighbours_go_together() {
    let before = indoc! {r#"
        locals {
          a   = 1
          bb  = 2
          ccc = 3
          d   = 4 # used
        }
        output "o" {
          value = local.d
        }
    "#};
    assert_eq!(
        main(before, UNUSED),
        indoc! {r#"
            locals {
              d = 4 # used
            }
            output "o" {
              value = local.d
            }
        "#}
    );
}

#[test]
fn two_entries_at_one_place_come_one_after_the_other() {
    let before = indoc! {r#"
        terraform {
          required_providers {
          }
        }
        resource "null_resource" "a" {}
        resource "random_id" "b" {}
    "#};
    let after = indoc! {r#"
        terraform {
          required_providers {
            null = {
              source = "hashicorp/null"
            }
            random = {
              source = "hashicorp/random"
            }
          }
        }
        resource "null_resource" "a" {}
        resource "random_id" "b" {}
    "#};
    let policy = Policy::recommended();
    let settings = Settings { policy, ..Settings::default() };
    let mut snapshot = snapshot(&[("main.tf", before)]);
    let told = check::run(&mut snapshot, &settings).verdicts;
    let made = check::fix(&snapshot, None, &told, &settings, Safety::Unsafe, &mut |_| None);
    assert_eq!(text(&made, "main.tf"), after);
}

#[test]
fn only_safe_fixes_are_applied_by_default() {
    let files = [(
        "main.tf",
        indoc! {r#"
            variable "a" {}
            locals {
              b = 1
            }
            data "aws_region" "c" {}
        "#},
    )];
    let made = fixed(&files, UNUSED, Safety::Safe);
    assert_eq!(text(&made, "main.tf"), "variable \"a\" {}\ndata \"aws_region\" \"c\" {}\n");
    assert_eq!((made.resolved.len(), made.left.len(), made.withheld.len()), (1, 2, 0));
}

#[test]
fn what_tests_may_refer_to_is_not_safe_to_remove() {
    let tests = (
        "tests/a.tftest.hcl",
        indoc! {r#"
            run "a" {
              assert {
                condition = local.b == 1
              }
            }
        "#},
    );
    for module in ["main.tf", "modules/m/main.tf"] {
        let made = fixed(&[(module, "locals {\n  b = 1\n}\n"), tests], UNUSED, Safety::Safe);
        assert!(made.files.is_empty(), "{module}");
    }
}

#[test]
fn json_is_not_fixed_and_that_is_reported() {
    let json = "{\"terraform\": {\"required_providers\": {\"aws\": {\"version\": \"~> 5.0\"}}}}";
    let made = fixed(&[("main.tf.json", json)], SOURCE, Safety::Unsafe);
    assert_eq!((made.files.len(), made.left.len()), (0, 1));
    assert_eq!(why(&made), ["overrule does not fix JSON files"]);
}

#[test]
fn a_file_that_does_not_parse_or_holds_other_bytes_is_left_alone() {
    let made =
        fixed(&[("main.tf", "locals {\n  a = 1\n}\n# \u{feff}\n"), ("b.tf", "")], UNUSED, Safety::Safe);
    assert_eq!(made.files.len(), 1);
    let policy = Policy::preset("strict").expect("a preset");
    let settings = Settings { policy, ..Settings::default() };
    let bytes = b"# \xe9t\xe9\nterraform {\n  required_providers {\n    aws = \"~> 5.0\"\n  }\n}\n".to_vec();
    let mut snapshot = Snapshot::of_files(vec![("main.tf".to_owned(), bytes)]);
    let told = check::run(&mut snapshot, &settings).verdicts;
    assert!(told.iter().any(|verdict| verdict.finding.rule.as_str() == "provider-source-missing"));
    let made = check::fix(&snapshot, None, &told, &settings, Safety::Unsafe, &mut |_| None);
    assert!(made.files.is_empty());
}

#[test]
fn a_fix_of_an_error_may_bring_a_notice() {
    let required = |entry: &str| {
        format!("terraform {{\n  required_providers {{\n    a = {{\n      {entry}\n    }}\n  }}\n}}\n")
    };
    let (base, over) =
        (required("source  = \"acme/a\"\n      version = \"~> 5.0\""), required("version = \"~> 6.0\""));
    let files = [("main.tf", &*base), ("main_override.tf", &*over)];
    let made = fixed(&files, &["override-drops-provider-source"], Safety::Unsafe);
    assert_eq!(why(&made), [""; 0]);
    assert_eq!(text(&made, "main_override.tf"), required("source  = \"acme/a\"\n      version = \"~> 6.0\""));
}

#[test]
fn a_fix_that_would_bring_something_new_is_withheld() {
    // With its source, `b` equals `a` again.
    let base = r#"
terraform {
  required_providers {
    a = {
      source = "acme/a"
    }
    b = {
      source = "acme/a"
    }
  }
}
"#;
    let over = r#"
terraform {
  required_providers {
    b = {
      version = ">= 1.0"
    }
  }
}
"#;
    let files = [("main.tf", base), ("main_override.tf", over)];
    let made = fixed(&files, &["override-drops-provider-source"], Safety::Unsafe);
    assert_eq!(
        why(&made),
        ["the fix would cause a new finding of `duplicate-required-provider` in main_override.tf"]
    );
    assert!(made.files.is_empty());
}

/// A module that uses the default configuration of `aws` and an alias that must be passed.
const USES_BOTH: &str = r#"
terraform {
  required_providers {
    aws = {
      source                = "hashicorp/aws"
      configuration_aliases = [aws.a]
    }
  }
}
resource "aws_vpc" "a" {
  provider = aws.a
}
resource "aws_vpc" "b" {}
"#;

/// A call that passes only the alias.
const CALL: &str = r#"
module "m" {
  source    = "./m"
  providers = { aws.a = aws.a }
}
"#;

const REQUIRED: &str = r#"
terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}
"#;

const BLOCKS: &str = r#"
provider "aws" {
  region = "eu-central-1"
}
provider "aws" {
  alias  = "a"
  region = "eu-west-1"
}
"#;

/// The result of `check --fix=unsafe` for a call in a directory. `None` without a finding.
fn passed_more(directory: &str, files: &[(&str, &str)]) -> Option<String> {
    let policy = Policy::preset("strict").expect("a preset");
    let select = vec![RuleId::named("providers-map-incomplete")];
    let settings = Settings { policy, select, ..Settings::default() };
    let mut snapshot = snapshot(files);
    let outcome = check::run(&mut snapshot, &settings);
    if outcome.verdicts.is_empty() {
        return None;
    }
    let made = check::fix(&snapshot, None, &outcome.verdicts, &settings, Safety::Unsafe, &mut |_| None);
    Some(text(&made, &format!("{directory}main.tf")).to_owned())
}

#[test]
fn a_providers_map_gets_an_entry_in_a_root_module_that_configures_the_provider() {
    let before = [REQUIRED, BLOCKS, CALL].concat();
    let after = passed_more("", &[("main.tf", &before), ("m/main.tf", USES_BOTH)]);
    assert_eq!(after, Some(before.replace("aws.a = aws.a }", "aws.a = aws.a, aws = aws }")));
}

#[test]
fn a_providers_map_gets_no_entry_in_a_module_that_others_may_call() {
    let of_module = USES_BOTH.replace(r#"resource "aws_vpc" "b" {}"#, CALL);
    // Called here, with and without the provider, and not called at all.
    let passes = CALL.replace("./m", "./modules/n").replace("aws.a = aws.a }", "aws = aws, aws.a = aws.a }");
    let not_here = [("modules/n/main.tf", of_module.as_str()), ("modules/n/m/main.tf", USES_BOTH)];
    assert_eq!(passed_more("modules/n/", &not_here), None);
    for root in [[BLOCKS, &passes].concat(), [REQUIRED, BLOCKS, &passes].concat()] {
        let files = [&[("main.tf", root.as_str())], &not_here[..]].concat();
        assert_eq!(passed_more("modules/n/", &files), None);
    }
    // Not even if it configures the provider itself.
    let configures = [BLOCKS, CALL].concat();
    let files = [("modules/n/main.tf", configures.as_str()), ("modules/n/m/main.tf", USES_BOTH)];
    let called = [&[("main.tf", "module \"n\" {\n  source = \"./modules/n\"\n}\n")], &files[..]].concat();
    assert_eq!(passed_more("modules/n/", &called), None);
}

#[test]
fn a_providers_map_stays_where_an_entry_would_bring_a_report_of_terraform() {
    // The child module or the root module does not require the provider; another call uses the name for another
    // provider.
    let inherits = "module \"n\" {\n  source = \"../n\"\n}\n";
    let silent = USES_BOTH.replace("aws.a", "aws.b").replace("hashicorp", "acme");
    let other = [CALL.replace("\"m\"", "\"o\"").replace("./m", "./o"), CALL.to_owned()].concat();
    let root = [REQUIRED, BLOCKS, &other].concat();
    let files = [("main.tf", root.as_str()), ("m/main.tf", USES_BOTH), ("o/main.tf", silent.as_str())];
    assert_eq!(passed_more("", &files), Some(root.clone()));
    let root = [BLOCKS, CALL].concat();
    assert_eq!(passed_more("", &[("main.tf", &root), ("m/main.tf", USES_BOTH)]), Some(root));
    let random = USES_BOTH.replace("aws = {", "b = {").replace("hashicorp/aws", "hashicorp/b");
    let random = random.replace("aws.a", "b.a").replace("resource \"aws_vpc\" \"b\" {}", inherits);
    let random = random.replace("resource \"aws_vpc\" \"a\"", "resource \"b_c\" \"a\"");
    let root =
        [REQUIRED, BLOCKS, &CALL.replace("aws.a", "b.a")].concat() + "provider \"b\" {\n  alias = \"a\"\n}\n";
    let files = [
        ("main.tf", root.as_str()),
        ("m/main.tf", &random),
        ("n/main.tf", "resource \"aws_vpc\" \"b\" {}\n"),
    ];
    assert_eq!(passed_more("", &files), Some(root.clone()));
}

#[test]
fn what_holds_is_made_and_what_does_not_is_withheld_in_one_run() {
    let call = |name: &str| format!("module \"{name}\" {{\n  source = \"../m\"\n  a      = 1\n}}\n");
    // A caller in a file that cannot be edited would set an undeclared variable.
    let json = "{\"module\": {\"m\": {\"source\": \"../m\", \"b\": 2}}}";
    let files = [
        (
            "m/main.tf",
            indoc! {r#"
                variable "a" {}
                variable "b" {
                  default = 1
                }
            "#},
        ),
        ("x/main.tf", &*call("m")),
        ("y/main.tf.json", json),
        ("z/main.tf", "locals {\n  c = 1\n}\n"),
    ];
    let made = fixed(&files, UNUSED, Safety::Unsafe);
    assert_eq!(text(&made, "z/main.tf"), "");
    assert_eq!(text(&made, "x/main.tf"), "module \"m\" {\n  source = \"../m\"\n}\n");
    assert_eq!(text(&made, "m/main.tf"), "variable \"b\" {\n  default = 1\n}\n");
}

#[test]
fn callers_are_changed_with_what_they_call() {
    let child = indoc! {r#"
        terraform {
          required_providers {
            aws = {
              source                = "hashicorp/aws"
              version               = ">= 5.0"
              configuration_aliases = [aws.a, aws.b]
            }
          }
        }

        resource "aws_vpc" "a" {
          provider = aws.a
        }
    "#};
    let root = indoc! {r#"
        provider "aws" {
          alias = "x"
        }

        module "one" {
          source = "./m"
          providers = {
            aws.a = aws.x # first
            aws.b = aws.x
          }
        }

        module "two" {
          source    = "./m"
          providers = { aws.b = aws.x, aws.a = aws.x }
        }
    "#};
    let made =
        fixed(&[("main.tf", root), ("m/main.tf", child)], &["unused-configuration-alias"], Safety::Unsafe);
    assert_eq!(text(&made, "m/main.tf"), child.replace("[aws.a, aws.b]", "[aws.a]"));
    let after = root.replace("    aws.b = aws.x\n", "").replace("aws.b = aws.x, ", "");
    assert_eq!(text(&made, "main.tf"), after);
}

#[test]
fn an_override_keeps_the_aliases_of_its_base() {
    let base = indoc! {r#"
        terraform {
          required_providers {
            aws = {
              source                = "hashicorp/aws"
              configuration_aliases = [aws.a]
            }
          }
        }
        resource "aws_vpc" "a" {
          provider = aws.a
        }
    "#};
    let over = indoc! {r#"
        terraform {
          required_providers {
            aws = {
              source = "hashicorp/aws"
            }
          }
        }
    "#};
    let files = [("m/main.tf", base), ("m/override.tf", over)];
    let made = fixed(&files, &["override-drops-provider-source"], Safety::Unsafe);
    let after = "      source                = \"hashicorp/aws\"\n      configuration_aliases = [aws.a]\n";
    assert_eq!(text(&made, "m/override.tf"), over.replace("      source = \"hashicorp/aws\"\n", after));
}

#[test]
fn an_exception_for_removed_code_goes_with_it() {
    let before = indoc! {r#"
        # overrule: allow(variable-type-missing) it is not used
        variable "b" {
          description = "B."
        }

        locals {}
    "#};
    let made = fixed(&[("main.tf", &format!("locals {{}}\n\n{before}"))], UNUSED, Safety::Unsafe);
    assert!(made.withheld.is_empty(), "{:?}", made.withheld);
    assert_eq!(text(&made, "main.tf"), "locals {}\n\nlocals {}\n");
}

#[test]
fn code_with_a_comment_is_not_removed() {
    let module = |variable: &str| format!("output \"b\" {{\n  value = 1\n}}\n\n{variable}");
    for variable in [
        indoc! {r#"
            #checkov:skip=CKV_AWS_20: reviewed
            variable "a" {
              type = string
            }
        "#},
        indoc! {r#"
            variable "a" {
              # tfsec:ignore:aws-s3
              type = string
            }
        "#},
        "variable \"a\" {\n  type = string // why\n}\n",
        "variable \"a\" { /* why */ }\n",
        "variable \"a\" {} # why\n",
    ] {
        let before = module(variable);
        let fixed = fixed(&[("main.tf", &before)], &["unused-declaration"], Safety::Unsafe);
        assert_eq!(text(&fixed, "main.tf"), before);
        let why = why(&fixed);
        assert!(
            matches!(why[..], [why] if why.contains("the fix would remove the comment in line")),
            "{why:?}"
        );
    }
}

#[test]
fn the_declaration_of_a_new_finding_is_named() {
    let files =
        [("main.tf", "variable \"zone\" {\n  type = string\n}\n"), ("terraform.tfvars", "zone = \"a\"\n")];
    let fixed = fixed(&files, UNUSED, Safety::Unsafe);
    assert_eq!(
        why(&fixed),
        [
            "the fix would cause a new finding of `undeclared-variable-value` about `variable.zone` in terraform.tfvars"
        ]
    );
}

#[test]
fn a_fix_may_reveal_what_its_finding_hid() {
    let unused = indoc! {r#"
        variable "zone" {
          type = string
        }

        locals {
          zones = [var.zone]
        }
    "#};
    let made = fixed(&[("main.tf", unused)], UNUSED, Safety::Safe);
    assert_eq!((why(&made), text(&made, "main.tf")), (vec![], "variable \"zone\" {\n  type = string\n}\n"));
    let left: Vec<&str> = made.left.iter().map(|verdict| verdict.finding.address.as_str()).collect();
    assert_eq!(left, ["variable.zone"]);

    let source = "module \"net\" {\n  source = \"git::https://example.com/modules.git?ref=main//net\"\n}\n";
    let rules = ["module-source-subdir-order", "module-source-unpinned"];
    let made = fixed(&[("main.tf", source)], &rules, Safety::Unsafe);
    assert!(text(&made, "main.tf").contains("modules.git//net?ref=main"));
    assert_eq!(rules_of(&made.left), ["module-source-unpinned"]);
}

#[test]
fn what_a_fix_reveals_is_not_more_severe() {
    let module = (
        "main.tf",
        "terraform {\n  required_version = \">= 1.5\"\n}\nresource \"random_id\" \"a\" {\n  byte_length = 1\n}\n",
    );
    for (level, reported, number) in
        [("warning", "provider-version-missing", 0), ("error", "required-provider-missing", 1)]
    {
        let policy = format!("rule \"provider-version-missing\" {{\n  level = \"{level}\"\n}}\n");
        let mut snapshot = snapshot(&[module, ("overrule.hcl", &policy)]);
        let file = snapshot.read_policy().expect("one policy");
        let policy = check::load_policy(&mut snapshot, file).expect("no mistakes");
        let settings = Settings { policy, ..Settings::default() };
        let reports = check::run(&mut snapshot, &settings).verdicts;
        let made = check::fix(&snapshot, None, &reports, &settings, Safety::Unsafe, &mut |_| None);
        assert_eq!((rules_of(&made.left), made.withheld.len()), (vec![reported], number), "{level}");
    }
}

#[test]
fn a_generated_file_is_left_alone() {
    for comment in [
        "// TERRAMATE: GENERATED AUTOMATICALLY DO NOT EDIT",
        "#\n# Generated by Terragrunt. Sig: nIlQXj57tbuaRZEa",
    ] {
        let files = [("main.tf", &*format!("{comment}\n\nlocals {{\n  a = 1\n}}\n"))];
        let made = fixed(&files, UNUSED, Safety::Safe);
        assert_eq!(why(&made), ["the file is generated; change what generates it"]);
    }
}

#[test]
fn the_start_of_a_file_is_read_once_for_all_fixes() {
    let comment = "# A comment at the start of a file.\n".repeat(30_000);
    let outputs = |element: &dyn Fn(usize) -> String| {
        let output = |n| format!("output \"o{n}\" {{\n  value = var.l{}\n}}\n", element(n));
        (0..1_000).map(output).collect::<Vec<_>>().concat()
    };
    let with =
        |outputs: String| format!("{comment}\nvariable \"l\" {{\n  type = list(string)\n}}\n{outputs}");
    let module = with(outputs(&|n| format!(".{n}")));
    let made = fixed(&[("main.tf", &module)], &["deprecated-syntax"], Safety::Unsafe);
    assert!(text(&made, "main.tf") == with(outputs(&|n| format!("[{n}]"))), "all are fixed");
}

#[test]
fn a_variable_stays_where_another_reference_may_mean_it() {
    let module = "variable \"names\" {}\noutput \"a\" {\n  value = var.name\n}\n";
    let made = fixed(&[("main.tf", module)], UNUSED, Safety::Unsafe);
    assert_eq!((made.files.len(), made.left.len()), (0, 1));
}

#[test]
fn many_fixes_that_fail_do_not_withhold_others() {
    let (mut variables, mut values) = (String::new(), String::new());
    for number in 0..120 {
        variables.push_str(&format!("variable \"v{number}\" {{\n  type = string\n}}\n"));
        values.push_str(&format!("v{number} = \"a\"\n"));
    }
    let used = |value: &str| {
        format!("variable \"used\" {{\n  type = list(string)\n}}\noutput \"a\" {{\n  value = {value}\n}}\n")
    };
    let module = format!("{variables}{}", used("var.used.0"));
    let files = [("main.tf", &*module), ("terraform.tfvars", &*values)];
    let made = fixed(&files, &["deprecated-syntax", "unused-declaration"], Safety::Unsafe);
    assert_eq!(text(&made, "main.tf"), format!("{variables}{}", used("var.used[0]")));
    let reasons = why(&made);
    assert!(
        reasons.len() == 120 && reasons.iter().all(|why| why.contains("about `variable.v")),
        "{reasons:?}"
    );
}

#[test]
fn a_comment_is_named_by_its_line_after_other_fixes() {
    let module = indoc! {r#"
        variable "a" {
          type = string
        }

        variable "b" {
          type = string # why
        }
    "#};
    let fixed = fixed(&[("main.tf", module)], &["unused-declaration"], Safety::Unsafe);
    assert_eq!(text(&fixed, "main.tf"), "variable \"b\" {\n  type = string # why\n}\n");
    assert_eq!(why(&fixed), ["the fix would remove the comment in line 2; move it or delete it first"]);
    // `--diff` writes nothing, so the comment stays where it is.
    let before: Vec<_> = fixed.withheld_before.iter().map(|(_, why)| why.as_str()).collect();
    assert_eq!(before, ["the fix would remove the comment in line 6; move it or delete it first"]);
}

#[test]
fn a_fix_that_was_withheld_is_not_offered_again() {
    let fixed = fixed(
        &[("main.tf", "variable \"b\" {\n  type = string # why\n}\n")],
        &["unused-declaration"],
        Safety::Unsafe,
    );
    assert_eq!(fixed.left.iter().map(|verdict| verdict.finding.fix.is_some()).collect::<Vec<_>>(), [false]);
}

#[test]
fn files_that_must_not_change_are_left_with_a_reason() {
    let policy = Policy::preset("strict").expect("a preset");
    let select = vec![RuleId::built_in("provider-source-missing")];
    let settings = Settings { policy, select, ..Settings::default() };
    let text = indoc! {r#"
        terraform {
          required_providers {
            aws = "~> 5.0"
          }
        }
        data "aws_region" "a" {}
    "#};
    let mut snapshot = snapshot(&[("a/main.tf", text), ("b/main.tf", text)]);
    let told = check::run(&mut snapshot, &settings).verdicts;
    let first = snapshot.sources().iter().find(|(_, source)| source.name() == "a/main.tf").map(|(id, _)| id);
    let mut standing = |id| (Some(id) == first).then(|| "it is read-only".to_owned());
    let made = check::fix(&snapshot, None, &told, &settings, Safety::Safe, &mut standing);
    assert_eq!((made.files.len(), why(&made)), (1, vec!["it is read-only"]));
}

#[test]
fn older_syntax_becomes_newer_syntax_with_the_same_value() {
    let main = |before: &str| main(before, &["deprecated-syntax"]);
    let before = r#"locals {
  m = { a = 1 }
  l = [[1], [2]]
  a = ["${local.l[0]}", "${ local.m }", "${~ local.m ~}"]
  b = { "${local.m.a}" = 1, (upper("${local.m.a}")) = "${local.m.a}" }
  c = 2 * "${1 + 1}"
  d = local.l.0[0] + local.l[1].0
  e = lookup(local.m, "${"a"}")
  f = [for x in [local.m] : lookup(x, "a")]
  g = lookup(merge(local.m, {}), "a") + lookup({ a = 1 }, "a")
  h = ["a" == "${true ? "a" : "b"}"]
}
"#;
    let after = r#"locals {
  m = { a = 1 }
  l = [[1], [2]]
  a = [local.l[0], local.m, local.m]
  b = { (local.m.a) = 1, (upper(local.m.a)) = local.m.a }
  c = 2 * (1 + 1)
  d = local.l[0][0] + local.l[1][0]
  e = local.m["a"]
  f = [for x in [local.m] : x["a"]]
  g = merge(local.m, {})["a"] + ({ a = 1 })["a"]
  h = ["a" == (true ? "a" : "b")]
}
"#;
    assert_eq!(main(before), after);
}

#[test]
fn older_syntax_stays_where_a_comment_or_another_meaning_would_be_lost() {
    let before = r#"locals {
  m = { a = [1] }
  a = lookup(local.m, # the map
    "a"
  )
  b = "${local.m}"
  c = [local.m].*.a.0
}
"#;
    let made = fixed(&[("main.tf", before)], &["deprecated-syntax"], Safety::Unsafe);
    assert!(made.files.is_empty(), "{made:#?}");
    assert_eq!((made.left.len(), made.resolved.len()), (1, 0));
}

#[test]
fn only_a_repeated_item_with_the_same_value_is_removed() {
    let before = indoc! {"
        locals {
          a = { x = 1, y = 2, x = 1 }
          b = {
            x = 1 # first
            y = 2
            x = 3
          }
        }
    "};
    let made = fixed(&[("main.tf", before)], &["duplicate-key"], Safety::Unsafe);
    assert_eq!(text(&made, "main.tf"), before.replace("{ x = 1, y = 2, x = 1 }", "{ y = 2, x = 1 }"));
    assert_eq!((made.resolved.len(), made.left.len()), (1, 1));
}

#[test]
fn a_comparison_gets_one_type_on_request_only() {
    let before = indoc! {r#"
        variable "n" {
          type = number
        }
        output "a" {
          value = ["1" != var.n, var.n == "x"]
        }
    "#};
    let files = [("main.tf", before)];
    let rules = &["comparison-of-different-types"];
    assert!(fixed(&files, rules, Safety::Safe).files.is_empty());
    let made = fixed(&files, rules, Safety::Unsafe);
    assert_eq!(text(&made, "main.tf"), before.replace("\"1\" != var.n", "1 != var.n"));
    assert_eq!((made.resolved.len(), made.left.len()), (1, 1));
}

#[test]
fn an_object_moves_out_of_lookup_with_its_layout() {
    let before = indoc! {r#"
        variable "format" {
          type = string
        }

        locals {
          endpoint = lookup(
            {
              docker = "a"
              maven  = "b"
            },
            var.format
          )
        }
    "#};
    let after = indoc! {r#"
        variable "format" {
          type = string
        }

        locals {
          endpoint = ({
            docker = "a"
            maven  = "b"
          })[var.format]
        }
    "#};
    let made = fixed(&[("main.tf", before)], &["deprecated-syntax"], Safety::Safe);
    assert_eq!(text(&made, "main.tf"), after);
}

#[test]
fn the_first_block_behind_a_byte_order_mark_is_removed() {
    let before = "\u{feff}locals {\n  a = 1\n}\n\noutput \"o\" {\n  value = 1\n}\n";
    assert_eq!(main(before, UNUSED), "\u{feff}output \"o\" {\n  value = 1\n}\n");
}

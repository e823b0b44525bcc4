use super::*;
use indoc::indoc;

const SETTINGS: &str = r#"
    generate "provider" {
      path     = "provider.tf"
      contents = <<EOF
    provider "aws" {
      region = "${local.region}"
    }
    EOF
    }
"#;

fn units(files: &[(&str, &str)]) -> Units {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
    Units::of(&Snapshot::of_files(files.collect()))
}

/// The modules that units run, each with what is generated there; those that units may run are marked.
fn run(files: &[(&str, &str)]) -> Vec<String> {
    let units = units(files);
    let directories: BTreeSet<&str> = files
        .iter()
        .filter(|(path, _)| path.strip_suffix(".tf").is_some())
        .filter_map(|(path, _)| parent(path))
        .collect();
    let lines = directories.into_iter().filter_map(|directory| {
        let RunBy { units, may_be_run, generated } = units.that_run(directory);
        let mark = if units.is_empty() { "?" } else { "" };
        may_be_run.then(|| format!("{directory}{mark}: {}", shown(&generated)))
    });
    lines.collect()
}

fn shown(generated: &Generated) -> String {
    match (generated.is_there, generated.is_unknown) {
        (_, true) => "anything".to_owned(),
        (true, false) if generated.names.is_empty() => "settings".to_owned(),
        (true, false) => generated.names.iter().cloned().collect::<Vec<_>>().join(" "),
        (false, false) => "nothing".to_owned(),
    }
}

/// What a source leads to from `live/a`.
fn target(source: &str) -> Vec<String> {
    let unit = format!("locals {{\n  base = \"../../modules\"\n}}\nterraform {{\n  source = {source}\n}}\n");
    run(&[("live/a/terragrunt.hcl", &unit), ("modules/vpc/main.tf", ""), ("modules/net/main.tf", "")])
}

#[test]
fn a_source_leads_to_a_module() {
    for source in [
        r#""../../modules//vpc""#,
        r#""../../modules/vpc""#,
        r#""../..//modules/vpc?ref=v1""#,
        r#""${get_repo_root()}//modules/vpc""#,
        r#""${get_path_to_repo_root()}/modules//vpc""#,
        r#""git::file://${get_repo_root()}//modules/vpc?ref=main""#,
        r#""git::../..//modules/vpc?ref=${trimspace(file("ref"))}""#,
        r#""${local.base}//vpc""#,
        r#""${find_in_parent_folders("modules")}/vpc""#,
        r#""${dirname(find_in_parent_folders("modules"))}/modules/vpc""#,
        r#""${get_terragrunt_dir()}/../../modules/vpc""#,
    ] {
        assert_eq!(target(source), ["modules/vpc: nothing"], "{source}");
    }
}

#[test]
fn a_source_of_which_a_part_is_unknown_may_lead_to_some_modules() {
    assert_eq!(target(r#""${get_env("BASE")}//modules/vpc""#), ["modules/vpc?: nothing"]);
    assert_eq!(
        target(r#""git::https://example.com/this.git//modules/vpc?ref=v1""#),
        ["modules/vpc?: nothing"]
    );
    let both = ["modules/net?: nothing", "modules/vpc?: nothing"];
    assert_eq!(target(r#""../../modules/${get_env("NAME")}""#), both);
    for elsewhere in [
        r#""git::https://example.com/other.git?ref=v1""#,
        r#""tfr:///terraform-aws-modules/vpc/aws?version=3.5.0""#,
        r#""git::https://example.com/other.git//${get_env("NAME")}""#,
        r#""../../../outside""#,
    ] {
        assert_eq!(target(elsewhere), [""; 0], "{elsewhere}");
    }
}

#[test]
fn functions_of_the_engines_are_evaluated() {
    let leads_to = |locals: &str, source: &str| {
        let unit = format!("locals {{\n{locals}}}\nterraform {{\n  source = {source}\n}}\n");
        let more = r#"
            locals {
              env  = basename(get_terragrunt_dir())
              root = get_repo_root()
              up   = find_in_parent_folders("env.hcl")
            }
            inputs = {
              name = "vpc"
            }
        "#;
        run(&[
            ("live/eu/vpc/terragrunt.hcl", &unit),
            ("live/eu/env.hcl", more),
            ("live/env.hcl", ""),
            ("live/eu/vpc.yaml", "name: vpc\nparts: [modules, vpc]\n"),
            ("modules/vpc/main.tf", ""),
            ("modules/net/main.tf", ""),
            ("modules/eu/main.tf", ""),
        ])
    };
    let parts = "parts = split(\"/\", get_terragrunt_dir())\n";
    let env = "env = read_terragrunt_config(find_in_parent_folders(\"env.hcl\"))\n";
    let yaml = "yaml = yamldecode(file(find_in_parent_folders(\"vpc.yaml\")))\n";
    for (locals, source) in [
        (parts, r#""../../../modules/${element(local.parts, length(local.parts) - 1)}""#),
        (parts, r#""../../../modules/${local.parts[length(local.parts) - 1]}""#),
        (parts, r#""../../../modules/${reverse(local.parts)[0]}""#),
        (parts, r#""../../../modules/${replace("v-p-c", "-", "")}""#),
        (parts, r#"format("%s/%s", "${get_repo_root()}/modules", "vpc")"#),
        (parts, r#"join("/", [get_repo_root(), "modules", "vpc"])"#),
        (parts, r#"join("/", concat(slice(local.parts, 0, length(local.parts) - 3), ["modules", "vpc"]))"#),
        (parts, r#""${get_repo_root()}/modules/${regex("live/[a-z]+/([a-z]+)", get_terragrunt_dir())[0]}""#),
        (parts, r#""../../../modules/${true ? "vpc" : get_env("NAME")}""#),
        (parts, r#""../../../modules/${lookup({ vpc = "vpc" }, path_relative_to_include(), "vpc")}""#),
        (parts, r#""../../../modules/${basename(replace(get_terragrunt_dir(), "live", "x"))}""#),
        (env, r#""../../../modules/${local.env.inputs.name}""#),
        (env, r#""${local.env.locals.root}/modules/vpc""#),
        (env, r#""${merge(local.env.locals, {}).root}/modules/vpc""#),
        (env, r#""${dirname(local.env.locals.up)}/../modules/vpc""#),
        ("", r#""${read_terragrunt_config("../env.hcl").locals.root}/modules/vpc""#),
        (yaml, r#""../../../modules/${local.yaml.name}""#),
        (yaml, r#""../../../${join("/", local.yaml.parts)}""#),
        (yaml, r#""../../../modules/${try(local.yaml.other, "vpc")}""#),
        (yaml, r#"get_env("SOURCE", "../../../modules/vpc")"#),
    ] {
        assert_eq!(leads_to(locals, source), ["modules/vpc: nothing"], "{source}");
    }
    assert_eq!(leads_to(env, r#""../../../modules/${local.env.locals.env}""#), ["modules/eu: nothing"]);
    let all = ["modules/eu?: nothing", "modules/net?: nothing", "modules/vpc?: nothing"];
    for (locals, source) in [
        // The path of the repository can be part of these.
        (parts, r#""../../../modules/${local.parts[2]}""#),
        (parts, r#""../../../modules/${length(local.parts) == 6 ? "net" : "vpc"}""#),
        (parts, r#""../../../modules/${element(local.parts, 7)}""#),
        (parts, r#""../../../modules/${regex("[a-z]+", get_terragrunt_dir())}""#),
        (parts, r#""../../../modules/${join("", regexall("[a-z]+", get_repo_root()))}""#),
        (env, r#""../../../modules/${try(local.env.remote_state, "vpc")}""#),
        (env, r#""../../../modules/${try(get_env("NAME"), "vpc")}""#),
        (env, r#""../../../modules/${get_env("NAME", "vpc")}""#),
        (yaml, r#""../../../modules/${local.yaml.other}""#),
    ] {
        assert_eq!(leads_to(locals, source), all, "{source}");
    }
}

#[test]
fn a_configuration_that_reads_itself_ends() {
    let unit = r#"
        locals {
          a = read_terragrunt_config("${local.a.locals.path}")
          b = read_terragrunt_config("terragrunt.hcl")
          c = merge(local.b.locals, local.b)
        }
        terraform {
          source = SOURCE
        }
    "#;
    for source in ["local.a.locals.path", "local.b.locals.c.b", "local.c.x", "local.b.locals.b.locals.x"] {
        let unit = unit.replace("SOURCE", source);
        assert_eq!(units(&[("terragrunt.hcl", &unit)]).anywhere().map(shown).as_deref(), Some("nothing"));
    }
}

#[test]
fn units_whose_source_is_unknown_may_run_any_module() {
    let unit = "terraform {\n  source = get_env(\"SOURCE\")\n}\n";
    assert_eq!(units(&[("live/terragrunt.hcl", unit)]).anywhere().map(shown).as_deref(), Some("nothing"));
    let unit = format!("{unit}{SETTINGS}");
    assert_eq!(units(&[("live/terragrunt.hcl", &unit)]).anywhere().map(shown).as_deref(), Some("settings"));
}

#[test]
fn what_is_included_is_part_of_the_unit() {
    let root = r#"
        terraform {
          source = "${path_relative_from_include()}/../modules//${basename(path_relative_to_include())}"
        }
        generate "more" {
          path     = "more.tf"
          contents = file("common/more.tf")
        }
    "#;
    let unit = r#"
        include "root" {
          path = find_in_parent_folders("root.hcl")
        }
    "#;
    let files = |unit: &'static str| {
        [
            ("live/root.hcl", root),
            ("live/common/more.tf", "variable \"env\" {}\n"),
            ("live/prod/vpc/terragrunt.hcl", unit),
            ("modules/vpc/main.tf", ""),
        ]
    };
    assert_eq!(run(&files(unit)), ["live/common?: anything", "modules/vpc: var.env"]);
    let own = r#"
        include "root" {
          path           = find_in_parent_folders("root.hcl")
          merge_strategy = "no_merge"
        }
        terraform {
          source = "${get_parent_terragrunt_dir("root")}/../modules/vpc"
        }
    "#;
    assert_eq!(run(&files(own)), ["modules/vpc: nothing"]);
    let missing = r#"
        include {
          path = find_in_parent_folders("other.hcl")
        }
        terraform {
          source = "../../../modules/vpc"
        }
    "#;
    assert_eq!(run(&files(missing)), ["modules/vpc: anything"]);
}

#[test]
fn a_local_of_an_included_file_is_known() {
    let common = "locals {\n  base = \"${get_repo_root()}/modules\"\n}\n";
    let unit = r#"
        include "common" {
          path   = "${get_terragrunt_dir()}/../common.hcl"
          expose = true
        }
        terraform {
          source = "${include.common.locals.base}//vpc"
        }
    "#;
    let files = [("live/common.hcl", common), ("live/a/terragrunt.hcl", unit), ("modules/vpc/main.tf", "")];
    assert_eq!(run(&files), ["modules/vpc: nothing"]);
}

#[test]
fn a_directory_may_be_unit_and_module() {
    let unit = "terraform {\n  source = \".\"\n}\n";
    for unit in ["", unit] {
        let files = [("live/a/terragrunt.hcl", unit), ("live/a/main.tf", "")];
        assert_eq!(run(&files), ["live/a: nothing"], "{unit}");
    }
    let unit = "terraform {\n  source = \"../../modules/vpc\"\n}\n";
    let files = [("live/a/terragrunt.hcl", unit), ("live/a/more.tf", ""), ("modules/vpc/main.tf", "")];
    assert_eq!(run(&files), ["live/a?: anything", "modules/vpc: anything"], "the files are copied");
}

#[test]
fn a_unit_in_json_is_read_unless_there_is_one_in_native_syntax() {
    let json = r#"{"terraform": {"source": "../modules//vpc"}}"#;
    let module = ("modules/vpc/main.tf", "");
    assert_eq!(run(&[("live/terragrunt.hcl.json", json), module]), ["modules/vpc: nothing"]);
    assert_eq!(run(&[("live/terragrunt.hcl.json", json), ("live/terragrunt.hcl", ""), module]), [""; 0]);
}

#[test]
fn what_is_generated_is_known_as_far_as_it_is_written_out() {
    let generated = |path: &str, contents: &str| {
        let unit = format!(
            r#"
            terraform {{
              source = "../m"
            }}
            locals {{
              text  = "provider \"x\" {{}}"
              extra = get_env("EXTRA")
            }}
            generate "g" {{
              path     = "{path}"
              contents = {contents}
            }}
            "#
        );
        let template = "%{ for name in names }\nprovider \"${name}\" {}\n%{ endfor }\n";
        let files = [("live/terragrunt.hcl", unit.as_str()), ("live/x.tpl", template), ("m/main.tf", "")];
        shown(&units(&files).that_run("m").generated)
    };
    assert_eq!(generated("x.tf", "local.text"), "settings");
    assert_eq!(generated("x.tf", r#""${local.text}\n""#), "settings");
    assert_eq!(generated("x.tf", r#""${local.text}\n${local.extra}\n""#), "anything");
    assert_eq!(generated("x.tf", "local.extra"), "anything");
    assert_eq!(generated("x.tf", r#"templatefile("x.tpl", { names = [] })"#), "settings");
    assert_eq!(generated("x.tf", r#"file("gone.tpl")"#), "anything");
    assert_eq!(generated("x.tf.json", r#""{}""#), "anything");
    assert_eq!(generated("x.auto.tfvars", "local.extra"), "nothing");
    assert_eq!(generated("x_override.tf", "local.text"), "settings");
    assert_eq!(generated("x_override.tf", r#""module \"m\" {}""#), "anything");
    assert_eq!(generated("x.tf", r#"join("\n", ["module \"m\" {}", local.text])"#), "module.m");
}

#[test]
fn locals_that_refer_to_each_other_end() {
    let local = |n: u32| format!("l{n} = \"${{local.l{next}}}${{local.l{next}}}\"\n", next = n + 1);
    let doubling = (0..40).map(local).collect::<Vec<_>>().concat();
    let unit = format!("locals {{\na = local.b\nb = local.a\n{doubling}}}\nterraform {{\n  source = ");
    for source in ["local.a", "local.l0"] {
        let unit = format!("{unit}{source}\n}}\n");
        assert_eq!(units(&[("terragrunt.hcl", &unit)]).anywhere().map(shown).as_deref(), Some("nothing"));
    }
}

#[test]
fn a_change_concerns_the_modules_of_the_units_that_read_a_file() {
    let unit = indoc! {r#"
        include {
          path = find_in_parent_folders("root.hcl")
        }
        terraform {
          source = "../../m"
        }
    "#};
    let units = units(&[("live/root.hcl", ""), ("live/a/terragrunt.hcl", unit), ("m/main.tf", "")]);
    let touched = |path: &str| units.touched_by(&[path.to_owned()].into());
    assert_eq!(touched("live/root.hcl"), ["m".to_owned()].into());
    assert_eq!(touched("live/a/terragrunt.hcl"), ["m".to_owned()].into());
    assert_eq!(touched("m/main.tf"), [].into(), "which is no file of Terragrunt");
}

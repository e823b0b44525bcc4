//! Changes that move existing resources to other provider configurations.

use crate::place::Place;
use indoc::indoc;

const MODULE: &str = r#"terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

resource "aws_sns_topic" "a" {}

resource "aws_sns_topic" "b" {}
"#;

/// A root module with two configurations, one of which it passes.
fn root(map: &str) -> String {
    format!(
        r#"terraform {{
  required_providers {{
    aws = {{
      source = "hashicorp/aws"
    }}
  }}
}}

provider "aws" {{
  region = "eu-central-1"
}}

provider "aws" {{
  alias  = "west"
  region = "us-west-2"
}}

module "net" {{
  source = "../../modules/net"
{map}}}
"#
    )
}

const PASSED: &str = "  providers = {\n    aws = aws.west\n  }\n";

fn place() -> Place {
    Place::committed(&[
        ("modules/topics/main.tf", MODULE),
        ("modules/net/main.tf", "module \"topics\" {\n  source = \"../topics\"\n}\n"),
        ("live/a/main.tf", &root(PASSED)),
        ("live/b/main.tf", &root(PASSED)),
    ])
}

/// The findings of the two rules in the staged change, with details.
fn found(place: &Place) -> Vec<String> {
    let output = place.overrule(&["check", "--changed", "--format", "concise"]);
    let lines = output.out.lines().filter(|line| line.contains("[provider-configuration-"));
    lines.map(str::to_owned).collect()
}

#[test]
fn a_dropped_map_moves_all_resources_below_the_call() {
    let place = place();
    place.stage("live/a/main.tf", root(""));
    assert_eq!(
        found(&place),
        ["live/a/main.tf:18:1: error: Resources move to another provider configuration \
          [provider-configuration-swapped]"]
    );
    let output = place.overrule(&["check", "--changed", "--format", "json"]);
    assert!(
        output.out.contains(
            "`module.net.module.topics.aws_sns_topic.a`, `module.net.module.topics.aws_sns_topic.b`"
        ),
        "{}",
        output.out
    );
}

#[test]
fn a_cause_in_a_module_of_several_roots_is_reported_once() {
    let place = place();
    let own = format!("{MODULE}\nprovider \"aws\" {{\n  region = \"ap-south-1\"\n}}\n");
    place.stage("modules/topics/main.tf", own);
    assert_eq!(
        found(&place),
        ["modules/topics/main.tf:13:1: error: Resources move to another provider configuration \
          [provider-configuration-swapped]"]
    );
    let output = place.overrule(&["check", "--changed", "--format", "json"]);
    assert!(output.out.contains("This change moves 4 resources"), "{}", output.out);
}

#[test]
fn names_of_files_directories_calls_and_aliases_change_nothing() {
    let nothing: [String; 0] = [];
    let place = place();
    place.git(&["mv", "live/a/main.tf", "live/a/all.tf"]);
    place.git(&["mv", "modules/topics", "modules/sns"]);
    place.stage("modules/net/main.tf", "module \"topics\" {\n  source = \"../sns\"\n}\n");
    let renamed = root(PASSED).replace("west\"", "oregon\"").replace("aws.west", "aws.oregon");
    let moved = indoc! {"

        moved {
          from = module.net
          to   = module.network
        }
    "};
    place.stage("live/b/main.tf", renamed.replace("module \"net\"", "module \"network\"") + moved);
    assert_eq!(found(&place), nothing);
}

#[test]
fn a_region_of_existing_resources_changes() {
    let place = place();
    place.stage("live/a/main.tf", root(PASSED).replace("us-west-2", "us-west-1"));
    assert_eq!(
        found(&place),
        ["live/a/main.tf:13:1: warning: Provider configuration of existing resources changes \
          [provider-configuration-changed]"]
    );
    place.commit("moved");
    place.stage(
        "live/a/main.tf",
        root(PASSED).replace("us-west-2", "us-west-1").replace("eu-central-1", "eu-west-1"),
    );
    let nothing: [String; 0] = [];
    assert_eq!(found(&place), nothing, "nothing uses the default configuration");
}

#[test]
fn resources_without_instances_do_not_move() {
    let text = |count: &str, provider: &str| {
        let resource = format!("resource \"aws_sns_topic\" \"a\" {{\n{count}{provider}  name = \"a\"\n}}\n");
        root("").split("module \"net\"").next().map(|providers| providers.to_owned() + &resource)
    };
    for (count, expected) in [("", 1), ("  count = 0\n", 0), ("  for_each = {}\n", 0), ("  count = 2\n", 1)] {
        let before = text(count, "").expect("the root module calls a module");
        let place = Place::committed(&[("live/a/main.tf", &before)]);
        place.stage("live/a/main.tf", text(count, "  provider = aws.west\n").expect("as before"));
        assert_eq!(found(&place).len(), expected, "{count}: {:?}", found(&place));
    }
}

/// The two calls of terraform-aws-eks that pass an alias lead to modules of the registry.
#[test]
fn an_entry_for_a_module_of_the_registry_is_exchanged() {
    let root = |passed: &str| {
        root("").replace(
            "  source = \"../../modules/net\"\n",
            &format!(
                "  source  = \"terraform-aws-modules/vpc/aws\"\n  version = \"6.0.1\"\n\n  providers = {{\n    aws = {passed}\n  }}\n"
            ),
        )
    };
    let place = Place::committed(&[("live/a/main.tf", &root("aws.west"))]);
    place.stage("live/a/main.tf", root("aws"));
    assert_eq!(
        found(&place),
        ["live/a/main.tf:23:11: error: Resources move to another provider configuration \
          [provider-configuration-swapped]"]
    );
    let output = place.overrule(&["check", "--changed", "--format", "json"]);
    assert!(
        output.out.contains("This change moves the resources of 1 module outside this repository from"),
        "{}",
        output.out
    );
}

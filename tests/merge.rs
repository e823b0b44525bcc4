//! Compares merged modules with the expected text.

use indoc::indoc;
use overrule::check::Analysis;
use overrule::engine::Choice;
use overrule::policy::Policy;
use overrule::report::PathStyle;
use overrule::report::merged::{self, MergeStyle};
use overrule::vfs::Snapshot;

const STYLE: MergeStyle = MergeStyle {
    comments: true,
    color: false,
    unicode: true,
    only: None,
    names: PathStyle::Inside(String::new()),
};

/// The module at the top of some files, as an engine merges it.
fn merge(engine: &str, files: &[(&str, &str)], style: &MergeStyle) -> String {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
    let mut snapshot = Snapshot::of_files(files);
    let engine = Choice::parse(engine).expect("an engine");
    let analysis = Analysis::of(&mut snapshot, Some(&engine), &Policy::default());
    let view = analysis.views().next().expect("one engine");
    let node = view.modules().find(|node| node.module().directory.is_empty()).expect("a module");
    let merged = view.merged(node, &snapshot);
    merged::text(node.module(), &merged, snapshot.sources(), style)
}

/// The result of `main.tf` with `a_override.tf`, without the heading.
fn merged(main: &str, over: &str) -> String {
    let text = merge("terraform@1.11", &[("main.tf", main), ("a_override.tf", over)], &STYLE);
    text.strip_prefix("# main.tf\n\n").unwrap_or(&text).to_owned()
}

#[test]
fn nothing_else_is_touched() {
    let main = indoc! {r#"
        /* A. */
        resource "a" "b" {
           x=1 // odd


           y =  2
           z = 3 }
    "#};
    let over = "resource \"a\" \"b\" { y = 4 }\n";
    assert_eq!(
        merged(main, over),
        main.replace("y =  2", "y =  4 # from a_override.tf:1, was 2 in main.tf:6")
    );
}

#[test]
fn an_argument_takes_the_place_of_another() {
    let main = indoc! {r#"
        resource "aws_instance" "web" {
          instance_type = "t2.micro" # cheap
          ami           = "ami-408c7f28"
        }
    "#};
    let over = indoc! {r#"
        resource "aws_instance" "web" {
          ami = "foo"
          instance_type="t3"
        }
    "#};
    assert_eq!(
        merged(main, over),
        indoc! {r#"
            resource "aws_instance" "web" {
              instance_type = "t3"  # from a_override.tf:3, was "t2.micro" in main.tf:2
              ami           = "foo" # from a_override.tf:2, was "ami-408c7f28" in main.tf:3
            }
        "#}
    );
}

#[test]
fn values_of_several_lines_have_their_origin_above_them() {
    let main = indoc! {r#"
        resource "a" "b" {
          tags = { a = 1 } # one
          x    = 1
        }
    "#};
    let over = indoc! {r#"
          resource "a" "b" {
              tags = {
                b = 2
              }
            x = <<EOT
          a
        EOT
          }
    "#};
    assert_eq!(
        merged(main, over),
        indoc! {r#"
            resource "a" "b" {
              # from a_override.tf:2, was { a = 1 } in main.tf:2
              tags = {
                b = 2
              }
              # from a_override.tf:5, was 1 in main.tf:3
              x = <<EOT
              a
            EOT
            }

            # Left out:
            # - main.tf:2: `tags.a` of a.b: replaced as a whole by a_override.tf:2
        "#}
    );
}

#[test]
fn a_comment_behind_a_value_goes_with_the_value() {
    let main = "resource \"a\" \"b\" {\n  x = 1 # one\n}\n";
    let over = indoc! {r#"
        resource "a" "b" {
          x = <<EOT
        a
        EOT
        }
    "#};
    assert_eq!(
        merged(main, over),
        indoc! {r#"
            resource "a" "b" {
              # from a_override.tf:2, was 1 in main.tf:2
              x = <<EOT
            a
            EOT
            }
        "#}
    );
}

#[test]
fn new_arguments_have_a_place_of_their_own() {
    let main = indoc! {r#"
        resource "a" "b" {
          x = 1

          c {}
        }

        resource "a" "c" {}
        resource "a" "d" { x = 1 }
        resource "a" "e" {
          c {}
        }
    "#};
    let over = indoc! {r#"
        resource "a" "b" {
          count = 2
          name = "n"
        }
        resource "a" "c" { y = 1 }
        resource "a" "d" {
          y = [
            1,
          ]
        }
        resource "a" "e" { y = 1 }
    "#};
    assert_eq!(
        merged(main, over),
        "resource \"a\" \"b\" {
  count = 2 # from a_override.tf:2

  x    = 1
  name = \"n\" # from a_override.tf:3

  c {}
}

resource \"a\" \"c\" {
  y = 1 # from a_override.tf:5
}
resource \"a\" \"d\" {
  x = 1
  # from a_override.tf:7
  y = [
    1,
  ]
}
resource \"a\" \"e\" {
  y = 1 # from a_override.tf:11

  c {}
}
"
    );
}

#[test]
fn nested_blocks_are_replaced_as_a_whole() {
    let main = indoc! {r#"
        resource "a" "b" {
          x = 1

          disk {
            n = 1
          }

          net {
            n = 1
          }
          disk {
            n = 2
          }
        }
    "#};
    let over = indoc! {r#"
        resource "a" "b" {
          dynamic "disk" {
            for_each = []
            content {
            }
          }
          provisioner "local-exec" { command = "x" }
        }
    "#};
    assert_eq!(
        merged(main, over),
        indoc! {r#"
            resource "a" "b" {
              x = 1

              dynamic "disk" { # from a_override.tf:2, replaces main.tf:4 and 1 more
                for_each = []
                content {
                }
              }

              net {
                n = 1
              }

              provisioner "local-exec" { command = "x" } # from a_override.tf:7
            }

            # Left out:
            # - main.tf:4: `disk` of a.b: replaced as a whole by a_override.tf:2
            # - main.tf:11: `disk` of a.b: replaced as a whole by a_override.tf:2
        "#}
    );
}

#[test]
fn a_lifecycle_is_merged_argument_by_argument() {
    let main = indoc! {r#"
        resource "a" "b" {
          lifecycle {
            ignore_changes  = [tags]
            prevent_destroy = true
          }
        }
        resource "a" "c" {
          lifecycle { ignore_changes = all }
        }
        resource "a" "d" {}
    "#};
    let over = indoc! {r#"
        resource "a" "b" {
          lifecycle {
            create_before_destroy = true
            prevent_destroy = false
            ignore_changes = []
            replace_triggered_by = [a.c]
          }
        }
        resource "a" "c" {
          lifecycle {
            ignore_changes = [x]
          }
        }
        resource "a" "d" {
          depends_on = [a.c]
          lifecycle {
            prevent_destroy = true
            replace_triggered_by = [a.c]
            precondition {
              condition = true
              error_message = "No."
            }
          }
        }
    "#};
    assert_eq!(
        merged(main, over),
        indoc! {r#"
            resource "a" "b" {
              lifecycle {
                ignore_changes        = [tags]
                prevent_destroy       = false # from a_override.tf:4, was true in main.tf:4
                create_before_destroy = true  # from a_override.tf:3
              }
            }
            resource "a" "c" {
              lifecycle { ignore_changes = all }
            }
            resource "a" "d" {
              lifecycle { # from a_override.tf:16
                prevent_destroy = true
              }
            }

            # Left out:
            # - a_override.tf:5: `ignore_changes` of a.b: an empty value in an override file replaces nothing
            # - a_override.tf:6: `replace_triggered_by` of a.b: Terraform ignores it in override files
            # - a_override.tf:11: `ignore_changes` of a.c: a list does not replace `all`
            # - a_override.tf:15: `depends_on` of a.d: Terraform rejects it in override files
            # - a_override.tf:18: `replace_triggered_by` of a.d: Terraform ignores it in override files
            # - a_override.tf:19: `precondition` of a.d: Terraform rejects it in override files
        "#}
    );
}

#[test]
fn later_files_are_laid_over_earlier_ones() {
    let files = [
        (
            "main.tf",
            indoc! {r#"
                locals { a = 1 }
                resource "a" "b" {
                  x = 1
                }
            "#},
        ),
        (
            "a_override.tf",
            indoc! {r#"
                locals { a = 2 }
                resource "a" "b" {
                  x = 2
                  disk { n = 2 }
                }
            "#},
        ),
        (
            "b_override.tf",
            indoc! {r#"
                locals { a = 3 }
                resource "a" "b" {
                  x = 3
                  disk { n = 3 }
                }
            "#},
        ),
    ];
    assert_eq!(
        merge("terraform@1.11", &files, &STYLE),
        indoc! {r#"
            # main.tf

            locals { a = 3 } # from b_override.tf:1, was 2 in a_override.tf:1, 1 in main.tf:1
            resource "a" "b" {
              x = 3 # from b_override.tf:3, was 2 in a_override.tf:3, 1 in main.tf:3

              disk { n = 3 } # from b_override.tf:4, replaces a_override.tf:4
            }

            # Left out:
            # - a_override.tf:4: `disk` of a.b: replaced as a whole by b_override.tf:4
        "#}
    );
}

#[test]
fn repeated_values_are_distinguished_from_changed_ones() {
    let text = merged("locals {\n  a = [1]\n}\n", "locals { a = [1] }\n");
    assert_eq!(text, "locals {\n  a = [1] # from a_override.tf:1, as in main.tf:2\n}\n");
}

#[test]
fn settings_are_merged_one_by_one() {
    let main = indoc! {r#"
        terraform {
          required_version = ">= 1.1"
        }
        terraform {
          required_version = ">= 1.2"

          required_providers {
            a = {
              source  = "x/a"
              version = "1.0"
            }
          }

          cloud {
            organization = "o"
          }
        }
    "#};
    let over = indoc! {r#"
        terraform {
          required_version = ">= 1.3"
          experiments = []
          required_providers {
            a = { version = "2.0" }
            b = "3.0"
          }
          backend "local" {}
          provider_meta "a" {}
        }
    "#};
    assert_eq!(
        merged(main, over),
        "terraform {
  required_version = \">= 1.3\" # from a_override.tf:2, was \">= 1.1\" in main.tf:2
}
terraform {
  required_providers {
    a = { version = \"2.0\" } # from a_override.tf:5, was { source = \"x/a\", version = \"1.0\" } in main.tf:8
    b = \"3.0\"               # from a_override.tf:6
  }

  backend \"local\" {} # from a_override.tf:8, replaces main.tf:14
}

# Left out:
# - main.tf:5: `required_version` of terraform: replaced as a whole by a_override.tf:2
# - main.tf:9: `a.source` of terraform: replaced as a whole by a_override.tf:5
# - main.tf:14: `cloud` of terraform: replaced as a whole by a_override.tf:8
# - a_override.tf:3: `experiments` of terraform: Terraform ignores it in override files
# - a_override.tf:9: `provider_meta \"a\"` of terraform: Terraform ignores it in override files
"
    );
}

#[test]
fn settings_that_no_file_has_find_a_place() {
    let over = indoc! {r#"
        terraform {
          required_version = ">= 1.3"
          backend "local" {}
        }
        provider "a" {
          x = 1
        }
    "#};
    assert_eq!(
        merged("locals {}\n", over),
        "locals {}

# a_override.tf

terraform { # from a_override.tf:1
  required_version = \">= 1.3\"
  backend \"local\" {}
}

provider \"a\" { # from a_override.tf:5
  x = 1
}
"
    );
    assert_eq!(
        merged("terraform {}\n", "terraform {\n  backend \"local\" {}\n}\n"),
        "terraform {\n  backend \"local\" {} # from a_override.tf:2\n}\n"
    );
}

#[test]
fn a_default_is_written_as_it_was_converted() {
    let main = indoc! {r#"
        variable "a" {
          type    = string
          default = 1
        }
        variable "b" {
          type    = object({ x = optional(string, "d") })
          default = {}
        }
        variable "c" {
          type = string
        }
    "#};
    let over = indoc! {r#"
        variable "a" { type = bool }
        variable "b" {
          type = object({
            x = optional(string)
            y = optional(number, 2)
          })
        }
        variable "c" { default = "x" }
    "#};
    assert_eq!(
        merged(main, over),
        "variable \"a\" {
  type    = bool # from a_override.tf:1, was string in main.tf:2
  default = true # converted from 1
}
variable \"b\" {
  type    = object({ x = optional(string, \"d\"), y = optional(number) }) # from a_override.tf:3, with the defaults of optional attributes from main.tf:6, was object({ x = optional(string, \"d\") }) in main.tf:6
  default = {}
}
variable \"c\" {
  type    = string
  default = \"x\" # from a_override.tf:8
}
"
    );
}

#[test]
fn calls_lose_what_the_module_does_not_know() {
    let main = indoc! {r#"
        module "m" {
          source = "./m"
          a      = 1
          oops   = 2

          for_each = {}
        }
        module "n" {
          source = "./m"
          oops   = 2
        }
    "#};
    let over = indoc! {r#"
        module "m" {
          count = 2
          providers = {}
          depends_on = []
        }
    "#};
    let files = [("main.tf", main), ("a_override.tf", over), ("m/main.tf", "variable \"a\" {}\n")];
    assert_eq!(
        merge("terraform@1.11", &files, &STYLE),
        indoc! {r#"
            # main.tf

            module "m" {
              count = 2 # from a_override.tf:2

              source = "./m"
              a      = 1
            }
            module "n" {
              source = "./m"
              oops   = 2
            }

            # Left out:
            # - main.tf:4: `oops` of module.m: the child module has no such variable; Terraform drops it because the call has an override
            # - main.tf:6: `for_each` of module.m: `count` is also set, and takes precedence
            # - a_override.tf:3: `providers` of module.m: an empty value in an override file replaces nothing
            # - a_override.tf:4: `depends_on` of module.m: an empty value in an override file replaces nothing
        "#}
    );
}

#[test]
fn blocks_without_a_base_are_left_out() {
    let over = indoc! {r#"
        resource "a" "b" {}
        moved {
          from = a.b
          to   = a.c
        }
        removed {
          from = a.x
        }
        locals { x = 1 }
        ephemeral "a" "b" {}
        variable "v" {
          validation {
            condition     = true
            error_message = "No."
          }
        }
    "#};
    assert_eq!(
        merged("variable \"v\" {}\n", over),
        "variable \"v\" {}

# Left out:
# - a_override.tf:1: `a.b`: it has no base block
# - a_override.tf:2: `moved`: Terraform rejects it in override files
# - a_override.tf:6: `removed`: Terraform ignores it in override files
# - a_override.tf:9: `x` of local.x: it has no base block
# - a_override.tf:10: `ephemeral.a.b`: Terraform ignores it in override files
# - a_override.tf:12: `validation` of variable.v: Terraform rejects it in override files
"
    );
}

#[test]
fn a_data_source_in_a_check_has_overrides_too() {
    let main = indoc! {r#"
        check "c" {
          data "d" "n" {
            x = 1
          }

          assert {
            condition     = true
            error_message = "No."
          }
        }
    "#};
    let text = merged(main, "data \"d\" \"n\" { x = 2 }\n");
    assert_eq!(text, main.replace("x = 1", "x = 2 # from a_override.tf:1, was 1 in main.tf:3"));
}

#[test]
fn a_provider_block_with_an_override_is_taken_for_an_empty_one() {
    let files = [
        ("main.tf", "provider \"a\" {\n  x = 1\n}\n"),
        ("a_override.tf", "provider \"a\" { x = 2 }\n"),
        ("root/main.tf", "module \"m\" {\n  source = \"../\"\n}\n"),
    ];
    let text = merge("terraform@1.11", &files, &STYLE);
    let told = "# Left out:
# - main.tf:1: `provider \"a\"` of provider.a: remains, but Terraform treats the block as empty, because it has an override
";
    assert!(text.ends_with(told), "{text}");
}

#[test]
fn json_is_written_in_the_native_syntax() {
    let main = r#"{
  "//": "Made by a program.",
  "variable": {"v": {"type": "list(string)", "default": ["a", "b\n"]}},
  "resource": {"aws_instance": {"web": {
    "//": "The server.",
    "ami": "${var.ami}",
    "name": "web-${var.v[0]}\t\"$${x}\" %{ if true }y%{ else }n%{ endif }",
    "tags": {"Name": "x", "a b": "${1 + 1}"},
    "count": 2,
    "monitoring": true,
    "user_data": null,
    "ebs_block_device": [{"size": 1}, {"size": 2}],
    "depends_on": ["aws_vpc.main"],
    "lifecycle": {"ignore_changes": ["tags[\"x\"]"]},
    "provisioner": [{"local-exec": {"command": "echo", "when": "destroy"}}]
  }}},
  "module": {"m": {"source": "./m", "providers": {"aws.a": "aws.b"}}},
  "terraform": {"required_providers": {"aws": {"source": "hashicorp/aws", "configuration_aliases": ["aws.b"]}}},
  "locals": {"l": "${[\n1]}"}
}
"#;
    let files =
        [("main.tf.json", main), ("a_override.tf", "resource \"aws_instance\" \"web\" { ami = \"foo\" }\n")];
    assert_eq!(
        merge("terraform@1.11", &files, &STYLE),
        r#"# main.tf.json

variable "v" {
  type    = list(string)
  default = ["a", "b\n"]
}

resource "aws_instance" "web" {
  # The server.
  ami  = "foo" # from a_override.tf:1, was var.ami in main.tf.json:6
  name = "web-${var.v[0]}\t\"$${x}\" %{ if true }y%{ else }n%{ endif }"
  tags = {
    Name  = "x"
    "a b" = 1 + 1
  }
  count      = 2
  monitoring = true
  user_data  = null
  depends_on = [aws_vpc.main]

  ebs_block_device {
    size = 1
  }

  ebs_block_device {
    size = 2
  }

  lifecycle {
    ignore_changes = [tags["x"]]
  }

  provisioner "local-exec" {
    command = "echo"
    when    = destroy
  }
}

module "m" {
  source = "./m"
  providers = {
    aws.a = aws.b
  }
}

terraform {
  required_providers {
    aws = {
      source                = "hashicorp/aws"
      configuration_aliases = [aws.b]
    }
  }
}

locals {
  l = ([
1])
}
"#
    );
}

#[test]
fn hostile_text_writes_no_escapes() {
    let main = "# \u{1b}[31mred\n##[error]x\nlocals {\n  a = \"\u{1b}\u{2}x\u{3}\u{202e}\"\n  b = <<EOT\n::error::x\nEOT\n}\n";
    let over = "locals {\n  a = \"\u{9b}y\" /* \u{1b} */\n}\n";
    let text = merged(main, over);
    assert!(!text.contains(|c: char| c != '\n' && c.is_control()), "{text:?}");
    assert_eq!(
        text,
        indoc! {r#"
            # ?[31mred
            #?[error]x
            locals {
              a = "\u009by" # from a_override.tf:2, was "\u001b\u0002x\u0003\u202e" in main.tf:4
              b = <<EOT
            ${"\u003a"}:error::x
            EOT
            }
        "#}
    );
}

#[test]
fn line_breaks_stay_what_they_are() {
    let main = "\u{feff}locals {\r\n  a = 1 # x\r\n}\r\n";
    let files = [("main.tf", main), ("a_override.tf", "locals { a = 2 }\n")];
    let style = MergeStyle { comments: false, ..STYLE };
    assert_eq!(merge("terraform@1.11", &files, &style), "locals {\r\n  a = 2\r\n}\r\n");
}

#[test]
fn opentofu_merges_in_its_own_way() {
    let main = indoc! {r#"
        terraform {
          encryption {
            method "m" "a" {
              keys = 1
            }
            state {
              method   = method.m.a
              enforced = true
            }
          }
        }
        ephemeral "a" "b" {
          x = 1
        }
    "#};
    let over = indoc! {r#"
        terraform {
          encryption {
            method "m" "a" {
              keys = 2
            }
            method "m" "b" {}
            state {
              enforced = false
            }
          }
        }
        ephemeral "a" "b" { x = 2 }
        removed {
          from = a.c
        }
    "#};
    let files = [("main.tf", main), ("a_override.tf", over)];
    assert_eq!(
        merge("opentofu@1.11", &files, &STYLE),
        "# main.tf

terraform {
  encryption {
    method \"m\" \"a\" {
      keys = 2 # from a_override.tf:4, was 1 in main.tf:4
    }
    state {
      method   = method.m.a
      enforced = true
    }

    method \"m\" \"b\" {} # from a_override.tf:6
  }
}
ephemeral \"a\" \"b\" {
  x = 2 # from a_override.tf:12, was 1 in main.tf:13
}

# Left out:
# - a_override.tf:8: `enforced` of terraform: `true` in another file remains
# - a_override.tf:13: `removed`: OpenTofu rejects it in override files
"
    );
}

#[test]
fn a_single_block_can_be_selected() {
    let files = [
        (
            "main.tf",
            indoc! {r#"
                # A.
                locals {
                  a = 1
                  b = 2
                }
                resource "a" "b" {
                  x = 1
                }
                provider "p" {
                  alias = "q"
                }
            "#},
        ),
        (
            "a_override.tf",
            indoc! {r#"
                locals { b = 3 }
                resource "a" "b" {
                  x = 2
                  depends_on = [a.c]
                }
            "#},
        ),
    ];
    let only = |address: &str| {
        merge("terraform@1.11", &files, &MergeStyle { only: Some(address.to_owned()), ..STYLE })
    };
    assert_eq!(
        only("local.b"),
        indoc! {"
            # main.tf

            locals {
              b = 3 # from a_override.tf:1, was 2 in main.tf:4
            }
        "}
    );
    assert_eq!(
        only("a.b"),
        indoc! {r#"
            # main.tf

            resource "a" "b" {
              x = 2 # from a_override.tf:3, was 1 in main.tf:7
            }

            # Left out:
            # - a_override.tf:4: `depends_on` of a.b: Terraform rejects it in override files
        "#}
    );
    assert_eq!(
        only("provider.p.q"),
        indoc! {r#"
            # main.tf

            provider "p" {
              alias = "q"
            }
        "#}
    );
}

#[test]
fn what_is_broken_is_printed_as_it_is() {
    let main = "locals {\n  a = 1\n  b = \n}\nlocals {\n  c = 1\n";
    let text = merged(
        main,
        indoc! {"
            locals {
              a = 2
              c = 2
            }
            locals }
        "},
    );
    assert!(text.starts_with("locals {\n  a = 2 # from"), "{text}");
}

#[test]
fn two_blocks_of_one_file_repeat_a_call_in_one_way() {
    let main = "module \"m\" {\n  source = \"./m\"\n}\n";
    let over = indoc! {r#"
        module "m" {
          for_each = toset(["a"])
        }
        module "m" {
          count = 2
        }
    "#};
    assert_eq!(
        merged(main, over),
        indoc! {r#"
            module "m" {
              count = 2 # from a_override.tf:5

              source = "./m"
            }

            # Left out:
            # - a_override.tf:2: `for_each` of module.m: `count` is also set, and takes precedence
        "#}
    );
    // In one block the engine refuses them, so both stay.
    let both = indoc! {r#"
        resource "a" "b" {
          count    = 2
          for_each = {}
        }
    "#};
    assert_eq!(merged(both, "resource \"a\" \"b\" {\n  x = 1\n}\n").matches("for_each").count(), 1);
}

#[test]
fn an_argument_that_the_engine_does_not_know_is_refused() {
    let over = r#"resource "a" "b" {
  lifecycle {
    enabled = false
  }
}
"#;
    let files = [("main.tf", "resource \"a\" \"b\" {}\n"), ("a_override.tf", over)];
    for (engine, why) in [
        ("terraform@1.15", "Terraform rejects it in override files"),
        ("opentofu@1.12", "OpenTofu ignores it in override files"),
    ] {
        let text = merge(engine, &files, &STYLE);
        let dropped = format!("# - a_override.tf:3: `enabled` of a.b: {why}\n");
        assert!(text.ends_with(&dropped), "{engine}: {text}");
    }
}

#[test]
fn requirements_in_several_blocks_go_into_one() {
    let main = r#"terraform {
  required_providers {
    a = { source = "x/a" }
  }
}
"#;
    let over = r#"terraform {
  required_providers {
    a = "1.0"
  }
  required_providers {
    a = "2.0"
    b = "3.0"
  }
}
"#;
    assert_eq!(
        merged(main, over),
        r#"terraform {
  required_providers {
    a = "2.0" # from a_override.tf:6, was "1.0" in a_override.tf:3, { source = "x/a" } in main.tf:3
    b = "3.0" # from a_override.tf:7
  }
}

# Left out:
# - main.tf:3: `a.source` of terraform: replaced as a whole by a_override.tf:6
"#
    );
}

#[test]
fn of_two_places_for_the_state_only_the_last_one_stays() {
    let over = r#"terraform {
  cloud {
    organization = "o"
  }
}
"#;
    let files = [
        ("main.tf", "locals {}\n"),
        ("a_override.tf", over),
        ("b_override.tf", "terraform {\n  backend \"local\" {}\n}\n"),
    ];
    assert_eq!(
        merge("terraform@1.11", &files, &STYLE),
        r#"# main.tf

locals {}

# b_override.tf

terraform { # from b_override.tf:1
  backend "local" {}
}

# Left out:
# - a_override.tf:2: `cloud` of terraform: replaced as a whole by b_override.tf:2
"#
    );
}

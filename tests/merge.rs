//! Compares merged modules with the expected text.

use overrule::check::Analysis;
use overrule::engine::Choice;
use overrule::policy::Policy;
use overrule::report::Names;
use overrule::report::merged::{self, MergeStyle};
use overrule::vfs::Snapshot;

const STYLE: MergeStyle = MergeStyle {
    comments: true,
    color: false,
    unicode: true,
    only: None,
    names: Names::Inside(String::new()),
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
    let main = "/* A. */\nresource \"a\" \"b\" {\n   x=1 // odd\n\n\n   y =  2\n   z = 3 }\n";
    let over = "resource \"a\" \"b\" { y = 4 }\n";
    assert_eq!(
        merged(main, over),
        main.replace("y =  2", "y =  4 # from a_override.tf:1, was 2 in main.tf:6")
    );
}

#[test]
fn an_argument_takes_the_place_of_another() {
    let main = "resource \"aws_instance\" \"web\" {\n  instance_type = \"t2.micro\" # cheap\n  ami           = \"ami-408c7f28\"\n}\n";
    let over = "resource \"aws_instance\" \"web\" {\n  ami = \"foo\"\n  instance_type=\"t3\"\n}\n";
    assert_eq!(
        merged(main, over),
        "resource \"aws_instance\" \"web\" {
  instance_type = \"t3\"  # cheap # from a_override.tf:3, was \"t2.micro\" in main.tf:2
  ami           = \"foo\" # from a_override.tf:2, was \"ami-408c7f28\" in main.tf:3
}
"
    );
}

#[test]
fn values_of_several_lines_have_their_origin_above_them() {
    let main = "resource \"a\" \"b\" {\n  tags = { a = 1 } # kept\n  x    = 1\n}\n";
    let over =
        "  resource \"a\" \"b\" {\n      tags = {\n        b = 2\n      }\n    x = <<EOT\n  a\nEOT\n  }\n";
    assert_eq!(
        merged(main, over),
        "resource \"a\" \"b\" {
  # from a_override.tf:2, was { a = 1 } in main.tf:2
  tags = {
    b = 2
  } # kept
  # from a_override.tf:5, was 1 in main.tf:3
  x = <<EOT
  a
EOT
}

# Left out:
# - main.tf:2: `tags.a` of a.b: replaced as a whole by a_override.tf:2
"
    );
}

#[test]
fn a_comment_behind_a_value_goes_above_a_heredoc() {
    let main = "resource \"a\" \"b\" {\n  x = 1 # kept\n}\n";
    let over = "resource \"a\" \"b\" {\n  x = <<EOT\na\nEOT\n}\n";
    assert_eq!(
        merged(main, over),
        "resource \"a\" \"b\" {\n  # kept\n  # from a_override.tf:2, was 1 in main.tf:2\n  x = <<EOT\na\nEOT\n}\n"
    );
}

#[test]
fn new_arguments_have_a_place_of_their_own() {
    let main = "resource \"a\" \"b\" {\n  x = 1\n\n  c {}\n}\n\nresource \"a\" \"c\" {}\nresource \"a\" \"d\" { x = 1 }\nresource \"a\" \"e\" {\n  c {}\n}\n";
    let over = "resource \"a\" \"b\" {\n  count = 2\n  name = \"n\"\n}\nresource \"a\" \"c\" { y = 1 }\nresource \"a\" \"d\" {\n  y = [\n    1,\n  ]\n}\nresource \"a\" \"e\" { y = 1 }\n";
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
    let main = "resource \"a\" \"b\" {\n  x = 1\n\n  disk {\n    n = 1\n  }\n\n  net {\n    n = 1\n  }\n  disk {\n    n = 2\n  }\n}\n";
    let over = "resource \"a\" \"b\" {\n  dynamic \"disk\" {\n    for_each = []\n    content {\n    }\n  }\n  provisioner \"local-exec\" { command = \"x\" }\n}\n";
    assert_eq!(
        merged(main, over),
        "resource \"a\" \"b\" {
  x = 1

  dynamic \"disk\" { # from a_override.tf:2, replaces main.tf:4 and 1 more
    for_each = []
    content {
    }
  }

  net {
    n = 1
  }

  provisioner \"local-exec\" { command = \"x\" } # from a_override.tf:7
}

# Left out:
# - main.tf:4: `disk` of a.b: replaced as a whole by a_override.tf:2
# - main.tf:11: `disk` of a.b: replaced as a whole by a_override.tf:2
"
    );
}

#[test]
fn a_lifecycle_is_merged_argument_by_argument() {
    let main = "resource \"a\" \"b\" {\n  lifecycle {\n    ignore_changes  = [tags]\n    prevent_destroy = true\n  }\n}\nresource \"a\" \"c\" {\n  lifecycle { ignore_changes = all }\n}\nresource \"a\" \"d\" {}\n";
    let over = "resource \"a\" \"b\" {\n  lifecycle {\n    create_before_destroy = true\n    prevent_destroy = false\n    ignore_changes = []\n    replace_triggered_by = [a.c]\n  }\n}\nresource \"a\" \"c\" {\n  lifecycle {\n    ignore_changes = [x]\n  }\n}\nresource \"a\" \"d\" {\n  depends_on = [a.c]\n  lifecycle {\n    prevent_destroy = true\n    replace_triggered_by = [a.c]\n    precondition {\n      condition = true\n      error_message = \"No.\"\n    }\n  }\n}\n";
    assert_eq!(
        merged(main, over),
        "resource \"a\" \"b\" {
  lifecycle {
    ignore_changes        = [tags]
    prevent_destroy       = false # from a_override.tf:4, was true in main.tf:4
    create_before_destroy = true  # from a_override.tf:3
  }
}
resource \"a\" \"c\" {
  lifecycle { ignore_changes = all }
}
resource \"a\" \"d\" {
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
"
    );
}

#[test]
fn later_files_are_laid_over_earlier_ones() {
    let files = [
        ("main.tf", "locals { a = 1 }\nresource \"a\" \"b\" {\n  x = 1\n}\n"),
        ("a_override.tf", "locals { a = 2 }\nresource \"a\" \"b\" {\n  x = 2\n  disk { n = 2 }\n}\n"),
        ("b_override.tf", "locals { a = 3 }\nresource \"a\" \"b\" {\n  x = 3\n  disk { n = 3 }\n}\n"),
    ];
    assert_eq!(
        merge("terraform@1.11", &files, &STYLE),
        "# main.tf

locals { a = 3 } # from b_override.tf:1, was 2 in a_override.tf:1, 1 in main.tf:1
resource \"a\" \"b\" {
  x = 3 # from b_override.tf:3, was 2 in a_override.tf:3, 1 in main.tf:3

  disk { n = 3 } # from b_override.tf:4, replaces a_override.tf:4
}

# Left out:
# - a_override.tf:4: `disk` of a.b: replaced as a whole by b_override.tf:4
"
    );
}

#[test]
fn repeated_values_are_distinguished_from_changed_ones() {
    let text = merged("locals {\n  a = [1]\n}\n", "locals { a = [1] }\n");
    assert_eq!(text, "locals {\n  a = [1] # from a_override.tf:1, as in main.tf:2\n}\n");
}

#[test]
fn settings_are_merged_one_by_one() {
    let main = "terraform {\n  required_version = \">= 1.1\"\n}\nterraform {\n  required_version = \">= 1.2\"\n\n  required_providers {\n    a = {\n      source  = \"x/a\"\n      version = \"1.0\"\n    }\n  }\n\n  cloud {\n    organization = \"o\"\n  }\n}\n";
    let over = "terraform {\n  required_version = \">= 1.3\"\n  experiments = []\n  required_providers {\n    a = { version = \"2.0\" }\n    b = \"3.0\"\n  }\n  backend \"local\" {}\n  provider_meta \"a\" {}\n}\n";
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
    let over = "terraform {\n  required_version = \">= 1.3\"\n  backend \"local\" {}\n}\nprovider \"a\" {\n  x = 1\n}\n";
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
    let main = "variable \"a\" {\n  type    = string\n  default = 1\n}\nvariable \"b\" {\n  type    = object({ x = optional(string, \"d\") })\n  default = {}\n}\nvariable \"c\" {\n  type = string\n}\n";
    let over = "variable \"a\" { type = bool }\nvariable \"b\" {\n  type = object({\n    x = optional(string)\n    y = optional(number, 2)\n  })\n}\nvariable \"c\" { default = \"x\" }\n";
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
    let main = "module \"m\" {\n  source = \"./m\"\n  a      = 1\n  oops   = 2\n\n  for_each = {}\n}\nmodule \"n\" {\n  source = \"./m\"\n  oops   = 2\n}\n";
    let over = "module \"m\" {\n  count = 2\n  providers = {}\n  depends_on = []\n}\n";
    let files = [("main.tf", main), ("a_override.tf", over), ("m/main.tf", "variable \"a\" {}\n")];
    assert_eq!(
        merge("terraform@1.11", &files, &STYLE),
        "# main.tf

module \"m\" {
  count = 2 # from a_override.tf:2

  source = \"./m\"
  a      = 1
}
module \"n\" {
  source = \"./m\"
  oops   = 2
}

# Left out:
# - main.tf:4: `oops` of module.m: the child module has no such variable; Terraform drops it because the call has an override
# - main.tf:6: `for_each` of module.m: `count` is also set, and takes precedence
# - a_override.tf:3: `providers` of module.m: an empty value in an override file replaces nothing
# - a_override.tf:4: `depends_on` of module.m: an empty value in an override file replaces nothing
"
    );
}

#[test]
fn blocks_without_a_base_are_left_out() {
    let over = "resource \"a\" \"b\" {}\nmoved {\n  from = a.b\n  to   = a.c\n}\nremoved {\n  from = a.x\n}\nlocals { x = 1 }\nephemeral \"a\" \"b\" {}\nvariable \"v\" {\n  validation {\n    condition     = true\n    error_message = \"No.\"\n  }\n}\n";
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
    let main = "check \"c\" {\n  data \"d\" \"n\" {\n    x = 1\n  }\n\n  assert {\n    condition     = true\n    error_message = \"No.\"\n  }\n}\n";
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
        "# ?[31mred\n#?[error]x\nlocals {\n  a = \"\\u009by\" # from a_override.tf:2, was \"\\u001b\\u0002x\\u0003\\u202e\" in main.tf:4\n  b = <<EOT\n${\"\\u003a\"}:error::x\nEOT\n}\n"
    );
}

#[test]
fn line_breaks_stay_what_they_are() {
    let main = "\u{feff}locals {\r\n  a = 1 # x\r\n}\r\n";
    let files = [("main.tf", main), ("a_override.tf", "locals { a = 2 }\n")];
    let style = MergeStyle { comments: false, ..STYLE };
    assert_eq!(merge("terraform@1.11", &files, &style), "locals {\r\n  a = 2 # x\r\n}\r\n");
}

#[test]
fn opentofu_merges_in_its_own_way() {
    let main = "terraform {\n  encryption {\n    method \"m\" \"a\" {\n      keys = 1\n    }\n    state {\n      method   = method.m.a\n      enforced = true\n    }\n  }\n}\nephemeral \"a\" \"b\" {\n  x = 1\n}\n";
    let over = "terraform {\n  encryption {\n    method \"m\" \"a\" {\n      keys = 2\n    }\n    method \"m\" \"b\" {}\n    state {\n      enforced = false\n    }\n  }\n}\nephemeral \"a\" \"b\" { x = 2 }\nremoved {\n  from = a.c\n}\n";
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
            "# A.\nlocals {\n  a = 1\n  b = 2\n}\nresource \"a\" \"b\" {\n  x = 1\n}\nprovider \"p\" {\n  alias = \"q\"\n}\n",
        ),
        ("a_override.tf", "locals { b = 3 }\nresource \"a\" \"b\" {\n  x = 2\n  depends_on = [a.c]\n}\n"),
    ];
    let only = |address: &str| {
        merge("terraform@1.11", &files, &MergeStyle { only: Some(address.to_owned()), ..STYLE })
    };
    assert_eq!(
        only("local.b"),
        "# main.tf\n\nlocals {\n  b = 3 # from a_override.tf:1, was 2 in main.tf:4\n}\n"
    );
    assert_eq!(
        only("a.b"),
        "# main.tf\n\nresource \"a\" \"b\" {\n  x = 2 # from a_override.tf:3, was 1 in main.tf:7\n}\n\n# Left \
         out:\n# - a_override.tf:4: `depends_on` of a.b: Terraform rejects it in override files\n"
    );
    assert_eq!(only("provider.p.q"), "# main.tf\n\nprovider \"p\" {\n  alias = \"q\"\n}\n");
}

#[test]
fn what_is_broken_is_printed_as_it_is() {
    let main = "locals {\n  a = 1\n  b = \n}\nlocals {\n  c = 1\n";
    let text = merged(main, "locals {\n  a = 2\n  c = 2\n}\nlocals }\n");
    assert!(text.starts_with("locals {\n  a = 2 # from"), "{text}");
}

#[test]
fn two_blocks_of_one_file_repeat_a_call_in_one_way() {
    let main = "module \"m\" {\n  source = \"./m\"\n}\n";
    let over = "module \"m\" {\n  for_each = toset([\"a\"])\n}\nmodule \"m\" {\n  count = 2\n}\n";
    assert_eq!(
        merged(main, over),
        "module \"m\" {
  count = 2 # from a_override.tf:5

  source = \"./m\"
}

# Left out:
# - a_override.tf:2: `for_each` of module.m: `count` is also set, and takes precedence
"
    );
    // In one block the engine refuses them, so both stay.
    let both = "resource \"a\" \"b\" {\n  count    = 2\n  for_each = {}\n}\n";
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

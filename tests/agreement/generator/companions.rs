//! Modules with files of values or a lock file, with one mistake in those.

use super::dice::Dice;
use super::slipped;
use crate::case::{Case, Entry};

const TYPES: &[&str] = &[
    "string",
    "number",
    "bool",
    "any",
    "list(string)",
    "list(number)",
    "set(number)",
    "set(string)",
    "map(bool)",
    "map(string)",
    "map(list(number))",
    "tuple([string, number])",
    "object({ a = string, b = optional(number, 3) })",
    "object({ a = object({ c = bool }) })",
    "list(object({ a = string, n = optional(list(string), []) }))",
    "map(object({ a = number }))",
    "optional(string)",
];

const VALUES: &[&str] = &[
    "1",
    "-1.5",
    "\"1\"",
    "\"x\"",
    "\"true\"",
    "true",
    "null",
    "[]",
    "{}",
    "[1, 2]",
    "[\"a\", true]",
    "[\"a\", 2]",
    "[null]",
    "[[1], [\"b\"]]",
    "{ a = 1 }",
    "{ a = \"x\", b = \"y\" }",
    "{ a = { c = \"no\" } }",
    "{ a = { c = true } }",
    "{ a = [1, \"2\"] }",
    "{ b = 1 }",
    "[{ a = \"x\" }]",
    "[{ a = \"x\", n = \"y\" }, { a = \"z\" }]",
    "{ k = { a = \"5\" } }",
    "{ k = { a = \"five\" } }",
    "\"${1 + 2}\"",
    "[for x in [1, 2] : x * 2]",
    "1 == 1 ? \"a\" : \"b\"",
    "{ for k in [\"p\"] : k => true }",
];

const CONDITIONS: &[(&str, &str, &str)] = &[
    ("number", "var.v > 3", "4"),
    ("string", "length(var.v) > 2", "\"abc\""),
    ("string", "contains([\"a\", \"b\"], var.v)", "\"a\""),
    ("string", "can(regex(\"^[a-z]+$\", var.v))", "\"abc\""),
    ("list(string)", "length(var.v) > 0", "[\"a\"]"),
    ("list(string)", "alltrue([for x in var.v : length(x) < 4])", "[\"a\"]"),
    ("map(number)", "contains(keys(var.v), \"k\")", "{ k = 1 }"),
    ("object({ a = optional(number) })", "try(var.v.a > 1, true)", "{ a = 2 }"),
    ("number", "var.v % 2 == 0", "2"),
];

const SCRAPS: &[&str] = &[
    "x {\n}\n",
    "variable \"q\" {\n}\n",
    "\"s\" = 1\n",
    "s = var.n\n",
    "good = foo()\n",
    "good = 2\n",
    "s = \n",
    "s = [1,\n",
    "<<<<<<< HEAD\n",
    "s = \"a\n",
    "s = upper(\"a\")\n",
    "un1 = 1\nun2 = 2\nun3 = 3\n",
    "good == 1\n",
    "un = nope.x\n",
    "good = \"${var.x}\"\n",
    "good = path.module\n",
    "good = [for x in y : x]\n",
    "s = @\n",
    "good = 1 / 0\n",
    "good = [1][3]\n",
    "good = {a = 1}.b\n",
    "good = <<E\n${x}\nE\n",
    "good = 5 6\n",
    "s.t = 1\n",
    "good: 1\n",
    "good = true ? 1\n",
];

const JSON_SCRAPS: &[&str] = &[
    "[]",
    "[{\"good\": 1}]",
    "{\"good\": 1, \"good\": 2}",
    "{\"good\": }",
    "{\"good\": 1,}",
    "5",
    "\"x\"",
    "{\"variable\": {\"q\": {}}}",
    "{\"good\": \"${x}\"}",
    "{\"good\": {\"a\": 1, \"a\": 2}}",
    "{\"un\": 1}",
    "{\"good\": \"a\"",
    "{\"//\": \"c\", \"good\": null}",
    "{'good': 1}",
    "{\"good\": 01}",
    "{\"good\": tru}",
    "",
    "{\"variable\": \"q\"}",
    "{\"good\": 1} x",
    "{\"good\": [1, {}]}",
    "{\"good\" 1}",
    "null",
];

/// A module with a variable file that has one or two mistakes.
pub(crate) fn values(seed: u64) -> Case {
    let mut dice = Dice::new(seed ^ 0x0be5_1de5);
    let entries = match dice.below(7) {
        0..=3 => typed(&mut dice),
        4 => validated(&mut dice),
        _ => scrap(&mut dice),
    };
    Case::new(format!("values {seed}"), sometimes_slipped(&mut dice, entries))
}

/// A module with a dependency lock file that has some mistakes.
pub(crate) fn locked(seed: u64) -> Case {
    let mut dice = Dice::new(seed ^ 0x0000_10cc_ed00);
    let entries = lock(&mut dice);
    Case::new(format!("locked {seed}"), sometimes_slipped(&mut dice, entries))
}

fn sometimes_slipped(dice: &mut Dice, mut entries: Vec<Entry>) -> Vec<Entry> {
    if dice.chance(15)
        && let Some(last) = entries.last_mut()
    {
        *last = slipped(dice, last);
    }
    entries
}

fn values_file(dice: &mut Dice) -> String {
    dice.word(&["terraform.tfvars", "x.auto.tfvars", "prod.tfvars", "envs/prod.tfvars"]).to_owned()
}

fn typed(dice: &mut Dice) -> Vec<Entry> {
    let ty = dice.word(TYPES);
    let ty = if ty == "optional(string)" { "list(bool)" } else { ty };
    let more = dice.word(&["", "", "  nullable = false\n", "  sensitive = true\n", "  default = null\n"]);
    let module =
        format!("variable \"good\" {{\n  type = string\n}}\n\nvariable \"v\" {{\n  type = {ty}\n{more}}}\n");
    let values = format!("good = \"x\"\nv = {}\n", dice.word(VALUES));
    vec![Entry::plain("main.tf", module), Entry::plain(values_file(dice), values)]
}

fn validated(dice: &mut Dice) -> Vec<Entry> {
    let (ty, condition, good) = *dice.pick(CONDITIONS).expect("a condition");
    let value = if dice.chance(20) { good } else { dice.word(VALUES) };
    let module = format!(
        "variable \"v\" {{\n  type = {ty}\n\n  validation {{\n    condition     = {condition}\n    error_message = \"No.\"\n  }}\n}}\n"
    );
    vec![Entry::plain("main.tf", module), Entry::plain(values_file(dice), format!("v = {value}\n"))]
}

fn scrap(dice: &mut Dice) -> Vec<Entry> {
    let module =
        "variable \"good\" {\n  type    = any\n  default = 1\n}\n\nvariable \"s\" {\n  default = \"\"\n}\n";
    let module = Entry::plain("main.tf", module);
    if dice.chance(40) {
        return vec![module, Entry::plain("terraform.tfvars.json", dice.word(JSON_SCRAPS))];
    }
    let scrap = dice.word(SCRAPS);
    let values = if dice.chance(50) { format!("good = 1\n{scrap}") } else { format!("{scrap}s = \"1\"\n") };
    vec![module, Entry::plain("terraform.tfvars", values)]
}

#[expect(clippy::too_many_lines, reason = "each mistake is a few lines, one after the other")]
fn lock(dice: &mut Dice) -> Vec<Entry> {
    let address = if dice.chance(70) {
        "registry.terraform.io/hashicorp/aws"
    } else {
        dice.word(&[
            "hashicorp/aws",
            "aws",
            "Registry.terraform.io/hashicorp/aws",
            "registry.terraform.io/HashiCorp/aws",
            "a/b/c/d",
            "terraform.io/builtin/terraform",
            "registry.terraform.io/-/aws",
            "",
            "example.com:443/a/b",
            "example.com:8443/a/b",
            "registry.terraform.io/a_b/c",
            "registry.terraform.io/a/terraform-provider-b",
            "registry.opentofu.org/hashicorp/aws",
            "localhost/a/b",
        ])
    };
    let version = if dice.chance(50) {
        "\"5.1.0\""
    } else {
        dice.word(&[
            "\"5.1\"",
            "\"5\"",
            "5",
            "\"v5.1.0\"",
            "\"5.1.0.1\"",
            "\"5.1.0-beta1\"",
            "\"5.1.0+meta\"",
            "\"\"",
            "null",
            "\"x\"",
            "\"05.1.0\"",
            "\"5.1.*\"",
            "\" 5.1.0\"",
            "[]",
            "\">= 5.0.0\"",
            "var.x",
            "5.1",
            "\"5.1.0-\"",
            "\"5.1.0beta\"",
            "\"${\"5.1.0\"}\"",
        ])
    };
    let constraints = if dice.chance(50) {
        "\">= 5.0.0\""
    } else {
        dice.word(&[
            "\"\"",
            "\">=5.0.0\"",
            "\">= 5.0\"",
            "\"~> 5.0\"",
            "\"~> 5.0.0\"",
            "\"~> 5\"",
            "\"5.1.0\"",
            "\"= 5.1.0\"",
            "\">= 2.0.0, >= 1.0.0\"",
            "\">= 1.0.0, >= 1.0.0\"",
            "\">= 1.0.0, < 2.0.0\"",
            "\"< 2.0.0, >= 1.0.0\"",
            "\">= 1.0.0,< 2.0.0\"",
            "\"~> 1.0, ~> 1.0.0\"",
            "\"~> 1.0.0, ~> 1.0\"",
            "\"!= 1.2.0, ~> 1.0\"",
            "\"~> 1.0, != 1.2.0\"",
            "\">= 1.0.0-beta1\"",
            "null",
            "\"x\"",
            "5",
            "[\">= 1.0.0\"]",
            "\"> 1.0.0, >= 1.0.0\"",
            "\">= 1.0.0, > 1.0.0\"",
            "\"~> 1.2-beta1\"",
            "\" >= 1.0.0\"",
            "\"*\"",
            "\"1.*\"",
            "\"=> 1.0.0\"",
            "\"^1.0.0\"",
            "\">= 1.0.0 < 2.0.0\"",
            "\">= v1.0.0\"",
            "\" \"",
            "\"<= 1.0.0, 1.0.0\"",
            "\"1.0.0, <= 1.0.0\"",
        ])
    };
    let hashes = if dice.chance(60) {
        "[\n    \"h1:abc\",\n  ]"
    } else {
        dice.word(&[
            "[]",
            "[\"nope\"]",
            "[5]",
            "[null]",
            "\"h1:x\"",
            "[\":x\"]",
            "[\"zz:\"]",
            "{}",
            "null",
            "[\"h1:a\", \"b\"]",
            "[[\"h1:x\"]]",
        ])
    };
    let block = format!(
        "provider \"{address}\" {{\n  version     = {version}\n  constraints = {constraints}\n  hashes      = {hashes}\n}}\n"
    );
    let good = "provider \"registry.terraform.io/hashicorp/null\" {\n  version = \"3.2.1\"\n}\n";
    let more = if dice.chance(70) {
        good
    } else {
        dice.word(&[
            "foo {}\n",
            "x = 1\n",
            "provider {}\n",
            "provider \"registry.terraform.io/a/b\" {}\n",
            "module \"m\" {}\n",
            "provider \"registry.terraform.io/a/b\" {\n  version = \"1.0.0\"\n  x = 1\n}\n",
            "<<<<<<< HEAD\n",
            "provider \"registry.terraform.io/hashicorp/aws\" {\n  version = \"5.1.0\"\n}\n",
            "provider \"a\" \"b\" {}\n",
            "provider \"registry.terraform.io/a/b\" {\n  version = \"1.0.0\"\n  y {}\n}\n",
            "=======\n",
            "}\n",
            "provider registry {}\n",
        ])
    };
    vec![
        Entry::plain("main.tf", "locals {\n}\n"),
        Entry::plain(".terraform.lock.hcl", format!("{block}{more}")),
    ]
}

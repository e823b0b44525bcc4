//! Malicious input ends like any other: with findings, or with a message about the parts that were not read.
//!
//! Special files (pipes, devices, links to the outside) are tested in `git/working_tree.rs`, random changes in `fuzz.rs`.
//! The tests here concern depth, large numbers, and short text with a large expansion.

use indoc::indoc;
use overrule::check::{self, Settings};
use overrule::engine::Choice;
use overrule::policy::Policy;
use overrule::vfs::Snapshot;

/// The distinct summaries of all findings.
fn said(files: &[(String, String)]) -> Vec<String> {
    said_by("terraform@1.11", files)
}

fn said_by(engines: &str, files: &[(String, String)]) -> Vec<String> {
    let mut summaries = all_said_by(engines, files);
    summaries.dedup();
    summaries
}

/// The sorted summaries of all findings.
fn all_said_by(engines: &str, files: &[(String, String)]) -> Vec<String> {
    let files = files.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect();
    let engines = Choice::parse(engines).expect("engines");
    let policy = Policy::preset("language").expect("a preset");
    let settings = Settings { engines: Some(engines), policy, ..Settings::default() };
    let verdicts = check::run(&mut Snapshot::of_files(files), &settings).verdicts;
    let mut summaries: Vec<String> = verdicts.into_iter().map(|verdict| verdict.finding.summary).collect();
    summaries.sort();
    summaries
}

/// The summaries for one file.
fn of_text(text: String) -> Vec<String> {
    said(&[("main.tf".to_owned(), text)])
}

/// This many texts, one after the other.
fn many(number: usize, text: impl Fn(usize) -> String) -> String {
    (0..number).map(text).collect()
}

fn locals(text: &str) -> String {
    format!("locals {{\n{text}}}\n")
}

#[test]
fn great_numbers_of_what_is_right_are_right() {
    let nothing: [&str; 0] = [];
    assert_eq!(of_text(many(50_000, |n| format!("variable \"v{n}\" {{}}\n"))), nothing);
    let arguments = many(100_000, |n| format!("  a{n} = {n}\n"));
    assert_eq!(of_text(format!("resource \"a\" \"b\" {{\n{arguments}}}\n")), nothing);
    let keys = many(32_000, |n| format!("  k{n} = {n}\n"));
    assert_eq!(of_text(locals(&format!("a = {{\n{keys}}}\n"))), nothing);
    let calculated = many(32_000, |n| format!("  (\"k{n}\") = {n} + 1\n"));
    assert_eq!(of_text(locals(&format!("a = {{\n{calculated}}}\n"))), nothing);
    let sets = many(20_000, |n| format!("[{n}], "));
    assert_eq!(of_text(locals(&format!("a = setunion({sets})\n"))), nothing);
    let chain = many(50_000, |n| format!("a{n} = local.a{}\n", n + 1));
    assert_eq!(of_text(locals(&format!("{chain}a50000 = 1\n"))), nothing);
    let constraint = many(50_000, |_| ">= 1.0, ".to_owned());
    assert_eq!(of_text(format!("terraform {{\n  required_version = \"{constraint}>= 1.0\"\n}}\n")), nothing);
}

#[test]
fn great_numbers_of_mistakes_are_all_found() {
    let same = many(5_000, |_| "variable \"a\" {}\n".to_owned());
    assert_eq!(of_text(same), ["Duplicate variable declaration"]);
    assert_eq!(of_text(many(5_000, |_| "x \"a\" {\n}\n".to_owned())), ["Unsupported block type"]);
    assert_eq!(
        of_text(locals(&many(5_000, |n| format!("a{n} = var.b{n}\n")))),
        ["Reference to undeclared input variable"]
    );
    let cycle = of_text(locals(&many(10_000, |n| format!("a{n} = local.a{}\n", (n + 1) % 10_000))));
    assert!(matches!(&cycle[..], [only] if only.starts_with("Cycle: local.a0 (expand), ")));
}

#[test]
fn great_numbers_of_mistakes_of_which_two_engines_tell_are_compared() {
    let rings = many(5_000, |n| format!("a{n} = local.b{n}\nb{n} = local.a{n}\n"));
    assert_eq!(said_by("both", &[("main.tf".to_owned(), locals(&rings))]).len(), 5_000);
    let outputs = many(5_000, |n| format!("output \"a b{n}\" {{\n}}\n"));
    assert_eq!(
        said_by("both", &[("main.tf".to_owned(), outputs)]),
        ["Invalid output name", "Missing required argument"]
    );
}

#[test]
fn what_is_repeated_is_compared_with_a_few_others() {
    let imports = many(10_000, |_| {
        indoc! {r#"
            import {
              to = a_b.c
              id = "x"
            }
        "#}
        .to_owned()
    });
    let module = format!("resource \"a_b\" \"c\" {{}}\n{imports}");
    let found = said_by("both", &[("main.tf".to_owned(), module)]);
    assert_eq!(found, ["Duplicate import configuration for \"a_b.c\"", "Too many findings of one rule"]);
    assert_eq!(of_text("{".repeat(300_000)), ["Argument or block definition required"]);
    assert_eq!(of_text("{% ".repeat(100_000)), ["Argument or block definition required"]);
    let unknown = "a = [for x in range(500) : [for y in range(500) : nope(x)]]\n";
    assert_eq!(
        of_text(locals(unknown)),
        ["Call to unknown function", "Expression too expensive to evaluate"]
    );
    let aliases = many(2_000, |n| format!("provider \"aws\" {{\n  alias = \"a{n}\"\n}}\n"));
    let passed = many(2_000, |n| format!("    aws.a{n} = aws.a{n}\n"));
    let call = format!("{aliases}module \"m\" {{\n  source = \"./m\"\n  providers = {{\n{passed}  }}\n}}\n");
    let declared = many(2_000, |n| format!("aws.a{n}, "));
    let required = format!(
        "terraform {{\n  required_providers {{\n    aws = {{\n      source = \"hashicorp/aws\"\n      \
         configuration_aliases = [{declared}]\n    }}\n  }}\n}}\n"
    );
    assert_eq!(said(&[("main.tf".to_owned(), call), ("m/main.tf".to_owned(), required)]), [""; 0]);
}

#[test]
fn findings_about_pairs_end_at_the_limit_and_say_so() {
    let assert_limited = |summary: &str, files: &[(&str, String)]| {
        let files: Vec<_> = files.iter().map(|(name, text)| ((*name).to_owned(), text.clone())).collect();
        for engines in ["terraform@1.11", "both"] {
            let all = all_said_by(engines, &files);
            let of = |wanted: &str| all.iter().filter(|summary| *summary == wanted).count();
            assert_eq!((of(summary), of("Too many findings of one rule")), (5_000, 1), "{engines}");
        }
    };
    let calls = many(120, |n| format!("module \"m{n}\" {{\n  source = \"./m\"\n}}\n"));
    let required = many(100, |n| format!("variable \"v{n}\" {{}}\n"));
    assert_limited(
        "Missing required argument",
        &[("main.tf", calls.clone()), ("m/main.tf", required.clone())],
    );
    let aliases = many(100, |n| format!("aws.a{n}, "));
    let providers = format!(
        "terraform {{\n  required_providers {{\n    aws = {{\n      source = \"hashicorp/aws\"\n      \
         configuration_aliases = [{aliases}]\n    }}\n  }}\n}}\n"
    );
    assert_limited(
        "Missing required provider configuration",
        &[("main.tf", calls), ("m/main.tf", providers)],
    );
    let passed = many(120, |n| format!("module \"m{n}\" {{\n  source = \"./m\"\n}}\n"));
    let onward = many(100, |n| {
        format!("module \"c{n}\" {{\n  source = \"./c\"\n  providers = {{\n    aws = aws\n  }}\n}}\n")
    });
    let providers =
        "terraform {\n  required_providers {\n    aws = {\n      source = \"hashicorp/aws\"\n    }\n  }\n}\n";
    assert_limited(
        "Missing required provider configuration",
        &[
            ("main.tf", passed),
            ("m/main.tf", format!("{providers}{onward}")),
            ("m/c/main.tf", providers.to_owned()),
        ],
    );
    let calls = many(120, |n| format!("module \"m{n}\" {{\n  source = \"./m\"\n}}\n"));
    let refused = many(100, |n| {
        format!(
            "variable \"v{n}\" {{\n  default = 1\n  validation {{\n    condition     = var.v{n} > 1\n    \
             error_message = \"x\"\n  }}\n}}\n"
        )
    });
    assert_limited("Invalid value for variable", &[("main.tf", calls), ("m/main.tf", refused)]);
    let mut tests: Vec<(String, String)> =
        (0..120).map(|n| (format!("t{n}.tftest.hcl"), "run \"r\" {\n}\n".to_owned())).collect();
    tests.push(("main.tf".to_owned(), required));
    let all = all_said_by("terraform@1.11", &tests);
    let of = |wanted: &str| all.iter().filter(|summary| *summary == wanted).count();
    let found = ["No value for required variable", "Too many findings of one rule"].map(of);
    assert_eq!(found, [100, 0], "one notice for each variable");
}

#[test]
fn long_lines_and_numbers_are_read_as_far_as_they_matter() {
    let long = "x".repeat(8 << 20);
    assert_eq!(of_text(locals(&format!("a = \"{long}${{1}}\"\n"))), [""; 0]);
    assert_eq!(of_text(format!("# {long}\n/* {long} */\nlocals {{}}\n")), [""; 0]);
    let exponents = "a = 1e999999999\nb = 1e-999999999\nc = \"${1e999999999}\" == 1\n";
    assert_eq!(of_text(locals(exponents)), [""; 0]);
    let outside = format!("module \"a\" {{\n  source = \"{}x\"\n}}\n", "../".repeat(100_000));
    assert_eq!(of_text(outside), [""; 0]);
}

#[test]
fn a_long_value_counts_with_the_size_of_its_file() {
    let mut files: Vec<(String, String)> =
        (0..2_000).map(|n| (format!("m{n}/main.tf"), "variable \"a\" {}\n".to_owned())).collect();
    files.push(("m1/terraform.tfvars".to_owned(), format!("a = \"{}\"\n", "x".repeat(400_000))));
    assert_eq!(said(&files), [""; 0]);
}

#[test]
fn large_files_with_values_are_bounded() {
    let module =
        ("main.tf".to_owned(), "variable \"a\" {\n  type = list(object({ n = number }))\n}\n".to_owned());
    let large = format!("a = [\n{}]\n", many(300_000, |n| format!("  {{ n = \"x{n}\" }},\n")));
    assert!(large.len() > 4 << 20, "{}", large.len());
    let found = said(&[module.clone(), ("terraform.tfvars".to_owned(), large)]);
    assert_eq!(found, ["Expression too expensive to evaluate", "Invalid value for input variable"]);
    let names = many(200_000, |n| format!("v{n} = \"{}\"\n", "x".repeat(30)));
    assert!(names.len() > 8 << 20, "{}", names.len());
    let found = said(&[module.clone(), ("terraform.tfvars".to_owned(), names)]);
    assert_eq!(found, ["Too many findings of one rule", "Value for undeclared variable"]);
    let locks = many(50_000, |n| {
        format!(
            "provider \"registry.terraform.io/a/b{n}\" {{\n  version = \"1.0.0\"\n  hashes = [\"h1:{n}\"]\n}}\n"
        )
    });
    assert_eq!(said(&[module, (".terraform.lock.hcl".to_owned(), locks)]), [""; 0]);
}

/// The summaries for a module whose output has this value, and one more file.
fn of_file(value: &str, name: &str, text: String) -> Vec<String> {
    said(&[
        ("main.tf".to_owned(), format!("output \"a\" {{\n  value = {value}\n}}\n")),
        (name.to_owned(), text),
    ])
}

#[test]
fn files_that_functions_read_are_bounded() {
    let rows = format!("a,b\n{}", many(100_000, |n| format!("{n},x\n")));
    assert_eq!(of_file("csvdecode(file(\"d.csv\"))[99999].c", "d.csv", rows), ["Unsupported attribute"]);
    let aliases = many(40, |n| format!("a{}: &a{} [*a{n}, *a{n}]\n", n + 1, n + 1));
    let aliases = format!("a0: &a0 [x]\n{aliases}");
    let expensive = ["Expression too expensive to evaluate"];
    assert_eq!(of_file("yamldecode(file(\"d.yaml\")).a40[0]", "d.yaml", aliases), expensive);
    let merges = many(30, |n| format!("a{}: &a{}\n  <<: *a{n}\n  l: *a{n}\n  r: *a{n}\n", n + 1, n + 1));
    let merges = format!("a0: &a0 {{k: 1}}\n{merges}");
    assert_eq!(of_file("yamldecode(file(\"d.yaml\")).a30.b", "d.yaml", merges), expensive);
    let deep = format!("{}1{}", "{a: ".repeat(100_000), "}".repeat(100_000));
    assert_eq!(of_file("yamldecode(file(\"d.yaml\"))", "d.yaml", deep), [""; 0]);
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    assert_eq!(of_file("jsondecode(file(\"d.json\"))", "d.json", deep), ["Error in function call"]);
    let itself = "${templatefile(\"a.tpl\", { x = x })}".to_owned();
    assert_eq!(of_file("templatefile(\"a.tpl\", { x = 1 })", "a.tpl", itself), ["Error in function call"]);
    let loops = "%{ for a in x }".repeat(3) + "${a}" + &"%{ endfor }".repeat(3);
    assert_eq!(
        of_file("templatefile(\"a.tpl\", { x = range(1000) })", "a.tpl", loops),
        ["Expression too expensive to evaluate"]
    );
    let calls = many(500, |n| format!("t{n} = templatefile(\"a.tpl\", {{ x = {n} }})\n"));
    let template = "${x} ".repeat(250_000);
    assert_eq!(
        said(&[("main.tf".to_owned(), locals(&calls)), ("a.tpl".to_owned(), template)]),
        ["Expression too expensive to evaluate"]
    );
    let pattern = format!("*{}c", "a".repeat(400));
    let searches = many(50, |n| format!("s{n} = fileset(\"d\", \"{pattern}{n}\")\n"));
    let mut files: Vec<_> =
        (0..1_000).map(|n| (format!("d/{n}{}", "a".repeat(800)), String::new())).collect();
    files.push(("main.tf".to_owned(), locals(&searches)));
    assert_eq!(said(&files), expensive);
}

#[test]
fn large_test_files_are_bounded() {
    let module = ("main.tf".to_owned(), "variable \"n\" {}\noutput \"k\" {\n  value = var.n\n}\n".to_owned());
    let run = |n: usize| {
        let value = if n == 0 { "1".to_owned() } else { format!("run.r{}.k", n - 1) };
        format!("run \"r{n}\" {{\n  variables {{\n    n = {value}\n  }}\n}}\n")
    };
    assert_eq!(said(&[module.clone(), ("a.tftest.hcl".to_owned(), many(2_000, run))]), [""; 0]);
    let expected = many(2_000, |n| format!("check.x{n}, "));
    let overrides = many(2_000, |n| format!("override_resource {{\n  target = terraform_data.b{n}\n}}\n"));
    let run = format!(
        "run \"a\" {{\n  expect_failures = [{expected}]\n{overrides}  variables {{\n    n = 1\n  }}\n}}\n"
    );
    assert_eq!(
        said(&[module.clone(), ("a.tftest.hcl".to_owned(), run)]),
        ["Invalid override target", "Missing expected failure"]
    );
    let providers = many(100, |n| format!("mock_provider \"p{n}\" {{\n  source = \"./m\"\n}}\n"));
    let types = many(20, |n| format!("mock_resource \"t{n}\" {{}}\n"));
    let mocks = (0..200).map(|n| (format!("m/a{n}.tfmock.hcl"), types.clone()));
    let files: Vec<_> = mocks.chain([module, ("a.tftest.hcl".to_owned(), providers)]).collect();
    assert_eq!(said(&files), ["Duplicate mock resource block"]);
}

#[test]
fn rings_of_terragrunt_units_end() {
    let unit = |n: usize| {
        let next = (n + 1) % 500;
        let text = format!(
            "include \"a\" {{\n  path = \"../u{next}/terragrunt.hcl\"\n}}\nlocals {{\n  b = \"${{local.b}}x\"\n}}\n\
             terraform {{\n  source = \"${{local.b}}/../u{next}\"\n}}\n"
        );
        (format!("u{n}/terragrunt.hcl"), text)
    };
    let units: Vec<_> = (0..500).map(unit).chain([("u0/main.tf".to_owned(), locals(""))]).collect();
    assert_eq!(said(&units), [""; 0]);
}

#[test]
fn little_text_that_stands_for_much_is_bounded() {
    let product = many(40, |n| format!("a{} = [for x in local.a{n} : local.a{n}]\n", n + 1));
    assert_eq!(
        of_text(locals(&format!("a0 = [1, 2, 3, 4, 5, 6, 7, 8]\n{product}"))),
        ["Expression too expensive to evaluate"]
    );
    let doubled = many(40, |n| format!("a{} = \"${{local.a{n}}}${{local.a{n}}}\"\n", n + 1));
    assert_eq!(
        of_text(locals(&format!("a0 = \"0123456789\"\n{doubled}"))),
        ["Expression too expensive to evaluate"]
    );
    let functions = indoc! {r#"
        a = setproduct(range(1000), range(1000))
        b = format("%999999999d", 1)
        c = regexall("", local.e)
        d = replace(local.e, "x", local.e)
        f = formatlist(local.g, range(1000))
        h = regex("(((a{100}){100}){100}){100}", "a")
    "#};
    let long = format!("e = \"{}\"\ng = \"{}\"\n", "x".repeat(1 << 20), "%[1]s".repeat(1 << 16));
    assert_eq!(
        of_text(locals(&format!("{functions}{long}"))),
        ["Expression too expensive to evaluate", "Invalid function argument"],
        "Terraform refuses the nested repetition too"
    );
}

/// Local values that read one large value a thousand times.
fn read_often(value: &str, expression: &str) -> Vec<String> {
    let often = format!("[for i in concat(range(1000), range(1000)) : {expression}]");
    of_text(locals(&format!("a = {value}\nb = {often}\n")))
}

#[test]
fn every_copy_of_a_sensitive_value_counts() {
    let value = "sensitive({ l = range(1000) })";
    let too_expensive = ["Expression too expensive to evaluate"];
    for expression in ["local.a.l", "local.a[\"l\"]", "try(length(local.a.l), i)", "[local.a][0].l"] {
        assert_eq!(
            read_often(value, &format!("[{expression}, {expression}]")),
            too_expensive,
            "{expression}"
        );
    }
    assert_eq!(read_often("sensitive({ l = [1, 2], m = range(1000) })", "local.a.l[1]"), [""; 0]);
}

#[test]
fn functions_that_parse_a_string_count_its_bytes_even_if_they_fail() {
    let too_expensive = ["Expression too expensive to evaluate"];
    let text = |part: &str| format!("join(\"\", [for i in range(1000) : \"{part}\"])");
    for (part, call) in [
        ("{'a':", "jsondecode(local.a)"),
        ("1,2\\n", "csvdecode(\"${local.a}1\")"),
        ("[1,1,", "yamldecode(local.a)"),
        ("$${a.}", "templatestring(local.a, {})"),
        ("abcdef", "substr(local.a, 5999, 1)"),
    ] {
        assert_eq!(read_often(&text(part), &format!("try([{call}, i], 1)")), too_expensive, "{call}");
    }
    assert_eq!(
        read_often("{ for i in range(300) : \"k${i}\" => [\"${i}\"] }", "transpose(local.a)"),
        too_expensive
    );
    // The characters of the second argument are a set.
    assert_eq!(read_often(&text("abcdefghijabcdefghij"), "trim(local.a, \"${i}${local.a}\")"), too_expensive);
}

#[test]
fn findings_about_a_long_name_are_short() {
    let name = "n".repeat(20_000);
    let text = format!(
        "locals {{\n  k = \"{name}\"\n  m = {{}}\n}}\nresource \"terraform_data\" \"{name}\" {{\n{}}}\n\
         output \"o\" {{\n  value = [{}]\n}}\n",
        many(100, |n| format!("  x{n} = 1\n")),
        "local.m[local.k], ".repeat(100)
    );
    let engines = Choice::parse("terraform@1.11").expect("engines");
    let settings = Settings { engines: Some(engines), ..Settings::default() };
    let files = vec![("main.tf".to_owned(), text.into_bytes())];
    let verdicts = check::run(&mut Snapshot::of_files(files), &settings).verdicts;
    assert!(verdicts.len() >= 200, "{}", verdicts.len());
    for finding in verdicts.into_iter().map(|verdict| verdict.finding) {
        assert!(finding.detail.len() < 4_100 && finding.address.len() < 1_100, "{}", finding.summary);
    }
}

#[test]
fn values_and_types_that_are_made_of_the_same_parts_are_bounded() {
    let too_expensive = ["Expression too expensive to evaluate"];
    let choice = |n| format!("a{} = var.v ? [local.a{n}, local.a{n}] : [local.a{n}, local.a{n}]\n", n + 1);
    let conditionals = format!("variable \"v\" {{}}\n{}", locals(&format!("a0 = [1]\n{}", many(40, choice))));
    assert_eq!(of_text(conditionals), too_expensive);
    let pair = |n| format!("b{} = {{ x = local.b{n}, y = local.b{n} }}\n", n + 1);
    assert_eq!(of_text(locals(&format!("b0 = 1\n{}", many(25, pair)))), too_expensive);
}

#[test]
fn great_numbers_of_overrides_and_long_names_take_no_time() {
    let block = |body: &str| format!("resource \"terraform_data\" \"a\" {{\n{body}}}\n");
    let overrides = block("  input = 1\n").repeat(20_000);
    let files = [("main.tf".to_owned(), block("")), ("a_override.tf".to_owned(), overrides)];
    assert_eq!(said(&files), [""; 0]);
    let name = "a".repeat(60_000);
    let of_long_names = format!("variable \"{name}a\" {{}}\noutput \"x\" {{\n  value = var.{name}b\n}}\n");
    assert_eq!(of_text(of_long_names), ["Reference to undeclared input variable"]);
}

/// Modules that call the next one twice: 2^40 paths lead to the last one.
#[test]
fn modules_are_checked_once_for_any_number_of_paths() {
    let call = |name: &str, next: usize| format!("module \"{name}\" {{\n  source = \"../m{next}\"\n}}\n");
    let mut files: Vec<(String, String)> = (0..40)
        .map(|n| (format!("m{n}/main.tf"), format!("{}{}", call("a", n + 1), call("b", n + 1))))
        .collect();
    files.push(("m40/main.tf".to_owned(), "output \"a\" {\n  value = var.b\n}\n".to_owned()));
    assert_eq!(said(&files), ["Reference to undeclared input variable"]);
}

/// A million pairs of a call and a variable that OpenTofu needs early.
#[test]
fn constants_of_modules_with_many_calls_are_checked_once() {
    let calls = |value: &str| many(1_000, |n| format!("module \"m{n}\" {{\n  source = \"./m\"\n{value}}}\n"));
    let check = |calls: String, default: &str| {
        let constants = many(1_000, |n| format!("variable \"c{n}\" {{\n  const = true\n{default}}}\n"));
        let files = [("main.tf".to_owned(), calls), ("m/main.tf".to_owned(), constants)];
        said_by("opentofu@1.12", &files)
    };
    assert_eq!(check(calls(""), "  default = 1\n"), [""; 0]);
    let found = check(
        calls("  c7 = terraform_data.a.id\n") + "resource \"terraform_data\" \"a\" {}\n",
        "  default = 1\n",
    );
    assert!(found.iter().any(|summary| summary == "Unable to compute static value"), "{found:?}");
}

#[test]
fn chains_and_rings_of_calls_end() {
    let call = |n: usize, next: usize| {
        (format!("m{n}/main.tf"), format!("module \"a\" {{\n  source = \"../m{next}\"\n}}\n"))
    };
    let chain: Vec<_> = (0..3_000).map(|n| call(n, n + 1)).collect();
    assert_eq!(said(&chain), ["Module not installed"]);
    let ring: Vec<_> = (0..3_000).map(|n| call(n, (n + 1) % 3_000)).collect();
    assert_eq!(said(&ring), [""; 0], "that is for a rule to tell");
    let strict = Settings { policy: Policy::preset("strict").expect("a preset"), ..Settings::default() };
    let files = |files: &[(String, String)]| {
        Snapshot::of_files(
            files.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect(),
        )
    };
    let rings = |calls: &[(String, String)]| {
        let verdicts = check::run(&mut files(calls), &strict).verdicts;
        verdicts.iter().filter(|verdict| verdict.finding.rule.as_str() == "module-call-cycle").count()
    };
    assert_eq!((rings(&chain), rings(&ring)), (0, 1));
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
        format!(
            "variable \"a\" {{\n  type = {}any{}\n}}\n",
            "object({ a = optional(".repeat(DEEP),
            ") })".repeat(DEEP)
        ),
        format!("variable \"a\" {{\n  type = {}any{}\n}}\n", "tuple([".repeat(DEEP), "])".repeat(DEEP)),
        format!("a = \"{}{}\"\n", "%{ for x in [] }".repeat(DEEP), "%{ endfor }".repeat(DEEP)),
        format!("a = {}x{}\n", "<<A\n${".repeat(DEEP), "}\nA\n".repeat(DEEP)),
        format!("dynamic \"a\" {{\n{}{}}}\n", "content {\n".repeat(DEEP), "}\n".repeat(DEEP)),
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
        format!("{{\"resource\": {}1{}}}", "{\"a\": [".repeat(DEEP), "]}".repeat(DEEP)),
        format!(
            "{{\"variable\": {{\"a\": {{\"type\": \"{}any{}\"}}}}}}",
            "tuple([".repeat(DEEP),
            "])".repeat(DEEP)
        ),
        format!("{{\"output\": {{\"a\": {{\"value\": \"{}x{}\"}}}}}}", "${[".repeat(DEEP), "]}".repeat(DEEP)),
    ];
    let type_in_json = &json[3];
    assert_eq!(
        said(&[("main.tf.json".to_owned(), type_in_json.replace("}}}", ", \"default\": 1}}}"))]),
        ["Expression not read"],
        "what was not read may be a type, and the default may be of it"
    );
    for (name, text) in wrapped.chain(json.into_iter().map(|text| ("main.tf.json", text))) {
        let start: String = text.chars().take(40).collect();
        let said = said(&[(name.to_owned(), text)]);
        assert!(!said.is_empty(), "nobody writes this, and it is told: {start}");
    }
}

#[test]
fn defaults_of_optional_attributes_are_bounded() {
    let attributes = many(1_000, |n| format!("    a{n} = optional(string, \"d\")\n"));
    let elements = "{}, ".repeat(500);
    let variable = |default: &str| {
        format!("variable \"v\" {{\n  type = list(object({{\n{attributes}  }}))\n{default}}}\n")
    };
    let expensive = ["Expression too expensive to evaluate"];
    assert_eq!(of_text(variable(&format!("  default = [{elements}]\n"))), expensive);
    assert_eq!(of_text(variable("  default = [{}, {}]\n")), [""; 0]);
    let module =
        |main: &str| vec![("main.tf".to_owned(), main.to_owned()), ("m/main.tf".to_owned(), variable(""))];
    let call = |value: &str| format!("module \"m\" {{\n  source = \"./m\"\n  v = {value}\n}}\n");
    let of_plan = "Module too expensive to evaluate";
    assert_eq!(said(&module(&call(&format!("[{elements}]")))), [of_plan]);
    assert_eq!(
        said(&module(&many(30, |n| call(&format!("[{elements}]")).replace("\"m\"", &format!("\"m{n}\""))))),
        [expensive[0], of_plan]
    );
    let values = [
        ("main.tf".to_owned(), variable("")),
        ("terraform.tfvars".to_owned(), format!("v = [{elements}]\n")),
    ];
    assert_eq!(said(&values), [""; 0]);
}

#[test]
fn a_number_of_very_many_digits_is_a_number() {
    let long = "7".repeat(1 << 20);
    assert_eq!(
        of_text(format!("output \"a\" {{\n  value = {long} == \"{long}\" ? [1][5] : [1][6]\n}}\n")),
        ["Invalid index"]
    );
}

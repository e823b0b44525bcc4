//! Every limit can be set, reports what it limits, and is safe at its maximum.

use overrule::check::{self, Settings};
use overrule::engine::Choice;
use overrule::finding::{Finding, Severity};
use overrule::limits::Limit;
use overrule::policy::Policy;
use overrule::vfs::Snapshot;

/// The findings within some limits.
fn found(limits: &[(Limit, u64)], files: &[(&str, String)]) -> Vec<Finding> {
    found_by("language", limits, files)
}

fn found_by(preset: &str, limits: &[(Limit, u64)], files: &[(&str, String)]) -> Vec<Finding> {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.clone().into_bytes())).collect();
    let engines = Choice::parse("terraform@1.11").expect("an engine");
    let mut policy = Policy::preset(preset).expect("a preset");
    policy.limit(limits.iter().copied());
    let settings = Settings { engines: Some(engines), policy, ..Settings::default() };
    let verdicts = check::run(&mut Snapshot::of_files(files), &settings).verdicts;
    verdicts.into_iter().map(|verdict| verdict.finding).collect()
}

/// The summaries, details and help texts of findings about limits.
fn bites(limits: &[(Limit, u64)], files: &[(&str, String)]) -> Vec<String> {
    bites_of("language", limits, files)
}

fn bites_of(preset: &str, limits: &[(Limit, u64)], files: &[(&str, String)]) -> Vec<String> {
    let told = found_by(preset, limits, files)
        .into_iter()
        .filter(|finding| finding.rule.as_str() == "limit-reached");
    told.map(|finding| {
        format!("{}: {} ({})", finding.summary, finding.detail, finding.help.unwrap_or_default())
    })
    .collect()
}

fn locals(value: &str) -> String {
    format!("locals {{\n  a = {value}\n}}\n")
}

#[test]
fn nesting_above_a_limit_is_reported() {
    let deep = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
    let json = |levels| format!("{{\"locals\": {{\"a\": {}}}}}", deep(levels));
    let limit = [(Limit::Nesting, 20)];
    let order = "raise the limit, with `limits { nesting = 200 }` in the policy or `--limit nesting=200`";
    assert_eq!(bites(&limit, &[("main.tf", locals(&deep(15))), ("a.tf.json", json(18))]), [""; 0]);
    assert_eq!(
        bites(&limit, &[("main.tf", locals(&deep(25)))]),
        [format!(
            "Nesting too deep: overrule does not read deeper nesting. The limit `nesting` is 20. \
             ({order})"
        )]
    );
    assert_eq!(
        bites(&limit, &[("main.tf.json", json(25))]),
        [format!(
            "Values nested too deep: The values here are nested too deeply, so overrule did not check the inner \
             ones. The limit `nesting` is 20. ({order})"
        )]
    );
    assert_eq!(bites(&[(Limit::Nesting, 150)], &[("main.tf.json", json(140))]), [""; 0]);
    // Each local value contains the one before it.
    let chain: Vec<String> = (0..15).map(|n| format!("a{n} = [local.a{}]", n + 1)).collect();
    let chain = [("main.tf", format!("locals {{\n{}\na15 = 1\n}}\n", chain.join("\n")))];
    assert_eq!(bites(&limit, &chain), [""; 0]);
    let told = bites(&[(Limit::Nesting, 10)], &chain);
    assert!(matches!(&told[..], [one] if one.starts_with("Value nested too deep: ")), "{told:?}");
}

#[test]
fn provider_configurations_are_followed_to_some_modules() {
    let chain = |length: usize| -> Vec<(String, String)> {
        let module = |n| {
            format!("resource \"p{n}_x\" \"y\" {{}}\nmodule \"a\" {{\n  source = \"../m{}\"\n}}\n", n + 1)
        };
        let last = (format!("m{length}/main.tf"), String::new());
        (0..length).map(|n| (format!("m{n}/main.tf"), module(n))).chain([last]).collect()
    };
    let bites = |length| {
        let files = chain(length);
        let files: Vec<(&str, String)> =
            files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
        bites(&[], &files)
    };
    assert_eq!(bites(900), [""; 0]);
    let told = bites(1_100);
    assert!(
        matches!(&told[..], [one] if one.starts_with("Too many provider configurations to follow: ")),
        "{told:?}"
    );
}

#[test]
fn errors_above_the_limit_are_counted() {
    let json = format!("{{\"locals\": {{\"a\": [{}]}}}}", "nul, ".repeat(1_500));
    let native = "a b c\n".repeat(1_500);
    let braces = "x = 1 ' \u{201c} \u{201d}\n".repeat(1_500);
    for (name, text) in [("main.tf.json", json), ("main.tf", native), ("main.tf", braces)] {
        let found = found(&[], &[(name, text.clone())]);
        let mistakes = found.iter().filter(|finding| finding.rule.as_str() == "syntax-error").count();
        assert_eq!(mistakes, 1_000, "{name}");
        assert_eq!(
            bites(&[], &[(name, text.clone())]),
            [
                "Too many syntax errors in one file: This file has too many syntax errors, so overrule does not \
                 report the ones from here on. The limit `mistakes` is 1,000. (raise the limit, with `limits { mistakes = 10000 }` in the \
              policy or `--limit mistakes=10000`)"
            ],
            "{name}"
        );
        assert_eq!(bites(&[(Limit::Mistakes, 10_000)], &[(name, text)]), [""; 0], "{name}");
    }
}

#[test]
fn evaluation_above_the_limit_is_reported_once_per_module() {
    let cheap = "length([for x in [1, 2, 3] : x])";
    let limit = [(Limit::Evaluation, 1_000)];
    assert_eq!(bites(&limit, &[("main.tf", locals(cheap))]), [""; 0]);
    let long = format!("length([{}])", "1, ".repeat(1_500));
    assert_eq!(
        bites(&limit, &[("main.tf", locals(&long))]),
        [
            "Expression too expensive to evaluate: The value is treated as unknown. The limit `evaluation` is 1,000. \
          (simplify the expression, or try a higher limit, with `limits { evaluation = 10000 }` in the policy or `--limit evaluation=10000`)"
        ]
    );
    assert_eq!(bites(&[(Limit::Evaluation, 2_000)], &[("main.tf", locals(&long))]), [""; 0]);
    // Each is cheap, and together they exceed the limit more than three times.
    let many: Vec<String> = (0..20).map(|n| format!("a{n} = length([{}])", "1, ".repeat(400))).collect();
    let told = bites(&limit, &[("main.tf", format!("locals {{\n{}\n}}\n", many.join("\n")))]);
    assert!(
        matches!(&told[..], [one] if one.starts_with("Expression too expensive to evaluate: ")),
        "{told:?}"
    );
    // A constant that only its own block needs.
    let default = format!("variable \"a\" {{\n  default = [{}]\n}}\n", "1, ".repeat(1_500));
    assert_eq!(bites(&limit, &[("main.tf", default)]).len(), 1);
}

#[test]
fn a_file_adds_steps_only_to_the_module_that_it_belongs_to() {
    // More steps than an expression has without a file.
    let costly = "[for i in range(1000) : [range(1000), range(1000)]]";
    let main = locals(&format!("[length(file(\"${{path.module}}/m/d.txt\")), {costly}]"));
    let files = |other: &'static str| {
        vec![("main.tf", main.clone()), ("m/d.txt", "x".repeat(90_000)), (other, String::new())]
    };
    assert_eq!(bites(&[], &files("n/main.tf")), [""; 0]);
    assert_eq!(bites(&[], &files("m/main.tf")).len(), 1);
}

#[test]
fn a_value_above_a_limit_is_a_notice() {
    let long = locals(&format!("length([{}])", "1, ".repeat(1_500)));
    let deep = locals(&format!("1\n  a0 = {}", "[".repeat(12) + &"]".repeat(12)));
    for (limits, text, severity) in
        [((Limit::Evaluation, 1_000), long, Severity::Notice), ((Limit::Nesting, 10), deep, Severity::Error)]
    {
        let severities: Vec<_> =
            found(&[limits], &[("main.tf", text)]).into_iter().map(|one| one.severity).collect();
        assert_eq!(severities, [severity]);
    }
}

#[test]
fn two_expensive_values_do_not_hide_other_errors() {
    let costly = "[for x in range(1000) : [for y in range(1000) : x * y]]";
    let told =
        found(&[], &[("main.tf", locals(&format!("{costly}\n  b = {costly}\n  c = {{ d = 1 }}[\"e\"]")))]);
    let told: Vec<String> = told.into_iter().map(|one| one.summary).collect();
    let expensive = "Expression too expensive to evaluate";
    assert_eq!(told, [expensive, expensive, "Invalid index"]);
}

#[test]
fn references_to_parts_of_large_local_values_are_cheap() {
    let text = r#"
locals {
  sizes = { for size in range(300) : "s${size}" => { size = size, zones = ["a", "b", "c"] } }
  zones = {
    for env in ["dev", "prod"] : env => {
      for zone in flatten([for name, size in local.sizes : [for zone in size.zones : { key = "${name}-${zone}", size = size }]]) :
      zone.key => zone
    }
  }
  tiers = {
    for env in ["dev", "prod"] : env => {
      for name, zone in local.zones[env] : name => { for tier in ["hot", "cold"] : tier => try(zone.size.tiers[tier], "none") }
    }
  }
  all = {
    for env in ["dev", "prod"] : env => {
      for name, zone in local.zones[env] : name => { for tier in ["hot", "cold"] : tier => "${local.tiers[env][name][tier]} ${zone.size.size}" }
    }
  }
  known = local.all.prod["s299-c"].warm
}
"#;
    let told: Vec<String> =
        found(&[], &[("main.tf", text.to_owned())]).into_iter().map(|one| one.summary).collect();
    assert_eq!(told, ["Unsupported attribute"]);
}

#[test]
fn a_file_that_is_decoded_for_each_of_its_keys_is_cheap() {
    let rules: Vec<String> = (0..400).map(|rule| format!("\"rule{rule}\": {{\"port\": {rule}}}")).collect();
    let text = r#"
locals {
  rules = { for name in keys(jsondecode(file("rules.json"))) : name => jsondecode(file("rules.json"))[name] }
  names = [for name, rule in local.rules : "${name}: ${jsondecode(file("rules.json"))[name].port} ${rule.port}"]
  ports = [for name in keys(local.rules) : [for at in [1, 2] : jsondecode(file("rules.json")).rule7.port + at]]
  known = "${local.names[0]} ${local.ports[399][1]} ${local.rules.rule399.protocol}"
}
"#;
    let files = [("main.tf", text.to_owned()), ("rules.json", format!("{{{}}}", rules.join(", ")))];
    let told: Vec<String> = found(&[], &files).into_iter().map(|one| one.summary).collect();
    assert_eq!(told, ["Unsupported attribute"]);
}

#[test]
fn strings_above_the_limit_of_functions_are_reported() {
    let long = "x".repeat(200);
    let limit = [(Limit::Evaluation, 1_000)];
    for call in [
        format!("format(\"%s%s\", \"{long}\", \"{long}\")"),
        format!("formatlist(\"{long}\", [1])"),
        format!("regex(\"x+\", \"{long}\")"),
        format!("regexall(\"{long}\", \"x\")"),
        format!("replace(\"{long}\", \"x\", \"{long}\")"),
    ] {
        let told = bites(&limit, &[("main.tf", locals(&call))]);
        assert!(
            matches!(&told[..], [one] if one.starts_with("Expression too expensive to evaluate: ")),
            "{call}: {told:?}"
        );
        assert_eq!(bites(&[], &[("main.tf", locals(&call))]), [""; 0], "{call}");
    }
}

#[test]
fn a_search_without_matches_is_cheap() {
    let text = "word = \"some text here\"\\n".replace('"', "'").repeat(1_000);
    let call = format!("length(regexall(\"module\\\\s+\", \"{text}\")) == 0 ? [1][1] : 0");
    let told: Vec<String> =
        found(&[], &[("main.tf", locals(&call))]).into_iter().map(|one| one.summary).collect();
    assert_eq!(told, ["Invalid index"]);
}

#[test]
fn a_replacement_costs_no_more_than_its_result() {
    let (text, with) = ("some text ".repeat(2_000), "other text ".repeat(1_000));
    let call = format!("length(replace(\"{text}HERE\", \"HERE\", \"{with}\")) == 31000 ? [1][1] : 0");
    let told: Vec<String> =
        found(&[], &[("main.tf", locals(&call))]).into_iter().map(|one| one.summary).collect();
    assert_eq!(told, ["Invalid index"]);
}

#[test]
fn after_a_limit_no_value_of_a_test_counts_as_known_only_after_apply() {
    let module =
        "variable \"a\" {\n  type = string\n}\nresource \"terraform_data\" \"r\" {\n  input = var.a\n}\n";
    let assertion = |condition: &str| {
        format!("  assert {{\n    condition     = {condition}\n    error_message = \"no\"\n  }}\n")
    };
    let costly = "length([for x in range(700) : [for y in range(700) : var.a]]) > 0";
    let run = |before: usize| {
        format!(
            "run \"a\" {{\n  command = plan\n  variables {{\n    a = \"b\"\n  }}\n{}{}}}\n",
            assertion(costly).repeat(before),
            assertion("terraform_data.r.input == \"b\"")
        )
    };
    for before in [0, 12] {
        let files = [("main.tf", module.to_owned()), ("a.tftest.hcl", run(before))];
        let told: Vec<String> = found(&[], &files).into_iter().map(|one| one.summary).collect();
        assert!(told.iter().all(|one| one == "Expression too expensive to evaluate"), "{told:?}");
    }
}

#[test]
fn a_large_local_value_is_known_to_those_that_refer_to_it() {
    let large = "[for n in range(1000) : [n, n, n, n, n, n, n, n]]\n  b = local.a[1000]";
    let told: Vec<String> =
        found(&[], &[("main.tf", locals(large))]).into_iter().map(|one| one.summary).collect();
    assert_eq!(told, ["Invalid index"]);
}

#[test]
fn conditions_that_are_not_compared_are_reported_once() {
    let asks = |n: usize| {
        let call = format!("module \"m\" {{\n  source = \"../m{}\"\n}}\n", n + 1);
        let version = format!("terraform {{\n  required_version = \"!= 1.0.{n}\"\n}}\n");
        (format!("m{n}/main.tf"), if n == 19 { version } else { call + &version })
    };
    let files: Vec<(String, String)> = (0..20).map(asks).collect();
    let files: Vec<(&str, String)> = files.iter().map(|(name, text)| (name.as_str(), text.clone())).collect();
    assert_eq!(bites_of("recommended", &[(Limit::Conditions, 20)], &files), [""; 0]);
    assert_eq!(
        bites_of("recommended", &[(Limit::Conditions, 10)], &files),
        [
            "Too many version conditions to compare: Some version constraints on Terraform in this module and its \
             child modules are not compared. The limit `conditions` is 10. (raise the limit, with `limits { conditions = 100 }` \
             in the policy or `--limit conditions=100`)"
        ]
    );
}

/// With the maximal nesting, no thread overflows its stack: neither those of a check, which have 2 MiB by default,
/// nor this one, which has as much.
#[test]
fn at_the_highest_nesting_no_thread_runs_out_of_stack() {
    let most = Limit::Nesting.entry().max;
    let levels = usize::try_from(most).expect("a small number");
    let nested = |start: &str, middle: &str, end: &str, levels: usize| {
        format!("{}{middle}{}", start.repeat(levels), end.repeat(levels))
    };
    let mut files: Vec<(&'static str, String)> = Vec::new();
    // At the limit, slightly below the limit of the expression parser, and slightly above.
    for levels in [levels / 4, levels / 3, levels - 4, levels - 1, levels, levels + 10] {
        for (start, middle, end) in [
            ("(", "1", ")"),
            ("[", "1", "]"),
            ("{ a = ", "1", " }"),
            ("true ? 1 : ", "1", ""),
            ("f(", "1", ")"),
            ("\"${", "x", "}\""),
            ("[for x in ", "[]", " : x]"),
            ("-", "1", ""),
            ("!", "true", ""),
            ("b[", "1", "]"),
        ] {
            files.push(("main.tf", locals(&nested(start, middle, end, levels))));
            let text = nested(start, middle, end, levels).replace('"', "\\\"");
            files.push(("main.tf.json", format!("{{\"locals\": {{\"a\": \"${{{text}}}\"}}}}")));
        }
        // In these trees, the last step is at the top.
        for step in [" + 1", "[*]", ".*[0]", "[c]"] {
            let chain = format!("b{}", step.repeat(2 * levels));
            files.push(("main.tf", locals(&chain)));
            files.push(("main.tf", locals(&nested("[", &chain, "]", levels - 1))));
        }
        for (start, middle, end) in [("list(", "any", ")"), ("object({ a = optional(", "any", ") })")] {
            let ty = nested(start, middle, end, levels);
            files.push(("main.tf", format!("variable \"a\" {{\n  type = {ty}\n}}\n")));
            files.push(("main.tf.json", format!("{{\"variable\": {{\"a\": {{\"type\": \"{ty}\"}}}}}}")));
        }
        files.push(("main.tf", nested("a {\n", "", "}\n", levels)));
        let dynamic = nested("dynamic \"a\" {\nfor_each = [1]\ncontent {\n", "", "}\n}\n", levels / 2);
        files.push(("main.tf", format!("resource \"a\" \"b\" {{\n{dynamic}}}\n")));
        for (start, end) in [("[", "]"), ("{\"a\": ", "}"), ("[{\"a\": ", "}]")] {
            let json = nested(start, "\"${local.b}\"", end, levels / start.matches(['[', '{']).count());
            files.push(("main.tf.json", format!("{{\"locals\": {{\"a\": {json}, \"b\": 1}}}}")));
            files.push(("main.tf.json", format!("{{\"resource\": {{\"a\": {{\"b\": {json}}}}}}}")));
            files.push(("main.tf.json", format!("{{\"variable\": {{\"a\": {{\"default\": {json}}}}}}}")));
            files.push(("main.tf.json", format!("{{\"output\": {{\"a\": {{\"value\": {json}}}}}}}")));
        }
        // A chain of local values that early evaluation needs.
        let chain: Vec<String> = (0..levels).map(|n| format!("a{n} = local.a{}", n + 1)).collect();
        let chain = chain.join("\n");
        files.push((
            "main.tofu",
            format!(
                "locals {{\n{chain}\na{levels} = \"./x\"\n}}\nmodule \"m\" {{\n  source = local.a0\n}}\n"
            ),
        ));
    }
    let checked = std::thread::Builder::new().stack_size(2 << 20).spawn(move || {
        for (name, text) in files {
            let mut snapshot = Snapshot::of_files(vec![(name.to_owned(), text.clone().into_bytes())]);
            let mut policy = Policy::preset("strict").expect("a preset");
            policy.limit([(Limit::Nesting, most)]);
            let outcome = check::run(&mut snapshot, &Settings { policy, ..Settings::default() });
            for format in overrule::report::Format::ALL {
                format.write(&outcome, snapshot.sources(), &overrule::report::Style::default());
            }
        }
    });
    checked.expect("a thread").join().expect("it ends");
}

/// A repository of so many modules. In one of them eleven rules have four findings each.
fn rules_in_a_large_repository(modules: usize) -> Vec<(String, Vec<u8>)> {
    let rule = |name: &str| {
        format!("rule \"naming\" \"{name}\" {{\n  blocks = [\"variable\"]\n  style  = \"kebab-case\"\n}}\n")
    };
    let rules: String = ('b'..='k').map(|letter| rule(&letter.to_string())).collect();
    let comment = "# overrule: allow(k) it is never reported\n";
    let variables = [0, 1, 2, 3].map(|number| format!("variable \"a_{number}\" {{}}\n")).concat();
    let mut files = vec![
        (
            "overrule.hcl".to_owned(),
            format!("policy {{\n  extends = [\"language\"]\n}}\nrule \"unused-exception\" {{}}\n{rules}"),
        ),
        ("m/main.tf".to_owned(), format!("{comment}{variables}")),
    ];
    files.extend((1..modules).map(|number| (format!("n{number}/main.tf"), String::new())));
    files.into_iter().map(|(path, text)| (path, text.into_bytes())).collect()
}

/// The details of the findings without an address.
fn under_policy(files: Vec<(String, Vec<u8>)>) -> Vec<String> {
    let mut snapshot = Snapshot::of_files(files);
    let file = snapshot.read_policy().expect("one policy");
    let policy = check::load_policy(&mut snapshot, file).expect("a policy without a mistake");
    let verdicts = check::run(&mut snapshot, &Settings { policy, ..Settings::default() }).verdicts;
    let findings = verdicts.into_iter().map(|verdict| verdict.finding);
    findings.filter(|finding| finding.address.is_empty()).map(|finding| finding.detail).collect()
}

#[test]
fn rules_are_skipped_once_others_find_too_much() {
    let found = |modules: usize| under_policy(rules_in_a_large_repository(modules));
    assert_eq!(found(2), [""; 0]);
    // The exception for a rule that did not run may have an effect.
    assert_eq!(
        found(1_500),
        ["Not checked in this module: 2 rules. The other rules already have more than 30 findings in it."]
    );
}

#[test]
fn custom_rules_are_skipped_once_others_take_too_many_steps() {
    let rule = |number: usize| {
        format!("rule \"naming\" \"n{number}\" {{\n  blocks = [\"variable\"]\n  pattern = \"v.*\"\n}}\n")
    };
    let found = |rules: usize| {
        let rules: String = (0..rules).map(rule).collect();
        let variable = |number: usize| format!("variable \"v{number}\" {{}}\n");
        let variables: String = (0..200).map(variable).collect();
        let policy = format!("policy {{\n  extends = [\"language\"]\n}}\n{rules}");
        let mut files = vec![("overrule.hcl".to_owned(), policy), ("m/main.tf".to_owned(), variables)];
        files.extend((1..1_000).map(|number| (format!("n{number}/main.tf"), String::new())));
        under_policy(files.into_iter().map(|(path, text)| (path, text.into_bytes())).collect())
    };
    assert_eq!(found(40), [""; 0]);
    assert_eq!(
        found(100),
        ["Not checked in this module: 48 rules. The policy has too many custom rules for its size."]
    );
}

/// Many small root modules, of which some need many steps for an error that only a plan finds.
fn plans(light: usize, heavy: usize) -> Vec<(String, String)> {
    let list = "output \"list\" {\n  value = [for i in range(500) : [for j in range(12) : i * j]]\n}\n";
    let call = "module \"m\" {\n  source = \"../m\"\n}\noutput \"o\" {\n  value = module.m.list[500]\n}\n";
    let plain = "module \"m\" {\n  source = \"../m\"\n}\n";
    let light = (0..light).map(|number| (format!("light{number}/main.tf"), plain.to_owned()));
    let heavy = (0..heavy).map(|number| (format!("heavy{number}/main.tf"), call.to_owned()));
    light.chain(heavy).chain([("m/main.tf".to_owned(), list.to_owned())]).collect()
}

/// The number of errors that only a plan finds, and of notices about limits, each with its help.
fn found_in_plans(light: usize, heavy: usize) -> (usize, Vec<String>) {
    let files = plans(light, heavy);
    let files: Vec<(&str, String)> = files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
    let found = found(&[], &files);
    let of = |summary: &str| found.iter().filter(|finding| finding.summary == summary).count();
    let notices = found.iter().filter(|finding| finding.summary == "Module too expensive to evaluate");
    let helps = notices.map(|finding| finding.help.clone().unwrap_or_default()).collect();
    (of("Invalid index"), helps)
}

#[test]
fn plans_of_some_modules_take_the_steps_that_others_leave() {
    assert_eq!(found_in_plans(150, 8), (8, Vec::new()));
}

#[test]
fn modules_without_enough_steps_for_a_plan_are_reported() {
    let (errors, notices) = found_in_plans(150, 100);
    assert!(errors > 8 && errors < 100, "{errors}");
    let help = "try a higher limit, with `limits { evaluation = 20000000 }` in the policy or \
                `--limit evaluation=20000000`";
    assert_eq!(notices, [help]);
}

use super::*;
use crate::finding::Severity;
use crate::graph::Role;
use crate::limits::{Limit, Limits};
use indoc::indoc;

const RULES: &[&str] =
    &["syntax-error", "invalid-name", "override-drops-provider-source", "unused-exception"];
const TEMPLATES: &[&str] = &["naming", "required-argument"];

fn load(files: &[(&str, &str)]) -> Result<Policy, Vec<String>> {
    let texts = files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()));
    let mut snapshot = Snapshot::of_files(texts.collect());
    let file = snapshot.read_policy().expect("one policy").expect("a policy");
    let names = Names { rules: RULES, templates: TEMPLATES };
    let (policy, findings) = Policy::load(file, &mut snapshot, names);
    let reported = findings.iter().map(|finding| {
        let place = finding.primary.map(|span| snapshot.sources().place(span)).unwrap_or_default();
        let help = finding.help.as_deref().map(|help| format!(" ({help})")).unwrap_or_default();
        format!("{place}: {}: {}{help}", finding.summary, finding.detail)
    });
    policy.filter(|_| findings.is_empty()).ok_or_else(|| reported.collect())
}

fn loaded(text: &str) -> Policy {
    load(&[("overrule.hcl", text)]).expect("a policy without a mistake")
}

fn wrong(text: &str) -> Vec<String> {
    load(&[("overrule.hcl", text)]).expect_err("a mistake")
}

fn level(policy: &Policy, rule: &str, path: &str) -> String {
    let (_, setting) = policy.setting(rule, path).expect("a setting");
    let level = setting.level.map_or("the engine's", Level::word);
    format!("{level} by {}:{}", setting.set_by.file, setting.set_by.line)
}

#[test]
fn without_extends_the_recommended_preset_applies() {
    let policy = loaded("");
    assert!(policy.setting("override-drops-provider-source", "main.tf").is_some_and(|(_, set)| set.is_on()));
    let policy = loaded("policy {\n  extends = [\"language\"]\n}\n");
    assert!(policy.setting("override-drops-provider-source", "main.tf").is_none());
}

#[test]
fn the_later_and_the_nearer_wins_and_a_block_whole() {
    let policy = loaded(indoc! {r#"
        rule "invalid-name" { level = "warning" }
        paths "live" {
          rule "invalid-name" { level = "off" }
        }
        rule "invalid-name" { level = "notice" }
    "#});
    assert_eq!(level(&policy, "invalid-name", "net/main.tf"), "notice by overrule.hcl:5");
    assert_eq!(level(&policy, "invalid-name", "live/a/main.tf"), "off by overrule.hcl:3");
    assert_eq!(level(&policy, "syntax-error", "main.tf").split(' ').next(), Some("the"));
}

#[test]
fn a_rule_named_without_a_level_keeps_the_one_that_it_had() {
    let policy = loaded("rule \"override-drops-provider-source\" {}\n");
    assert_eq!(level(&policy, "override-drops-provider-source", ""), "error by overrule.hcl:1");
    let policy = loaded(indoc! {r#"
        policy {
          extends = []
        }
        rule "override-drops-provider-source" {}
    "#});
    assert_eq!(level(&policy, "override-drops-provider-source", ""), "error by overrule.hcl:4");
}

#[test]
fn a_policy_starts_from_files_beside_it() {
    let policy = load(&[
        (".config/overrule.hcl", "policy {\n  extends = [\"language\", \"./team/base.hcl\"]\n}\n"),
        (
            ".config/team/base.hcl",
            indoc! {r#"
                policy {
                  extends = []
                  fail_on = "warning"
                  engine = "terraform@1.11"
                }
                rule "invalid-name" { level = "notice" }
            "#},
        ),
    ]);
    let policy = policy.expect("a policy without a mistake");
    assert_eq!(level(&policy, "invalid-name", ""), "notice by .config/team/base.hcl:6");
    assert!(policy.fail_on().is_met_by(Severity::Warning));
    assert_eq!(policy.engine().map(|choice| choice.engines().len()), Some(1));
    let ring = load(&[
        ("overrule.hcl", "policy {\n  extends = [\"./a.hcl\"]\n}\n"),
        ("a.hcl", "policy {\n  extends = [\"./overrule.hcl\", \"./b.hcl\"]\n}\n"),
    ]);
    assert_eq!(
        ring.map(|_| ()).expect_err("a ring"),
        [
            "a.hcl:2,14: Policy that extends itself: `./overrule.hcl` leads back to this file.",
            "a.hcl:2,32: Missing policy file: `./b.hcl`: there is no such file.",
        ]
    );
}

#[test]
fn roles_and_what_is_excluded_are_patterns() {
    use crate::graph::Role;
    let policy = loaded(indoc! {r#"
        policy {
          exclude = ["old"]
        }
        role "shared" {
          paths = ["lib/*"]
        }
        role "root" {
          paths = ["lib/app"]
        }
    "#});
    assert_eq!(policy.role("lib/net"), Some(Role::Shared));
    assert_eq!(policy.role("lib/app"), Some(Role::Root), "the later wins");
    assert_eq!(policy.role("live"), None);
    assert!(policy.excludes("old/a.tf") && !policy.excludes("new/a.tf"));
}

#[test]
fn an_exception_has_a_rule_a_path_a_reason_and_a_last_day() {
    let policy = loaded(indoc! {r#"
        exception "invalid-name" {
          paths  = ["old"]
          reason = "goes away"
          until  = "2027-03-31"
        }
    "#});
    let [exception] = policy.exceptions() else { panic!("one exception") };
    assert!(exception.covers("invalid-name", "old/main.tf"));
    assert!(!exception.covers("invalid-name", "new/main.tf"));
    assert!(!exception.covers("invalid-value", "old/main.tf"));
    assert_eq!(exception.until.map(|until| until.date.to_string()).as_deref(), Some("2027-03-31"));
}

#[test]
fn a_mistake_names_its_place_and_the_nearest_right_word() {
    assert_eq!(
        wrong("rule \"invalid-nam\" {}\n"),
        ["overrule.hcl:1,6: Unknown rule: No rule is named `invalid-nam`. (did you mean `invalid-name`?)"]
    );
    assert_eq!(
        wrong("rule \"invalid-name\" { level = \"warn\" }\n"),
        [
            "overrule.hcl:1,31: Invalid value for `level`: `warn` is not allowed here. Use one of `error`, `warning`, \
             `notice`, `off`."
        ]
    );
    assert_eq!(
        wrong("policy {\n  extends = [\"stricter\"]\n}\n"),
        ["overrule.hcl:2,14: Unknown preset: No preset is named `stricter`. (did you mean `strict`?)"]
    );
    assert_eq!(
        wrong("rule \"syntax-error\" { level = \"off\" }\n"),
        [
            "overrule.hcl:1,31: Rule that cannot be turned off: `syntax-error` reports files that could not be checked, so no policy can hide its findings."
        ]
    );
    assert_eq!(
        wrong("role \"roots\" {}\n"),
        ["overrule.hcl:1,6: Unknown role: No role is named `roots`. (did you mean `root`?)"]
    );
    assert_eq!(
        wrong(indoc! {r#"
            exception "invalid-name" {
              reason = " "
              until = "tomorrow"
            }
        "#}),
        [
            "overrule.hcl:2,12: Exception without a reason:  (add a `reason`)",
            "overrule.hcl:3,11: Invalid date: `tomorrow` is not a valid date. (write year, month and day, as \
             in \"2027-03-31\")",
        ]
    );
    assert_eq!(
        wrong("exception \"invalid-name\" {}\n"),
        [
            "overrule.hcl:1,1: Missing required argument: The argument `reason` is required, but it is not set. (set `reason`)"
        ]
    );
}

#[test]
fn a_mistake_has_a_way_out() {
    assert_eq!(wrong("rules \"a\" {}\nrule {}\n").len(), 2);
    assert_eq!(
        wrong("rules \"a\" {}\nrule \"x\" { level = }\nrule \"y {}\nrule \"z\" {}\n"),
        ["overrule.hcl:2,20: Invalid expression: An expression cannot start like this."],
        "all others may follow from the first syntax error"
    );
    assert_eq!(
        wrong("rule \"naming\" \"x\" \"y\" {}\n"),
        [
            "overrule.hcl:1,19: Extraneous label for rule: A `rule` block has one label, the name, or two: the rule template and the name of a custom rule. (remove this label)"
        ]
    );
    assert_eq!(
        wrong(
            "rule \"invalid-*\" {}\nrule \"strict\" {}\nexception \"invalid-name\" {\n  expires = \"x\"\n}\npaths \"a\" {\n  level = \"off\"\n}\n"
        ),
        [
            "overrule.hcl:7,3: Unsupported argument: No argument named `level` is expected here. (a `paths` block has only `rule` blocks; options of a rule belong there)",
            "overrule.hcl:4,3: Unsupported argument: No argument named `expires` is expected here. (this block has `paths`, `reason`, `until`)",
            "overrule.hcl:1,6: Unknown rule: No rule is named `invalid-*`. (a `rule` block names one rule; write one block for each)",
            "overrule.hcl:2,6: Unknown rule: No rule is named `strict`. (`strict` is a preset: add it to `extends` of the `policy` block)",
        ]
    );
    assert_eq!(
        wrong(
            "policy {\n  extends = [\"/a.hcl\", \"https://x.y/z.hcl\", \"../x.hcl\"]\n}\nrule \"of-x\" {}\n"
        ),
        [
            "overrule.hcl:2,14: Invalid policy file: `/a.hcl` is an absolute path. Paths are relative to the directory of this policy. (copy the file into the repository, and write its path as in `./base.hcl`)",
            "overrule.hcl:2,24: Invalid policy file: `https://x.y/z.hcl` is a URL. A policy extends presets and files of its repository only. (copy the file into the repository)",
            "overrule.hcl:2,45: Missing policy file: `../x.hcl`: it is outside the repository. (copy the file into the repository)",
        ]
    );
    assert_eq!(
        wrong("locals {\n  a = 1\n}\nresource \"a\" \"b\" {}\n"),
        [
            "overrule.hcl:1,1: Unsupported block type: Blocks of type `locals` are not expected here. (this block belongs into a Terraform file; name a policy file, such as `overrule.hcl`)",
            "overrule.hcl:4,1: Unsupported block type: Blocks of type `resource` are not expected here. (this block belongs into a Terraform file; name a policy file, such as `overrule.hcl`)"
        ]
    );
    assert_eq!(
        wrong("policy {\n  extends = [strict]\n  fail_on = error\n}\nrole \"root\" {\n  paths = []\n}\n"),
        [
            "overrule.hcl:2,14: Unsuitable value: `extends` must be a list of quoted strings. (write `\"strict\"`)",
            "overrule.hcl:3,13: Unsuitable value: `fail_on` must be a quoted string. (write `\"error\"`)",
            "overrule.hcl:6,11: Invalid `paths`: With an empty `paths`, this block has no effect. (name a directory, or remove the block)",
        ]
    );
    assert_eq!(
        wrong(indoc! {r#"
            paths "a[" {}
            policy {
              engine = "terrafrom"
              fail_on = 1
            }
        "#}),
        [
            "overrule.hcl:3,12: Invalid engine: No engine is named `terrafrom`. (did you mean `terraform`?)",
            "overrule.hcl:4,13: Unsuitable value: `fail_on` must be a quoted string.",
            "overrule.hcl:1,7: Invalid pattern: `a[` cannot be used: the bracket `[` is not closed.",
        ]
    );
}

const OWNER: &str = indoc! {r#"
    rule "required-argument" "owner-tag" {
      level = "warning"
      argument = "tags.Owner"
    }
"#};

fn kind<'p>(policy: &'p Policy, rule: &str) -> Option<&'p str> {
    policy.definition(rule).map(|definition| definition.template.as_str())
}

/// What the setting at a path sets for one option.
fn option(policy: &Policy, rule: &str, path: &str, name: &'static str) -> Option<String> {
    let (_, setting) = policy.setting(rule, path).expect("a setting");
    setting.options().string(name).expect("a text").map(|text| text.to_string())
}

#[test]
fn blocks_of_a_custom_rule_form_one_rule() {
    let policy = loaded(&format!(
        "{OWNER}exception \"owner-tag\" {{\n  reason = \"x\"\n}}\npaths \"lab\" {{\n  rule \"owner-tag\" {{ level = \"off\" }}\n}}\n"
    ));
    assert_eq!(kind(&policy, "owner-tag"), Some("required-argument"));
    assert_eq!(level(&policy, "owner-tag", "main.tf"), "warning by overrule.hcl:1");
    assert_eq!(level(&policy, "owner-tag", "lab/main.tf"), "off by overrule.hcl:9");
    assert!(policy.exceptions()[0].covers("owner-tag", "a"));
}

#[test]
fn a_name_alone_sets_the_level_and_a_definition_all_of_it() {
    let after = |text: &str| {
        let base = format!("policy {{\n  extends = []\n}}\n{OWNER}");
        let text = format!("policy {{\n  extends = [\"./team.hcl\"]\n}}\n{text}");
        load(&[("overrule.hcl", &text), ("team.hcl", &base)]).expect("a policy without a mistake")
    };
    let policy = after("rule \"owner-tag\" { level = \"notice\" }\n");
    assert_eq!(level(&policy, "owner-tag", ""), "notice by overrule.hcl:4");
    assert_eq!(option(&policy, "owner-tag", "", "argument").as_deref(), Some("tags.Owner"));
    let policy = after("rule \"owner-tag\" {}\n");
    assert_eq!(level(&policy, "owner-tag", ""), "warning by overrule.hcl:4", "the level stays");
    let policy = after(indoc! {r#"
        paths "lab" {
          rule "required-argument" "owner-tag" {
            argument = "labels"
          }
        }
    "#});
    assert_eq!(level(&policy, "owner-tag", "lab/a.tf"), "error by overrule.hcl:5", "nothing is inherited");
    assert_eq!(option(&policy, "owner-tag", "lab/a.tf", "argument").as_deref(), Some("labels"));
    assert_eq!(option(&policy, "owner-tag", "a.tf", "argument").as_deref(), Some("tags.Owner"));
}

#[test]
fn a_custom_rule_that_is_off_can_be_selected() {
    let mut policy = loaded(&format!("{OWNER}rule \"owner-tag\" {{ level = \"off\" }}\n"));
    policy.turn_on("owner-tag");
    assert_eq!(level(&policy, "owner-tag", ""), "error by overrule.hcl:5");
    assert_eq!(option(&policy, "owner-tag", "", "argument").as_deref(), Some("tags.Owner"));
}

#[test]
fn a_rule_that_is_off_can_be_selected() {
    let mut policy = loaded("rule \"override-drops-provider-source\" { level = \"off\" }\n");
    policy.turn_on("override-drops-provider-source");
    assert!(policy.everywhere("override-drops-provider-source").is_some_and(Setting::is_on));
}

#[test]
fn a_selected_rule_stays_off_where_the_policy_turns_it_off() {
    let mut policy = loaded(indoc! {r#"
        paths "lab" {
          rule "override-drops-provider-source" { level = "off" }
        }
    "#});
    policy.turn_on("override-drops-provider-source");
    assert_eq!(level(&policy, "override-drops-provider-source", "lab/a.tf"), "off by overrule.hcl:2");
    assert!(policy.everywhere("override-drops-provider-source").is_some_and(Setting::is_on));
}

#[test]
fn a_mistake_in_a_definition_shows_the_way_out() {
    assert_eq!(
        wrong("rule \"naming\" {}\n"),
        [
            "overrule.hcl:1,6: Rule template without a name: `naming` is a rule template. A second label names the \
             custom rule. (add a second label: rule \"naming\" \"my-rule\" { … })"
        ]
    );
    assert_eq!(
        wrong(&format!("{OWNER}exception \"required-argument\" {{\n  reason = \"x\"\n}}\n")),
        [
            "overrule.hcl:5,11: Rule template without a name: `required-argument` is a rule template. A second label \
             names the custom rule. (name a custom rule, such as `owner-tag`; its level is set in its own block)"
        ]
    );
    assert_eq!(
        wrong("rule \"invalid-name\" \"own\" {}\n"),
        [
            "overrule.hcl:1,21: Rule takes no second label: `invalid-name` is a rule, not a rule template. (remove \
             the second label)"
        ]
    );
    assert_eq!(
        wrong("rule \"required-argment\" \"own\" {}\nrule \"x\" \"own\" {}\n")[0],
        "overrule.hcl:1,6: Unknown rule template: No rule template is named `required-argment`. (did you mean \
         `required-argument`?)"
    );
    assert_eq!(
        wrong("rule \"naming\" \"invalid-name\" {}\n"),
        [
            "overrule.hcl:1,15: Name is already used: `invalid-name` is a built-in rule. (give the rule another name)"
        ]
    );
    assert_eq!(
        wrong("rule \"naming\" \"My_Rule\" {}\n"),
        ["overrule.hcl:1,15: Invalid rule name: `My_Rule` is not a valid name of a rule. (write `my-rule`: \
             lowercase letters, digits and hyphens)"]
    );
    assert_eq!(
        wrong(&format!("{OWNER}rule \"naming\" \"owner-tag\" {{}}\n")),
        [
            "overrule.hcl:5,15: Name is already used: `owner-tag` is already a rule made from `required-argument`. \
             (give the rule another name)",
            "overrule.hcl:5,1: Duplicate rule name: A policy can define `owner-tag` only once for the same paths. (give one of them another name)",
        ]
    );
    assert_eq!(
        wrong(&format!("{OWNER}rule \"owner-tag\" {{\n  lvel = \"off\"\n}}\nrule \"owner-tga\" {{}}\n")),
        [
            "overrule.hcl:6,3: Option of a rule that is defined elsewhere: A block with one label sets only the level, roles, paths, message and help of `owner-tag`. (did you mean `level`?)",
            "overrule.hcl:8,6: Unknown rule: No rule is named `owner-tga`. (did you mean `owner-tag`?)",
        ]
    );
    assert_eq!(
        wrong(indoc! {r#"
            rule "naming" "own" {
              exmple "a" {}
              example {}
              example "a" {}
              example "b" {
                code = "${a}"
              }
            }
        "#}),
        [
            "overrule.hcl:2,3: Unsupported block type: Blocks of type `exmple` are not expected here. (did you mean `example`?)",
            "overrule.hcl:3,3: Example without a label:  (add one label that describes the example: `example \"a \
             bucket without an owner\"`)",
            "overrule.hcl:4,3: Missing required argument: The argument `code` is required, but it is not set. (set `code`)",
            "overrule.hcl:6,12: Unsuitable value: `code` must be a constant string. (write `$${` where the example has \
             `${`, and `%%{` where it has `%{`)",
        ]
    );
}

#[test]
fn the_nearest_policy_decides_whether_comments_suppress() {
    let block = |allowed: &str| format!("exceptions \"comments\" {{\n  allowed = {allowed}\n}}\n");
    assert_eq!(loaded("").allows_comments(), None);
    assert_eq!(loaded(&block("false")).allows_comments(), Some(false));
    let nearer = format!("policy {{\n  extends = [\"./base.hcl\"]\n}}\n{}", block("true"));
    let policy = load(&[("overrule.hcl", &nearer), ("base.hcl", &block("false"))]);
    assert_eq!(policy.expect("a policy without a mistake").allows_comments(), Some(true));
    assert_eq!(
        wrong("exceptions \"comment\" { allowed = \"no\" }\nexceptions \"comments\" {}\n"),
        [
            "overrule.hcl:1,12: Unknown label: The label of an `exceptions` block is `comments`. (write `exceptions \"comments\"`)",
            "overrule.hcl:1,34: Unsuitable value: `allowed` must be true or false.",
            "overrule.hcl:2,1: Missing required argument: The argument `allowed` is required, but it is not set. (set `allowed`)",
        ]
    );
}

#[test]
fn limits_are_those_of_the_nearest_file_that_sets_them() {
    let base = indoc! {r#"
        policy {
          extends = []
        }
        limits {
          file_size = "1 MiB"
          nesting   = 50
        }
    "#};
    let policy = indoc! {r#"
        policy {
          extends = ["./base.hcl"]
        }
        limits {
          nesting    = 60
          evaluation = "2000"
        }
    "#};
    let policy = load(&[("overrule.hcl", policy), ("base.hcl", base)]).expect("a policy without a mistake");
    let limits = Limits::default()
        .with(Limit::FileSize, 1 << 20)
        .with(Limit::Nesting, 60)
        .with(Limit::Evaluation, 2_000);
    assert_eq!(policy.limits(), limits);
    assert_eq!(loaded("").limits(), Limits::default());
    assert_eq!(loaded("limits {}\n").limits(), Limits::default());
}

#[test]
fn an_invalid_limit_is_reported_with_a_valid_one() {
    assert_eq!(
        wrong("limits {\n  nestng = 50\n}\n"),
        ["overrule.hcl:2,3: Unknown limit: No limit is named `nestng`. (did you mean `nesting`?)"]
    );
    assert_eq!(
        wrong("limits {\n  file_size = 64\n}\n"),
        [
            "overrule.hcl:2,15: Invalid `file_size`: `file_size` must be a size with its unit (`KiB`, `MiB` or `GiB`), \
          not `64`. (write it as in `file_size = \"64MiB\"`)"
        ]
    );
    for (value, start) in [
        ("0", "`nesting` must be at least 10. With a lower limit, almost nothing would be checked."),
        ("-5", "`nesting` must be a whole number, not `-5`."),
        ("1.5", "`nesting` must be a whole number, not `1.5`."),
        ("[50]", "`nesting` must be a whole number."),
        ("null", "`nesting` must be a whole number."),
        ("1e9", "`nesting` must be at most 200: "),
    ] {
        let reported = wrong(&format!("limits {{\n  nesting = {value}\n}}\n"));
        let start = format!("overrule.hcl:2,13: Invalid `nesting`: {start}");
        assert!(matches!(&reported[..], [one] if one.starts_with(&start)), "{reported:?}");
    }
    assert_eq!(
        wrong("limits {}\nlimits {}\n"),
        ["overrule.hcl:2,1: Duplicate limits block: A policy can have only one `limits` block."]
    );
}

#[test]
fn a_misspelled_name_is_reported_and_not_taken_for_a_missing_one() {
    let misspelled = |text: &str| {
        let findings = wrong(text);
        assert_eq!(findings.len(), 1, "{findings:?}");
        findings.into_iter().next().expect("one")
    };
    for (text, place, help) in [
        ("polcy {}\n", "1,1", "policy"),
        ("policy {\n  exclud = []\n}\n", "2,3", "exclude"),
        ("policy {\n  extends = [\"recomended\"]\n}\n", "2,14", "recommended"),
        ("role \"root\" {\n  path = [\"live\"]\n}\n", "2,3", "paths"),
        ("role \"rot\" {\n  paths = [\"live\"]\n}\n", "1,6", "root"),
        ("rule \"invalid-name\" {\n  level = \"eror\"\n}\n", "2,11", "error"),
        ("rule \"invalid-name\" {\n  roles = [\"rot\"]\n}\n", "2,12", "root"),
        ("paths \"live\" {\n  rul \"invalid-name\" {}\n}\n", "2,3", "rule"),
        ("exception \"invalid-name\" {\n  reson = \"x\"\n}\n", "2,3", "reason"),
        ("exceptions \"comments\" {\n  alowed = true\n}\n", "2,3", "allowed"),
        ("limits {\n  file_sise = \"1MiB\"\n}\n", "2,3", "file_size"),
        (
            indoc! {r#"
                rule "naming" "own" {
                  example "a" {
                    cod = ""
                  }
                }
            "#},
            "3,5",
            "code",
        ),
    ] {
        let found = misspelled(text);
        assert!(found.starts_with(&format!("overrule.hcl:{place}: ")), "{found}");
        assert!(found.ends_with(&format!("(did you mean `{help}`?)")), "{found}");
    }
}

#[test]
fn a_rule_can_say_where_it_reports() {
    let policy = loaded(indoc! {r#"
        rule "invalid-name" {
          paths = ["live", "!live/old"]
          roles = ["root"]
        }
    "#});
    let (_, setting) = policy.setting("invalid-name", "live/main.tf").expect("a setting");
    assert!(setting.common.has_path("live/main.tf") && !setting.common.has_path("live/old/main.tf"));
    assert_eq!(setting.common.roles.as_deref(), Some(&[Role::Root][..]));
    assert_eq!(
        wrong(indoc! {r#"
            rule "invalid-name" {
              paths = []
              roles = []
              message = " "
            }
            paths "live" {
              rule "invalid-name" {
                paths = ["live"]
              }
            }
        "#}),
        [
            "overrule.hcl:2,11: Invalid `paths`: With an empty `paths`, the rule can never report anything. (leave \
             `paths` out for the whole repository)",
            "overrule.hcl:3,11: Invalid `roles`: With an empty `roles`, the rule can never report anything. (leave \
             `roles` out for modules of every role)",
            "overrule.hcl:4,13: Invalid `message`: It is empty. (write a sentence, or leave it out)",
            "overrule.hcl:8,5: Invalid `paths`: The label of the `paths` block already says where this rule block applies. (remove `paths`, or move the rule out of the block)",
        ]
    );
    assert_eq!(
        wrong("rule \"syntax-error\" {\n  roles = [\"root\"]\n}\n"),
        [
            "overrule.hcl:2,3: Rule cannot be limited: `syntax-error` reports files that could not be checked, so it \
             applies to the whole repository. (remove `roles` and `paths`)"
        ]
    );
}

#[test]
fn many_wrong_names_get_no_suggestions() {
    let block = |name: &str| format!("rule \"{name}\" {{}}\n");
    let others: String = (0..30_000).map(|number| block(&format!("x{number}"))).collect();
    let found = wrong(&format!("{0}{others}{0}", block("invalid-names")));
    let [first, .., last] = &found[..] else { panic!("{} findings", found.len()) };
    assert!(first.ends_with("(did you mean `invalid-name`?)"), "{first}");
    assert!(last.ends_with("(`overrule rules` lists them all)"), "{last}");
}

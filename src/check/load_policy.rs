//! Loads a policy file and checks that its rules and options exist.

use smol_str::SmolStr;

use crate::check::active_rules::ActiveRules;
use crate::finding::Finding;
use crate::policy::{INVALID_POLICY, Names, Policy};
use crate::rules::page::PAGES;
use crate::rules::{TEMPLATES, Template};
use crate::text::FileId;
use crate::vfs::Snapshot;

/// The names of all built-in rules that a policy can configure.
pub fn rule_names() -> Vec<&'static str> {
    let is_rule = |name: &&str| *name != INVALID_POLICY.as_str() && Template::named(name).is_none();
    PAGES.iter().map(|page| page.rule).filter(is_rule).collect()
}

/// The names of all rules under a policy, with its custom rules, sorted.
pub fn rule_names_under(policy: &Policy) -> Vec<SmolStr> {
    let custom = policy.custom_rules().map(|(rule, _)| rule.clone());
    let mut names: Vec<SmolStr> = rule_names().into_iter().map(SmolStr::new_static).chain(custom).collect();
    names.sort_unstable();
    names
}

/// The names of all rule pages under a policy, sorted: rules, templates, and `invalid-policy`, which a policy cannot
/// configure.
pub fn page_names_under(policy: &Policy) -> Vec<SmolStr> {
    let custom = policy.custom_rules().map(|(rule, _)| rule.clone());
    let mut names: Vec<SmolStr> =
        PAGES.iter().map(|page| SmolStr::new_static(page.rule)).chain(custom).collect();
    names.sort_unstable();
    names
}

/// Loads the policy of a file, or the recommended one without a file. Each mistake is a finding.
pub fn load_policy(snapshot: &mut Snapshot, file: Option<FileId>) -> Result<Policy, Vec<Finding>> {
    let Some(file) = file else { return Ok(Policy::recommended()) };
    let templates: Vec<&str> = TEMPLATES.iter().map(|template| template.id).collect();
    let names = Names { rules: &rule_names(), templates: &templates };
    let (policy, mut findings) = Policy::load(file, snapshot, names);
    let Some(policy) = policy else { return Err(findings) };
    ActiveRules::new(&policy, &[], &mut findings);
    if findings.is_empty() { Ok(policy) } else { Err(findings) }
}

#[cfg(test)]
mod tests {
    use indoc::indoc;

    use super::*;

    fn load(text: &str) -> Result<Policy, Vec<Finding>> {
        let files = vec![("overrule.hcl".to_owned(), text.as_bytes().to_vec())];
        let mut snapshot = Snapshot::of_files(files);
        let file = snapshot.read_policy().expect("one policy");
        load_policy(&mut snapshot, file)
    }

    #[test]
    fn an_option_that_no_rule_has_is_a_mistake() {
        for rule in ["invalid-name", "override-drops-provider-source"] {
            let findings =
                load(&format!("rule \"{rule}\" {{\n  lvel = \"off\"\n}}\n")).expect_err("a mistake");
            assert_eq!(findings.len(), 1);
            assert_eq!(findings[0].summary, "Unknown option");
            assert_eq!(findings[0].help.as_deref(), Some("did you mean `level`?"));
        }
        assert!(load("rule \"invalid-name\" { level = \"off\" }\n").is_ok());
    }

    #[test]
    fn options_are_checked_in_a_policy_with_other_mistakes() {
        let findings = load(indoc! {r#"
            policy {
              fail_on = "warn"
            }
            rule "unused-declaration" {
              allow = ["a"]
            }
            rule "unused-declarations" {
              allow = ["a"]
            }
            rule "namng" "own" {
              style = "x"
            }
            rule "naming" "unused-output" {
              style = "x"
            }
            rule "naming" "own-names" {
              blocks = ["variable"]
              style  = "snake_cse"
            }
        "#});
        let found: Vec<String> = findings
            .expect_err("mistakes")
            .into_iter()
            .map(|finding| format!("{}: {}", finding.summary, finding.detail))
            .collect();
        assert_eq!(
            found,
            [
                "Invalid value for `fail_on`: `warn` is not allowed here. Use one of `error`, `warning`, `notice`, \
                 `never`.",
                "Unknown rule template: No rule template is named `namng`.",
                "Name is already used: `unused-output` is a built-in rule.",
                "Unknown rule: No rule is named `unused-declarations`.",
                "Invalid value for `style`: `snake_cse` is not allowed here.",
                "Unknown option: No option is named `allow`. Use one of `level`, `roles`, `paths`, `message`, `help`.",
            ]
        );
    }

    #[test]
    fn a_syntax_error_does_not_make_an_argument_missing() {
        let findings = load(indoc! {r#"
            rule "required-argument" "own" {
              blocks = ["resource"
              argument = "tags"
            }
        "#});
        let summaries: Vec<String> =
            findings.expect_err("a mistake").into_iter().map(|finding| finding.summary).collect();
        assert_eq!(summaries, ["Missing item separator"]);
    }

    #[test]
    fn a_misspelled_option_is_reported_before_a_missing_one() {
        for (kind, option, meant) in [
            ("allowed-source", "moduls = [\"acme/**\"]", "modules"),
            ("naming", "block = [\"resource\"]", "blocks"),
            ("required-argument", "blocks = [\"resource\"]\n  argumnt = \"tags\"", "argument"),
            ("required-file", "fil = \"README.md\"", "file"),
            ("forbidden-value", "value = [\"x\"]", "values"),
        ] {
            let findings =
                load(&format!("rule \"{kind}\" \"own\" {{\n  {option}\n}}\n")).expect_err("a mistake");
            assert_eq!(findings.len(), 1, "{kind}: {findings:?}");
            assert_eq!(findings[0].summary, "Unknown option");
            assert_eq!(findings[0].help, Some(format!("did you mean `{meant}`?")));
        }
        let missing = load("rule \"allowed-source\" \"own\" {}\n").expect_err("a mistake");
        assert_eq!(missing[0].summary, "Missing required argument");
    }
}

//! Runs the examples of rule pages and policies. A chapter holds the examples of one rule.

pub mod example;

use std::sync::Arc;

use rayon::prelude::*;
use smol_str::SmolStr;

use crate::check::doctest::example::{
    Difference, Example, OnPage, PageError, examples, has_examples, of_definition,
};
use crate::check::load_policy;
use crate::check::load_policy::page_names_under;
use crate::finding::{Finding, RuleId};
use crate::policy::{Definition, Policy, is_rule_name, makes_rules};
use crate::rules::page::{PAGES, Page};
use crate::text::{FileId, nearest};
use crate::vfs::{Documents, Snapshot, parent};

/// The examples of one rule in one file.
#[derive(Debug)]
pub struct Chapter {
    /// The path of the file.
    pub file: String,
    /// The rule.
    pub rule: RuleId,
    /// Whether the file is the page of this rule.
    pub is_page: bool,
    examples: Result<Vec<Example>, PageError>,
    policy: Arc<Policy>,
    /// The policy without custom rules. An example runs with its own rule only, because there may be many.
    others: Arc<Policy>,
}

/// The result of running a chapter.
#[derive(Debug)]
pub struct Proof {
    /// The number of examples.
    pub examples: usize,
    /// The examples that fail, or the reason why the chapter cannot be read.
    pub wrong: Result<Vec<Disproof>, PageError>,
}

/// An example that fails.
#[derive(Debug)]
pub struct Disproof {
    /// Its claim.
    pub claim: String,
    /// The line of the claim, from 1.
    pub line: usize,
    /// The differences, each with its location in the file if it has one.
    pub differences: Vec<(Option<OnPage>, Difference)>,
}

/// The pages of the built-in rules, except rules whose findings no text can show.
pub fn of_program() -> Vec<Chapter> {
    let policy = Arc::new(Policy::recommended());
    let page = |page: &Page| Chapter {
        file: format!("policies/rules/{}.md", page.rule),
        rule: RuleId::built_in(page.rule),
        is_page: true,
        examples: examples(page.text),
        policy: Arc::clone(&policy),
        others: Arc::clone(&policy),
    };
    let shows_something = |chapter: &Chapter| !chapter.examples.as_ref().is_ok_and(Vec::is_empty);
    PAGES.iter().map(page).filter(shows_something).collect()
}

/// The chapters of the custom rules of a policy and of the policies that it extends, and the pages beside them.
pub fn of_policy(policy: &Policy, snapshot: &mut Snapshot) -> Vec<Chapter> {
    let policy = Arc::new(policy.clone());
    let others = Arc::new(policy.without_custom_rules());
    let mut chapters = Vec::new();
    for (rule, _) in policy.custom_rules() {
        for definition in policy.definitions(rule) {
            chapters.extend(in_policy(rule, definition, &policy, &others, snapshot));
            let Ok(page) = snapshot.read_beside(definition.span.file, &format!("{rule}.md")) else {
                continue;
            };
            chapters.extend(on_page(rule, page, &policy, snapshot));
        }
    }
    sorted(chapters)
}

/// The chapters of the policies and rule pages in a directory. Errors in the policies are findings.
pub fn of_documents(documents: &Documents, snapshot: &mut Snapshot) -> Result<Vec<Chapter>, Vec<Finding>> {
    let (mut policies, mut mistakes) = (Vec::new(), Vec::new());
    for file in &documents.policies {
        if makes_rules(*file, snapshot.sources().get(*file)) {
            match load_policy(snapshot, Some(*file)) {
                Ok(policy) => policies.push((*file, Arc::new(policy))),
                Err(wrong) => mistakes.extend(wrong),
            }
        }
    }
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    let mut chapters = Vec::new();
    for (file, policy) in &policies {
        let others = Arc::new(policy.without_custom_rules());
        for (rule, _) in policy.custom_rules() {
            // A policy that is extended is another file.
            let own = policy.definitions(rule).into_iter().filter(|definition| definition.span.file == *file);
            let chapter =
                |definition: &Arc<Definition>| in_policy(rule, definition, policy, &others, snapshot);
            chapters.extend(own.filter_map(chapter));
        }
    }
    let usual = Arc::new(Policy::recommended());
    for page in &documents.pages {
        let name = snapshot.sources().get(*page).name();
        let Some(rule) = name.rsplit('/').next().and_then(|name| name.strip_suffix(".md")) else { continue };
        // Other Markdown files, such as `README.md`, may contain any code.
        if is_rule_name(rule) {
            let rule = rule.to_owned();
            let policy = nearest_policy(&rule, name, &policies, snapshot).unwrap_or(&usual);
            chapters.extend(on_page(&rule, *page, policy, snapshot));
        }
    }
    Ok(sorted(chapters))
}

/// The policy that defines the rule of a page: one in its directory, or else the first.
fn nearest_policy<'p>(
    rule: &str,
    page: &str,
    policies: &'p [(FileId, Arc<Policy>)],
    snapshot: &Snapshot,
) -> Option<&'p Arc<Policy>> {
    let makes_it = |(_, policy): &&(FileId, Arc<Policy>)| policy.definition(rule).is_some();
    let is_beside =
        |(file, _): &&(FileId, Arc<Policy>)| parent(snapshot.sources().get(*file).name()) == parent(page);
    let found = policies.iter().filter(makes_it).find(is_beside).or_else(|| policies.iter().find(makes_it));
    found.map(|(_, policy)| policy)
}

fn in_policy(
    rule: &str,
    definition: &Definition,
    policy: &Arc<Policy>,
    others: &Arc<Policy>,
    snapshot: &Snapshot,
) -> Option<Chapter> {
    (!definition.examples.is_empty()).then(|| Chapter {
        file: snapshot.sources().get(definition.span.file).name().to_owned(),
        rule: RuleId::named(rule),
        is_page: false,
        examples: of_definition(definition, snapshot.sources()),
        policy: Arc::clone(policy),
        others: Arc::clone(others),
    })
}

fn on_page(rule: &str, page: FileId, policy: &Arc<Policy>, snapshot: &Snapshot) -> Option<Chapter> {
    let source = snapshot.sources().get(page);
    has_examples(source.text()).then(|| {
        let known = page_names_under(policy);
        let is_known = known.iter().any(|known| known == rule);
        let examples = if is_known { examples(source.text()) } else { Err(no_rule(rule, &known)) };
        let file = source.name().to_owned();
        let (rule, policy) = (RuleId::named(rule), Arc::clone(policy));
        Chapter { file, rule, is_page: true, examples, others: Arc::clone(&policy), policy }
    })
}

/// The error for a page whose name is not a rule.
fn no_rule(name: &str, known: &[SmolStr]) -> PageError {
    let meant = nearest(name, known.iter().map(SmolStr::as_str));
    let meant = meant.map(|meant| format!("; did you mean `{meant}`?"));
    let message = format!(
        "the name of a page must be the name of a rule, and no rule is named `{name}`{}",
        meant.unwrap_or_default()
    );
    PageError { line: 1, message }
}

fn sorted(mut chapters: Vec<Chapter>) -> Vec<Chapter> {
    chapters.sort_by(|a, b| (&a.file, &a.rule).cmp(&(&b.file, &b.rule)));
    chapters
}

impl Chapter {
    /// Runs the examples.
    pub fn prove(&self) -> Proof {
        let examples = match &self.examples {
            Ok(examples) => examples,
            Err(error) => return Proof { examples: 0, wrong: Err(error.clone()) },
        };
        let wrong: Vec<Option<Disproof>> =
            examples.par_iter().map(|example| self.disprove(example)).collect();
        Proof { examples: examples.len(), wrong: Ok(wrong.into_iter().flatten().collect()) }
    }

    fn policy_of_examples(&self) -> Policy {
        self.others.with_rule(self.rule.as_str(), &self.policy)
    }

    fn disprove(&self, example: &Example) -> Option<Disproof> {
        let policy = self.policy_of_examples();
        let differences = example.differences(&policy, &self.rule).into_iter();
        let mut differences: Vec<_> =
            differences.map(|difference| (example.on_page(difference.mark()), difference)).collect();
        differences.sort_by_key(|(place, _)| *place);
        let (claim, line) = (example.claim.clone(), example.line);
        (!differences.is_empty()).then_some(Disproof { claim, line, differences })
    }
}

#[cfg(test)]
mod tests {
    use indoc::indoc;

    use super::*;

    /// The result of each chapter: file, rule, number of examples, failures.
    fn reported(files: &[(&str, &str)]) -> Vec<String> {
        let texts = files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()));
        let mut snapshot = Snapshot::of_files(texts.collect());
        let file = snapshot.read_policy().expect("one policy");
        let policy = load_policy(&mut snapshot, file).expect("a policy without a mistake");
        let chapters = of_policy(&policy, &mut snapshot);
        let reported = chapters.iter().map(|chapter| {
            let proof = chapter.prove();
            let places: Vec<String> = proof
                .wrong
                .expect("examples that can be read")
                .iter()
                .flat_map(|wrong| &wrong.differences)
                .map(|(place, difference)| format!(" {place:?} {}", difference.mark().words))
                .collect();
            format!("{} {} {}{}", chapter.file, chapter.rule.as_str(), proof.examples, places.concat())
        });
        reported.collect()
    }

    const BASE: &str = r#"
rule "forbidden-block" "no-user" {
  level  = "notice"
  blocks = ["resource.aws_iam_user"]
  example "a user" {
    code  = "resource \"aws_iam_user\" \"a\" {}\n#^^^^^^^^^^^^^^^^^^^^^^^^^^ notice: Forbidden block\n"
    files = {
      "other/main.tf" = <<-EOT
        resource "aws_iam_user" "b" {}
        #^^^^^^^^^^^^^^^^^^^^^^^^^^ notice: Forbidden block
      EOT
    }
  }
}
"#;

    #[test]
    fn an_example_runs_without_the_other_custom_rules() {
        let policy = format!("{BASE}\n{}", BASE.replace("no-user", "nobody"));
        let mut snapshot = Snapshot::of_files(vec![("overrule.hcl".to_owned(), policy.into_bytes())]);
        let file = snapshot.read_policy().expect("one policy");
        let policy = load_policy(&mut snapshot, file).expect("a policy without a mistake");
        for chapter in of_policy(&policy, &mut snapshot) {
            let policy = chapter.policy_of_examples();
            let rules: Vec<_> = policy.custom_rules().map(|(rule, _)| rule.as_str()).collect();
            assert_eq!(rules, [chapter.rule.as_str()]);
        }
    }

    #[test]
    fn a_policy_is_shown_with_what_it_starts_from() {
        let policy = "policy {\n  extends = [\"./base.hcl\"]\n}\n";
        let page = indoc! {r#"
            ## Examples

            ### A role

            ```hcl
            resource "aws_iam_role" "a" {}
            ```
        "#};
        let files = [("overrule.hcl", policy), ("base.hcl", BASE), ("no-user.md", page)];
        assert_eq!(reported(&files), ["base.hcl no-user 1", "no-user.md no-user 1"]);
    }

    #[test]
    fn the_level_that_holds_is_shown_and_what_is_replaced_is_not() {
        let policy = indoc! {r#"
            policy {
              extends = ["./base.hcl"]
            }
            rule "no-user" { level = "warning" }
        "#};
        let [chapter] = &reported(&[("overrule.hcl", policy), ("base.hcl", BASE)])[..] else {
            panic!("one chapter")
        };
        assert!(
            chapter.contains("Some(OnPage { line: 6, from: 1, to: 28 }) notice: Forbidden block"),
            "{chapter}"
        );
        assert!(
            chapter.contains("Some(OnPage { line: 9, from: 9, to: 36 }) warning: Forbidden block"),
            "{chapter}"
        );
        let policy = indoc! {r#"
            policy {
              extends = ["./base.hcl"]
            }
            rule "forbidden-block" "no-user" {
              blocks = ["data"]
            }
        "#};
        assert_eq!(reported(&[("overrule.hcl", policy), ("base.hcl", BASE)]), Vec::<String>::new());
    }
}

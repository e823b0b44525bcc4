//! Turns a policy file into a policy in which every rule and every option of one exists.

use super::rulebook::Rulebook;
use crate::finding::Finding;
use crate::policy::{INVALID_POLICY, Policy};
use crate::rules::page::PAGES;
use crate::source::Worktree;
use crate::text::FileId;

/// The names of all rules that a policy may speak of.
pub fn rule_names() -> Vec<&'static str> {
    PAGES.iter().map(|page| page.rule).filter(|rule| *rule != INVALID_POLICY.as_str()).collect()
}

/// The policy of a file; where there is none, the recommended one. Every mistake in it is a finding.
pub fn load_policy(worktree: &mut Worktree, file: Option<FileId>) -> Result<Policy, Vec<Finding>> {
    let Some(file) = file else { return Ok(Policy::recommended()) };
    let policy = Policy::load(file, worktree, &rule_names())?;
    let mut findings = Vec::new();
    Rulebook::new(&policy, &[], &mut findings);
    if findings.is_empty() { Ok(policy) } else { Err(findings) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<Policy, Vec<Finding>> {
        let files = vec![("overrule.hcl".to_owned(), text.as_bytes().to_vec())];
        let mut worktree = Worktree::of_files(files);
        let file = worktree.read_policy().expect("one policy");
        load_policy(&mut worktree, file)
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
}

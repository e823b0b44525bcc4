//! Rule pages, `policies/rules/<rule>.md`, which are part of the binary.

use crate::finding::{EngineRule, Severity};

/// The documentation of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// The name of the rule.
    pub rule: &'static str,
    /// The Markdown text. Its first line is the summary.
    pub text: &'static str,
}

impl Page {
    /// The page of a rule.
    pub fn of(rule: &str) -> Option<&'static Self> {
        PAGES.iter().find(|page| page.rule == rule)
    }

    /// For an engine rule, the usual severity in the engine.
    pub fn severity(&self) -> Option<Severity> {
        EngineRule::ALL.iter().find(|rule| rule.name() == self.rule).map(|rule| rule.usual_severity())
    }

    /// The URL of the documentation that the rule refers to; the first one if there are several.
    pub fn documentation(&self) -> Option<&'static str> {
        let (_, list) = self.text.split_once("\nDocumentation:")?;
        let (_, first) = list.split_once('<')?;
        Some(first.split_once('>')?.0)
    }

    /// The summary of the rule in one line.
    pub fn finds(&self) -> &'static str {
        self.text.lines().next().unwrap_or("")
    }
}

macro_rules! pages {
    ($($rule:literal,)*) => {
        &[$(Page { rule: $rule, text: include_str!(concat!("../../policies/rules/", $rule, ".md")) }),*]
    };
}

/// Every page, by name. A new rule has a file and a line here.
pub const PAGES: &[Page] = pages![
    "allowed-file",
    "allowed-source",
    "allowed-value",
    "block-order",
    "breaking-interface-change",
    "comparison-of-different-types",
    "default-fails-validation",
    "depends-on-uncommented",
    "deprecated-module-argument",
    "deprecated-module-output",
    "deprecated-provider-version",
    "deprecated-quoting",
    "deprecated-syntax",
    "duplicate-declaration",
    "duplicate-key",
    "duplicate-required-provider",
    "expired-exception",
    "forbidden-argument",
    "forbidden-block",
    "forbidden-value",
    "ignored-backend-or-cloud",
    "ignored-object-attribute",
    "invalid-action",
    "invalid-check-or-condition",
    "invalid-default-value",
    "invalid-function-call",
    "invalid-lifecycle",
    "invalid-lock-file",
    "invalid-module-source",
    "invalid-moved-removed-import",
    "invalid-name",
    "invalid-policy",
    "invalid-provider-configuration",
    "invalid-provisioner",
    "invalid-reference",
    "invalid-required-providers",
    "invalid-test",
    "invalid-type-constraint",
    "invalid-value",
    "invalid-variable-value",
    "invalid-version-constraint",
    "limit-reached",
    "link-leaves-repository",
    "lock-file-drift",
    "misleading-providers-entry",
    "misplaced-symbol",
    "missing-argument",
    "missing-module",
    "missing-module-argument",
    "missing-provider-configuration",
    "module-argument-type",
    "module-call-cycle",
    "module-depth-with-commit",
    "module-source-escapes-repository",
    "module-source-subdir-order",
    "module-source-unpinned",
    "module-tree-depth",
    "module-version-exact",
    "module-version-missing",
    "moved-target-missing",
    "moved-without-moved-block",
    "naming",
    "no-default-provider",
    "no-upper-bound-in-root",
    "non-preferred-local-name",
    "not-a-module",
    "output-description-missing",
    "override-breaks-block",
    "override-committed",
    "override-count-for-each-clash",
    "override-depends-on",
    "override-disarms-provider-block",
    "override-drops-provider-source",
    "override-duplicate-target",
    "override-hides-unknown-argument",
    "override-ignored-argument",
    "override-ignored-block",
    "override-near-miss-name",
    "override-not-allowed",
    "override-overuse",
    "override-replaces-backend",
    "override-replaces-nested-blocks",
    "override-replaces-provider-version",
    "override-replaces-providers-map",
    "override-replaces-provisioners",
    "override-replaces-required-version",
    "override-source-keeps-version",
    "override-stale-optional-default",
    "override-unannounced",
    "override-uncommitted",
    "override-without-base",
    "prerelease-in-range",
    "provider-block-in-repeated-module",
    "provider-block-in-shared-module",
    "provider-block-without-effect",
    "provider-configuration-changed",
    "provider-configuration-overridden",
    "provider-configuration-swapped",
    "provider-removed-with-resources",
    "provider-source-missing",
    "provider-type-mismatch",
    "provider-version-missing",
    "providers-map-incomplete",
    "providers-map-redundant",
    "proxy-provider-block",
    "reference-cycle",
    "required-argument",
    "required-file",
    "required-provider-missing",
    "required-version-missing",
    "resource-without-provider",
    "sensitive-default",
    "sensitive-output",
    "sensitive-value-in-plain-output",
    "shared-state-address",
    "single-component-pessimistic",
    "syntax-error",
    "tofu-twin-drift",
    "undeclared-reference",
    "undeclared-remote-state-output",
    "undeclared-variable-value",
    "undefined-module-output",
    "undefined-provider-alias",
    "undefined-provider-reference",
    "unknown-module-argument",
    "unreadable-file",
    "unsatisfiable-constraints",
    "unsupported-block-or-argument",
    "unsupported-engine-version",
    "unused-configuration-alias",
    "unused-declaration",
    "unused-exception",
    "unused-output",
    "unused-required-provider",
    "upper-bound-in-shared-module",
    "variable-description-missing",
    "variable-type-missing",
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_file_has_a_line_and_every_line_a_file() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("policies/rules");
        let files: BTreeSet<String> = fs::read_dir(directory)
            .expect("the directory of pages")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().replace(".md", ""))
            .collect();
        let lines: Vec<&str> = PAGES.iter().map(|page| page.rule).collect();
        assert!(lines.is_sorted(), "the list is sorted by name");
        assert_eq!(files.into_iter().collect::<Vec<_>>(), lines);
    }

    #[test]
    fn every_rule_of_the_language_has_a_page() {
        for rule in EngineRule::ALL {
            assert!(Page::of(rule.name()).is_some(), "{} has no page", rule.name());
        }
    }

    #[test]
    fn the_preset_of_the_language_lists_its_rules_and_no_other() {
        let preset = include_str!("../../policies/language.hcl");
        let listed: Vec<&str> =
            preset.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
        let lines = EngineRule::ALL.iter().map(|rule| match rule.usual_severity() {
            Severity::Error => format!("rule \"{}\" {{}}", rule.name()),
            Severity::Warning => format!("rule \"{}\" {{}} # warning", rule.name()),
            Severity::Notice => format!("rule \"{}\" {{}} # notice", rule.name()),
        });
        assert_eq!(listed, lines.collect::<Vec<_>>());
    }

    #[test]
    fn the_documentation_of_a_page_is_an_address() {
        for page in PAGES {
            let address = page.documentation().unwrap_or_default();
            let is_address = address.starts_with("https://") && !address.contains(char::is_whitespace);
            assert!(is_address, "{}: {address:?}", page.rule);
        }
    }

    #[test]
    fn a_page_opens_with_one_sentence() {
        for page in PAGES {
            let finds = page.finds();
            let opens = finds.starts_with(|c: char| c.is_ascii_uppercase() || c == '`');
            assert!(opens && finds.ends_with('.'), "{}: {finds:?}", page.rule);
        }
    }
}

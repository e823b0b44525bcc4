//! The pages of all rules.

use std::sync::LazyLock;

use super::{ENTRIES, TEMPLATES};
use crate::finding::{EngineRule, Severity, page};

pub use crate::finding::Page;

/// The pages of the rules about policies and exceptions.
const POLICY_PAGES: [Page; 3] =
    [page!("expired-exception"), page!("invalid-policy"), page!("unused-exception")];

/// Every page, by name. Each rule owns its page.
pub static PAGES: LazyLock<Vec<Page>> = LazyLock::new(|| {
    let engine_rules = EngineRule::ALL.iter().map(|rule| rule.page());
    let templates = TEMPLATES.iter().map(|template| template.page);
    let rules = ENTRIES.iter().map(|entry| entry.page);
    let mut pages: Vec<Page> = engine_rules.chain(templates).chain(rules).chain(POLICY_PAGES).collect();
    pages.sort_unstable_by_key(|page| page.rule);
    pages
});

impl Page {
    /// The page of a rule.
    pub fn of(rule: &str) -> Option<&'static Self> {
        let at = PAGES.binary_search_by_key(&rule, |page| page.rule).ok()?;
        Some(&PAGES[at])
    }

    /// For an engine rule, the usual severity in the engine.
    pub fn severity(&self) -> Option<Severity> {
        EngineRule::named(self.rule).map(EngineRule::usual_severity)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_file_is_the_page_of_one_rule() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("policies/rules");
        let files: BTreeSet<String> = fs::read_dir(directory)
            .expect("the directory of pages")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().replace(".md", ""))
            .collect();
        let lines: Vec<&str> = PAGES.iter().map(|page| page.rule).collect();
        assert_eq!(files.into_iter().collect::<Vec<_>>(), lines);
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
        // Exceptions are explained on a page of this repository.
        for page in PAGES.iter().filter(|page| page.rule != "expired-exception") {
            let address = page.documentation().unwrap_or_default();
            let is_address = address.starts_with("https://") && !address.contains(char::is_whitespace);
            assert!(is_address, "{}: {address:?}", page.rule);
        }
    }

    #[test]
    fn a_page_opens_with_one_sentence() {
        for page in PAGES.iter() {
            let finds = page.finds();
            let opens = finds.starts_with(|c: char| c.is_ascii_uppercase() || c == '`');
            assert!(opens && finds.ends_with('.'), "{}: {finds:?}", page.rule);
        }
    }
}

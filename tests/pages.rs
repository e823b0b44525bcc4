//! Runs the examples on the pages of all rules, and checks the structure of the pages.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use overrule::check::doctest::example::{Example, examples};
use overrule::finding::{EngineRule, RuleId, Safety};
use overrule::graph::Role;
use overrule::policy::Policy;
use overrule::rules::ENTRIES;
use overrule::rules::page::{PAGES, Page};

/// Rules that find what is not in a text, so that no page can show it.
const NOT_IN_A_TEXT: &[EngineRule] = &[EngineRule::UnreadableFile, EngineRule::LinkLeavesRepository];

/// What other rules of the language find in the examples of a page: page, claim, rule. Each was looked at.
const FOUND_BESIDE: &[(&str, &str, &str)] = &[
    // The engines read on after a mistake, and take what is left of the value for a wrong one.
    ("syntax-error", "A trailing comma in JSON", "invalid-value"),
    // The engine blames the call; the rule shows every provider block, and such calls first.
    (
        "provider-block-in-shared-module",
        "A call with `count` further up",
        "provider-block-in-repeated-module",
    ),
    ("override-near-miss-name", "A dot instead of an underscore", "duplicate-declaration"),
    ("override-near-miss-name", "A hyphen instead of an underscore", "duplicate-declaration"),
    // What the rule reports in native syntax, Terraform reports in JSON.
    ("duplicate-key", "In JSON, Terraform reports it", "duplicate-declaration"),
    // A warning goes before the error that Terraform reports without a place.
    (
        "missing-provider-configuration",
        "A root module passes on a configuration that it does not have",
        "undefined-provider-reference",
    ),
    // The entry that it needs is misspelled.
    (
        "undefined-provider-reference",
        "A misspelled name of a required configuration",
        "missing-provider-configuration",
    ),
    // Two rules find the same mistake.
    (
        "provider-type-mismatch",
        "A second configuration of a provider under another name",
        "undefined-provider-reference",
    ),
    ("undefined-provider-reference", "An entry that is not valid", "invalid-required-providers"),
    // What uses the declarations lacks them in its own directory.
    ("unused-declaration", "Used by files that a tool copies into the module", "undeclared-reference"),
    // Nothing is known about an invalid reference.
    ("no-default-provider", "A `provider` argument that Terraform rejects", "invalid-provider-configuration"),
    // What Terraform reports is not redundant.
    (
        "providers-map-redundant",
        "A map that lacks a required alias is incomplete",
        "missing-provider-configuration",
    ),
    (
        "providers-map-redundant",
        "A map that lacks a configuration which the module passes on is incomplete",
        "missing-provider-configuration",
    ),
    // A configuration that a called module lacks is not unused.
    (
        "unused-configuration-alias",
        "A called module uses it, but no call passes it",
        "undefined-provider-alias",
    ),
    ("not-a-module", "An example that repeats its own declaration", "duplicate-declaration"),
    ("not-a-module", "Files that a test runs", "duplicate-declaration"),
    (
        "invalid-function-call",
        "A file that is missing for one of two root modules",
        "ignored-backend-or-cloud",
    ),
    // Terraform warns of two local names for one provider.
    ("invalid-reference", "A condition with an undeclared reference", "undeclared-reference"),
    ("misleading-providers-entry", "Two entries for one configuration", "duplicate-required-provider"),
    (
        "misleading-providers-entry",
        "A key of a configuration that does not exist",
        "invalid-provider-configuration",
    ),
    (
        "provider-block-without-effect",
        "The provider is required under another name",
        "duplicate-required-provider",
    ),
    ("provider-block-without-effect", "Two local names for one provider", "duplicate-required-provider"),
    // The engine ignores the backend that the policy forbids.
    ("forbidden-block", "A backend in a shared module, and a forbidden provider", "ignored-backend-or-cloud"),
    // The conversion that is shown drops an attribute.
    ("module-argument-type", "Values that Terraform converts", "ignored-object-attribute"),
    // The block that was not renamed.
    ("moved-target-missing", "A block that was not renamed", "invalid-moved-removed-import"),
    ("override-near-miss-name", "A local value declared twice", "duplicate-declaration"),
    ("override-near-miss-name", "A misspelled name", "missing-argument"),
    (
        "override-near-miss-name",
        "An override file of that name exists, and one block is new",
        "duplicate-declaration",
    ),
    // The engine misses the entry that the override drops.
    ("override-replaces-providers-map", REQUIRED, "missing-provider-configuration"),
    // What the exception suppressed, reported again.
    ("expired-exception", "Findings after the last day", "duplicate-declaration"),
    // The engines take the configured block for an empty one: this is what is left of their errors.
    ("override-empties-provider-block", "In a module that is called with `count`", "proxy-provider-block"),
    (
        "override-empties-provider-block",
        "In a module that is passed another configuration",
        "proxy-provider-block",
    ),
    // An empty block is a configuration of its own, and Terraform reports it as redundant.
    ("providers-map-incomplete", "The child module has an empty `provider` block", "proxy-provider-block"),
    ("no-default-provider", "A child module with an empty `provider` block", "proxy-provider-block"),
    ("provider-block-in-shared-module", "A block that sets only a version", "deprecated-provider-version"),
    // An argument that the engine refuses is not a missing one.
    ("output-description-missing", "A description that Terraform rejects", "invalid-value"),
    ("required-provider-missing", "An invalid version constraint", "invalid-version-constraint"),
    ("required-version-missing", "An invalid version constraint", "invalid-version-constraint"),
    ("undeclared-reference", "Another variable in a validation", "invalid-check-or-condition"),
    ("undefined-provider-alias", "An alias that callers must pass", "missing-provider-configuration"),
    ("variable-description-missing", "A description that Terraform rejects", "invalid-value"),
];

const REQUIRED: &str = "Terraform reports a configuration that the module requires";

fn examples_of(page: &Page) -> Vec<Example> {
    match examples(page.text) {
        Ok(examples) => examples,
        Err(error) => panic!("policies/rules/{}.md:{}: {}", page.rule, error.line, error.message),
    }
}

#[test]
fn examples_show_what_they_claim() {
    let mut wrong = String::new();
    for page in PAGES.iter() {
        let rule = RuleId::built_in(page.rule);
        for example in examples_of(page) {
            let differences = example.differences(&Policy::recommended(), &rule);
            if !differences.is_empty() {
                wrong += &format!("policies/rules/{}.md:{}: {}\n", page.rule, example.line, example.claim);
            }
            for difference in differences {
                wrong += &format!("    {difference}\n");
            }
        }
    }
    assert!(wrong.is_empty(), "pages and checks differ:\n{wrong}");
}

#[test]
fn examples_are_fixed_as_they_say() {
    for page in PAGES.iter() {
        let rule = RuleId::built_in(page.rule);
        let place = |example: &Example| format!("policies/rules/{}.md:{}", page.rule, example.line);
        for example in examples_of(page).iter().filter(|example| !example.fixed.is_empty()) {
            let made = example.fix(&rule);
            let mut said = example.fixed.clone();
            said.sort();
            assert_eq!(made, said, "{}", place(example));
            let after = example.with(&made);
            let left = after.differences(&Policy::recommended(), &rule);
            assert!(left.is_empty(), "{}: still found: {left:?}", place(example));
            assert_eq!(after.fix(&rule), [], "{}: fixing it again changes something", place(example));
        }
    }
}

#[test]
fn pages_say_which_findings_can_be_fixed() {
    for entry in ENTRIES {
        let page = Page::of(entry.id).expect("a page");
        let head = page.text.lines().take_while(|line| *line != "## Why");
        let said: Vec<&str> = head.filter_map(|line| line.strip_prefix("Fixed by: ")).collect();
        let options = match entry.fixes {
            [] => vec![],
            [Safety::Safe] => vec!["`overrule check --fix`"],
            [Safety::Unsafe] => vec!["`overrule check --fix=unsafe`"],
            _ => vec!["`overrule check --fix`, or `overrule check --fix=unsafe`"],
        };
        assert_eq!(said, options, "policies/rules/{}.md", entry.id);
        let shows = examples_of(page).iter().any(|example| !example.fixed.is_empty());
        assert_eq!(shows, !entry.fixes.is_empty(), "policies/rules/{}.md: an example is fixed", entry.id);
    }
}

#[test]
fn pages_say_which_modules_get_no_advice() {
    for entry in ENTRIES {
        let page = Page::of(entry.id).expect("a page");
        let says_so = page.text.lines().any(|line| line == "Not reported in examples and tests.");
        assert_eq!(says_so, entry.roles == [Role::Root, Role::Shared], "policies/rules/{}.md", entry.id);
    }
}

#[test]
fn every_page_has_an_example_of_both_kinds() {
    for page in PAGES.iter() {
        let examples = examples_of(page);
        let not_in_a_text = NOT_IN_A_TEXT.iter().any(|rule| rule.name() == page.rule);
        assert_eq!(
            examples.iter().any(|example| !example.marks.is_empty()),
            !not_in_a_text,
            "{}: an example that shows what is found",
            page.rule
        );
        assert!(
            not_in_a_text || examples.iter().any(|example| example.marks.is_empty()),
            "{}: an example in which nothing is found",
            page.rule
        );
        for example in examples {
            assert!(!example.files.is_empty(), "{}: no file shows: {}", page.rule, example.claim);
        }
    }
}

#[test]
fn what_the_language_finds_in_examples_was_looked_at() {
    let language = Policy::preset("language").expect("a preset");
    let mut found = BTreeSet::new();
    for page in PAGES.iter() {
        for example in examples_of(page) {
            for (rule, _) in example.rules(&language) {
                // What a policy of the example itself finds does not matter here.
                let of_language = EngineRule::ALL.iter().any(|known| known.id() == rule);
                if of_language && rule.as_str() != page.rule {
                    found.insert((page.rule.to_owned(), example.claim.clone(), rule.as_str().to_owned()));
                }
            }
        }
    }
    let looked_at = FOUND_BESIDE
        .iter()
        .map(|(page, claim, rule)| ((*page).to_owned(), (*claim).to_owned(), (*rule).to_owned()));
    assert_eq!(found, looked_at.collect());
}

/// Lists the policy rules that report something in the silent examples of other rules in a file, which is reviewed.
/// `UPDATE_PAGES=1` updates it.
#[test]
fn what_policies_find_in_silent_examples_was_looked_at() {
    let strict = Policy::preset("strict").expect("a preset");
    let mut found = BTreeSet::new();
    for page in PAGES.iter() {
        for example in examples_of(page).into_iter().filter(|example| example.marks.is_empty()) {
            for (rule, _) in example.rules(&strict) {
                if ENTRIES.iter().any(|entry| entry.id == rule.as_str() && entry.id != page.rule) {
                    found.insert(format!("{} in {}: {}\n", rule.as_str(), page.rule, example.claim));
                }
            }
        }
    }
    let found: String = found.into_iter().collect();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages/beside.txt");
    if std::env::var_os("UPDATE_PAGES").is_some() {
        fs::write(&file, &found).expect("the list is kept");
    }
    let kept = fs::read_to_string(&file).expect("the list");
    assert!(kept == found, "tests/pages/beside.txt differs; UPDATE_PAGES=1 keeps the new one:\n{found}");
}

#[test]
fn every_page_says_what_why_and_how_and_where_it_is_written() {
    for page in PAGES.iter() {
        let sections = page.text.lines().filter(|line| line.starts_with("## ") && *line != "## Options");
        assert_eq!(sections.collect::<Vec<_>>(), ["## Why", "## Fix", "## Examples"], "{}", page.rule);
        let documentation = ["https://developer.hashicorp.com/terraform/", "https://opentofu.org/docs/"];
        // Exceptions are a feature of overrule.
        assert!(
            page.rule == "expired-exception" || documentation.iter().any(|link| page.text.contains(link)),
            "{}: a link to the documentation that it rests on",
            page.rule
        );
        // A row of a table is one line, and so is a quoted text.
        let is_quoted = |line: &str| {
            ["# detail: ", "# help: ", "// detail: ", "// help: "]
                .iter()
                .any(|start| line.trim_start().starts_with(start))
        };
        let is_one_line = |line: &str| line.starts_with('|') || is_quoted(line);
        let long = page.text.lines().find(|line| line.chars().count() > 120 && !is_one_line(line));
        assert_eq!(long, None, "{}: a line is as long as those of the sources at most", page.rule);
        assert!(page.text.ends_with('\n') && !page.text.ends_with("\n\n"), "{}: how it ends", page.rule);
    }
}

//! Checks `policies/README.md` and the README against the policy language: examples are valid, and lists are
//! complete.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use overrule::check::{doctest, load_policy, rule_names};
use overrule::engine::Notation;
use overrule::finding::Severity;
use overrule::limits::{Limit, Limits};
use overrule::policy::{Level, Policy};
use overrule::rules::page::Page;
use overrule::rules::{ENTRIES, TEMPLATES};
use overrule::syntax;
use overrule::text::{FileId, Source};
use overrule::vfs::Snapshot;

const PAGES: &[&str] = &["policies/README.md", "README.md"];

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn read(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The HCL and JSON code blocks of a page: line, name and text. A block without a name is a policy.
fn blocks(page: &str) -> Vec<(usize, String, String)> {
    let (mut blocks, mut name) = (Vec::new(), None);
    let mut lines = page.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if let Some(named) = line.strip_prefix('`').and_then(|line| line.strip_suffix("`:")) {
            name = Some(named.to_owned());
        } else if let Some(language) = line.strip_prefix("```") {
            let inside = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```");
            let text = inside.flat_map(|line| [line, "\n"]).collect();
            if language == "hcl" || language == "json" {
                blocks.push((number + 1, name.take().unwrap_or_else(|| "overrule.hcl".to_owned()), text));
            }
        } else if !line.is_empty() {
            name = None;
        }
    }
    blocks
}

fn has_extension(name: &str, extension: &str) -> bool {
    Path::new(name).extension().is_some_and(|found| found == extension)
}

#[test]
fn what_the_pages_show_can_be_read() {
    for page in PAGES {
        let blocks = blocks(&read(page));
        assert!(blocks.iter().any(|(_, name, _)| name == "overrule.hcl"), "{page} shows a policy");
        // The policies that an example extends are on the same page.
        let others: BTreeMap<&str, &str> =
            blocks.iter().map(|(_, name, text)| (name.as_str(), text.as_str())).collect();
        for (line, name, text) in &blocks {
            let is_policy = has_extension(name, "hcl");
            let files = others
                .iter()
                .filter(|(other, _)| **other != "overrule.hcl")
                .map(|(name, text)| (*name, *text));
            let files = files.chain(is_policy.then_some(("overrule.hcl", text.as_str())));
            let files = files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec())).collect();
            let mut snapshot = Snapshot::of_files(files);
            if is_policy {
                let file = snapshot.read_policy().expect("one policy");
                let policy = load_policy(&mut snapshot, file);
                let policy = policy.unwrap_or_else(|mistakes| panic!("{page}:{line}: {mistakes:#?}"));
                for chapter in doctest::of_policy(&policy, &mut snapshot) {
                    let wrong = chapter.prove().wrong.expect("examples that can be read");
                    assert!(wrong.is_empty(), "{page}:{line}: {wrong:#?}");
                }
            } else {
                let notation = if has_extension(name, "json") { Notation::Json } else { Notation::Native };
                let source = Source::new(name.as_str(), text.clone().into_bytes());
                let (_, wrong) = syntax::parse(FileId::new(0), &source, notation, &Limits::default());
                assert_eq!(wrong, [], "{page}:{line}");
            }
        }
    }
}

#[test]
fn the_readme_shows_the_policy_that_it_runs() {
    let shown = blocks(&read("README.md"));
    assert!(shown.iter().any(|(_, _, text)| *text == read("examples/overrule.hcl")), "examples/overrule.hcl");
}

/// A table row for each built-in rule, with its level in each preset.
fn rules() -> String {
    let presets = ["language", "recommended", "strict"];
    let policies = presets.map(|name| Policy::preset(name).expect("a preset"));
    let mut rows =
        "| rule | finds | `language` | `recommended` | `strict` | fixed by |\n|---|---|---|---|---|---|\n"
            .to_owned();
    for rule in rule_names() {
        let page = Page::of(rule).expect("every rule has a page");
        let level = |policy: &Policy| {
            let engine = page.severity().map_or("–", Severity::name);
            let setting = policy.everywhere(rule);
            setting.map_or("–", |setting| setting.level.map_or(engine, Level::word))
        };
        let [language, recommended, strict] = policies.each_ref().map(level);
        let finds = page.finds();
        let fixes = ENTRIES.iter().find(|entry| entry.id == rule).map_or(&[][..], |entry| entry.fixes);
        let fixes: Vec<String> = fixes.iter().map(|safety| format!("`{}`", safety.option())).collect();
        let fixes = if fixes.is_empty() { "–".to_owned() } else { fixes.join(", ") };
        rows += &format!(
            "| [`{rule}`](rules/{rule}.md) | {finds} | {language} | {recommended} | {strict} | {fixes} |\n"
        );
    }
    rows
}

fn templates() -> String {
    let mut rows = "| template | finds |\n|---|---|\n".to_owned();
    for template in TEMPLATES {
        let finds = Page::of(template.id).expect("every template has a page").finds();
        rows += &format!("| [`{0}`](rules/{0}.md) | {finds} |\n", template.id);
    }
    rows
}

fn limits() -> String {
    let mut rows =
        "| limit | applies to | default | minimum | maximum | beyond the limit |\n|---|---|---|---|---|---|\n".to_owned();
    for limit in Limit::ALL {
        let entry = limit.entry();
        let [usual, least, most] = [entry.default, entry.min, entry.max].map(|value| limit.format(value));
        let (what, beyond) = (entry.bounds, entry.beyond);
        rows += &format!("| `{}` | {what} | {usual} | {least} | {most} | {beyond} |\n", limit.name());
    }
    rows
}

/// This test writes the tables: run it with `UPDATE_PAGES=1`.
#[test]
fn the_tables_list_what_there_is() {
    let marked = |mark: &str, table| (format!("<!-- {mark} -->\n"), "<!-- end -->", table);
    tables_are("policies/README.md", &[marked("templates", templates()), marked("rules", rules())]);
    // Terminals show this page, too, where markers would be visible.
    tables_are(
        "policies/rules/limit-reached.md",
        &[("(`--limit file_size=128MiB`):\n\n".into(), "\nA block, a", limits())],
    );
}

/// The tables are between the first text and the second one.
fn tables_are(name: &str, tables: &[(String, &str, String)]) {
    let before = read(name);
    let mut page = before.clone();
    for (start, end, table) in tables {
        let from = page.find(start).unwrap_or_else(|| panic!("{name} has {start:?}")) + start.len();
        let to = from + page[from..].find(end).expect("an end");
        page.replace_range(from..to, table);
    }
    if std::env::var_os("UPDATE_PAGES").is_some() {
        fs::write(path(name), &page).expect("the page is kept");
    }
    assert!(read(name) == page, "{name} is stale; UPDATE_PAGES=1 writes its tables anew");
}

#[test]
fn the_page_is_as_wide_as_the_sources() {
    let page = read(PAGES[0]);
    // A table row must be one line.
    let long = page.lines().find(|line| line.chars().count() > 120 && !line.starts_with('|'));
    assert_eq!(long, None, "{}", PAGES[0]);
}

#[test]
fn the_links_lead_somewhere() {
    for page in PAGES {
        let directory = path(page).parent().expect("a directory").to_owned();
        let text = read(page);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let is_address = link.contains("://") || link.starts_with('#');
            let file = link.split('#').next().unwrap_or(link);
            assert!(is_address || directory.join(file).exists(), "{page}: {link}");
        }
    }
}

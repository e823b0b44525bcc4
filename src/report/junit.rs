//! Test cases in the format of `JUnit`, as Jenkins and GitLab read it.
//!
//! A case fails if the finding fails the run, and is skipped otherwise.

use std::io::{self, Write};

use hashbrown::HashMap;

use super::place::Places;
use super::xml::{Document, attribute, document, text};
use super::{Report, one_line, prose};
use crate::check::Verdict;

/// A test case.
struct Case<'a> {
    name: String,
    verdict: &'a Verdict,
    fails: bool,
}

/// Writes the report. Without findings it has one passing case, because readers take a report without cases for an
/// error.
pub(super) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Report { outcome, sources, style } = *report;
    let places = Places::new(sources, &style.names);
    let mut names = HashMap::new();
    let cases: Vec<_> = outcome
        .verdicts
        .iter()
        .map(|verdict| Case {
            name: unique(&mut names, name(verdict, &places)),
            verdict,
            fails: style.fail_on.is_met_by(verdict.level),
        })
        .collect();
    let tests = cases.len().max(1).to_string();
    let failures = cases.iter().filter(|case| case.fails).count().to_string();
    let skipped = cases.iter().filter(|case| !case.fails).count().to_string();
    document(out, |xml| {
        let counts = [("name", "overrule"), ("tests", &tests), ("failures", &failures), ("errors", "0")];
        let suites = xml.create_element("testsuites").with_attributes(counts);
        let suites = suites.write_inner_content(|xml| {
            let suite = xml.create_element("testsuite").with_attributes(counts);
            let suite = suite.with_attribute(("skipped", skipped.as_str()));
            let suite = suite.write_inner_content(|xml| {
                if cases.is_empty() {
                    let success = [("classname", "overrule"), ("name", "nothing found")];
                    xml.create_element("testcase").with_attributes(success).write_empty()?;
                }
                cases.iter().try_for_each(|case| write_case(xml, case, &places))
            });
            suite.map(drop)
        });
        suites.map(drop)
    })
}

fn write_case(xml: &mut Document<'_>, case: &Case<'_>, places: &Places<'_>) -> io::Result<()> {
    let verdict = case.verdict;
    let class = attribute(&format!("overrule.{}", verdict.finding.rule.as_str()));
    let body = prose::lines(verdict, places).join("\n");
    let summary = one_line(&verdict.finding.summary);
    let level = format!("{}{}", verdict.level.name(), prose::only(verdict));
    let element = xml
        .create_element("testcase")
        .with_attribute(("classname", class.as_str()))
        .with_attribute(("name", attribute(&case.name).as_str()));
    let element = element.write_inner_content(|xml| {
        if case.fails {
            xml.create_element("failure")
                .with_attribute(("type", level.as_str()))
                .with_attribute(("message", attribute(&summary).as_str()))
                .write_text_content(text(&body))?;
        } else {
            let body = format!("{level}: {summary}\n{body}");
            xml.create_element("skipped").write_text_content(text(body.trim_end()))?;
        }
        Ok(())
    });
    element.map(drop)
}

fn name(verdict: &Verdict, places: &Places<'_>) -> String {
    format!("{}: {}", places.of(verdict).words(), verdict.finding.summary)
}

/// Most readers keep only one of several cases with one name, so the others get a number.
fn unique(names: &mut HashMap<String, usize>, name: String) -> String {
    let number = names.entry(name.clone()).and_modify(|number| *number += 1).or_insert(1);
    if *number == 1 { name } else { format!("{name} ({number})") }
}

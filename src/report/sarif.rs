//! SARIF 2.1.0, which code scanning and editors read:
//! <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>.
//!
//! GitHub refuses a document with a result without a file, so each result has one.

mod log;
mod uri;

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::escape::each;
use super::place::{Place, Places};
use super::{PathStyle, Report, escape, one_line, page_url, sanitize, set_by};
use crate::check::{AppliedException, Verdict};
use crate::engine::Product;
use crate::finding::{self, RuleId, Severity};
use crate::rules::page::Page;
use log::{
    Artifact, ArtifactChange, Base, Driver, Fix, Help, Log, Logical, Physical, Region, Replacement, Result,
    ResultProperties, Rule, RuleLevel, RuleProperties, Run, Suppression, Text, Tool,
};

/// The base of relative paths.
const TOP: &str = "%SRCROOT%";

/// Writes the report. Suppressed findings are in it with their reason, unless the style leaves them out.
pub(super) fn write<'o>(report: &Report<'o>, out: &mut dyn Write) -> io::Result<()> {
    let Report { outcome, sources, style } = *report;
    let places = Places::new(sources, &style.names);
    let reported = outcome.verdicts.iter().map(|verdict| (verdict, None));
    let suppressed = outcome.suppressed.iter().filter(|_| style.shows_suppressed);
    let suppressed = suppressed.map(|one| (&one.verdict, Some(&one.exception)));
    let all: Vec<(&Verdict, Option<&AppliedException>)> = reported.chain(suppressed).collect();
    let mut rules: BTreeMap<&RuleId, &Verdict> = BTreeMap::new();
    for (verdict, _) in &all {
        rules.entry(&verdict.finding.rule).or_insert(verdict);
    }
    let numbers: BTreeMap<&RuleId, usize> =
        rules.keys().enumerate().map(|(number, rule)| (*rule, number)).collect();
    let has_suppressions = all.iter().any(|(_, exception)| exception.is_some());
    let result = |(verdict, exception): &(&'o Verdict, Option<&AppliedException>)| {
        // If one result states whether it is suppressed, all must.
        let suppressions = has_suppressions.then(|| exception.iter().copied().map(suppression).collect());
        self::result(verdict, numbers[&verdict.finding.rule], suppressions, &places, &style.names)
    };
    let log = Log {
        schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: Tool {
                driver: Driver {
                    name: "overrule",
                    semantic_version: env!("CARGO_PKG_VERSION"),
                    information_uri: env!("CARGO_PKG_REPOSITORY"),
                    rules: rules.values().map(|verdict| rule(verdict)).collect(),
                },
            },
            // The absolute path of the repository is private.
            original_uri_base_ids: BTreeMap::from([(
                TOP,
                Base { description: Text::of("The root of the repository.") },
            )]),
            column_kind: "unicodeCodePoints",
            results: each(|| all.iter().map(result)),
        }],
    };
    escape::write(&log, out)
}

/// The rule of a verdict. A custom rule has no page, so its first finding describes it.
fn rule(verdict: &Verdict) -> Rule<'_> {
    let id = &verdict.finding.rule;
    let page = Page::of(id.as_str());
    // Examples on the page are for authors of rules. An alert shows why and how to fix.
    let help = page.map(|page| page.text.split("\n## Examples").next().unwrap_or(page.text).trim_end());
    let finds =
        page.map_or_else(|| plain(&one_line(&verdict.finding.summary)), |page| page.finds().to_owned());
    Rule {
        id: id.as_str(),
        short_description: Text::of(finds.as_str()),
        full_description: Text::of(finds.as_str()),
        help: Help { text: help.map_or(finds, str::to_owned), markdown: help },
        help_uri: page_url(id).or_else(|| page?.documentation().map(str::to_owned)),
        default_configuration: page
            .and_then(Page::severity)
            .map(|severity| RuleLevel { level: level(severity) }),
        properties: RuleProperties { tags: [verdict.finding.category.name()] },
    }
}

fn result<'a>(
    verdict: &'a Verdict,
    rule_index: usize,
    suppressions: Option<Vec<Suppression>>,
    places: &Places<'_>,
    names: &PathStyle,
) -> Result<'a> {
    let finding = &verdict.finding;
    Result {
        rule_id: finding.rule.as_str(),
        rule_index,
        level: level(verdict.level),
        message: Text::of(message(verdict)),
        locations: [log::Place {
            id: None,
            physical_location: physical(&places.of(verdict)),
            logical_locations: Some(&finding.address)
                .filter(|address| !address.is_empty())
                .map(|address| [Logical { fully_qualified_name: sanitize(address).into_owned() }]),
            message: finding.label.as_deref().map(plain).map(Text::of),
        }],
        related_locations: finding
            .related
            .iter()
            .enumerate()
            .map(|(number, other)| log::Place {
                id: Some(number + 1),
                physical_location: physical(&places.at(other.span)),
                logical_locations: None,
                message: Some(Text::of(plain(&other.message))),
            })
            .collect(),
        partial_fingerprints: BTreeMap::from([("overrule/v1", verdict.fingerprint.as_str())]),
        fixes: finding.fix.iter().map(|fix| self::fix(fix, finding.help.as_deref(), places)).collect(),
        suppressions,
        properties: ResultProperties {
            category: finding.category.name(),
            module: names.of(&finding.module),
            set_by: set_by(verdict, names),
            engine: verdict.product.map(Product::word),
        },
    }
}

/// The edits of a fix, by file.
fn fix(fix: &finding::Fix, order: Option<&str>, places: &Places<'_>) -> Fix {
    let change = |edits: &[finding::Edit]| {
        let place = places.at(edits[0].span);
        let replacement = |edit: &finding::Edit| {
            let deleted_region = physical(&places.at(edit.span)).region?;
            Some(Replacement { deleted_region, inserted_content: Text::of(edit.text.as_str()) })
        };
        ArtifactChange {
            artifact_location: physical(&place).artifact_location,
            replacements: edits.iter().filter_map(replacement).collect(),
        }
    };
    Fix {
        description: Text::of(plain(order.unwrap_or_default())),
        artifact_changes: fix.by_file().map(change).collect(),
    }
}

/// The summary as a sentence, which is shown alone in lists, and then the rest.
fn message(verdict: &Verdict) -> String {
    let finding = &verdict.finding;
    let summary = plain(&one_line(&finding.summary));
    let end = if summary.ends_with(['.', '!', '?']) { "" } else { "." };
    let mut message = format!("{summary}{end}");
    if !finding.detail.is_empty() {
        message.push_str(&format!("\n{}", plain(&finding.detail)));
    }
    if let Some(help) = &finding.help {
        message.push_str(&format!("\nhelp: {}", plain(help)));
    }
    message
}

/// Escapes `[words](target)`, which is a link in a message.
fn plain(text: &str) -> String {
    sanitize(text).replace("](", "] (")
}

fn physical(place: &Place) -> Physical {
    let (uri, base) = uri::of(&place.file);
    Physical {
        artifact_location: Artifact { uri, uri_base_id: base.then_some(TOP) },
        region: place.region.map(|region| Region {
            start_line: region.start.line,
            start_column: region.start.column,
            end_line: region.end.line,
            end_column: region.end.column,
        }),
    }
}

fn suppression(exception: &AppliedException) -> Suppression {
    Suppression {
        kind: if exception.in_source { "inSource" } else { "external" },
        status: "accepted",
        justification: plain(&exception.reason),
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Notice => "note",
    }
}

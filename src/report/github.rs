//! Workflow commands, which GitHub Actions shows as annotations:
//! <https://docs.github.com/actions/reference/workflow-commands-for-github-actions>.

use std::io::{self, Write};

use super::concise::statistics;
use super::place::{Places, Region};
use super::tally::{Tally, closing_line};
use super::{PathStyle, Report, one_line, prose};
use crate::check::Verdict;
use crate::finding::Severity;
use crate::text::Sources;

/// The number of annotations per level that GitHub shows for a step. It drops the others.
const SHOWN_OF_A_KIND: usize = 10;

/// Writes the report: errors first, one line for annotations that GitHub would drop, and the summary line.
pub(super) fn write(&Report { outcome, sources, style }: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut report = String::new();
    if style.statistics {
        report = statistics(outcome);
    } else {
        let places = Places::new(sources, &style.names);
        let mut more = Tally::default();
        for level in [Severity::Error, Severity::Warning, Severity::Notice] {
            let of_kind: Vec<_> = outcome.verdicts.iter().filter(|verdict| verdict.level == level).collect();
            let shown = of_kind.len().min(SHOWN_OF_A_KIND);
            for verdict in &of_kind[..shown] {
                command(&mut report, verdict, &places);
            }
            *more.of_level(level) += of_kind.len() - shown;
        }
        if more != Tally::default() {
            let number = more.errors + more.warnings + more.notices;
            report.push_str(&format!(
                "and {number} more, because GitHub shows only ten annotations per level: \
                {}\n",
                more.words()
            ));
        }
    }
    report.push_str(&closing_line(outcome, style));
    report.push('\n');
    out.write_all(report.as_bytes())
}

/// One annotation for each finding.
pub(super) fn annotations(verdicts: &[Verdict], sources: &Sources) -> String {
    let (names, mut report) = (PathStyle::default(), String::new());
    let places = Places::new(sources, &names);
    for verdict in verdicts.iter().take(SHOWN_OF_A_KIND) {
        command(&mut report, verdict, &places);
    }
    report
}

fn command(report: &mut String, verdict: &Verdict, places: &Places<'_>) {
    let (finding, place) = (&verdict.finding, places.of(verdict));
    let mut properties = vec![("file", one_line(&place.file).into_owned())];
    if let Some(region @ Region { start, end }) = place.region {
        let last_line = region.last_line();
        properties.push(("line", start.line.to_string()));
        properties.push(("endLine", last_line.to_string()));
        // The runner refuses columns in a range of several lines.
        if end.line == start.line {
            properties.push(("col", start.column.to_string()));
            properties.push(("endColumn", end.column.to_string()));
        }
    }
    let rule = one_line(finding.rule.as_str());
    properties.push(("title", format!("overrule: {rule}")));
    let properties: Vec<_> =
        properties.iter().map(|(name, value)| format!("{name}={}", property(value))).collect();
    // The log of a step shows only the message, so it contains the location too.
    let (place, summary) = (place.words(), one_line(&finding.summary));
    let head = format!("{}: {summary}{}", one_line(&place), prose::only(verdict));
    let message: Vec<String> = std::iter::once(head).chain(prose::lines(verdict, places)).collect();
    let kind = verdict.level.name();
    report.push_str(&format!("::{kind} {}::{}\n", properties.join(","), data(&message.join("\n"))));
}

/// Escapes the message of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property, which a comma or colon would end.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

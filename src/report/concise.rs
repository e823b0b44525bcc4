//! One line per finding, as compilers print: `file:line:column: level: summary [rule]`.

use std::io::{self, Write};

use super::prose::only;
use super::sanitize::path_at_line_start;
use super::tally::by_rule;
use super::{Report, Style, one_line};
use crate::check::{Outcome, Verdict};
use crate::finding::Severity;
use crate::text::{Sources, Span};

/// Writes the report. It is empty without findings.
pub(super) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Report { outcome, sources, style } = *report;
    if style.statistics {
        return out.write_all(statistics(outcome).as_bytes());
    }
    for verdict in &outcome.verdicts {
        out.write_all(lines(verdict, sources, style).as_bytes())?;
    }
    Ok(())
}

/// The number of findings per rule, one line each.
pub(super) fn statistics(outcome: &Outcome) -> String {
    let line = |(number, level, rule): (usize, Severity, &str)| {
        format!("{number}: {}: {}\n", level.name(), one_line(rule))
    };
    by_rule(outcome).into_iter().map(line).collect()
}

/// A line for the finding, and an indented line for each related location, in the form that editors recognize.
fn lines(verdict: &Verdict, sources: &Sources, style: &Style) -> String {
    let finding = &verdict.finding;
    let place = match finding.primary {
        Some(span) => place(span, sources, style),
        None => path_at_line_start(finding.file.as_ref().unwrap_or(&finding.module), &style.names),
    };
    let (level, summary) = (verdict.level.name(), one_line(&finding.summary));
    // Without a location, the text has to name the file or block.
    let about = match finding.primary {
        None if !finding.detail.is_empty() => format!(": {}", one_line(&finding.detail)),
        _ => String::new(),
    };
    let rule = one_line(finding.rule.as_str());
    let mut lines =
        format!("{place}: {level}: {summary}{about} [{rule}]{}{}\n", only(verdict), fixable(verdict));
    for other in &finding.related {
        let at = self::place(other.span, sources, style);
        lines.push_str(&format!("  {at}: {}\n", one_line(&other.message)));
    }
    lines
}

/// ` [*]` after a finding with a fix.
fn fixable(verdict: &Verdict) -> &'static str {
    if verdict.finding.fix.is_some() { " [*]" } else { "" }
}

fn place(span: Span, sources: &Sources, style: &Style) -> String {
    let source = sources.get(span.file);
    let at = source.position(span.start);
    format!("{}:{}:{}", path_at_line_start(source.name(), &style.names), at.line, at.column)
}

//! A Markdown table, for job summaries and comments.

use std::io::{self, Write};

use super::place::Places;
use super::tally::{Tally, by_rule, closing_line};
use super::{Report, one_line, page_url, prose};
use crate::check::Verdict;
use crate::finding::{RuleId, Severity};

/// The maximum number of rows. Hosts cut summaries above a megabyte.
const MOST_ROWS: usize = 200;

/// Writes the report, errors first.
pub(super) fn write(&Report { outcome, sources, style }: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut report = format!("### overrule: {}\n\n", Tally::of(outcome).words());
    if style.statistics {
        let rows = by_rule(outcome).into_iter();
        let rows =
            rows.map(|(number, level, rule)| format!("| {number} | {} | {} |", mark(level), code(rule)));
        table(&mut report, &["", "severity", "rule"], rows);
    } else {
        let places = Places::new(sources, &style.names);
        let mut verdicts: Vec<_> = outcome.verdicts.iter().collect();
        verdicts.sort_by_key(|verdict| verdict.level);
        let rows = verdicts.iter().take(MOST_ROWS).map(|verdict| row(verdict, &places));
        table(&mut report, &["severity", "location", "finding", "rule"], rows);
        if let Some(more) = verdicts.len().checked_sub(MOST_ROWS).filter(|more| *more > 0) {
            report.push_str(&format!("and {more} more\n\n"));
        }
    }
    report.push_str(&closing_line(outcome, style));
    report.push('\n');
    out.write_all(report.as_bytes())
}

/// Returns nothing without rows.
fn table(report: &mut String, heads: &[&str], rows: impl ExactSizeIterator<Item = String>) {
    if rows.len() == 0 {
        return;
    }
    report.push_str(&format!("| {} |\n|{}\n", heads.join(" | "), " --- |".repeat(heads.len())));
    for row in rows {
        report.push_str(&row);
        report.push('\n');
    }
    report.push('\n');
}

fn row(verdict: &Verdict, places: &Places<'_>) -> String {
    let cells: Vec<String> = std::iter::once(verdict.finding.summary.clone())
        .chain(prose::lines(verdict, places))
        .map(|line| literal(&line))
        .collect();
    format!(
        "| {}{} | {} | {} | {} |",
        mark(verdict.level),
        prose::only(verdict),
        code(&places.of(verdict).words()),
        cells.join("<br>"),
        rule(&verdict.finding.rule),
    )
}

fn rule(rule: &RuleId) -> String {
    match page_url(rule) {
        Some(url) => format!("[{}]({url})", code(rule.as_str())),
        None => code(rule.as_str()),
    }
}

fn mark(level: Severity) -> &'static str {
    match level {
        Severity::Error => "**error**",
        Severity::Warning => "warning",
        Severity::Notice => "notice",
    }
}

/// Inline code.
pub(super) fn code(text: &str) -> String {
    format!("<code>{}</code>", plain(&one_line(text)))
}

/// Escapes text: all characters of HTML, Markdown and tables except names in backticks. Text that hosts would turn into
/// links or mentions is split.
pub(super) fn literal(text: &str) -> String {
    with_code(&one_line(text), |code| format!("<code>{}</code>", plain(code)), plain)
}

/// The text with each part in backticks, without these, as `code` writes it, and the other parts as `plain` does.
pub(super) fn with_code(text: &str, code: impl Fn(&str) -> String, plain: impl Fn(&str) -> String) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        // A backtick without a partner is text.
        return plain(text);
    }
    let part = |(number, part)| if number % 2 == 1 { code(part) } else { plain(part) };
    parts.into_iter().enumerate().map(part).collect()
}

fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut before = "";
    for (at, c) in text.char_indices() {
        let is_link = before.ends_with("www") || before.ends_with("WWW");
        match c {
            '@' | '#' => plain.push_str(&format!("<span>{c}</span>")),
            '.' if is_link => plain.push_str("<span>.</span>"),
            '/' | '-' | ',' | '=' | '.' => plain.push(c),
            // Neither part of an address or an emoji, nor emphasis.
            ':' if text[at + 1..].starts_with(' ') => plain.push(c),
            '_' if is_inside_word(text, at) => plain.push(c),
            c if c.is_ascii_punctuation() => plain.push_str(&format!("&#{};", u32::from(c))),
            c => plain.push(c),
        }
        before = &text[..at + c.len_utf8()];
    }
    plain
}

/// Whether a letter or digit is on both sides of a character of one byte.
fn is_inside_word(text: &str, at: usize) -> bool {
    let is_before = text[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
    is_before && text[at + 1..].starts_with(|c: char| c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mark_is_written_by_its_number() {
        assert_eq!(literal("a/b-c.tf, d = 1"), "a/b-c.tf, d = 1");
        assert_eq!(literal("a_b: _c_ d:e:"), "a_b: &#95;c&#95; d&#58;e&#58;");
        assert_eq!(literal("<b>|\n`"), "&#60;b&#62;&#124; &#96;");
        assert_eq!(literal("[x](https://e.x)"), "&#91;x&#93;&#40;https&#58;//e.x&#41;");
    }

    #[test]
    fn names_between_backticks_are_code_and_no_more() {
        assert_eq!(literal("no `<a>` and `b`"), "no <code>&#60;a&#62;</code> and <code>b</code>");
    }

    #[test]
    fn text_contains_no_mentions_and_no_links() {
        assert_eq!(literal("@a #1 www.e.x"), "<span>@</span>a <span>#</span>1 www<span>.</span>e.x");
    }
}

//! Turns verdicts into blocks of source for people: every place that matters in one frame, the worst first.

mod excerpt;
mod frame;
mod paint;

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::tally::{by_rule, closing_line};
use super::visible::at_line_start;
use super::{Style, asked_by, one_line, visible};
use crate::check::{Outcome, Verdict};
use crate::text::Sources;
use paint::Paint;

/// Writes the report.
pub(super) fn write(
    outcome: &Outcome,
    sources: &Sources,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    if style.statistics {
        let mut report = String::new();
        statistics(&mut report, outcome, Paint::new(style.color));
        out.write_all(report.as_bytes())?;
    } else {
        for verdict in worst_first(&outcome.verdicts) {
            out.write_all(blocks(std::slice::from_ref(verdict), sources, style).as_bytes())?;
        }
    }
    writeln!(out, "{}", closing_line(outcome, style))
}

/// The findings alone, in their order.
pub(super) fn blocks(verdicts: &[Verdict], sources: &Sources, style: &Style) -> String {
    let mut report = String::new();
    for verdict in verdicts {
        block(&mut report, verdict, sources, style);
        report.push('\n');
    }
    report
}

/// Module by module, those with the worst verdict first; within a module the worst first, then by place.
fn worst_first(verdicts: &[Verdict]) -> Vec<&Verdict> {
    let mut worst = BTreeMap::new();
    for verdict in verdicts {
        let level = worst.entry(verdict.finding.module.as_str()).or_insert(verdict.level);
        *level = verdict.level.min(*level);
    }
    let mut sorted: Vec<_> = verdicts.iter().collect();
    sorted.sort_by_key(|verdict| {
        let module = verdict.finding.module.as_str();
        (worst[module], module, verdict.level)
    });
    sorted
}

fn block(report: &mut String, verdict: &Verdict, sources: &Sources, style: &Style) {
    let (finding, paint) = (&verdict.finding, Paint::new(style.color));
    let level = paint.level(verdict.level, verdict.level.name());
    report.push_str(&format!("{level}  {}\n", paint.bold(&one_line(&finding.summary))));
    frame::draw(report, verdict, sources, style);
    if finding.primary.is_none() {
        let module = style.names.of(&finding.module);
        paragraph(report, &format!("in the module {}", one_line(&module)), "", style);
    }
    if !finding.detail.is_empty() {
        paragraph(report, &visible(&finding.detail), "", style);
    }
    if let Some(help) = &finding.help {
        paragraph(report, &visible(help), "help: ", style);
    }
    let rule = one_line(finding.rule.as_str());
    let mut asked = format!("{rule} (overrule explain {rule})");
    if let Some(engine) = verdict.engine {
        asked.push_str(&format!(", {} only", engine.name()));
    }
    if let Some(line) = asked_by(verdict, &style.names) {
        asked.push_str(&format!(", asked by {}", one_line(&line)));
    }
    if let Some(fix) = &finding.fix {
        asked.push_str(&format!(", fixed by {}", fix.safety.option()));
    }
    paragraph(report, &asked, "rule: ", style);
}

/// Writes prose two columns in, folded to the width; a line that starts with a space is code and stays as it is.
fn paragraph(report: &mut String, text: &str, title: &str, style: &Style) {
    let paint = Paint::new(style.color);
    let rest = " ".repeat(2 + title.len());
    let width = style.width.max(40) - rest.len();
    let mut indent = format!("  {}", paint.title(title));
    for line in text.lines() {
        let pieces = if line.starts_with([' ', '\t']) { vec![line.to_owned()] } else { fold(line, width) };
        for piece in pieces {
            let piece = if indent.trim().is_empty() { at_line_start(&piece) } else { piece.as_str().into() };
            report.push_str(format!("{indent}{piece}").trim_end());
            report.push('\n');
            indent.clone_from(&rest);
        }
    }
}

/// Breaks a line at spaces so that no piece is wider than `width`, unless a single word is.
fn fold(line: &str, width: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut taken = 0;
    for word in line.split(' ') {
        let wide = word.chars().count();
        if taken > 0 && taken + 1 + wide > width {
            pieces.push(String::new());
            taken = 0;
        }
        let piece = pieces.last_mut().expect("there is always a last piece");
        if taken > 0 {
            piece.push(' ');
            taken += 1;
        }
        piece.push_str(word);
        taken += wide;
    }
    pieces
}

fn statistics(report: &mut String, outcome: &Outcome, paint: Paint) {
    let rows = by_rule(outcome);
    let wide = rows.iter().map(|(number, ..)| number.to_string().len()).max().unwrap_or(0);
    for (number, level, rule) in &rows {
        let name = format!("{:7}", level.name());
        report.push_str(&format!("{number:>wide$}  {}  {}\n", paint.level(*level, &name), one_line(rule)));
    }
    if !rows.is_empty() {
        report.push('\n');
    }
}

//! Reports for people: all locations of a finding in one code frame, repeats with one cause in one block, and errors
//! last, above the summary, because a terminal shows the end.

mod excerpt;
mod fix;
mod frame;

use std::cmp::Reverse;
use std::io::{self, Write};

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use super::fold::fold;
use super::paint::Paint;
use super::sanitize::at_line_start;
use super::tally::{by_rule, closing_line, count_fixable};
use super::{Report, Style, one_line, page_url, sanitize, set_by};
use crate::check::{Outcome, Verdict};
use crate::finding::{EngineRule, Safety, Severity};
use crate::text::{Position, Sources, counted, grouped};

/// Writes the report.
pub(super) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Report { outcome, sources, style } = *report;
    let paint = Paint::new(style.color);
    let steps =
        if style.statistics || outcome.verdicts.is_empty() { Vec::new() } else { next_steps(outcome, style) };
    let closing = std::iter::once(closing_line(outcome, style)).chain(steps);
    let closing: Vec<String> = closing.flat_map(|line| fold(&line, style.width.max(40))).collect();
    let mut counts = String::new();
    if style.statistics {
        statistics(&mut counts, outcome, paint, usize::MAX);
    } else {
        let blocks = repeats(&outcome.verdicts);
        let mut before = None;
        for repeats in &blocks {
            let mut report = String::new();
            block(&mut report, repeats, before, sources, style);
            before = repeats.first().copied();
            report.push('\n');
            out.write_all(report.as_bytes())?;
        }
        if let Some(last) = blocks.last().filter(|_| outcome.verdicts.len() > MAX_WITHOUT_COUNTS) {
            let rules = rules_that_fit(by_rule(outcome).len(), last, closing.len(), sources, style);
            if let Some(rules) = rules {
                statistics(&mut counts, outcome, paint, rules);
            }
        }
    }
    out.write_all(counts.as_bytes())?;
    closing.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// The number of rules to count above the closing lines, so that the last finding above them stays on the screen.
/// `None` if there is no room even for a line about all rules.
fn rules_that_fit(
    rules: usize,
    last: &[&Verdict],
    closing: usize,
    sources: &Sources,
    style: &Style,
) -> Option<usize> {
    let Some(height) = style.height else { return Some(MAX_RULES) };
    let mut plain = String::new();
    block(&mut plain, last, None, sources, &Style { color: false, ..style.clone() });
    let rows = |line: &str| line.chars().count().div_ceil(style.width.max(1)).max(1);
    // The finding and the counts each end with an empty line, and the prompt of the shell takes one line.
    let taken = plain.lines().map(rows).sum::<usize>() + closing + 3;
    let room = height.checked_sub(taken).filter(|room| *room > 0)?;
    // One line counts the other rules.
    Some(if rules <= room { rules.min(MAX_RULES) } else { (room - 1).min(MAX_RULES) })
}

/// The next steps, one line each.
fn next_steps(outcome: &Outcome, style: &Style) -> Vec<String> {
    let fixable = count_fixable(outcome, Safety::Safe);
    let mut steps = Vec::new();
    if fixable > 0 && style.unstaged == 0 {
        steps.push("Add `--fix` to apply the safe fixes, or `--diff` to print them.".to_owned());
    }
    if outcome.known == 0 && outcome.verdicts.len() > MAX_WITHOUT_COUNTS {
        let accept = if style.allows_exceptions { "--add-exceptions" } else { "--write-baseline FILE" };
        steps.push(format!("Add `--changed` for new findings only, or `{accept}` to accept all."));
    }
    let mut rules: Vec<&str> = outcome.verdicts.iter().map(|verdict| verdict.finding.rule.as_str()).collect();
    rules.dedup();
    steps.push(match rules.as_slice() {
        [rule] => format!("Run `overrule explain {rule}` for more about this rule."),
        _ => "Run `overrule explain RULE` for more about a rule.".to_owned(),
    });
    steps
}

/// The summary lists counts per rule above this number of findings.
const MAX_WITHOUT_COUNTS: usize = 20;

/// The maximum number of rules in these counts.
const MAX_RULES: usize = 6;

/// The number of other locations that a block of repeats names.
const MAX_REPEATS: usize = 3;

/// Writes only the findings, in their order.
pub(super) fn blocks(verdicts: &[Verdict], sources: &Sources, style: &Style) -> String {
    let mut report = String::new();
    for verdict in verdicts {
        block(&mut report, &[verdict], None, sources, style);
        report.push('\n');
    }
    report
}

/// Groups findings with their repeats: those of one rule, cause, summary and help in one directory; notices with the same
/// text in any directory; and syntax errors with one text in one file, such as one for each line after an unclosed
/// quote. Errors come last. Within a severity the order is that of the run.
fn repeats(verdicts: &[Verdict]) -> Vec<Vec<&Verdict>> {
    let mut blocks: Vec<Vec<&Verdict>> = Vec::new();
    let mut by_cause: HashMap<_, usize> = HashMap::new();
    for verdict in verdicts {
        let finding = &verdict.finding;
        let in_syntax = (finding.rule == EngineRule::SyntaxError.id())
            .then(|| (finding.primary.map(|at| at.file), &finding.summary, &finding.detail));
        // A fix differs, so it is shown for each directory.
        let goes_anywhere = verdict.level == Severity::Notice && finding.fix.is_none();
        let in_files = finding.primary.is_some() && (finding.concern.is_cause() || in_syntax.is_some());
        let is_placeless = finding.primary.is_none() && finding.related.is_empty();
        let has_cause = in_files || goes_anywhere && is_placeless;
        let cause = (
            &finding.rule,
            (!goes_anywhere).then_some(&finding.module),
            goes_anywhere.then_some(&finding.detail),
            verdict.level,
            verdict.product,
            &finding.concern,
            (&finding.summary, &finding.help),
            in_syntax,
        );
        match by_cause.entry(cause) {
            Entry::Occupied(first) if has_cause => blocks[*first.get()].push(verdict),
            Entry::Vacant(first) if has_cause => {
                first.insert(blocks.len());
                blocks.push(vec![verdict]);
            }
            Entry::Occupied(_) | Entry::Vacant(_) => blocks.push(vec![verdict]),
        }
    }
    // The sort is stable.
    blocks.sort_by_key(|repeats| Reverse(repeats[0].level));
    blocks
}

/// Writes a finding. The others are its repeats. A fix is written once if the finding before has the same one.
fn block(
    report: &mut String,
    repeats: &[&Verdict],
    before: Option<&Verdict>,
    sources: &Sources,
    style: &Style,
) {
    let Some((verdict, others)) = repeats.split_first() else { return };
    let (finding, paint) = (&verdict.finding, Paint::new(style.color));
    let level = paint.level(verdict.level, verdict.level.name());
    report.push_str(&format!("{level}  {}\n", paint.bold(&one_line(&finding.summary))));
    frame::draw(report, verdict, sources, style);
    // A frame names the file.
    if finding.primary.is_none() && finding.related.is_empty() {
        let directory = style.names.of(&finding.module);
        paragraph(report, &one_line(&directory), "directory: ", style);
    }
    if !finding.detail.is_empty() {
        paragraph(report, &sanitize(&finding.detail), "", style);
    }
    if let Some(help) = &finding.help {
        paragraph(report, &sanitize(help), "help: ", style);
    }
    if !others.is_empty() {
        paragraph(report, &also_at(verdict, others, sources, style), "", style);
    }
    fix::write(report, verdict, before, sources, style);
    report.push_str(&format!("  {}{}\n", paint.title("rule: "), rule(verdict, style)));
}

/// The rule name, and what turned the rule on if that is not the engine.
fn rule(verdict: &Verdict, style: &Style) -> String {
    let rule = &verdict.finding.rule;
    let url = page_url(rule);
    let name = Paint::new(style.color).link(&one_line(rule.as_str()), url.as_deref());
    let engine = verdict.product.map(|engine| format!("{} only", engine.name()));
    let set_by = set_by(verdict, &style.names).map(|line| one_line(&line).into_owned());
    let notes: Vec<String> = engine.into_iter().chain(set_by).collect();
    if notes.is_empty() { name } else { format!("{name} ({})", notes.join("; ")) }
}

/// The locations of repeats, or their directories if they have no location, up to a few.
fn also_at(verdict: &Verdict, others: &[&Verdict], sources: &Sources, style: &Style) -> String {
    let mut places: Vec<String> = others
        .iter()
        .map(|verdict| {
            let Some(at) = verdict.finding.primary else {
                return one_line(&style.names.of(&verdict.finding.module)).into_owned();
            };
            let source = sources.get(at.file);
            let Position { line, column, .. } = source.position(at.start);
            format!("{}:{line}:{column}", one_line(&style.names.of(source.name())))
        })
        .collect();
    places.dedup();
    let more = places.len().saturating_sub(MAX_REPEATS);
    places.truncate(MAX_REPEATS);
    let more = match more {
        0 => String::new(),
        more => format!(", … and {} more (`--format concise` lists all)", grouped(more as u64)),
    };
    let more = if style.unicode { more } else { more.replace('…', "...") };
    let at = if verdict.finding.primary.is_some() { "at" } else { "in" };
    format!("The same {} also occurs {at} {}{more}.", verdict.level.name(), places.join(", "))
}

/// Writes prose, indented by two and folded. A line that starts with a space is code and stays as it is.
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

fn statistics(report: &mut String, outcome: &Outcome, paint: Paint, max: usize) {
    let rows = by_rule(outcome);
    let wide = rows.iter().map(|(number, ..)| number.to_string().len()).max().unwrap_or(0);
    for (number, level, rule) in rows.iter().take(max) {
        let name = format!("{:7}", level.name());
        report.push_str(&format!("{number:>wide$}  {}  {}\n", paint.level(*level, &name), one_line(rule)));
    }
    if let Some(rest) = rows.get(max..).filter(|rest| !rest.is_empty()) {
        let findings = counted(rest.iter().map(|(number, ..)| number).sum(), "finding");
        let rules = counted(rest.len(), if max == 0 { "rule" } else { "more rule" });
        report.push_str(&format!("{findings} of {rules}; `--statistics` lists all\n"));
    }
    if !rows.is_empty() {
        report.push('\n');
    }
}

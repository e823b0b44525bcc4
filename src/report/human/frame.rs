//! Draws the excerpts of one finding in one frame, with miette.

use std::fmt;

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, SourceCode};

use super::excerpt::{Excerpts, Place};
use crate::check::Verdict;
use crate::finding::Severity;
use crate::report::Style;
use crate::text::Sources;

/// The maximum number of locations: a module can have a thousand callers.
const MOST_PLACES: usize = 12;

/// Draws the locations of a finding. Returns nothing if it has none.
pub(super) fn draw(report: &mut String, verdict: &Verdict, sources: &Sources, style: &Style) {
    let finding = &verdict.finding;
    // Of two labels for one range, miette would draw the second below an empty first one.
    let own = |span| finding.related.iter().find(|other| finding.label.is_none() && Some(other.span) == span);
    let same = own(finding.primary);
    let words = finding.label.as_deref().or(same.map(|other| other.message.as_str()));
    let primary = finding.primary.map(|span| Place { span, words, primary: true });
    let others = finding.related.iter().filter(|other| same.is_none_or(|same| !std::ptr::eq(*other, same)));
    let others = others.map(|other| Place { span: other.span, words: Some(&other.message), primary: false });
    let places: Vec<_> = primary.into_iter().chain(others).collect();
    if places.is_empty() {
        return;
    }
    let shown = &places[..places.len().min(MOST_PLACES)];
    let drawing = Drawing(Excerpts::new(shown, sources, style));
    let mut drawn = String::new();
    let handler = handler(&drawing, verdict.level, style);
    handler.render_report(&mut drawn, &drawing).expect("miette draws what `Excerpts` holds");
    // The first line is the title of miette, which is empty here.
    join(report, drawn.split_once('\n').map_or("", |(_, frames)| frames), style.unicode);
    match places.len() - shown.len() {
        0 => {}
        1 => report.push_str("  and 1 more place\n"),
        more => report.push_str(&format!("  and {more} more places\n")),
    }
}

fn handler(drawing: &Drawing, level: Severity, style: &Style) -> GraphicalReportHandler {
    let mut theme = match (style.color, style.unicode) {
        (true, true) => GraphicalTheme::unicode(),
        (true, false) => GraphicalTheme::ascii(),
        (false, true) => GraphicalTheme::unicode_nocolor(),
        (false, false) => GraphicalTheme::none(),
    };
    let styles = &mut theme.styles;
    let bad = match level {
        Severity::Error => styles.error,
        Severity::Warning => styles.warning,
        Severity::Notice => styles.advice,
    };
    // miette colors the marks by the order of their offsets, which is the order of ours.
    let other = styles.help;
    styles.highlights = drawing.0.marks.iter().map(|mark| if mark.primary { bad } else { other }).collect();
    GraphicalReportHandler::new_themed(theme)
        .with_links(false)
        .with_width(style.width)
        .without_syntax_highlighting()
}

/// Joins the frames of the excerpts to one, with gutters of one width.
fn join(report: &mut String, frames: &str, unicode: bool) {
    let (top, between, bottom) =
        if unicode { ("╭─[", "├─[", "╰──") } else { (",-[", "|-[", "`--") };
    // Only the first and last line of a frame start with these. All others start with a number or a dot.
    let starts_with = |line: &str, corner: &str| line.trim_start_matches(' ').starts_with(corner);
    let gutter = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let widest = frames.lines().filter(|line| starts_with(line, top)).map(gutter).max().unwrap_or(0);
    let last = frames.lines().filter(|line| starts_with(line, bottom)).count();
    let (mut heads, mut feet, mut pad) = (0, 0, 0);
    for line in frames.lines() {
        let mut shown = line.to_owned();
        if starts_with(line, top) {
            pad = widest - gutter(line);
            heads += 1;
            if heads > 1 {
                shown = line.replacen(top, between, 1);
            }
        } else if starts_with(line, bottom) {
            feet += 1;
            if feet < last {
                continue;
            }
        }
        report.push_str(format!("{}{shown}", " ".repeat(pad)).trim_end());
        report.push('\n');
    }
}

/// The input of miette: marks in a source, without text.
#[derive(Debug)]
struct Drawing(Excerpts);

impl fmt::Display for Drawing {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

impl std::error::Error for Drawing {}

impl Diagnostic for Drawing {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.0)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.0.marks.iter().map(|mark| {
            let (words, span) = (mark.words.clone(), (mark.start, mark.len));
            if mark.primary {
                LabeledSpan::new_primary_with_span(words, span)
            } else {
                LabeledSpan::new_with_span(words, span)
            }
        })))
    }
}

//! The lines that a fix changes, as a small diff.

use crate::check::Verdict;
use crate::finding::Edit;
use crate::report::human::excerpt::window;
use crate::report::paint::Paint;
use crate::report::sanitize::at_line_start;
use crate::report::{Style, one_line, sanitize};
use crate::syntax::aligned;
use crate::text::Sources;

/// The maximum number of lines of a diff.
const MAX_LINES: usize = 12;

/// Writes the diff of a fix below a line with the option that applies it. Writes no diff if the finding before has the
/// same fix, and nothing for a finding without a fix.
///
/// Only the changed lines are compared, so the cost does not depend on the size of the file.
pub(super) fn write(
    report: &mut String,
    verdict: &Verdict,
    before: Option<&Verdict>,
    sources: &Sources,
    style: &Style,
) {
    let Some(fix) = &verdict.finding.fix else { return };
    let title = Paint::new(style.color).title(&format!("fix ({}):", fix.safety.option()));
    if before.is_some_and(|before| before.finding.fix.as_ref() == Some(fix)) {
        report.push_str(&format!("  {title} the same as above\n"));
        return;
    }
    report.push_str(&format!("  {title}\n"));
    let primary = verdict.finding.primary.map(|span| span.file);
    let mut shown = Shown::default();
    let mut files: Vec<&[Edit]> = fix.by_file().collect();
    files.sort_by_key(|edits| Some(edits[0].span.file) != primary);
    let has_names = files.len() > 1;
    for edits in files {
        let file = edits[0].span.file;
        if has_names || Some(file) != primary {
            let name = style.names.of(sources.get(file).name());
            shown.add(|| at_line_start(&one_line(&name)).into_owned());
        }
        changed(sources.get(file).text(), edits, style, &mut shown);
    }
    let Shown { mut lines, number } = shown;
    let more = number.saturating_sub(MAX_LINES + 1);
    if more > 0 {
        lines.truncate(MAX_LINES);
        lines.push(format!("{} {} more lines", style.ellipsis(), more + 1));
    }
    for line in lines {
        report.push_str(&format!("    {line}\n"));
    }
}

/// The first lines of a diff. Many findings can have the same large fix, so no other lines are written.
#[derive(Default)]
struct Shown {
    lines: Vec<String>,
    /// The number of all lines.
    number: usize,
}

impl Shown {
    fn add(&mut self, line: impl FnOnce() -> String) {
        if self.number <= MAX_LINES {
            self.lines.push(line());
        }
        self.number += 1;
    }
}

/// Adds the removed lines with `-`, and the added lines with `+`.
fn changed(text: &str, edits: &[Edit], style: &Style, shown: &mut Shown) {
    let paint = Paint::new(style.color);
    let mut rest = edits;
    while let Some(first) = rest.first() {
        let start = text[..first.span.range().start].rfind('\n').map_or(0, |at| at + 1);
        let mut end = line_end(text, first.span.range().end);
        let mut count = 1;
        while let Some(next) = rest.get(count).filter(|next| next.span.range().start <= end) {
            end = end.max(line_end(text, next.span.range().end));
            count += 1;
        }
        let (mut after, mut at) = (String::new(), start);
        for edit in &rest[..count] {
            after.push_str(&text[at..edit.span.range().start]);
            // The fix is aligned when it is applied, with the lines around it.
            let has_lines = edit.text.trim_matches('\n').contains('\n');
            after.push_str(&if has_lines { aligned(&edit.text) } else { edit.text.clone() });
            at = edit.span.range().end;
        }
        after.push_str(&text[at..end]);
        let (before, after): (Vec<_>, Vec<_>) = (text[start..end].lines().collect(), after.lines().collect());
        let same = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
        let (before, after) = (&before[same..], &after[same..]);
        let same = before.iter().rev().zip(after.iter().rev()).take_while(|(a, b)| a == b).count();
        let (before, after) = (&before[..before.len() - same], &after[..after.len() - same]);
        let after = without_blank_ends(after);
        // Long lines are cut around the first difference.
        let first = before.first().zip(after.first());
        let differs =
            first.map_or(0, |(old, new)| old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count());
        for line in before {
            shown.add(|| paint.removed(&format!("- {}", cut(line, differs, style))));
        }
        for line in after {
            shown.add(|| paint.added(&format!("+ {}", cut(line, differs, style))));
        }
        rest = &rest[count..];
    }
}

/// A line, or the part around an offset if it is long.
fn cut(line: &str, marked: usize, style: &Style) -> String {
    let (from, to) = window(line, 0, line.len(), Some(marked.min(line.len())));
    let cut = |is_cut: bool| if is_cut { style.ellipsis() } else { "" };
    format!("{}{}{}", cut(from > 0), sanitize(&line[from..to]), cut(to < line.len()))
}

/// The lines without blank ones at both ends, which an added block has around it.
fn without_blank_ends<'l, 't>(lines: &'l [&'t str]) -> &'l [&'t str] {
    let is_shown = |line: &&str| !line.trim().is_empty();
    let start = lines.iter().position(is_shown).unwrap_or(lines.len());
    let end = lines.iter().rposition(is_shown).map_or(start, |last| last + 1);
    &lines[start..end]
}

/// The end of the line with an offset. For the start of a line, the end of the line before.
fn line_end(text: &str, at: usize) -> usize {
    if at > 0 && text.as_bytes()[at - 1] == b'\n' {
        return at;
    }
    text[at..].find('\n').map_or(text.len(), |length| at + length + 1)
}

#[cfg(test)]
mod tests {
    use indoc::indoc;

    use super::*;
    use crate::text::{FileId, Span};

    fn edit(from: usize, to: usize, text: &str) -> Edit {
        Edit { span: Span::new(FileId::new(0), from..to), text: text.to_owned() }
    }

    #[test]
    fn a_diff_shows_the_lines_that_change_and_no_others() {
        let text = indoc! {"
            a = 1
            b = 2
            c = 3
            d = 4
        "};
        let shown = |edits: &[Edit]| {
            let mut shown = Shown::default();
            changed(text, edits, &Style::default(), &mut shown);
            shown.lines
        };
        assert_eq!(shown(&[edit(10, 11, "5")]), ["- b = 2", "+ b = 5"]);
        assert_eq!(shown(&[edit(6, 12, "")]), ["- b = 2"]);
        assert_eq!(shown(&[edit(12, 12, "x = 0\n")]), ["+ x = 0"]);
        assert_eq!(shown(&[edit(24, 24, "\nx {\n\n}\n")]), ["+ x {", "+ ", "+ }"]);
        assert_eq!(
            shown(&[edit(4, 5, "7"), edit(22, 23, "8")]),
            ["- a = 1", "+ a = 7", "- d = 4", "+ d = 8"]
        );
        assert_eq!(
            shown(&[edit(10, 11, "5"), edit(16, 17, "6")]),
            ["- b = 2", "+ b = 5", "- c = 3", "+ c = 6"]
        );
    }

    #[test]
    fn a_long_line_is_cut_around_the_first_difference() {
        let items: Vec<String> = (100..300).map(|item| format!("{item}, ")).collect();
        let text = format!("a = [{}]\n", items.concat());
        let mut shown = Shown::default();
        changed(&text, &[edit(505, 510, "")], &Style::default(), &mut shown);
        let [before, after] = &shown.lines[..] else { panic!("{:?}", shown.lines) };
        assert!(before.starts_with("- …") && before.ends_with('…') && before.len() < 300, "{before}");
        assert!(after.starts_with("+ …") && after.ends_with('…') && after.len() < 300, "{after}");
    }
}

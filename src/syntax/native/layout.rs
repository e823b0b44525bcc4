//! Changes the layout of text in native syntax: alignment as in `terraform fmt` and `tofu fmt`, indentation, and line
//! endings.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::scan::{Kind, Mode, Token, scan_text};
use crate::text::{commands, is_obeyed};

/// Aligns the `=` of consecutive lines, and the comments at their ends. Only white space before an `=` or a comment
/// changes.
pub fn aligned(text: &str) -> String {
    let mut lines = lines(text);
    let chains = lines.chunk_by_mut(|a, b| a.assign.is_some() == b.assign.is_some());
    for chain in chains.filter(|chain| chain[0].assign.is_some()) {
        let column = chain.iter().map(|line| line.lead).max().unwrap_or_default() + 1;
        for line in chain {
            line.assign_column = column;
        }
    }
    let mut columns = Vec::new();
    for chain in lines.chunk_by(|a, b| a.comment.is_some() == b.comment.is_some()) {
        let column = chain.iter().map(Line::width).max().unwrap_or_default() + 1;
        for line in chain {
            columns.extend(line.assign.map(|gap| (gap, line.assign_column - line.lead)));
            columns.extend(line.comment.map(|gap| (gap, column - line.width())));
        }
    }
    let (mut written, mut at) = (String::with_capacity(text.len()), 0);
    for (gap, blanks) in columns {
        written.push_str(&text[at..gap.start]);
        written.extend(std::iter::repeat_n(' ', blanks));
        at = gap.end;
    }
    written.push_str(&text[at..]);
    written
}

/// Replaces the indentation `from` by `to`, except on the first line. Lines of heredocs stay as they are, because
/// their indentation is part of the value.
pub fn reindented(text: &str, from: &str, to: &str) -> String {
    let inside = heredocs(text);
    let (mut written, mut at) = (String::with_capacity(text.len()), 0);
    for line in text.split_inclusive('\n') {
        let is_kept = at == 0 || heredoc_at(&inside, at).is_some_and(|heredoc| heredoc.start < at);
        let is_blank = line.trim().is_empty();
        at += line.len();
        if is_kept || is_blank {
            written.push_str(if is_kept { line } else { line.trim_start_matches([' ', '\t']) });
            continue;
        }
        let rest = line.strip_prefix(from).unwrap_or_else(|| line.trim_start_matches([' ', '\t']));
        written.push_str(to);
        written.push_str(rest);
    }
    written
}

/// Ends each line with CRLF, except in heredocs, where line endings are part of the value.
pub fn with_carriage_returns(text: &str) -> String {
    let inside = heredocs(text);
    let (mut written, mut at) = (String::with_capacity(text.len()), 0);
    for line in text.split_inclusive('\n') {
        at += line.len();
        match line.strip_suffix('\n') {
            Some(rest)
                if !rest.ends_with('\r')
                    && heredoc_at(&inside, at).is_none_or(|heredoc| !heredoc.contains(&at)) =>
            {
                written.push_str(rest);
                written.push_str("\r\n");
            }
            Some(_) | None => written.push_str(line),
        }
    }
    written
}

/// The first heredoc that does not end before an offset.
fn heredoc_at(heredocs: &[Range<usize>], at: usize) -> Option<&Range<usize>> {
    heredocs.get(heredocs.partition_point(|heredoc| heredoc.end < at))
}

/// The ranges of heredocs that are not part of others, from marker to marker. An unclosed heredoc extends to the end of
/// the text.
fn heredocs(text: &str) -> Vec<Range<usize>> {
    let mut heredocs: Vec<Range<usize>> = Vec::new();
    let mut open = Vec::new();
    for token in scan_text(text, Mode::Normal) {
        match token.kind {
            Kind::OpenHeredoc => open.push(token.start as usize),
            Kind::CloseHeredoc => {
                let closed = open.pop().filter(|_| open.is_empty());
                heredocs.extend(closed.map(|start| start..token.end as usize));
            }
            _ => {}
        }
    }
    heredocs.extend(open.first().map(|start| *start..text.len()));
    heredocs
}

/// The characters that control a terminal, or that turn the text around them into a command of a CI runner, each with
/// a replacement: in strings and heredocs an escape with the same value, elsewhere a question mark.
pub fn stand_ins(text: &str) -> Vec<(Range<usize>, String)> {
    let is_obeyed_at = |at: usize, c: char| is_obeyed(c) && !text[at..].starts_with("\r\n");
    let mut places: Vec<usize> = commands(text).collect();
    places.extend(text.char_indices().filter(|(at, c)| is_obeyed_at(*at, *c)).map(|(at, _)| at));
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let blanks = line.len() - line.trim_start().len();
        places.extend(line[blanks..].starts_with("::").then_some(at + blanks));
        at += line.len();
    }
    if places.is_empty() {
        return Vec::new();
    }
    places.sort_unstable();
    let tokens = scan_text(text, Mode::Normal);
    let stand_in = |at: usize| {
        let c = text[at..].chars().next().unwrap_or(' ');
        let token = tokens.get(tokens.partition_point(|token| token.end as usize <= at));
        let stand_in = match token.filter(|token| token.start as usize <= at).map(|token| token.kind) {
            Some(Kind::QuotedText) => format!("\\u{:04x}", u32::from(c)),
            Some(Kind::PlainText) => format!("${{\"\\u{:04x}\"}}", u32::from(c)),
            Some(_) | None => "?".to_owned(),
        };
        (at..at + c.len_utf8(), stand_in)
    };
    places.into_iter().map(stand_in).collect()
}

/// The tokens of an expression, separated by one space except around dots, without comments and line breaks. Equal for
/// expressions that differ only in layout.
pub fn without_layout(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut before = Kind::Dot;
    for token in scan_text(text, Mode::Normal) {
        if matches!(token.kind, Kind::Comment | Kind::Newline | Kind::End) {
            continue;
        }
        if before != Kind::Dot && token.kind != Kind::Dot {
            written.push(' ');
        }
        written.push_str(&text[token.start as usize..token.end as usize]);
        before = token.kind;
    }
    written
}

/// A gap between two tokens of one line, white space only.
#[derive(Debug, Clone, Copy)]
struct Gap {
    start: usize,
    end: usize,
}

/// A line, or several lines that a token joins.
#[derive(Debug, Default)]
struct Line {
    /// Width in columns of the text before the `=`, or before the comment.
    lead: usize,
    /// The gap before the `=` of a value that ends on this line.
    assign: Option<Gap>,
    /// Width in columns from the `=` to the end of the value.
    value: usize,
    /// The column for the `=`.
    assign_column: usize,
    /// The gap before the comment at the end of the line.
    comment: Option<Gap>,
}

impl Line {
    /// Width in columns without the comment.
    fn width(&self) -> usize {
        if self.assign.is_some() { self.assign_column + self.value } else { self.lead }
    }
}

fn lines(text: &str) -> Vec<Line> {
    let tokens = scan_text(text, Mode::Normal);
    let ends_line = |token: &Token| match token.kind {
        Kind::Newline | Kind::End => true,
        Kind::Comment => text.as_bytes()[token.end as usize - 1] == b'\n',
        _ => false,
    };
    tokens.split_inclusive(ends_line).map(|tokens| line(text, tokens)).collect()
}

fn line(text: &str, tokens: &[Token]) -> Line {
    let ends = tokens.last().is_some_and(|token| token.kind != Kind::Comment);
    let tokens = &tokens[..tokens.len() - usize::from(ends)];
    // A comment on its own line is not aligned.
    let (tokens, comment) = match tokens {
        [rest @ .., comment] if comment.kind == Kind::Comment && !rest.is_empty() => (rest, Some(comment)),
        _ => (tokens, None),
    };
    let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { return Line::default() };
    let start = text[..first.start as usize].rfind('\n').map_or(0, |at| at + 1);
    let mut line = Line { lead: columns(text, start, last.end), ..Line::default() };
    let equal = tokens.iter().skip(1).position(|token| token.kind == Kind::Equal).map(|at| at + 1);
    if let Some(equal) = equal.filter(|equal| opened(&tokens[*equal..]) == 0) {
        let (before, sign) = (tokens[equal - 1].end, tokens[equal].start);
        line.lead = columns(text, start, before);
        line.value = columns(text, sign as usize, last.end);
        line.assign = Some(Gap { start: before as usize, end: sign as usize });
    }
    line.comment = comment.map(|comment| Gap { start: last.end as usize, end: comment.start as usize });
    line
}

fn columns(text: &str, start: usize, end: u32) -> usize {
    let text = &text[start..end as usize];
    if text.is_ascii() { text.len() } else { text.graphemes(true).count() }
}

/// The number of brackets that these tokens open minus those that they close.
fn opened(tokens: &[Token]) -> i32 {
    let change = |token: &Token| match token.kind {
        Kind::OpenBrace
        | Kind::OpenBracket
        | Kind::OpenParen
        | Kind::OpenInterpolation
        | Kind::OpenDirective => 1,
        Kind::CloseBrace | Kind::CloseBracket | Kind::CloseParen | Kind::CloseSequence => -1,
        _ => 0,
    };
    tokens.iter().map(change).sum()
}

#[cfg(test)]
mod tests {
    use indoc::indoc;

    use super::*;

    #[test]
    fn neighbours_are_aligned_as_the_formatter_aligns_them() {
        let untidy = r#"b {
  a = 1 # x
  bbb = 2    # y
  cc = [1,
  2] # h
  d = <<EOT
foo = 1 # no comment
EOT
  eeeeee = 3
  # alone
  f = 4
  # alone
  gg = 5 /* in */
  é̂ = 6 # z
  x { # u
    a = 1
  }
  lifecycle { ignore_changes = all } # w
  y = { a = 1 } # p
  zzz = f({
    a = 1 # x
    bbbbb = f("x") # yyy
    c : 1 # zz
  }) # q
  long = foo // foo

  k = 1
}
"#;
        let tidy = r#"b {
  a   = 1 # x
  bbb = 2 # y
  cc = [1,
  2] # h
  d      = <<EOT
foo = 1 # no comment
EOT
  eeeeee = 3
  # alone
  f = 4
  # alone
  gg = 5 /* in */
  é̂  = 6 # z
  x {    # u
    a = 1
  }
  lifecycle { ignore_changes = all } # w
  y = { a = 1 }                      # p
  zzz = f({
    a     = 1      # x
    bbbbb = f("x") # yyy
    c : 1          # zz
  })               # q
  long = foo       // foo

  k = 1
}
"#;
        assert_eq!(aligned(untidy), tidy);
        assert_eq!(aligned(tidy), tidy);
    }

    #[test]
    fn what_a_terminal_obeys_gets_a_stand_in_that_means_the_same() {
        let text = "a = \"\u{1b}x\" # \u{1b}\r\nb = <<EOT\n\u{202e}\n  ::error::a\nEOT\n##[error]b\n";
        let (mut written, mut at) = (String::new(), 0);
        for (place, stand_in) in stand_ins(text) {
            written.push_str(&text[at..place.start]);
            written.push_str(&stand_in);
            at = place.end;
        }
        written.push_str(&text[at..]);
        assert_eq!(
            written,
            "a = \"\\u001bx\" # ?\r\nb = <<EOT\n${\"\\u202e\"}\n  ${\"\\u003a\"}:error::a\nEOT\n#?[error]b\n"
        );
    }

    #[test]
    fn line_breaks_of_heredocs_stay_what_they_are() {
        let text = "a = 1\r\nb = <<EOT\nx\nEOT\nc = 2\n";
        assert_eq!(with_carriage_returns(text), "a = 1\r\nb = <<EOT\nx\nEOT\r\nc = 2\r\n");
    }

    #[test]
    fn heredocs_stay_where_they_are() {
        let text = indoc! {"
            b {
                a = <<EOT
                x
            EOT

                c = [
                  1,
                ]
              }"};
        let moved = indoc! {"
            b {
              a = <<EOT
                x
            EOT

              c = [
                1,
              ]
            }"};
        assert_eq!(reindented(text, "  ", ""), moved);
    }
}

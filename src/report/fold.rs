//! Folds prose to a width.

/// Breaks a line at spaces so that no piece is wider than `width`, unless it is a single word. Code in backticks is
/// broken only if it does not fit into one piece.
pub fn fold(line: &str, width: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut taken = 0;
    for word in words(line, width) {
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

/// The words of a line. Code in backticks is one word, with the characters before and after it, unless it is wider than
/// `width`.
fn words(line: &str, width: usize) -> Vec<&str> {
    let parts: Vec<&str> = line.split(' ').collect();
    let is_end = |part: &str| part.matches('`').count() % 2 == 1;
    let (mut words, mut number, mut start) = (Vec::new(), 0, 0);
    while let Some(part) = parts.get(number) {
        let mut end = start + part.len();
        if is_end(part) {
            let after = parts[number + 1..].iter().scan(end, |end, part| {
                *end += 1 + part.len();
                Some((*end, *part))
            });
            let closed = after.take(width).enumerate().find(|(_, (_, part))| is_end(part));
            if let Some((count, (closed, _))) = closed
                && line[start..closed].chars().count() <= width
            {
                end = closed;
                number += count + 1;
            }
        }
        words.push(&line[start..end]);
        number += 1;
        start = end + 1;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_at_spaces_and_not_in_code() {
        let line = "Run `overrule check --fix` to fix, or (`--diff`).";
        assert_eq!(fold(line, 100), [line]);
        assert_eq!(fold(line, 24), ["Run", "`overrule check --fix`", "to fix, or (`--diff`)."]);
        assert_eq!(fold(line, 12), ["Run", "`overrule", "check --fix`", "to fix, or", "(`--diff`)."]);
        assert_eq!(fold("an `open end of  spaces", 9), ["an `open", "end of ", "spaces"]);
        assert_eq!(fold("", 9), [""]);
    }
}

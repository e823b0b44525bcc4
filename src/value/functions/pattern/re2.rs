//! Translates RE2 patterns, as Go parses them, for the `regex` crate.
//!
//! The two dialects refuse different patterns, and some patterns have different meanings. So this module parses
//! patterns by Go's rules (`regexp/syntax` with the flags of `regexp.Compile`). A pattern is invalid exactly if this
//! parser refuses it.

use std::fmt::Write as _;

use smol_str::SmolStr;

mod class;
mod escape;

/// The maximal repeat count, also for the product of nested counts.
const MOST_REPEATS: u32 = 1000;

/// A pattern that Go accepts.
#[derive(Debug)]
pub(super) struct Translation {
    /// The pattern for the `regex` crate, with unnamed groups only.
    pub(super) pattern: String,
    /// The capture groups in order, each with its name.
    pub(super) groups: Vec<Option<SmolStr>>,
    /// Whether `pattern` certainly matches exactly the same as in Go.
    pub(super) is_exact: bool,
}

/// Parses a pattern. The error is Go's message, with the part of the pattern that it concerns.
pub(super) fn translate(pattern: &str) -> Result<Translation, String> {
    let mut parser = Parser {
        whole: pattern,
        rest: pattern,
        flags: Flags::default(),
        out: String::new(),
        frames: vec![Frame::new(Flags::default(), 0)],
        groups: Vec::new(),
        is_exact: true,
        before: None,
    };
    while !parser.rest.is_empty() {
        parser.step()?;
    }
    if parser.frames.len() > 1 {
        return Err(format!("missing closing ) in {pattern}"));
    }
    Ok(Translation { pattern: parser.out, groups: parser.groups, is_exact: parser.is_exact })
}

/// The flags that `(?imsU)` sets.
#[derive(Debug, Clone, Copy, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of the pattern language")]
struct Flags {
    /// `i`: upper and lower case are equal.
    fold: bool,
    /// `m`: `^` and `$` match at lines.
    multiline: bool,
    /// `s`: `.` matches a line feed.
    dot_newline: bool,
    /// `U`: `*` and `*?` swap their meanings.
    ungreedy: bool,
}

/// The operand of a repetition.
#[derive(Debug, Clone, Copy)]
struct Atom {
    /// Its start in the output.
    start: usize,
    /// Whether it matches the empty string.
    is_nullable: bool,
    /// The largest product of nested repeat counts.
    weight: u32,
    /// Whether it already has a repetition.
    is_repeated: bool,
}

/// An open group, or the whole pattern.
#[derive(Debug)]
struct Frame {
    /// The flags to restore at its end.
    flags: Flags,
    /// Its start in the output.
    start: usize,
    last: Option<Atom>,
    /// Whether the current branch, without its last operand, matches the empty string.
    is_branch_nullable: bool,
    /// Whether a finished branch does.
    is_nullable: bool,
    weight: u32,
}

impl Frame {
    fn new(flags: Flags, start: usize) -> Self {
        Self { flags, start, last: None, is_branch_nullable: true, is_nullable: false, weight: 1 }
    }

    fn push(&mut self, atom: Atom) {
        self.settle();
        self.last = Some(atom);
    }

    /// Adds the last operand to the branch.
    fn settle(&mut self) {
        if let Some(last) = self.last.take() {
            self.is_branch_nullable &= last.is_nullable;
            self.weight = self.weight.max(last.weight);
        }
    }

    fn end_branch(&mut self) {
        self.settle();
        self.is_nullable |= self.is_branch_nullable;
        self.is_branch_nullable = true;
    }
}

struct Parser<'p> {
    whole: &'p str,
    rest: &'p str,
    flags: Flags,
    out: String,
    /// The whole pattern and the open groups in it.
    frames: Vec<Frame>,
    groups: Vec<Option<SmolStr>>,
    is_exact: bool,
    /// The rest of the pattern from the repetition that is directly before the current position.
    before: Option<&'p str>,
}

impl<'p> Parser<'p> {
    fn step(&mut self) -> Result<(), String> {
        let repeat = self.before.take();
        let Some(sign) = self.rest.chars().next() else { return Ok(()) };
        match sign {
            '(' => return self.open(),
            '[' => {
                let class = self.class()?;
                self.atom(&class, false);
                return Ok(());
            }
            '\\' => return self.escape(),
            '*' => return self.repeat(&Counts { length: 1, least: 0, most: None }, repeat),
            '+' => return self.repeat(&Counts { length: 1, least: 1, most: None }, repeat),
            '?' => return self.repeat(&Counts { length: 1, least: 0, most: Some(1) }, repeat),
            '{' => {
                if let Some(counts) = Counts::read(self.rest) {
                    if !counts.is_allowed() {
                        return Err(format!("invalid repeat count in {}", &self.rest[..counts.length]));
                    }
                    return self.repeat(&counts, repeat);
                }
                self.literal('{');
            }
            '|' => {
                self.frame().end_branch();
                self.out.push('|');
            }
            ')' => self.close()?,
            '^' => self.atom(if self.flags.multiline { "(?m:^)" } else { "^" }, true),
            '$' => self.atom(if self.flags.multiline { "(?m:$)" } else { "$" }, true),
            '.' => self.atom(if self.flags.dot_newline { "(?s:.)" } else { "." }, false),
            sign => self.literal(sign),
        }
        self.rest = &self.rest[sign.len_utf8()..];
        Ok(())
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the frame of the whole pattern is never closed")
    }

    fn atom(&mut self, text: &str, is_nullable: bool) {
        let start = self.out.len();
        self.out.push_str(text);
        self.frame().push(Atom { start, is_nullable, weight: 1, is_repeated: false });
    }

    fn literal(&mut self, sign: char) {
        let mut text = String::new();
        write_character(&mut text, sign);
        if self.flags.fold && sign.is_alphabetic() {
            text = format!("(?i:{text})");
        }
        self.atom(&text, false);
    }

    /// Parses a construct that starts with `(`.
    fn open(&mut self) -> Result<(), String> {
        let start = self.rest;
        let Some(inner) = start.strip_prefix("(?") else {
            self.rest = &start[1..];
            self.begin("(", self.flags);
            self.groups.push(None);
            return Ok(());
        };
        // Go requires something after the bracket.
        let named = ["P<", "<"].into_iter().find_map(|start| inner.strip_prefix(start));
        let Some(named) = named.filter(|named| !named.is_empty()) else { return self.flags(inner) };
        let name = named.split_once('>').map(|(name, rest)| {
            self.rest = rest;
            name
        });
        let is_word = |sign: char| sign == '_' || sign.is_ascii_alphanumeric();
        match name {
            Some(name) if !name.is_empty() && name.chars().all(is_word) => {
                self.begin("(", self.flags);
                self.groups.push(Some(SmolStr::new(name)));
                Ok(())
            }
            Some(_) => Err(format!("invalid named capture in {}", &start[..start.len() - self.rest.len()])),
            None => Err(format!("invalid named capture in {start}")),
        }
    }

    /// Parses the text after `(?`: flags, and then `)`, or `:` and a group.
    fn flags(&mut self, inner: &'p str) -> Result<(), String> {
        let mut flags = self.flags;
        let unsupported = |part: &str| Err(format!("invalid or unsupported Perl syntax in (?{part}"));
        let mut is_set = true;
        let mut has_flag = false;
        for (at, sign) in inner.char_indices() {
            match sign {
                'i' => flags.fold = is_set,
                'm' => flags.multiline = is_set,
                's' => flags.dot_newline = is_set,
                'U' => flags.ungreedy = is_set,
                '-' if is_set => {
                    (is_set, has_flag) = (false, false);
                    continue;
                }
                ':' | ')' if is_set || has_flag => {
                    self.rest = &inner[at + 1..];
                    if sign == ':' {
                        self.begin("(?:", self.flags);
                    }
                    self.flags = flags;
                    return Ok(());
                }
                sign => return unsupported(&inner[..at + sign.len_utf8()]),
            }
            has_flag = true;
        }
        unsupported(inner)
    }

    fn begin(&mut self, bracket: &str, flags: Flags) {
        self.frames.push(Frame::new(flags, self.out.len()));
        self.out.push_str(bracket);
    }

    fn close(&mut self) -> Result<(), String> {
        if self.frames.len() == 1 {
            return Err(format!("unexpected ) in {}", self.whole));
        }
        let mut frame = self.frames.pop().expect("there are two");
        frame.end_branch();
        self.out.push(')');
        self.flags = frame.flags;
        let Frame { start, is_nullable, weight, .. } = frame;
        self.frame().push(Atom { start, is_nullable, weight, is_repeated: false });
        Ok(())
    }

    /// Applies the next repetition to the last operand.
    fn repeat(&mut self, counts: &Counts, previous: Option<&'p str>) -> Result<(), String> {
        let &Counts { length, least, most } = counts;
        let start = self.rest;
        self.rest = &start[length..];
        let is_lazy = match self.rest.strip_prefix('?') {
            Some(rest) => {
                self.rest = rest;
                !self.flags.ungreedy
            }
            None => self.flags.ungreedy,
        };
        let behind = self.rest.len();
        if let Some(previous) = previous {
            let part = &previous[..previous.len() - behind];
            return Err(format!("invalid nested repetition operator in {part}"));
        }
        let part = &start[..start.len() - behind];
        let Some(atom) = self.frame().last else {
            return Err(format!("missing argument to repetition operator in {part}"));
        };
        let is_counted = start.starts_with('{');
        let weight = match most {
            Some(0) if is_counted => 1,
            _ if is_counted => atom.weight.saturating_mul(most.unwrap_or(least).max(1)),
            _ => atom.weight,
        };
        if weight > MOST_REPEATS {
            return Err(format!("invalid repeat count in {part}"));
        }
        if atom.is_repeated {
            self.out.insert_str(atom.start, "(?:");
            self.out.push(')');
        }
        let _ = match (least, most) {
            (0, None) => write!(self.out, "*"),
            (1, None) => write!(self.out, "+"),
            (0, Some(1)) => write!(self.out, "?"),
            (least, None) => write!(self.out, "{{{least},}}"),
            (least, Some(most)) => write!(self.out, "{{{least},{most}}}"),
        };
        if is_lazy {
            self.out.push('?');
        }
        // The two implementations capture different text in the last iteration of such a loop.
        self.is_exact &= !(atom.is_nullable && most.is_none_or(|most| most > 1));
        let is_nullable = atom.is_nullable || least == 0;
        self.frame().last = Some(Atom { start: atom.start, is_nullable, weight, is_repeated: true });
        self.before = Some(start);
        Ok(())
    }
}

/// The counts of `{n}`, `{n,}` or `{n,m}`.
struct Counts {
    /// The length of the operator in bytes.
    length: usize,
    least: u32,
    most: Option<u32>,
}

impl Counts {
    /// Parses counts after an opening brace. In any other form, the brace is an ordinary character.
    fn read(text: &str) -> Option<Self> {
        let inner = text.strip_prefix('{')?;
        let end = inner.find(|sign: char| !sign.is_ascii_digit() && sign != ',')?;
        let (inner, rest) = inner.split_at(end);
        rest.starts_with('}').then_some(())?;
        let length = end + 2;
        Some(match inner.split_once(',') {
            None => Self { length, least: number(inner)?, most: Some(number(inner)?) },
            Some((least, "")) => Self { length, least: number(least)?, most: None },
            Some((least, most)) => Self { length, least: number(least)?, most: Some(number(most)?) },
        })
    }

    fn is_allowed(&self) -> bool {
        let most = self.most.unwrap_or(self.least);
        self.least <= most && most <= MOST_REPEATS
    }
}

/// A count without leading zeros.
fn number(digits: &str) -> Option<u32> {
    let is_plain = digits.bytes().all(|digit| digit.is_ascii_digit())
        && !digits.is_empty()
        && (digits.len() == 1 || !digits.starts_with('0'));
    is_plain.then(|| digits.parse().unwrap_or(u32::MAX))
}

/// Writes a character as a literal.
fn write_character(out: &mut String, sign: char) {
    if sign == '_' || sign.is_ascii_alphanumeric() {
        out.push(sign);
    } else {
        let _ = write!(out, "\\x{{{:X}}}", u32::from(sign));
    }
}

#[cfg(test)]
mod tests {
    use super::translate;

    /// The expected results of the tests of values.
    const ANSWERS: &str = include_str!("../../tests/patterns.txt");

    #[test]
    fn a_pattern_is_refused_in_the_words_of_go() {
        let mut refused = 0;
        for line in ANSWERS.lines().filter(|line| !line.contains("both named and unnamed")) {
            let (pattern, answer) = line.split_once('\t').expect("a pattern and more");
            let pattern = pattern.trim_matches('"').replace(r"\\", r"\");
            let answer = answer.split_once('\t').expect("a string and an answer").1;
            let result = translate(&pattern).map(|_| ());
            assert_eq!(result.err().as_deref(), answer.strip_prefix("! "), "{line}");
            refused += usize::from(answer.starts_with('!'));
        }
        assert!(refused > 70, "{refused}");
    }
}

//! `fileset`: the files in a directory that match a pattern.

use std::cell::Cell;

use super::signature::{FunctionError, Outcome, text};
use crate::value::{Scope, Type, Value};
use crate::vfs::NamedFile;

/// Limit of the length of a pattern and of its alternatives. Beyond it, the result is unknown.
const LONGEST: usize = 500;
const MOST_ALTERNATIVES: usize = 50;

/// The number of comparisons between parts of patterns and of paths in a step.
const COMPARED: usize = 16;

pub(super) fn fileset(arguments: &[Value], scope: &dyn Scope) -> Outcome {
    let (path, pattern) = (text(arguments, 0)?, text(arguments, 1)?);
    let unknown = Ok(Value::Unknown(Type::set(Type::String)));
    // The engine joins path and pattern, so special characters in the path count, too, and `..` cancels other parts.
    let is_plain = !path.contains(['*', '?', '[', '{', '\\'])
        && !pattern.contains('\\')
        && pattern.split('/').all(|name| !name.is_empty() && name != "." && name != "..");
    if !is_plain || pattern.len() > LONGEST {
        return unknown;
    }
    let not_closed = || match scope.named_file(path).file {
        NamedFile::Directory => Err(FunctionError::of_call(format!("the pattern {pattern:?} is not closed"))),
        _ => Ok(Value::Unknown(Type::set(Type::String))),
    };
    if is_never_closed(pattern) {
        return not_closed();
    }
    let Some(patterns) = alternatives(pattern) else { return unknown };
    let segments: Option<Vec<Vec<Segment>>> = patterns.iter().map(|pattern| parse(pattern)).collect();
    let Some(patterns) = segments else { return not_closed() };
    // Files that git ignores may exist when the engine runs.
    let may_be_ignored = patterns.iter().any(|pattern| {
        let sample: Vec<String> = pattern.iter().map(Segment::sample).collect();
        scope.ignores(&format!("{path}/{}", sample.join("/")))
    });
    if may_be_ignored || patterns.iter().any(|pattern| pattern[0] == Segment::Any) && path == "." {
        return unknown;
    }
    let is_wanted = |directory: &str| patterns.iter().any(|pattern| may_lead_below(pattern, directory));
    let Some(files) = scope.files_below(path, &is_wanted) else { return unknown };
    let compared = Cell::new(0);
    let most = scope.limits().evaluation().saturating_mul(COMPARED);
    let matches = |file: &String| {
        let is_match = |pattern: &Vec<Segment>| {
            let is_one = |segment: &Segment, name| segment.matches(name, &compared);
            is_match(pattern, &Segment::Any, file.split('/'), is_one, &compared)
        };
        compared.get() <= most && patterns.iter().any(is_match)
    };
    let found: Vec<String> = files.into_iter().filter(matches).collect();
    scope.work().searched().update(|steps| steps + compared.get() / COMPARED);
    if compared.get() > most {
        return Err(FunctionError::Expensive);
    }
    let is_known = found.iter().all(|file| !scope.ignores(&format!("{path}/{file}")));
    let set = || Value::set(Type::String, found.iter().map(Value::string).collect());
    if is_known { Ok(set()) } else { unknown }
}

/// A part of a pattern between slashes.
#[derive(Debug, PartialEq, Eq)]
enum Segment {
    /// `**`: any number of directories.
    Any,
    /// A pattern for one name.
    Name(Vec<Piece>),
}

#[derive(Debug, PartialEq, Eq)]
enum Piece {
    Char(char),
    /// `?`
    One,
    /// `*`
    Many,
    /// `[a-z]`, or `[^a-z]`: whether it is negated, and its ranges.
    Class(bool, Vec<(char, char)>),
}

impl Segment {
    /// A name that the pattern matches.
    fn sample(&self) -> String {
        let Self::Name(pieces) = self else { return "x".to_owned() };
        let sample = |piece: &Piece| match piece {
            Piece::Char(sign) => *sign,
            Piece::Class(false, ranges) => ranges.first().map_or('x', |(first, _)| *first),
            Piece::One | Piece::Many | Piece::Class(true, _) => 'x',
        };
        pieces.iter().map(sample).collect()
    }

    /// Whether it matches a name. Adds the number of comparisons to `compared`.
    fn matches(&self, name: &str, compared: &Cell<usize>) -> bool {
        let Self::Name(pieces) = self else { return true };
        let is_one = |piece: &Piece, sign: char| match piece {
            Piece::Many | Piece::One => true,
            Piece::Char(other) => *other == sign,
            Piece::Class(is_negated, ranges) => {
                ranges.iter().any(|(first, last)| (*first..=*last).contains(&sign)) != *is_negated
            }
        };
        is_match(pieces, &Piece::Many, name.chars(), is_one, compared)
    }
}

/// Whether parts of a pattern match all items. The part `many` matches any number of items, and the others one each, as
/// `is_one` decides. Adds the number of comparisons to `compared`.
fn is_match<P: PartialEq, T: Copy>(
    pattern: &[P],
    many: &P,
    mut items: impl Iterator<Item = T> + Clone,
    is_one: impl Fn(&P, T) -> bool,
    compared: &Cell<usize>,
) -> bool {
    let mut at = 0;
    // The part after the last `many`, and the items that it does not match so far.
    let mut last = None;
    loop {
        compared.update(|number| number + 1);
        let part = pattern.get(at);
        if part == Some(many) {
            last = Some((at + 1, items.clone()));
            at += 1;
            continue;
        }
        match (part, items.next()) {
            (None, None) => return true,
            (Some(part), Some(item)) if is_one(part, item) => at += 1,
            _ => {
                let Some((after, rest)) = &mut last else { return false };
                if rest.next().is_none() {
                    return false;
                }
                (at, items) = (*after, rest.clone());
            }
        }
    }
}

/// Whether a pattern may match something below a directory.
fn may_lead_below(pattern: &[Segment], directory: &str) -> bool {
    let mut names = directory.split('/');
    for segment in pattern {
        match (segment, names.next()) {
            (Segment::Any, _) | (_, None) => return true,
            (segment, Some(name)) if segment.matches(name, &Cell::new(0)) => {}
            (_, Some(_)) => return false,
        }
    }
    false
}

/// Whether a pattern starts with a group that is not closed. The engine reports a later one only if a name matches the
/// part before it.
fn is_never_closed(pattern: &str) -> bool {
    let mut depth = 0_usize;
    let closes = |sign: char| {
        match sign {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    };
    pattern.starts_with('{') && !pattern.contains('[') && !pattern.chars().any(closes)
}

/// Expands the `{a,b}` groups of a pattern. Returns `None` if they are nested or unclosed, or if there are too many
/// results.
fn alternatives(pattern: &str) -> Option<Vec<String>> {
    let mut done = vec![String::new()];
    let mut rest = pattern;
    while let Some((before, inside)) = rest.split_once('{') {
        let (inside, after) = inside.split_once('}')?;
        if inside.contains(['{', '[']) || before.contains('}') {
            return None;
        }
        let all =
            done.iter().flat_map(|start| inside.split(',').map(move |one| format!("{start}{before}{one}")));
        done = all.collect();
        if done.len() > MOST_ALTERNATIVES {
            return None;
        }
        rest = after;
    }
    if rest.contains('}') {
        return None;
    }
    for start in &mut done {
        start.push_str(rest);
    }
    Some(done)
}

/// The segments of a pattern. Returns `None` for an unclosed class.
fn parse(pattern: &str) -> Option<Vec<Segment>> {
    let segment = |name: &str| {
        if name == "**" {
            return Some(Segment::Any);
        }
        let mut pieces = Vec::new();
        let mut signs = name.chars();
        while let Some(sign) = signs.next() {
            pieces.push(match sign {
                '*' => Piece::Many,
                '?' => Piece::One,
                '[' => class(&mut signs)?,
                sign => Piece::Char(sign),
            });
        }
        Some(Segment::Name(pieces))
    };
    pattern.split('/').map(segment).collect()
}

fn class(signs: &mut std::str::Chars<'_>) -> Option<Piece> {
    let (inside, rest) = signs.as_str().split_once(']')?;
    if inside.is_empty() {
        return None;
    }
    *signs = rest.chars();
    let (is_negated, inside) = inside.strip_prefix('^').map_or((false, inside), |inside| (true, inside));
    let inside: Vec<char> = inside.chars().collect();
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < inside.len() {
        let is_range = inside.get(at + 1) == Some(&'-') && at + 2 < inside.len();
        ranges.push((inside[at], inside[if is_range { at + 2 } else { at }]));
        at += if is_range { 3 } else { 1 };
    }
    if ranges.is_empty() { None } else { Some(Piece::Class(is_negated, ranges)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, name: &str) -> bool {
        let pattern = parse(pattern).expect("no class");
        let compared = Cell::new(0);
        let is_one = |segment: &Segment, name| segment.matches(name, &compared);
        is_match(&pattern, &Segment::Any, name.split('/'), is_one, &compared)
    }

    /// The definition: each sign of the pattern against the first signs of the name.
    fn is_defined(pattern: &str, name: &str) -> bool {
        let Some(sign) = pattern.chars().next() else { return name.is_empty() };
        let (pattern, first) = (&pattern[1..], name.chars().next());
        match sign {
            '*' => (0..=name.len()).any(|length| is_defined(pattern, &name[length..])),
            sign => first.is_some_and(|it| sign == '?' || it == sign) && is_defined(pattern, &name[1..]),
        }
    }

    /// All texts of some signs, up to a length.
    fn texts(signs: &str, length: usize) -> Vec<String> {
        let mut all = vec![String::new()];
        let mut from = 0;
        for _ in 0..length {
            let until = all.len();
            for at in from..until {
                all.extend(signs.chars().map(|sign| format!("{}{sign}", all[at])).collect::<Vec<_>>());
            }
            from = until;
        }
        all.split_off(1)
    }

    #[test]
    fn stars_match_as_defined() {
        for pattern in texts("ab?*", 5).iter().filter(|pattern| !pattern.contains("**")) {
            for name in texts("ab", 5) {
                assert_eq!(matches(pattern, &name), is_defined(pattern, &name), "{pattern} {name}");
            }
        }
    }

    #[test]
    fn two_stars_match_any_number_of_directories() {
        for path in ["x", "a/x", "a/b/x", "x/x"] {
            assert!(matches("**/x", path), "{path}");
        }
        for path in ["y", "a/y", "x/y"] {
            assert!(!matches("**/x", path), "{path}");
        }
        assert!(matches("a/**/b/**/c", "a/b/b/x/c") && !matches("a/**/b/**/c", "a/x/c"));
    }
}

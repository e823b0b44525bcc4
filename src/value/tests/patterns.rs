//! Patterns that Go and the `regex` crate parse differently, and patterns that both refuse.

use super::functions::read;
use crate::value::{Type, Value};

/// Each line has a pattern, a string, and the result of `jsonencode(regexall(PATTERN, STRING))` in `terraform
/// console` 1.11.4. `!` precedes the error for an invalid pattern, `?` a result that overrule does not compute.
const ANSWERS: &str = include_str!("patterns.txt");

#[test]
fn patterns_match_what_they_match_in_terraform() {
    for line in ANSWERS.lines() {
        let [pattern, text, answer] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let (value, findings) = read(&format!("jsonencode(regexall({pattern}, {text}))"));
        if answer.starts_with('!') {
            let at = format!("Invalid function argument @ {}", pattern.trim_matches('"'));
            assert_eq!((value, findings), (Value::UNKNOWN, vec![at]), "{line}");
        } else if answer.starts_with('?') {
            assert_eq!((value, findings), (Value::Unknown(Type::String), Vec::new()), "{line}");
        } else {
            assert_eq!((value, findings), (Value::string(answer), Vec::new()), "{line}");
        }
    }
}

#[test]
fn a_pattern_that_replace_takes_follows_the_same_rules() {
    for line in ANSWERS.lines().filter(|line| !line.contains("both named and unnamed")) {
        let pattern = line.split('\t').next().expect("a pattern").trim_matches('"');
        let (_, findings) = read(&format!("replace(\"a\", \"/{pattern}/\", \"b\")"));
        let is_invalid = line.contains("\t! ");
        let expected = if is_invalid { vec!["Error in function call @ replace("] } else { Vec::new() };
        assert_eq!(findings, expected, "{line}");
    }
}

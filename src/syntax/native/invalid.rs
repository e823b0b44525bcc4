//! Reports tokens that are invalid everywhere, before parsing.

use std::borrow::Cow;

use hashbrown::HashMap;

use super::lexed::Lexed;
use super::scan::{Kind, Token};
use crate::finding::{EngineRule, Finding};
use crate::limits::Limits;

/// The errors of the tokens by themselves. Most kinds are reported once, or a few times.
pub(super) fn findings(lexed: Lexed<'_>, limits: &Limits) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut seen: HashMap<Kind, usize> = HashMap::new();
    for token in lexed.tokens.iter().copied() {
        let Some((summary, detail)) = error(lexed, token) else { continue };
        let before = seen.entry(token.kind).or_default();
        let is_reported = match token.kind {
            Kind::Bitwise => *before < 4,
            // The first and the third, so that a string in wrong quotes is reported once.
            Kind::Backtick | Kind::Apostrophe => matches!(before, 0 | 2),
            Kind::Semicolon | Kind::NotUtf8 => *before == 0,
            _ => true,
        };
        *before += 1;
        // One error above the limit shows that there are more.
        if is_reported && found.len() <= limits.mistakes() {
            Finding::language(EngineRule::SyntaxError, summary)
                .at(lexed.span(token))
                .detail(detail)
                .push_to(&mut found);
        }
    }
    found
}

/// Summary and detail of the error that a token is, if it is one.
fn error(lexed: Lexed<'_>, token: Token) -> Option<(&'static str, Cow<'static, str>)> {
    let (summary, detail) = match token.kind {
        Kind::Bitwise => return Some(("Unsupported operator", bitwise_detail(lexed.written(token)).into())),
        Kind::Backtick => {
            let detail = "Backticks are not valid. Write a multi-line string as a heredoc, such as `<<EOT`.";
            ("Invalid character", detail)
        }
        Kind::Apostrophe => {
            ("Invalid character", "Strings are written in double quotes, not in single ones.")
        }
        Kind::Semicolon => {
            let detail = "Semicolons are not valid. Separate arguments and blocks by line breaks, and items of \
            collections by commas.";
            ("Invalid character", detail)
        }
        Kind::NotUtf8 => ("Invalid character encoding", "Files must be encoded in UTF-8."),
        Kind::QuotedNewline => {
            let detail = "A quoted string cannot contain a line break. Close the string and each `${` in it on this line. For a \
                 line break in the value, write `\\n`, or use a heredoc such as `<<EOT`.";
            ("Invalid multi-line string", detail)
        }
        Kind::Unknown if matches!(lexed.written(token), "\u{201c}" | "\u{201d}") => {
            let detail = "This is a typographic quote. Strings are written in straight quotes: `\"`.";
            ("Invalid character", detail)
        }
        Kind::Unknown => ("Invalid character", "This character is not valid here."),
        _ => return None,
    };
    Some((summary, detail.into()))
}

fn bitwise_detail(operator: &str) -> String {
    let instead = match operator {
        "&" => " Did you mean `&&`?",
        "|" => " Did you mean `||`?",
        "~" => " Did you mean `!`?",
        _ => "",
    };
    format!("Bitwise operators are not supported.{instead}")
}

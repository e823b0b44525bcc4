//! Turns tokens that can stand nowhere into findings, before anything is made of them.

use super::lexed::Lexed;
use super::scan::Kind;
use crate::finding::{EngineRule, Finding};
use crate::limits::Limits;

/// What is wrong with the tokens of a file by themselves. Most kinds of fault are told only once, or a few times.
pub(super) fn findings(lexed: Lexed<'_>, limits: &Limits) -> Vec<Finding> {
    let mut found = Vec::new();
    let (mut bitwise, mut backticks, mut apostrophes) = (0, 0, 0);
    let (mut semicolons, mut encodings) = (0, 0);
    for token in lexed.tokens.iter().copied() {
        let (summary, detail) = match token.kind {
            Kind::Bitwise => {
                bitwise += 1;
                if bitwise > 4 {
                    continue;
                }
                ("Unsupported operator", bitwise_detail(lexed.written(token)))
            }
            // Every other one, so that a string in wrong quotes is told once.
            Kind::Backtick => {
                let told = backticks % 2 == 0;
                backticks = (backticks + 1).min(3);
                if !told {
                    continue;
                }
                let detail = "A backtick means nothing here. A string over several lines is written as a heredoc, such \
                              as `<<EOT`.";
                ("Invalid character", detail.to_owned())
            }
            Kind::Apostrophe => {
                let told = apostrophes % 2 == 0;
                apostrophes = (apostrophes + 1).min(3);
                if !told {
                    continue;
                }
                ("Invalid character", "Strings are written in double quotes, not in single ones.".to_owned())
            }
            Kind::Semicolon => {
                semicolons += 1;
                if semicolons > 1 {
                    continue;
                }
                let detail = "A semicolon means nothing here. Arguments and blocks are separated by line breaks, and \
                              items of collections by commas.";
                ("Invalid character", detail.to_owned())
            }
            Kind::NotUtf8 => {
                encodings += 1;
                if encodings > 1 {
                    continue;
                }
                ("Invalid character encoding", "Files have to be encoded in UTF-8.".to_owned())
            }
            Kind::QuotedNewline => {
                let detail = "A quoted string cannot go on in the next line. Write `\\n` for a line break in it, or a \
                              heredoc such as `<<EOT`.";
                ("Invalid multi-line string", detail.to_owned())
            }
            Kind::Unknown => {
                let detail = match lexed.written(token) {
                    "\u{201c}" | "\u{201d}" => {
                        "This is a typographic quote, as text processors put it in. Strings are written in straight \
                         ones."
                    }
                    _ => "This character means nothing in the language.",
                };
                ("Invalid character", detail.to_owned())
            }
            _ => continue,
        };
        // One more than is told shows that there is more.
        if found.len() <= limits.mistakes() {
            found.push(
                Finding::language(EngineRule::SyntaxError, summary).at(lexed.span(token)).detail(detail),
            );
        }
    }
    found
}

fn bitwise_detail(operator: &str) -> String {
    let instead = match operator {
        "&" => " Did you mean `&&`?",
        "|" => " Did you mean `||`?",
        "~" => " Did you mean `!`?",
        _ => "",
    };
    format!("There are no operators on bits.{instead}")
}

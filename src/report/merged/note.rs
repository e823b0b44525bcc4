//! Comments about the origin of merged parts, and about parts without effect.

use std::sync::Arc;

use super::Writer;
use crate::module::dropped::{Dropped, Why};
use crate::module::merged::{Argument, Meaning, MergedBlock};
use crate::report::one_line;
use crate::syntax::{Attribute, Block};
use crate::text::Span;

/// The maximal length of a value in a comment.
const SHOWN: usize = 60;

impl Writer<'_> {
    /// File and line, relative to the directory of the module.
    pub(super) fn place(&self, span: Span) -> String {
        let source = self.sources.get(span.file);
        format!("{}:{}", self.file_name(source.name()), source.position(span.start).line)
    }

    /// The name of a file, relative to the directory of the module.
    pub(super) fn file_name(&self, name: &str) -> String {
        let directory = self.module.directory.as_str();
        let inside = name.strip_prefix(directory).map(|rest| rest.trim_start_matches('/'));
        one_line(inside.filter(|_| !directory.is_empty()).unwrap_or(name)).into_owned()
    }

    /// The comment for an argument of a block, if there is one.
    pub(super) fn of_argument(&self, argument: &Argument, kind: &str, is_own: bool) -> Option<String> {
        if !self.style.comments {
            return None;
        }
        let mut words = Vec::new();
        if !is_own {
            words.push(format!("from {}", self.place(argument.counts.span)));
        }
        match &argument.meaning {
            None => {}
            Some(Meaning::Value(_)) => {
                words.push(format!("converted from {}", self.short(&argument.counts, kind)));
            }
            Some(Meaning::Type(_)) => words.push(match argument.before.last() {
                Some(before) => {
                    format!("with the defaults of optional attributes from {}", self.place(before.span))
                }
                None => "without the defaults of optional attributes".to_owned(),
            }),
        }
        for (number, before) in argument.before.iter().rev().enumerate() {
            let place = self.place(before.span);
            let is_same = self.value(before, kind, "") == self.value(&argument.counts, kind, "");
            words.push(match (is_same, number) {
                (true, _) => format!("as in {place}"),
                (false, 0) => format!("was {} in {place}", self.short(before, kind)),
                (false, _) => format!("{} in {place}", self.short(before, kind)),
            });
        }
        (!words.is_empty()).then(|| format!("# {}", words.join(", ")))
    }

    /// The comment for a block from an override file.
    pub(super) fn of_block(&self, block: &MergedBlock, replaces: &[Arc<Block>]) -> Option<String> {
        if !self.style.comments {
            return None;
        }
        let from = self.place(block.block.header);
        Some(match replaces {
            [] => format!("# from {from}"),
            [one] => format!("# from {from}, replaces {}", self.place(one.header)),
            [first, others @ ..] => {
                format!("# from {from}, replaces {} and {} more", self.place(first.header), others.len())
            }
        })
    }

    /// The value of an argument on one line, cut if it is long.
    fn short(&self, attribute: &Attribute, kind: &str) -> String {
        let text = self.value(attribute, kind, "");
        let text = one_line(&joined(&text)).into_owned();
        if text.chars().count() <= SHOWN {
            return text;
        }
        let cut = if self.style.unicode { "…" } else { "..." };
        format!("{}{cut}", text.chars().take(SHOWN).collect::<String>())
    }

    /// The reason why something is not part of the module.
    pub(super) fn reason(&self, dropped: &Dropped) -> String {
        let engine = self.module.features.engine.product.name();
        match dropped.why {
            Why::Replaced => {
                let by = dropped.by.map(|by| format!(" by {}", self.place(by))).unwrap_or_default();
                let lost: Vec<String> = dropped.lost.iter().map(|name| format!("`{name}`")).collect();
                let without = if lost.is_empty() { "" } else { ", without " };
                format!("replaced as a whole{by}{without}{}", one_line(&lost.join(", ")))
            }
            Why::Ignored => format!("{engine} ignores it in override files"),
            Why::Empty => "an empty value in an override file replaces nothing".to_owned(),
            Why::AllStays => "a list does not replace `all`".to_owned(),
            Why::TrueStays => "`true` in another file remains".to_owned(),
            Why::Refused => format!("{engine} rejects it in override files"),
            Why::NoBase => "it has no base block".to_owned(),
            Why::CountWins => "`count` is also set, and takes precedence".to_owned(),
            Why::UnknownVariable => {
                format!(
                    "the child module has no such variable; {engine} drops it because the call has an override"
                )
            }
            Why::NotAName => format!("{engine} has no argument or block with this name"),
            Why::TakenForEmpty => {
                format!("remains, but {engine} treats the block as empty, because it has an override")
            }
        }
    }
}

/// An expression joined into one line.
fn joined(text: &str) -> String {
    let mut one = String::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let opens = one.is_empty() || one.ends_with(['{', '[', '(', ',']);
        let needs_comma = !opens && !line.starts_with(['}', ']', ')']) && !text.contains("<<");
        one.push_str(if needs_comma {
            ", "
        } else if one.is_empty() {
            ""
        } else {
            " "
        });
        one.push_str(&line.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    one
}

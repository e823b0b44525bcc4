//! Turns the table of rules into one line each.

use std::process::ExitCode;

use super::terminal::Terminal;
use super::{Failure, say};
use crate::finding::Severity;
use crate::rules::page;

/// Prints every rule with what it finds, in columns on a terminal of any width.
pub(super) fn run(terminal: &Terminal) -> Result<ExitCode, Failure> {
    let widest = page::PAGES.iter().map(|page| page.rule.len()).max().unwrap_or(0);
    let mut list = String::new();
    for page in page::PAGES {
        let name = format!("{:widest$}", page.rule);
        let name = if terminal.color { format!("\u{1b}[1m{name}\u{1b}[0m") } else { name };
        let level = page.severity().map_or("", Severity::name);
        list.push_str(&format!("{name}  {level:7}  {}\n", page.finds()));
    }
    say(&list)
}

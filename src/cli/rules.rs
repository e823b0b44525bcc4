//! Turns the table of rules into one line each, with what the policy that holds here makes of it.

use std::env;
use std::process::ExitCode;

use super::terminal::Terminal;
use super::{Failure, place, policy, say};
use crate::check::rule_names;
use crate::finding::Severity;
use crate::policy::{Level, Line, Origin, Policy};
use crate::report::one_line;
use crate::rules::page::Page;
use crate::source::Worktree;

/// Arguments of `rules`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    policy: policy::Arguments,
}

/// Prints every rule: its level, who set that, and what it finds. A pattern of paths that has other levels is left out.
pub(super) fn run(arguments: &Arguments, terminal: &Terminal) -> Result<ExitCode, Failure> {
    let current = env::current_dir()
        .map_err(|error| Failure::new(format!("the current folder cannot be read: {error}")))?;
    let mut worktree =
        Worktree::without_modules(&current).map_err(|error| Failure::new(error.to_string()))?;
    let (policy, _) = arguments.policy.load(&current, &mut worktree, terminal)?;
    let names = place::names(&current, worktree.top());
    let rows: Vec<Row> = rule_names()
        .into_iter()
        .map(|rule| {
            let (level, asked_by) = said(&policy, rule, |file| names.of(file));
            Row { rule, level, asked_by, finds: Page::of(rule).map_or("", Page::finds) }
        })
        .collect();
    let widest = |text: fn(&Row) -> &str| rows.iter().map(|row| text(row).len()).max().unwrap_or(0);
    let (name_width, asker_width) = (widest(|row| row.rule), widest(|row| &row.asked_by));
    let mut list = String::new();
    for Row { rule, level, asked_by, finds } in &rows {
        let name = format!("{rule:name_width$}");
        let name = if terminal.color { format!("\u{1b}[1m{name}\u{1b}[0m") } else { name };
        list.push_str(&format!("{name}  {level:7}  {asked_by:asker_width$}  {finds}\n"));
    }
    say(&list)
}

struct Row {
    rule: &'static str,
    level: &'static str,
    asked_by: String,
    finds: &'static str,
}

/// What a policy makes of a rule everywhere, and on whose word.
fn said(policy: &Policy, rule: &'static str, name: impl Fn(&str) -> String) -> (&'static str, String) {
    let engine = Page::of(rule).and_then(Page::severity).map(Severity::name);
    match policy.everywhere(rule) {
        Some(setting) => {
            let Line { file, line, origin } = &setting.asked_by;
            let file = match origin {
                Origin::Preset => file.to_string(),
                Origin::File => one_line(&name(file)).into_owned(),
            };
            (setting.level.map(Level::word).or(engine).unwrap_or_default(), format!("{file}:{line}"))
        }
        None => (engine.unwrap_or(Level::Off.word()), String::new()),
    }
}

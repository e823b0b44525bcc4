//! Turns the table of rules into one line each, with what the policy that holds here makes of it.

use std::process::ExitCode;

use clap::ValueEnum;
use smol_str::SmolStr;

use super::terminal::Terminal;
use super::{Failure, place, policy, say};
use crate::check::rule_names_under;
use crate::finding::{Safety, Severity};
use crate::limits::Limit;
use crate::policy::{Level, Line, Origin, Policy};
use crate::report::{self, Listed, one_line};
use crate::rules::page::Page;
use crate::rules::{ENTRIES, KINDS};
use crate::vfs::Snapshot;

/// Arguments of `rules`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// How the list is written
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
    #[command(flatten)]
    policy: policy::Arguments,
}

/// How the list is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Human,
    Json,
}

/// Prints every rule: its level, who set that, and what it finds. A pattern of paths that has other levels is left out.
/// Behind them stand the kinds of rules that a policy makes itself, and the limits of a run.
pub(super) fn run(arguments: &Arguments, terminal: &Terminal) -> Result<ExitCode, Failure> {
    let current = place::current()?;
    let mut snapshot = Snapshot::without_modules(&current)?;
    let (policy, _) = arguments.policy.load("listed", &current, &mut snapshot, terminal)?;
    let names = place::names(&current, snapshot.top());
    let rules = rule_names_under(&policy).into_iter().map(|rule| {
        let (level, asked_by) = said(&policy, &rule, |file| names.of(file));
        let finds = finds(&policy, &rule);
        let entry = ENTRIES.iter().find(|entry| entry.id == rule);
        let fixes = entry.map_or(&[][..], |entry| entry.fixes);
        Row { rule, level, asked_by, finds, fixes }
    });
    let kinds = KINDS.iter().map(|kind| Row {
        rule: SmolStr::new_static(kind.id),
        level: KIND,
        asked_by: String::new(),
        finds: Page::of(kind.id).map_or("", Page::finds).into(),
        fixes: &[],
    });
    let rows: Vec<Row> = rules.chain(kinds).collect();
    if arguments.format == Format::Json {
        return say(&report::rules(rows.iter().map(Row::listed), &policy.limits()));
    }
    let limits = policy.limits();
    let limits = Limit::ALL.map(|limit| Row {
        rule: SmolStr::new_static(limit.name()),
        level: "limit",
        asked_by: String::new(),
        finds: format!("{} for {}.", limit.said(limits.get(limit)), limit.bounds()),
        fixes: &[],
    });
    let rows: Vec<Row> = rows.into_iter().chain(limits).collect();
    let widest = |text: fn(&Row) -> &str| rows.iter().map(|row| text(row).len()).max().unwrap_or(0);
    let (name_width, asker_width) = (widest(|row| &row.rule), widest(|row| &row.asked_by));
    let mut list = String::new();
    for Row { rule, level, asked_by, finds, .. } in &rows {
        let name = format!("{rule:name_width$}");
        let name = if terminal.color { format!("\u{1b}[1m{name}\u{1b}[0m") } else { name };
        list.push_str(&format!("{name}  {level:7}  {asked_by:asker_width$}  {finds}\n"));
    }
    say(&list)
}

/// Stands where a rule has its level.
const KIND: &str = "kind";

struct Row {
    rule: SmolStr,
    level: &'static str,
    asked_by: String,
    finds: String,
    fixes: &'static [Safety],
}

impl Row {
    fn listed(&self) -> Listed<'_> {
        let is_kind = self.level == KIND;
        Listed {
            rule: &self.rule,
            level: (!is_kind).then_some(self.level),
            is_kind,
            asked_by: Some(self.asked_by.as_str()).filter(|line| !line.is_empty()),
            finds: &self.finds,
            fixes: self.fixes.iter().map(|safety| safety.name()).collect(),
        }
    }
}

/// One line on what a rule finds; of one that the policy makes, what it says itself.
fn finds(policy: &Policy, rule: &str) -> String {
    match policy.definition(rule) {
        Some(definition) => {
            let setting = policy.everywhere(rule).or_else(|| policy.settings(rule).last());
            let message = setting.and_then(|setting| setting.common.message());
            let message = message.map(|message| one_line(message).into_owned());
            message.unwrap_or_else(|| format!("A rule of the kind `{}`.", definition.kind))
        }
        None => Page::of(rule).map_or("", Page::finds).into(),
    }
}

/// What a policy makes of a rule everywhere, and on whose word.
fn said(policy: &Policy, rule: &str, name: impl Fn(&str) -> String) -> (&'static str, String) {
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

//! `overrule rules`.

use std::process::ExitCode;

use clap::ValueEnum;
use smol_str::SmolStr;

use super::terminal::Terminal;
use super::{Failure, place, policy, say};
use crate::check::rule_names_under;
use crate::finding::{Safety, Severity};
use crate::limits::Limit;
use crate::policy::{Level, Line, Origin, Policy};
use crate::report::{self, Listed, fold, one_line};
use crate::rules::page::Page;
use crate::rules::{ENTRIES, TEMPLATES};
use crate::vfs::Snapshot;

/// The arguments of `rules`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
    #[command(flatten)]
    policy: policy::Arguments,
}

/// The formats of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Human,
    Json,
}

/// Runs the command: prints rules, templates and limits with level or value, what set it, and a description. With
/// `--preset`, prints the preset.
pub(super) fn run(arguments: &Arguments, terminal: &Terminal) -> Result<ExitCode, Failure> {
    if let (Some(preset), Format::Human) = (arguments.policy.preset(), arguments.format) {
        return say(preset.text);
    }
    let current = place::current()?;
    let mut snapshot = Snapshot::without_modules(&current)?;
    let (policy, _) = arguments.policy.load("listed", &current, &mut snapshot, terminal)?;
    let names = place::names(&current, snapshot.top());
    let rules = rule_names_under(&policy).into_iter().map(|rule| {
        let (level, set_by) = level(&policy, &rule, |file| names.of(file));
        let finds = finds(&policy, &rule);
        let entry = ENTRIES.iter().find(|entry| entry.id == rule);
        let fixes = entry.map_or(&[][..], |entry| entry.fixes);
        Row { rule, level, set_by, finds, fixes }
    });
    let templates = TEMPLATES.iter().map(|template| Row {
        rule: SmolStr::new_static(template.id),
        level: TEMPLATE,
        set_by: String::new(),
        finds: Page::of(template.id).map_or("", Page::finds).into(),
        fixes: &[],
    });
    let rows: Vec<Row> = rules.chain(templates).collect();
    if arguments.format == Format::Json {
        return say(&report::rules(rows.iter().map(Row::listed), &policy.limits()));
    }
    let limits = policy.limits();
    let limits = Limit::ALL.map(|limit| Row {
        rule: SmolStr::new_static(limit.name()),
        level: "limit",
        set_by: String::new(),
        finds: format!("{} for {}.", limit.format(limits.get(limit)), limit.bounds()),
        fixes: &[],
    });
    let rows: Vec<Row> = rows.into_iter().chain(limits).collect();
    say(&table(&rows, terminal))
}

/// The list in columns. Descriptions are cut to the width of a terminal.
fn table(rows: &[Row], terminal: &Terminal) -> String {
    let widest = |text: fn(&Row) -> &str| rows.iter().map(|row| text(row).len()).max().unwrap_or(0);
    let (name_width, set_by_width) = (widest(|row| &row.rule), widest(|row| &row.set_by));
    let line = |name: &str, level: &str, set_by: &str, fix: &str, finds: &str| {
        let name = format!("{name:name_width$}");
        let name = if terminal.color { format!("\u{1b}[1m{name}\u{1b}[0m") } else { name };
        let before = format!("  {level:8}  {set_by:set_by_width$}  {fix:12}");
        let room = terminal.width.saturating_sub(name_width + before.len() + 2);
        let finds = match terminal.is_one {
            true if room < LEAST_ROOM => String::new(),
            true => cut(finds, room),
            false => finds.to_owned(),
        };
        format!("{}\n", format!("{name}{before}  {finds}").trim_end())
    };
    let mut list = line("RULE", "LEVEL", "SET BY", "FIX", "FINDS");
    for row in rows {
        let fixes: Vec<&str> = row.fixes.iter().map(|safety| safety.name()).collect();
        list.push_str(&line(&row.rule, row.level, &row.set_by, &fixes.join(", "), &row.finds));
    }
    list
}

/// The words that fit into a number of columns.
fn cut(text: &str, columns: usize) -> String {
    if text.chars().count() <= columns {
        return text.to_owned();
    }
    let fits = fold(text, columns.saturating_sub(2)).swap_remove(0);
    format!("{fits} …")
}

/// The column of descriptions is left out with less room than this.
const LEAST_ROOM: usize = 24;

/// The word in the column of levels for a template.
const TEMPLATE: &str = "template";

struct Row {
    rule: SmolStr,
    level: &'static str,
    set_by: String,
    finds: String,
    fixes: &'static [Safety],
}

impl Row {
    fn listed(&self) -> Listed<'_> {
        let is_template = self.level == TEMPLATE;
        Listed {
            rule: &self.rule,
            level: (!is_template).then_some(self.level),
            is_template,
            set_by: Some(self.set_by.as_str()).filter(|line| !line.is_empty()),
            finds: &self.finds,
            fixes: self.fixes.iter().map(|safety| safety.name()).collect(),
        }
    }
}

/// The description of a rule in one line. A custom rule has its message.
fn finds(policy: &Policy, rule: &str) -> String {
    match policy.definition(rule) {
        Some(definition) => {
            let setting = policy.everywhere(rule).or_else(|| policy.settings(rule).last());
            let message = setting.and_then(|setting| setting.common.message.as_ref());
            let message = message.map(|message| one_line(message).into_owned());
            message.unwrap_or_else(|| format!("A rule made from `{}`.", definition.template))
        }
        None => Page::of(rule).map_or("", Page::finds).into(),
    }
}

/// The level of a rule at paths that no `paths` block matches, and what set it.
fn level(policy: &Policy, rule: &str, name: impl Fn(&str) -> String) -> (&'static str, String) {
    let engine = Page::of(rule).and_then(Page::severity).map(Severity::name);
    match policy.everywhere(rule) {
        Some(setting) => {
            let Line { file, line, origin } = &setting.set_by;
            let set_by = match origin {
                Origin::Preset => format!("preset {}", file.trim_end_matches(".hcl")),
                Origin::File => format!("{}:{line}", one_line(&name(file))),
            };
            (setting.level.map(Level::word).or(engine).unwrap_or_default(), set_by)
        }
        None => (engine.unwrap_or(Level::Off.word()), String::new()),
    }
}

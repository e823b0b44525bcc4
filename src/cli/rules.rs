//! `overrule rules`.

use std::process::ExitCode;

use clap::ValueEnum;

use super::terminal::Terminal;
use super::{Failure, place, policy, say};
use crate::check::rule_names_under;
use crate::finding::Severity;
use crate::limits::Limit;
use crate::policy::{Level, Line, Origin, Policy};
use crate::report::{self, Listed, fold, one_line, painted};
use crate::rules::page::Page;
use crate::rules::{TEMPLATES, entry};
use crate::vfs::Snapshot;

/// The arguments of `rules`.
#[derive(Debug, clap::Args)]
#[command(mut_arg("preset", |preset| preset.help(
    "Print this preset as a policy file; with `--format json`, list the rules with its levels"
)))]
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
        let fixes = entry(&rule).into_iter().flat_map(|entry| entry.fixes);
        let fixes = fixes.map(|safety| safety.name()).collect();
        Listed { rule: rule.into(), level: Some(level), is_template: false, set_by, finds, fixes }
    });
    let without_level = |name: &str, finds: String, is_template: bool| Listed {
        rule: name.to_owned(),
        level: None,
        is_template,
        set_by: None,
        finds,
        fixes: Vec::new(),
    };
    let templates = TEMPLATES.iter().map(|template| {
        without_level(template.id, Page::of(template.id).map_or("", Page::finds).into(), true)
    });
    let rows: Vec<Listed> = rules.chain(templates).collect();
    let limits = policy.limits();
    if arguments.format == Format::Json {
        return say(&report::rules(&rows, &limits));
    }
    let limits = Limit::ALL.map(|limit| {
        let bounds = format!("{} for {}.", limit.format(limits.get(limit)), limit.entry().bounds);
        without_level(limit.name(), bounds, false)
    });
    let rows: Vec<Listed> = rows.into_iter().chain(limits).collect();
    say(&table(&rows, terminal))
}

/// The list in columns. Descriptions are cut to the width of a terminal.
fn table(rows: &[Listed], terminal: &Terminal) -> String {
    let widest = |text: fn(&Listed) -> &str| rows.iter().map(|row| text(row).len()).max().unwrap_or(0);
    let (name_width, set_by_width) = (widest(|row| &row.rule), widest(|row| set_by(row)));
    let line = |name: &str, level: &str, set_by: &str, fix: &str, finds: &str| {
        let name = painted(terminal.color, "1", &format!("{name:name_width$}"));
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
        let level = row.level.unwrap_or(if row.is_template { "template" } else { "limit" });
        list.push_str(&line(&row.rule, level, set_by(row), &row.fixes.join(", "), &row.finds));
    }
    list
}

fn set_by(row: &Listed) -> &str {
    row.set_by.as_deref().unwrap_or_default()
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
fn level(policy: &Policy, rule: &str, name: impl Fn(&str) -> String) -> (&'static str, Option<String>) {
    let engine = Page::of(rule).and_then(Page::severity).map(Severity::name);
    match policy.everywhere(rule) {
        Some(setting) => {
            let Line { file, line, origin } = &setting.set_by;
            let set_by = match origin {
                Origin::Preset => format!("preset {}", file.trim_end_matches(".hcl")),
                Origin::File => format!("{}:{line}", one_line(&name(file))),
            };
            (setting.level.map(Level::word).or(engine).unwrap_or_default(), Some(set_by))
        }
        None => (engine.unwrap_or(Level::Off.word()), None),
    }
}

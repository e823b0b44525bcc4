//! `overrule explain`.

use std::process::ExitCode;

use smol_str::SmolStr;

use super::rule_name::RuleName;
use super::terminal::Terminal;
use super::{Failure, place, policy, say};
use crate::check::page_names_under;
use crate::finding::EngineRule;
use crate::limits::Limit;
use crate::policy::{Definition, Level, Line, PRESETS, Policy, Setting};
use crate::report::{one_line, page, sanitize};
use crate::rules::page::Page;
use crate::text::nearest;
use crate::vfs::Snapshot;

/// The arguments of `explain`.
#[derive(Debug, clap::Args)]
#[command(mut_arg("limit", |limit| limit.hide(true)))]
pub(super) struct Arguments {
    /// Name of a rule, a rule template or a limit
    #[arg(value_name = "RULE", value_parser = RuleName::Explained, hide_possible_values = true)]
    rule: String,
    #[command(flatten)]
    policy: policy::Arguments,
}

/// The help for a name that is not similar to any rule.
pub(super) const LIST: &str = "`overrule rules` lists them all";

/// Runs the command: prints the page as Markdown, or with colors on a terminal. The policy is read only for custom
/// rules.
pub(super) fn run(arguments: &Arguments, terminal: &Terminal) -> Result<ExitCode, Failure> {
    let of_limit = || Limit::of(&arguments.rule).and_then(|_| Page::of(EngineRule::LimitReached.name()));
    let text = match Page::of(&arguments.rule).or_else(of_limit) {
        Some(page) => format!("# {}\n\n{}", page.rule, page.text),
        None => of_policy(arguments, terminal)?,
    };
    say(&page::shown(&text, terminal.width, terminal.color))
}

/// The page of a custom rule: its definition in the policy and the page of its template.
fn of_policy(arguments: &Arguments, terminal: &Terminal) -> Result<String, Failure> {
    let rule = arguments.rule.as_str();
    let current = place::current()?;
    let mut snapshot = Snapshot::without_modules(&current)?;
    let (policy, _) = arguments.policy.load("explained", &current, &mut snapshot, terminal)?;
    let setting = policy.everywhere(rule).or_else(|| policy.settings(rule).last());
    let own = setting.and_then(|setting| Some((setting, setting.definition.as_ref()?)));
    let (setting, definition) = own.ok_or_else(|| unknown_rule(rule, &policy))?;
    let Setting { level, set_by: Line { file, line, .. }, .. } = setting;
    let file = place::names(&current, snapshot.top()).of(file);
    let mut text = format!("# {rule}\n\n");
    if let Some(message) = &setting.common.message {
        text.push_str(&format!("{}\n\n", one_line(message)));
    }
    text.push_str(&format!(
        "A rule made from `{}`, with the level `{}`, in {}:{line}:\n\n```hcl\n{}\n```\n\n",
        definition.template,
        level.map(Level::word).unwrap_or_default(),
        one_line(&file),
        sanitize(snapshot.sources().slice(definition.span))
    ));
    text.push_str(&own_page(rule, definition, &mut snapshot));
    let template = Page::of(&definition.template).expect("every template has a page");
    text.push_str(&format!("# {}\n\n{}", template.rule, template.text));
    Ok(text)
}

/// The page `RULE.md` beside the policy, if there is one.
fn own_page(rule: &str, definition: &Definition, snapshot: &mut Snapshot) -> String {
    match snapshot.read_beside(definition.span.file, &format!("{rule}.md")) {
        Ok(page) => format!("{}\n", sanitize(snapshot.sources().get(page).text())),
        Err(_) => String::new(),
    }
}

/// The error for an unknown rule, with the nearest name.
fn unknown_rule(name: &str, policy: &Policy) -> Failure {
    let failure = Failure::new(format!("no rule is named `{}`", one_line(name)));
    let known = page_names_under(policy);
    let longer = known.iter().filter(|known| known.starts_with(name)).take(4);
    let longer: Vec<String> = longer.map(|known| format!("`{known}`")).collect();
    if !name.is_empty() && !longer.is_empty() {
        return failure.help(format!("did you mean {}?", longer.join(" or ")));
    }
    if PRESETS.iter().any(|preset| preset.name == name) {
        return failure.help(format!("it is a preset; `overrule rules --preset {name}` prints it"));
    }
    failure.help(LIST).meant(nearest(name, known.iter().map(SmolStr::as_str)))
}

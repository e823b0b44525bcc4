//! Turns the name of a rule into its page.

use std::process::ExitCode;

use smol_str::SmolStr;

use super::terminal::Terminal;
use super::{Failure, place, policy, say};
use crate::check::page_names_under;
use crate::policy::{Definition, Level, Line, Policy, Setting};
use crate::report::{one_line, sanitize};
use crate::rules::page::Page;
use crate::text::nearest;
use crate::vfs::Snapshot;

/// Arguments of `explain`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The rule, as a report names it, or a kind of rule
    #[arg(value_name = "RULE")]
    rule: String,
    #[command(flatten)]
    policy: policy::Arguments,
}

/// What helps where no name is near.
pub(super) const LIST: &str = "`overrule rules` lists them all";

/// Prints the page: as it is, or with colours in the place of Markdown's marks. A policy is read only for what no page
/// of the program tells of.
pub(super) fn run(arguments: &Arguments, terminal: &Terminal) -> Result<ExitCode, Failure> {
    let text = match Page::of(&arguments.rule) {
        Some(page) => format!("# {}\n\n{}", page.rule, page.text),
        None => of_policy(arguments, terminal)?,
    };
    say(&if terminal.color { painted(&text) } else { text })
}

/// What a policy says of a rule that it makes itself, and the page of its kind.
fn of_policy(arguments: &Arguments, terminal: &Terminal) -> Result<String, Failure> {
    let rule = arguments.rule.as_str();
    let current = place::current()?;
    let mut snapshot = Snapshot::without_modules(&current)?;
    let (policy, _) = arguments.policy.load("explained", &current, &mut snapshot, terminal)?;
    let setting = policy.everywhere(rule).or_else(|| policy.settings(rule).last());
    let own = setting.and_then(|setting| Some((setting, setting.definition.as_ref()?)));
    let (setting, definition) = own.ok_or_else(|| unknown_rule(rule, &policy))?;
    let Setting { level, asked_by: Line { file, line, .. }, .. } = setting;
    let file = place::names(&current, snapshot.top()).of(file);
    let mut text = format!("# {rule}\n\n");
    if let Some(message) = setting.common.message() {
        text.push_str(&format!("{}\n\n", one_line(message)));
    }
    text.push_str(&format!(
        "A rule of the kind `{}`, at the level `{}` by {}:{line}:\n\n```hcl\n{}\n```\n\n",
        definition.kind,
        level.map(Level::word).unwrap_or_default(),
        one_line(&file),
        sanitize(snapshot.sources().slice(definition.span))
    ));
    text.push_str(&own_page(rule, definition, &mut snapshot));
    let kind = Page::of(&definition.kind).expect("every kind of rule has a page");
    text.push_str(&format!("# {}\n\n{}", kind.rule, kind.text));
    Ok(text)
}

/// The page `RULE.md` that lies beside the policy, if one does.
fn own_page(rule: &str, definition: &Definition, snapshot: &mut Snapshot) -> String {
    match snapshot.read_beside(definition.span.file, &format!("{rule}.md")) {
        Ok(page) => format!("{}\n", sanitize(snapshot.sources().get(page).text())),
        Err(_) => String::new(),
    }
}

/// That there is no such rule, and which there is.
fn unknown_rule(name: &str, policy: &Policy) -> Failure {
    let failure = Failure::new(format!("no rule is called `{}`", one_line(name)));
    let known = page_names_under(policy);
    match nearest(name, known.iter().map(SmolStr::as_str)) {
        Some(rule) => failure.help(format!("did you mean `{rule}`?")),
        None => failure.help(LIST),
    }
}

/// Headings bold, code blocks dim and further in, inline code in colour.
fn painted(markdown: &str) -> String {
    let (mut text, mut in_code) = (String::new(), false);
    for line in markdown.lines() {
        if line.starts_with("```") {
            in_code = !in_code;
            continue;
        }
        let shown = if in_code {
            format!("    \u{1b}[2m{line}\u{1b}[0m")
        } else if let Some(heading) = line.strip_prefix('#') {
            format!("\u{1b}[1m{}\u{1b}[0m", heading.trim_start_matches('#').trim())
        } else {
            inline_code(line)
        };
        text.push_str(&shown);
        text.push('\n');
    }
    text
}

fn inline_code(line: &str) -> String {
    let parts: Vec<&str> = line.split('`').collect();
    if parts.len().is_multiple_of(2) {
        // A mark without its partner means itself.
        return line.to_owned();
    }
    let paint = |(number, part): (usize, &&str)| {
        if number % 2 == 1 { format!("\u{1b}[36m{part}\u{1b}[0m") } else { (*part).to_owned() }
    };
    parts.iter().enumerate().map(paint).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_colours() {
        let page = "# a-rule\n\nSays `b`.\n\n```hcl\na = `1`\n```\n";
        let shown =
            "\u{1b}[1ma-rule\u{1b}[0m\n\nSays \u{1b}[36mb\u{1b}[0m.\n\n    \u{1b}[2ma = `1`\u{1b}[0m\n";
        assert_eq!(painted(page), shown);
        assert_eq!(inline_code("a ` alone"), "a ` alone");
    }
}

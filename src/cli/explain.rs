//! Turns the name of a rule into its page.

use std::process::ExitCode;

use super::terminal::Terminal;
use super::{Failure, say};
use crate::rules::page::{self, Page};
use crate::text::nearest;

/// Arguments of `explain`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The rule, as a report names it
    #[arg(value_name = "RULE")]
    rule: String,
}

/// What helps where no name is near.
pub(super) const LIST: &str = "`overrule rules` lists them all";

/// Prints the page: as it is, or with colours in the place of Markdown's marks.
pub(super) fn run(arguments: &Arguments, terminal: &Terminal) -> Result<ExitCode, Failure> {
    let page = Page::of(&arguments.rule).ok_or_else(|| unknown_rule(&arguments.rule))?;
    let text = format!("# {}\n\n{}", page.rule, page.text);
    say(&if terminal.color { painted(&text) } else { text })
}

/// That there is no such rule, and which there is.
fn unknown_rule(name: &str) -> Failure {
    let failure = Failure::new(format!("no rule is called `{}`", crate::report::one_line(name)));
    match nearest(name, page::PAGES.iter().map(|page| page.rule)) {
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

//! Turns verdicts and sources into the bytes of a report, one file a format.

pub mod affected;
pub mod changes;
mod checkstyle;
mod concise;
mod escape;
mod github;
mod gitlab;
mod human;
mod json;
mod junit;
mod markdown;
pub mod merged;
pub mod modules;
mod place;
mod prose;
mod rules;
mod sarif;
mod tally;
mod unified;
mod sanitize;
mod xml;

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use crate::check::{Outcome, SetBy, Verdict};
use crate::finding::{RuleId, Severity};
use crate::policy::FailOn;
use crate::rules::page::Page;
use crate::text::Sources;

pub use human::fold;
pub use rules::{Listed, rules};
pub use sanitize::{one_line, sanitize};
pub use tally::Tally;
pub use unified::unified;

/// Where the page of a rule is published, as of this version. Custom rules of a policy have their pages elsewhere, if at
/// all.
pub fn page_url(rule: &RuleId) -> Option<String> {
    const PAGES: &str =
        concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/v", env!("CARGO_PKG_VERSION"), "/policies/rules");
    Page::of(rule.as_str()).map(|_| format!("{PAGES}/{}.md", rule.as_str()))
}

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For people: every place of a finding in one block of source.
    Human,
    /// For editors and logs: one line a finding.
    Concise,
    /// For programs: what `terraform validate -json` writes, and more.
    Json,
    /// For code scanning: SARIF 2.1.0.
    Sarif,
    /// For GitHub Actions: workflow commands that become annotations.
    Github,
    /// For GitLab: a code quality report.
    Gitlab,
    /// For what shows tests: a case a finding.
    Junit,
    /// For the many that read what Checkstyle writes.
    Checkstyle,
    /// For the summary of a job: a table.
    Markdown,
}

/// Verdicts for people without anything around them, as where a check did not take place.
pub fn blocks(verdicts: &[Verdict], sources: &Sources, style: &Style) -> String {
    human::blocks(verdicts, sources, style)
}

impl Format {
    /// Every one of them.
    pub const ALL: &'static [Self] = &[
        Self::Human,
        Self::Concise,
        Self::Json,
        Self::Sarif,
        Self::Github,
        Self::Gitlab,
        Self::Junit,
        Self::Checkstyle,
        Self::Markdown,
    ];

    /// The name that people write.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Concise => "concise",
            Self::Json => "json",
            Self::Sarif => "sarif",
            Self::Github => "github",
            Self::Gitlab => "gitlab",
            Self::Junit => "junit",
            Self::Checkstyle => "checkstyle",
            Self::Markdown => "markdown",
        }
    }

    /// Whether the format can carry counts per rule.
    pub const fn has_statistics(self) -> bool {
        match self {
            Self::Human | Self::Concise | Self::Json | Self::Github | Self::Markdown => true,
            Self::Sarif | Self::Gitlab | Self::Junit | Self::Checkstyle => false,
        }
    }

    /// Writes the report in this format, finding by finding: it may be far larger than all that it is about.
    pub fn write_to(
        self,
        outcome: &Outcome,
        sources: &Sources,
        style: &Style,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        match self {
            Self::Human => human::write(outcome, sources, style, out),
            Self::Concise => concise::write(outcome, sources, style, out),
            Self::Json => json::write(outcome, sources, style, out),
            Self::Sarif => sarif::write(outcome, sources, style, out),
            Self::Github => out.write_all(github::write(outcome, sources, style).as_bytes()),
            Self::Gitlab => gitlab::write(outcome, sources, style, out),
            Self::Junit => junit::write(outcome, sources, style, out),
            Self::Checkstyle => checkstyle::write(outcome, sources, style, out),
            Self::Markdown => out.write_all(markdown::write(outcome, sources, style).as_bytes()),
        }
    }

    /// The report in this format; it ends with a line break.
    pub fn write(self, outcome: &Outcome, sources: &Sources, style: &Style) -> String {
        let mut bytes = Vec::new();
        let written = self.write_to(outcome, sources, style, &mut bytes);
        written.expect("memory takes whatever is written into it");
        String::from_utf8(bytes).expect("reports are written in UTF-8")
    }
}

/// What the one who reads can see, and from where they look.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each answers a question of its own")]
pub struct Style {
    /// Whether escapes for colours may be written.
    pub color: bool,
    /// Whether lines may be drawn with characters beyond ASCII.
    pub unicode: bool,
    /// How many columns a line of prose may take.
    pub width: usize,
    /// How files are called.
    pub names: Names,
    /// How long the run took, where the report may say so: a figure that differs from run to run.
    pub elapsed: Option<Duration>,
    /// Whether to count by rule, in a format that people read or in [`Format::Json`].
    pub statistics: bool,
    /// From which level on a finding fails the run.
    pub fail_on: FailOn,
    /// Whether suppressed findings are in the report, where a format can mark them.
    pub shows_suppressed: bool,
    /// How many findings are fixed in the working tree alone, where it is not the working tree that was looked at.
    pub unstaged: usize,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            color: false,
            unicode: true,
            width: 100,
            names: Names::default(),
            elapsed: None,
            statistics: false,
            fail_on: FailOn::Level(Severity::Error),
            shows_suppressed: true,
            unstaged: 0,
        }
    }
}

/// Who turned a rule on at its level: a line of a policy, or a preset; nobody for what an engine reports.
fn set_by(verdict: &Verdict, names: &Names) -> Option<String> {
    match &verdict.set_by {
        SetBy::Engine => None,
        SetBy::Policy { file, line } => Some(format!("{}:{line}", names.of(file))),
        SetBy::Preset { file, .. } => Some(format!("preset {}", file.trim_end_matches(".hcl"))),
    }
}

/// How the files of a run are called from where a person stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Names {
    /// From a directory of the run; the empty one is its top.
    Inside(String),
    /// From outside: what leads to the top of the run comes first, and ends with `/`.
    Outside(String),
}

impl Default for Names {
    fn default() -> Self {
        Self::Inside(String::new())
    }
}

impl Names {
    /// The name of a file or directory that is called `name` from the top of the run.
    pub fn of(&self, name: &str) -> String {
        if Path::new(name).is_absolute() {
            // It lies outside of the run, as a policy may.
            return name.to_owned();
        }
        let directory = match self {
            Self::Outside(way) => return format!("{way}{name}"),
            Self::Inside(directory) => directory,
        };
        let mut rest = name;
        let mut steps = directory.split('/').filter(|step| !step.is_empty());
        let mut ups = 0;
        for step in steps.by_ref() {
            match rest.strip_prefix(step) {
                Some("") => rest = "",
                Some(inner) if inner.starts_with('/') => rest = &inner[1..],
                Some(_) | None => {
                    ups = 1 + steps.count();
                    break;
                }
            }
        }
        let way = "../".repeat(ups);
        if rest.is_empty() { way.strip_suffix('/').unwrap_or(".").to_owned() } else { format!("{way}{rest}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_relative_to_where_a_person_stands() {
        let inside = |directory: &str, name: &str| Names::Inside(directory.to_owned()).of(name);
        assert_eq!(inside("", "live/a/main.tf"), "live/a/main.tf");
        assert_eq!(inside("live", "live/a/main.tf"), "a/main.tf");
        assert_eq!(inside("live/a", "live/a"), ".");
        assert_eq!(inside("live/a", "live/b/main.tf"), "../b/main.tf");
        assert_eq!(inside("live/a", "liver/main.tf"), "../../liver/main.tf");
        assert_eq!(inside("live/a", "live"), "..");
        assert_eq!(Names::Outside("../infra/".to_owned()).of("main.tf"), "../infra/main.tf");
    }
}

//! Reports: one file per format.

pub mod affected;
pub mod changes;
mod checkstyle;
mod concise;
mod drawing;
mod escape;
mod fold;
mod github;
mod gitlab;
mod human;
mod json;
mod junit;
mod markdown;
pub mod merged;
pub mod modules;
pub mod page;
mod paint;
mod place;
mod prose;
mod rules;
mod sarif;
pub mod states;
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

pub use drawing::Drawing;
pub use fold::fold;
use markdown::with_code;
pub use paint::painted;
pub use rules::{Listed, rules};
pub use sanitize::{one_line, sanitize};
pub use tally::{Tally, count_fixable};
pub use unified::unified;

/// The URL of a rule page for this version. A custom rule has none.
pub fn page_url(rule: &RuleId) -> Option<String> {
    const PAGES: &str =
        concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/v", env!("CARGO_PKG_VERSION"), "/policies/rules");
    Page::of(rule.as_str()).map(|_| format!("{PAGES}/{}.md", rule.as_str()))
}

/// A report format.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// The name in options.
    pub name: &'static str,
    /// The directory from which paths are shown.
    pub paths: PathBase,
    /// Whether people read the format, so that it may be empty without findings.
    pub is_prose: bool,
    /// Whether the format has counts per rule.
    pub has_statistics: bool,
    write: WriteReport,
}

/// The directory from which a report shows paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathBase {
    /// The current directory.
    Current,
    /// The one directory that was checked, or else the top of the repository, as in `terraform validate -json`.
    Asked,
    /// The top of the repository, as hosts need it.
    Top,
}

type WriteReport = fn(&Report<'_>, &mut dyn Write) -> io::Result<()>;

/// Findings for people without a summary, for errors before a check.
pub fn blocks(verdicts: &[Verdict], sources: &Sources, style: &Style) -> String {
    human::blocks(verdicts, sources, style)
}

/// Workflow commands for findings before a check, with paths from the top of the repository.
pub fn annotations(verdicts: &[Verdict], sources: &Sources) -> String {
    github::annotations(verdicts, sources)
}

impl Format {
    /// For people: one code frame per finding.
    pub const HUMAN: Self = Self::of("human", PathBase::Current, human::write).for_people().with_statistics();
    /// For editors and logs: one line per finding.
    pub const CONCISE: Self = Self::of("concise", PathBase::Current, concise::write).with_statistics();
    /// For programs: the document of `terraform validate -json` with more fields.
    pub const JSON: Self = Self::of("json", PathBase::Asked, json::write).with_statistics();
    /// For code scanning: SARIF 2.1.0.
    pub const SARIF: Self = Self::of("sarif", PathBase::Top, sarif::write);
    /// For GitHub Actions: workflow commands that become annotations.
    pub const GITHUB: Self = Self::of("github", PathBase::Top, github::write).for_people().with_statistics();
    /// For GitLab: a code quality report.
    pub const GITLAB: Self = Self::of("gitlab", PathBase::Top, gitlab::write);
    /// For test reports: one test case per finding.
    pub const JUNIT: Self = Self::of("junit", PathBase::Top, junit::write);
    /// For tools that read Checkstyle reports.
    pub const CHECKSTYLE: Self = Self::of("checkstyle", PathBase::Current, checkstyle::write);
    /// For job summaries: a table.
    pub const MARKDOWN: Self =
        Self::of("markdown", PathBase::Top, markdown::write).for_people().with_statistics();

    /// All formats.
    pub const ALL: &'static [Self] = &[
        Self::HUMAN,
        Self::CONCISE,
        Self::JSON,
        Self::SARIF,
        Self::GITHUB,
        Self::GITLAB,
        Self::JUNIT,
        Self::CHECKSTYLE,
        Self::MARKDOWN,
    ];

    const fn of(name: &'static str, paths: PathBase, write: WriteReport) -> Self {
        Self { name, paths, is_prose: false, has_statistics: false, write }
    }

    const fn for_people(self) -> Self {
        Self { is_prose: true, ..self }
    }

    const fn with_statistics(self) -> Self {
        Self { has_statistics: true, ..self }
    }

    /// Writes the report in this format. It may be much larger than the checked files, so it is not built in memory.
    pub fn write_to(
        self,
        outcome: &Outcome,
        sources: &Sources,
        style: &Style,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        (self.write)(&Report { outcome, sources, style }, out)
    }

    /// Returns the report in this format, with a line break at its end.
    pub fn write(self, outcome: &Outcome, sources: &Sources, style: &Style) -> String {
        let mut bytes = Vec::new();
        let written = self.write_to(outcome, sources, style, &mut bytes);
        written.expect("memory takes whatever is written into it");
        String::from_utf8(bytes).expect("reports are written in UTF-8")
    }
}

/// What a format writes.
struct Report<'r> {
    outcome: &'r Outcome,
    sources: &'r Sources,
    style: &'r Style,
}

/// How to show a report, and the directory from which it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each answers a question of its own")]
pub struct Style {
    /// Whether colors are allowed.
    pub color: bool,
    /// Whether lines may be drawn with characters outside ASCII.
    pub unicode: bool,
    /// The width of prose in columns.
    pub width: usize,
    /// The number of lines on the screen, if there is one.
    pub height: Option<usize>,
    /// How paths are shown.
    pub names: PathStyle,
    /// The duration of the run, if the report may show it. It differs from run to run.
    pub elapsed: Option<Duration>,
    /// Whether to count per rule, in formats for people and in [`Format::JSON`].
    pub statistics: bool,
    /// The level from which a finding fails the run.
    pub fail_on: FailOn,
    /// Whether suppressed findings are reported, in formats that can mark them.
    pub shows_suppressed: bool,
    /// The number of findings that are fixed only in the working tree, if staged content was checked.
    pub unstaged: usize,
    /// Whether `--add-exceptions` can be used with these options.
    pub allows_exceptions: bool,
}

impl Style {
    /// The characters in place of omitted text.
    fn ellipsis(&self) -> &'static str {
        if self.unicode { "…" } else { "..." }
    }
}

impl Default for Style {
    fn default() -> Self {
        Self {
            color: false,
            unicode: true,
            width: 100,
            height: None,
            names: PathStyle::default(),
            elapsed: None,
            statistics: false,
            fail_on: FailOn::Level(Severity::Error),
            shows_suppressed: true,
            unstaged: 0,
            allows_exceptions: true,
        }
    }
}

/// The line of a policy, or the preset, that set the level of a rule. `None` for an engine.
fn set_by(verdict: &Verdict, names: &PathStyle) -> Option<String> {
    match &verdict.set_by {
        SetBy::Engine => None,
        SetBy::Policy { file, line } => Some(format!("{}:{line}", names.of(file))),
        SetBy::Preset { file, .. } => Some(format!("preset {}", file.trim_end_matches(".hcl"))),
    }
}

/// A path from the top of the repository, for documents. The top is `.`.
fn from_top(path: &str) -> String {
    PathStyle::default().of(path)
}

/// How paths are shown, by the directory of the reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathStyle {
    /// The reader is in a directory of the repository. Empty for its top.
    Inside(String),
    /// The reader is outside. The path to the top of the repository precedes each path, and ends with `/`.
    Outside(String),
}

impl Default for PathStyle {
    fn default() -> Self {
        Self::Inside(String::new())
    }
}

impl PathStyle {
    /// The path as shown, of a file or directory whose path from the top is `name`.
    pub fn of(&self, name: &str) -> String {
        if Path::new(name).is_absolute() {
            // It is outside the repository, as a policy may be.
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
        let inside = |directory: &str, name: &str| PathStyle::Inside(directory.to_owned()).of(name);
        assert_eq!(inside("", "live/a/main.tf"), "live/a/main.tf");
        assert_eq!(inside("live", "live/a/main.tf"), "a/main.tf");
        assert_eq!(inside("live/a", "live/a"), ".");
        assert_eq!(inside("live/a", "live/b/main.tf"), "../b/main.tf");
        assert_eq!(inside("live/a", "liver/main.tf"), "../../liver/main.tf");
        assert_eq!(inside("live/a", "live"), "..");
        assert_eq!(PathStyle::Outside("../infra/".to_owned()).of("main.tf"), "../infra/main.tf");
    }
}

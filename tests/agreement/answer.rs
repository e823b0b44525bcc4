//! Records the answers of an engine about a module tree as lines that can be compared.

use std::collections::BTreeSet;
use std::fmt;

/// The part of the engine that reported a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    Load,
    Validate,
}

impl Stage {
    fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Validate => "validate",
        }
    }
}

/// How far the engine got before errors stopped it. It never checked anything beyond that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// Errors in the root module: no child module was loaded, and provider passing was not checked.
    Root,
    /// The whole tree was loaded, with errors.
    ModuleGraph,
    /// Versions and providers were looked up, and something was invalid or not installed.
    Requirements,
    /// The graph could not be built: only its first error is reported.
    Graph,
    /// Everything was checked.
    Validate,
}

impl Reach {
    const ALL: [Self; 5] = [Self::Root, Self::ModuleGraph, Self::Requirements, Self::Graph, Self::Validate];

    fn name(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::ModuleGraph => "tree",
            Self::Requirements => "requirements",
            Self::Graph => "graph",
            Self::Validate => "validate",
        }
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reach| reach.name() == name)
    }

    /// The minimal reach of a run that reports this.
    pub(crate) fn of(diagnostic: &Diagnostic) -> Self {
        let is_early = REQUIREMENTS.iter().any(|summary| diagnostic.summary == *summary);
        match diagnostic.stage {
            Stage::Load => Self::ModuleGraph,
            Stage::Validate if is_early => Self::Requirements,
            Stage::Validate => Self::Graph,
        }
    }
}

const REQUIREMENTS: &[&str] = &[
    "Unsupported Terraform Core version",
    "Invalid required_version constraint",
    "Invalid version constraint",
    "Invalid import provider argument",
];

/// The compared parts of a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Diagnostic {
    /// The file, relative to the root module. Empty without a position.
    pub(crate) file: String,
    /// The line, counted from 1. 0 without a position.
    pub(crate) line: usize,
    pub(crate) stage: Stage,
    pub(crate) is_error: bool,
    pub(crate) summary: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = if self.is_error { "error" } else { "warning" };
        write!(out, "{} {severity} ", self.stage.name())?;
        if self.file.is_empty() {
            write!(out, "-: ")?;
        } else {
            write!(out, "{}:{}: ", self.file, self.line)?;
        }
        write!(out, "{}", self.summary)
    }
}

impl Diagnostic {
    /// Parses the output of `Display`.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let (stage, rest) = line.split_once(' ')?;
        let stage = [Stage::Load, Stage::Validate].into_iter().find(|known| known.name() == stage)?;
        let (severity, rest) = rest.split_once(' ')?;
        let (place, summary) = rest.split_once(": ")?;
        let (file, number) = match place {
            "-" => ("", 0),
            _ => place.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)))?,
        };
        Some(Self {
            file: file.to_owned(),
            line: number,
            stage,
            is_error: severity == "error",
            summary: summary.to_owned(),
        })
    }
}

/// The diagnostics of a run, without duplicates, and its reach.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Answer {
    pub(crate) reach: Reach,
    pub(crate) diagnostics: BTreeSet<Diagnostic>,
}

impl Answer {
    /// The words after `>>> terraform VERSION`.
    pub(crate) fn reach_name(&self) -> &'static str {
        self.reach.name()
    }

    /// An answer without diagnostics.
    pub(crate) fn reaching(name: &str) -> Option<Self> {
        Some(Self { reach: Reach::named(name)?, diagnostics: BTreeSet::new() })
    }
}

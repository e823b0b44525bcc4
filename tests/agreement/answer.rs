//! Turns what an engine said about a module tree into lines that can be recorded, compared and read.

use std::collections::BTreeSet;
use std::fmt;

/// Which part of the engine raised a diagnostic.
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

/// How far the engine got before errors stopped it. What lies beyond was never judged by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// Errors in the root: no called module was loaded, and no provider was followed from module to module.
    Root,
    /// The whole tree was loaded, with errors.
    ModuleGraph,
    /// Versions and providers were looked up, and something was not right or not installed.
    Requirements,
    /// The graph could not be built: what stands in its way is said, but only the first of it.
    Graph,
    /// Everything was judged.
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

    /// How far one has to get to say this, at least.
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

/// One diagnostic, as far as agreement asks for it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Diagnostic {
    /// The file, from the root module's directory; empty where the engine names no place.
    pub(crate) file: String,
    /// The line, from 1; 0 where the engine names no place.
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
    /// Reads what `Display` writes.
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

/// One run's diagnostics, repeats counted once, and how far the run got.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Answer {
    pub(crate) reach: Reach,
    pub(crate) diagnostics: BTreeSet<Diagnostic>,
}

impl Answer {
    /// The words behind `>>> terraform VERSION`.
    pub(crate) fn reach_name(&self) -> &'static str {
        self.reach.name()
    }

    /// An answer with nothing in it yet.
    pub(crate) fn reaching(name: &str) -> Option<Self> {
        Some(Self { reach: Reach::named(name)?, diagnostics: BTreeSet::new() })
    }
}

//! What a check found: plain data, that knows no rule and no format.

use std::borrow::Cow;

use smol_str::SmolStr;

use crate::limits::{Limit, Limits};
use crate::text::Span;

mod concern;
mod fix;
mod language;

pub use concern::Concern;
pub use fix::{Edit, Fix, Safety};
pub use language::EngineRule;

/// The name of a rule, kebab-case, as people write it in policies and comments.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(Cow<'static, str>);

impl RuleId {
    /// A rule that comes with the program.
    pub const fn built_in(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }

    /// A rule that a policy names.
    pub fn named(name: impl Into<String>) -> Self {
        Self(Cow::Owned(name.into()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Who asks for what was not met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// Terraform or OpenTofu reports it, or would.
    Language,
    /// A rule of ours beyond that.
    Policy,
}

impl Category {
    /// The word for it in a report.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Language => "language",
            Self::Policy => "policy",
        }
    }
}

/// How bad it is; the worst sorts first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Will not work.
    Error,
    /// Works, but not as it reads.
    Warning,
    /// Good to know.
    Notice,
}

impl Severity {
    /// The word that people write.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Notice => "notice",
        }
    }
}

/// Which part of an engine raises a language finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The configuration loader: every command does.
    Load,
    /// What `terraform validate` finds once everything is loaded.
    Validate,
    /// What only `terraform plan` finds.
    Plan,
    /// What only `terraform test` finds.
    Test,
}

/// A second place that matters, with a few words that say why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Related {
    /// Where.
    pub span: Span,
    /// One lower-case line: "the base block is here".
    pub message: String,
}

/// One thing found, at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule that was not met.
    pub rule: RuleId,
    /// Who asks for it.
    pub category: Category,
    /// How bad it is before any policy was asked.
    pub severity: Severity,
    /// Of a language finding: which part of the engine raises it.
    pub stage: Stage,
    /// Of a language finding: the engine's own text, to the letter.
    pub summary: String,
    /// What is wrong, in sentences.
    pub detail: String,
    /// Where; none only where the engine gives none.
    pub primary: Option<Span>,
    /// The file that it is about, from the top of the run, where that could not be read, so that no place in it can be
    /// given.
    pub file: Option<SmolStr>,
    /// One lower-case line to stand at the primary place.
    pub label: Option<String>,
    /// Other places that matter.
    pub related: Vec<Related>,
    /// An order: what to write instead.
    pub help: Option<String>,
    /// The edits that follow that order, where a program can make them.
    pub fix: Option<Box<Fix>>,
    /// The directory of the module, from the top of the run, `/` between directories; empty for the top directory
    /// itself.
    pub module: SmolStr,
    /// The address of the block it is about, such as `variable.name` or `module.net`; empty if it is about the module.
    pub address: String,
    /// What it concerns within that block or module.
    pub concern: Concern,
}

impl Finding {
    /// A finding of the engine's loader, or about the check itself. Its severity, place and words are set by the
    /// methods below.
    pub fn language(rule: EngineRule, summary: impl Into<String>) -> Self {
        Self {
            rule: rule.id(),
            category: rule.category(),
            severity: Severity::Error,
            stage: Stage::Load,
            summary: summary.into(),
            detail: String::new(),
            primary: None,
            file: None,
            label: None,
            related: Vec::new(),
            help: None,
            fix: None,
            module: SmolStr::default(),
            address: String::new(),
            concern: Concern::Unstated,
        }
    }

    /// A limit that bites. `detail` says what is left out; which limit it is, and how to raise it, is added.
    pub fn limit(limit: Limit, limits: &Limits, summary: &str, detail: &str) -> Self {
        let finding = Self::language(EngineRule::LimitReached, summary)
            .severity(Severity::Notice)
            .detail(format!("{detail} {}", limits.named(limit)));
        match limits.more(limit) {
            Some(order) => finding.help(order),
            None => finding,
        }
    }

    /// A finding of a rule of ours.
    pub fn policy(rule: RuleId, severity: Severity, summary: impl Into<String>) -> Self {
        Self {
            rule,
            category: Category::Policy,
            severity,
            ..Self::language(EngineRule::SyntaxError, summary)
        }
    }

    /// Sets the severity.
    #[must_use]
    pub fn severity(self, severity: Severity) -> Self {
        Self { severity, ..self }
    }

    /// Says that it is ours: of what the rule finds, the engine at hand lets this through in silence.
    #[must_use]
    pub fn of_ours(self) -> Self {
        Self { category: Category::Policy, ..self }
    }

    /// Says that the engine raises it only once everything is loaded.
    #[must_use]
    pub fn at_validate(self) -> Self {
        Self { stage: Stage::Validate, ..self }
    }

    /// Says that only `test` raises it.
    #[must_use]
    pub fn at_test(self) -> Self {
        Self { stage: Stage::Test, ..self }
    }

    /// Says that only `plan` raises it.
    #[must_use]
    pub fn at_plan(self) -> Self {
        Self { stage: Stage::Plan, ..self }
    }

    /// Sets the primary place.
    #[must_use]
    pub fn at(self, span: Span) -> Self {
        Self { primary: Some(span), ..self }
    }

    /// Sets the file that it is about, which could not be read.
    #[must_use]
    pub fn about(self, file: impl Into<SmolStr>) -> Self {
        Self { file: Some(file.into()), ..self }
    }

    /// Sets the words at the primary place.
    #[must_use]
    pub fn label(self, label: impl Into<String>) -> Self {
        Self { label: Some(label.into()), ..self }
    }

    /// Sets what is wrong, in sentences.
    #[must_use]
    pub fn detail(self, detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), ..self }
    }

    /// Adds another place.
    #[must_use]
    pub fn related(mut self, span: Span, message: impl Into<String>) -> Self {
        self.related.push(Related { span, message: message.into() });
        self
    }

    /// Sets the order that mends it.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// Sets the edits that mend it, where there are any.
    #[must_use]
    pub fn fixed_by(self, fix: Option<Fix>) -> Self {
        Self { fix: fix.filter(|fix| !fix.edits.is_empty()).map(Box::new), ..self }
    }

    /// The places that it points at, to be moved.
    pub fn places_mut(&mut self) -> impl Iterator<Item = &mut Span> {
        self.primary.iter_mut().chain(self.related.iter_mut().map(|related| &mut related.span))
    }

    /// Sets the address of the block it is about.
    #[must_use]
    pub fn address(self, address: impl Into<String>) -> Self {
        Self { address: address.into(), ..self }
    }

    /// Sets what it concerns within its block or module.
    #[must_use]
    pub fn concerns(self, concern: Concern) -> Self {
        Self { concern, ..self }
    }

    /// Sets the directory of the module.
    #[must_use]
    pub fn module(self, module: impl Into<SmolStr>) -> Self {
        Self { module: module.into(), ..self }
    }
}

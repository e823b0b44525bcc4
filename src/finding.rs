//! Findings as plain data, independent of rules and report formats.

use std::borrow::Cow;
use std::fmt;

use smol_str::SmolStr;

use crate::limits::{Limit, Limits};
use crate::text::Span;

mod code;
mod concern;
mod engine_rule;
mod fix;
mod page;
mod room;
pub(crate) mod shortened;

pub use code::{Code, Continued};
pub use concern::Concern;
pub use engine_rule::EngineRule;
pub use fix::{Edit, Fix, Safety};
pub use page::Page;
pub(crate) use page::page;
pub use room::{Room, keep_first};

/// The name of a rule in kebab case, as in policies and comments.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(Cow<'static, str>);

impl RuleId {
    /// Creates the id of a built-in rule.
    pub const fn built_in(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }

    /// Creates the id of a rule that a policy names.
    pub fn named(name: impl Into<String>) -> Self {
        Self(Cow::Owned(name.into()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The origin of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// Terraform or OpenTofu reports it, or would.
    Language,
    /// A policy rule of overrule.
    Policy,
}

impl Category {
    /// Returns the word for it in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Language => "language",
            Self::Policy => "policy",
        }
    }
}

/// The severity of a finding. The highest sorts first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Terraform fails.
    Error,
    /// Terraform accepts it, but the effect is probably unintended.
    Warning,
    /// For information.
    Notice,
}

impl Severity {
    /// Returns the word for it in policies and options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Notice => "notice",
        }
    }
}

/// The stage of an engine that reports a language finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Loading the configuration, which every command does.
    Load,
    /// `terraform validate`, once everything is loaded.
    Validate,
    /// `terraform plan` only.
    Plan,
    /// What only `terraform test` finds.
    Test,
}

/// A related location, with a label.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Related {
    /// Where.
    pub span: Span,
    /// The label: one line that starts in lower case, such as "the base block is here".
    pub message: String,
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: RuleId,
    /// The origin of the rule.
    pub category: Category,
    /// The severity before a policy changes it.
    pub severity: Severity,
    /// The stage at which an engine reports a language finding.
    pub stage: Stage,
    /// The summary. For a language finding, exactly the summary of the engine.
    pub summary: String,
    /// What other code recognizes it by, if any does.
    pub code: Option<Code>,
    /// The problem, in one to three sentences.
    pub detail: String,
    /// The primary location. Absent only if the engine reports none.
    pub primary: Option<Span>,
    /// The path of the file from the top of the run, if the file could not be read, so that there is no location in it.
    pub file: Option<SmolStr>,
    /// The label at the primary location: one line that starts in lower case.
    pub label: Option<String>,
    /// Related locations.
    pub related: Vec<Related>,
    /// The help: what to write instead, in the imperative.
    pub help: Option<String>,
    /// The edits that do so, if there is an automatic fix.
    pub fix: Option<Box<Fix>>,
    /// The directory of the module, from the top of the run, `/` between directories; empty for the top directory
    /// itself.
    pub module: SmolStr,
    /// The address of the block, such as `variable.name` or `module.net`. Empty for a finding about the module.
    pub address: String,
    /// The subject within the block or module.
    pub concern: Concern,
}

impl Finding {
    /// Creates a finding of the engine's loader, or about the check itself.
    pub fn language(rule: EngineRule, summary: impl Into<String>) -> Self {
        Self {
            rule: rule.id(),
            category: rule.category(),
            severity: Severity::Error,
            stage: Stage::Load,
            summary: summary.into(),
            code: None,
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

    /// Creates a finding about a reached limit. `detail` describes what is skipped; the limit and how to raise it are
    /// added.
    pub fn limit(limit: Limit, limits: &Limits, summary: &str, detail: &str) -> Self {
        let finding = Self::language(EngineRule::LimitReached, summary)
            .severity(Severity::Notice)
            .detail(format!("{detail} {}", limits.named(limit)));
        match limits.more(limit) {
            Some(order) => finding.help(order),
            None => finding,
        }
    }

    /// Creates a finding of a policy rule.
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

    /// Makes this a finding of overrule, because the engine accepts this case.
    #[must_use]
    pub fn of_ours(self) -> Self {
        Self { category: Category::Policy, ..self }
    }

    /// Sets the stage to validation.
    #[must_use]
    pub fn at_validate(self) -> Self {
        Self { stage: Stage::Validate, ..self }
    }

    /// Marks the finding as one that only `test` reports.
    #[must_use]
    pub fn at_test(self) -> Self {
        Self { stage: Stage::Test, ..self }
    }

    /// Sets the stage to plan.
    #[must_use]
    pub fn at_plan(self) -> Self {
        Self { stage: Stage::Plan, ..self }
    }

    /// The place and the summary: what tells it from other errors in the evaluation of a module.
    pub fn place_and_summary(&self) -> (Option<Span>, String) {
        (self.primary, self.summary.clone())
    }

    /// Sets the code by which other code recognizes the finding.
    #[must_use]
    pub fn code(self, code: Code) -> Self {
        Self { code: Some(code), ..self }
    }

    /// Sets the primary location, if there is one.
    #[must_use]
    pub fn at(self, span: impl Into<Option<Span>>) -> Self {
        Self { primary: span.into(), ..self }
    }

    /// Sets the file, which could not be read.
    #[must_use]
    pub fn about(self, file: impl Into<SmolStr>) -> Self {
        Self { file: Some(file.into()), ..self }
    }

    /// Sets the label at the primary location.
    #[must_use]
    pub fn label(self, label: impl Into<String>) -> Self {
        Self { label: Some(shortened::sentence(label)), ..self }
    }

    /// Sets the detail. Like all texts of a finding, it is cut off if it is long.
    #[must_use]
    pub fn detail(self, detail: impl Into<String>) -> Self {
        Self { detail: shortened::sentence(detail), ..self }
    }

    /// Replaces the detail.
    pub fn set_detail(&mut self, detail: impl Into<String>) {
        self.detail = shortened::sentence(detail);
    }

    /// Adds a sentence to the detail, which may end with a text of the configuration.
    pub fn add_sentence(&mut self, sentence: &str) {
        let end = if self.detail.ends_with(['.', '!', '?']) { "" } else { "." };
        self.set_detail(format!("{}{end} {sentence}", self.detail));
    }

    /// Adds a related location, if there is one.
    #[must_use]
    pub fn related(mut self, span: impl Into<Option<Span>>, message: impl Into<String>) -> Self {
        if let Some(span) = span.into() {
            if self.related.is_empty() {
                // Most findings have only one. A list that grows has room for four.
                self.related.reserve_exact(1);
            }
            self.related.push(Related { span, message: shortened::sentence(message) });
        }
        self
    }

    /// Adds related locations with the same label.
    #[must_use]
    pub fn related_all(mut self, spans: impl IntoIterator<Item = Span>, message: &str) -> Self {
        self.related.extend(spans.into_iter().map(|span| Related { span, message: message.to_owned() }));
        self
    }

    /// Sets the help.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(shortened::sentence(help)), ..self }
    }

    /// Sets the help, if there is one.
    #[must_use]
    pub fn help_if(self, help: Option<String>) -> Self {
        Self { help: help.map(shortened::sentence), ..self }
    }

    /// Sets the help to the name that is probably meant. Keeps the help if there is no such name.
    #[must_use]
    pub fn meant(self, name: Option<impl fmt::Display>) -> Self {
        match name {
            Some(name) => self.help(format!("did you mean `{name}`?")),
            None => self,
        }
    }

    /// Like [`Self::meant`], for a name that is declared at a related location.
    #[must_use]
    pub fn meant_at(self, near: Option<(Span, impl fmt::Display)>, message: &str) -> Self {
        match near {
            Some((span, name)) => self.related(span, message).meant(Some(name)),
            None => self,
        }
    }

    /// Sets the fix, if there is one.
    #[must_use]
    pub fn fixed_by(self, fix: Option<Fix>) -> Self {
        Self { fix: fix.filter(|fix| !fix.edits.is_empty()).map(Box::new), ..self }
    }

    /// Returns all locations, to be moved.
    pub fn places_mut(&mut self) -> impl Iterator<Item = &mut Span> {
        self.primary.iter_mut().chain(self.related.iter_mut().map(|related| &mut related.span))
    }

    /// Sets the address of the block.
    #[must_use]
    pub fn address(self, address: impl Into<String>) -> Self {
        Self { address: address_text(address.into()), ..self }
    }

    /// Sets the subject within the block or module.
    #[must_use]
    pub fn concerns(self, concern: Concern) -> Self {
        Self { concern: concern.shortened(), ..self }
    }

    /// Sets the directory of the module.
    #[must_use]
    pub fn module(self, module: impl Into<SmolStr>) -> Self {
        Self { module: module.into(), ..self }
    }

    /// Adds this to `findings`.
    pub fn push_to(self, findings: &mut Vec<Self>) {
        findings.push(self);
    }
}

/// Sets the address of the block for findings that were made without it.
pub fn set_address(findings: &mut [Finding], address: &str) {
    let short = shortened::name(address);
    for finding in findings {
        short.as_deref().unwrap_or(address).clone_into(&mut finding.address);
    }
}

/// The address of a block as findings name it: cut off if it is long, but different for each block.
pub fn address_text(address: String) -> String {
    shortened::name(&address).unwrap_or(address)
}

/// Sets the directory of the module for findings that were made without it.
pub fn set_module(findings: &mut [Finding], module: &SmolStr) {
    for finding in findings {
        finding.module.clone_from(module);
    }
}

/// Turns findings into warnings.
pub fn make_warnings(findings: &mut [Finding]) {
    for finding in findings {
        finding.severity = Severity::Warning;
    }
}

/// The number of findings of one rule that are kept for a module.
pub const MOST_OF_RULE: usize = 5_000;

/// Whether one of these findings is an error.
pub fn has_errors(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.severity == Severity::Error)
}

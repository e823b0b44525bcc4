//! The document of `terraform validate -json` with additional fields.

mod context;
mod snippet;

use std::io::{self, Write};

use serde::Serialize;

use super::escape::each;
use super::tally::{Tally, by_rule};
use super::{PathStyle, Report, escape, set_by};
use crate::check::Verdict;
use crate::engine::Product;
use crate::finding::{self, Category, Severity, Stage};
use crate::text::{Source, Sources, Span};
use context::Contexts;
use snippet::Snippet;

/// Writes the report.
pub(super) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Report { outcome, sources, style } = *report;
    let tally = Tally::of(outcome);
    let document = Document {
        format_version: "1.0",
        valid: tally.errors == 0,
        error_count: tally.errors,
        warning_count: tally.warnings,
        diagnostics: each(|| {
            let mut contexts = Contexts::default();
            let verdicts = outcome.verdicts.iter();
            verdicts.map(move |verdict| Diagnostic::new(verdict, sources, &style.names, &mut contexts))
        }),
        overrule: Run {
            version: env!("CARGO_PKG_VERSION"),
            modules: outcome.modules,
            files: outcome.files,
            engine: outcome
                .engines
                .iter()
                .map(|engine| engine.word().to_string())
                .collect::<Vec<_>>()
                .join(", "),
            known: outcome.known,
            statistics: style.statistics.then(|| {
                let rules = by_rule(outcome).into_iter();
                rules.map(|(count, level, rule)| Statistic { rule, level: level.name(), count }).collect()
            }),
        },
    };
    escape::write(&document, out)
}

#[derive(Serialize)]
struct Document<'a, D> {
    format_version: &'static str,
    valid: bool,
    error_count: usize,
    warning_count: usize,
    diagnostics: D,
    overrule: Run<'a>,
}

#[derive(Serialize)]
struct Run<'a> {
    version: &'static str,
    modules: usize,
    files: usize,
    engine: String,
    /// The number of existing findings, which are not in the list.
    #[serde(skip_serializing_if = "is_none")]
    known: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    statistics: Option<Vec<Statistic<'a>>>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_none(number: &usize) -> bool {
    *number == 0
}

#[derive(Serialize)]
struct Statistic<'a> {
    rule: &'a str,
    level: &'static str,
    count: usize,
}

#[derive(Serialize)]
struct Diagnostic<'a> {
    severity: &'static str,
    summary: &'a str,
    detail: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<Range>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<Snippet>,
    rule: &'a str,
    category: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    stage: Option<&'static str>,
    level: &'static str,
    module: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    set_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    engine: Option<&'a str>,
    related: Vec<Related<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<Fix<'a>>,
    fingerprint: &'a str,
}

#[derive(Serialize)]
struct Fix<'a> {
    /// `safe` or `unsafe`.
    safety: &'static str,
    edits: Vec<Edit<'a>>,
}

#[derive(Serialize)]
struct Edit<'a> {
    range: Range,
    text: &'a str,
}

#[derive(Serialize)]
struct Related<'a> {
    range: Range,
    message: &'a str,
}

#[derive(Debug, Serialize)]
pub(in crate::report) struct Range {
    filename: String,
    start: Position,
    end: Position,
}

#[derive(Debug, Serialize)]
struct Position {
    line: usize,
    column: usize,
    byte: usize,
}

impl<'a> Diagnostic<'a> {
    fn new(verdict: &'a Verdict, sources: &'a Sources, names: &PathStyle, contexts: &mut Contexts) -> Self {
        let finding = &verdict.finding;
        Self {
            // The engines have no third severity.
            severity: match verdict.level {
                Severity::Error => "error",
                Severity::Warning | Severity::Notice => "warning",
            },
            summary: &finding.summary,
            detail: &finding.detail,
            range: finding.primary.map(|span| Range::new(span, sources, names)),
            snippet: finding.primary.map(|span| {
                let source = sources.get(span.file);
                Snippet::new(span, source, contexts.of(span, source))
            }),
            rule: finding.rule.as_str(),
            category: finding.category.name(),
            stage: match (finding.category, finding.stage) {
                (Category::Language, Stage::Load) => Some("load"),
                (Category::Language, Stage::Validate) => Some("validate"),
                (Category::Language, Stage::Plan) => Some("plan"),
                (Category::Language, Stage::Test) => Some("test"),
                (Category::Policy, Stage::Load | Stage::Validate | Stage::Plan | Stage::Test) => None,
            },
            level: verdict.level.name(),
            module: names.of(&finding.module),
            help: finding.help.as_deref(),
            url: super::page_url(&finding.rule),
            set_by: set_by(verdict, names),
            engine: verdict.product.map(Product::word),
            related: finding
                .related
                .iter()
                .map(|other| Related {
                    range: Range::new(other.span, sources, names),
                    message: &other.message,
                })
                .collect(),
            fix: finding.fix.as_ref().map(|fix| Fix {
                safety: fix.safety.name(),
                edits: fix.edits.iter().map(|edit| Edit::new(edit, sources, names)).collect(),
            }),
            fingerprint: &verdict.fingerprint,
        }
    }
}

impl<'a> Edit<'a> {
    fn new(edit: &'a finding::Edit, sources: &Sources, names: &PathStyle) -> Self {
        let source = sources.get(edit.span.file);
        let position = |offset| Position::new(source, offset);
        let (start, end) = (position(edit.span.start), position(edit.span.end));
        Self { range: Range { filename: names.of(source.name()), start, end }, text: &edit.text }
    }
}

impl Range {
    pub(in crate::report) fn new(span: Span, sources: &Sources, names: &PathStyle) -> Self {
        let source = sources.get(span.file);
        let mut end = Position::new(source, span.end);
        if span.start == span.end {
            // The engines widen an empty range by one byte.
            end.column += 1;
            end.byte += 1;
        }
        Self { filename: names.of(source.name()), start: Position::new(source, span.start), end }
    }
}

impl Position {
    fn new(source: &Source, offset: u32) -> Self {
        let at = source.position(offset);
        Self { line: at.line, column: at.column, byte: at.byte }
    }
}

//! Reads `exception` blocks.

use smol_str::SmolStr;

use super::argument::wrong_type;
use super::fault::fault;
use super::reader::Reader;
use super::{Date, Globs};
use crate::syntax::Block;
use crate::text::Span;
use crate::value::constant;

/// The first word of an exception comment.
pub const EXCEPTION_COMMENT: &str = "overrule:";

/// Whether a comment, with its markers, is an exception.
pub fn is_exception(comment: &str) -> bool {
    comment.trim_start_matches(['#', '/', '*', ' ', '\t']).starts_with(EXCEPTION_COMMENT)
}

/// An exception of a policy.
#[derive(Debug, Clone)]
pub struct Exception {
    /// The rule.
    pub rule: SmolStr,
    /// The location of the rule's name.
    pub rule_span: Span,
    /// The paths. `None` for all.
    pub paths: Option<Globs>,
    /// The reason.
    pub reason: SmolStr,
    /// The last day on which it applies.
    pub until: Option<Until>,
    /// The header of the block.
    pub header: Span,
}

/// The last day of an exception.
#[derive(Debug, Clone, Copy)]
pub struct Until {
    /// The date.
    pub date: Date,
    /// Its location.
    pub span: Span,
}

impl Exception {
    /// Directories that contain every path to which it applies.
    pub fn directories(&self) -> impl Iterator<Item = &str> {
        let everywhere = self.paths.is_none().then_some("");
        self.paths.iter().flat_map(Globs::directories).map(String::as_str).chain(everywhere)
    }

    /// Whether it applies to a rule at a path.
    pub fn covers(&self, rule: &str, path: &str) -> bool {
        self.rule == rule && self.paths.as_ref().is_none_or(|paths| paths.has(path))
    }
}

/// Reads a block.
pub(super) fn read(block: &Block, reader: &mut Reader<'_>) -> Option<Exception> {
    let label = block.labels.first()?;
    let content = reader.arguments(block, &["paths", "reason", "until"], &["reason"]);
    let paths = reader.some_paths(&content, "leave `paths` out for the whole repository");
    let reason = content.attribute("reason").and_then(|attribute| Some((attribute, reader.text(attribute)?)));
    if let Some((attribute, text)) = &reason
        && text.trim().is_empty()
    {
        let finding = fault("Exception without a reason", attribute.expr.span);
        reader.findings.push(finding.help("add a `reason`"));
    }
    let until = content.attribute("until").and_then(|attribute| {
        let text = reader.text(attribute)?;
        let span = attribute.expr.span;
        let date = Date::parse(&text);
        if date.is_none() {
            let finding = fault("Invalid date", span).detail(format!("`{text}` is not a valid date."));
            reader.findings.push(finding.help("write year, month and day, as in \"2027-03-31\""));
        }
        Some(Until { date: date?, span })
    });
    Some(Exception {
        rule: label.text.clone(),
        rule_span: label.span,
        paths,
        reason: reason?.1,
        until,
        header: block.header,
    })
}

/// Reads an `exceptions` block: whether comments may suppress findings.
pub(super) fn allows_comments(block: &Block, reader: &mut Reader<'_>) -> Option<bool> {
    let label = block.labels.first()?;
    let is_known = label.text == "comments";
    if !is_known {
        let finding =
            fault("Unknown label", label.span).detail("The label of an `exceptions` block is `comments`.");
        reader.findings.push(finding.help("write `exceptions \"comments\"`"));
    }
    let required: &[&str] = if is_known { &["allowed"] } else { &[] };
    let content = reader.arguments(block, &["allowed"], required);
    let allowed = content.attribute("allowed")?;
    let value = constant(&allowed.expr, &mut Vec::new()).as_bool();
    reader.kept(value.ok_or_else(|| wrong_type("allowed", "true or false", &allowed.expr)))
}

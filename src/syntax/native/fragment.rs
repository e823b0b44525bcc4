//! Turns native syntax inside of a JSON string into expressions and templates. Places count from the start of the text.

use super::lower::{Excerpt, Lowering};
use super::repair::Repair;
use super::{grammar, invalid, limit_reached, scan};
use crate::finding::{EngineRule, Finding};
use crate::limits::Limits;
use crate::syntax::{Expr, Template, bound};
use crate::text::{FileId, Span};

/// Reads all of `text` as one expression, its line breaks meaning nothing.
pub(in crate::syntax) fn expression(id: FileId, text: &str) -> Result<Expr, Vec<Finding>> {
    let tokens = scan::scan_text(text, scan::Mode::Normal);
    let mut findings = invalid::findings(id, text, &tokens, &Limits::default());
    let (range, mut outline) = grammar::expression(id, text, &tokens, &Limits::default());
    findings.append(&mut outline.findings);
    if !findings.is_empty() {
        return Err(refused(findings, Span::new(id, 0..text.len())));
    }
    let repair = Repair { text, outline: &outline };
    let mut lowering = Lowering::new(id, text, &tokens, &repair);
    let expr = lowering.expression(range);
    limited(expr, &mut lowering)
}

/// Reads all of `text` as a template.
pub(in crate::syntax) fn template(id: FileId, text: &str) -> Result<Template, Vec<Finding>> {
    let tokens = scan::scan_text(text, scan::Mode::Bare);
    let mut findings = invalid::findings(id, text, &tokens, &Limits::default());
    let mut outline = grammar::template(id, text, &tokens, &Limits::default());
    findings.append(&mut outline.findings);
    if !findings.is_empty() {
        return Err(refused(findings, Span::new(id, 0..text.len())));
    }
    let repair = Repair { text, outline: &outline };
    let mut lowering = Lowering::new(id, text, &tokens, &repair);
    match hcl_edit::parser::parse_template(&repair.text(0..text.len())) {
        Ok(template) => {
            let template = lowering.bare(&template);
            limited(template, &mut lowering)
        }
        Err(_) => Err(vec![limit_reached(Span::new(id, 0..text.len()))]),
    }
}

/// What is wrong with a text at `span`. What is nested too deep in it is told as one: how deep a text in a text may go,
/// nobody can set.
fn refused(mut findings: Vec<Finding>, span: Span) -> Vec<Finding> {
    if findings.iter().any(|finding| finding.rule == EngineRule::LimitReached.id()) {
        return vec![limit_reached(span)];
    }
    bound(&mut findings, &Limits::default());
    findings
}

/// What in `text` can stand nowhere in the language.
pub(in crate::syntax) fn invalid_tokens(id: FileId, text: &str) -> Vec<Finding> {
    invalid::findings(id, text, &scan::scan_text(text, scan::Mode::Normal), &Limits::default())
}

fn limited<T, E: Excerpt>(read: T, lowering: &mut Lowering<'_, E>) -> Result<T, Vec<Finding>> {
    let refused = lowering.take_refused();
    if refused.is_empty() { Ok(read) } else { Err(refused.into_iter().map(limit_reached).collect()) }
}

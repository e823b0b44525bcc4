//! Turns native syntax inside of a JSON string into expressions and templates. Places count from the start of the text.

use super::lower::Lowering;
use super::{Whole, limit_reached, scan};
use crate::finding::{Finding, Language};
use crate::syntax::{Expr, Template};
use crate::text::{FileId, Span};

/// Reads all of `text` as one expression, its line breaks meaning nothing.
pub(in crate::syntax) fn expression(id: FileId, text: &str) -> Result<Expr, Vec<Finding>> {
    let tokens = scan::scan_text(text, scan::Mode::Normal);
    let whole = Whole { text };
    let mut lowering = Lowering::new(id, text, &tokens, &whole);
    let range = text.len() - text.trim_start().len()..text.trim_end().len();
    if range.is_empty() {
        return Err(vec![refused(id, text, "no expression stands here")]);
    }
    if let Err(error) = hcl_edit::parser::parse_expr(&text[range.clone()]) {
        return Err(vec![refused(id, text, error.message())]);
    }
    let expr = lowering.expression(range);
    limited(expr, &mut lowering)
}

/// Reads all of `text` as a template.
pub(in crate::syntax) fn template(id: FileId, text: &str) -> Result<Template, Vec<Finding>> {
    let tokens = scan::scan_text(text, scan::Mode::Bare);
    let whole = Whole { text };
    let mut lowering = Lowering::new(id, text, &tokens, &whole);
    match hcl_edit::parser::parse_template(text) {
        Ok(template) => {
            let template = lowering.bare(&template);
            limited(template, &mut lowering)
        }
        Err(error) => Err(vec![refused(id, text, error.message())]),
    }
}

fn limited<T>(read: T, lowering: &mut Lowering<'_, Whole<'_>>) -> Result<T, Vec<Finding>> {
    let refused = lowering.take_refused();
    if refused.is_empty() { Ok(read) } else { Err(refused.into_iter().map(limit_reached).collect()) }
}

fn refused(id: FileId, text: &str, detail: &str) -> Finding {
    Finding::language(Language::SyntaxError, "Invalid expression")
        .detail(detail)
        .at(Span::new(id, 0..text.len()))
}

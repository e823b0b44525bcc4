//! Parses JSON files into a body and findings.
//!
//! overrule has its own JSON reader. HCL's JSON parser recovers from errors, with a summary and position for each
//! kind of error, keeps duplicate properties because they may be blocks, accepts half of a surrogate pair, and
//! refuses a byte order mark. A JSON crate reads valid files only, so this reader would still be necessary for the
//! others. It therefore reads them all.

use std::sync::Arc;

use crate::finding::{EngineRule, Finding};
use crate::limits::{Limit, Limits};
use crate::syntax::{Body, Expr, File};
use crate::text::{FileId, Source, Span};

mod add;
mod convert;
mod read;
mod scan;
mod string;
#[cfg(test)]
mod tests;
mod tree;

pub use add::add_moved_to_json;
pub(super) use tree::{Node, NodeKind, Property, Scalar};

/// Parses a whole file. Parts with an error are missing from the body or are invalid values in it.
pub(super) fn parse(id: FileId, source: &Source, limits: &Limits) -> (File, Vec<Finding>) {
    let mut findings = Vec::new();
    let mut root = read::root(id, source, limits, &mut findings);
    match root.kind {
        NodeKind::Object(_) | NodeKind::Array(_) => {}
        NodeKind::Scalar(_) | NodeKind::Invalid => {
            syntax_error("Root value must be object", root.start())
                .detail("The file must be one valid JSON object. A configuration may also be an array of objects.")
                .push_to(&mut findings);
            // With an empty object, schemas do not report the same error again.
            root = Node { span: Span::new(id, 0..0), kind: NodeKind::Object(Vec::new()) };
        }
    }
    let body = Body::json(Arc::new(root));
    let file = File { body, comments: Vec::new(), complete: findings.is_empty(), compares: true };
    (file, findings)
}

/// Parses a text as one value. Returns `None` if it has any error.
pub(super) fn value(text: &str) -> Option<Expr> {
    let mut findings = Vec::new();
    let source = Source::new("", text.as_bytes().to_vec());
    let root = read::root(FileId::new(0), &source, &Limits::default(), &mut findings);
    findings.is_empty().then(|| root.expr())
}

fn syntax_error(summary: &str, at: Span) -> Finding {
    Finding::language(EngineRule::SyntaxError, summary).at(at)
}

/// The engine has no such limit. Hand-written files stay far below it, and it bounds every recursion over values.
fn too_deep(at: Span, limits: &Limits) -> Finding {
    let detail = "The values here are nested too deeply, so overrule did not check the inner ones.";
    Finding::limit(Limit::Nesting, limits, "Values nested too deep", detail).at(at)
}

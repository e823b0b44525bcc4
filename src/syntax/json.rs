//! Turns the text of a JSON file into a body, or into findings.
//!
//! The reader is our own, unlike that of the native syntax. What Terraform takes for JSON is nearly JSON, but not what
//! a crate would give: it goes on after a mistake and decodes what was whole, with words and places of its own for
//! each kind of mistake; a property given twice stays twice, because blocks may be; half a surrogate pair is no
//! mistake, a byte order mark is one. A crate would read only the good files, and this reader would still be needed
//! for the others, so it reads all of them.

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

pub use add::add_json_blocks;
pub(super) use tree::{Node, NodeKind, Property};

/// Reads a whole file. What could not be read is missing from its body, or stands there as an invalid value.
pub(super) fn parse(id: FileId, source: &Source, limits: &Limits) -> (File, Vec<Finding>) {
    let mut findings = Vec::new();
    let mut root = read::root(id, source, limits, &mut findings);
    match root.kind {
        NodeKind::Object(_) | NodeKind::Array(_) => {}
        NodeKind::Null
        | NodeKind::Bool(_)
        | NodeKind::Number(_)
        | NodeKind::String(_)
        | NodeKind::Invalid => {
            findings.push(
                syntax_error("Root value must be object", root.start())
                    .detail("A configuration in JSON is one object, or an array of objects."),
            );
            // An empty object in its place keeps the same mistake from being found once more by each schema.
            root = Node { span: Span::new(id, 0..0), kind: NodeKind::Object(Vec::new()) };
        }
    }
    let file = File { body: Body::json(Arc::new(root)), comments: Vec::new(), complete: findings.is_empty() };
    (file, findings)
}

/// The value that a text is; none where anything is wrong with it.
pub(super) fn value(text: &str) -> Option<Expr> {
    let mut findings = Vec::new();
    let source = Source::new("", text.as_bytes().to_vec());
    let root = read::root(FileId::new(0), &source, &Limits::default(), &mut findings);
    findings.is_empty().then(|| root.expr())
}

fn syntax_error(summary: &str, at: Span) -> Finding {
    Finding::language(EngineRule::SyntaxError, summary).at(at)
}

/// The engines know no bound; nothing that people write comes near this one, and what goes through values one inside
/// the other needs some.
fn too_deep(at: Span, limits: &Limits) -> Finding {
    let detail = "The values here are nested too deeply, so overrule did not check the inner ones.";
    Finding::limit(Limit::Nesting, limits, "Values nested too deep", detail).at(at)
}

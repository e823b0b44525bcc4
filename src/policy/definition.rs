//! Reads a `rule` block with two labels: the template of a custom rule, and its examples.

use smol_str::SmolStr;

use super::argument::{missing, text, wrong_type};
use super::fault::fault;
use super::reader::Reader;
use crate::finding::Finding;
use crate::syntax::{Block, Expr, ExprKind, Label, ObjectKey};
use crate::text::{Span, nearest};

/// A custom rule.
#[derive(Debug, Clone)]
pub struct Definition {
    /// The name of its template.
    pub template: SmolStr,
    /// The location of that name.
    pub template_span: Span,
    /// From the first word of the block to its closing brace.
    pub span: Span,
    /// The examples of the rule.
    pub examples: Vec<Shown>,
}

/// An `example` block.
#[derive(Debug, Clone)]
pub struct Shown {
    /// Its claim.
    pub claim: SmolStr,
    /// The location of the claim.
    pub claim_span: Span,
    /// Paths, contents, and the location of each content.
    pub files: Vec<(SmolStr, SmolStr, Span)>,
}

/// Whether a custom rule can have this name: words of lowercase letters and digits, with hyphens between them.
pub fn is_rule_name(name: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty() && word.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit())
    };
    name.starts_with(|first: char| first.is_ascii_lowercase()) && name.split('-').all(is_word)
}

/// Returns the words of a name in lowercase, with hyphens between them.
fn rewrite(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

/// Reads a block without its arguments, which the template reads.
pub(super) fn read(block: &Block, template: &Label, name: &Label, reader: &mut Reader<'_>) -> Definition {
    if !is_rule_name(&name.text) {
        let finding = fault("Invalid rule name", name.span)
            .detail(format!("`{}` is not a valid name of a rule.", name.text));
        let rewritten = rewrite(&name.text);
        reader.findings.push(finding.help(if is_rule_name(&rewritten) {
            format!("write `{rewritten}`: lowercase letters, digits and hyphens")
        } else {
            "use lowercase letters, digits and hyphens, as in `owner-tag`".to_owned()
        }));
    }
    let mut examples = Vec::new();
    for inner in block.body.any_blocks() {
        if inner.kind == "example" {
            examples.extend(example(&inner, reader));
        } else {
            fault("Unsupported block type", inner.kind_span)
                .detail(format!("Blocks of type `{}` are not expected here.", inner.kind))
                .meant(nearest(&inner.kind, ["example"]))
                .push_to(reader.findings);
        }
    }
    let span = block.header.to(block.body.span());
    Definition { template: template.text.clone(), template_span: template.span, span, examples }
}

fn example(block: &Block, reader: &mut Reader<'_>) -> Option<Shown> {
    let [claim] = block.labels.as_slice() else {
        let finding = fault("Example without a label", block.header);
        finding
            .help("add one label that describes the example: `example \"a bucket without an owner\"`")
            .push_to(reader.findings);
        return None;
    };
    let before = reader.findings.len();
    let content = reader.arguments(block, &["code", "files"], &[]);
    let mut shown = Shown { claim: claim.text.clone(), claim_span: claim.span, files: Vec::new() };
    if let Some(code) = content.attribute("code") {
        let text = reader.kept(constant("code", &code.expr))?;
        shown.files.push(("main.tf".into(), text, code.expr.span));
    }
    if let Some(files) = content.attribute("files") {
        shown.files.extend(reader.kept(named(&files.expr))?);
    }
    if shown.files.is_empty() && reader.findings.len() == before {
        reader.findings.push(missing("code", block.header));
    }
    Some(shown)
}

/// The contents in an object, by path.
fn named(files: &Expr) -> Result<Vec<(SmolStr, SmolStr, Span)>, Finding> {
    let ExprKind::Object(items) = &files.kind else {
        return Err(wrong_type("files", "an object of paths and strings", files));
    };
    let file = |(key, value): (&ObjectKey, &Expr)| {
        let path = match key {
            ObjectKey::Name(name, _) => name.clone(),
            ObjectKey::Expr(key) => text(key).ok_or_else(|| wrong_type("files", "quoted paths", key))?,
        };
        Ok((path, constant("files", value)?, value.span))
    };
    items.iter().map(|item| file((&item.key, &item.value))).collect()
}

fn constant(name: &str, expr: &Expr) -> Result<SmolStr, Finding> {
    text(expr).ok_or_else(|| {
        wrong_type(name, "a constant string", expr)
            .help("write `$${` where the example has `${`, and `%%{` where it has `%{`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_called_like_those_that_are_there() {
        for name in ["a", "owner-tag", "s3-bucket-2"] {
            assert!(is_rule_name(name), "{name}");
        }
        for name in ["", "Owner", "owner_tag", "-a", "a-", "a--b", "3-a", "a b", "ä"] {
            assert!(!is_rule_name(name), "{name}");
        }
    }
}

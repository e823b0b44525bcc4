//! JSON files: valid files are accepted, and invalid files are refused, except for known differences.

use overrule::finding::{EngineRule, Severity};
use overrule::limits::Limits;
use overrule::syntax::{self, Notation};
use overrule::text::{FileId, Source};
use serde_json::Value;
use unicode_segmentation::UnicodeSegmentation;

use super::place::{lie_in, lies_in};

/// Panics if a JSON file violates a property.
pub fn holds(bytes: &[u8]) {
    let source = Source::new("main.tf.json", bytes.to_vec());
    let text = source.text();
    let limits = Limits::default();
    let (file, findings) = syntax::parse(FileId::new(0), &source, Notation::Json, &limits);
    lie_in(&findings, &source);
    assert_eq!(file.complete, findings.is_empty(), "what was not read is told: {findings:?}");
    lies_in(file.body.span(), text);
    file.body.for_each_expression(&mut |expr| lies_in(expr.span, text));
    for attribute in file.body.just_attributes(&mut Vec::new()) {
        lies_in(attribute.span, text);
        lies_in(attribute.expr.span, text);
    }
    let (_, again) = syntax::parse(FileId::new(0), &source, Notation::Json, &limits);
    assert_eq!(findings, again);

    let wrong = findings.iter().find(|finding| finding.severity == Severity::Error);
    let is_bounded = findings.iter().any(|finding| finding.rule == EngineRule::LimitReached.id());
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(_) | Value::Array(_)) => {
            assert!(wrong.is_none() || has_hidden_quote(text), "this is JSON: {wrong:?}");
        }
        Ok(_) => assert!(wrong.is_some(), "a configuration is an object"),
        Err(refused) if findings.is_empty() && !differs(text, &source, &refused.to_string()) => {
            panic!("no other takes this for JSON: {refused}")
        }
        Err(_) => {}
    }
    let least = limits.nesting().min(limits.mistakes());
    assert!(!is_bounded || text.len() > least, "nothing short comes near a bound");
}

/// The engine accepts half of a surrogate pair, refuses a byte order mark, and accepts numbers of any size.
fn differs(text: &str, source: &Source, why: &str) -> bool {
    text.contains("\\u")
        || text.starts_with('\u{feff}')
        || !source.invalid().is_empty()
        || why.contains("number out of range")
        || why.contains("recursion limit")
}

/// The engine reads strings by grapheme clusters, and some letters form a cluster with the quote or backslash after
/// them.
fn has_hidden_quote(text: &str) -> bool {
    text.graphemes(true).any(|cluster| cluster.chars().skip(1).any(|c| matches!(c, '"' | '\\')))
}

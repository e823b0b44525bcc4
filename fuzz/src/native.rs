//! Native syntax: spans are inside their parents, and alignment keeps the meaning.

use overrule::limits::Limits;
use overrule::syntax::{self, Body, File, Notation, aligned};
use overrule::text::{FileId, Source};

use super::place::{lie_in, lies_in};

/// Panics if a file violates a property.
pub fn holds(bytes: &[u8]) {
    let source = Source::new("main.tf", bytes.to_vec());
    let text = source.text();
    let (file, findings) = syntax::parse(FileId::new(0), &source, Notation::Native, &Limits::default());
    lie_in(&findings, &source);
    assert!(file.complete || !findings.is_empty(), "what was not read is told");
    comments_are_comments(&file, text);
    all_lies_in(&file.body, text);
    let (again, findings_again) =
        syntax::parse(FileId::new(0), &source, Notation::Native, &Limits::default());
    assert_eq!(findings, findings_again);
    assert_eq!(file.complete, again.complete);

    let once = aligned(text);
    assert!(characters(text).eq(characters(&once)), "aligning moves blanks alone:\n{once}");
    if file.complete {
        assert_eq!(aligned(&once), once, "what is aligned stays as it is");
        let (moved, findings) = syntax::parse(
            FileId::new(0),
            &Source::new("main.tf", once.into_bytes()),
            Notation::Native,
            &Limits::default(),
        );
        assert!(moved.complete, "what is aligned can be read: {findings:?}");
        assert_eq!(names(&file.body), names(&moved.body));
    }
}

fn characters(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|c| !c.is_whitespace())
}

fn comments_are_comments(file: &File, text: &str) {
    let mut end = 0;
    for comment in &file.comments {
        lies_in(comment.span, text);
        let range = comment.span.range();
        assert!(range.start >= end, "comments come in order");
        end = range.end;
        let comment = &text[range];
        assert!(["#", "//", "/*"].iter().any(|mark| comment.starts_with(mark)), "{comment:?}");
    }
}

/// Traverses a body without recursion, because inputs may be nested deeply.
fn all_lies_in(body: &Body, text: &str) {
    let mut open = vec![body.clone()];
    while let Some(body) = open.pop() {
        lies_in(body.span(), text);
        for attribute in body.just_attributes(&mut Vec::new()) {
            lies_in(attribute.span, text);
            assert_eq!(&text[attribute.name_span.range()], attribute.name.as_str());
            let (whole, value) = (attribute.span.range(), attribute.expr.span.range());
            // The position of a missing value is the token where it is expected.
            let is_inside = whole.start <= value.start && value.end <= whole.end;
            assert!(attribute.is_broken || is_inside, "{attribute:?}");
        }
        for block in body.any_blocks() {
            assert_eq!(&text[block.kind_span.range()], block.kind.as_str());
            lies_in(block.header, text);
            block.labels.iter().for_each(|label| lies_in(label.span, text));
            open.push(block.body.clone());
        }
        body.for_each_expression(&mut |expr| lies_in(expr.span, text));
    }
}

fn names(body: &Body) -> Vec<String> {
    let mut names = Vec::new();
    let mut open = vec![body.clone()];
    while let Some(body) = open.pop() {
        names.extend(body.names().iter().map(ToString::to_string));
        open.extend(body.any_blocks().iter().map(|block| block.body.clone()));
    }
    names
}

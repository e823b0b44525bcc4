//! Every reported position is inside its file.

use overrule::finding::Finding;
use overrule::text::{FileId, Source, Sources, Span};

/// Asserts that a span is inside a text, from one character to another.
pub fn lies_in(span: Span, text: &str) {
    let range = span.range();
    assert!(range.start <= range.end, "{span:?} ends before it starts");
    assert!(text.get(range).is_some(), "{span:?} is no part of a text of {} bytes", text.len());
}

/// Asserts this for findings about the only file of a run.
pub fn lie_in(findings: &[Finding], source: &Source) {
    for finding in findings {
        for span in places(finding) {
            assert_eq!(span.file, FileId::new(0), "{finding:?}");
            lies_in(span, source.text());
        }
    }
}

/// Asserts this for findings about the files of a run.
pub fn lie_in_one_of<'f>(findings: impl IntoIterator<Item = &'f Finding>, sources: &Sources) {
    for finding in findings {
        for span in places(finding) {
            assert!(span.file.number() < sources.len(), "{finding:?}");
            lies_in(span, sources.get(span.file).text());
        }
    }
}

fn places(finding: &Finding) -> impl Iterator<Item = Span> + '_ {
    finding.primary.into_iter().chain(finding.related.iter().map(|related| related.span))
}

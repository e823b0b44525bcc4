//! Reads the `example` blocks of custom rules in a policy.

use super::{Example, PageError};
use crate::policy::{Definition, Shown};
use crate::text::{Sources, Span};

/// The examples of a rule, in source order. Two arguments for the same file are an error.
pub fn of_definition(definition: &Definition, sources: &Sources) -> Result<Vec<Example>, PageError> {
    definition.examples.iter().map(|shown| read(shown, sources)).collect()
}

fn read(shown: &Shown, sources: &Sources) -> Result<Example, PageError> {
    let line = sources.get(shown.claim_span.file).position(shown.claim_span.start).line;
    let mut example = Example::new(&shown.claim, line);
    for (name, text, span) in &shown.files {
        let (lines, indent) = placed(text, *span, sources);
        let added = example.add(name.to_string(), &lines, indent);
        added.map_err(|message| PageError { line, message })?;
    }
    example.marks.sort();
    Ok(example)
}

/// The lines of a text with their line numbers in the policy, and their indentation there. A quoted string is on one
/// line, whatever it contains.
fn placed<'a>(text: &'a str, span: Span, sources: &Sources) -> (Vec<(usize, &'a str)>, usize) {
    let source = sources.get(span.file);
    let first = source.position(span.start).line;
    let written = source.slice(span);
    if !written.starts_with("<<") {
        return (text.lines().map(|line| (first, line)).collect(), 0);
    }
    let indent = |line: &str| line.len() - line.trim_start().len();
    let both = written.lines().skip(1).zip(text.lines()).find(|(_, line)| !line.trim().is_empty());
    let further = both.map_or(0, |(written, line)| indent(written).saturating_sub(indent(line)));
    (text.lines().enumerate().map(|(number, line)| (first + 1 + number, line)).collect(), further)
}

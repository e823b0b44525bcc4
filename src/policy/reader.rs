//! Reads the arguments of blocks in a policy file and collects mistakes.

use smol_str::SmolStr;

use super::Globs;
use super::argument::{globs, missing, quoted, text, texts, wrong_type};
use super::fault::{fault, known_word};
use crate::finding::{Code, Finding};
use crate::syntax::{Attribute, AttributeSchema, Block, Content, Schema};
use crate::text::Source;

/// Reads the blocks of one file and collects mistakes.
pub(super) struct Reader<'r> {
    pub(super) source: &'r Source,
    pub(super) findings: &'r mut Vec<Finding>,
}

impl Reader<'_> {
    /// The arguments of a block without nested blocks. A missing argument is reported only if the block has no other
    /// mistake, because an unknown argument may be the missing one, misspelled.
    pub(super) fn arguments(&mut self, block: &Block, names: &[&str], required: &[&str]) -> Content {
        let attributes: Vec<_> = names.iter().map(|name| AttributeSchema::optional(name)).collect();
        let before = self.findings.len();
        let content = block.body.content(&Schema { attributes: &attributes, blocks: &[] }, self.findings);
        self.help_with_arguments(before, || {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!("this block has {}", names.join(", "))
        });
        if self.findings.len() == before {
            let absent = required.iter().filter(|name| content.attribute(name).is_none());
            self.findings.extend(absent.map(|name| missing(name, block.header)));
        }
        content
    }

    /// Adds help to the findings from `from` on about unknown arguments that have none.
    pub(super) fn help_with_arguments(&mut self, from: usize, help: impl Fn() -> String) {
        for finding in &mut self.findings[from..] {
            if finding.code == Some(Code::UnsupportedArgument) {
                finding.help.get_or_insert_with(&help);
            }
        }
    }

    /// The paths of a block, if they are set. An empty list is a mistake with the help `instead`.
    pub(super) fn some_paths(&mut self, content: &Content, instead: &str) -> Option<Globs> {
        let attribute = content.attribute("paths")?;
        if attribute.expr.as_list().is_some_and(<[_]>::is_empty) {
            let finding = fault("Invalid `paths`", attribute.expr.span);
            self.findings
                .push(finding.detail("With an empty `paths`, this block has no effect.").help(instead));
            return None;
        }
        self.globs(content, "paths")
    }

    /// The patterns of an argument, if it is set.
    pub(super) fn globs(&mut self, content: &Content, name: &str) -> Option<Globs> {
        let attribute = content.attribute(name)?;
        let patterns = self.kept(texts(name, &attribute.expr))?;
        self.kept(globs(&patterns, Globs::new))
    }

    pub(super) fn text(&mut self, attribute: &Attribute) -> Option<SmolStr> {
        let given = text(&attribute.expr);
        self.kept(given.ok_or_else(|| {
            wrong_type(&attribute.name, "a quoted string", &attribute.expr).help_if(quoted(&attribute.expr))
        }))
    }

    /// A string that is not empty.
    pub(super) fn sentence(&mut self, attribute: &Attribute) -> Option<SmolStr> {
        let text = self.text(attribute)?;
        let is_empty = text.trim().is_empty();
        if is_empty {
            let finding = fault(format!("Invalid `{}`", attribute.name), attribute.expr.span);
            self.findings.push(finding.detail("It is empty.").help("write a sentence, or leave it out"));
        }
        (!is_empty).then_some(text)
    }

    pub(super) fn word(&mut self, attribute: &Attribute, words: &[&'static str]) -> Option<&'static str> {
        let given = self.text(attribute)?;
        self.kept(known_word(&attribute.name, &given, words, attribute.expr.span))
    }

    pub(super) fn kept<T>(&mut self, result: Result<T, Finding>) -> Option<T> {
        result.map_err(|finding| self.findings.push(finding)).ok()
    }
}

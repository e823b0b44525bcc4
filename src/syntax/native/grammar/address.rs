//! Traversals in strings: a name and constant steps. Line breaks and comments are ignored.

use smol_str::SmolStr;

use super::{Kind, Parser, Token};
use crate::syntax::{Step, StepKind, Traversal};

impl Parser<'_> {
    /// A traversal up to the end of the text. Steps before an error are kept.
    pub(super) fn address(&mut self) -> Option<Traversal> {
        let first = self.read();
        if first.kind != Kind::Name {
            self.error("Variable name required", first, "An address starts with a name.");
            return None;
        }
        let root = SmolStr::new(self.written(first));
        let mut address = Traversal { root, root_span: self.span(first), steps: Vec::new() };
        while self.errors == 0 {
            let next = self.read();
            let step = match next.kind {
                Kind::End => break,
                Kind::Dot => self.address_attribute(next),
                Kind::OpenBracket => self.address_index(next),
                _ => {
                    let detail = "A name is followed by a dot and another name, or by a key in brackets.";
                    self.error("Invalid character", next, detail);
                    None
                }
            };
            address.steps.extend(step);
        }
        Some(address)
    }

    fn address_attribute(&mut self, dot: Token) -> Option<Step> {
        let name = self.read();
        if name.kind != Kind::Name {
            let detail = match name.kind {
                Kind::Star => "An address identifies a single object, so it cannot contain a splat.",
                _ => "A dot must be followed by the name of an attribute.",
            };
            self.error("Attribute name required", name, detail);
            return None;
        }
        let kind = StepKind::Attribute(SmolStr::new(self.written(name)));
        Some(Step { span: self.span(dot).to(self.span(name)), kind })
    }

    fn address_index(&mut self, open: Token) -> Option<Step> {
        let key = self.peek();
        let kind = match key.kind {
            Kind::Number => {
                self.read();
                self.check_number(key);
                StepKind::Number(SmolStr::new(self.written(key)))
            }
            Kind::OpenQuote => StepKind::Key(self.quoted_label().text),
            Kind::Star => {
                let detail = "An address identifies a single object, so it cannot contain a splat.";
                self.error("Attribute name required", key, detail);
                return None;
            }
            _ => {
                let detail = "The brackets of an address must contain a number or a quoted string.";
                self.error("Index value required", key, detail);
                return None;
            }
        };
        let close = self.read();
        if close.kind != Kind::CloseBracket {
            let detail = "The key must be followed by a closing bracket.";
            self.error("Unclosed index brackets", close, detail);
        }
        Some(Step { span: self.span(open).to(self.span(close)), kind })
    }
}

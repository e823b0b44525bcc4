//! Turns the tokens of the simplest expressions into the tree without a parser: four of five arguments are a string, a
//! number, a word or an address, and reading those here takes a fifth off the time of a large repository.

use std::ops::Range;

use smol_str::SmolStr;

use super::{Excerpt, Expr, ExprKind, Kind, Lowering, Traversal};
use crate::syntax::{Step, StepKind};
use crate::text::Span;

impl<E: Excerpt> Lowering<'_, E> {
    /// The expression that takes the bytes of `range`, if it is one of those.
    pub(super) fn simple(&self, range: &Range<usize>) -> Option<Expr> {
        let span = Span::new(self.file, range.clone());
        let tokens = &self.tokens[self.token_at(span.start)..];
        let first = *tokens.first()?;
        let ends = |number: usize| tokens.get(number).is_some_and(|token| token.end == span.end);
        match first.kind {
            Kind::Number if ends(0) => Some(self.number(span)),
            Kind::OpenQuote => {
                let close = tokens[1..].iter().position(|token| token.kind != Kind::QuotedText)? + 1;
                let whole = tokens[close].kind == Kind::CloseQuote && ends(close);
                whole.then(|| Expr { span, kind: ExprKind::Template(self.plain_string(span)) })
            }
            Kind::Name => {
                let written = self.slice(self.token_span(first));
                let keyword = match written {
                    "true" => Some(ExprKind::Bool(true)),
                    "false" => Some(ExprKind::Bool(false)),
                    "null" => Some(ExprKind::Null),
                    _ => None,
                };
                if let Some(kind) = keyword {
                    return ends(0).then_some(Expr { span, kind });
                }
                let mut steps = Vec::new();
                let mut last = 0;
                while !ends(last) {
                    let (point, name) = (tokens.get(last + 1)?, tokens.get(last + 2)?);
                    if (point.kind, name.kind) != (Kind::Dot, Kind::Name) {
                        return None;
                    }
                    let step = self.token_span(*point).to(self.token_span(*name));
                    let kind = StepKind::Attribute(SmolStr::new(self.slice(self.token_span(*name))));
                    steps.push(Step { span: step, kind });
                    last += 2;
                }
                let root_span = self.token_span(first);
                let traversal = Traversal { root: SmolStr::new(written), root_span, steps };
                Some(Expr { span, kind: ExprKind::Traversal(traversal) })
            }
            _ => None,
        }
    }
}

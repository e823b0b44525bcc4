//! Function calls.

use smol_str::SmolStr;

use super::piece::Piece;
use super::{Extent, Kind, Parser, Token};
use crate::syntax::{Call, Expr, ExprKind};

impl Parser<'_> {
    /// The rest of a call, after the first word of the function name.
    pub(super) fn call(&mut self, first: Token) -> Piece {
        let breaks = self.breaks;
        let mut name = SmolStr::new(self.written(first));
        let mut name_span = self.span(first);
        let mut open = self.read();
        while open.kind == Kind::DoubleColon {
            let part = self.read();
            if part.kind != Kind::Name {
                self.error("Missing function name", part, "`::` must be followed by the name of a function.");
                self.recover_over_parentheses();
                return Piece::unnamed(name_span.to(self.span(part)));
            }
            name = format!("{name}::{}", self.written(part)).into();
            name_span = name_span.to(self.span(part));
            open = self.read();
        }
        if open.kind != Kind::OpenParen {
            let detail = "The name of a function must be followed by its arguments in parentheses.";
            self.error("Missing open parenthesis", open, detail);
            self.recover_over_parentheses();
            return Piece::unnamed(name_span.to(self.span(open)));
        }
        self.newlines.push(false);
        let mut arguments = Vec::new();
        let (close, expands_last) = self.arguments(first, open, &mut arguments);
        arguments.shrink_to_fit();
        self.newlines.pop();
        let span = name_span.to(self.span(close));
        let close = if self.broken_since(breaks) { self.span(close).after() } else { self.span(close) };
        let open = self.span(open);
        let call = Call { name, name_span, arguments, expands_last, open, close };
        self.piece(breaks, span, ExprKind::Call(Box::new(call)))
    }

    /// Reads the arguments to the closing parenthesis. Returns that token, and whether the last argument is expanded.
    fn arguments(&mut self, name: Token, open: Token, arguments: &mut Vec<Expr>) -> (Token, bool) {
        loop {
            if self.peek().kind == Kind::CloseParen {
                return (self.read(), false);
            }
            let errors = self.errors;
            let argument = self.expression();
            arguments.push(argument.expr);
            if self.lost_since(errors) {
                return (self.recover(Kind::CloseParen), false);
            }
            let separator = self.read();
            match separator.kind {
                Kind::CloseParen => return (separator, false),
                Kind::Comma => {}
                Kind::Ellipsis => {
                    if self.peek().kind == Kind::CloseParen {
                        return (self.read(), true);
                    }
                    let detail = "An argument expanded with `...` must be the last one, followed by a closing \
                    parenthesis.";
                    self.first_error("Missing closing parenthesis", separator, detail);
                    return (self.recover(Kind::CloseParen), true);
                }
                Kind::End => {
                    let detail = "There is no closing parenthesis for this call before the end of the file. \
                                  The cause may be a wrong parenthesis elsewhere in the file.";
                    self.error("Unterminated function call", Extent::from(name).to(open.into()), detail);
                    return (self.recover(Kind::CloseParen), false);
                }
                _ => {
                    self.error("Missing argument separator", separator, "Arguments are separated by commas.");
                    return (self.recover(Kind::CloseParen), false);
                }
            }
        }
    }
}

//! Calls of functions.

use super::remnant::{Piece, Remnant};
use super::{Extent, Kind, Parser, Token};

impl Parser<'_> {
    /// What follows the first word of the name of a function.
    pub(super) fn call(&mut self, name: Token) -> Piece {
        let mark = self.mark();
        let mut open = self.read();
        let mut whole_name = Extent::from(name);
        while open.kind == Kind::DoubleColon {
            let part = self.read();
            if part.kind != Kind::Name {
                self.error("Missing function name", part, "The name of a function has to follow `::`.");
                self.recover_over_parentheses();
                return Piece::broken(whole_name.to(part.into()), Remnant::Unnamed);
            }
            whole_name = whole_name.to(part.into());
            open = self.read();
        }
        if open.kind != Kind::OpenParen {
            self.error(
                "Missing open parenthesis",
                open,
                "The name of a function has to be followed by its arguments in parentheses.",
            );
            self.recover_over_parentheses();
            return Piece::broken(whole_name.to(open.into()), Remnant::Unnamed);
        }
        self.newlines.push(false);
        let (close, expands_last) = self.arguments(name, open);
        self.newlines.pop();
        self.collected(mark, whole_name.to(close.into()), |arguments| Remnant::Call {
            name: whole_name,
            open: open.into(),
            expands_last,
            arguments,
        })
    }

    /// Arguments up to the closing parenthesis, and whether the last one is expanded.
    fn arguments(&mut self, name: Token, open: Token) -> (Token, bool) {
        loop {
            if self.peek().kind == Kind::CloseParen {
                return (self.read(), false);
            }
            let errors = self.errors;
            let argument = self.expression();
            self.pieces.push(argument);
            if self.recovery && self.failed_since(errors) {
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
                    if !self.recovery {
                        self.error(
                            "Missing closing parenthesis",
                            separator,
                            "An argument expanded with `...` is the last one, and a parenthesis has to follow it.",
                        );
                    }
                    return (self.recover(Kind::CloseParen), true);
                }
                Kind::End => {
                    self.error(
                        "Unterminated function call",
                        Extent::from(name).to(open.into()),
                        "There is no closing parenthesis for this call before the end of the file. Parentheses \
                         nested wrongly elsewhere in the file may be the cause.",
                    );
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

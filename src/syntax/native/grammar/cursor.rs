//! Moves over the tokens as HCL's peeker does. Line breaks and comments are tokens only where they are significant,
//! and after an error the parser skips to the position where `hclsyntax` continues.

use super::{Extent, Kind, Parser, Token};

impl Parser<'_> {
    /// The next significant token.
    pub(super) fn peek(&self) -> Token {
        self.plain().unwrap_or_else(|| self.look().0)
    }

    /// The next token, if it is significant everywhere.
    #[inline]
    fn plain(&self) -> Option<Token> {
        let next = self.lexed.tokens.get(self.next).copied();
        next.filter(|token| !matches!(token.kind, Kind::Newline | Kind::Comment))
    }

    /// Consumes the next significant token.
    pub(super) fn read(&mut self) -> Token {
        if let Some(token) = self.plain() {
            self.next += 1;
            return token;
        }
        let (token, next) = self.look();
        self.next = next;
        token
    }

    /// The token before the next one, significant or not. At the start of the file, the next token.
    pub(super) fn previous(&self) -> Extent {
        match self.next.checked_sub(1).and_then(|before| self.lexed.tokens.get(before)) {
            Some(token) => (*token).into(),
            None => self.peek().into(),
        }
    }

    fn look(&self) -> (Token, usize) {
        let counts = self.newlines.last().copied().unwrap_or(true);
        let mut next = self.next;
        while let Some(token) = self.lexed.tokens.get(next) {
            next += 1;
            match token.kind {
                Kind::Newline if !counts => {}
                Kind::Comment => {
                    if counts && self.lexed.text.as_bytes()[token.end as usize - 1] == b'\n' {
                        return (Token { kind: Kind::Newline, ..*token }, next);
                    }
                }
                _ => return (*token, next),
            }
        }
        (self.lexed.tokens[self.lexed.tokens.len() - 1], self.lexed.tokens.len())
    }

    /// Skips to the bracket that closes the current one, over nested brackets, or to the end.
    pub(super) fn recover(&mut self, close: Kind) -> Token {
        self.recovery = true;
        self.breaks += 1;
        let open = opening(close);
        let mut depth = 0_usize;
        loop {
            let token = self.read();
            let mut kind = token.kind;
            if close == Kind::CloseSequence && kind == Kind::OpenDirective {
                kind = Kind::OpenInterpolation;
            }
            if Some(kind) == open {
                depth += 1;
            } else if kind == close {
                if depth == 0 {
                    return token;
                }
                depth -= 1;
            } else if kind == Kind::End {
                return token;
            }
        }
    }

    /// Skips the next parentheses.
    pub(super) fn recover_over_parentheses(&mut self) {
        loop {
            match self.read().kind {
                Kind::OpenParen | Kind::End => break,
                _ => {}
            }
        }
        self.recover(Kind::CloseParen);
    }

    /// Skips the rest of an item of a body and its line break, whatever brackets are open.
    pub(super) fn recover_after_item(&mut self) {
        self.recovery = true;
        let mut open: Vec<Kind> = Vec::new();
        loop {
            let kind = self.read().kind;
            match kind {
                Kind::Newline if open.is_empty() => return,
                Kind::End => return,
                Kind::OpenBrace
                | Kind::OpenBracket
                | Kind::OpenParen
                | Kind::OpenQuote
                | Kind::OpenHeredoc
                | Kind::OpenInterpolation
                | Kind::OpenDirective => open.push(kind),
                Kind::CloseBrace
                | Kind::CloseBracket
                | Kind::CloseParen
                | Kind::CloseQuote
                | Kind::CloseHeredoc
                | Kind::CloseSequence => {
                    let closes = |open: Kind| {
                        opening(kind) == Some(open)
                            || (kind == Kind::CloseSequence && open == Kind::OpenDirective)
                    };
                    while open.pop().is_some_and(|last| !closes(last)) {}
                }
                _ => {}
            }
        }
    }
}

/// The bracket that `close` closes.
fn opening(close: Kind) -> Option<Kind> {
    match close {
        Kind::CloseBrace => Some(Kind::OpenBrace),
        Kind::CloseBracket => Some(Kind::OpenBracket),
        Kind::CloseParen => Some(Kind::OpenParen),
        Kind::CloseQuote => Some(Kind::OpenQuote),
        Kind::CloseHeredoc => Some(Kind::OpenHeredoc),
        Kind::CloseSequence => Some(Kind::OpenInterpolation),
        _ => None,
    }
}

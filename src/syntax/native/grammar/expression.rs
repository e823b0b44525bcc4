//! Expressions, their operators and the steps behind them.

use super::remnant::{Piece, Remnant};
use super::{Extent, Kind, Mend, Parser, Token};

impl Parser<'_> {
    /// An expression.
    pub(super) fn expression(&mut self) -> Piece {
        self.deeper(Self::conditional)
    }

    /// Reads one level deeper, unless that is too deep.
    fn deeper(&mut self, read: impl FnOnce(&mut Self) -> Piece) -> Piece {
        if self.depth >= self.limits.nesting() {
            let here = self.peek();
            self.too_deep(here);
            self.recovery = true;
            return Piece::broken(here, Remnant::Unread);
        }
        self.depth += 1;
        let piece = read(self);
        self.depth -= 1;
        piece
    }

    fn conditional(&mut self) -> Piece {
        let errors = self.errors;
        let condition = self.operations();
        if (self.recovery && self.failed_since(errors)) || self.peek().kind != Kind::Question {
            return condition;
        }
        self.read();
        let errors = self.errors;
        let then = self.expression();
        if self.recovery && self.failed_since(errors) {
            return condition;
        }
        let colon = self.peek();
        if colon.kind != Kind::Colon {
            self.error(
                "Missing false expression in conditional",
                colon,
                "The conditional operator `a ? b : c` needs a colon and a value for the false case.",
            );
            return condition;
        }
        self.read();
        let errors = self.errors;
        let otherwise = self.expression();
        if self.recovery && self.failed_since(errors) {
            return condition;
        }
        condition.with(&then).with(&otherwise)
    }

    /// Operands with operators of two operands between them. Which binds tighter makes no difference to what is right.
    fn operations(&mut self) -> Piece {
        let errors = self.errors;
        let first = self.operand();
        if self.recovery && self.failed_since(errors) {
            return first;
        }
        let mut whole = first;
        while is_operator(self.peek().kind) {
            self.read();
            let errors = self.errors;
            let operand = self.operand();
            if self.recovery && self.failed_since(errors) {
                return whole;
            }
            whole = whole.with(&operand);
        }
        whole
    }

    fn operand(&mut self) -> Piece {
        let term = self.term();
        self.steps(term)
    }

    fn steps(&mut self, term: Piece) -> Piece {
        let mut whole = term;
        loop {
            whole = match self.peek().kind {
                Kind::Dot => self.point_step(whole),
                Kind::OpenBracket => self.bracket_step(whole),
                _ => return whole,
            }
        }
    }

    /// `from` with what stands behind a point.
    fn point_step(&mut self, from: Piece) -> Piece {
        let point = self.read();
        let token = self.peek();
        let breaks = self.breaks;
        let end = match token.kind {
            Kind::Name => {
                self.read();
                token.into()
            }
            Kind::Number => {
                self.read();
                self.legacy_index(token, token.into());
                token.into()
            }
            Kind::Star => {
                self.read();
                match self.attribute_splat(token) {
                    Some(end) => end,
                    None => return from,
                }
            }
            _ => {
                self.error("Invalid attribute name", token, "A name has to follow the point.");
                self.recovery = true;
                return Piece::broken(from.extent.to(point.into()), Remnant::Unnamed);
            }
        };
        if self.broken_since(breaks) {
            Piece::broken(from.extent.to(end), Remnant::Unknown)
        } else {
            from.up_to(end)
        }
    }

    /// `.0`, once the only way to write an index. Two of them in a row look like one decimal number.
    fn legacy_index(&mut self, digits: Token, at: Extent) {
        if let Some((first, second)) = self.written(digits).split_once('.') {
            self.error(
                "Invalid legacy index syntax",
                at,
                format!(
                    "Two indexes in a row cannot be written with points. Write `[{first}][{second}]` instead."
                ),
            );
        } else {
            self.check_number(digits);
        }
    }

    /// `.name` and `.0` behind `.*`.
    fn attribute_splat(&mut self, star: Token) -> Option<Extent> {
        let mut last = Extent::from(star);
        while self.peek().kind == Kind::Dot {
            self.read();
            let token = self.peek();
            match token.kind {
                Kind::Number => {
                    self.read();
                    self.legacy_index(token, star.into());
                }
                Kind::Name => {
                    self.read();
                }
                _ => {
                    if !self.recovery {
                        if token.kind == Kind::Star {
                            self.error(
                                "Nested splat expression not allowed",
                                token,
                                "A splat written `.*` cannot stand inside another one.",
                            );
                        } else {
                            self.error("Invalid attribute name", star, "A name has to follow the point.");
                        }
                    }
                    self.recovery = true;
                    return None;
                }
            }
            last = token.into();
        }
        Some(last)
    }

    /// `from` with `[*]` or `[key]`.
    fn bracket_step(&mut self, from: Piece) -> Piece {
        let open = self.read();
        if self.peek().kind == Kind::Star {
            self.read();
            let close = self.read();
            if close.kind == Kind::CloseBracket || self.recovery {
                return from.up_to(close.into());
            }
            // The engines point at the bracket that they find in the end, here and below.
            let close = self.recover(Kind::CloseBracket);
            let detail = "The star of a splat has to be followed by `]`.";
            self.error("Missing close bracket on splat index", close, detail);
            return Piece::broken(from.extent.to(close.into()), Remnant::Unknown);
        }
        self.newlines.push(false);
        let (errors, breaks) = (self.errors, self.breaks);
        let key = self.expression();
        let close = if self.recovery && self.failed_since(errors) {
            self.recover(Kind::CloseBracket)
        } else {
            let close = self.read();
            if close.kind == Kind::CloseBracket || self.recovery {
                close
            } else {
                let close = self.recover(Kind::CloseBracket);
                self.error("Missing close bracket on index", close, "An index has to end with `]`.");
                close
            }
        };
        self.newlines.pop();
        if !self.broken_since(breaks) {
            return from.up_to(close.into());
        }
        let brackets = Extent::from(open).to(close.into());
        Piece::broken(from.extent.to(brackets), Remnant::Index { collection: from, key, brackets })
    }

    fn term(&mut self) -> Piece {
        let start = self.peek();
        match start.kind {
            Kind::OpenParen => self.parentheses(),
            Kind::Number => {
                self.read();
                let breaks = self.breaks;
                self.check_number(start);
                if self.broken_since(breaks) {
                    return Piece::broken(start, Remnant::Unknown);
                }
                start.into()
            }
            Kind::Name => {
                self.read();
                if matches!(self.peek().kind, Kind::OpenParen | Kind::DoubleColon) {
                    return self.call(start);
                }
                start.into()
            }
            Kind::OpenQuote => {
                self.read();
                self.template(Kind::CloseQuote)
            }
            Kind::OpenHeredoc => {
                self.read();
                self.template(Kind::CloseHeredoc)
            }
            Kind::Minus | Kind::Bang => {
                self.read();
                let operand = self.deeper(Self::operand);
                Piece::from(start).with(&operand)
            }
            Kind::OpenBracket => self.tuple(),
            Kind::OpenBrace => self.object(),
            _ => {
                if !self.recovery {
                    if start.kind == Kind::End {
                        self.error(
                            "Missing expression",
                            start,
                            "The file ends where an expression has to start.",
                        );
                    } else {
                        self.error("Invalid expression", start, "No expression can start like this.");
                    }
                }
                self.recovery = true;
                self.breaks += 1;
                Piece::broken(start, Remnant::Unknown)
            }
        }
    }

    fn parentheses(&mut self) -> Piece {
        let open = self.read();
        self.newlines.push(false);
        let (errors, breaks) = (self.errors, self.breaks);
        let inner = self.expression();
        if self.failed_since(errors) {
            self.recover(Kind::CloseParen);
            self.newlines.pop();
            return inner;
        }
        let close = self.peek();
        let extent = Extent::from(open).to(close.into());
        if close.kind != Kind::CloseParen {
            self.error(
                "Unbalanced parentheses",
                close,
                "The parenthesis has to be closed behind the expression.",
            );
            self.recovery = true;
        }
        self.read();
        self.newlines.pop();
        if self.broken_since(breaks) { Piece::broken(extent, Remnant::Parens(inner)) } else { extent.into() }
    }

    /// Reports what the scanner took for a number and is none, and keeps from hcl-edit what it cannot hold.
    fn check_number(&mut self, token: Token) {
        let written = self.written(token);
        if !is_number(written) {
            self.error("Invalid number literal", token, "This does not read as a number.");
        }
        let plain = written.len() <= 15 && written.bytes().all(|byte| byte.is_ascii_digit());
        let fits = || {
            let ends_whole =
                written.split(['e', 'E']).all(|part| part.ends_with(|c: char| c.is_ascii_digit()));
            ends_whole && written.parse::<f64>().is_ok_and(f64::is_finite)
        };
        if !plain && !fits() {
            self.mends.push(Mend { start: token.start, end: token.end, with: b'0' });
        }
    }
}

fn is_operator(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Or
            | Kind::And
            | Kind::EqualEqual
            | Kind::NotEqual
            | Kind::Greater
            | Kind::GreaterOrEqual
            | Kind::Less
            | Kind::LessOrEqual
            | Kind::Plus
            | Kind::Minus
            | Kind::Star
            | Kind::Slash
            | Kind::Percent
    )
}

/// Whether digits, points and exponents, as the scanner takes them together, are one decimal number.
fn is_number(written: &str) -> bool {
    let (mantissa, exponent) = match written.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.trim_start_matches(['+', '-'])),
        None => (written, "0"),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let whole_and_fraction = match mantissa.split_once('.') {
        Some((whole, fraction)) => digits(whole) && digits(fraction),
        None => digits(mantissa),
    };
    whole_and_fraction && digits(exponent)
}

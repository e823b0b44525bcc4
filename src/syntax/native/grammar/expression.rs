//! Expressions and their operators.

use smol_str::SmolStr;

use super::piece::Piece;
use super::{Content, Extent, Kind, Parser, Token};
use crate::syntax::native::hcl;
use crate::syntax::number;
use crate::syntax::{BinaryOperator, Expr, ExprKind, Traversal, UnaryOperator};
use crate::text::Span;

impl Parser<'_> {
    /// The value of an argument: from the grammar if it is plain, else from hcl-edit. Where hcl-edit cannot parse it,
    /// the result of the grammar counts; see [`hcl`].
    pub(super) fn value(&mut self) -> Piece {
        self.content = Content::Plain;
        let errors = self.errors;
        let start = self.peek().start;
        let piece = self.expression();
        if self.content != Content::Iteration || piece.is_broken() || self.failed_since(errors) {
            return piece;
        }
        let extent = Extent { start, end: self.previous().end };
        hcl::expression(self.lexed, extent).map_or(piece, Piece::from)
    }

    pub(super) fn expression(&mut self) -> Piece {
        self.deeper(Self::conditional)
    }

    /// Parses one level deeper, unless that exceeds the limit.
    fn deeper(&mut self, read: impl FnOnce(&mut Self) -> Piece) -> Piece {
        if self.depth >= self.limits.nesting() {
            return self.unread(self.peek());
        }
        self.depth += 1;
        let around = std::mem::take(&mut self.wraps);
        let piece = read(self);
        self.wraps = self.wraps.max(around);
        self.depth -= 1;
        piece
    }

    fn unread(&mut self, at: Token) -> Piece {
        self.too_deep(at);
        self.recovery = true;
        Piece::broken(self.span(at))
    }

    /// Counts an operator or step that wraps its left operand. A long chain makes the tree as deep as brackets do;
    /// returns false and reports an error if it exceeds the limit.
    pub(super) fn can_wrap(&mut self, at: Token) -> bool {
        self.wraps += 1;
        let can = self.wraps <= 2 * self.limits.nesting();
        if !can {
            self.unread(at);
        }
        can
    }

    fn conditional(&mut self) -> Piece {
        let errors = self.errors;
        let condition = self.operations();
        if self.lost_since(errors) || self.peek().kind != Kind::Question {
            return condition;
        }
        self.read();
        let errors = self.errors;
        let then = self.expression();
        if self.lost_since(errors) {
            return condition;
        }
        let colon = self.peek();
        if colon.kind != Kind::Colon {
            let detail = "The conditional operator `a ? b : c` needs a colon and a value for the false case.";
            self.error("Missing false expression in conditional", colon, detail);
            return condition;
        }
        self.read();
        let errors = self.errors;
        let otherwise = self.expression();
        if self.lost_since(errors) {
            return condition;
        }
        Piece::joined([condition, then, otherwise], |parts| ExprKind::Conditional(Box::new(parts)))
    }

    /// Operands and binary operators. Operators of equal precedence associate to the left.
    fn operations(&mut self) -> Piece {
        let errors = self.errors;
        let mut last = self.operand();
        if self.lost_since(errors) {
            return last;
        }
        // Operators that wait for their right operand, each with a higher precedence than the one before.
        let mut waiting: Vec<(Piece, BinaryOperator)> = Vec::new();
        while let Some(operator) = binary_operator(self.peek().kind) {
            let token = self.read();
            let is_comparison = matches!(operator, BinaryOperator::Equal | BinaryOperator::NotEqual);
            self.comparisons += usize::from(is_comparison);
            let errors = self.errors;
            let operand = self.operand();
            if self.lost_since(errors) || !self.can_wrap(token) {
                break;
            }
            last = combined(&mut waiting, last, precedence(operator));
            waiting.push((last, operator));
            last = operand;
        }
        combined(&mut waiting, last, 0)
    }

    fn operand(&mut self) -> Piece {
        let term = self.term();
        self.steps(term)
    }

    fn term(&mut self) -> Piece {
        let start = self.peek();
        match start.kind {
            Kind::OpenParen => self.parentheses(),
            Kind::OpenBracket => self.tuple(),
            Kind::OpenBrace => self.object(),
            Kind::Number => {
                self.read();
                let breaks = self.breaks;
                self.check_number(start);
                if self.broken_since(breaks) {
                    return Piece::broken(self.span(start));
                }
                let kind = ExprKind::Number(SmolStr::new(self.written(start)));
                Expr { span: self.span(start), kind }.into()
            }
            Kind::Name => {
                self.read();
                if matches!(self.peek().kind, Kind::OpenParen | Kind::DoubleColon) {
                    return self.call(start);
                }
                word(self.written(start), self.span(start)).into()
            }
            Kind::OpenQuote => {
                self.read();
                self.template(start, Kind::CloseQuote)
            }
            Kind::OpenHeredoc => {
                self.read();
                self.template(start, Kind::CloseHeredoc)
            }
            Kind::Minus | Kind::Bang => self.unary(start),
            _ => self.no_expression(start),
        }
    }

    fn unary(&mut self, sign: Token) -> Piece {
        self.read();
        let operand = self.deeper(Self::operand);
        let span = self.span(sign).to(operand.span());
        if operand.is_broken() {
            return Piece::broken(span);
        }
        let operator = if sign.kind == Kind::Minus { UnaryOperator::Negate } else { UnaryOperator::Not };
        Expr { span, kind: ExprKind::Unary(operator, Box::new(operand.expr)) }.into()
    }

    fn no_expression(&mut self, start: Token) -> Piece {
        let (summary, detail) = match start.kind {
            Kind::End => ("Missing expression", "The file ends where an expression is expected."),
            Kind::Newline => ("Invalid expression", "An expression is missing before the end of the line."),
            _ => ("Invalid expression", "An expression cannot start like this."),
        };
        self.first_error(summary, start, detail);
        self.recovery = true;
        self.breaks += 1;
        Piece::broken(self.span(start))
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
        if close.kind != Kind::CloseParen {
            let detail = "The expression must be followed by a closing parenthesis.";
            self.unexpected("Unbalanced parentheses", close, detail);
            self.recovery = true;
        }
        self.read();
        self.newlines.pop();
        let span = self.span(open).to(self.span(close));
        self.piece(breaks, span, ExprKind::Parens(Box::new(inner.expr)))
    }

    /// Reports a number token that is no valid number.
    pub(super) fn check_number(&mut self, token: Token) {
        if !is_number(self.written(token)) || !number::is_in_range(self.written(token)) {
            self.error("Invalid number literal", token, "This is not a valid number.");
        }
    }
}

/// A keyword or a name.
fn word(text: &str, span: Span) -> Expr {
    let kind = match text {
        "true" => ExprKind::Bool(true),
        "false" => ExprKind::Bool(false),
        "null" => ExprKind::Null,
        name => {
            let root = SmolStr::new(name);
            ExprKind::Traversal(Box::new(Traversal { root, root_span: span, steps: Vec::new() }))
        }
    };
    Expr { span, kind }
}

/// `last` as the right operand of all waiting operators with a precedence of `loosest` or higher.
fn combined(waiting: &mut Vec<(Piece, BinaryOperator)>, mut last: Piece, loosest: u8) -> Piece {
    while let Some((left, operator)) = waiting.pop_if(|(_, operator)| precedence(*operator) >= loosest) {
        last = Piece::joined([left, last], |operands| ExprKind::Binary(operator, Box::new(operands)));
    }
    last
}

fn precedence(operator: BinaryOperator) -> u8 {
    match operator {
        BinaryOperator::Or => 1,
        BinaryOperator::And => 2,
        BinaryOperator::Equal | BinaryOperator::NotEqual => 3,
        BinaryOperator::Greater
        | BinaryOperator::GreaterOrEqual
        | BinaryOperator::Less
        | BinaryOperator::LessOrEqual => 4,
        BinaryOperator::Add | BinaryOperator::Subtract => 5,
        BinaryOperator::Multiply | BinaryOperator::Divide | BinaryOperator::Modulo => 6,
    }
}

fn binary_operator(kind: Kind) -> Option<BinaryOperator> {
    let operator = match kind {
        Kind::Or => BinaryOperator::Or,
        Kind::And => BinaryOperator::And,
        Kind::EqualEqual => BinaryOperator::Equal,
        Kind::NotEqual => BinaryOperator::NotEqual,
        Kind::Greater => BinaryOperator::Greater,
        Kind::GreaterOrEqual => BinaryOperator::GreaterOrEqual,
        Kind::Less => BinaryOperator::Less,
        Kind::LessOrEqual => BinaryOperator::LessOrEqual,
        Kind::Plus => BinaryOperator::Add,
        Kind::Minus => BinaryOperator::Subtract,
        Kind::Star => BinaryOperator::Multiply,
        Kind::Slash => BinaryOperator::Divide,
        Kind::Percent => BinaryOperator::Modulo,
        _ => return None,
    };
    Some(operator)
}

/// Whether the scanner's run of digits, dots and exponents is one decimal number.
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

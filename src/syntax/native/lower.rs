//! Turns the expressions that hcl-edit reads into the tree of [`crate::syntax`].

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use hcl_edit::Span as _;
use hcl_edit::expr as edit;
use smol_str::{SmolStr, SmolStrBuilder};

use super::scan::{Kind, Token};
use crate::syntax::{
    BinaryOperator, Call, Expr, ExprKind, For, ObjectItem, ObjectKey, Part, Step, Template, TemplateKind,
    Traversal, UnaryOperator,
};
use crate::text::{FileId, Span};

mod remnant;
mod simple;
mod steps;
mod template;
#[cfg(test)]
mod tests;

/// What of an expression hcl-edit gets to see.
pub(super) trait Excerpt {
    /// The bytes of `range` with everything mended that hcl-edit would stumble over, offsets unchanged.
    fn text(&self, range: Range<usize>) -> Cow<'_, str>;

    /// The items of the object that opens at `open`, in portions, if they are to be read apart from the rest.
    fn portions(&self, open: usize) -> Option<&[Range<usize>]>;
}

/// Lowers the expressions of one file.
pub(super) struct Lowering<'a, E> {
    file: FileId,
    text: &'a str,
    tokens: &'a [Token],
    excerpt: &'a E,
    /// Where the excerpt starts that is being lowered; hcl-edit counts from there.
    base: usize,
    /// Text of lines of `<<-` heredocs, by number of their token, with the offset that it starts at.
    dedented: HashMap<usize, (String, u32)>,
    /// Expressions that could not be taken over for their size or depth.
    refused: Vec<Span>,
    /// The steps of the addresses that are being read, innermost last: how many there are shows behind the last one.
    steps: Vec<Step>,
}

/// More steps than this that each wrap what is before them are not read: whoever walks the tree recurses into them.
const NESTED_STEPS: usize = 64;

impl<'a, E: Excerpt> Lowering<'a, E> {
    pub(super) fn new(file: FileId, text: &'a str, tokens: &'a [Token], excerpt: &'a E) -> Self {
        let (dedented, refused, steps) = (HashMap::new(), Vec::new(), Vec::new());
        Self { file, text, tokens, excerpt, base: 0, dedented, refused, steps }
    }

    /// The expression that takes the bytes of `range`.
    pub(super) fn expression(&mut self, range: Range<usize>) -> Expr {
        self.simple(&range).unwrap_or_else(|| self.parsed(range))
    }

    /// The same, whatever it is.
    fn parsed(&mut self, range: Range<usize>) -> Expr {
        let span = Span::new(self.file, range.clone());
        let before = self.refused.len();
        let excerpt = self.excerpt.text(range.clone());
        let outer = std::mem::replace(&mut self.base, range.start);
        // The line of a heredoc's closing marker may end in blanks, which are part of it.
        let expr = match hcl_edit::parser::parse_expr(excerpt.trim_end()) {
            Ok(expr) => self.expr(&expr),
            Err(_) => self.refuse(span),
        };
        self.base = outer;
        // An expression with a hole in it is unknown as a whole.
        if self.refused.len() > before {
            self.refused.truncate(before);
            return self.refuse(span);
        }
        expr
    }

    /// Takes out what was refused so far.
    pub(super) fn take_refused(&mut self) -> Vec<Span> {
        std::mem::take(&mut self.refused)
    }

    fn refuse(&mut self, span: Span) -> Expr {
        self.refused.push(span);
        Expr { span, kind: ExprKind::Unread }
    }

    fn expr(&mut self, expr: &edit::Expression) -> Expr {
        let span = self.span(expr.span());
        match expr {
            edit::Expression::Null(_) => Expr { span, kind: ExprKind::Null },
            edit::Expression::Bool(value) => Expr { span, kind: ExprKind::Bool(*value.value()) },
            edit::Expression::Number(_) => self.number(span),
            edit::Expression::String(_) => self.string(span),
            edit::Expression::StringTemplate(template) => {
                Expr { span, kind: ExprKind::Template(self.quoted_template(template)) }
            }
            edit::Expression::HeredocTemplate(heredoc) => self.heredoc(span, heredoc),
            edit::Expression::Array(array) => {
                let items = array.iter().map(|item| self.expr(item)).collect();
                Expr { span, kind: ExprKind::Tuple(items) }
            }
            edit::Expression::Object(object) => {
                Expr { span, kind: ExprKind::Object(self.object(span, object)) }
            }
            edit::Expression::Parenthesis(inner) => {
                Expr { span, kind: ExprKind::Parens(Box::new(self.expr(inner.inner()))) }
            }
            edit::Expression::Variable(name) => {
                let root = SmolStr::new(name.as_str());
                Expr {
                    span,
                    kind: ExprKind::Traversal(Box::new(Traversal {
                        root,
                        root_span: span,
                        steps: Vec::new(),
                    })),
                }
            }
            edit::Expression::Conditional(conditional) => {
                let condition = self.expr(&conditional.cond_expr);
                let truthy = self.expr(&conditional.true_expr);
                let falsy = self.expr(&conditional.false_expr);
                let span = condition.span.to(falsy.span);
                Expr { span, kind: ExprKind::Conditional(Box::new([condition, truthy, falsy])) }
            }
            edit::Expression::FuncCall(call) => {
                Expr { span, kind: ExprKind::Call(Box::new(self.call(span, call))) }
            }
            edit::Expression::Traversal(traversal) => self.traversal(traversal),
            edit::Expression::UnaryOp(operation) => {
                let operator = match operation.operator.value() {
                    edit::UnaryOperator::Neg => UnaryOperator::Negate,
                    edit::UnaryOperator::Not => UnaryOperator::Not,
                };
                let operand = self.expr(&operation.expr);
                let span = self.span(operation.operator.span()).to(operand.span);
                Expr { span, kind: ExprKind::Unary(operator, Box::new(operand)) }
            }
            edit::Expression::BinaryOp(operation) => {
                let left = self.expr(&operation.lhs_expr);
                let right = self.expr(&operation.rhs_expr);
                let operator = binary_operator(*operation.operator.value());
                let span = left.span.to(right.span);
                Expr { span, kind: ExprKind::Binary(operator, Box::new([left, right])) }
            }
            edit::Expression::ForExpr(for_expr) => {
                Expr { span, kind: ExprKind::For(Box::new(self.for_expr(for_expr))) }
            }
        }
    }

    /// hcl-edit reads a minus before digits as part of the number; to the engines it is an operation on it.
    fn number(&self, span: Span) -> Expr {
        let first = self.token_at(span.start);
        let negative = self.tokens[first].kind == Kind::Minus;
        let digits = self.tokens[first..].iter().find(|token| token.kind == Kind::Number);
        let digits = digits.map_or(span, |token| self.token_span(*token));
        let number = Expr { span: digits, kind: ExprKind::Number(SmolStr::new(self.slice(digits))) };
        if negative {
            let span = Span { end: digits.end, ..span };
            return Expr { span, kind: ExprKind::Unary(UnaryOperator::Negate, Box::new(number)) };
        }
        number
    }

    fn object(&mut self, span: Span, object: &edit::Object) -> Vec<ObjectItem> {
        let excerpt = self.excerpt;
        let Some(portions) = excerpt.portions(span.start as usize) else { return self.items(object) };
        let mut items = Vec::new();
        for portion in portions {
            let text = format!("{{{}}}", excerpt.text(portion.clone()));
            // The brace in front takes the place of the byte before the portion.
            let outer = std::mem::replace(&mut self.base, portion.start - 1);
            match hcl_edit::parser::parse_expr(&text) {
                Ok(edit::Expression::Object(object)) => items.extend(self.items(&object)),
                Ok(_) | Err(_) => {
                    self.refuse(Span::new(self.file, portion.clone()));
                }
            }
            self.base = outer;
        }
        items
    }

    fn items(&mut self, object: &edit::Object) -> Vec<ObjectItem> {
        object
            .iter()
            .map(|(key, value)| {
                let key = match key {
                    edit::ObjectKey::Ident(name) => {
                        ObjectKey::Name(SmolStr::new(name.as_str()), self.span(name.span()))
                    }
                    // A keyword in this place is a name like any other.
                    edit::ObjectKey::Expression(
                        key @ (edit::Expression::Null(_) | edit::Expression::Bool(_)),
                    ) => {
                        let span = self.span(key.span());
                        ObjectKey::Name(SmolStr::new(self.slice(span)), span)
                    }
                    edit::ObjectKey::Expression(key) => ObjectKey::Expr(self.expr(key)),
                };
                ObjectItem { key, value: self.expr(value.expr()) }
            })
            .collect()
    }

    fn call(&mut self, span: Span, call: &edit::FuncCall) -> Call {
        let mut name = SmolStrBuilder::new();
        for part in &call.name.namespace {
            name.push_str(part.as_str());
            name.push_str("::");
        }
        name.push_str(call.name.name.as_str());
        let last = self.span(call.name.name.span());
        let open = self.tokens[self.token_at(last.end)..].iter().find(|token| token.kind == Kind::OpenParen);
        Call {
            name: name.finish(),
            name_span: Span { end: last.end, ..span },
            arguments: call.args.iter().map(|argument| self.expr(argument)).collect(),
            expands_last: call.args.expand_final(),
            open: open.map_or(last.after(), |token| self.token_span(*token)),
            close: Span { start: span.end - 1, ..span },
        }
    }

    fn for_expr(&mut self, for_expr: &edit::ForExpr) -> For {
        For {
            key_name: for_expr.intro.key_var.as_ref().map(|name| SmolStr::new(name.as_str())),
            value_name: SmolStr::new(for_expr.intro.value_var.as_str()),
            collection: self.expr(&for_expr.intro.collection_expr),
            key: for_expr.key_expr.as_ref().map(|key| self.expr(key)),
            value: self.expr(&for_expr.value_expr),
            condition: for_expr.cond.as_ref().map(|condition| self.expr(&condition.expr)),
            grouped: for_expr.grouping,
        }
    }

    fn span(&self, range: Option<Range<usize>>) -> Span {
        let range = range.expect("hcl-edit gives every expression that it reads a span");
        Span::new(self.file, self.base + range.start..self.base + range.end)
    }

    fn slice(&self, span: Span) -> &'a str {
        &self.text[span.range()]
    }

    fn token_span(&self, token: Token) -> Span {
        Span { file: self.file, start: token.start, end: token.end }
    }

    /// Number of the first token that ends behind `offset`.
    fn token_at(&self, offset: u32) -> usize {
        self.tokens.partition_point(|token| token.end <= offset).min(self.tokens.len() - 1)
    }
}

fn binary_operator(operator: edit::BinaryOperator) -> BinaryOperator {
    match operator {
        edit::BinaryOperator::Eq => BinaryOperator::Equal,
        edit::BinaryOperator::NotEq => BinaryOperator::NotEqual,
        edit::BinaryOperator::LessEq => BinaryOperator::LessOrEqual,
        edit::BinaryOperator::GreaterEq => BinaryOperator::GreaterOrEqual,
        edit::BinaryOperator::Less => BinaryOperator::Less,
        edit::BinaryOperator::Greater => BinaryOperator::Greater,
        edit::BinaryOperator::Plus => BinaryOperator::Add,
        edit::BinaryOperator::Minus => BinaryOperator::Subtract,
        edit::BinaryOperator::Mul => BinaryOperator::Multiply,
        edit::BinaryOperator::Div => BinaryOperator::Divide,
        edit::BinaryOperator::Mod => BinaryOperator::Modulo,
        edit::BinaryOperator::And => BinaryOperator::And,
        edit::BinaryOperator::Or => BinaryOperator::Or,
    }
}

//! Converts the expressions that hcl-edit parses.
//!
//! hcl-edit parses the expressions that iterate: those with `for`, splats or template directives. The others are too
//! frequent to be parsed twice. It gets the source unchanged. Its tree is converted at once, because it takes twenty
//! times the memory of the source.
//!
//! hcl-edit refuses some valid expressions, or parses them differently from HashiCorp's HCL: `DIFFERENCES` in the
//! tests lists them. For these, the result of the grammar is used. Everywhere else both parsers agree, which the
//! tests verify.

use std::ops::Range;

use hcl_edit::expr as edit;
use hcl_edit::template;
use hcl_edit::{Decorated, Span as _};
use smol_str::{SmolStr, SmolStrBuilder};

use super::lexed::{Dedented, Extent, Lexed};
use super::nodes::{element, indexed, literal_key, object_key, splat, with_steps};
use super::scan::{Kind, Token};
use crate::syntax::{
    BinaryOperator, Call, Expr, ExprKind, For, ForDirective, IfDirective, ObjectItem, ObjectKey, Part, Step,
    StepKind, Template, TemplateKind, Traversal, UnaryOperator,
};
use crate::text::Span;

#[cfg(test)]
mod test_expressions;
#[cfg(test)]
mod tests;

/// The expression in `extent`. Returns `None` if hcl-edit refuses it or parses it differently from HCL.
pub(super) fn expression(lexed: Lexed<'_>, extent: Extent) -> Option<Expr> {
    let text = &lexed.text[extent.start as usize..extent.end as usize];
    let expr = hcl_edit::parser::parse_expr(text).ok()?;
    Reader { lexed, base: extent.start as usize }.expr(&expr).ok()
}

/// The whole text as a template. Returns `None` if hcl-edit refuses it or parses it differently from HCL.
pub(super) fn template(lexed: Lexed<'_>) -> Option<Template> {
    let template = hcl_edit::parser::parse_template(lexed.text).ok()?;
    Reader { lexed, base: 0 }.bare(&template).ok()
}

/// An expression that hcl-edit parses differently from HashiCorp's HCL.
struct Differs;

/// Converts a tree of hcl-edit. Literal text comes from the tokens, because the effect of strip markers depends on
/// them.
struct Reader<'a> {
    lexed: Lexed<'a>,
    /// The offset of the text that hcl-edit parses.
    base: usize,
}

impl Reader<'_> {
    fn expr(&self, expr: &edit::Expression) -> Result<Expr, Differs> {
        let extent = self.extent(expr.span());
        let span = self.lexed.span(extent);
        let kind = match expr {
            edit::Expression::Null(_) => ExprKind::Null,
            edit::Expression::Bool(value) => ExprKind::Bool(*value.value()),
            edit::Expression::Number(_) => return self.number(extent),
            edit::Expression::String(_) => {
                let literal = self.literal(Extent { start: extent.start + 1, ..extent });
                ExprKind::Template(Template {
                    kind: TemplateKind::Quoted,
                    parts: literal.into_iter().collect(),
                })
            }
            edit::Expression::StringTemplate(template) => {
                let parts = self.parts(template.iter())?;
                ExprKind::Template(Template { kind: TemplateKind::Quoted, parts })
            }
            edit::Expression::HeredocTemplate(_) => return Err(Differs),
            edit::Expression::Array(array) => ExprKind::Tuple(self.all(array.iter())?),
            edit::Expression::Object(object) => ExprKind::Object(self.items(object)?),
            edit::Expression::Parenthesis(inner) => ExprKind::Parens(Box::new(self.expr(inner.inner())?)),
            edit::Expression::Variable(name) => {
                let root = SmolStr::new(name.as_str());
                ExprKind::Traversal(Box::new(Traversal { root, root_span: span, steps: Vec::new() }))
            }
            edit::Expression::Conditional(conditional) => {
                let condition = self.expr(&conditional.cond_expr)?;
                let then = self.expr(&conditional.true_expr)?;
                let otherwise = self.expr(&conditional.false_expr)?;
                let span = condition.span.to(otherwise.span);
                let kind = ExprKind::Conditional(Box::new([condition, then, otherwise]));
                return Ok(Expr { span, kind });
            }
            edit::Expression::FuncCall(call) => ExprKind::Call(Box::new(self.call(extent, call)?)),
            edit::Expression::Traversal(traversal) => return self.traversal(traversal),
            edit::Expression::UnaryOp(operation) => {
                let operand = self.expr(&operation.expr)?;
                let sign = self.span(operation.operator.span());
                let operator = match operation.operator.value() {
                    edit::UnaryOperator::Neg => UnaryOperator::Negate,
                    edit::UnaryOperator::Not => UnaryOperator::Not,
                };
                return Ok(unary(operator, sign, operand));
            }
            edit::Expression::BinaryOp(operation) => {
                let operands = [self.expr(&operation.lhs_expr)?, self.expr(&operation.rhs_expr)?];
                let span = operands[0].span.to(operands[1].span);
                let operator = binary_operator(*operation.operator.value());
                return Ok(Expr { span, kind: ExprKind::Binary(operator, Box::new(operands)) });
            }
            edit::Expression::ForExpr(for_expr) => ExprKind::For(Box::new(self.for_expr(for_expr)?)),
        };
        Ok(Expr { span, kind })
    }

    fn all<'e>(&self, expressions: impl Iterator<Item = &'e edit::Expression>) -> Result<Vec<Expr>, Differs> {
        expressions.map(|expr| self.expr(expr)).collect()
    }

    /// hcl-edit parses a minus before digits as part of the number; in HCL it is an operation. The number may be
    /// longer in HCL.
    fn number(&self, extent: Extent) -> Result<Expr, Differs> {
        let sign = self.lexed.tokens[self.lexed.token_at(extent.start)];
        let (digits, span) = self.first(Kind::Number, extent.start);
        let number = Expr { span, kind: ExprKind::Number(digits) };
        let number = match sign.kind {
            Kind::Minus => unary(UnaryOperator::Negate, self.lexed.span(sign), number),
            _ => number,
        };
        if number.span == self.lexed.span(extent) { Ok(number) } else { Err(Differs) }
    }

    fn items(&self, object: &edit::Object) -> Result<Vec<ObjectItem>, Differs> {
        let item = |(key, value): (&edit::ObjectKey, &edit::ObjectValue)| {
            let key = match key {
                edit::ObjectKey::Ident(name) => {
                    ObjectKey::Name(SmolStr::new(name.as_str()), self.span(name.span()))
                }
                edit::ObjectKey::Expression(key) => object_key(self.expr(key)?),
            };
            Ok(ObjectItem { key, value: self.expr(value.expr())? })
        };
        object.iter().map(item).collect()
    }

    fn call(&self, extent: Extent, call: &edit::FuncCall) -> Result<Call, Differs> {
        let mut name = SmolStrBuilder::new();
        for part in &call.name.namespace {
            name.push_str(part.as_str());
            name.push_str("::");
        }
        name.push_str(call.name.name.as_str());
        let last = self.extent(call.name.name.span());
        Ok(Call {
            name: name.finish(),
            name_span: self.lexed.span(Extent { end: last.end, ..extent }),
            arguments: self.all(call.args.iter())?,
            expands_last: call.args.expand_final(),
            open: self.first(Kind::OpenParen, last.end).1,
            close: self.lexed.span(Extent { start: extent.end - 1, ..extent }),
        })
    }

    fn for_expr(&self, for_expr: &edit::ForExpr) -> Result<For, Differs> {
        let edit::ForExpr { intro, key_expr, value_expr, grouping, cond, .. } = for_expr;
        Ok(For {
            key_name: intro.key_var.as_ref().map(|name| SmolStr::new(name.as_str())),
            value_name: SmolStr::new(intro.value_var.as_str()),
            collection: self.expr(&intro.collection_expr)?,
            key: key_expr.as_ref().map(|key| self.expr(key)).transpose()?,
            value: self.expr(value_expr)?,
            condition: cond.as_ref().map(|condition| self.expr(&condition.expr)).transpose()?,
            grouped: *grouping,
        })
    }

    fn traversal(&self, traversal: &edit::Traversal) -> Result<Expr, Differs> {
        let from = self.expr(&traversal.expr)?;
        match (from.kind, &traversal.expr) {
            // A minus has a lower precedence than steps after the number.
            (ExprKind::Unary(operator, number), edit::Expression::Number(_)) => {
                let operand = self.steps(*number, &traversal.operators)?;
                Ok(unary(operator, from.span, operand))
            }
            (kind, _) => self.steps(Expr { kind, ..from }, &traversal.operators),
        }
    }

    fn steps(&self, from: Expr, operators: &[Decorated<edit::TraversalOperator>]) -> Result<Expr, Differs> {
        let mut expr = from;
        let mut rest = operators;
        while let Some((operator, after)) = rest.split_first() {
            rest = after;
            let extent = self.extent(operator.span());
            let span = self.lexed.span(extent);
            let step = match operator.value() {
                edit::TraversalOperator::GetAttr(name) => {
                    Step { span, kind: StepKind::Attribute(SmolStr::new(name.as_str())) }
                }
                edit::TraversalOperator::LegacyIndex(_) => {
                    let (digits, end) = self.first(Kind::Number, extent.start);
                    Step { span: span.to(end), kind: StepKind::Number(digits) }
                }
                edit::TraversalOperator::Index(key) => {
                    let key = self.expr(key)?;
                    let Some(kind) = literal_key(&key) else {
                        expr = indexed(expr, key, span);
                        continue;
                    };
                    Step { span, kind }
                }
                edit::TraversalOperator::FullSplat(_) => {
                    return Ok(splat(expr, self.steps(element(span), rest)?, span, true));
                }
                edit::TraversalOperator::AttrSplat(_) => {
                    let (own, others) =
                        rest.split_at(rest.iter().take_while(|next| is_dot_step(next)).count());
                    expr = splat(expr, self.steps(element(span), own)?, span, false);
                    rest = others;
                    continue;
                }
            };
            expr = with_steps(expr, vec![step]);
        }
        Ok(expr)
    }

    fn parts<'e>(
        &self,
        elements: impl Iterator<Item = &'e template::Element>,
    ) -> Result<Box<[Part]>, Differs> {
        let part = |element: &template::Element| {
            let extent = self.extent(element.span());
            match element {
                template::Element::Literal(_) => self.literal(extent),
                template::Element::Interpolation(interpolation) => {
                    Ok(Part::Interpolation(Box::new(self.expr(&interpolation.expr)?)))
                }
                template::Element::Directive(directive) => self.directive(self.lexed.span(extent), directive),
            }
        };
        elements.map(part).collect()
    }

    fn literal(&self, extent: Extent) -> Result<Part, Differs> {
        let first = self.lexed.token_at(extent.start);
        let is_text = matches!(self.lexed.tokens[first].kind, Kind::QuotedText | Kind::PlainText);
        if is_text { Ok(self.lexed.literal(first, &Dedented::new()).0) } else { Err(Differs) }
    }

    fn directive(&self, span: Span, directive: &template::Directive) -> Result<Part, Differs> {
        match directive {
            template::Directive::If(directive) => {
                let otherwise = directive.else_expr.as_ref().map(|branch| self.bare(&branch.template));
                let otherwise = otherwise.transpose()?;
                let condition = self.expr(&directive.if_expr.cond_expr)?;
                let then = self.bare(&directive.if_expr.template)?;
                Ok(Part::If(Box::new(IfDirective { span, condition, then, otherwise })))
            }
            template::Directive::For(directive) => {
                let head = &directive.for_expr;
                Ok(Part::For(Box::new(ForDirective {
                    span,
                    key: head.key_var.as_ref().map(|name| SmolStr::new(name.as_str())),
                    value: SmolStr::new(head.value_var.as_str()),
                    collection: self.expr(&head.collection_expr)?,
                    body: self.bare(&head.template)?,
                })))
            }
        }
    }

    fn bare(&self, template: &template::Template) -> Result<Template, Differs> {
        Ok(Template { kind: TemplateKind::Bare, parts: self.parts(template.iter())? })
    }

    /// The first token of this kind that ends after `offset`, and its text.
    fn first(&self, kind: Kind, offset: u32) -> (SmolStr, Span) {
        let is_it = |token: &&Token| token.kind == kind;
        let mut tokens = self.lexed.tokens[self.lexed.token_at(offset)..].iter();
        let token = *tokens.find(is_it).expect("hcl-edit read such a token there");
        (SmolStr::new(self.lexed.written(token)), self.lexed.span(token))
    }

    fn extent(&self, range: Option<Range<usize>>) -> Extent {
        let range = range.expect("hcl-edit gives every expression that it reads a span");
        let offset = |at: usize| u32::try_from(self.base + at).expect("a source is smaller than 4 GiB");
        Extent { start: offset(range.start), end: offset(range.end) }
    }

    fn span(&self, range: Option<Range<usize>>) -> Span {
        self.lexed.span(self.extent(range))
    }
}

fn unary(operator: UnaryOperator, sign: Span, operand: Expr) -> Expr {
    Expr { span: sign.to(operand.span), kind: ExprKind::Unary(operator, Box::new(operand)) }
}

fn is_dot_step(operator: &edit::TraversalOperator) -> bool {
    matches!(operator, edit::TraversalOperator::GetAttr(_) | edit::TraversalOperator::LegacyIndex(_))
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

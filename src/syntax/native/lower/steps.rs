//! Turns what follows an expression (`.a[0][*]`) into traversals, indexes and splats, as the engines group them.

use hcl_edit::Decorated;
use hcl_edit::Span as _;
use hcl_edit::expr::{Traversal as EditTraversal, TraversalOperator};
use smol_str::SmolStr;

use super::{Excerpt, Lowering, NESTED_STEPS};
use crate::syntax::native::scan::Kind;
use crate::syntax::{Expr, ExprKind, Part, Relative, Step, StepKind, UnaryOperator};
use crate::text::Span;

impl<E: Excerpt> Lowering<'_, E> {
    pub(super) fn traversal(&mut self, traversal: &EditTraversal) -> Expr {
        let from = self.expr(&traversal.expr);
        // A minus before a number binds less than the steps behind the number.
        if let (ExprKind::Unary(UnaryOperator::Negate, _), hcl_edit::expr::Expression::Number(_)) =
            (&from.kind, &traversal.expr)
        {
            let Expr { span, kind: ExprKind::Unary(operator, number) } = from else { return from };
            let operand = self.steps(*number, &traversal.operators);
            let span = span.to(operand.span);
            return Expr { span, kind: ExprKind::Unary(operator, Box::new(operand)) };
        }
        self.steps(from, &traversal.operators)
    }

    fn steps(&mut self, from: Expr, operators: &[Decorated<TraversalOperator>]) -> Expr {
        let splats = operators.iter().filter(|operator| is_splat(operator)).count();
        if splats > NESTED_STEPS {
            return self.refuse(from.span);
        }
        // `[*]` takes all that follows it as its own, so the last one is built first.
        let mut pieces = Vec::new();
        let mut rest = operators;
        let mut source = None;
        loop {
            let star =
                rest.iter().position(|operator| matches!(operator.value(), TraversalOperator::FullSplat(_)));
            let (own, more) = rest.split_at(star.unwrap_or(rest.len()));
            pieces.push((source, own));
            let Some((marker, behind)) = more.split_first() else { break };
            source = Some(self.operator_span(marker));
            rest = behind;
        }
        let mut from = Some(from);
        let mut each: Option<(Span, Expr)> = None;
        for (marker, own) in pieces.into_iter().rev() {
            let start = match marker {
                Some(span) => Expr { span, kind: ExprKind::Element },
                None => from.take().expect("only the first piece has no marker"),
            };
            let mut expr = self.simple_steps(start, own);
            if let Some((inner_marker, inner)) = each.take() {
                let span = expr.span.to(inner.span);
                let kind = ExprKind::Splat {
                    source: Box::new(expr),
                    each: Box::new(inner),
                    marker: inner_marker,
                    full: true,
                };
                expr = Expr { span, kind };
            }
            match marker {
                Some(span) => each = Some((span, expr)),
                None => return expr,
            }
        }
        unreachable!("the first piece has no marker, and is the last to be built")
    }

    fn simple_steps(&mut self, from: Expr, operators: &[Decorated<TraversalOperator>]) -> Expr {
        let mut expr = from;
        let mut at = 0;
        let mut indexes = 0;
        while let Some(operator) = operators.get(at) {
            at += 1;
            let span = self.operator_span(operator);
            expr = match operator.value() {
                TraversalOperator::GetAttr(_) | TraversalOperator::LegacyIndex(_) => {
                    let step = self.point_step(operator, span);
                    with_step(expr, step)
                }
                TraversalOperator::Index(key) => {
                    let key = self.expr(key);
                    if let Some(kind) = literal_key(&key) {
                        with_step(expr, Step { span, kind })
                    } else {
                        indexes += 1;
                        if indexes > NESTED_STEPS {
                            return self.refuse(expr.span);
                        }
                        let whole = expr.span.to(span);
                        let (collection, key) = (Box::new(expr), Box::new(key));
                        Expr { span: whole, kind: ExprKind::Index { collection, key, brackets: span } }
                    }
                }
                TraversalOperator::AttrSplat(_) => {
                    let element = Expr { span, kind: ExprKind::Element };
                    let mut steps = Vec::new();
                    while let Some(operator) = operators.get(at) {
                        match operator.value() {
                            TraversalOperator::GetAttr(_) | TraversalOperator::LegacyIndex(_) => {
                                let span = self.operator_span(operator);
                                steps.push(self.point_step(operator, span));
                                at += 1;
                            }
                            TraversalOperator::AttrSplat(_)
                            | TraversalOperator::FullSplat(_)
                            | TraversalOperator::Index(_) => break,
                        }
                    }
                    let each = match (steps.first(), steps.last()) {
                        (Some(first), Some(last)) => {
                            let span = first.span.to(last.span);
                            relative(span, element, steps)
                        }
                        _ => element,
                    };
                    let whole = expr.span.to(span).to(each.span);
                    Expr {
                        span: whole,
                        kind: ExprKind::Splat {
                            source: Box::new(expr),
                            each: Box::new(each),
                            marker: span,
                            full: false,
                        },
                    }
                }
                TraversalOperator::FullSplat(_) => unreachable!("the pieces are cut at them"),
            };
        }
        match &mut expr.kind {
            ExprKind::Traversal(traversal) => traversal.steps.shrink_to_fit(),
            ExprKind::Relative(relative) => relative.steps.shrink_to_fit(),
            _ => {}
        }
        expr
    }

    /// `.name` or `.0`.
    fn point_step(&self, operator: &TraversalOperator, span: Span) -> Step {
        if let TraversalOperator::GetAttr(name) = operator {
            return Step { span, kind: StepKind::Attribute(SmolStr::new(name.as_str())) };
        }
        let digits = self.tokens[self.token_at(span.start)..].iter().find(|token| token.kind == Kind::Number);
        let digits = digits.map_or(span, |token| self.token_span(*token));
        let span = Span { end: digits.end, ..span };
        Step { span, kind: StepKind::Number(SmolStr::new(self.slice(digits))) }
    }

    fn operator_span(&self, operator: &Decorated<TraversalOperator>) -> Span {
        self.span(operator.span())
    }
}

fn is_splat(operator: &TraversalOperator) -> bool {
    match operator {
        TraversalOperator::AttrSplat(_) | TraversalOperator::FullSplat(_) => true,
        TraversalOperator::Index(_) | TraversalOperator::GetAttr(_) | TraversalOperator::LegacyIndex(_) => {
            false
        }
    }
}

/// A key in brackets that is no calculation is a step of the traversal.
pub(super) fn literal_key(key: &Expr) -> Option<StepKind> {
    match &key.kind {
        ExprKind::Number(digits) => Some(StepKind::Number(digits.clone())),
        ExprKind::Bool(value) => Some(StepKind::Word(Some(*value))),
        ExprKind::Null => Some(StepKind::Word(None)),
        ExprKind::Template(template) => match &*template.parts {
            [] => Some(StepKind::Key(SmolStr::default())),
            [Part::Literal { text, .. }] => Some(StepKind::Key(text.clone())),
            _ => None,
        },
        _ => None,
    }
}

/// `expr` followed by one more step.
fn with_step(mut expr: Expr, step: Step) -> Expr {
    let span = expr.span.to(step.span);
    match &mut expr.kind {
        ExprKind::Traversal(traversal) => {
            traversal.steps.push(step);
            expr.span = span;
            expr
        }
        ExprKind::Relative(relative) => {
            relative.steps.push(step);
            expr.span = span;
            expr
        }
        _ => relative(span, expr, vec![step]),
    }
}

fn relative(span: Span, from: Expr, steps: Vec<Step>) -> Expr {
    Expr { span, kind: ExprKind::Relative(Box::new(Relative { from, steps })) }
}

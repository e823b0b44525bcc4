//! Decides whether the code shows that a value may be null.

use super::{DEEPEST, attribute};
use crate::graph::Values;
use crate::module::address::{Subject, reference};
use crate::syntax::{BinaryOperator, Expr, ExprKind, Traversal};
use crate::value::{Function, Kind};

impl Values<'_> {
    /// Whether the code shows that the value of an expression may be null. A variable may be if its default is.
    pub(crate) fn may_be_null(&self, expr: &Expr, depth: usize) -> bool {
        let any = |all: &[Expr]| all.iter().any(|expr| self.may_be_null(expr, depth));
        match &expr.kind {
            ExprKind::Null => true,
            ExprKind::Parens(inner) => self.may_be_null(inner, depth),
            ExprKind::Conditional(parts) => any(&parts[1..]),
            ExprKind::Call(call) if call.name == "coalesce" => false,
            ExprKind::Call(call) => {
                let function = Function::named(&call.name);
                let passes_on = function.is_none_or(|function| function.return_type == Kind::Any);
                makes_null(&call.name) || passes_on && any(&call.arguments)
            }
            ExprKind::Traversal(traversal) => self.may_name_null(traversal, depth),
            _ => false,
        }
    }

    fn may_name_null(&self, traversal: &Traversal, depth: usize) -> bool {
        let module = self.node.module();
        let Ok(reference) = reference(traversal, &module.features) else { return false };
        match (&reference.subject, reference.remaining) {
            (Subject::Variable(name), steps) => module.variables.get(name).is_some_and(|variable| {
                let of_type = variable.constraint.as_ref().map(|constraint| &constraint.value.ty);
                variable.default.as_ref().is_some_and(|default| default.value.is_null())
                    || of_type.and_then(|ty| attribute(ty, steps)).is_some_and(|found| found.optional)
            }),
            (Subject::Local(name), []) => module.locals.get(name).is_some_and(|local| {
                let expr = &local.attribute.expr;
                match &expr.kind {
                    ExprKind::Traversal(_) => depth > DEEPEST || self.may_be_null(expr, depth + 1),
                    _ => contains_null(expr),
                }
            }),
            (Subject::Module { call, output: Some(output), .. }, []) => {
                let child = self.node.child(call);
                let output = child.and_then(|child| child.module().outputs.get(output));
                output
                    .and_then(|output| output.value.as_ref())
                    .is_some_and(|value| contains_null(&value.expr))
            }
            _ => false,
        }
    }
}

/// Whether `null`, other than in a comparison, or a function that makes null of another value occurs in an expression.
pub(crate) fn contains_null(expr: &Expr) -> bool {
    let (mut contains, mut compared) = (false, Vec::new());
    expr.walk(&mut |inner, _| match &inner.kind {
        ExprKind::Binary(BinaryOperator::Equal | BinaryOperator::NotEqual, operands) => {
            compared.extend(operands.iter().map(|operand| operand.span));
        }
        ExprKind::Null => contains |= !compared.contains(&inner.span),
        ExprKind::Call(call) => contains |= makes_null(&call.name),
        _ => {}
    });
    contains
}

/// Whether a function can make null of a value that is not null.
fn makes_null(function: &str) -> bool {
    matches!(function, "one" | "ephemeralasnull")
}

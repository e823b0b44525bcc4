//! Decides whether the evaluation of an expression may fail in a plan.

use super::accepted_values;
use super::values::Values;
use crate::graph::Node;
use crate::module::address::{Subject, reference};
use crate::module::declaration::Variable;
use crate::syntax::{BinaryOperator, Expr, ExprKind, ObjectKey, Part, StepKind, Traversal, UnaryOperator};
use crate::value::Type;

/// Functions that accept every value.
const TOTAL: [&str; 4] = ["can", "jsonencode", "sensitive", "yamlencode"];

impl Values<'_> {
    /// Whether the engine can certainly evaluate an expression without an error, also with values that are known only
    /// in a plan. Attributes of resources count as present.
    pub(crate) fn cannot_fail(&self, expr: &Expr) -> bool {
        let is_sound = match &expr.kind {
            ExprKind::Null | ExprKind::Bool(_) | ExprKind::Number(_) => true,
            ExprKind::Template(template) => template.parts.iter().all(|part| match part {
                Part::Literal { .. } => true,
                Part::Interpolation(inner) => {
                    (is_primitive(&self.of(inner).ty()) || self.is_identifier(inner, 0))
                        && self.cannot_fail(inner)
                }
                Part::If(_) | Part::For(_) => false,
            }),
            ExprKind::Traversal(traversal) => self.is_found(traversal),
            ExprKind::Parens(inner) => self.cannot_fail(inner),
            ExprKind::Tuple(items) => items.iter().all(|item| self.cannot_fail(item)),
            ExprKind::Object(items) => items.iter().all(|item| {
                let has_key = match &item.key {
                    ObjectKey::Name(..) => true,
                    ObjectKey::Expr(key) => self.of(key).as_str().is_some(),
                };
                has_key && self.cannot_fail(&item.value)
            }),
            ExprKind::Call(call) => {
                let count = call.arguments.len();
                let is_total = match call.name.as_str() {
                    "try" => count > 0,
                    "merge" => call.arguments.iter().all(|item| is_mapping(&self.of(item).ty())),
                    name => TOTAL.contains(&name) && count == 1,
                };
                is_total && !call.expands_last && call.arguments.iter().all(|item| self.cannot_fail(item))
            }
            ExprKind::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                let is_text =
                    |expr: &Expr| self.of(expr).ty() == Type::String && !matches!(expr.kind, ExprKind::Null);
                let is_certain = |expr: &Expr| is_text(expr) && self.cannot_fail(expr);
                self.is_certain_condition(condition) && is_certain(yes) && is_certain(no)
            }
            ExprKind::Binary(..) | ExprKind::Unary(..) => self.is_certain_condition(expr),
            _ => false,
        };
        is_sound || self.of(expr).is_wholly_known()
    }

    /// Whether an expression is certainly `true` or `false`, and not null.
    fn is_certain_condition(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Bool(_) => true,
            ExprKind::Parens(inner) | ExprKind::Unary(UnaryOperator::Not, inner) => {
                self.is_certain_condition(inner)
            }
            ExprKind::Binary(BinaryOperator::Equal | BinaryOperator::NotEqual, operands) => {
                operands.iter().all(|operand| self.cannot_fail(operand))
            }
            ExprKind::Binary(BinaryOperator::And | BinaryOperator::Or, operands) => {
                operands.iter().all(|operand| self.is_certain_condition(operand))
            }
            ExprKind::Call(call) => call.name == "can" && self.cannot_fail(expr),
            _ => false,
        }
    }

    /// Whether an expression is the `id` or `arn` of a resource, possibly behind names. Providers use them for text.
    pub(crate) fn is_identifier(&self, expr: &Expr, depth: usize) -> bool {
        let traversal = match &expr.kind {
            ExprKind::Parens(inner) => return self.is_identifier(inner, depth),
            ExprKind::Traversal(traversal) if depth < DEEPEST => traversal,
            _ => return false,
        };
        let module = self.node.module();
        let Ok(reference) = reference(traversal, &module.features) else { return false };
        match (&reference.subject, reference.remaining) {
            (Subject::Resource { .. }, [step]) => {
                matches!(&step.kind, StepKind::Attribute(name) if name == "id" || name == "arn")
            }
            (Subject::Local(name), []) => module
                .locals
                .get(name.as_str())
                .is_some_and(|local| self.is_identifier(&local.attribute.expr, depth + 1)),
            (Subject::Module { call, key: None, output: Some(output) }, []) => {
                let child = self.node.child(call);
                child.is_some_and(|child| {
                    let value = child.module().outputs.get(output).and_then(|output| output.value.as_ref());
                    value.is_some_and(|value| child.values().is_identifier(&value.expr, depth + 1))
                })
            }
            _ => false,
        }
    }

    /// Whether a variable of a child module certainly accepts the value of an expression.
    pub(crate) fn is_accepted(&self, expr: &Expr, variable: &Variable, child: Node<'_>) -> bool {
        let value = self.of(expr);
        let type_of_variable =
            variable.constraint.as_ref().map_or(&Type::Any, |constraint| &constraint.value.ty);
        let is_of_type = *type_of_variable == Type::Any
            || *type_of_variable == Type::String && is_primitive(&value.ty())
            || value.is_wholly_known();
        is_of_type
            && child.validates(&value, variable)
            && (value.is_wholly_known() || !accepted_values::refuses_null(variable))
            && accepted_values::argument(&value, expr, variable).is_none()
    }

    /// Whether a reference has no steps that may fail.
    fn is_found(&self, traversal: &Traversal) -> bool {
        let module = self.node.module();
        let Ok(reference) = reference(traversal, &module.features) else { return false };
        match (&reference.subject, reference.remaining) {
            (Subject::Variable(_) | Subject::Local(_) | Subject::Path(_), []) => true,
            (Subject::Module { call, key: None, output: Some(output) }, []) => {
                let is_single = module.calls.get(call).is_some_and(|call| !call.is_repeated());
                let child = self.node.child(call);
                is_single && child.is_some_and(|child| child.module().outputs.contains_key(output))
            }
            (Subject::Resource { address, key: None }, [step]) => {
                let is_single = module.resources.get(address).is_some_and(|resource| !resource.is_repeated());
                is_single && matches!(step.kind, StepKind::Attribute(_))
            }
            _ => false,
        }
    }
}

/// References are followed to this depth.
const DEEPEST: usize = 8;

fn is_mapping(ty: &Type) -> bool {
    matches!(ty, Type::Map(_) | Type::Object(_))
}

fn is_primitive(ty: &Type) -> bool {
    matches!(ty, Type::String | Type::Number | Type::Bool)
}

//! Operators and conditionals: `a + b`, `!a` and `a ? b : c`.

use crate::engine::Engine;
use crate::finding::{EngineRule, Finding, has_errors};
use crate::syntax::{BinaryOperator, Expr, UnaryOperator};
use crate::text::Span;
use crate::value::convert::{convert, fit};
use crate::value::equality::equal;
use crate::value::unify::{Mode, unify};
use crate::value::{Marks, Number, Scope, Type, Value};

use super::{Evaluator, Inside};

/// The result of a condition.
pub(super) enum Decision {
    Yes,
    No,
    /// Unknown.
    Open,
    /// Invalid, which is already reported.
    Failed,
}

impl Evaluator<'_> {
    pub(super) fn unary(
        &mut self,
        operator: UnaryOperator,
        operand: &Expr,
        at: Span,
        inside: Inside<'_>,
    ) -> Value {
        let ty = match operator {
            UnaryOperator::Not => Type::Bool,
            UnaryOperator::Negate => Type::Number,
        };
        let before = self.findings.len();
        let value = self.value(operand, inside);
        let mut value = self.operand(value, &ty, operand.span);
        if self.failed_since(before) {
            return Value::Unknown(ty);
        }
        // An unknown result has no marks.
        let marks = value.take_marks();
        match value {
            Value::Bool(value) => Value::Bool(!value).mark(marks),
            Value::Number(value) => Value::Number(value.negated()).mark(marks),
            Value::Null(_) => self.operation_failed("The operand must not be null.", ty, at),
            _ => Value::Unknown(ty),
        }
    }

    pub(super) fn binary(
        &mut self,
        operator: BinaryOperator,
        operands: &[Expr; 2],
        at: Span,
        inside: Inside<'_>,
    ) -> Value {
        let (takes, gives) = signature(operator);
        let before = self.findings.len();
        let [left, right] = operands;
        let (left_value, left_findings) = self.apart(|this| this.value(left, inside));
        let (right_value, right_findings) = self.apart(|this| this.value(right, inside));
        let mut left_value = self.operand(left_value, &takes, left.span);
        let mut right_value = self.operand(right_value, &takes, right.span);
        let marks = left_value.take_deep_marks().and(right_value.take_deep_marks());
        let engine = self.scope.map(Scope::engine);
        // Some engines drop the marks of an unknown result of `&&` and `||`.
        let marked = |result: Value| {
            let is_logical = matches!(operator, BinaryOperator::And | BinaryOperator::Or);
            let keeps =
                !is_logical || result.is_known() || engine.is_some_and(Engine::marks_unknown_conditions);
            if keeps { result.mark(marks) } else { result }
        };
        if engine.is_some_and(Engine::short_circuits) && !self.failed_since(before) {
            let (left, right) =
                (Operand::of(&left_value, &left_findings), Operand::of(&right_value, &right_findings));
            if let Some((result, decisive)) = short_circuit(operator, left, right) {
                let findings = if decisive == Side::Left { left_findings } else { right_findings };
                self.keep(findings);
                return marked(result);
            }
        }
        // An operand of the wrong type is reported after the errors inside it.
        let of_operands = self.findings.split_off(before);
        self.keep(left_findings.into_iter().chain(right_findings));
        self.findings.extend(of_operands);
        if self.failed_since(before) {
            return Value::Unknown(gives);
        }
        let are_never_equal = |known: &Value, value: &Value, expr: &Expr| {
            known.is_known()
                && matches!(value, Value::Unknown(_))
                && inside.is_none()
                && self.scope.is_some_and(|scope| scope.is_never(expr, known))
        };
        if let BinaryOperator::Equal | BinaryOperator::NotEqual = operator
            && (are_never_equal(&left_value, &right_value, right)
                || are_never_equal(&right_value, &left_value, left))
        {
            return marked(Value::Bool(operator == BinaryOperator::NotEqual));
        }
        let may_go_on = match operator {
            BinaryOperator::Equal | BinaryOperator::NotEqual => {
                self.may_convert(&left_value, at) && self.may_convert(&right_value, at)
            }
            _ => self.may_go_on(work(operator), at),
        };
        if !may_go_on {
            return Value::Unknown(gives);
        }
        marked(self.operated(operator, &left_value, &right_value, at))
    }

    fn operated(&mut self, operator: BinaryOperator, left: &Value, right: &Value, at: Span) -> Value {
        let (_, gives) = signature(operator);
        if let BinaryOperator::Equal | BinaryOperator::NotEqual = operator {
            let is_negated = operator == BinaryOperator::NotEqual;
            return equal(left, right)
                .map_or(Value::Unknown(gives), |equal| Value::Bool(equal != is_negated));
        }
        if left.is_null() || right.is_null() {
            return self.operation_failed("The operands must not be null.", gives, at);
        }
        match (left, right) {
            (Value::Bool(left), Value::Bool(right)) => {
                Value::Bool(if operator == BinaryOperator::Or { *left || *right } else { *left && *right })
            }
            (Value::Number(left), Value::Number(right)) => {
                let detail = "This operation has no result for zero or infinity.";
                let calculated = calculated(operator, left, right);
                calculated.unwrap_or_else(|| self.operation_failed(detail, gives, at))
            }
            _ => Value::Unknown(gives),
        }
    }

    pub(super) fn conditional(&mut self, parts: &[Expr; 3], inside: Inside<'_>) -> Value {
        let [condition, then, otherwise] = parts;
        let if_true = self.apart(|this| this.value(then, inside));
        let if_false = self.apart(|this| this.value(otherwise, inside));
        self.chosen(condition, (if_true, then.span), (if_false, otherwise.span), inside)
    }

    /// Selects one of two results.
    pub(super) fn chosen(
        &mut self,
        condition: &Expr,
        then: Branch,
        otherwise: Branch,
        inside: Inside<'_>,
    ) -> Value {
        let (((mut if_true, then_findings), then), ((mut if_false, else_findings), otherwise)) =
            (then, otherwise);
        if !self.may_convert(&if_true, then) || !self.may_convert(&if_false, otherwise) {
            return Value::UNKNOWN;
        }
        let (then_type, else_type) = (if_true.ty(), if_false.ty());
        let mut vague = false;
        let ty = if if_true == Value::NULL {
            Some(else_type.clone())
        } else if if_false == Value::NULL {
            Some(then_type.clone())
        } else if then_type == Type::Any || else_type == Type::Any {
            vague = true;
            Some(Type::Any)
        } else {
            unify(&[then_type.clone(), else_type.clone()], Mode::Unsafe)
        };
        let is_open = self.knows_types() && (then_type.has_any() || else_type.has_any());
        let Some(ty) = ty else {
            if is_open {
                return self.undecided();
            }
            let (one, other) = (then_type.shortened(), else_type.shortened());
            let detail = format!("The two results must have the same type: one is {one}, the other {other}.");
            let summary = "Inconsistent conditional result types";
            let finding = Finding::language(EngineRule::InvalidValue, summary).detail(detail);
            let help = other_brackets(&then_type, &else_type).map(str::to_owned);
            self.report(finding.at(then.to(otherwise)).help_if(help));
            return Value::UNKNOWN;
        };
        let mut decider = self.value(condition, inside);
        // The marks of both branches apply, whichever is selected.
        let marks = [&mut decider, &mut if_true, &mut if_false].map(Value::take_marks);
        let marks = marks.into_iter().fold(Marks::NONE, Marks::and);
        let both_null = if_true.is_null() && if_false.is_null();
        let (result, findings, span) = match self.decision(&decider, condition.span) {
            Decision::Open if both_null => return Value::Null(ty).mark(marks),
            Decision::Open => return Value::Unknown(ty).mark(marks),
            Decision::Failed => return Value::Unknown(ty),
            Decision::Yes => (if_true, then_findings, then),
            Decision::No => (if_false, else_findings, otherwise),
        };
        self.keep(findings);
        if vague || result.is(&ty) {
            return result.mark(marks);
        }
        let result = fit(&result, &ty).unwrap_or_else(|mismatch| {
            if is_open {
                return self.undecided();
            }
            let detail = format!("The two results have different types: {mismatch}.");
            self.error(EngineRule::InvalidValue, "Inconsistent conditional result types", detail, span);
            Value::Unknown(ty)
        });
        result.mark(marks)
    }

    pub(super) fn decision(&mut self, condition: &Value, at: Span) -> Decision {
        if condition.is_null() {
            let detail = "A condition must be true or false, not null.";
            self.error(EngineRule::InvalidValue, "Null condition", detail, at);
            return Decision::Failed;
        }
        match convert(condition, &Type::Bool) {
            _ if !condition.is_known() => Decision::Open,
            Ok(value) => {
                value.as_bool().map_or(Decision::Open, |yes| if yes { Decision::Yes } else { Decision::No })
            }
            Err(mismatch) => {
                let detail = format!("A condition must be true or false: {mismatch}.");
                self.error(EngineRule::InvalidValue, "Incorrect condition type", detail, at);
                Decision::Failed
            }
        }
    }

    fn operand(&mut self, value: Value, ty: &Type, at: Span) -> Value {
        if *ty == Type::Any {
            return value;
        }
        if !self.may_convert(&value, at) {
            return Value::Unknown(ty.clone());
        }
        convert(&value, ty).unwrap_or_else(|mismatch| {
            let detail = format!("The operand has the wrong type: {mismatch}.");
            self.error(EngineRule::InvalidValue, "Invalid operand", detail, at);
            Value::Unknown(ty.clone())
        })
    }

    fn operation_failed(&mut self, detail: &str, ty: Type, at: Span) -> Value {
        self.error(EngineRule::InvalidValue, "Operation failed", detail, at);
        Value::Unknown(ty)
    }
}

/// The help for an empty collection in the wrong brackets beside a collection of another type.
fn other_brackets(one: &Type, other: &Type) -> Option<&'static str> {
    let is_empty_list = |ty: &Type| matches!(ty, Type::Tuple(elements) if elements.is_empty());
    let is_empty_map = |ty: &Type| matches!(ty, Type::Object(attributes) if attributes.is_empty());
    match (one, other) {
        (Type::Map(_), empty) | (empty, Type::Map(_)) if is_empty_list(empty) => {
            Some("write the empty map as `{}`, not `[]`")
        }
        (Type::List(_) | Type::Set(_), empty) | (empty, Type::List(_) | Type::Set(_))
            if is_empty_map(empty) =>
        {
            Some("write the empty list as `[]`, not `{}`")
        }
        _ => None,
    }
}

/// A possible result with its findings and its span.
pub(super) type Branch = ((Value, Vec<Finding>), Span);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// An operand of `&&` or `||`.
#[derive(Clone, Copy)]
struct Operand {
    value: Option<bool>,
    null: bool,
    failed: bool,
}

impl Operand {
    fn of(value: &Value, findings: &[Finding]) -> Self {
        Self { value: value.as_bool(), null: value.is_null(), failed: has_errors(findings) }
    }
}

/// The result of `&&` or `||` if one operand decides it, and which one. Errors in the other operand are dropped.
fn short_circuit(operator: BinaryOperator, left: Operand, right: Operand) -> Option<(Value, Side)> {
    let decisive = match operator {
        BinaryOperator::Or => true,
        BinaryOperator::And => false,
        _ => return None,
    };
    if left.null || right.null {
        return None;
    }
    match (left.value, right.value) {
        (Some(value), _) if value == decisive => Some((Value::Bool(value), Side::Left)),
        (_, Some(value)) if value == decisive => Some((Value::Bool(value), Side::Right)),
        (None, None) if left.failed => None,
        (None, _) => Some((Value::Unknown(Type::Bool), Side::Left)),
        (Some(_), None) => Some((Value::Unknown(Type::Bool), Side::Right)),
        (Some(_), Some(_)) => None,
    }
}

/// The operand type and the result type of an operator.
fn signature(operator: BinaryOperator) -> (Type, Type) {
    match operator {
        BinaryOperator::Or | BinaryOperator::And => (Type::Bool, Type::Bool),
        BinaryOperator::Equal | BinaryOperator::NotEqual => (Type::Any, Type::Bool),
        BinaryOperator::Greater
        | BinaryOperator::GreaterOrEqual
        | BinaryOperator::Less
        | BinaryOperator::LessOrEqual => (Type::Number, Type::Bool),
        BinaryOperator::Add
        | BinaryOperator::Subtract
        | BinaryOperator::Multiply
        | BinaryOperator::Divide
        | BinaryOperator::Modulo => (Type::Number, Type::Number),
    }
}

/// The steps of an operation on numbers of 512 bits, beside those for its operands.
fn work(operator: BinaryOperator) -> usize {
    match operator {
        BinaryOperator::Multiply | BinaryOperator::Divide | BinaryOperator::Modulo => 16,
        BinaryOperator::Add | BinaryOperator::Subtract => 8,
        BinaryOperator::Greater
        | BinaryOperator::GreaterOrEqual
        | BinaryOperator::Less
        | BinaryOperator::LessOrEqual
        | BinaryOperator::Equal
        | BinaryOperator::NotEqual
        | BinaryOperator::Or
        | BinaryOperator::And => 0,
    }
}

fn calculated(operator: BinaryOperator, left: &Number, right: &Number) -> Option<Value> {
    match operator {
        BinaryOperator::Greater => Some(Value::Bool(left > right)),
        BinaryOperator::GreaterOrEqual => Some(Value::Bool(left >= right)),
        BinaryOperator::Less => Some(Value::Bool(left < right)),
        BinaryOperator::LessOrEqual => Some(Value::Bool(left <= right)),
        BinaryOperator::Add => left.add(right).map(Value::Number),
        BinaryOperator::Subtract => left.add(&right.negated()).map(Value::Number),
        BinaryOperator::Multiply => left.multiply(right).map(Value::Number),
        BinaryOperator::Divide => left.divide(right).map(Value::Number),
        BinaryOperator::Modulo => left.modulo(right).map(Value::Number),
        BinaryOperator::Or | BinaryOperator::And | BinaryOperator::Equal | BinaryOperator::NotEqual => None,
    }
}

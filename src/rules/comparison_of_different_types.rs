#![doc = include_str!("../../policies/rules/comparison-of-different-types.md")]

use std::cell::OnceCell;

use super::support::expressions::{self, Written};
use super::{Context, Page, Rule, page};
use crate::finding::{Concern, Edit, Finding, Fix, Safety};
use crate::graph::{Node, Values};
use crate::module::address::{Subject, reference};
use crate::syntax::{BinaryOperator, Expr, ExprKind, Scope, quoted};
use crate::value::{Type, Value, convert};

pub(super) struct ComparisonOfDifferentTypes;

impl Rule for ComparisonOfDifferentTypes {
    const PAGE: Page = page!("comparison-of-different-types");
    const FIXES: &'static [Safety] = &[Safety::Unsafe];

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let comparisons = Comparisons { node, context, values: OnceCell::new() };
        expressions::for_each_in(node, context, &|file| file.compares, &mut |expr, written| {
            expr.walk(&mut |inner, scope| findings.extend(comparisons.look(inner, scope, written)));
        });
    }
}

struct Comparisons<'t> {
    node: Node<'t>,
    context: &'t Context<'t>,
    /// Evaluated only for a comparison.
    values: OnceCell<Values<'t>>,
}

impl Comparisons<'_> {
    fn values(&self) -> &Values<'_> {
        self.values.get_or_init(|| self.node.values())
    }

    fn value_of(&self, expr: &Expr) -> Value {
        self.values().of(expr)
    }

    fn look(&self, expr: &Expr, scope: &Scope<'_>, written: Written<'_>) -> Option<Finding> {
        let ExprKind::Binary(operator, operands) = &expr.kind else { return None };
        let result = match operator {
            BinaryOperator::Equal => "false",
            BinaryOperator::NotEqual => "true",
            _ => return None,
        };
        // The type of the elements of a `for` expression or a `dynamic` block is unknown here.
        let is_bound =
            |name: &str| scope.has(name) || written.iterators.iter().any(|iterator| iterator == name);
        if operands.iter().any(|operand| operand.variables().iter().any(|found| is_bound(&found.root))) {
            return None;
        }
        let [left, right] = [&operands[0], &operands[1]].map(|operand| self.value_of(operand));
        if left.is_null() || right.is_null() || have_same_form(&left, &right) {
            return None;
        }
        if !never_equal(&left.ty(), &right.ty()) {
            return None;
        }
        let is_literal = |ty: Type| matches!(ty, Type::Tuple(_) | Type::Object(_));
        if (is_literal(left.ty()) || is_literal(right.ty()))
            && operands.iter().any(|operand| self.values().use_instances(operand))
        {
            return None;
        }
        let types = (left.ty().name(), right.ty().name());
        let [left, right] = [(&operands[0], &operands[1]), (&operands[1], &operands[0])];
        let corrected =
            self.corrected(*operator, expr, left).or_else(|| self.corrected(*operator, expr, right));
        let help = match &corrected {
            Some(edit) => format!("write `{}`", edit.text),
            None => self.advice(left, right),
        };
        Some(
            ComparisonOfDifferentTypes::finding("Comparison of different types")
                .detail(format!(
                    "The left side is of type {}, and the right side is of type {}. Values of different types are \
                     never equal, so this is always {result}.",
                    types.0, types.1
                ))
                .at(expr.span)
                .label(format!("always {result}"))
                .help(help)
                .fixed_by(corrected.map(|edit| Fix::on_request([edit])))
                .concerns(Concern::Name(self.context.sources().slice(expr.span).into()))
                .address(written.address()),
        )
    }

    /// The advice if the types suggest no other comparison.
    fn advice(&self, left: (&Expr, &Expr), right: (&Expr, &Expr)) -> String {
        let written = |expr: &Expr| {
            let text = self.context.editor(expr.span.file).map(|editor| editor.slice(expr.span));
            text.filter(|text| !text.contains('\n')).map(|text| format!("`{text}`"))
        };
        for (constant, other) in [left, right] {
            let (value, wanted) = (self.value_of(constant), self.value_of(other).ty());
            let values = match wanted {
                Type::Bool => "`true` or `false`",
                Type::Number => "a number",
                _ => continue,
            };
            if let (Some(_), Some(other)) = (value.as_str(), written(other)) {
                return format!("compare {other} with {values}, or change its type to string");
            }
        }
        let types = [left.0, right.0].map(|expr| self.value_of(expr).ty());
        let primitive = |ty: &Type| matches!(ty, Type::Bool | Type::Number | Type::String);
        if types.iter().all(primitive) {
            return match types.iter().position(|ty| *ty == Type::String) {
                Some(at) => {
                    let other = if at == 0 { right.0 } else { left.0 };
                    let other = written(other).unwrap_or_else(|| "the other side".to_owned());
                    format!("convert {other} with `tostring`, if the two can be equal as strings")
                }
                None => "compare two values of the same type".to_owned(),
            };
        }
        "compare two values of the same type, such as one element or attribute, or `length(…)` with a number"
            .to_owned()
    }

    /// The comparison with its constant side converted to the type of the other side, if that is possible.
    fn corrected(
        &self,
        operator: BinaryOperator,
        expr: &Expr,
        (constant, other): (&Expr, &Expr),
    ) -> Option<Edit> {
        let editor = self.context.editor(expr.span.file)?;
        let (wanted, text) = (self.value_of(other).ty(), editor.slice(other.span));
        let sign = if operator == BinaryOperator::Equal { "==" } else { "!=" };
        if text.contains('\n') {
            return None;
        }
        let is_collection = wanted.element().is_some();
        let is_empty = match &constant.kind {
            ExprKind::Tuple(elements) => elements.is_empty(),
            ExprKind::Object(items) => items.is_empty(),
            _ => self.value_of(constant).as_str() == Some(""),
        };
        if is_empty && is_collection {
            let collection = if self.may_be_null(other, 0) {
                let empty = if matches!(wanted, Type::Map(_)) { "{}" } else { "[]" };
                format!("coalesce({text}, {empty})")
            } else {
                text.to_owned()
            };
            return Some(editor.replace(expr.span, format!("length({collection}) {sign} 0")));
        }
        let written =
            same_constant(constant, &self.value_of(constant), &wanted, editor.slice(constant.span))?;
        let comparison = if constant.span < other.span {
            format!("{written} {sign} {text}")
        } else {
            format!("{text} {sign} {written}")
        };
        Some(editor.replace(expr.span, comparison))
    }

    /// Whether the value may be null: a variable, unless it refuses null, a part of another value, which may be an
    /// optional attribute, or a local value that is one of them.
    fn may_be_null(&self, expr: &Expr, depth: usize) -> bool {
        let module = self.node.module();
        let traversal = match &expr.kind {
            ExprKind::Traversal(traversal) => traversal,
            ExprKind::Relative(_) | ExprKind::Index { .. } => return true,
            ExprKind::Parens(inner) => return self.may_be_null(inner, depth),
            _ => return self.values().may_be_null(expr, depth),
        };
        let Ok(reference) = reference(traversal, &module.features) else { return false };
        match (&reference.subject, reference.remaining) {
            (Subject::Variable(name), []) => {
                module.variables.get(name).is_some_and(|variable| !variable.refuses_null())
            }
            (Subject::Local(name), []) => module
                .locals
                .get(name)
                .is_some_and(|local| depth > DEEPEST || self.may_be_null(&local.attribute.expr, depth + 1)),
            (Subject::Variable(_) | Subject::Local(_), _) => true,
            _ => false,
        }
    }
}

/// The longest chain of local values to follow.
const DEEPEST: usize = 10;

/// The constant, converted to another type, if the result can equal other values of that type.
fn same_constant(expr: &Expr, value: &Value, wanted: &Type, text: &str) -> Option<String> {
    let converted = convert(value, wanted).ok().filter(Value::is_wholly_known)?;
    match (&expr.kind, &converted) {
        (ExprKind::Template(_), Value::Number(_) | Value::Bool(_)) => converted.written(),
        (ExprKind::Number(_) | ExprKind::Bool(_), Value::String(text)) => Some(quoted(text)),
        (ExprKind::Tuple(_), Value::List(..)) => collected("tolist", value, wanted, text),
        (ExprKind::Tuple(_), Value::Set(..)) => collected("toset", value, wanted, text),
        (ExprKind::Object(_), Value::Map(..)) => collected("tomap", value, wanted, text),
        _ => None,
    }
}

/// The constant in a call of a conversion function, if the result has the wanted type.
fn collected(function: &str, value: &Value, wanted: &Type, text: &str) -> Option<String> {
    let element = wanted.element()?;
    let is_all = match value {
        Value::Tuple(elements) => elements.iter().all(|value| value.is(element)),
        Value::Object(attributes) => attributes.values().all(|value| value.is(element)),
        _ => false,
    };
    is_all.then(|| format!("{function}({text})"))
}

/// Whether both values are objects, or both are tuples. Their types are not needed, which can be large.
fn have_same_form(left: &Value, right: &Value) -> bool {
    matches!((left, right), (Value::Tuple(_), Value::Tuple(_)) | (Value::Object(_), Value::Object(_)))
}

/// Whether no values of the two types are equal, except for nulls.
fn never_equal(left: &Type, right: &Type) -> bool {
    match (left, right) {
        (Type::List(left), Type::List(right))
        | (Type::Set(left), Type::Set(right))
        | (Type::Map(left), Type::Map(right)) => never_equal(left, right),
        // The type of a literal tuple or object follows from its elements, so a comparison with it is intended.
        (Type::Any, _)
        | (_, Type::Any)
        | (Type::Bool, Type::Bool)
        | (Type::Number, Type::Number)
        | (Type::String, Type::String)
        | (Type::Tuple(_), Type::Tuple(_))
        | (Type::Object(_), Type::Object(_)) => false,
        _ => true,
    }
}

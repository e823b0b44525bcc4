//! Decides whether a function call may fail.

use super::{DEEPEST, elements, is_mapping, is_primitive};
use crate::graph::Values;
use crate::module::address::{Subject, reference};
use crate::syntax::{BinaryOperator, Call, Expr, ExprKind, Step, StepKind, alike};
use crate::value::{Function, Type};

impl Values<'_> {
    /// Whether a function call certainly has a result.
    pub(super) fn has_result(&self, call: &Call) -> bool {
        let all = &call.arguments;
        let sound = |expr: &Expr| self.cannot_fail(expr) && !self.may_be_null(expr, 0);
        let is_list = |expr: &Expr| elements(&self.type_of(expr)).is_some() && sound(expr);
        let is_list_of_text = |expr: &Expr| {
            let elements = elements(&self.type_of(expr));
            elements.is_some_and(|elements| elements.iter().all(is_primitive)) && sound(expr)
        };
        let is_uniform = |expr: &Expr| {
            elements(&self.type_of(expr)).is_some_and(|all| all.windows(2).all(|pair| pair[0] == pair[1]))
        };
        let is_set = |expr: &Expr| matches!(self.type_of(expr), Type::Set(_)) && sound(expr);
        let is_map = |expr: &Expr| is_mapping(&self.type_of(expr)) && sound(expr);
        let is_constant =
            |expr: &Expr, is_wanted: &dyn Fn(&str) -> bool| self.of(expr).as_str().is_some_and(is_wanted);
        let has_result = match (call.name.as_str(), &all[..]) {
            ("try", all) => {
                all.iter().all(|expr| self.is_declared(expr)) && all.iter().any(|expr| self.cannot_fail(expr))
            }
            ("merge", all) => {
                all.iter().all(|expr| is_mapping(&self.type_of(expr)) && self.cannot_fail(expr))
            }
            ("concat", all) => !all.is_empty() && all.iter().all(|expr| is_list(expr) && !is_set(expr)),
            ("coalesce", [all @ .., last]) => {
                all.iter().all(|expr| self.type_of(expr) == Type::String && self.cannot_fail(expr))
                    && is_constant(last, &|last| !last.is_empty())
            }
            ("contains", [list, value]) => is_list(list) && sound(value),
            ("compact" | "sort", [list]) => is_list_of_text(list),
            ("distinct" | "tolist" | "toset", [list]) => is_list_of_text(list) && is_uniform(list),
            ("element", [list, index]) => {
                sound(list) && self.has_elements(list, 0) && is_index_of(index, list)
            }
            ("flatten" | "reverse", [list]) => is_list(list),
            ("join", [separator, lists @ ..]) => self.is_text(separator) && lists.iter().all(is_list_of_text),
            ("keys" | "values", [map]) => is_map(map),
            ("length", [value]) => {
                is_list(value) || is_map(value) || self.type_of(value) == Type::String && sound(value)
            }
            ("lookup", [map, key, default]) => {
                matches!(self.type_of(map), Type::Map(element) if *element == self.type_of(default) && is_primitive(&element))
                    && sound(map)
                    && self.is_text(key)
                    && self.cannot_fail(default)
            }
            ("replace", [_, pattern, _]) if !is_constant(pattern, &|pattern| !pattern.starts_with('/')) => {
                false
            }
            ("tostring", [value]) => is_primitive(&self.type_of(value)) && self.cannot_fail(value),
            (name, all) => match (Function::named(name), all) {
                (Some(function), all) if function.takes_any_strings() => {
                    all.iter().all(|expr| self.is_text(expr))
                }
                (Some(function), [one]) => function.takes_any_value() && self.cannot_fail(one),
                _ => false,
            },
        };
        has_result && !call.expands_last
    }

    /// Whether a list certainly has elements.
    fn has_elements(&self, expr: &Expr, depth: usize) -> bool {
        match &expr.kind {
            ExprKind::Parens(inner) => self.has_elements(inner, depth),
            ExprKind::Tuple(items) => !items.is_empty(),
            ExprKind::Call(call) => match (call.name.as_str(), &call.arguments[..]) {
                ("split", _) => true,
                ("concat", lists) if !call.expands_last => {
                    lists.iter().any(|list| matches!(&list.kind, ExprKind::Tuple(items) if !items.is_empty()))
                }
                ("distinct" | "reverse" | "sort", [list]) => self.has_elements(list, depth),
                _ => false,
            },
            ExprKind::Traversal(traversal) if traversal.root == "local" && depth < DEEPEST => {
                let [Step { kind: StepKind::Attribute(name), .. }] = &traversal.steps[..] else {
                    return false;
                };
                let local = self.node.module().locals.get(name);
                local.is_some_and(|local| self.has_elements(&local.attribute.expr, depth + 1))
            }
            _ => false,
        }
    }

    /// Whether all references in an expression are to something that exists. A static error is one inside `try`, too.
    fn is_declared(&self, expr: &Expr) -> bool {
        let module = self.node.module();
        let mut is_declared = true;
        expr.for_each_variable(|traversal| {
            is_declared &= match reference(traversal, &module.features).map(|reference| reference.subject) {
                Ok(Subject::Variable(name)) => module.variables.contains_key(&name),
                Ok(Subject::Local(name)) => module.locals.contains_key(&name),
                Ok(Subject::Resource { address, .. }) => module.resources.contains_key(&address),
                Ok(Subject::Module { call, output: Some(output), .. }) => {
                    let child = self.node.child(&call);
                    child.is_some_and(|child| child.module().outputs.contains_key(&output))
                }
                Ok(Subject::Path(_)) => true,
                _ => false,
            };
        });
        is_declared
    }
}

/// Whether a number is a valid index of `element` for a list with elements: not a negative one.
fn is_index_of(index: &Expr, list: &Expr) -> bool {
    match &index.kind {
        ExprKind::Number(_) => true,
        ExprKind::Binary(BinaryOperator::Subtract, operands) => {
            let is_length = matches!(&operands[0].kind, ExprKind::Call(call)
                if call.name == "length" && call.arguments.len() == 1 && alike(&call.arguments[0], list));
            is_length && matches!(&operands[1].kind, ExprKind::Number(digits) if digits == "1")
        }
        _ => false,
    }
}

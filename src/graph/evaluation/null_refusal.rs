//! Finds the variables of a module that cannot be null in any plan, because the evaluation of an expression fails if they
//! are.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use crate::graph::{Node, NodeId, arguments};
use crate::syntax::{BinaryOperator, Call, Expr, ExprKind, Part, Template, Traversal};
use crate::value::Function;

/// Modules below more calls than this are not searched.
const MOST_LEVELS: usize = 100;

/// The variables of a module that is called in any plan whose expressions, or those of the modules that it calls, cannot
/// be evaluated with null. Only expressions that every plan evaluates count.
pub(super) fn refusing_null(node: Node<'_>) -> BTreeSet<SmolStr> {
    variables(node, MOST_LEVELS, &mut BTreeMap::new())
}

fn variables(
    node: Node<'_>,
    levels: usize,
    known: &mut BTreeMap<NodeId, BTreeSet<SmolStr>>,
) -> BTreeSet<SmolStr> {
    if let Some(known) = known.get(&node.id()) {
        return known.clone();
    }
    let Some(levels) = levels.checked_sub(1) else { return BTreeSet::new() };
    // For modules that call each other.
    known.insert(node.id(), BTreeSet::new());
    let module = node.module();
    let mut refusing = BTreeSet::new();
    for local in module.locals.values() {
        evaluated(&local.attribute.expr, &mut refusing);
    }
    for value in module.outputs.values().filter_map(|output| output.value.as_ref()) {
        evaluated(&value.expr, &mut refusing);
    }
    for condition in module.variables.values().flat_map(|variable| &variable.validations) {
        if let Some(condition) = &condition.condition {
            evaluated(&condition.expr, &mut refusing);
        }
    }
    for resource in module.resources.values().filter(|it| !it.is_repeated() && it.check.is_none()) {
        for argument in resource.config.just_attributes(&mut Vec::new()) {
            evaluated(&argument.expr, &mut refusing);
        }
    }
    for (call, child) in node.child_calls().filter(|(call, _)| !call.is_repeated()) {
        let in_child = variables(child, levels, known);
        for argument in arguments::given(call, child.module()) {
            evaluated(&argument.expr, &mut refusing);
            let variable = child.module().variables.get(&argument.name);
            let takes_default = variable.is_some_and(|variable| variable.refuses_null());
            if in_child.contains(&argument.name) && !takes_default {
                refusing.extend(variable_of(&argument.expr).cloned());
            }
        }
    }
    known.insert(node.id(), refusing.clone());
    refusing
}

/// The variable that an expression consists of.
fn variable_of(expr: &Expr) -> Option<&SmolStr> {
    match &expr.kind {
        ExprKind::Parens(inner) => variable_of(inner),
        ExprKind::Traversal(traversal) if traversal.steps.len() == 1 => first(traversal),
        _ => None,
    }
}

/// The variable that a reference starts with.
fn first(traversal: &Traversal) -> Option<&SmolStr> {
    traversal.steps.first().filter(|_| traversal.root == "var")?.name()
}

/// Adds the variables with which the evaluation of an expression fails if they are null.
fn evaluated(expr: &Expr, refusing: &mut BTreeSet<SmolStr>) {
    let refuse = |expr: &Expr, refusing: &mut BTreeSet<SmolStr>| {
        refusing.extend(variable_of(expr).cloned());
        evaluated(expr, refusing);
    };
    match &expr.kind {
        ExprKind::Parens(inner) => evaluated(inner, refusing),
        ExprKind::Template(template) => in_template(template, refusing),
        ExprKind::Traversal(traversal) if traversal.steps.len() > 1 => {
            refusing.extend(first(traversal).cloned());
        }
        ExprKind::Relative(relative) => refuse(&relative.from, refusing),
        ExprKind::Index { collection, key, .. } => {
            refuse(collection, refusing);
            refuse(key, refusing);
        }
        ExprKind::Tuple(items) => items.iter().for_each(|item| evaluated(item, refusing)),
        ExprKind::Object(items) => items.iter().for_each(|item| evaluated(&item.value, refusing)),
        ExprKind::Call(call) => in_call(call, refusing),
        ExprKind::Conditional(parts) => refuse(&parts[0], refusing),
        ExprKind::Unary(_, operand) => refuse(operand, refusing),
        ExprKind::Binary(BinaryOperator::Equal | BinaryOperator::NotEqual, operands) => {
            operands.iter().for_each(|operand| evaluated(operand, refusing));
        }
        // Some versions do not evaluate the second operand if the first one decides.
        ExprKind::Binary(BinaryOperator::And | BinaryOperator::Or, operands) => {
            evaluated(&operands[0], refusing);
        }
        ExprKind::Binary(_, operands) => operands.iter().for_each(|operand| refuse(operand, refusing)),
        ExprKind::For(it) => refuse(&it.collection, refusing),
        _ => {}
    }
}

fn in_template(template: &Template, refusing: &mut BTreeSet<SmolStr>) {
    for part in &template.parts {
        match part {
            Part::Interpolation(inner) => {
                if template.parts.len() > 1 {
                    refusing.extend(variable_of(inner).cloned());
                }
                evaluated(inner, refusing);
            }
            Part::Literal { .. } | Part::If(_) | Part::For(_) => {}
        }
    }
}

fn in_call(call: &Call, refusing: &mut BTreeSet<SmolStr>) {
    let Some(function) = Function::named(&call.name).filter(|_| !["can", "try"].contains(&&*call.name))
    else {
        return;
    };
    let last = call.arguments.len().saturating_sub(1);
    for (place, argument) in call.arguments.iter().enumerate() {
        evaluated(argument, refusing);
        let parameter = function.parameters.get(place).or(function.variadic.as_ref());
        if parameter.is_some_and(|parameter| !parameter.nullable) && !(call.expands_last && place == last) {
            refusing.extend(variable_of(argument).cloned());
        }
    }
}

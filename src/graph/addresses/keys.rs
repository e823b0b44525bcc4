//! The instance keys of `count` and `for_each`, as far as they are known before planning.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use crate::graph::instance_keys::{KnownInstances, makes_instances};
use crate::graph::{Node, Values};
use crate::module::address::InstanceKey;
use crate::module::declaration::Repeated;
use crate::syntax::{Attribute, Expr, ExprKind};
use crate::value::Value;

/// The key of the single instance that is most likely meant: with `count`, the first one; with `for_each`, the only
/// one. Empty without either.
pub(super) fn only(node: Node<'_>, repeated: Repeated<'_>) -> Option<String> {
    match repeated {
        (Some(_), _) => Some(InstanceKey::Number(0).to_string()),
        (None, Some(for_each)) => {
            let key = node.known_instances(for_each)?.only_key.clone()?;
            Some(InstanceKey::Text(key).to_string())
        }
        (None, None) => Some(String::new()),
    }
}

/// Whether `count` certainly makes more than one instance.
pub(super) fn are_several(node: Node<'_>, (count, _): Repeated<'_>) -> bool {
    count.and_then(|count| node.known_instances(count)).is_some_and(|known| known.are_several)
}

impl<'t> Node<'t> {
    /// Whether a resource or call of this module with this `count` or `for_each` certainly has no instances.
    pub(in crate::graph) fn has_no_instances(self, (count, for_each): Repeated<'_>) -> bool {
        let repeated = count.or(for_each);
        repeated.and_then(|repeated| self.known_instances(repeated)).is_some_and(|known| known.are_none)
    }

    /// What is known about the instances that a `count` or `for_each` of a resource or call of this module makes.
    fn known_instances(self, repeated: &Attribute) -> Option<&'t KnownInstances> {
        let all = || {
            let values = self.values();
            let resources = self.module().resources.values().map(|resource| resource.repeated());
            let calls = self.module().calls.values().map(|call| call.repeated());
            let known = resources.chain(calls).filter_map(|(count, for_each)| {
                let expr = &count.or(for_each)?.expr;
                let known = known(&values, expr, count.is_some());
                (known != KnownInstances::default()).then_some((expr.span, known))
            });
            known.collect()
        };
        self.data().known_instances.get_or_init(all).get(&repeated.expr.span)
    }
}

/// What is known about the instances that a value of `count` or `for_each` makes.
fn known(values: &Values<'_>, expr: &Expr, is_count: bool) -> KnownInstances {
    let mut results = Vec::new();
    add_results(expr, &mut results);
    let results: Vec<Value> = results.into_iter().map(|result| values.of(result)).collect();
    let are_none = results.iter().all(is_empty);
    if is_count {
        let of_condition = (results.len() > 1).then(|| values.of(expr));
        let value = of_condition.as_ref().or(results.first());
        let are_several = matches!(value, Some(Value::Number(number)) if *number > 1.into());
        return KnownInstances { are_none, are_several, only_key: None };
    }
    let keys: Option<Vec<BTreeSet<SmolStr>>> = results.into_iter().map(texts).collect();
    let mut keys: BTreeSet<SmolStr> = keys.into_iter().flatten().flatten().collect();
    let only_key = keys.pop_first().filter(|_| keys.is_empty());
    KnownInstances { are_none, are_several: false, only_key }
}

/// Adds the expressions that a value may come from: both results of each condition.
fn add_results<'e>(expr: &'e Expr, results: &mut Vec<&'e Expr>) {
    match &expr.kind {
        ExprKind::Parens(inner) => add_results(inner, results),
        ExprKind::Conditional(parts) => parts[1..].iter().for_each(|result| add_results(result, results)),
        _ => results.push(expr),
    }
}

/// Whether a value of `count` or `for_each` makes no instances.
fn is_empty(value: &Value) -> bool {
    match value {
        // Terraform refuses these for `for_each`, except in a branch of a condition.
        Value::Tuple(elements) | Value::List(_, elements) => elements.is_empty(),
        value => makes_instances(value) == Some(false),
    }
}

/// The keys of a value of `for_each`.
fn texts(value: Value) -> Option<BTreeSet<SmolStr>> {
    match value {
        Value::Set(_, elements) => {
            elements.iter().map(|element| element.as_str().map(SmolStr::new)).collect()
        }
        Value::Map(_, elements) => Some(elements.into_keys().collect()),
        Value::Object(attributes) => Some(attributes.into_keys().collect()),
        // Terraform refuses these for `for_each`, except for an empty tuple in a branch of a condition.
        Value::Tuple(elements) if elements.is_empty() => Some(BTreeSet::new()),
        Value::List(_, elements) if elements.is_empty() => Some(BTreeSet::new()),
        _ => None,
    }
}

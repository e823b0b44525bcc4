//! The instance keys of `count` and `for_each`, as far as they are known before planning.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use crate::graph::instance_keys::makes_instances;
use crate::graph::{Node, Values};
use crate::module::address::InstanceKey;
use crate::syntax::{Attribute, Expr, ExprKind};
use crate::value::Value;

/// `count` and `for_each`.
type Repeated<'a> = (Option<&'a Attribute>, Option<&'a Attribute>);

/// The key of the single instance that is most likely meant: with `count`, the first one; with `for_each`, the only
/// one. Empty without either.
pub(super) fn only(node: Node<'_>, repeated: Repeated<'_>) -> Option<String> {
    match repeated {
        (Some(_), _) => Some(InstanceKey::Number(0).to_string()),
        (None, Some(for_each)) => {
            let mut keys = texts(&node.values(), &for_each.expr)?;
            let key = keys.pop_first().filter(|_| keys.is_empty())?;
            Some(InstanceKey::Text(key).to_string())
        }
        (None, None) => Some(String::new()),
    }
}

impl Node<'_> {
    /// Whether a resource or call of this module with this `count` or `for_each` certainly has no instances.
    pub(in crate::graph) fn has_no_instances(self, (count, for_each): Repeated<'_>) -> bool {
        let Some(repeated) = count.or(for_each) else { return false };
        let without_instances = || {
            let values = self.values();
            let resources = self.module().resources.values().map(|resource| resource.repeated());
            let all = resources.chain(self.module().calls.values().map(|call| call.repeated()));
            let repeated = all.filter_map(|(count, for_each)| count.or(for_each));
            repeated.filter(|it| is_empty(&values, &it.expr)).map(|it| it.expr.span).collect()
        };
        self.data().without_instances.get_or_init(without_instances).contains(&repeated.expr.span)
    }
}

/// Whether a value of `count` or `for_each` makes no instances, for both results of a condition.
fn is_empty(values: &Values<'_>, expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Parens(inner) => is_empty(values, inner),
        ExprKind::Conditional(parts) => parts[1..].iter().all(|result| is_empty(values, result)),
        _ => match values.of(expr) {
            // Terraform refuses these for `for_each`, except in a branch of a condition.
            Value::Tuple(elements) | Value::List(_, elements) => elements.is_empty(),
            value => makes_instances(&value) == Some(false),
        },
    }
}

/// Whether `count` certainly makes more than one instance.
pub(super) fn are_several(node: Node<'_>, (count, _): Repeated<'_>) -> bool {
    count.is_some_and(
        |count| matches!(node.values().of(&count.expr), Value::Number(number) if number > 1.into()),
    )
}

/// The keys of a `for_each`, for both results of a condition.
fn texts(values: &Values<'_>, expr: &Expr) -> Option<BTreeSet<SmolStr>> {
    match &expr.kind {
        ExprKind::Parens(inner) => return texts(values, inner),
        ExprKind::Conditional(parts) => {
            let [_, yes, no] = &**parts;
            let mut keys = texts(values, yes)?;
            keys.extend(texts(values, no)?);
            return Some(keys);
        }
        _ => {}
    }
    match values.of(expr) {
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

//! Matches removed objects with added ones.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::likeness::{Body, Renames, called, is_compatible};
use super::object::{Declared, Object};

/// An object before a change and after it.
pub(super) type Pair<'t> = (Object<'t>, Object<'t>);

/// The maximal number of rounds in which references to renamed blocks are followed.
const MOST_ROUNDS: usize = 8;

/// Removes the pairs that are likely the same object from both lists. Of several equal ones, the pairs are ambiguous,
/// so they stay.
pub(super) fn matched<'t>(
    removed: &mut Vec<Object<'t>>,
    added: &mut Vec<Object<'t>>,
    renames: &mut Renames<'t>,
) -> Vec<Pair<'t>> {
    let mut all = Vec::new();
    for _ in 0..MOST_ROUNDS {
        let mut pairs = take(
            removed,
            added,
            |object, renames| Some((Body::of(object, renames), Some(object.name().clone()))),
            renames,
            is_alike,
        );
        pairs.extend(take(
            removed,
            added,
            |object, renames| Some((Body::of(object, renames), None::<SmolStr>)),
            renames,
            is_alike,
        ));
        let is_last = pairs.is_empty();
        for (from, to) in &pairs {
            renames.entry(from.names()).or_default().insert(from.local_address(), to.local_address());
        }
        all.extend(pairs);
        if is_last {
            break;
        }
    }
    all.extend(take(
        removed,
        added,
        |object, _| loose(object),
        renames,
        |from, to| is_elsewhere(from, to) && is_compatible(from, to),
    ));
    all
}

fn is_alike(from: &Object<'_>, to: &Object<'_>) -> bool {
    let is_named_alike = from.name() == to.name();
    let says_nothing = || Body::of(from, &Renames::new()).is_empty();
    is_possible(from, to) && (from.names() == to.names() || is_named_alike || !says_nothing())
}

/// A key for objects that may be the same with other values: for a resource its type and name, for a call of a local
/// module the directory of that module.
fn loose(object: &Object<'_>) -> Option<(String, String)> {
    match object.declared {
        Declared::Resource(resource) => Some((resource.address.to_string(), String::new())),
        Declared::Call(_) => Some((String::new(), called(object)?)),
    }
}

fn is_elsewhere(from: &Object<'_>, to: &Object<'_>) -> bool {
    let is_other = match (from.declared, to.declared) {
        (Declared::Call(_), Declared::Call(_)) => from.names() == to.names() || from.name() == to.name(),
        _ => from.names() != to.names(),
    };
    is_other && is_possible(from, to)
}

/// Two calls of one module are no evidence that the resources of one belong to the other.
fn is_possible(from: &Object<'_>, to: &Object<'_>) -> bool {
    !(from.is_with_call && to.is_with_call && from.node.module().directory == to.node.module().directory)
}

fn take<'t, K: Ord>(
    removed: &mut Vec<Object<'t>>,
    added: &mut Vec<Object<'t>>,
    key: impl Fn(&Object<'t>, &Renames<'t>) -> Option<K>,
    renames: &Renames<'t>,
    is_same: impl Fn(&Object<'t>, &Object<'t>) -> bool,
) -> Vec<Pair<'t>> {
    if removed.is_empty() || added.is_empty() {
        return Vec::new();
    }
    let nothing = Renames::new();
    let by_key = |objects: &[Object<'t>], renames: &Renames<'t>| {
        let mut numbers: BTreeMap<K, Vec<usize>> = BTreeMap::new();
        for (number, object) in objects.iter().enumerate() {
            if let Some(key) = key(object, renames) {
                numbers.entry(key).or_default().push(number);
            }
        }
        numbers
    };
    let (old, new) = (by_key(removed, renames), by_key(added, &nothing));
    let mut numbers = BTreeMap::new();
    for (key, from) in &old {
        if let ([from], Some([to])) = (from.as_slice(), new.get(key).map(Vec::as_slice))
            && is_same(&removed[*from], &added[*to])
        {
            numbers.insert(*from, *to);
        }
    }
    let pairs = numbers.iter().map(|(from, to)| (removed[*from].clone(), added[*to].clone())).collect();
    let matched: BTreeSet<usize> = numbers.values().copied().collect();
    retain_others(removed, |number| numbers.contains_key(&number));
    retain_others(added, |number| matched.contains(&number));
    pairs
}

fn retain_others(objects: &mut Vec<Object<'_>>, is_matched: impl Fn(usize) -> bool) {
    let mut number = 0..;
    objects.retain(|_| number.next().is_some_and(|number| !is_matched(number)));
}

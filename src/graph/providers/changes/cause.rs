//! Finds the cause of a change: the first step at which the paths of a block to its provider configurations
//! differ.

use smol_str::SmolStr;

use super::consumers::{Consumer, User};
use crate::graph::providers::configuration::Configuration;
use crate::graph::providers::supply::Supply;
use crate::graph::{Node, NodeId};
use crate::text::Span;

/// The cause of a changed provider configuration.
#[derive(Debug)]
pub(super) struct Cause<'t> {
    /// The module that contains it.
    pub(super) node: Node<'t>,
    /// Its span, or `None` if something was removed.
    pub(super) at: Option<Span>,
    /// The span of the removed part.
    pub(super) was: Option<Span>,
    /// The configuration that changes in this module.
    pub(super) key: Configuration,
}

impl Cause<'_> {
    /// The key that is equal for the same cause of other blocks.
    pub(super) fn key(&self) -> (NodeId, Option<Span>, Option<Span>, Configuration) {
        (self.node.id(), self.at, self.was, self.key.clone())
    }
}

/// Follows both paths from the block up to the first step that differs.
pub(super) fn cause<'t>(old: &Consumer<'t>, new: &Consumer<'t>) -> Option<Cause<'t>> {
    let last = new.levels.len().checked_sub(1)?;
    let node = new.levels[last].node;
    let of_user = |at: Span| Some(Cause { node, at: Some(at), was: None, key: new.requested.clone() });
    if old.levels.len() != new.levels.len() {
        return of_user(new.user.header());
    }
    if old.requested != new.requested {
        return of_user(place_of_key(old, new, node));
    }
    let mut key = new.requested.clone();
    for (number, (was, is)) in old.trace.steps.iter().zip(&new.trace.steps).enumerate() {
        let level = last.checked_sub(number)?;
        let here = new.levels[level].node;
        let caller = level.checked_sub(1).map(|above| new.levels[above].node);
        let at_call = |at: Span| Some(Cause { node: caller?, at: Some(at), was: None, key: key.clone() });
        match (was, is) {
            (Supply::Passed(_, from), Supply::Passed(_, to)) if from == to => key = to.clone(),
            (Supply::Passed(..) | Supply::Inherited | Supply::Nowhere, Supply::Passed(entry, to)) => {
                key = to.clone();
                return Some(Cause { node: caller?, at: Some(entry.in_parent.name_span), was: None, key });
            }
            (Supply::Passed(..), Supply::Inherited | Supply::Nowhere) => {
                return at_call(new.levels[level].call?.origin.header());
            }
            (_, Supply::Own(own)) => {
                return Some(Cause { node: here, at: Some(own.block.origin.header()), was: None, key });
            }
            (Supply::Own(own), Supply::Passed(..) | Supply::Inherited | Supply::Nowhere) => {
                return Some(Cause { node: here, at: None, was: Some(own.block.origin.header()), key });
            }
            (Supply::Inherited | Supply::Nowhere, Supply::Inherited | Supply::Nowhere) => {}
        }
    }
    None
}

/// The span that decides which configuration a block uses: its reference, or the provider requirement.
fn place_of_key(old: &Consumer<'_>, new: &Consumer<'_>, node: Node<'_>) -> Span {
    let name = |consumer: &Consumer<'_>| match (consumer.user.reference(), consumer.user) {
        (Some(reference), _) => (reference.name.clone(), reference.alias.clone()),
        (None, User::Resource(resource)) => (SmolStr::new(resource.provider_name()), None),
        (None, User::Call(..)) => (node.local_name(&consumer.requested), None),
    };
    let is_same_name = name(old) == name(new);
    let entry = node.module().required_providers.get(&name(new).0).filter(|_| is_same_name);
    match (entry, new.user.reference()) {
        (Some(entry), _) => entry.value_span,
        (None, Some(reference)) => reference.name_span,
        (None, None) => new.user.header(),
    }
}

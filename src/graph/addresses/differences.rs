//! The differences between the addresses that a module declares before and after a change.

use hashbrown::{HashMap, HashSet};

use super::blocks::{is_left, targets};
use super::change::{AddressChange, Cause};
use super::compare::{loses_instances, may_have_objects};
use super::object::{Declared, Object};
use crate::graph::{Node, State};
use crate::module::interface::{Impact, InterfaceChange, Part};
use crate::text::Sources;

impl<'t> Node<'t> {
    /// The differences between the addresses of the resources and module calls of this module and those of `was`, its
    /// earlier state, with the impact on existing objects. Changes that `moved` blocks in this module have to handle
    /// are included, even if the objects are in modules that it calls.
    pub fn address_differences(
        self,
        was: Node<'t>,
        earlier: State<'t>,
        sources: &'t Sources,
    ) -> Vec<InterfaceChange> {
        let before: HashMap<String, Object<'t>> = by_address(was, earlier.sources);
        let now = by_address(self, sources);
        let all = self.graph().address_changes(earlier, sources);
        let moves = all.iter().filter(|change| change.node == self.id()).flat_map(moves);
        let moves: HashMap<&String, (&String, Cause)> =
            moves.map(|(from, to, cause)| (from, (to, cause))).collect();
        let mut differences = Vec::new();
        let mut add = |impact, address: &str, what: String| {
            let subject = address.into();
            differences.push(InterfaceChange { impact, part: Part::Address, subject, what });
        };
        for (from, (to, cause)) in &moves {
            let word = if *cause == Cause::Renamed { "renamed" } else { "moved" };
            add(Impact::Breaking, from, format!("{word} to {to} without a `moved` block; {DESTROYED}"));
        }
        for (address, object) in &before {
            let handled = is_left(self, object);
            match now.get(address) {
                Some(after) => {
                    let (from, to) = (object.repetition(), after.repetition());
                    let is_lost = loses_instances(self, object, after);
                    let is_emptied = may_have_objects(object) && after.has_no_instances() && !handled;
                    let what = from.change_to(to);
                    match from == to {
                        _ if is_emptied => {
                            add(Impact::Breaking, address, format!("no instance is left; {DESTROYED}"));
                        }
                        true => {}
                        false if is_lost => add(Impact::Breaking, address, format!("{what}; {DESTROYED}")),
                        false => add(Impact::Fix, address, what),
                    }
                }
                None if moves.contains_key(address) => {}
                None if handled
                    || matches!(object.declared, Declared::Call(_))
                        && self.module().names_below(&object.address().path) =>
                {
                    add(Impact::Fix, address, "removed; a `moved` or `removed` block handles it".to_owned());
                }
                None if may_have_objects(object) => {
                    let what = format!("removed without a `moved` or `removed` block; {DESTROYED}");
                    add(Impact::Breaking, address, what);
                }
                None => add(Impact::Fix, address, "removed; it has no objects".to_owned()),
            }
        }
        let targets = targets(self);
        let new_ends: HashSet<&String> = moves.values().map(|(to, _)| *to).collect();
        for (address, object) in &now {
            if !before.contains_key(address)
                && !new_ends.contains(address)
                && !object.address().is_in(&targets)
            {
                add(Impact::Feature, address, "added".to_owned());
            }
        }
        differences
    }
}

/// The effect on objects that lose their address.
const DESTROYED: &str = "existing objects are destroyed";

fn by_address<'t>(node: Node<'t>, sources: &'t Sources) -> HashMap<String, Object<'t>> {
    Object::declared_by(node, sources).map(|object| (object.written(), object)).collect()
}

/// The moves of a change without `moved` blocks; changed instance keys do not count.
fn moves(change: &AddressChange) -> impl Iterator<Item = (&String, &String, Cause)> {
    let is_move = !matches!(change.cause, Cause::Repeated(..));
    let pairs = change.addresses.iter().filter(move |_| is_move);
    pairs.map(|(from, to)| (from, to, change.cause))
}

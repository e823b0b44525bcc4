#![doc = include_str!("../../policies/rules/moved-without-moved-block.md")]

use super::support::edits::add_moved;
use super::{ADVICE, Context, Page, Rule, page};
use crate::finding::{Concern, Finding, Fix, Safety};
use crate::graph::{AddressCause, AddressChange, Node, Repetition, Role};
use crate::text::{counted, joined};

pub(super) struct MovedWithoutMovedBlock;

impl Rule for MovedWithoutMovedBlock {
    const PAGE: Page = page!("moved-without-moved-block");
    const IS_STEADY: bool = false;
    const FIXES: &'static [Safety] = &[Safety::Unsafe];
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        for change in context.address_changes(node) {
            let Some((from, to)) = change.addresses.first() else { continue };
            let product = node.module().features.engine.product.name();
            let (summary, detail, label) = described(change, product);
            let finding = Self::finding(summary)
                .detail(detail)
                .at(change.at)
                .label(label)
                .help(help(change))
                .address(to)
                .concerns(Concern::Name(from.as_str().into()))
                .related(change.elsewhere, "declared here now");
            let edit = change.moves.as_ref().and_then(|moves| add_moved(context, &change.below, moves));
            findings.push(finding.fixed_by(edit.map(|edit| Fix::on_request([edit]))));
        }
    }
}

fn described(change: &AddressChange, product: &str) -> (&'static str, String, &'static str) {
    let (from, to) = &change.addresses[0];
    match change.cause {
        AddressCause::Renamed => (
            "Renamed without a `moved` block",
            format!(
                "The same block was `{from}` before the change. Without a `moved` block, {product} destroys `{from}` and \
                 creates `{to}`."
            ),
            "renamed",
        ),
        AddressCause::Moved => {
            let pairs: Vec<String> =
                change.addresses.iter().map(|(from, to)| format!("`{from}` to `{to}`")).collect();
            let what = match change.addresses.as_slice() {
                [_] => joined(&pairs),
                _ => format!("{}: {}", counted(pairs.len(), "block"), joined(&pairs)),
            };
            (
                "Moved to another module without a `moved` block",
                format!(
                    "The change moves {what}. Without a `moved` block for each, {product} destroys the objects and creates \
                     them again."
                ),
                "moved",
            )
        }
        AddressCause::Repeated(before, after) => {
            let summary = match after {
                Repetition::Count => "`count` without a `moved` block",
                Repetition::ForEach => "`for_each` without a `moved` block",
                Repetition::One => "Instance keys removed without a `moved` block",
            };
            let (label, instances, new) = match (before, after) {
                (_, Repetition::One) => ("has no instance keys", "instances", "a new one"),
                (Repetition::One, _) => ("adds a key to the address", "instance", "new ones"),
                _ => ("changes the keys in the addresses", "instances", "new ones"),
            };
            (
                summary,
                format!(
                    "`{from}` had {} before the change. Without a `moved` block, {product} destroys its existing {instances} \
                     and creates {new}.",
                    before.name()
                ),
                label,
            )
        }
    }
}

fn help(change: &AddressChange) -> String {
    let (from, to) = &change.addresses[0];
    match change.moves.as_deref() {
        Some([(from, to)]) => format!("add a `moved` block with `from = {from}` and `to = {to}`"),
        Some(moves) => format!("add {} `moved` blocks, one for each address", moves.len()),
        None if change.addresses.len() > 1 => {
            "add a `moved` block for each address, with the keys of the existing instances".to_owned()
        }
        None => {
            let moves = match change.cause {
                AddressCause::Repeated(Repetition::One, after) => format!(
                    "add a `moved` block from `{from}` to the instance that keeps the existing object, such as `{to}{}`",
                    example_key(after)
                ),
                AddressCause::Repeated(before, Repetition::One) => format!(
                    "add a `moved` block from the instance to keep, such as `{from}{}`, to `{to}`",
                    example_key(before)
                ),
                AddressCause::Repeated(before, after) => format!(
                    "add a `moved` block for each instance to keep, such as from `{from}{}` to `{to}{}`",
                    example_key(before),
                    example_key(after)
                ),
                AddressCause::Renamed | AddressCause::Moved => format!(
                    "add a `moved` block for each existing instance, from `{from}` to `{to}` with the keys of the \
                     instances"
                ),
            };
            let has_example = moves.contains(EXAMPLE_KEY);
            moves + if has_example { ", where KEY is the key of the instance" } else { "" }
        }
    }
}

/// A placeholder for a key of `for_each`.
const EXAMPLE_KEY: &str = "[\"KEY\"]";

/// The form of an instance key in an address.
const fn example_key(repetition: Repetition) -> &'static str {
    match repetition {
        Repetition::One => "",
        Repetition::Count => "[0]",
        Repetition::ForEach => EXAMPLE_KEY,
    }
}

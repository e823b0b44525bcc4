#![doc = include_str!("../../policies/rules/moved-target-missing.md")]

use std::cell::{LazyCell, RefCell};
use std::collections::BTreeSet;

use hashbrown::{HashMap, HashSet};
use smol_str::{SmolStr, format_smolstr};

use super::{Configure, Context, Node, Options, Page, Rule, page};
use crate::finding::{Concern, Finding};
use crate::graph::{NodeId, Values};
use crate::module::Module;
use crate::module::address::{ConfigAddress, InstanceKey, MoveEndpoint, RemoveTarget, ResourceAddress};
use crate::module::declaration::{Moved, Repeated};
use crate::text::{Span, Suggestions, may_be_near, nearest};

pub(super) struct MovedTargetMissing {
    /// Whether to report blocks that may be mere history: neither end is declared, and no name resembles the target.
    history: bool,
}

impl Configure for MovedTargetMissing {
    const OPTIONS: &'static [&'static str] = &["history"];

    fn configure(options: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self { history: options.flag("history")?.unwrap_or_default() })
    }
}

impl Rule for MovedTargetMissing {
    const PAGE: Page = page!("moved-target-missing");

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let (suggestions, mentioned) = (Suggestions::default(), mentioned(node.module()));
        let earlier = LazyCell::new(|| before(node, context));
        let is_new = |moved: &Moved| {
            earlier.as_ref().is_some_and(|earlier| ends(moved).is_none_or(|ends| !earlier.contains(&ends)))
        };
        findings.extend(
            node.module().removed.iter().filter_map(|removed| still_kept(node, removed.from.as_ref()?)),
        );
        let of_pairs = ambiguous(&node.module().moved);
        let mut fails = !of_pairs.is_empty();
        findings.extend(of_pairs);
        let objects = Objects::default();
        for moved in &node.module().moved {
            let (Some(from), Some(to)) = (&moved.from, &moved.to) else { continue };
            if from.to_string() == to.to_string() {
                findings.push(redundant(from, to));
                fails = true;
                continue;
            }
            let is_instance = from.has_last_key() || to.has_last_key();
            let is_absent = matches!(objects.look_for(node, to, is_instance), Sight::Absent);
            let seen = objects.look_for(node, from, is_instance);
            let meant = nearest_target(node, to, &mentioned, &suggestions);
            let is_reported =
                || self.history || meant.is_some() || matches!(seen, Sight::Declared { .. }) || is_new(moved);
            if is_absent && is_reported() {
                let may_be_removed =
                    node.module().features.grammar.removed && matches!(seen, Sight::Absent | Sight::Other);
                findings.push(not_declared(from, to, meant, may_be_removed));
            }
            if let Sight::Declared { at, is_certain: true } = seen {
                findings.push(still_declared(from, to, at, is_absent));
                fails = true;
            }
        }
        // The engine reports these only if there is no other error.
        if !fails {
            findings.extend(cyclic(&node.module().moved));
        }
    }
}

/// The finding about a block that moves an address to itself.
fn redundant(from: &MoveEndpoint, to: &MoveEndpoint) -> Finding {
    MovedTargetMissing::finding("Source and target of the move are the same")
        .detail("Nothing is moved: `plan` fails with \"Redundant move statement\".")
        .at(to.span)
        .label("the same address")
        .related(from.span, "moved from here")
        .help("remove this block, or correct one of the two addresses")
        .address("moved")
        .concerns(Concern::Name(format_smolstr!("{to}")))
}

/// The finding about a target that is not declared. `meant` is an address that may be meant instead.
fn not_declared(
    from: &MoveEndpoint,
    to: &MoveEndpoint,
    meant: Option<String>,
    may_be_removed: bool,
) -> Finding {
    let help = if may_be_removed {
        "correct the address, or replace this block with a `removed` block"
    } else {
        "correct the address, or remove this block"
    };
    MovedTargetMissing::finding("Target of a move is not declared")
        .detail(format!(
            "`{to}` is not declared, so an object that is moved there from `{from}` is destroyed."
        ))
        .at(to.span)
        .label("not declared")
        .related(from.span, "moved from here")
        .help(help)
        .meant(meant)
        .address("moved")
        .concerns(Concern::Name(format_smolstr!("{to}")))
}

/// The findings about blocks that move two objects to one address, or one object to two.
fn ambiguous(moves: &[Moved]) -> Vec<Finding> {
    let (mut sources, mut targets) = (HashMap::new(), HashMap::new());
    let mut findings = Vec::new();
    let ends = moves.iter().filter_map(|moved| Some((moved.from.as_ref()?, moved.to.as_ref()?)));
    for (from, to) in ends.filter(|(from, to)| from.to_string() != to.to_string()) {
        // The move of a whole object does not compete with that of an instance.
        let is_instance = from.has_last_key() || to.has_last_key();
        let first_target = *sources.entry((from.to_string(), is_instance)).or_insert(to);
        let first_source = *targets.entry((to.to_string(), is_instance)).or_insert(from);
        let (what, at, first) = if first_target.to_string() != to.to_string() {
            (format!("`{from}` moves to `{first_target}` too"), to, first_target)
        } else if first_source.to_string() != from.to_string() {
            (format!("`{first_source}` moves to `{to}` too"), from, first_source)
        } else {
            continue;
        };
        findings.push(
            MovedTargetMissing::finding("Ambiguous move")
                .detail(format!("{what}, so `plan` fails with \"Ambiguous move statements\"."))
                .at(at.span)
                .related(first.span, "the other block")
                .help("remove one of the blocks, or correct its addresses; an object that moved twice needs one block for each step")
                .address("moved")
                .concerns(Concern::Name(format_smolstr!("{to}"))),
        );
    }
    findings
}

/// The findings about blocks that move an object back to an earlier address.
fn cyclic(moves: &[Moved]) -> Vec<Finding> {
    let ends = moves.iter().filter_map(|moved| Some((moved.from.as_ref()?, moved.to.as_ref()?)));
    let ends: Vec<_> = ends.collect();
    let next: HashMap<String, usize> =
        ends.iter().enumerate().map(|(number, (from, _))| (from.to_string(), number)).collect();
    // The first block of the chain in which each block was seen.
    let mut seen = vec![None; ends.len()];
    let mut findings = Vec::new();
    for first in 0..ends.len() {
        let mut at = first;
        while seen[at].is_none() {
            seen[at] = Some(first);
            let Some(then) = next.get(&ends[at].1.to_string()) else { break };
            at = *then;
            if seen[at] == Some(first) {
                findings.push(cycle(&ends, &next, at));
            }
        }
    }
    findings
}

/// The finding about the cycle that a block is part of.
fn cycle(ends: &[(&MoveEndpoint, &MoveEndpoint)], next: &HashMap<String, usize>, part: usize) -> Finding {
    let after = |at: &usize| next.get(&ends[*at].1.to_string()).copied().filter(|then| *then != part);
    let mut parts: Vec<usize> = std::iter::successors(Some(part), after).collect();
    parts.sort_unstable();
    let (from, to) = ends[parts[0]];
    MovedTargetMissing::finding("Cyclic moves")
        .detail(format!(
            "An object that moves from `{from}` to `{to}` moves on and comes back, so `plan` fails with \"Cyclic \
             dependency in move statements\"."
        ))
        .at(to.span)
        .related_all(parts[1..].iter().map(|part| ends[*part].1.span), "and moves here")
        .help("remove the blocks for moves that are undone")
        .address("moved")
        .concerns(Concern::Name(format_smolstr!("{to}")))
}

/// The finding about an object that a `removed` block names although it is declared.
fn still_kept(node: Node<'_>, from: &RemoveTarget) -> Option<Finding> {
    let address = &from.address;
    let declared = declared_at(node, address)?;
    let what = if address.resource.is_some() { "resource" } else { "module" };
    Some(
        MovedTargetMissing::finding("Removed object is still declared")
            .detail(format!(
                "The block declares that this {what} was removed, but it still exists, so `plan` fails."
            ))
            .at(from.span)
            .label("still declared")
            .related(declared, "declared here")
            .help(format!("remove the block `{address}`, or remove the `removed` block"))
            .address("removed")
            .concerns(Concern::Name(format_smolstr!("{address}"))),
    )
}

/// The finding about a moved object that is declared at `at`, whose target may be absent.
fn still_declared(from: &MoveEndpoint, to: &MoveEndpoint, at: Span, is_absent: bool) -> Finding {
    let help = if is_absent && from.path.is_empty() && to.path.is_empty() {
        format!("rename the block `{from}` to `{to}`, or remove the `moved` block")
    } else {
        format!("remove the block `{from}`, or remove the `moved` block")
    };
    MovedTargetMissing::finding("Moved object is still declared")
        .detail(format!(
            "`{from}` is still declared, so it cannot be moved to `{to}`: `plan` fails with \"Moved object still \
             exists\"."
        ))
        .at(from.span)
        .label("still declared")
        .related(at, "declared here")
        .help(help)
        .address("moved")
        .concerns(Concern::Name(format_smolstr!("{from}")))
}

/// The resource or module call of this module whose name is most similar to a target. Addresses that another `moved`
/// block names (`mentioned`) are left out, and so are names that differ only in a number.
fn nearest_target(
    node: Node<'_>,
    to: &MoveEndpoint,
    mentioned: &BTreeSet<String>,
    suggestions: &Suggestions,
) -> Option<String> {
    let module = node.module();
    let is_other = |name: &str, wanted: &str, address: &dyn Fn() -> String| {
        may_be_near(wanted, name)
            && without_digits(name) != without_digits(wanted)
            && !mentioned.contains(&address())
    };
    match (&to.resource, to.path.as_slice()) {
        (Some(resource), []) => {
            let wanted = &resource.resource;
            let known = module.resources.keys().take_while(|_| suggestions.may_compare());
            let alike = known.filter(|other| {
                other.mode == wanted.mode
                    && other.kind == wanted.kind
                    && is_other(&other.name, &wanted.name, &|| other.to_string())
            });
            let name = nearest(&wanted.name, alike.map(|other| other.name.as_str()))?;
            Some(ResourceAddress { name: name.into(), ..wanted.clone() }.to_string())
        }
        (None, [step]) => {
            let names = module.calls.keys().take_while(|_| suggestions.may_compare()).map(SmolStr::as_str);
            let alike = names.filter(|name| is_other(name, &step.name, &|| format!("module.{name}")));
            Some(format!("module.{}", nearest(&step.name, alike)?))
        }
        _ => None,
    }
}

/// The addresses that `moved` blocks name.
fn mentioned(module: &Module) -> BTreeSet<String> {
    let ends = module.moved.iter().flat_map(|moved| [moved.from.as_ref(), moved.to.as_ref()]);
    ends.flatten().map(|end| end.config().to_string()).collect()
}

fn without_digits(name: &str) -> String {
    name.chars().filter(|char| !char.is_ascii_digit()).collect()
}

/// Both endpoints of a block, as written in messages.
type Ends = (String, String);

fn ends(moved: &Moved) -> Option<Ends> {
    Some((moved.from.as_ref()?.to_string(), moved.to.as_ref()?.to_string()))
}

/// The blocks that existed before the change.
fn before(node: Node<'_>, context: &Context<'_>) -> Option<HashSet<Ends>> {
    let (before, _) = context.before(node.module())?;
    Some(before.module().moved.iter().filter_map(ends).collect())
}

/// The declaration of an object, in this module or in one that it calls.
fn declared_at(node: Node<'_>, address: &ConfigAddress) -> Option<Span> {
    let mut at = node;
    let mut declared = None;
    for name in &address.path {
        declared = Some(at.module().calls.get(name)?.origin.header());
        if address.resource.is_some() || Some(name) != address.path.last() {
            at = at.child(name)?;
        }
    }
    match &address.resource {
        Some(resource) => Some(at.module().resources.get(resource)?.origin.header()),
        None => declared,
    }
}

/// What is known of the object at an address.
enum Sight {
    /// Declared. It is certain or not that the address is that of an object in every plan.
    Declared { at: Span, is_certain: bool },
    /// Not declared, and no block records what happened to it.
    Absent,
    /// Moved on, removed, or unknown.
    Other,
}

/// Looks for objects, with the values of each module.
#[derive(Default)]
struct Objects<'t> {
    values: RefCell<HashMap<NodeId, Values<'t>>>,
}

impl<'t> Objects<'t> {
    /// What is known of an endpoint. `is_instance` is true if one of the endpoints has a key at its end, so that both
    /// are instances.
    fn look_for(&self, node: Node<'t>, endpoint: &MoveEndpoint, is_instance: bool) -> Sight {
        let resource = endpoint.resource.as_ref().map(|resource| &resource.resource);
        let key = endpoint.resource.as_ref().and_then(|resource| resource.key.as_ref());
        let mut is_left_behind = node.is_left_by_callers(&endpoint.config());
        let absent = |is_left_behind| if is_left_behind { Sight::Other } else { Sight::Absent };
        let mut is_certain = true;
        let mut at = node;
        let mut path = endpoint.path.as_slice();
        loop {
            let module = at.module();
            if !module.complete {
                return Sight::Other;
            }
            is_left_behind |= module.is_left(&ConfigAddress::of(path, resource));
            let Some((step, rest)) = path.split_first() else { break };
            let Some(call) = module.calls.get(&step.name) else { return absent(is_left_behind) };
            let has_instance = || call.enabled.is_none() && self.has(at, call.repeated(), step.key.as_ref());
            if rest.is_empty() && resource.is_none() {
                let is_certain = is_certain && (!is_instance || has_instance());
                return Sight::Declared { at: call.origin.header(), is_certain };
            }
            // Without a key, the address is not that of an instance of a call with `count` or `for_each`.
            if call.is_repeated() && step.key.is_none() {
                return Sight::Other;
            }
            is_certain &= has_instance();
            let Some(child) = at.child(&step.name) else { return Sight::Other };
            (at, path) = (child, rest);
        }
        match resource.map(|address| at.module().resources.get(address)) {
            Some(Some(found)) => {
                let has_instance = || found.enabled.is_none() && self.has(at, found.repeated(), key);
                let is_certain = is_certain && (!is_instance || has_instance());
                Sight::Declared { at: found.origin.header(), is_certain }
            }
            Some(None) => absent(is_left_behind),
            None => Sight::Other,
        }
    }

    /// Whether a block certainly has an instance with this key, or without one.
    fn has(&self, node: Node<'t>, repeated: Repeated<'_>, key: Option<&InstanceKey>) -> bool {
        let mut values = self.values.borrow_mut();
        let values = values.entry(node.id()).or_insert_with(|| node.values());
        values.have_instance(repeated, key) == Some(true)
    }
}

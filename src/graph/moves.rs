//! What a plan refuses in `moved` and `removed` blocks, whatever the state is, as `ValidateMoves` and
//! `validateRemoveStatements` in Terraform's `internal/refactoring` do.

use std::cell::RefCell;

use hashbrown::HashMap;
use smol_str::format_smolstr;

use crate::finding::{Concern, EngineRule, Finding, make_warnings};
use crate::graph::{Node, NodeId, Values};
use crate::module::address::{ConfigAddress, InstanceKey, MoveEndpoint, MovedAddress};
use crate::module::declaration::{Moved, Removed, Repeated};
use crate::text::Span;

/// Reports `moved` and `removed` blocks of a module that contradict its declarations or each other.
pub(super) fn check(node: Node<'_>, findings: &mut Vec<Finding>) {
    let module = node.module();
    let before = findings.len();
    findings.extend(module.removed.iter().filter_map(|removed| still_kept(node, removed)));
    // The engine stops there. It evaluates moves once for each instance of the module.
    if findings.len() > before || module.moved.is_empty() || has_no_instances(node) {
        return;
    }
    let mut of_moves = of_moves(node);
    if !of_moves.is_empty() && !node.is_planned() {
        make_warnings(&mut of_moves);
    }
    findings.extend(of_moves);
}

/// The errors about the `moved` blocks of a module.
fn of_moves(node: Node<'_>) -> Vec<Finding> {
    let module = node.module();
    let mut findings = Vec::new();
    let objects = MovedObjects::default();
    for moved in &module.moved {
        let (Some(from), Some(to)) = (&moved.from, &moved.to) else { continue };
        if from.address() == to.address() {
            findings.push(redundant(moved, to));
            continue;
        }
        let is_instance = from.has_last_key() || to.has_last_key();
        if let Sight::Declared { at, is_certain: true } = objects.look_for(node, from, is_instance) {
            let is_absent = matches!(objects.look_for(node, to, is_instance), Sight::Absent);
            findings.push(still_declared(moved, from, to, at, is_absent));
        }
    }
    findings.extend(ambiguous(&module.moved));
    // The engine reports these only if there is no other error.
    if findings.is_empty() {
        findings.extend(cyclic(&module.moved));
    }
    findings
}

/// Whether all calls of a module certainly make no instances.
fn has_no_instances(node: Node<'_>) -> bool {
    let mut calls = node.callers().peekable();
    calls.peek().is_some() && calls.all(|(caller, call)| caller.has_no_instances(call.repeated()))
}

/// An error about a block of a kind, and about the object at an address.
fn refused(kind: &str, summary: &str, address: &dyn std::fmt::Display) -> Finding {
    Finding::language(EngineRule::InvalidMovedRemovedImport, summary)
        .at_plan()
        .address(kind)
        .concerns(Concern::Name(format_smolstr!("{address}")))
}

/// The finding about an object that a `removed` block names although it is declared.
fn still_kept(node: Node<'_>, removed: &Removed) -> Option<Finding> {
    let from = removed.from.as_ref()?;
    let declared = declared_at(node, &from.address)?;
    let features = &node.module().features;
    let (what, summary) = match from.address.resource {
        Some(_) => ("resource", features.summaries.removed_resource_exists),
        None => ("module", features.summaries.removed_module_exists),
    };
    let finding = refused("removed", summary, &from.address)
        .detail(format!("A `removed` block declares that this {what} was removed, but it is still declared."))
        .help(format!("remove the block `{}`, or remove the `removed` block", from.address));
    Some(if features.removed_refused_at_header {
        finding.at(removed.block.header).related(declared, "declared here")
    } else {
        finding.at(declared).related(from.span, "removed here")
    })
}

/// The finding about a block that moves an address to itself.
fn redundant(moved: &Moved, to: &MoveEndpoint) -> Finding {
    refused("moved", "Redundant move statement", to)
        .detail("Both addresses are the same, so nothing is moved.")
        .at(moved.block.header)
        .help("remove this block, or correct one of the two addresses")
}

/// The finding about a moved object that is declared at `at`, whose target may be absent.
fn still_declared(
    moved: &Moved,
    from: &MoveEndpoint,
    to: &MoveEndpoint,
    at: Span,
    is_absent: bool,
) -> Finding {
    let is_in_block = from.has_last_key() || from.path.iter().any(|step| step.key.is_some());
    let help = if is_in_block {
        format!("remove the instance `{from}` from its block, or remove the `moved` block")
    } else if is_absent && from.path.is_empty() && to.path.is_empty() {
        format!("rename the block `{from}` to `{to}`, or remove the `moved` block")
    } else {
        format!("remove the block `{from}`, or remove the `moved` block")
    };
    refused("moved", "Moved object still exists", from)
        .detail(format!("`{from}` is still declared, so it cannot be moved to `{to}`."))
        .at(moved.block.header)
        .related(at, "declared here")
        .help(help)
}

/// The findings about blocks that move two objects to one address, or one object to two.
fn ambiguous(moves: &[Moved]) -> Vec<Finding> {
    let (mut sources, mut targets) = (HashMap::new(), HashMap::new());
    let mut findings = Vec::new();
    for moved in moves {
        let (Some(from), Some(to)) = (&moved.from, &moved.to) else { continue };
        if from.address() == to.address() {
            continue;
        }
        // The move of a whole object does not compete with that of an instance.
        let is_instance = from.has_last_key() || to.has_last_key();
        let first_target = *sources.entry((from.address(), is_instance)).or_insert(to);
        let first_source = *targets.entry((to.address(), is_instance)).or_insert(from);
        let (what, first) = if first_target.address() != to.address() {
            (format!("`{from}` moves to `{first_target}` too."), first_target)
        } else if first_source.address() != from.address() {
            (format!("`{first_source}` moves to `{to}` too."), first_source)
        } else {
            continue;
        };
        findings.push(
            refused("moved", "Ambiguous move statements", to)
                .detail(what)
                .at(moved.block.header)
                .related(first.span, "in the other block")
                .help(
                    "remove one of the blocks, or correct its addresses; an object that moved twice needs one block \
                     for each step",
                ),
        );
    }
    findings
}

/// The findings about blocks that move an object back to an earlier address.
fn cyclic(moves: &[Moved]) -> Vec<Finding> {
    let ends = moves.iter().filter_map(|moved| Some((moved.from.as_ref()?, moved.to.as_ref()?)));
    let ends: Vec<_> = ends.collect();
    let next: HashMap<MovedAddress<'_>, usize> =
        ends.iter().enumerate().map(|(number, (from, _))| (from.address(), number)).collect();
    // The first block of the chain in which each block was seen.
    let mut seen = vec![None; ends.len()];
    let mut findings = Vec::new();
    for first in 0..ends.len() {
        let mut at = first;
        while seen[at].is_none() {
            seen[at] = Some(first);
            let Some(then) = next.get(&ends[at].1.address()) else { break };
            at = *then;
            if seen[at] == Some(first) {
                findings.push(cycle(&ends, &next, at));
            }
        }
    }
    findings
}

/// The finding about the cycle that a block is part of. The engine names no place.
fn cycle(
    ends: &[(&MoveEndpoint, &MoveEndpoint)],
    next: &HashMap<MovedAddress<'_>, usize>,
    part: usize,
) -> Finding {
    let after = |at: &usize| next.get(&ends[*at].1.address()).copied().filter(|then| *then != part);
    let mut parts: Vec<usize> = std::iter::successors(Some(part), after).collect();
    parts.sort_unstable();
    let (from, to) = ends[parts[0]];
    refused("moved", "Cyclic dependency in move statements", to)
        .detail(format!("An object that moves from `{from}` to `{to}` moves on and comes back."))
        .related_all(parts.iter().map(|part| ends[*part].1.span), "moves here")
        .help("remove the blocks for moves that are undone")
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
#[derive(Debug)]
pub(crate) enum Sight {
    /// Declared.
    Declared {
        /// The declaration.
        at: Span,
        /// Whether every plan has that object.
        is_certain: bool,
    },
    /// Not declared, and no block records what happened to it.
    Absent,
    /// Moved on, removed, or unknown.
    Other,
}

/// Looks for moved objects, with the values of each module.
#[derive(Default)]
pub(crate) struct MovedObjects<'t> {
    values: RefCell<HashMap<NodeId, Values<'t>>>,
}

impl<'t> MovedObjects<'t> {
    /// What is known of an endpoint. `is_instance` is true if one of the endpoints has a key at its end, so that both
    /// are instances.
    pub(crate) fn look_for(&self, node: Node<'t>, endpoint: &MoveEndpoint, is_instance: bool) -> Sight {
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

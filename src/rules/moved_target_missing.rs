#![doc = include_str!("../../policies/rules/moved-target-missing.md")]

use std::cell::LazyCell;
use std::collections::BTreeSet;

use hashbrown::HashSet;
use smol_str::{SmolStr, format_smolstr};

use super::{Configure, Context, Node, Options, Page, Rule, page};
use crate::finding::{Concern, Finding};
use crate::graph::{MovedObjects, Sight};
use crate::module::Module;
use crate::module::address::{MoveEndpoint, ResourceAddress};
use crate::module::declaration::Moved;
use crate::text::{Suggestions, may_be_near, nearest};

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
        let objects = MovedObjects::default();
        for moved in &node.module().moved {
            let (Some(from), Some(to)) = (&moved.from, &moved.to) else { continue };
            // The engine reports that.
            if from.address() == to.address() {
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
        }
    }
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

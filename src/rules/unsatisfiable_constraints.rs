#![doc = include_str!("../../policies/rules/unsatisfiable-constraints.md")]

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::{Context, Rule};
use crate::finding::Finding;
use crate::module::Module;
use crate::module::address::ProviderAddress;
use crate::policy::Options;
use crate::text::Span;
use crate::tree::Node;
use crate::value::Constraints;

pub(super) struct UnsatisfiableConstraints;

impl Rule for UnsatisfiableConstraints {
    const ID: &'static str = "unsatisfiable-constraints";

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        for (subject, demands) in demanded_below(node) {
            if can_be_met(&demands) {
                continue;
            }
            // Where the demands of a called module clash already, they are told there.
            let of_child = |child: Node<'_>| demanded_below(child).remove(&subject);
            let mut children = node.calls().filter_map(|(call, _)| node.child(&call.name));
            if children.any(|child| of_child(child).is_some_and(|demands| !can_be_met(&demands))) {
                continue;
            }
            findings.push(clash(node.module(), &subject, &demands));
        }
    }
}

/// What versions are asked for of: a provider, or, where that is none, the engine itself.
type Subject = Option<ProviderAddress>;

/// One constraint of a module.
#[derive(Clone)]
struct Demand {
    constraints: Constraints,
    text: SmolStr,
    at: Span,
    /// The call that leads to the module; none for the module that is looked at.
    via: Option<Span>,
}

fn can_be_met(demands: &[Demand]) -> bool {
    Constraints::all(demands.iter().map(|demand| &demand.constraints)).can_be_met()
}

/// What a module and all below it ask for, its own demands first.
fn demanded_below(node: Node<'_>) -> BTreeMap<Subject, Vec<Demand>> {
    let mut demands = BTreeMap::new();
    let mut seen = BTreeSet::from([node.id()]);
    let mut level = vec![(node, None)];
    while !level.is_empty() {
        let mut next = Vec::new();
        for (node, via) in level {
            demanded(node.module(), via, &mut demands);
            for (call, _) in node.calls() {
                if let Some(child) = node.child(&call.name)
                    && seen.insert(child.id())
                {
                    next.push((child, via.or(Some(call.origin.header()))));
                }
            }
        }
        level = next;
    }
    demands
}

/// Adds what a module asks for by itself.
fn demanded(module: &Module, via: Option<Span>, into: &mut BTreeMap<Subject, Vec<Demand>>) {
    let of_engine = module.required_versions.iter().map(|version| (None, version));
    let required = module
        .required_providers
        .values()
        .filter_map(|entry| Some((Some(entry.address.clone()), entry.version.as_ref()?)));
    let configured = module
        .providers
        .values()
        .filter_map(|block| Some((Some(module.provider_address(&block.name)?), block.version.as_ref()?)));
    for (subject, version) in of_engine.chain(required).chain(configured) {
        let Some(constraints) = &version.constraints else { continue };
        let constraints = if subject.is_some() { constraints.for_provider() } else { constraints.clone() };
        let demand = Demand { constraints, text: version.text.clone(), at: version.value_span, via };
        into.entry(subject).or_default().push(demand);
    }
}

fn clash(module: &Module, subject: &Subject, demands: &[Demand]) -> Finding {
    let (what, address) = match subject {
        Some(provider) => {
            let provider = provider.display(module.features.registry_host);
            (provider.clone(), format!("required_providers.{provider}"))
        }
        None => (module.features.engine.product.name().into(), "terraform.required_version".to_owned()),
    };
    // Of two that clash the one that is nearer is pointed at; below this module it is the call that leads there.
    let clashing = demands.iter().enumerate().find_map(|(number, demand)| {
        let clashes = |other: &&Demand| !demand.constraints.agree_with(&other.constraints);
        demands[number..].iter().find(clashes).map(|other| (demand, other))
    });
    let (first, detail) = match clashing {
        Some((first, other)) if first.at == other.at => {
            (first, format!("No version of {what} meets {:?}.", first.text.as_str()))
        }
        Some((first, other)) => {
            let (one, another) = (first.text.as_str(), other.text.as_str());
            (first, format!("No version of {what} meets both {one:?} and {another:?}, so `init` finds none."))
        }
        None => (&demands[0], format!("No version of {what} meets all of these, so `init` finds none.")),
    };
    let at = first.via.unwrap_or(first.at);
    let finding = UnsatisfiableConstraints::finding("Version constraints that cannot all be met")
        .detail(detail)
        .at(at)
        .help("change these constraints so that they have a version in common")
        .address(address);
    let others = demands.iter().filter(|demand| demand.at != at);
    others.fold(finding, |finding, demand| {
        finding.related(demand.at, format!("asks for {:?}", demand.text.as_str()))
    })
}

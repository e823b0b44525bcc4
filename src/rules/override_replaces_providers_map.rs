#![doc = include_str!("../../policies/rules/override-replaces-providers-map.md")]

use smol_str::SmolStr;

use super::{Context, Rule};
use crate::finding::Finding;
use crate::policy::Options;
use crate::syntax::{Attribute, MapKey, StepKind};
use crate::tree::Node;

pub(super) struct OverrideReplacesProvidersMap;

impl Rule for OverrideReplacesProvidersMap {
    const ID: &'static str = "override-replaces-providers-map";

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        for call in node.module().calls.values() {
            let mut maps = call.origin.written("providers");
            // An empty map replaces nothing.
            maps.retain(|map| !keys(map).is_empty());
            let [first, .., later] = maps.as_slice() else { continue };
            let repeated = keys(later);
            let lost = keys(first).into_iter().filter(|key| !repeated.contains(key));
            let lost: Vec<String> = lost.map(|key| format!("`{key}`")).collect();
            if lost.is_empty() {
                continue;
            }
            findings.push(
                Self::finding("Override replaces the whole providers map")
                    .detail(format!(
                        "The entries of `providers` are not merged one by one, and {} is no longer passed.",
                        lost.join(", ")
                    ))
                    .at(later.span)
                    .label("replaces the whole map")
                    .related(first.span, "is replaced")
                    .help("repeat in the override file the entries that are to stay")
                    .address(format!("module.{}", call.name)),
            );
        }
    }
}

/// The names on the left, as `name` or `name.alias`.
fn keys(map: &Attribute) -> Vec<SmolStr> {
    let pairs = map.expr.as_map().unwrap_or_default();
    let name = |key: MapKey<'_>| {
        let address = key.as_traversal()?;
        let alias = address.steps.first().map(|step| &step.kind);
        match alias {
            None => Some(address.root.clone()),
            Some(StepKind::Attribute(alias)) => Some(smol_str::format_smolstr!("{}.{alias}", address.root)),
            Some(StepKind::Key(_) | StepKind::Number(_)) => None,
        }
    };
    pairs.into_iter().filter_map(|(key, _)| name(key)).collect()
}

#![doc = include_str!("../../policies/rules/override-replaces-providers-map.md")]

use smol_str::SmolStr;

use super::mend::passed_name;
use super::{Context, Rule};
use crate::finding::{Edit, Finding, Fix, Safety};
use crate::graph::Node;
use crate::policy::Options;
use crate::syntax::Attribute;

pub(super) struct OverrideReplacesProvidersMap;

impl Rule for OverrideReplacesProvidersMap {
    const ID: &'static str = "override-replaces-providers-map";
    const FIXES: &'static [Safety] = &[Safety::Unsafe];

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        for call in node.module().calls.values().filter(|call| !call.origin.overrides.is_empty()) {
            let mut maps = call.origin.written("providers");
            // An empty map replaces nothing.
            maps.retain(|map| !keys(map).is_empty());
            let [first, .., later] = maps.as_slice() else { continue };
            let repeated = keys(later);
            let lost = keys(first).into_iter().filter(|key| !repeated.contains(key));
            let lost: Vec<SmolStr> = lost.collect();
            if lost.is_empty() {
                continue;
            }
            let edit = kept(first, later, &lost, context);
            let lost: Vec<String> = lost.iter().map(|key| format!("`{key}`")).collect();
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
                    .fixed_by(edit.map(|edit| Fix::on_request([edit])))
                    .address(format!("module.{}", call.name)),
            );
        }
    }
}

/// The names on the left, as `name` or `name.alias`.
fn keys(map: &Attribute) -> Vec<SmolStr> {
    let pairs = map.expr.as_map().unwrap_or_default();
    pairs.iter().filter_map(|(key, _)| passed_name(key)).collect()
}

/// Repeats the lost entries in the later map.
fn kept(first: &Attribute, later: &Attribute, lost: &[SmolStr], context: &Context<'_>) -> Option<Edit> {
    let source = context.editor(first.span.file)?;
    let pairs = first.expr.as_map()?;
    let is_lost = |name: Option<SmolStr>| name.is_some_and(|name| lost.contains(&name));
    let lost = pairs.iter().filter(|(key, _)| is_lost(passed_name(key)));
    let entries: Vec<String> = lost
        .map(|(key, value)| format!("{} = {}", source.slice(key.span()), source.slice(value.span)))
        .collect();
    let editor = context.editor(later.span.file)?;
    let is_on_lines = editor.slice(later.expr.span).contains('\n');
    editor.add_item(&later.expr, &entries.join(if is_on_lines { "\n" } else { ", " }), false)
}

#![doc = include_str!("../../policies/rules/override-replaces-providers-map.md")]

use std::collections::BTreeSet;

use smol_str::SmolStr;

use super::support::edits::{argument, listed, passed_name};
use super::{Context, Node, Page, Rule, page};
use crate::finding::{Edit, Finding, Fix, Safety};
use crate::module::Module;
use crate::syntax::{Attribute, Expr, MapKey, quoted};
use crate::text::{FileId, joined};

pub(super) struct OverrideReplacesProvidersMap;

impl Rule for OverrideReplacesProvidersMap {
    const PAGE: Page = page!("override-replaces-providers-map");
    const FIXES: &'static [Safety] = &[Safety::Unsafe];

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        for call in node.module().calls.values().filter(|call| !call.origin.overrides.is_empty()) {
            let mut maps = call.origin.written("providers");
            // An empty map replaces nothing.
            maps.retain(|map| !entries(map).is_empty());
            let [first, .., later] = maps.as_slice() else { continue };
            let repeated: BTreeSet<SmolStr> = entries(later).into_iter().map(|entry| entry.name).collect();
            // Terraform and OpenTofu report a missing configuration.
            let child = node.child(&call.name).map(Node::module);
            let required = child.into_iter().flat_map(|child| child.required_providers.values());
            let required = required.flat_map(|entry| &entry.aliases).map(|alias| alias.value.compact());
            let required: BTreeSet<SmolStr> = required.collect();
            let mut lost = entries(first);
            lost.retain(|entry| {
                let is_lost = !repeated.contains(&entry.name) && !required.contains(&entry.name);
                // Without `configuration_aliases`, only a module with an empty block takes an alias.
                let takes = |child: &Module| !child.complete || child.providers.contains_key(&entry.name);
                let is_taken = !entry.name.contains('.') || child.is_none_or(takes);
                is_lost && is_taken && !entry.is_inherited(context)
            });
            if lost.is_empty() {
                continue;
            }
            let edit = kept(first, later, &lost, context);
            let are = if lost.len() == 1 { "is" } else { "are" };
            Self::finding("Override replaces the whole providers map")
                .detail(format!(
                    "The entries of `providers` are not merged one by one, so {} {are} no longer passed.",
                    listed(lost.iter().map(|entry| entry.name.as_str())),
                ))
                .at(later.span)
                .label("replaces the whole map")
                .related(first.span, "is replaced")
                .help(format!("add {} to the map", shown(&lost, later.span.file, context)))
                .fixed_by(edit.map(|edit| Fix::on_request([edit])))
                .address(format!("module.{}", call.name))
                .push_to(findings);
        }
    }
}

/// An entry of a `providers` map.
struct Entry<'m> {
    /// The key, as `name` or `name.alias`.
    name: SmolStr,
    key: MapKey<'m>,
    value: &'m Expr,
}

/// The entries of a map.
fn entries(map: &Attribute) -> Vec<Entry<'_>> {
    let pairs = map.expr.as_map().unwrap_or_default();
    let entry = |(key, value)| Some(Entry { name: passed_name(&key)?, key, value });
    pairs.into_iter().filter_map(entry).collect()
}

impl Entry<'_> {
    /// The value, as written.
    fn passed<'c>(&self, context: &Context<'c>) -> &'c str {
        context.sources().slice(self.value.span).trim_matches('"')
    }

    /// Whether a module gets the same configuration without this entry: the default one of the same name.
    fn is_inherited(&self, context: &Context<'_>) -> bool {
        !self.name.contains('.') && self.passed(context) == self.name
    }
}

/// The lost entries, in the syntax of the file.
fn shown(lost: &[Entry<'_>], file: FileId, context: &Context<'_>) -> String {
    let is_json = context.file(file).is_some_and(|file| file.body.is_json());
    let entry = |entry: &Entry<'_>| {
        let value = entry.passed(context);
        argument(context, file, &entry.name, &if is_json { quoted(value) } else { value.to_owned() })
    };
    joined(&lost.iter().map(entry).collect::<Vec<_>>())
}

/// The edit that repeats the lost entries in the later map.
fn kept(first: &Attribute, later: &Attribute, lost: &[Entry<'_>], context: &Context<'_>) -> Option<Edit> {
    let source = context.editor(first.span.file)?;
    let entries: Vec<String> = lost
        .iter()
        .map(|entry| format!("{} = {}", source.slice(entry.key.span()), source.slice(entry.value.span)))
        .collect();
    let editor = context.editor(later.span.file)?;
    let is_on_lines = editor.slice(later.expr.span).contains('\n');
    editor.add_item(&later.expr, &entries.join(if is_on_lines { "\n" } else { ", " }), false)
}

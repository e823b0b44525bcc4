#![doc = include_str!("../../policies/rules/override-replaces-providers-map.md")]

use smol_str::SmolStr;

use super::support::edits::{argument, joined, listed, passed_name};
use super::{Context, Node, Page, Rule, page};
use crate::finding::{Edit, Finding, Fix, Safety};
use crate::syntax::{Attribute, quoted};
use crate::text::FileId;

pub(super) struct OverrideReplacesProvidersMap;

impl Rule for OverrideReplacesProvidersMap {
    const PAGE: Page = page!("override-replaces-providers-map");
    const FIXES: &'static [Safety] = &[Safety::Unsafe];

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        for call in node.module().calls.values().filter(|call| !call.origin.overrides.is_empty()) {
            let mut maps = call.origin.written("providers");
            // An empty map replaces nothing.
            maps.retain(|map| !keys(map).is_empty());
            let [first, .., later] = maps.as_slice() else { continue };
            let repeated = keys(later);
            let lost = keys(first).into_iter().filter(|key| !repeated.contains(key));
            // The child module inherits a default configuration of the same name anyway. Terraform and OpenTofu
            // report a missing configuration.
            let is_required = |key: &SmolStr| {
                let child = node.child(&call.name).map(Node::module);
                let mut entries = child.into_iter().flat_map(|child| child.required_providers.values());
                entries.any(|entry| entry.aliases.iter().any(|alias| alias.value.compact() == *key))
            };
            let lost = lost.filter(|key| !is_inherited(first, key, context) && !is_required(key));
            let lost: Vec<SmolStr> = lost.collect();
            if lost.is_empty() {
                continue;
            }
            let edit = kept(first, later, &lost, context);
            let are = if lost.len() == 1 { "is" } else { "are" };
            Self::finding("Override replaces the whole providers map")
                .detail(format!(
                    "The entries of `providers` are not merged one by one, so {} {are} no longer passed.",
                    listed(lost.iter().map(SmolStr::as_str)),
                ))
                .at(later.span)
                .label("replaces the whole map")
                .related(first.span, "is replaced")
                .help(format!("add {} to the map", entries(first, &lost, later.span.file, context)))
                .fixed_by(edit.map(|edit| Fix::on_request([edit])))
                .address(format!("module.{}", call.name))
                .push_to(findings);
        }
    }
}

/// The keys, as `name` or `name.alias`.
fn keys(map: &Attribute) -> Vec<SmolStr> {
    let pairs = map.expr.as_map().unwrap_or_default();
    pairs.iter().filter_map(|(key, _)| passed_name(key)).collect()
}

/// The value for a key, as written.
fn passed<'c>(map: &Attribute, key: &str, context: &Context<'c>) -> Option<&'c str> {
    let pairs = map.expr.as_map()?;
    let (_, value) = pairs.into_iter().find(|(name, _)| passed_name(name).as_deref() == Some(key))?;
    Some(context.sources().slice(value.span).trim_matches('"'))
}

/// Whether a module gets the same configuration without this entry.
fn is_inherited(map: &Attribute, key: &str, context: &Context<'_>) -> bool {
    !key.contains('.') && passed(map, key, context) == Some(key)
}

/// The lost entries, in the syntax of the file.
fn entries(map: &Attribute, lost: &[SmolStr], file: FileId, context: &Context<'_>) -> String {
    let is_json = context.file(file).is_some_and(|file| file.body.is_json());
    let entry = |key: &SmolStr| {
        let value = passed(map, key, context)?;
        Some(argument(context, file, key, &if is_json { quoted(value) } else { value.to_owned() }))
    };
    joined(&lost.iter().filter_map(entry).collect::<Vec<_>>())
}

/// The edit that repeats the lost entries in the later map.
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

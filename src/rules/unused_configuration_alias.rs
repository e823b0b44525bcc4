#![doc = include_str!("../../policies/rules/unused-configuration-alias.md")]

use std::cell::{LazyCell, OnceCell};
use std::collections::BTreeSet;

use hashbrown::HashSet;
use smol_str::SmolStr;

use super::support::edits::{entry, removals_in_calls};
use super::{Context, Page, Rule, page};
use crate::finding::{Concern, Edit, Finding, Fix, Safety};
use crate::graph::{Configuration, Node, NodeId, Role};
use crate::module::declaration::RequiredProvider;
use crate::syntax::Items;
use crate::text::Span;

pub(super) struct UnusedConfigurationAlias;

impl Rule for UnusedConfigurationAlias {
    const PAGE: Page = page!("unused-configuration-alias");
    const ASKS_FOR_ALL_SHARERS: bool = true;
    const FIXES: &'static [Safety] = &[Safety::Unsafe];
    const REVEALS: &'static [&'static str] =
        &["providers-map-redundant", Self::ID, "unused-required-provider"];
    const ROLES: &'static [Role] = &[Role::Shared];

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        // A plain name declares a default configuration, which may be inherited by modules from elsewhere.
        let asked = |entry: &RequiredProvider| entry.aliases.iter().any(|alias| alias.value.alias.is_some());
        let mut entries = module.required_providers.values().filter(|entry| asked(entry)).peekable();
        if entries.peek().is_none() || !module.is_whole() {
            // Something may use the alias that this directory does not show.
            return;
        }
        let used: HashSet<Configuration> = node
            .provider_mentions()
            .filter_map(|reference| Configuration::named(module, reference))
            .collect();
        let passed = node.callers().flat_map(|(_, call)| &call.providers);
        let passed: HashSet<SmolStr> = passed.map(|passed| passed.in_child.compact()).collect();
        let used_by_children = LazyCell::new(|| {
            let children: BTreeSet<NodeId> = node.child_calls().map(|(_, child)| child.id()).collect();
            let used = |child| node.graph().node(child).uses().configurations.keys();
            children.into_iter().flat_map(used).map(|used| &**used).collect::<HashSet<_>>()
        });
        let in_calls = OnceCell::new();
        for entry in entries {
            let removal = OnceCell::new();
            for alias in entry.aliases.iter().filter(|alias| alias.value.alias.is_some()) {
                let name = alias.value.compact();
                let configuration = Configuration::of(module, &alias.value.name, alias.value.alias.as_ref());
                // A called module may lack the configuration, which is an error of its own.
                if configuration.is_some_and(|one| used.contains(&one) || used_by_children.contains(&one)) {
                    continue;
                }
                let fix = || {
                    let removal = removal.get_or_init(|| Removal::of(context, entry)).as_ref()?;
                    let in_calls = in_calls.get_or_init(|| removals_in_calls(context, node)).as_ref()?;
                    let edit = removal.of_alias(alias.span)?;
                    let further = in_calls.get(&name).map_or(Some(&[][..]), |edits| edits.as_deref())?;
                    Some(Fix::on_request([edit].into_iter().chain(further.iter().cloned())))
                };
                let calls = if passed.contains(&name) {
                    " and from the `providers` argument of every call"
                } else {
                    ""
                };
                Self::finding("Unused configuration alias")
                    .detail(format!(
                        "Every call to this module must pass `{name}`, but the module neither uses it nor passes it \
                         on."
                    ))
                    .at(alias.span)
                    .help(format!("remove `{name}` from `configuration_aliases`{calls}"))
                    .fixed_by(fix())
                    .concerns(Concern::Provider(name.clone()))
                    .push_to(findings);
            }
        }
    }
}

/// Removes aliases from the list of an entry.
enum Removal<'c> {
    /// The only alias, with the whole argument.
    Argument(Edit),
    /// One of several.
    Item(Items<'c>),
}

impl<'c> Removal<'c> {
    fn of(context: &Context<'c>, required: &RequiredProvider) -> Option<Self> {
        let editor = context.editor(required.span.file)?;
        let entry = entry(context, required)?;
        let (key, aliases) = entry
            .expr
            .as_map()?
            .into_iter()
            .find(|(key, _)| key.keyword().as_deref() == Some("configuration_aliases"))?;
        if required.aliases.len() == 1 {
            let argument = key.span().to(aliases.span);
            return Some(Self::Argument(editor.items(&entry.expr)?.remove(argument)?));
        }
        Some(Self::Item(editor.items(aliases)?))
    }

    fn of_alias(&self, alias: Span) -> Option<Edit> {
        match self {
            Self::Argument(edit) => Some(edit.clone()),
            Self::Item(items) => items.remove(alias),
        }
    }
}

#![doc = include_str!("../../policies/rules/no-default-provider.md")]

use std::cell::LazyCell;
use std::collections::BTreeMap;

use hashbrown::HashMap;
use smol_str::SmolStr;

use super::support::edits::argument;
use super::{Context, Page, Rule, page};
use crate::finding::{Concern, Finding};
use crate::graph::{Configuration, Node, Reason, Role};
use crate::module::Module;
use crate::module::declaration::{ModuleCall, PassedProvider, ProviderConfiguration, ProviderRef, Resource};
use crate::syntax::quoted;
use crate::text::{Span, joined};

pub(super) struct NoDefaultProvider;

impl Rule for NoDefaultProvider {
    const PAGE: Page = page!("no-default-provider");
    const ROLES: &'static [Role] = &[Role::Root];

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        // A module with `configuration_aliases` is for callers, and inherits the default configuration from them.
        if !module.is_whole() || module.needs_configurations() || may_inherit(node) {
            return;
        }
        let mut blocks: BTreeMap<Configuration, Vec<&ProviderConfiguration>> = BTreeMap::new();
        for block in module.providers.values() {
            if let Some(provider) = module.provider_address(&block.name) {
                blocks.entry(Configuration::default_of(provider)).or_default().push(block);
            }
        }
        let calls = LazyCell::new(|| distinct_calls(node));
        let resources = LazyCell::new(|| first_resources(module));
        for (default, mut blocks) in blocks {
            let Some(needed) = node.uses().configurations.get(&default) else { continue };
            // Beside an alias without arguments, an empty default configuration is nothing new.
            if blocks.iter().any(|block| block.alias.is_none() || block.config.is_empty()) {
                continue;
            }
            blocks.sort_by_key(|block| block.origin.header());
            let Some(first) = blocks.first() else { continue };
            let name = &first.name;
            let (at, user, select) = match user(&default, &resources, &calls) {
                Some(user) => user.described(node, &default, &blocks, context),
                None => (needed.at, "This module".to_owned(), String::new()),
            };
            // A configuration with `for_each` needs a key, and the right one is unknown.
            let select = if first.for_each.is_some() || select.is_empty() {
                String::new()
            } else {
                format!(", or {select}")
            };
            let finding = Self::finding("No default provider configuration")
                .detail(format!(
                    "{user} uses the default configuration of `{name}`, but every `provider \"{name}\"` block in this module \
                     has an alias. Terraform and OpenTofu use an empty configuration instead."
                ))
                .at(at)
                .help(format!("add a `provider \"{name}\"` block without `alias`{select}"))
                .concerns(Concern::Provider(name.clone()));
            let aliased = blocks.iter().map(|block| block.origin.header());
            findings.push(finding.related_all(aliased, "a configuration with an alias"));
        }
        of_other_provider(node, findings);
    }
}

/// Whether the only evidence of a root module is provider blocks that all have an alias. A shared module that is called by
/// its address on a server may have such blocks, and inherits the default configuration from its callers.
fn may_inherit(node: Node<'_>) -> bool {
    node.role_with_reason().1 == Reason::Provider
        && node.module().providers.values().all(|block| block.alias.is_some())
}

/// Modules that use another provider with the local name of one that the root module configures. Configurations are
/// inherited by source address, so these modules get an empty one.
fn of_other_provider(node: Node<'_>, findings: &mut Vec<Finding>) {
    let module = node.module();
    let host = module.features.registry_host;
    for (key, need) in &node.uses().configurations {
        if key.alias.is_some() || need.by_name || need.node == node.id() || node.declares(key) {
            continue;
        }
        let user = node.graph().node(need.node);
        let name = user.local_name(key);
        let namesake = module.providers.get(&name).filter(|block| !block.config.is_empty());
        let (Some(block), None) = (namesake, node.requirements_of(&key.provider).next()) else { continue };
        let Some(other) = module.provider_address(&name).filter(|other| *other != key.provider) else {
            continue;
        };
        let entry = user.requirements_of(&key.provider).next();
        let (needed, configured) = (key.provider.display(host), other.display(host));
        // The engines warn about a second name for the provider that a block under its own name implies.
        let or_configure = if key.provider.name == name {
            String::new()
        } else {
            format!(", or configure {needed} in the root module too")
        };
        NoDefaultProvider::finding("No default provider configuration")
            .detail(format!(
                "`{name}` is {needed} in this module and {configured} in the root module. A configuration is inherited by \
                 source address, so the `provider \"{name}\"` block of the root module does not reach this module, and \
                 Terraform and OpenTofu use an empty configuration of {needed}."
            ))
            .at(entry.map_or(need.at, |entry| entry.value_span))
            .related(block.origin.header(), format!("configures {configured}"))
            .help(format!("set the same `source` for `{name}` in `required_providers` of both modules{or_configure}"))
            .concerns(Concern::Provider(name.clone()))
            .push_to(findings);
    }
}

/// A user of a default configuration.
enum User<'m> {
    Resource(Span, String),
    Call(&'m ModuleCall),
}

impl User<'_> {
    /// The location and the name of the user, and how it can use one of the configurations in `blocks` instead.
    fn described(
        &self,
        node: Node<'_>,
        default: &Configuration,
        blocks: &[&ProviderConfiguration],
        context: &Context<'_>,
    ) -> (Span, String, String) {
        // Of several aliases, the right one is unknown.
        let alias = if let [alias] = blocks { Some(*alias) } else { None };
        match self {
            Self::Resource(at, address) => {
                let select = match alias {
                    Some(alias) => {
                        let (_, written) = selected(*at, alias, context);
                        format!("set {}", argument(context, at.file, "provider", &written))
                    }
                    None => "set `provider` to one of the aliases".to_owned(),
                };
                (*at, format!("`{address}`"), select)
            }
            Self::Call(call) => {
                let select = match alias {
                    Some(alias) => in_call(node, call, default, alias, context),
                    None => "pass one of the aliases in `providers` of the call".to_owned(),
                };
                (call.origin.header(), format!("`module.{}`", call.name), select)
            }
        }
    }
}

/// The calls of a module. Of those without a `providers` map, the first of each child module stands for all.
fn distinct_calls(node: Node<'_>) -> Vec<(&ModuleCall, Node<'_>)> {
    let (mut calls, plain): (Vec<_>, Vec<_>) =
        node.child_calls().partition(|(call, _)| !call.providers.is_empty());
    let mut first = BTreeMap::new();
    for (call, child) in plain {
        let known = first.entry(child.id()).or_insert((call, child));
        if call.origin.header() < known.0.origin.header() {
            *known = (call, child);
        }
    }
    calls.extend(first.into_values());
    calls
}

/// The first resource that uses each configuration.
fn first_resources(module: &Module) -> HashMap<Configuration, &Resource> {
    let mut first: HashMap<Configuration, &Resource> = HashMap::new();
    for resource in module.resources.values().map(|resource| &**resource) {
        if let Some(configuration) = Configuration::used_by(module, resource) {
            let known = first.entry(configuration).or_insert(resource);
            if resource.origin.header() < known.origin.header() {
                *known = resource;
            }
        }
    }
    first
}

/// The first resource, or else module call, of a module that uses a default configuration.
fn user<'m>(
    default: &Configuration,
    resources: &HashMap<Configuration, &'m Resource>,
    calls: &[(&'m ModuleCall, Node<'m>)],
) -> Option<User<'m>> {
    if let Some(resource) = resources.get(default) {
        return Some(User::Resource(resource.origin.header(), resource.address.to_string()));
    }
    let passes = |call: &ModuleCall, child: Node<'_>| {
        let mut entries = call.providers.iter();
        entries.any(|entry| Configuration::passed_by(child.module(), entry).as_ref() == Some(default))
    };
    let calls = calls.iter().filter(|(call, child)| passes(call, *child) || inherits(call, *child, default));
    calls.map(|(call, _)| *call).min_by_key(|call| call.origin.header()).map(User::Call)
}

/// Whether a call gives its child module a configuration without an entry for it.
fn inherits(call: &ModuleCall, child: Node<'_>, default: &Configuration) -> bool {
    let is_passed = call.providers.iter().any(|entry| is(child.module(), &entry.in_child, default));
    child.uses().configurations.contains_key(default) && !is_passed
}

fn is(module: &Module, reference: &ProviderRef, configuration: &Configuration) -> bool {
    Configuration::named(module, reference).as_ref() == Some(configuration)
}

/// Whether a span is in a JSON file, and the reference to an aliased configuration in the syntax of that file.
fn selected(at: Span, alias: &ProviderConfiguration, context: &Context<'_>) -> (bool, String) {
    let is_json = context.file(at.file).is_some_and(|file| file.body.is_json());
    (is_json, if is_json { quoted(&alias.compact()) } else { alias.compact().to_string() })
}

/// How a call passes an aliased configuration instead of the default one.
fn in_call(
    node: Node<'_>,
    call: &ModuleCall,
    default: &Configuration,
    alias: &ProviderConfiguration,
    context: &Context<'_>,
) -> String {
    let passed = call.providers.iter().filter(|passed| is(node.module(), &passed.in_parent, default));
    let passed: Vec<&PassedProvider> = passed.collect();
    let child = node.child(&call.name).map(Node::module);
    let entry = |child: &Module| {
        let mut entries = child.required_providers.values();
        entries.find(|entry| entry.address == default.provider).map(|entry| entry.name.clone())
    };
    let name = child.and_then(entry).unwrap_or_else(|| alias.name.clone());
    if let Some(first) = passed.first() {
        let file = first.in_child.name_span.file;
        let (_, alias) = selected(first.in_child.name_span, alias, context);
        let mut names: Vec<SmolStr> = passed.iter().map(|passed| passed.in_child.compact()).collect();
        let inherits = node.child(&call.name).is_some_and(|child| inherits(call, child, default));
        names.extend(Some(name).filter(|_| inherits));
        let items: Vec<String> = names.iter().map(|name| argument(context, file, name, &alias)).collect();
        return format!("pass {} in the call", joined(&items));
    }
    let maps = call.origin.written("providers");
    let at = maps.last().map_or(call.origin.header(), |map| map.span);
    let (is_json, written) = selected(at, alias, context);
    if maps.is_empty() {
        let map = if is_json {
            format!("{{ \"{name}\": {written} }}")
        } else {
            format!("{{ {name} = {written} }}")
        };
        let pass = format!("add {} to the call", argument(context, at.file, "providers", &map));
        // The engines warn about an entry that the child module does not declare.
        if child.is_some_and(|child| entry(child).is_none()) {
            format!("{pass} and `{name}` to `required_providers` of the child module")
        } else {
            pass
        }
    } else {
        format!("add {} to `providers` of the call", argument(context, at.file, &name, &written))
    }
}

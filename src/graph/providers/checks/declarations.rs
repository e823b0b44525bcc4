//! Checks the provider requirements and blocks of one module, as `validateProviderConfigs` in Terraform's
//! `internal/configs` does before it looks at calls.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use hashbrown::{HashMap, HashSet};
use smol_str::SmolStr;

use crate::finding::{Concern, EngineRule, Finding, Severity};
use crate::graph::Node;
use crate::graph::providers::configuration::Configuration;
use crate::module::Module;
use crate::module::address::{Mode, ProviderAddress, legal_part};
use crate::module::declaration::{ModuleCall, ProviderConfiguration, RequiredProvider, Resource};
use crate::text::{Sources, Span};

/// The provider configurations that a module declares.
pub(in crate::graph) struct Declared<'m> {
    /// Configurations with arguments, by `name` or `name.alias`.
    pub(in crate::graph) configured: BTreeMap<&'m SmolStr, &'m ProviderConfiguration>,
    /// Configurations without arguments (proxy configurations before `configuration_aliases`).
    pub(in crate::graph) empty: BTreeMap<&'m SmolStr, &'m ProviderConfiguration>,
    /// The entries of `configuration_aliases`, by `name` or `name.alias`.
    pub(in crate::graph) aliases: BTreeMap<SmolStr, (&'m ProviderAddress, Span)>,
}

impl<'m> Declared<'m> {
    pub(in crate::graph) fn of(module: &'m Module) -> Self {
        let providers = module.providers.iter().map(|(name, provider)| (name, &**provider));
        let (configured, empty) = providers.partition(|(_, provider)| is_configured(provider));
        let aliases = module.required_providers.values().flat_map(|required| {
            required.aliases.iter().map(|alias| (alias.value.compact(), (&required.address, alias.span)))
        });
        Self { configured, empty, aliases: aliases.collect() }
    }
}

/// Whether a provider block counts as a configuration. For the engine, a block with an override never does.
pub(crate) fn is_configured(provider: &ProviderConfiguration) -> bool {
    let versioned = provider.version.as_ref().is_some_and(|version| version.constraints.is_some());
    versioned || !provider.config.looks_empty()
}

pub(in crate::graph) fn check(node: Node<'_>, sources: &Sources, findings: &mut Vec<Finding>) {
    let module = node.module();
    required_twice(module, findings);
    unknown_built_in(module, findings);
    for resource in module.resources.values() {
        match resource.address.mode {
            Mode::Managed | Mode::Data => implied(node, resource, findings),
            Mode::Ephemeral if module.features.duplicate_provider_counts_ephemeral => {
                implied(node, resource, findings);
            }
            Mode::Ephemeral => {}
        }
    }
    let declared = Declared::of(module);
    if !module.has_generated_files {
        undeclared_in_calls(module, &declared, findings);
    }
    if node.is_called() {
        proxies(node, &declared, sources, findings);
    }
}

/// Reports requirements of built-in providers that do not exist. The engine has no position for them.
fn unknown_built_in(module: &Module, findings: &mut Vec<Finding>) {
    let product = module.features.engine.product.name();
    for required in module.required_providers.values() {
        let address = &required.address;
        let exists =
            address.name == "terraform" || address.name == "test" && module.features.has_test_provider;
        if address.is_built_in() && !exists {
            let finding =
                Finding::language(EngineRule::InvalidRequiredProviders, "Missing required provider")
                    .at_validate()
                    .detail(format!("{product} has no built-in provider `{}`.", address.name));
            findings.push(if address.name == "test" {
                finding.help("write the assertions in a test file (`*.tftest.hcl`); Terraform 1.6 removed the provider `test`")
            } else {
                finding.help("write the source address of a provider in a registry; the only built-in provider is `terraform`")
            }.at(required.source.as_ref().map_or(required.value_span, |source| source.span)));
        }
    }
}

/// Reports one provider under two local names.
fn required_twice(module: &Module, findings: &mut Vec<Finding>) {
    let mut seen: BTreeMap<&ProviderAddress, &RequiredProvider> = BTreeMap::new();
    // The engine iterates over a map in random order. Mostly it finds the entries in insertion order, with
    // replacements at the place of the original, so the later one is reported here.
    let block = module.required_providers_block.as_ref().map(|block| block.kind_span.file);
    let mut entries: Vec<_> = module.required_providers.values().collect();
    entries.sort_by_key(|entry| {
        let first = entry.first().span;
        (block != Some(first.file), first)
    });
    let mut configured: HashMap<&SmolStr, &ProviderConfiguration> = HashMap::new();
    for provider in module.providers.values() {
        configured.entry(&provider.name).or_insert(provider);
    }
    for required in entries {
        if let Some(first) = seen.get(&required.address) {
            duplicate(required.value_span)
                .detail(format!(
                    "{} is required as `{}` and as `{}`. A provider should have one local name in a module.",
                    display(module, &required.address),
                    first.name,
                    required.name
                ))
                .related(first.value_span, "required here first")
                .help(help_for_two_names(first, required))
                .push_to(findings);
            continue;
        }
        seen.insert(&required.address, required);
        if !required.address.is_default(module.features.registry_host)
            || required.address.name == required.name
        {
            continue;
        }
        let configured = configured.get(&required.address.name);
        if let Some(provider) = configured {
            duplicate(required.value_span)
                .detail(format!(
                    "{} is required as `{}`, but the block `provider \"{}\"` uses its own name.",
                    display(module, &required.address),
                    required.name,
                    provider.name
                ))
                .related(provider.origin.header(), format!("configured as `{}` here", provider.name))
                .help(format!("use one of the two names: `{}` or `{}`", required.name, provider.name))
                .push_to(findings);
        }
    }
}

/// The help for two entries that require the same provider.
fn help_for_two_names(first: &RequiredProvider, second: &RequiredProvider) -> String {
    let usual = &second.address.name;
    match [first, second].into_iter().find(|entry| entry.name != *usual) {
        Some(other) if [&first.name, &second.name].contains(&usual) => format!(
            "remove one entry, and use `{}` everywhere, or correct the `source` of `{}`",
            first.name, other.name
        ),
        _ => format!("remove one entry, and use `{}` everywhere", first.name),
    }
}

/// Reports resources with a provider that only the name of their type implies.
fn implied(node: Node<'_>, resource: &Resource, findings: &mut Vec<Finding>) {
    let module = node.module();
    if resource.provider_ref.is_some() {
        return;
    }
    let local_name = resource.address.implied_provider();
    let at = resource.origin.header();
    if let Err(reason) = legal_part(local_name) {
        Finding::language(EngineRule::InvalidProviderConfiguration, "Invalid provider local name")
            .detail(if local_name.is_empty() {
                format!("The type of `{}` begins with an underscore, so it names no provider.", resource.address)
            } else {
                format!(
                    "The type of `{}` begins with `{local_name}`, which is not a valid provider name: {reason}.",
                    resource.address
                )
            })
            .at(at)
            .push_to(findings);
        return;
    }
    if module.required_providers.contains_key(local_name) {
        return;
    }
    let Some(address) = ProviderAddress::implied(local_name, module.features.registry_host) else { return };
    for required in node.requirements_of(&address) {
        duplicate(at)
            .detail(format!(
                "{} needs {} under the name `{local_name}`, but it is required as `{}`.",
                resource.address,
                display(module, &address),
                required.name
            ))
            .related(required.value_span, format!("required as `{}` here", required.name))
            .help(format!("rename the entry to `{local_name}`, or set `provider = {}`", required.name))
            .push_to(findings);
    }
}

/// The local name of the provider that is part of Terraform.
pub(super) const BUILT_IN: &str = "terraform";

/// The help for an entry of `providers` for this provider.
pub(super) const NO_ENTRY_FOR_BUILT_IN: &str =
    "remove this entry: the provider `terraform` is built in and needs no configuration";

/// A finding about the configuration of this name that a call passes, or should pass.
pub(super) fn in_call(call: &ModuleCall, rule: EngineRule, summary: &str, name: &SmolStr) -> Finding {
    Finding::language(rule, summary)
        .address(format!("module.{}", call.name))
        .concerns(Concern::Provider(name.clone()))
}

/// Reports configurations that a call passes and the module does not declare.
fn undeclared_in_calls(module: &Module, declared: &Declared<'_>, findings: &mut Vec<Finding>) {
    for call in module.calls.values() {
        for passed in call.providers.iter().filter(|passed| passed.in_parent.alias.is_none()) {
            let name = &passed.in_parent.name;
            if declared.configured.contains_key(name) || module.required_providers.contains_key(name) {
                continue;
            }
            let empty = declared.empty.get(name).map(|provider| provider.origin.header());
            let summary = "Reference to undefined provider";
            let finding = in_call(call, EngineRule::UndefinedProviderReference, summary, name)
                .severity(Severity::Warning)
                .detail(format!(
                    "This module has no `required_providers` entry `{name}`, so {} assumes hashicorp/{name}.",
                    module.features.engine.product.name()
                ))
                .at(passed.in_parent.name_span)
                .help(if name == BUILT_IN && passed.in_child.alias.is_none() {
                    NO_ENTRY_FOR_BUILT_IN.to_owned()
                } else if name == BUILT_IN {
                    "add `terraform = { source = \"terraform.io/builtin/terraform\" }` to `required_providers`".to_owned()
                } else {
                    format!("add an entry `{name}` with its `source` to `required_providers`")
                });
            findings.push(finding.related(empty, "an empty block does not declare it"));
        }
    }
}

/// Reports empty provider blocks, which were proxy configurations before `configuration_aliases`.
fn proxies(node: Node<'_>, declared: &Declared<'_>, sources: &Sources, findings: &mut Vec<Finding>) {
    let module = node.module();
    let mut by_name: BTreeMap<&SmolStr, Vec<&ProviderConfiguration>> = BTreeMap::new();
    for provider in declared.empty.values() {
        by_name.entry(&provider.name).or_default().push(provider);
    }
    let used = LazyCell::new(|| used(node));
    let passing = LazyCell::new(|| passing_calls(node));
    for (name, blocks) in by_name {
        // The engine compares positions as strings, so line 11 comes before line 4.
        let headers = blocks.iter().map(|block| block.origin.header());
        let Some(first) = headers.min_by_key(|header| sources.place(*header)) else { continue };
        let address = module.provider_address(name);
        let source = address.map(|address| display(module, &address).to_string()).unwrap_or_default();
        let entry = module.required_providers.get(name);
        let known = entry.into_iter().flat_map(|entry| &entry.aliases).map(|alias| alias.value.compact());
        let known: BTreeSet<SmolStr> = known.collect();
        let unused = if module.complete { unused(module, &blocks, &used) } else { BTreeSet::new() };
        let needed =
            |block: &&&ProviderConfiguration| block.alias.is_some() && !unused.contains(&block.compact());
        let needed: Vec<&ProviderConfiguration> = blocks.iter().filter(needed).copied().collect();
        let mut aliases: BTreeSet<SmolStr> = needed.iter().map(|block| block.compact()).collect();
        if aliases.is_subset(&known) {
            aliases.clear();
        } else {
            aliases.extend(known);
        }
        let aliases = aliases.iter().map(SmolStr::as_str).collect::<Vec<_>>().join(", ");
        let remove = if blocks.len() == 1 { "remove the block" } else { "remove these blocks" };
        let help = match (entry, aliases.is_empty()) {
            (Some(_), true) => remove.to_owned(),
            (Some(_), false) => {
                format!(
                    "{remove}, and set `configuration_aliases = [{aliases}]` in the entry of `required_providers`"
                )
            }
            (None, _) => {
                let entry = RequiredProvider::written(name, &source, &aliases);
                format!("{remove}, and add `{entry}` to `required_providers`")
            }
        };
        let finding = Finding::language(EngineRule::ProxyProviderBlock, "Redundant empty provider block")
            .severity(Severity::Warning)
            .at(first)
            .concerns(Concern::Provider(name.clone()));
        let overridden =
            blocks.iter().find(|block| block.origin.header() == first && !block.config.is_empty());
        let over = overridden.and_then(|block| block.origin.blocks().nth(1));
        let finding = match over {
            Some(over) => finding
                .detail("Terraform and OpenTofu treat this block as empty, because it has an override.")
                .related(over.header, "this override")
                .help("let callers pass the configuration instead of this block, and remove the block and its override"),
            None => finding
                .detail(
                    "Before Terraform 0.15, an empty `provider` block declared a configuration that callers pass. An entry \
                     in `required_providers` replaces it, with `configuration_aliases` for a block with an `alias`.",
                )
                .help(help + &omitted(node, &needed, &passing) + &passed_in_vain(&unused, &passing)),
        };
        let headers = blocks.iter().map(|block| block.origin.header());
        findings.push(finding.related_all(headers.filter(|header| *header != first), "another empty block"));
    }
}

/// The step for calls that do not pass all configurations of empty blocks. Without the block, each must be passed.
fn omitted(node: Node<'_>, blocks: &[&ProviderConfiguration], passing: &HashMap<SmolStr, usize>) -> String {
    let calls = node.callers().count();
    let is_omitted = |block: &ProviderConfiguration| {
        block.alias.is_some() && passing.get(&block.compact()).copied().unwrap_or_default() < calls
    };
    let omitted: Vec<_> = blocks.iter().filter(|block| is_omitted(block)).collect();
    if omitted.is_empty() {
        return String::new();
    }
    let passed: Vec<String> = omitted.iter().map(|block| format!("`{}`", block.compact())).collect();
    let roots = || node.callers().map(|(caller, _)| caller).filter(|caller| !caller.is_called());
    let lacking = omitted
        .iter()
        .filter(|block| roots().any(|root| !root.module().providers.contains_key(&block.compact())));
    let lacking = lacking.map(|block| {
        let alias = block.alias.as_ref().map_or("", |alias| &alias.value);
        format!("a `provider \"{}\"` block with `alias = \"{alias}\"`", block.name)
    });
    let lacking: Vec<String> = lacking.collect();
    let add = if lacking.is_empty() {
        String::new()
    } else {
        format!(", and add {} to the root modules", lacking.join(" and "))
    };
    format!("; pass {} in every call that leaves it out{add}", passed.join(", "))
}

/// The number of calls of a module that pass each configuration.
fn passing_calls(node: Node<'_>) -> HashMap<SmolStr, usize> {
    let mut passing = HashMap::new();
    for (_, call) in node.callers() {
        let names: HashSet<SmolStr> = call.providers.iter().map(|entry| entry.in_child.compact()).collect();
        names.into_iter().for_each(|name| *passing.entry(name).or_default() += 1);
    }
    passing
}

/// The configurations that a module uses or passes on.
fn used(node: Node<'_>) -> HashSet<Configuration> {
    let module = node.module();
    node.provider_mentions().filter_map(|reference| Configuration::named(module, reference)).collect()
}

/// The aliases of empty blocks that a module neither uses nor passes on.
fn unused(
    module: &Module,
    blocks: &[&ProviderConfiguration],
    used: &HashSet<Configuration>,
) -> BTreeSet<SmolStr> {
    let is_used = |block: &ProviderConfiguration| {
        Configuration::by(module, block).is_none_or(|configuration| used.contains(&configuration))
    };
    let aliases = blocks.iter().filter(|block| block.alias.is_some() && !is_used(block));
    aliases.map(|block| block.compact()).collect()
}

/// The help for unused configurations that a caller passes.
fn passed_in_vain(unused: &BTreeSet<SmolStr>, passing: &HashMap<SmolStr, usize>) -> String {
    let passed = unused.iter().filter(|name| passing.contains_key(*name));
    let passed: Vec<String> = passed.map(|name| format!("`{name}`")).collect();
    if passed.is_empty() {
        return String::new();
    }
    format!("; remove {} from `providers` of every call", passed.join(", "))
}

pub(in crate::graph) fn display(module: &Module, address: &ProviderAddress) -> SmolStr {
    address.display(module.features.registry_host)
}

fn duplicate(at: Span) -> Finding {
    Finding::language(EngineRule::DuplicateRequiredProvider, "Duplicate required provider")
        .severity(Severity::Warning)
        .at(at)
}

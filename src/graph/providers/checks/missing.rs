//! Finds missing provider configurations, which the engine reports without a position when it builds its graph.
//!
//! Only certain errors are reported. A module is judged by its callers in the repository. Without callers, it must
//! certainly be a root module whose files all exist.

use smol_str::SmolStr;

use crate::finding::{Concern, EngineRule, Finding};
use crate::graph::providers::configuration::Configuration;
use crate::graph::providers::supply::Supply;
use crate::graph::{Node, NodeId, Role};
use crate::module::Module;
use crate::module::address::ProviderAddress;
use crate::module::declaration::{
    Action, ModuleCall, PassedProvider, ProviderRef, RequiredProvider, compact_name, one_block_each,
};
use crate::text::Suggestions;

/// Checks the references of the resources of a module, the configurations that it passes to modules from elsewhere,
/// and the `configuration_aliases` of a root module.
pub(in crate::graph) fn check(node: Node<'_>, findings: &mut Vec<Finding>) {
    let module = node.module();
    if node.is_broken() || !module.is_whole() {
        return;
    }
    let resources = module
        .resources
        .values()
        .filter_map(|resource| Some((resource.provider_ref.as_ref()?, resource.address.to_string())));
    let of_action = |action: &Action| format!("action.{}.{}", action.kind, action.name);
    let actions =
        module.actions.values().filter_map(|action| Some((action.provider_ref.as_ref()?, of_action(action))));
    let imports = node.generated().filter_map(|import| {
        Some((import.provider_ref.as_ref()?, format!("import.{}", import.target.as_ref()?)))
    });
    let suggestions = Suggestions::default();
    for (reference, address) in resources.chain(actions).chain(imports) {
        findings.extend(referred_to(node, reference, address, &suggestions));
    }
    for (call, _) in node.calls().filter(|(call, _)| node.child(&call.name).is_none()) {
        for entry in &call.providers {
            findings.extend(passed_elsewhere(node, call, entry, &suggestions));
        }
    }
    if module.features.refuses_root_configuration_aliases {
        required_in_root(node, findings);
    }
}

/// The way in which a configuration is missing.
enum Missing<'t> {
    /// In a root module.
    InRoot,
    /// In a module that calls lead to without passing the configuration. These are the first ones.
    InCalls(Vec<(Node<'t>, &'t ModuleCall)>),
}

/// The way in which a configuration that the module must declare itself is missing. Returns `None` if it may exist.
fn missing<'t>(node: Node<'t>, key: &Configuration, reference: &ProviderRef) -> Option<Missing<'t>> {
    let module = node.module();
    let is_known = !node.is_broken() && module.is_whole();
    if !is_known || node.own_configuration(key).is_some() {
        return None;
    }
    if node.callers().next().is_some() {
        let lacks = |(caller, call): &(Node<'t>, &'t ModuleCall)| {
            let supply = node.supply(key, Some((*caller, *call)));
            !caller.is_broken() && matches!(supply, Supply::Inherited | Supply::Nowhere)
        };
        let find = || {
            let calls = node.callers().filter(lacks).take(MOST_CALLS);
            calls.map(|(caller, call)| (caller.id, call.name.clone())).collect()
        };
        let first = node.provider_table().lacking.get(key, find);
        let call = |(caller, name): &(NodeId, SmolStr)| {
            let caller = node.graph.node(*caller);
            Some((caller, &**caller.module().calls.get(name)?))
        };
        let calls: Vec<_> = first.iter().filter_map(call).collect();
        return (!calls.is_empty()).then_some(Missing::InCalls(calls));
    }
    if node.is_called() {
        return None;
    }
    // A tool may generate the provider blocks of a module that looks like a root module.
    let is_configured =
        || node.blocks_of(&key.provider).next().is_some() || node.configured_providers().next().is_some();
    // Only root modules can have `import` blocks.
    let is_root = node.is_run_by_evidence()
        || !module.imports.is_empty()
        || (node.role() != Role::Shared
            && node.required_from_callers(key).is_none()
            && (is_configured() || module.reads_value(reference)));
    let is_certain = is_root && (key.alias.is_some() || node.requirements_of(&key.provider).next().is_none());
    is_certain.then_some(Missing::InRoot)
}

/// Whether a referenced configuration is certainly missing in a module, which is reported at the reference.
pub(in crate::graph) fn is_missing(node: Node<'_>, key: &Configuration, reference: &ProviderRef) -> bool {
    missing(node, key, reference).is_some()
}

impl Node<'_> {
    /// Whether this module certainly lacks the configuration that an entry of `providers` passes to a child module.
    pub fn lacks_passed(self, child: Node<'_>, entry: &PassedProvider) -> bool {
        let key = Configuration::passed_by(child.module(), entry);
        key.is_some_and(|key| is_missing(self, &key, &entry.in_parent))
    }

    /// Whether this child module would inherit the configuration of an entry, if the entry were removed.
    pub fn inherits(self, entry: &PassedProvider) -> bool {
        let key = Configuration::named(self.module(), &entry.in_child);
        key.is_some_and(|key| key.alias.is_none() && !self.declares(&key) && !self.passes_on(&key))
    }
}

/// The finding for a reference of a resource or an action.
fn referred_to(
    node: Node<'_>,
    reference: &ProviderRef,
    address: String,
    suggestions: &Suggestions,
) -> Option<Finding> {
    // Terraform rejects an instance key, and OpenTofu looks up an instance.
    if reference.alias.is_none() || reference.key.is_some() {
        return None;
    }
    let key = Configuration::named(node.module(), reference)?;
    let missing = missing(node, &key, reference)?;
    if is_reported_at_calls(node, &key, &missing) {
        return None;
    }
    let name = reference.compact();
    let detail = match &missing {
        Missing::InRoot => {
            format!("This module has no provider configuration `{name}`: no `provider` block has this alias.")
        }
        Missing::InCalls(_) if !node.provider_table().with_alias.contains(&key) => format!(
            "This module has no provider configuration `{name}`: no `provider` block here has this alias, and no \
             caller passes one."
        ),
        Missing::InCalls(_) => format!(
            "No `provider` block of this module has the alias of `{name}`, and not every call passes one."
        ),
    };
    let finding = Finding::language(EngineRule::UndefinedProviderAlias, "Provider configuration not present")
        .at_validate()
        .detail(detail)
        .at(reference.name_span)
        .address(address)
        .concerns(Concern::Name(name));
    let help = help(node, reference, &key, "provider", suggestions);
    Some(with_places(node, &key, &missing, finding).help(help))
}

/// Whether the calls that do not pass a configuration are errors, since the module requires it from them.
fn is_reported_at_calls(node: Node<'_>, key: &Configuration, missing: &Missing<'_>) -> bool {
    matches!(missing, Missing::InCalls(_)) && node.required_from_callers(key).is_some()
}

/// The finding for an entry of a call of a local module.
pub(in crate::graph) fn entry<'t>(
    node: Node<'t>,
    call: &ModuleCall,
    child: Node<'t>,
    entry: &PassedProvider,
    suggestions: &Suggestions,
) -> Option<Finding> {
    let key = Configuration::passed_by(child.module(), entry)?;
    let missing = missing(node, &key, &entry.in_parent).filter(|_| entry.in_parent.key.is_none())?;
    if is_reported_at_calls(node, &key, &missing) {
        return None;
    }
    let finding = missing_provider(node, call, entry, &key, &missing);
    Some(if key.alias.is_some() {
        finding.help(help(node, &entry.in_parent, &key, "providers", suggestions))
    } else {
        finding.help(help_for_default(node, call, child, entry, &key))
    })
}

/// The finding for an entry of a call of another module. The provider in that module is unknown, but an alias that
/// the module has for no provider is missing in any case.
fn passed_elsewhere(
    node: Node<'_>,
    call: &ModuleCall,
    entry: &PassedProvider,
    suggestions: &Suggestions,
) -> Option<Finding> {
    let reference = &entry.in_parent;
    let alias = reference.alias.as_ref().filter(|_| reference.key.is_none())?;
    let module = node.module();
    let key = Configuration::named(module, reference)?;
    if node.provider_table().alias_names.contains(alias) {
        return None;
    }
    let missing = missing(node, &key, reference)?;
    let finding = missing_provider(node, call, entry, &key, &missing);
    Some(finding.help(help(node, reference, &key, "providers", suggestions)))
}

/// Terraform only plans a root module without `configuration_aliases`.
fn required_in_root(node: Node<'_>, findings: &mut Vec<Finding>) {
    if !node.is_run_by_evidence() {
        return;
    }
    for element in node.module().required_providers.values().flat_map(|entry| &entry.aliases) {
        let Some(alias) = &element.value.alias else { continue };
        let Some(key) = Configuration::of(node.module(), &element.value.name, Some(alias)) else { continue };
        // If an object uses it, `validate` fails before that.
        if node.own_configuration(&key).is_some() || node.uses().configurations.contains_key(&key) {
            continue;
        }
        Finding::language(EngineRule::MissingProviderConfiguration, "Undefined provider configuration")
            .at_plan()
            .detail(format!(
                "This root module declares that its caller passes a configuration of {} with the alias \
                     `{alias}`, but a root module has no caller, so `terraform plan` fails.",
                key.provider
            ))
            .at(element.span)
            .concerns(Concern::Name(element.value.compact()))
            .help(format!(
                "remove it, or add a `provider \"{}\"` block with `alias = \"{alias}\"`",
                element.value.name
            ))
            .push_to(findings);
    }
}

fn missing_provider(
    node: Node<'_>,
    call: &ModuleCall,
    entry: &PassedProvider,
    key: &Configuration,
    missing: &Missing<'_>,
) -> Finding {
    let name = entry.in_parent.compact();
    let rule = match key.alias {
        Some(_) => EngineRule::UndefinedProviderAlias,
        None => EngineRule::MissingProviderConfiguration,
    };
    let what = match (&key.alias, node.module().provider_address(&entry.in_parent.name).as_ref()) {
        (Some(_), Some(address)) if *address == key.provider => {
            format!(
                "This module has no provider configuration `{name}`: no `provider` block here has this alias"
            )
        }
        (Some(alias), _) => format!(
            "`{}` is {} in the child module, so this entry passes the configuration `{}` of this module, but no `provider` \
             block here defines that",
            entry.in_child.compact(),
            key.provider.display(node.module().features.registry_host),
            compact_name(&node.local_name(key), Some(alias))
        ),
        (None, _) => {
            format!("This module has no default configuration of {} that it can pass on", key.provider)
        }
    };
    let detail = match (missing, &key.alias) {
        (Missing::InRoot, Some(_)) => format!("{what}."),
        (Missing::InRoot, None) => {
            format!("{what}: it neither configures the provider nor has it in `required_providers`.")
        }
        (Missing::InCalls(_), Some(_)) if !node.provider_table().with_alias.contains(key) => {
            format!("{what}, and no caller passes one.")
        }
        (Missing::InCalls(_), Some(_)) => format!("{what}, and not every call passes one."),
        (Missing::InCalls(_), None) => format!(
            "{what}: no `provider` block here configures it, and a call to this module does not pass it. A \
             configuration that a module inherits can be used here, but not passed on by name."
        ),
    };
    let finding = Finding::language(rule, format!("missing provider {}", absolute(node, key, missing)))
        .at_validate()
        .detail(detail)
        .at(entry.in_parent.name_span)
        .address(format!("module.{}", call.name))
        .concerns(Concern::Name(name));
    with_places(node, key, missing, finding)
}

/// Adds the calls that do not pass a configuration, and blocks of the same provider.
fn with_places(node: Node<'_>, key: &Configuration, missing: &Missing<'_>, finding: Finding) -> Finding {
    let mut blocks: Vec<_> = node.blocks_of(&key.provider).take(MOST_BLOCKS).collect();
    blocks.sort_by_key(|block| block.compact());
    let finding = blocks.into_iter().fold(finding, |finding, block| {
        finding.related(block.origin.header(), format!("configures `{}`", block.compact()))
    });
    let Missing::InCalls(calls) = missing else { return finding };
    let name = compact_name(&node.local_name(key), key.alias.as_deref());
    calls.iter().fold(finding, |finding, (_, call)| {
        finding.related(call.origin.header(), format!("does not pass `{name}`"))
    })
}

/// The maximal number of calls in a finding.
const MOST_CALLS: usize = 5;

/// The maximal number of provider blocks in a finding.
const MOST_BLOCKS: usize = 10;

/// The address of a provider configuration in a module, by the first path to the module.
fn absolute(node: Node<'_>, key: &Configuration, missing: &Missing<'_>) -> String {
    let path = match missing {
        Missing::InRoot => String::new(),
        Missing::InCalls(calls) => node.path_through(calls.first().copied()),
    };
    path + &key.address()
}

fn help(
    node: Node<'_>,
    reference: &ProviderRef,
    key: &Configuration,
    argument: &str,
    suggestions: &Suggestions,
) -> String {
    let module = node.module();
    if module.reads_value(reference) {
        return format!(
            "a provider cannot be chosen by an expression: {}",
            one_block_each(argument, &module.features)
        );
    }
    let (name, alias) = (node.local_name(key), key.alias.as_deref().unwrap_or_default());
    let known = node.provider_table().aliases.get(&key.provider).map(Vec::as_slice).unwrap_or_default();
    // It may be declared, and not be passed.
    if !node.provider_table().with_alias.contains(key)
        && let Some(meant) = suggestions.nearest(alias, known.iter().map(SmolStr::as_str))
    {
        return format!("did you mean `{name}.{meant}`?");
    }
    if !node.is_called() {
        let block = format!("add a `provider \"{name}\"` block with `alias = \"{alias}\"`");
        return if reference.name == name {
            format!("{block}, or correct the alias")
        } else {
            format!("{block}, and write `{name}.{alias}` instead of `{}`", reference.compact())
        };
    }
    let pass = format!("pass `{name}.{alias}` in every call to this module");
    if node.required_from_callers(key).is_some() {
        return pass;
    }
    let configuration = format!("{name}.{alias}");
    let declare = if let Some(entry) = module.required_providers.get(&name) {
        entry.how_to_require(&configuration)
    } else {
        let source = key.provider.display(module.features.registry_host);
        let entry = RequiredProvider::written(&name, source, &configuration);
        format!("add `{entry}` to `required_providers`")
    };
    format!("{declare}, and {pass}")
}

/// The missing entry of `required_providers` for a provider.
pub(super) fn entry_for(module: &Module, name: &str, provider: &ProviderAddress) -> Option<String> {
    let source = provider.display(module.features.registry_host);
    (!module.required_providers.contains_key(name)).then(|| RequiredProvider::written(name, source, ""))
}

fn help_for_default(
    node: Node<'_>,
    call: &ModuleCall,
    child: Node<'_>,
    entry: &PassedProvider,
    key: &Configuration,
) -> String {
    let name = node.local_name(key);
    if !node.is_called() {
        let requirement = entry_for(node.module(), &name, &key.provider);
        let block = format!("add a `provider \"{name}\"` block");
        return match requirement {
            Some(entry) => format!("{block}, or add `{entry}` to `required_providers`"),
            None => block,
        };
    }
    let pass = format!("pass `{name} = …` in every call to this module");
    if child.inherits(entry) {
        format!(
            "remove `{} = {}` from this map, so that `module.{}` inherits the default configuration; or {pass}",
            entry.in_child.name, entry.in_parent.name, call.name
        )
    } else {
        pass
    }
}

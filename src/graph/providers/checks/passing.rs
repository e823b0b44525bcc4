//! Checks the `providers` maps of module calls, as `validateProviderConfigs` in Terraform's `internal/configs` does.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use super::declarations::{BUILT_IN, Declared, NO_ENTRY_FOR_BUILT_IN, display, in_call};
use super::missing;
use crate::finding::{EngineRule, Finding, Severity, set_module};
use crate::graph::providers::configuration::Configuration;
use crate::graph::reach::Reached;
use crate::graph::{Node, Role};
use crate::module::Module;
use crate::module::address::ProviderAddress;
use crate::module::declaration::{ModuleCall, PassedProvider, RequiredProvider, one_block_each};

const NOT_PASSED: &str = "Missing required provider configuration";

/// Checks a module as the child of its callers.
pub(in crate::graph) fn check(node: Node<'_>, reached: &Reached, findings: &mut Vec<Finding>) {
    let declared = Declared::of(node.module());
    for (caller, call) in node.callers().filter(|(caller, _)| reached.has(*caller)) {
        let edge = Edge { caller, call, child: node, declared: &declared };
        let from = findings.len();
        let mut refused = edge.overridden(findings);
        if !reached.is_stuck(caller) {
            edge.declarations(reached, &mut refused, findings);
        }
        set_module(&mut findings[from..], &caller.module().directory);
    }
}

/// One call of one module.
struct Edge<'t> {
    caller: Node<'t>,
    call: &'t ModuleCall,
    child: Node<'t>,
    declared: &'t Declared<'t>,
}

impl Edge<'_> {
    fn passed(&self, name: &str) -> Option<&PassedProvider> {
        self.call.providers.iter().find(|passed| passed.in_child.is_written(name))
    }

    /// The checks that depend on declarations, which are unreliable in a module with errors.
    fn declarations(&self, reached: &Reached, refused: &mut BTreeSet<SmolStr>, findings: &mut Vec<Finding>) {
        self.not_handed_on(findings);
        self.missing(findings);
        for linked in [true, false] {
            // With errors in the tree, some versions continue without knowing the providers.
            let unlinked = self.child.module().features.providers_validated_after_errors;
            let applies = if linked {
                !unlinked || reached.in_sound_tree(self.caller)
            } else {
                unlinked && reached.in_broken_tree(self.caller)
            };
            if applies {
                self.types(linked, refused, findings);
            }
        }
        // In a module with errors, the missing declaration may be the broken part.
        if self.caller.is_broken() || self.child.is_broken() {
            return;
        }
        for entry in self.call.providers.iter().filter(|entry| !refused.contains(&entry.in_child.compact())) {
            findings.extend(missing::entry(self.caller, self.call, self.child, entry));
        }
    }

    /// Reports configurations that the child module passes on, and that this call does not pass to it.
    fn not_handed_on(&self, findings: &mut Vec<Finding>) {
        let module = self.child.module();
        for onward in module.calls.values() {
            for passed in onward.providers.iter().filter(|passed| passed.in_parent.alias.is_none()) {
                let name = &passed.in_parent.name;
                let required = module.required_providers.contains_key(name);
                if required && !self.declared.configured.contains_key(name) && self.passed(name).is_none() {
                    in_call(self.call, EngineRule::MissingProviderConfiguration, NOT_PASSED, name)
                        .severity(Severity::Warning)
                        .detail(format!(
                            "The child module passes its provider `{name}` on to `module.{}`, but this call does not \
                             pass a configuration under that name.",
                            onward.name
                        ))
                        .at(self.call.origin.header())
                        .related(passed.in_parent.name_span, "passed on here")
                        .help(self.how_to_hand_on(onward, passed))
                        .push_to(findings);
                }
            }
        }
    }

    /// The help for a configuration that the child module passes on. An entry in this call helps only if the caller
    /// configures the provider, or is a root module that requires it.
    fn how_to_hand_on(&self, onward: &ModuleCall, passed: &PassedProvider) -> String {
        let (caller, child) = (self.caller.module(), self.child.module());
        let name = &passed.in_parent.name;
        let default = Configuration::named(child, &passed.in_parent);
        let mut blocks = caller.providers.values();
        let block = blocks.find(|block| default.is_some() && Configuration::by(caller, block) == default);
        let mut entries = caller.required_providers.values();
        let entry = entries.find(|entry| default.as_ref().is_some_and(|one| one.provider == entry.address));
        let entry = entry.filter(|_| !self.caller.is_called() && self.caller.role() == Role::Root);
        if let Some(ours) = block.map(|block| &block.name).or(entry.map(|entry| &entry.name)) {
            return format!("add `{name} = {ours}` to `providers` of this call");
        }
        let inherits = self.child.child(&onward.name).is_some_and(|below| {
            below.inherits(passed) && Configuration::named(below.module(), &passed.in_child) == default
        });
        let pass = format!("pass `{name}` in every module call from the root module down to this one");
        if inherits {
            format!(
                "remove `{} = {name}` from `providers` of `module.{}`, which then inherits the default configuration, \
                 or {pass}",
                passed.in_child.name, onward.name
            )
        } else {
            pass
        }
    }

    /// Reports passed configurations that the child module configures itself. Returns their names.
    fn overridden(&self, findings: &mut Vec<Finding>) -> BTreeSet<SmolStr> {
        let mut refused = BTreeSet::new();
        for (name, provider) in &self.declared.configured {
            if let Some(passed) = self.passed(name) {
                refused.insert((*name).clone());
                let summary = "Cannot override provider configuration";
                in_call(self.call, EngineRule::ProviderConfigurationOverridden, summary, name)
                    .detail(format!(
                        "The child module configures `{name}` itself, so callers cannot pass another configuration."
                    ))
                    .at(passed.in_child.name_span)
                    .related(provider.origin.header(), "configured here")
                    .help("remove the provider block from the child module, or this entry from the call")
                    .push_to(findings);
            }
        }
        refused
    }

    /// The help for a required configuration that the call does not pass.
    fn how_to_pass(&self, name: &str, address: &ProviderAddress) -> String {
        let caller = self.caller.module();
        let is_of_provider = |local: &str| caller.provider_address(local).as_ref() == Some(address);
        let blocks = caller.providers.values().filter(|block| is_of_provider(&block.name));
        let required = caller.required_providers.values().flat_map(|entry| &entry.aliases);
        let required = required.filter(|alias| is_of_provider(&alias.value.name));
        let known = blocks.map(|block| block.compact()).chain(required.map(|alias| alias.value.compact()));
        let known: BTreeSet<SmolStr> = known.collect();
        // With several configurations, only one of the same name is certain to be meant.
        let ours = known.get(name).or(known.first().filter(|_| known.len() == 1));
        let has_map = self.call.origin.writes("providers");
        let add = |ours: &str| {
            if has_map {
                format!("add `{name} = {ours}` to `providers`")
            } else {
                format!("add `providers = {{ {name} = {ours} }}` to the call")
            }
        };
        if let Some(ours) = ours {
            return add(ours);
        }
        let mut entries = caller.required_providers.values();
        let entry = entries.find(|entry| entry.address == *address).map(|entry| entry.name.as_str());
        let local = entry.or(name.split('.').next()).filter(|local| is_of_provider(local));
        match local {
            Some(local) if known.is_empty() && !self.caller.is_called() => {
                format!("add a `provider \"{local}\"` block, and {}", add(local))
            }
            _ => {
                let provider = display(self.child.module(), address);
                let map = if has_map { "`providers`" } else { "a `providers` map of the call" };
                format!("pass a configuration of {provider} as `{name}` in {map}")
            }
        }
    }

    /// Reports required configurations of the child module that are not passed.
    fn missing(&self, findings: &mut Vec<Finding>) {
        for (name, (address, span)) in &self.declared.aliases {
            if self.declared.configured.contains_key(name) || self.passed(name).is_some() {
                continue;
            }
            in_call(self.call, EngineRule::MissingProviderConfiguration, NOT_PASSED, name)
                .detail(format!(
                    "The child module requires a configuration of {} under the name `{name}`.",
                    display(self.child.module(), address)
                ))
                .at(self.call.origin.header())
                .related(*span, "required here")
                .help(self.how_to_pass(name, address))
                .push_to(findings);
        }
    }

    /// Reports passed configurations that the child module does not declare, and those with different providers on
    /// both sides.
    fn types(&self, linked: bool, refused: &mut BTreeSet<SmolStr>, findings: &mut Vec<Finding>) {
        if self.caller.module().has_generated_files || self.child.module().has_generated_files {
            return;
        }
        for passed in &self.call.providers {
            let Some(theirs) = self.child_address(passed, linked) else { continue };
            let name = passed.in_child.compact();
            let child = self.child.module();
            let known = child.required_providers.contains_key(&name)
                || self.declared.aliases.contains_key(&name)
                || self.declared.empty.contains_key(&name);
            if !known {
                let finding = self.undeclared(passed, &name, &theirs, linked);
                if finding.severity == Severity::Error {
                    refused.insert(name.clone());
                }
                findings.push(finding);
            }
            let Some(ours) = self.parent_address(passed, &name, linked) else { continue };
            if theirs != ours {
                refused.insert(name);
                findings.push(self.mismatch(passed, &theirs, &ours));
            }
        }
    }

    fn undeclared(
        &self,
        passed: &PassedProvider,
        name: &SmolStr,
        theirs: &ProviderAddress,
        linked: bool,
    ) -> Finding {
        let sibling = self.sibling(&passed.in_child.name).filter(|_| linked);
        let child = self.child.module();
        let is_default = theirs.is_default(child.features.registry_host);
        let entry = child.required_providers.get(&passed.in_child.name);
        let detail = match entry.filter(|_| passed.in_child.alias.is_some()) {
            Some(entry) => format!(
                "The entry `{}` in `required_providers` of the child module does not list the alias `{name}`.",
                entry.name
            ),
            None if is_default => format!(
                "The child module does not declare `{name}` in `required_providers`, so {} assumes {}.",
                child.features.engine.product.name(),
                display(child, theirs)
            ),
            None => {
                let from = sibling.map(|(call, _)| {
                    format!(
                        ", so {} takes {} from `module.{}`",
                        child.features.engine.product.name(),
                        display(child, theirs),
                        call.name
                    )
                });
                format!("The child module does not declare a provider `{name}`{}.", from.unwrap_or_default())
            }
        };
        let severity = if is_default { Severity::Warning } else { Severity::Error };
        let summary = "Reference to undefined provider";
        let finding = in_call(self.call, EngineRule::UndefinedProviderReference, summary, name)
            .severity(severity)
            .detail(detail)
            .at(passed.in_child.name_span)
            .help(self.how_to_declare(
                passed,
                &self.parent_address(passed, name, linked).unwrap_or_else(|| theirs.clone()),
            ));
        let finding = finding.related(
            child.required_providers_block.as_ref().map(|block| block.header),
            "it should be declared here",
        );
        match sibling.filter(|(_, entry)| !is_default && entry.address == *theirs) {
            Some((call, entry)) => {
                finding.related(entry.value_span, format!("required by `module.{}`", call.name))
            }
            None => finding,
        }
    }

    /// The entry to write in the child module, for the provider that is passed. An alias belongs to the entry of its
    /// provider.
    fn how_to_declare(&self, passed: &PassedProvider, provider: &ProviderAddress) -> String {
        let child = self.child.module();
        let (name, compact) = (&passed.in_child.name, passed.in_child.compact());
        let aliases = format!("configuration_aliases = [{compact}]");
        let is_used = self.child.provider_mentions().any(|reference| reference.compact() == compact);
        let or_remove = if is_used { "" } else { "remove this entry; or, " };
        match (&passed.in_child.alias, child.required_providers.get(name)) {
            // No registry has hashicorp/terraform.
            (None, None) if name == BUILT_IN => NO_ENTRY_FOR_BUILT_IN.to_owned(),
            (Some(_), Some(entry)) if entry.aliases.is_empty() => {
                format!(
                    "{or_remove}in the child module, add `{aliases}` to the entry `{name}` of `required_providers`"
                )
            }
            (Some(_), Some(_)) => format!(
                "{or_remove}in the child module, add `{compact}` to `configuration_aliases` in the entry `{name}` of \
                 `required_providers`"
            ),
            (alias, None) | (alias @ None, Some(_)) => {
                let aliases = if alias.is_some() { format!(", {aliases}") } else { String::new() };
                let source = display(child, provider);
                format!(
                    "in the child module, add to `required_providers`: `{name} = {{ source = \"{source}\"{aliases} }}`"
                )
            }
        }
    }

    fn mismatch(&self, passed: &PassedProvider, theirs: &ProviderAddress, ours: &ProviderAddress) -> Finding {
        let child = self.child.module();
        let other_name = child.required_providers.values().find(|required| required.address == *ours);
        let name = passed.in_child.compact();
        let finding = in_call(self.call, EngineRule::ProviderTypeMismatch, "Provider type mismatch", &name);
        // Without the host, two addresses in different registries may look alike.
        let shown = |address: &ProviderAddress| {
            if theirs.host == ours.host { display(child, address).to_string() } else { address.to_string() }
        };
        let (theirs, ours) = (shown(theirs), shown(ours));
        let finding = self.required_on_both_sides(finding, passed);
        match other_name {
            Some(required) => finding
                .detail(format!(
                    "A configuration of {ours} is passed as `{}`, which is {theirs} in the child module.",
                    passed.in_child.name
                ))
                .at(passed.in_child.name_span)
                .related(required.value_span, "here the module requires the provider that is passed")
                .help(format!("pass it as `{}`", required.name)),
            None => finding
                .detail(format!(
                    "`{}` is {ours} here, and `{}` is {theirs} in the child module: a configuration of one cannot be \
                     used for the other.",
                    passed.in_parent.compact(),
                    passed.in_child.compact()
                ))
                .at(passed.in_parent.name_span)
                .help(if self.caller.module().reads_value(&passed.in_parent) {
                    one_block_each("providers", &self.caller.module().features)
                } else {
                    format!("pass a configuration of {theirs}, or set the same `source` in both modules")
                }),
        }
    }

    /// Adds the spans that declare the provider on both sides, if there are any.
    fn required_on_both_sides(&self, finding: Finding, passed: &PassedProvider) -> Finding {
        let child = self.child.module().required_providers.get(&passed.in_child.name).map(Box::as_ref);
        let caller = self.required_in_parent(passed, &passed.in_child.compact());
        let places = [(caller, "required in the parent module"), (child, "required in the child module")];
        places.into_iter().fold(finding, |finding, (required, words)| {
            finding.related(required.map(|required| required.value_span), words)
        })
    }

    /// The provider of a name in the child module.
    fn child_address(&self, passed: &PassedProvider, linked: bool) -> Option<ProviderAddress> {
        let child = self.child.module();
        let name = passed.in_child.compact();
        let required = || Some(&child.required_providers.get(&name)?.address);
        let alias = self.declared.aliases.get(&name).map(|(address, _)| *address);
        if let Some(declared) = alias.or_else(required) {
            return Some(declared.clone());
        }
        if linked && let Some(address) = self.linked_in_child(&passed.in_child.name) {
            return Some(address);
        }
        ProviderAddress::default(&passed.in_child.name, child.features.registry_host)
    }

    /// The engine stores the providers of a child module's names in every call of the caller that uses the name, so a
    /// module gets those of its siblings. The module that is stored last takes precedence. The order is random, but
    /// mostly that of their names.
    fn linked_in_child(&self, name: &str) -> Option<ProviderAddress> {
        let mut called = self.called();
        called.find_map(|(_, child)| linked_type(child.module(), name))
    }

    /// The modules that the caller calls, from the last name to the first.
    fn called(&self) -> impl Iterator<Item = (&ModuleCall, Node<'_>)> {
        self.caller.child_calls().rev()
    }

    /// The entry for a name in the module that decides its provider, if that is another child module.
    fn sibling(&self, name: &str) -> Option<(&ModuleCall, &RequiredProvider)> {
        let mut called = self.called().filter(|(_, child)| linked_type(child.module(), name).is_some());
        let (call, decides) = called.next().filter(|(_, child)| child.id() != self.child.id())?;
        let entry = decides.module().required_providers.get(name)?;
        Some((call, &**entry))
    }

    /// The entry for a name in the parent module. The entry for the name in the child module takes precedence, which is
    /// a bug of the engine.
    fn required_in_parent(&self, passed: &PassedProvider, child_name: &str) -> Option<&RequiredProvider> {
        let required = &self.caller.module().required_providers;
        required.get(child_name).or_else(|| required.get(&passed.in_parent.name)).map(Box::as_ref)
    }

    /// The provider of a name in the parent module.
    fn parent_address(
        &self,
        passed: &PassedProvider,
        child_name: &SmolStr,
        linked: bool,
    ) -> Option<ProviderAddress> {
        let caller = self.caller.module();
        if let Some(required) = caller.required_providers.get(child_name) {
            return Some(required.address.clone());
        }
        if linked && let Some(address) = linked_type(caller, &passed.in_parent.name) {
            return Some(address);
        }
        ProviderAddress::default(&passed.in_parent.name, caller.features.registry_host)
    }
}

/// The providers that a module requires or configures, by local name.
fn linked_type(module: &Module, name: &str) -> Option<ProviderAddress> {
    if let Some(required) = module.required_providers.get(name) {
        return Some(required.address.clone());
    }
    let is_configured = module.providers.values().any(|provider| provider.name == name);
    is_configured.then(|| ProviderAddress::default(name, module.features.registry_host)).flatten()
}

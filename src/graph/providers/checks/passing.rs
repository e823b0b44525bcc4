//! Checks the `providers` maps of module calls, as `validateProviderConfigs` in Terraform's `internal/configs` does.

mod caller;
mod child;
mod help;

use std::cell::{LazyCell, OnceCell};
use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use smol_str::SmolStr;

use super::declarations::{display, in_call};
use super::missing;
use crate::finding::{EngineRule, Finding, Severity, set_module};
use crate::graph::arguments::without_files;
use crate::graph::reach::Reached;
use crate::graph::{Node, NodeId};
use crate::module::address::ProviderAddress;
use crate::module::declaration::{ModuleCall, PassedProvider, RequiredProvider, one_block_each};
use crate::text::Span;
use caller::Caller;
use child::Child;

const NOT_PASSED: &str = "Missing required provider configuration";

/// Checks the calls of a module.
pub(in crate::graph) fn check(node: Node<'_>, reached: &Reached) -> Vec<Finding> {
    let mut findings = Vec::new();
    let caller = Caller::of(node);
    let mut children: HashMap<NodeId, Child<'_>> = HashMap::new();
    let mut room = node.module().room(&findings, EngineRule::MissingProviderConfiguration);
    for (call, child) in node.child_calls().filter(|(_, child)| !child.module().excluded) {
        let child = children.entry(child.id()).or_insert_with(|| Child::of(child));
        let edge = Edge { caller: &caller, call, child, passed: passed(call), lacking: OnceCell::new() };
        let mut refused = edge.overridden(&mut findings);
        if !reached.is_stuck(node) {
            let from = findings.len();
            edge.not_handed_on(room.left, &mut findings);
            edge.missing(room.left, &mut findings);
            room.take(findings.len() - from);
            edge.declarations(reached, &mut refused, &mut findings);
        }
    }
    room.close(&mut findings);
    set_module(&mut findings, &node.module().directory);
    findings
}

/// The entries of a call by the name in the child module. The first entry of a name counts.
fn passed(call: &ModuleCall) -> BTreeMap<SmolStr, &PassedProvider> {
    let mut passed = BTreeMap::new();
    for entry in &call.providers {
        passed.entry(entry.in_child.compact()).or_insert(entry);
    }
    passed
}

/// One call of one module.
struct Edge<'e, 't> {
    caller: &'e Caller<'t>,
    call: &'t ModuleCall,
    child: &'e Child<'t>,
    passed: BTreeMap<SmolStr, &'t PassedProvider>,
    /// The names of the configurations that the child module requires and the call does not pass; computed on first use.
    lacking: OnceCell<Vec<&'e str>>,
}

impl<'t> Edge<'_, 't> {
    /// The checks that depend on declarations, which are unreliable in a module with errors.
    fn declarations(&self, reached: &Reached, refused: &mut BTreeSet<SmolStr>, findings: &mut Vec<Finding>) {
        for linked in [true, false] {
            // With errors in the tree, some versions continue without knowing the providers.
            let unlinked = self.child.node.module().features.providers_validated_after_errors;
            let applies = if linked {
                !unlinked || reached.in_sound_tree(self.caller.node)
            } else {
                unlinked && reached.in_broken_tree(self.caller.node)
            };
            if applies {
                self.types(linked, refused, findings);
            }
        }
        // In a module with errors, the missing declaration may be the broken part.
        if self.caller.node.is_broken() || self.child.node.is_broken() {
            return;
        }
        for entry in self.call.providers.iter().filter(|entry| !refused.contains(&entry.in_child.compact())) {
            let (caller, child) = (self.caller.node, self.child.node);
            findings.extend(missing::entry(caller, self.call, child, entry, &self.caller.suggestions));
        }
    }

    /// Reports configurations that the child module passes on, and that this call does not pass to it. Adds at most
    /// `room` findings.
    fn not_handed_on(&self, room: usize, findings: &mut Vec<Finding>) {
        let handed_on = self.child.handed_on.iter().filter(|(name, _)| !self.passed.contains_key(**name));
        let mut missing: Vec<_> = handed_on.take(room).flat_map(|(_, entries)| entries).collect();
        missing.sort_unstable_by_key(|(number, ..)| *number);
        for (_, onward, entry) in missing.into_iter().take(room) {
            let name = &entry.in_parent.name;
            in_call(self.call, EngineRule::MissingProviderConfiguration, NOT_PASSED, name)
                .severity(Severity::Warning)
                .detail(format!(
                    "The child module passes its provider `{name}` on to `module.{}`, but this call does not pass a \
                     configuration under that name.",
                    onward.name
                ))
                .at(self.call.origin.header())
                .related(entry.in_parent.name_span, "passed on here")
                .help(self.how_to_hand_on(onward, entry))
                .push_to(findings);
        }
    }

    /// Reports passed configurations that the child module configures itself. Returns their names.
    fn overridden(&self, findings: &mut Vec<Finding>) -> BTreeSet<SmolStr> {
        let mut refused = BTreeSet::new();
        for (name, passed) in &self.passed {
            if let Some(provider) = self.child.declared.configured.get(name) {
                refused.insert(name.clone());
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

    /// The `providers` map in an override file that replaces another one, if any. An empty map replaces nothing.
    fn overriding_map(&self) -> Option<Span> {
        let mut maps = self.call.origin.written("providers");
        maps.retain(|map| map.expr.as_map().is_some_and(|entries| !entries.is_empty()));
        match maps.as_slice() {
            [_, .., last] => Some(last.name_span),
            _ => None,
        }
    }

    /// Reports required configurations of the child module that are not passed. Adds at most `room` findings.
    fn missing(&self, room: usize, findings: &mut Vec<Finding>) {
        let missing = self.child.required.iter().filter(|(_, name, _)| !self.passed.contains_key(name));
        let in_override = LazyCell::new(|| self.overriding_map());
        for (address, name, span) in missing.take(room) {
            in_call(self.call, EngineRule::MissingProviderConfiguration, NOT_PASSED, name)
                .related_all(*in_override, "this map replaces the one in the base file")
                .detail(format!(
                    "The child module requires a configuration of {} under the name `{name}`.",
                    display(self.child.node.module(), address)
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
        if self.caller.node.module().has_generated_files || self.child.node.module().has_generated_files {
            return;
        }
        for passed in &self.call.providers {
            let Some(theirs) = self.child_address(passed, linked) else { continue };
            let name = passed.in_child.compact();
            let child = self.child.node.module();
            let known = child.required_providers.contains_key(&name)
                || self.child.declared.aliases.contains_key(&name)
                || self.child.declared.empty.contains_key(&name);
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
        let child = self.child.node.module();
        let is_default = theirs.is_default(child.features.registry_host);
        let entry = child.required_providers.get(&passed.in_child.name);
        let detail = match entry.filter(|_| passed.in_child.alias.is_some()) {
            _ if self.has_invalid_entry(&passed.in_child.name) => format!(
                "The entry `{}` in `required_providers` of the child module is not valid, so it declares nothing.",
                passed.in_child.name
            ),
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

    fn mismatch(&self, passed: &PassedProvider, theirs: &ProviderAddress, ours: &ProviderAddress) -> Finding {
        let child = self.child.node.module();
        let other_name = self.child.node.requirements_of(ours).next();
        let caller = self.caller.node.module();
        let is_hidden = caller.required_providers.contains_key(&passed.in_child.compact())
            && caller.provider_address(&passed.in_parent.name).as_ref() == Some(theirs);
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
                .help(self.how_to_pass_as(passed, required)),
            None if is_hidden => finding
                .detail(format!(
                    "`{}` is {theirs} in both modules. But this module also has an entry `{}` in `required_providers`, for \
                     {ours}, which {} takes instead.",
                    passed.in_parent.compact(),
                    passed.in_child.name,
                    child.features.engine.product.name()
                ))
                .at(passed.in_parent.name_span)
                .help(self.how_to_rename(passed)),
            None => finding
                .detail(format!(
                    "`{}` is {ours} here, and `{}` is {theirs} in the child module: a configuration of one cannot be \
                     used for the other.",
                    passed.in_parent.compact(),
                    passed.in_child.compact()
                ))
                .at(passed.in_parent.name_span)
                .help(if child.files == 0 {
                    without_files(self.call)
                } else if caller.reads_value(&passed.in_parent) {
                    one_block_each("providers", &caller.features)
                } else {
                    format!("pass a configuration of {theirs}, or set the same `source` in both modules")
                }),
        }
    }

    /// Adds the spans that declare the provider on both sides, if there are any.
    fn required_on_both_sides(&self, finding: Finding, passed: &PassedProvider) -> Finding {
        let child = self.child.node.module().required_providers.get(&passed.in_child.name).map(Box::as_ref);
        let caller = self.required_in_parent(passed, &passed.in_child.compact());
        let places = [(caller, "required in the parent module"), (child, "required in the child module")];
        places.into_iter().fold(finding, |finding, (required, words)| {
            finding.related(required.map(|required| required.value_span), words)
        })
    }

    /// The provider of a name in the child module.
    fn child_address(&self, passed: &PassedProvider, linked: bool) -> Option<ProviderAddress> {
        let child = self.child.node.module();
        let name = passed.in_child.compact();
        let required = || Some(&child.required_providers.get(&name)?.address);
        let alias = self.child.declared.aliases.get(&name).map(|(address, _)| *address);
        if let Some(declared) = alias.or_else(required) {
            return Some(declared.clone());
        }
        if linked && let Some((address, ..)) = self.caller.linked_in_children(&passed.in_child.name) {
            return Some(address.clone());
        }
        ProviderAddress::default(&passed.in_child.name, child.features.registry_host)
    }

    /// The entry for a name in the module that decides its provider, if that is another child module.
    fn sibling(&self, name: &str) -> Option<(&'t ModuleCall, &'t RequiredProvider)> {
        let (_, call, decides) = self.caller.linked_in_children(name)?;
        let entry = decides.module().required_providers.get(name)?;
        (decides.id() != self.child.node.id()).then_some((*call, &**entry))
    }

    /// The entry for a name in the parent module. The entry for the name in the child module takes precedence, which is
    /// a bug of the engine.
    fn required_in_parent(&self, passed: &PassedProvider, child_name: &str) -> Option<&RequiredProvider> {
        let required = &self.caller.node.module().required_providers;
        required.get(child_name).or_else(|| required.get(&passed.in_parent.name)).map(Box::as_ref)
    }

    /// The provider of a name in the parent module.
    fn parent_address(
        &self,
        passed: &PassedProvider,
        child_name: &SmolStr,
        linked: bool,
    ) -> Option<ProviderAddress> {
        let caller = self.caller.node.module();
        if let Some(required) = caller.required_providers.get(child_name) {
            return Some(required.address.clone());
        }
        if linked && let Some(address) = self.caller.linked_type(&passed.in_parent.name) {
            return Some(address.clone());
        }
        ProviderAddress::default(&passed.in_parent.name, caller.features.registry_host)
    }
}

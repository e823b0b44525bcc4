//! Merges the declarations of the files of a directory into one module: first the base files, each declaration once,
//! then the override files.
//!
//! Override files are merged in the order of their names, and each one block type by block type, not in source order.
//! The result of each override is checked immediately, even if a later override corrects it.

mod call;
mod orphans;
mod output;
mod overlay;
mod primary;
mod provider;
mod resource;
mod settings;
mod storage;
mod variable;

pub(super) use orphans::suggest_names;
use std::sync::Arc;

use std::collections::BTreeMap;

use smol_str::SmolStr;

use crate::engine::{Features, RequiredVersion};
use crate::finding::{EngineRule, Finding, set_address};
use crate::module::Module;
use crate::module::address::{ProviderAddress, block_address};
use crate::module::declaration::{Dependency, Origin, ProviderMeta, VersionConstraint};
use crate::module::decode::Declarations;
use crate::module::dropped::{Dropped, Why};
use crate::syntax::Block;
use crate::text::Span;
use crate::value::Budget;

/// Builds a module. `primary` and `overriding` are sorted by file name.
pub(super) fn files(
    module: &mut Module,
    mut primary: Vec<Declarations>,
    mut overriding: Vec<Declarations>,
    findings: &mut Vec<Finding>,
) {
    let work = Budget::of(module.evaluation_steps());
    let mut merger = Merger { features: *module.features, module, findings, imported: BTreeMap::new(), work };
    // Provider requirements come first, including those of override files, because resources need the provider of
    // their type.
    merger.required_providers(&mut primary, &mut overriding);
    // References to them are not reported beside the blocks.
    for file in primary.iter_mut().chain(&mut overriding) {
        merger.module.declared_elsewhere.extend(file.blocks_in_locals.drain(..));
    }
    for file in primary {
        merger.append(file);
    }
    if overriding.is_empty() {
        return;
    }
    let mut settings = Vec::new();
    for mut file in overriding {
        settings.append(&mut file.settings);
        merger.merge(file);
    }
    merger.drop_settings(&settings);
    merger.drop_for_each();
}

/// The help for an override block without a base, in any file.
const WITHOUT_BASE: &str = "declare it in a base file, or correct the name";

struct Merger<'a> {
    module: &'a mut Module,
    features: Features,
    findings: &'a mut Vec<Finding>,
    /// By target: the headers of the `import` blocks seen so far.
    imported: BTreeMap<SmolStr, Vec<Span>>,
    /// The remaining steps to apply and convert defaults.
    work: Budget,
}

impl Merger<'_> {
    /// Merges one override file into the module.
    fn merge(&mut self, file: Declarations) {
        self.override_versions(file.required_versions);
        self.override_storage(file.backends, file.clouds, file.encryptions);
        self.each(file.providers, |provider| &provider.origin, Self::override_provider);
        self.each(file.variables, |variable| &variable.origin, Self::override_variable);
        for local in file.locals {
            self.override_local(local);
        }
        self.each(file.outputs, |output| &output.origin, Self::override_output);
        self.each(file.calls, |call| &call.origin, Self::override_call);
        self.each(file.managed, |resource| &resource.origin, Self::override_resource);
        self.each(file.data, |resource| &resource.origin, Self::override_resource);
        if self.features.override_ephemeral_merged {
            self.each(file.ephemeral, |resource| &resource.origin, Self::override_resource);
        } else {
            file.ephemeral.iter().for_each(|resource| self.ignore(&resource.origin.base));
        }
        for removed in file.removed {
            if self.features.override_removed_refused {
                self.not_in_override(&removed.block, "Cannot override 'Removed' blocks");
            } else {
                self.ignore(&removed.block);
            }
        }
        for ProviderMeta { block, .. } in file.provider_metas {
            let dropped = Dropped::block(&block, settings::ADDRESS, Why::Ignored);
            self.module.dropped.insert(block.header, dropped);
        }
        for moved in file.moved {
            self.not_in_override(&moved.block, "Cannot override 'moved' blocks");
        }
        for import in file.imports {
            self.not_in_override(&import.block, "Cannot override 'import' blocks");
        }
        self.each(file.actions, |action| &action.origin, Self::override_action);
    }

    /// Replaces the earlier versions, or adds to them if each file has versions of its own.
    fn override_versions(&mut self, versions: Vec<VersionConstraint>) {
        if versions.is_empty() {
            return;
        }
        match self.features.required_version {
            RequiredVersion::EveryFile => {
                let before = std::mem::replace(&mut self.module.required_versions, versions);
                self.module.overridden_versions.extend(before);
            }
            RequiredVersion::TofuFiles => {
                self.module.overridden_versions.clone_from(&self.module.required_versions);
                self.module.required_versions.extend(versions);
            }
        }
    }

    /// Merges override blocks. Findings get the address of their block.
    fn each<T>(&mut self, overrides: Vec<T>, origin: fn(&T) -> &Origin, merge: fn(&mut Self, T)) {
        for over in overrides {
            let (from, address) = (self.findings.len(), block_address(&origin(&over).base));
            merge(self, over);
            set_address(&mut self.findings[from..], &address);
        }
    }

    fn not_in_override(&mut self, block: &Block, summary: &str) {
        Finding::language(EngineRule::OverrideNotAllowed, summary)
            .detail(format!("An override file cannot contain `{}` blocks.", block.kind))
            .at(block.header)
            .address(block_address(block))
            .help("move the block into a base file")
            .push_to(self.findings);
    }

    /// Drops a block that the engine decodes but does not merge.
    fn ignore(&mut self, block: &Arc<Block>) {
        self.module.dropped.insert(block.header, Dropped::top_block(block, Why::Ignored));
    }

    /// Reports a block that has no base block.
    fn without_base(&mut self, block: &Arc<Block>) {
        let labels: Vec<_> = block.labels.iter().map(|label| label.text.as_str()).collect();
        let (name, address) = (labels.join("."), block_address(block));
        let (summary, what, address) = match block.kind.as_str() {
            "variable" => (
                "Missing base variable declaration to override",
                format!("variable `{name}`"),
                format!("var.{name}"),
            ),
            "output" => ("Missing base output definition to override", format!("output `{name}`"), address),
            "module" => ("Missing module call to override", format!("module call `{name}`"), address),
            "action" => ("Missing resource to override", format!("action `{name}`"), address),
            "data" => ("Missing data resource to override", format!("data source `{address}`"), address),
            "ephemeral" => {
                let what = format!("ephemeral resource `{address}`");
                ("Missing ephemeral resource to override", what, address)
            }
            _ => ("Missing resource to override", format!("resource `{address}`"), address),
        };
        self.missing_base(summary, &what, address, Dropped::top_block(block, Why::NoBase));
    }

    /// Reports a declaration that base files do not contain. References to its address are then not reported as well.
    fn missing_base(&mut self, summary: &str, what: &str, address: String, dropped: Dropped) {
        let at = dropped.span;
        self.module.declared_elsewhere.insert(address);
        self.module.dropped.insert(at, dropped);
        Finding::language(EngineRule::OverrideWithoutBase, summary)
            .detail(format!(
                "There is no {what} in the base files of this module, and an override file cannot declare a new one."
            ))
            .at(at)
            .help(WITHOUT_BASE)
            .push_to(self.findings);
    }

    /// Reports `depends_on`, which cannot be overridden.
    fn depends_on(&mut self, over: &[Dependency], base: Span) {
        if let Some(first) = over.first() {
            Finding::language(EngineRule::OverrideDependsOn, "Unsupported override")
                .detail("`depends_on` cannot be set in an override file.")
                .at(first.span)
                .related(base, "the base block")
                .help("move `depends_on` into the base block")
                .push_to(self.findings);
        }
    }

    /// Drops `for_each` if another block of the same declaration sets `count`.
    fn drop_for_each(&mut self) {
        let Module { calls, resources, actions, dropped, .. } = &mut *self.module;
        let calls = calls.values().map(|call| (&call.origin, &call.count, &call.for_each));
        // A data source in a `check` block can have neither.
        let resources = resources.values().filter(|resource| resource.check.is_none());
        let resources = resources.map(|resource| (&resource.origin, &resource.count, &resource.for_each));
        let actions = actions.values().map(|action| (&action.origin, &action.count, &action.for_each));
        for (origin, count, for_each) in calls.chain(resources).chain(actions) {
            let (Some(count), Some(for_each)) = (count, for_each) else { continue };
            // In one block, they are an error.
            if origin.number_at(count.span) != origin.number_at(for_each.span) {
                let address = block_address(&origin.base);
                let without_effect = Dropped::argument(for_each, &address, Why::CountWins);
                dropped.insert(for_each.span, without_effect.by(Some(count.span)));
            }
        }
    }

    /// The provider for a local name in this module.
    fn provider_address(&self, local_name: &str) -> Option<ProviderAddress> {
        self.module.provider_address(local_name)
    }
}

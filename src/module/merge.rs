//! Turns the declarations of all files of a directory into one module: first what primary files declare, each thing
//! once, then what override files lay over it.
//!
//! Overriding goes file by file in the order of their full names, and inside a file kind by kind, not by position. What
//! an override file makes of something is checked there and then, even where a later one mends it.

mod call;
mod output;
mod primary;
mod provider;
mod resource;
mod storage;
mod variable;

use smol_str::SmolStr;

use crate::engine::{Features, InOverride, RemovedInOverride, RequiredVersion};
use crate::finding::{EngineRule, Finding};
use crate::module::Module;
use crate::module::address::{Mode, ProviderAddress, block_address};
use crate::module::declaration::{Dependency, Resource};
use crate::module::decode::Declarations;
use crate::syntax::Block;
use crate::text::Span;

/// Builds a module. `primary` and `overriding` are in the order of their file names.
pub(super) fn files(
    module: &mut Module,
    mut primary: Vec<Declarations>,
    mut overriding: Vec<Declarations>,
    findings: &mut Vec<Finding>,
) {
    let mut merger = Merger { features: module.features, module, findings };
    // Requirements come first, those of override files too, so that resources know the provider they belong to.
    merger.required_providers(&mut primary, &mut overriding);
    for file in primary {
        merger.append(file);
    }
    for file in overriding {
        merger.merge(file);
    }
}

struct Merger<'a> {
    module: &'a mut Module,
    features: Features,
    findings: &'a mut Vec<Finding>,
}

impl Merger<'_> {
    /// Lays what one override file declares over the module.
    fn merge(&mut self, file: Declarations) {
        if !file.required_versions.is_empty() {
            match self.features.required_version {
                RequiredVersion::EveryFile => {
                    let before =
                        std::mem::replace(&mut self.module.required_versions, file.required_versions);
                    self.module.overridden_versions.extend(before);
                }
                RequiredVersion::TofuFiles => {
                    self.module.overridden_versions.clone_from(&self.module.required_versions);
                    self.module.required_versions.extend(file.required_versions);
                }
            }
        }
        self.override_backends(file.backends);
        self.override_clouds(file.clouds);
        self.override_encryption(file.encryptions);
        for provider in file.providers {
            self.about(&provider.origin.base.clone(), |merger| merger.override_provider(provider));
        }
        for variable in file.variables {
            self.about(&variable.origin.base.clone(), |merger| merger.override_variable(variable));
        }
        for local in file.locals {
            self.override_local(local);
        }
        for output in file.outputs {
            self.about(&output.origin.base.clone(), |merger| merger.override_output(output));
        }
        for call in file.calls {
            self.about(&call.origin.base.clone(), |merger| merger.override_call(call));
        }
        for resource in file.managed.into_iter().chain(file.data) {
            self.about(&resource.origin.base.clone(), |merger| merger.override_resource(resource));
        }
        for resource in file.ephemeral {
            match self.features.override_ephemeral {
                InOverride::Merged => {
                    self.about(&resource.origin.base.clone(), |merger| merger.override_resource(resource));
                }
                InOverride::Ignored => self.module.ignored_overrides.push(resource.origin.base),
            }
        }
        for removed in file.removed {
            match self.features.override_removed {
                RemovedInOverride::Error => {
                    self.not_in_override(&removed.block, "Cannot override 'Removed' blocks");
                }
                RemovedInOverride::Ignored => self.module.ignored_overrides.push(removed.block),
            }
        }
        self.module.ignored_overrides.extend(file.provider_metas.into_iter().map(|meta| meta.block));
        for moved in file.moved {
            self.not_in_override(&moved.block, "Cannot override 'moved' blocks");
        }
        for import in file.imports {
            self.not_in_override(&import.block, "Cannot override 'import' blocks");
        }
        for action in file.actions {
            self.about(&action.origin.base.clone(), |merger| merger.override_action(action));
        }
    }

    /// Does something with a block, and gives its address to what is found on the way.
    fn about(&mut self, block: &Block, work: impl FnOnce(&mut Self)) {
        let from = self.findings.len();
        work(self);
        for finding in &mut self.findings[from..] {
            finding.address = block_address(block);
        }
    }

    fn not_in_override(&mut self, block: &Block, summary: &str) {
        self.findings.push(
            Finding::language(EngineRule::OverrideNotAllowed, summary)
                .detail(format!("An override file cannot contain `{}` blocks.", block.kind))
                .at(block.header)
                .address(block_address(block))
                .help("move it into a base file"),
        );
    }

    /// Reports that there is nothing to override at this address.
    fn without_base(&mut self, summary: &str, what: &str, address: String, at: Span) {
        self.module.without_base.insert(address);
        self.findings.push(
            Finding::language(EngineRule::OverrideWithoutBase, summary)
                .detail(format!(
                    "There is no {what} in the base files of this module. An override file can only change what base \
                     files declare."
                ))
                .at(at)
                .help("declare it in a base file, or correct the name"),
        );
    }

    /// Says that `depends_on` cannot be overridden.
    fn depends_on(&mut self, over: &[Dependency], base: Span) {
        if let Some(first) = over.first() {
            self.findings.push(
                Finding::language(EngineRule::OverrideDependsOn, "Unsupported override")
                    .detail("`depends_on` cannot be set in an override file.")
                    .at(first.span)
                    .related(base, "the base block")
                    .help("move `depends_on` into the base block"),
            );
        }
    }

    /// What the address of a provider's local name stands for in this module.
    fn provider_address(&self, local_name: &str) -> Option<ProviderAddress> {
        self.module.provider_address(local_name)
    }
}

/// The word for a kind of resource in sentences.
fn what(resource: &Resource) -> SmolStr {
    let kind = match resource.address.mode {
        Mode::Managed => "resource",
        Mode::Data => "data source",
        Mode::Ephemeral => "ephemeral resource",
    };
    smol_str::format_smolstr!("{kind} `{}`", resource.address)
}

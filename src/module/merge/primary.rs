//! Collects the declarations of base files. Duplicates are reported at the later one.

use std::collections::btree_map::Entry;

use smol_str::ToSmolStr;

use crate::finding::{EngineRule, Finding};
use crate::module::address::{Mode, ProviderAddress, legal_part};
use crate::module::declaration::{
    Action, Check, Import, Local, ModuleCall, Output, ProviderConfiguration, ProviderMeta, Resource, Variable,
};
use crate::module::decode::Declarations;
use crate::module::merge::Merger;
use crate::text::Span;

impl Merger<'_> {
    /// Collects the requirements of base files, which can have only one block in all, and then the entries of override
    /// files, which replace whole entries.
    pub(super) fn required_providers(
        &mut self,
        primary: &mut [Declarations],
        overriding: &mut [Declarations],
    ) {
        for file in primary {
            for requirements in std::mem::take(&mut file.required_providers) {
                if let Some(first) = &self.module.required_providers_block {
                    duplicate(
                        "Duplicate required providers configuration",
                        requirements.block.header,
                        first.header,
                    )
                    .detail("A module can have only one `required_providers` block.")
                    .help("put the entries into one block, with one entry for each provider")
                    .push_to(self.findings);
                    continue;
                }
                self.module.required_providers = requirements.entries;
                self.module.required_providers_block = Some(requirements.block);
            }
        }
        for file in overriding {
            for requirements in std::mem::take(&mut file.required_providers) {
                for (name, mut entry) in requirements.entries {
                    entry.replaced = self.module.required_providers.remove(&name);
                    self.module.required_providers.insert(name, entry);
                }
            }
        }
    }

    /// Adds the declarations of one base file.
    pub(super) fn append(&mut self, file: Declarations) {
        self.module.required_versions.extend(file.required_versions);
        self.append_storage(file.backends, file.clouds, file.encryptions);
        self.append_providers(file.providers, file.provider_metas);
        self.append_values(file.variables, file.locals, file.outputs, file.calls);
        for resource in file.managed.into_iter().chain(file.data).chain(file.ephemeral) {
            self.append_resource(resource);
        }
        for (check, data) in file.checks {
            self.append_check(check, data);
        }
        for action in file.actions {
            self.append_action(action);
        }
        self.module.moved.extend(file.moved);
        self.module.removed.extend(file.removed);
        for import in file.imports {
            self.append_import(import);
        }
    }

    fn append_providers(&mut self, providers: Vec<ProviderConfiguration>, metas: Vec<ProviderMeta>) {
        for provider in providers {
            match self.module.providers.entry(provider.compact()) {
                Entry::Occupied(first) => {
                    let detail = match &provider.alias {
                        None => {
                            format!("The module already has a default configuration of `{}`.", provider.name)
                        }
                        Some(_) => format!("The module already has a configuration `{}`.", first.key()),
                    };
                    duplicate(
                        "Duplicate provider configuration",
                        provider.origin.header(),
                        first.get().origin.header(),
                    )
                    .detail(detail)
                    .help("set a different `alias` in one of them")
                    .push_to(self.findings);
                }
                Entry::Vacant(place) => {
                    place.insert(Box::new(provider));
                }
            }
        }
        for meta in metas {
            let address = self.provider_address(&meta.name);
            let header = meta.block.header;
            if let Some(first) = self.module.provider_metas.insert(address, meta) {
                duplicate("Duplicate provider_meta block", header, first.block.header)
                    .detail("A module can have only one `provider_meta` block for each provider.")
                    .push_to(self.findings);
            }
        }
    }

    fn append_values(
        &mut self,
        variables: Vec<Variable>,
        locals: Vec<Local>,
        outputs: Vec<Output>,
        calls: Vec<ModuleCall>,
    ) {
        for variable in variables {
            let header = variable.origin.header();
            // The engine continues with the later one, after reporting the earlier one.
            if let Some(first) = self.module.variables.insert(variable.name.clone(), Box::new(variable)) {
                let address = format!("variable.{}", first.name);
                self.twice("Duplicate variable declaration", address, header, first.origin.header());
            }
        }
        for local in locals {
            let at = local.attribute.span;
            if let Some(first) = self.module.locals.insert(local.name.clone(), local) {
                let address = format!("local.{}", first.name);
                self.twice("Duplicate local value definition", address, at, first.attribute.span);
            }
        }
        for output in outputs {
            let header = output.origin.header();
            if let Some(first) = self.module.outputs.insert(output.name.clone(), Box::new(output)) {
                let address = format!("output.{}", first.name);
                self.twice("Duplicate output definition", address, header, first.origin.header());
            }
        }
        for call in calls {
            let header = call.origin.header();
            if let Some(first) = self.module.calls.insert(call.name.clone(), Box::new(call)) {
                let address = format!("module.{}", first.name);
                self.twice("Duplicate module call", address, header, first.origin.header());
                self.module.refused_calls.push(first);
            }
        }
    }

    fn append_check(&mut self, check: Check, data: Option<Resource>) {
        if let Some(data) = data {
            // A data source that is declared elsewhere removes the whole check.
            if !self.append_resource(data) {
                return;
            }
        } else if let Some(invalid) = &check.data {
            // References to an invalid data source are not reported as well.
            self.module.declared_elsewhere.insert(invalid.to_string());
        }
        match self.module.checks.entry(check.name.clone()) {
            Entry::Occupied(first) => {
                let summary = format!("Duplicate check {:?} configuration", check.name.as_str());
                let first = first.get().block.header;
                self.twice(&summary, format!("check.{}", check.name), check.block.header, first);
            }
            Entry::Vacant(place) => {
                place.insert(check);
            }
        }
    }

    fn append_action(&mut self, action: Action) {
        match self.module.actions.entry((action.kind.clone(), action.name.clone())) {
            Entry::Occupied(first) => {
                let summary = format!("Duplicate action {:?} configuration", action.kind.as_str());
                let address = format!("action.{}.{}", action.kind, action.name);
                let first = first.get().origin.header();
                self.twice(&summary, address, action.origin.header(), first);
            }
            Entry::Vacant(place) => {
                place.insert(action);
            }
        }
    }

    /// Adds a resource. Returns whether its address was new.
    fn append_resource(&mut self, mut resource: Resource) -> bool {
        if let Some(first) = self.module.resources.get(&resource.address) {
            let kind = resource.address.kind.as_str();
            let summary = match resource.address.mode {
                Mode::Managed => format!("Duplicate resource {kind:?} configuration"),
                Mode::Data => format!("Duplicate data {kind:?} configuration"),
                Mode::Ephemeral => {
                    format!("Duplicate {} {kind:?} configuration", self.features.summaries.ephemeral_kind)
                }
            };
            let (at, first) = (resource.origin.header(), first.origin.header());
            self.twice(&summary, resource.address.to_string(), at, first);
            return false;
        }
        resource.provider = self.provider_of(&resource);
        self.module.resources.insert(resource.address.clone(), Box::new(resource));
        true
    }

    /// The provider of a resource. Returns `None` if its `provider` argument is invalid, or if its type implies no valid
    /// name.
    fn provider_of(&self, resource: &Resource) -> Option<ProviderAddress> {
        match &resource.provider_ref {
            Some(reference) => self.provider_address(&reference.name),
            None if !resource.origin.written("provider").is_empty() => None,
            None => legal_part(resource.provider_name()).ok().and_then(|name| self.provider_address(&name)),
        }
    }

    fn append_import(&mut self, import: Import) {
        if let Some(target) = import.target.as_ref().filter(|target| target.is_static) {
            let same = self.imported.entry(target.to_smolstr()).or_default();
            // The engines compare each block with all earlier ones, so that they report it once for each of them.
            for first in same.iter().take(MOST_DUPLICATES) {
                let to = import.to.as_ref().filter(|_| !self.features.duplicate_import_at_header);
                duplicate(
                    format!("Duplicate import configuration for {:?}", target.config().to_string()),
                    to.map_or(import.block.header, |to| to.span),
                    *first,
                )
                .detail("An object can be imported only once.")
                .push_to(self.findings);
            }
            same.push(import.block.header);
        }
        self.module.imports.push(import);
    }

    fn twice(&mut self, summary: &str, address: String, at: Span, first: Span) {
        duplicate(summary, at, first)
            .detail(format!("The module already declares {}.", declaration(&address)))
            .address(address)
            .help("remove or rename one of them")
            .push_to(self.findings);
    }
}

/// A declaration by its address, or by its name where Terraform has no such address.
fn declaration(address: &str) -> String {
    match address.split_once('.') {
        Some((kind @ ("variable" | "output"), name)) => format!("the {kind} `{name}`"),
        Some(_) | None => format!("`{address}`"),
    }
}

/// The number of earlier `import` blocks of one target that are reported with a later one.
const MOST_DUPLICATES: usize = 4;

pub(super) fn duplicate(summary: impl Into<String>, at: Span, first: Span) -> Finding {
    Finding::language(EngineRule::DuplicateDeclaration, summary)
        .at(at)
        .label("declared again here")
        .related(first, "already declared here")
}

//! The blocks of a module after override files, as rule templates check them.

use std::sync::Arc;

use smol_str::SmolStr;

use super::block_kind::{KINDS, REQUIRED_PROVIDERS, TERRAFORM};
use crate::module::Module;
use crate::module::declaration::{Origin, ProviderConfiguration, RequiredProvider};
use crate::rules::Context;
use crate::syntax::{Attribute, Block};
use crate::text::{FileId, Span};

/// A block after override files.
pub(super) struct Part {
    kind: &'static str,
    /// The labels. For a provider configuration, the alias follows.
    labels: Vec<SmolStr>,
    /// The span that findings report: the header of the base block, or the name of a local value or an entry.
    pub(super) header: Span,
    /// The span of the name that the author chose.
    pub(super) name: Option<Span>,
    pub(super) content: Content,
}

/// Where the arguments of a block are.
pub(super) enum Content {
    /// In a block and its overrides.
    Block(Origin),
    /// In the `terraform` blocks of the module.
    Settings {
        /// Those of base files, at least one.
        bases: Vec<Arc<Block>>,
        /// Those of override files.
        overrides: Vec<Arc<Block>>,
    },
    /// In an entry of `required_providers`.
    Entry(Arc<Attribute>),
    /// Nowhere: a local value has none.
    Nowhere,
}

impl Part {
    /// The block type.
    pub(super) fn kind(&self) -> &'static str {
        self.kind
    }

    /// The name that the author chose, if there is one.
    pub(super) fn chosen(&self) -> Option<(&SmolStr, Span)> {
        self.labels.last().zip(self.name)
    }

    /// The labels.
    pub(super) fn labels(&self) -> &[SmolStr] {
        &self.labels
    }

    /// The headers of all base blocks.
    pub(super) fn headers(&self) -> Vec<Span> {
        match &self.content {
            Content::Settings { bases, .. } => bases.iter().map(|block| block.header).collect(),
            Content::Block(_) | Content::Entry(_) | Content::Nowhere => vec![self.header],
        }
    }

    /// The address.
    pub(super) fn address(&self) -> String {
        let kind = (self.kind != "resource").then_some(self.kind);
        kind.into_iter().chain(self.labels.iter().map(SmolStr::as_str)).collect::<Vec<_>>().join(".")
    }

    /// Block type and labels, separated by `/`, which patterns are matched against.
    pub(super) fn path(&self) -> String {
        let mut path = self.kind.replace('.', "/");
        for label in &self.labels {
            path.push('/');
            path.push_str(label);
        }
        path
    }

    fn merged(kind: &'static str, labels: &[&SmolStr], origin: &Origin) -> Self {
        let labels: Vec<SmolStr> = labels.iter().copied().cloned().collect();
        let name = origin.base.labels.last().map(|label| label.span);
        Self { kind, labels, header: origin.header(), name, content: Content::Block(origin.clone()) }
    }

    fn plain(kind: &'static str, labels: &[&SmolStr], block: &Arc<Block>) -> Self {
        Self::merged(kind, labels, &Origin::of(block))
    }

    fn without_block(kind: &'static str, name: &SmolStr, at: Span) -> Self {
        Self { kind, labels: vec![name.clone()], header: at, name: Some(at), content: Content::Nowhere }
    }
}

/// The declarations of a module with a wanted block type, by block type and name; those without names in source order.
pub(super) fn parts(module: &Module, context: &Context<'_>, is_wanted: &dyn Fn(&str) -> bool) -> Vec<Part> {
    let mut parts = Vec::new();
    for resource in module.resources.values() {
        let kind = resource.address.mode.keyword();
        if is_wanted(kind) {
            let labels = [&resource.address.kind, &resource.address.name];
            parts.push(Part::merged(kind, &labels, &resource.origin));
        }
    }
    let mut add = |kind: &str, more: &mut dyn Iterator<Item = Part>| {
        if is_wanted(kind) {
            parts.extend(more);
        }
    };
    let calls = module.calls.values();
    add("module", &mut calls.map(|call| Part::merged("module", &[&call.name], &call.origin)));
    add("provider", &mut module.providers.values().map(|provider| provider_part(provider)));
    let variables = module.variables.values();
    add("variable", &mut variables.map(|it| Part::merged("variable", &[&it.name], &it.origin)));
    let outputs = module.outputs.values();
    add("output", &mut outputs.map(|output| Part::merged("output", &[&output.name], &output.origin)));
    let locals = module.locals.values();
    add("local", &mut locals.map(|it| Part::without_block("local", &it.name, it.attribute.name_span)));
    let actions = module.actions.values();
    add("action", &mut actions.map(|it| Part::merged("action", &[&it.kind, &it.name], &it.origin)));
    let checks = module.checks.values();
    add("check", &mut checks.map(|check| Part::plain("check", &[&check.name], &check.block)));
    add("moved", &mut module.moved.iter().map(|moved| Part::plain("moved", &[], &moved.block)));
    add("removed", &mut module.removed.iter().map(|removed| Part::plain("removed", &[], &removed.block)));
    add("import", &mut module.imports.iter().map(|import| Part::plain("import", &[], &import.block)));
    let mut in_terraform = KINDS.iter().filter(|kind| kind.name.starts_with(TERRAFORM));
    if in_terraform.any(|kind| is_wanted(kind.name)) {
        of_terraform(module, context, &mut parts);
        parts.retain(|part| is_wanted(part.kind));
    }
    parts
}

/// A provider configuration. The name of the provider is given; only the alias is chosen.
fn provider_part(provider: &ProviderConfiguration) -> Part {
    let part = Part::merged("provider", &[&provider.name], &provider.origin);
    let alias = provider.alias.as_ref();
    let labels = part.labels.iter().cloned().chain(alias.map(|alias| alias.value.clone())).collect();
    Part { labels, name: alias.map(|alias| alias.span), ..part }
}

/// The settings of a module: the combined `terraform` blocks and their nested blocks.
fn of_terraform(module: &Module, context: &Context<'_>, parts: &mut Vec<Part>) {
    let overriding: Vec<FileId> = context.override_files(module).into_iter().map(|(file, _)| file).collect();
    let is_base = |block: &Arc<Block>| !overriding.contains(&block.header.file);
    let (bases, overrides): (Vec<_>, Vec<_>) =
        context.terraform_blocks(module).into_iter().partition(is_base);
    if let Some(backend) = &module.backend
        && let Some(kind) = &backend.kind
    {
        parts.push(Part::plain("terraform.backend", &[kind], &backend.block));
    }
    parts.extend(module.cloud.iter().map(|cloud| Part::plain("terraform.cloud", &[], &cloud.block)));
    parts.extend(module.encryption.iter().map(|block| Part::plain("terraform.encryption", &[], block)));
    let metas = module.provider_metas.values();
    parts.extend(metas.map(|meta| Part::plain("terraform.provider_meta", &[&meta.name], &meta.block)));
    let requirements: Vec<_> =
        bases.iter().chain(&overrides).flat_map(|block| block.blocks("required_providers", &[])).collect();
    let written = |entry: &RequiredProvider| {
        let of_block = |block: &Arc<Block>| {
            block.attribute(&entry.name).filter(|attribute| attribute.span == entry.span)
        };
        requirements.iter().find_map(of_block)
    };
    for entry in module.required_providers.values() {
        if let (Some(attribute), Some(first)) = (written(entry), written(entry.first())) {
            let part = Part::without_block(REQUIRED_PROVIDERS, &entry.name, first.name_span);
            parts.push(Part { content: Content::Entry(attribute), ..part });
        }
    }
    if let Some(first) = bases.first() {
        let part = Part::plain(TERRAFORM, &[], first);
        parts.push(Part { content: Content::Settings { bases, overrides }, ..part });
    }
}

#![doc = include_str!("../../policies/rules/required-provider-missing.md")]

use std::collections::BTreeMap;

use super::{Context, Rule};
use crate::engine::FileKind;
use crate::finding::{Edit, Finding, Fix, Safety};
use crate::module::Module;
use crate::module::declaration::Resource;
use crate::policy::Options;
use crate::text::FileId;
use crate::tree::{Node, Role};

pub(super) struct RequiredProviderMissing;

impl Rule for RequiredProviderMissing {
    const ID: &'static str = "required-provider-missing";
    const FIXES: &'static [Safety] = &[Safety::Unsafe];

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        if !module.complete || node.role() == Role::Test {
            return;
        }
        let mut missing: BTreeMap<&str, Vec<&Resource>> = BTreeMap::new();
        for resource in module.resources.values() {
            let reference = resource.provider_ref.as_ref();
            let name = reference
                .map_or_else(|| resource.address.implied_provider(), |reference| reference.name.as_str());
            if is_missing(module, name) && !(node.is_broken() && is_written(module, name, context)) {
                missing.entry(name).or_default().push(resource);
            }
        }
        for (name, mut resources) in missing {
            resources.sort_by_key(|resource| resource.origin.header());
            let Some(first) = resources.first() else { continue };
            let need = match resources.len() - 1 {
                0 => "needs".to_owned(),
                1 => "and one more need".to_owned(),
                others => format!("and {others} more need"),
            };
            findings.push(
                Self::finding("Provider without an entry in `required_providers`")
                    .detail(format!(
                        "`{}` {need} `{name}`, which is taken for hashicorp/{name} in any version. A provider \
                         of somebody else would not be found.",
                        first.address
                    ))
                    .at(first.origin.header())
                    .help(format!("add to `required_providers`: {name} = {{ source = \"hashicorp/{name}\" }}"))
                    .fixed_by(added(module, name, context).map(|edit| Fix::on_request([edit])))
                    .address(format!("required_providers.{name}")),
            );
        }
    }
}

/// Whether nothing says which provider a local name is. That one is required under another name, or is called so that no
/// provider can be, the engines tell.
fn is_missing(module: &Module, name: &str) -> bool {
    let Some(address) = module.provider_address(name) else { return false };
    !module.required_providers.contains_key(name)
        && !address.is_built_in()
        && module.required_providers.values().all(|entry| entry.address != address)
}

/// Whether there is an entry under that name, which may be one that the engine refuses.
fn is_written(module: &Module, name: &str, context: &Context<'_>) -> bool {
    let blocks = context.terraform_blocks(module);
    let entries = blocks.iter().flat_map(|block| block.blocks("required_providers", &[]));
    entries.into_iter().any(|block| block.attribute(name).is_some())
}

/// Where people look for what a module requires; they are asked in this order.
const USUAL_FILES: [&str; 5] = ["versions", "terraform", "providers", "main", ""];

/// Adds an entry where the others are, or where they would be.
fn added(module: &Module, name: &str, context: &Context<'_>) -> Option<Edit> {
    let files = context.module_files(module).into_iter();
    let files: Vec<FileId> = files
        .filter(|(id, loaded)| loaded.kind != FileKind::Override && context.editor(*id).is_some())
        .map(|(id, _)| id)
        .collect();
    let entry = format!("{name} = {{\n  source = \"hashicorp/{name}\"\n}}");
    let indented = |lines: &str| lines.replace('\n', "\n  ");
    let requirements = format!("required_providers {{\n  {}\n}}", indented(&entry));
    let settings = |id: &FileId| {
        let blocks = context.file(*id).map(|file| file.body.any_blocks()).unwrap_or_default();
        let settings = blocks.into_iter().filter(|block| block.kind == "terraform");
        settings.map(|block| (*id, block)).collect::<Vec<_>>()
    };
    let settings: Vec<_> = files.iter().flat_map(settings).collect();
    for (id, block) in &settings {
        if let Some(inner) = block.blocks("required_providers", &[]).first() {
            return Some(context.editor(*id)?.add_argument(&inner.body, None, &entry));
        }
    }
    if let Some((id, block)) = settings.first() {
        return Some(context.editor(*id)?.add_block(&block.body, &requirements));
    }
    let is_called =
        |id: &&FileId, stem: &str| stem.is_empty() || context.file_name(**id).split('.').next() == Some(stem);
    let file = USUAL_FILES.iter().find_map(|stem| files.iter().find(|id| is_called(id, stem)))?;
    let block = format!("terraform {{\n  {}\n}}", indented(&requirements));
    Some(context.editor(*file)?.add_at_start(&block))
}

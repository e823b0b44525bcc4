#![doc = include_str!("../../policies/rules/override-source-keeps-version.md")]

use super::{Context, Finding, Node, Page, Rule, page};
use crate::engine::ModuleAddress;
use crate::module::address::ModuleSource;

pub(super) struct OverrideSourceKeepsVersion;

impl Rule for OverrideSourceKeepsVersion {
    const PAGE: Page = page!("override-source-keeps-version");

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        match module.features.module_address {
            ModuleAddress::LiteralPerBlock => {}
            // These engines check the call after merging, and report it themselves.
            ModuleAddress::ConstAfterMerge | ModuleAddress::StaticAfterMerge => return,
        }
        for call in module.calls.values() {
            let arguments = (&call.address.source, &call.address.version, &call.source);
            let (Some(source), Some(version), Some(address)) = arguments else { continue };
            match &address.address {
                Some(ModuleSource::Local(_) | ModuleSource::Remote(_)) => {}
                Some(ModuleSource::Registry(_)) | None => continue,
            }
            let (of_source, of_version) =
                (call.origin.number_at(source.span), call.origin.number_at(version.span));
            if of_source == of_version {
                continue;
            }
            let product = module.features.engine.product.name();
            let help = match of_version {
                Some(0) => {
                    "remove `version` from the base block: an override can replace it, but not remove it"
                }
                Some(_) | None => "remove `version` from the other override block",
            };
            let finding = if of_version > of_source {
                Self::finding("Override adds a version to a module that is not from a registry")
                    .at(version.span)
                    .related(source.span, "not a registry module")
                    .help("remove `version`")
            } else {
                Self::finding("Override replaces a registry source and keeps its version")
                    .at(source.span)
                    .label("not a registry module")
                    .related(version.span, "this version stays set")
                    .help(help)
            };
            finding
                .detail(format!(
                    "Only modules from a registry have versions. {product} does not check this when it merges override \
                     files, and `init` fails with \"Invalid version constraint\"."
                ))
                .address(format!("module.{}", call.name))
                .push_to(findings);
        }
    }
}

#![doc = include_str!("../../policies/rules/required-provider-missing.md")]

use std::collections::BTreeMap;

use super::{Context, Rule};
use crate::finding::Finding;
use crate::module::Module;
use crate::module::declaration::Resource;
use crate::policy::Options;
use crate::tree::{Node, Role};

pub(super) struct RequiredProviderMissing;

impl Rule for RequiredProviderMissing {
    const ID: &'static str = "required-provider-missing";

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        if !module.complete || node.role() == Role::Test {
            return;
        }
        let mut missing: BTreeMap<&str, Vec<&Resource>> = BTreeMap::new();
        for resource in module.resources.values() {
            let reference = resource.provider_ref.as_ref();
            let name = reference
                .map_or_else(|| resource.address.implied_provider(), |reference| reference.name.as_str());
            if is_missing(module, name) {
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

#![doc = include_str!("../../policies/rules/module-version-exact.md")]

use super::{ADVICE, Configure, Context, Finding, Node, Page, Role, Rule, page};
use crate::module::address::ModuleSource;
use crate::policy::{Globs, Options};

pub(super) struct ModuleVersionExact {
    own: Globs,
}

impl Configure for ModuleVersionExact {
    const OPTIONS: &'static [&'static str] = &["own"];

    fn configure(options: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self { own: options.sources("own")? })
    }
}

impl Rule for ModuleVersionExact {
    const PAGE: Page = page!("module-version-exact");
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        for call in node.module().calls.values() {
            let (Some(source), Some(version)) = (&call.source, &call.version) else { continue };
            let Some(ModuleSource::Registry(_)) = &source.address else { continue };
            let Some(constraints) = &version.constraints else { continue };
            if self.own.has(&source.raw) || constraints.is_exact() {
                continue;
            }
            Self::finding("Module without an exact version")
                .detail(format!(
                    "{:?} is not an exact version, so `init` can install a version that was not reviewed.",
                    version.text.as_str()
                ))
                .at(version.value_span)
                .label("not an exact version")
                .related(source.span, "the module")
                .help("set `version` to a single version; after `init`, `.terraform/modules/modules.json` lists the installed one")
                .address(format!("module.{}", call.name))
                .push_to(findings);
        }
    }
}

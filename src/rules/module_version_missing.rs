#![doc = include_str!("../../policies/rules/module-version-missing.md")]

use super::{Context, Rule};
use crate::finding::{Concern, Finding};
use crate::graph::Node;
use crate::module::address::ModuleSource;
use crate::policy::{Globs, Options};

pub(super) struct ModuleVersionMissing {
    allow: Globs,
}

impl Rule for ModuleVersionMissing {
    const ID: &'static str = "module-version-missing";
    const OPTIONS: &'static [&'static str] = &["allow"];

    fn configure(options: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self { allow: options.sources("allow")? })
    }

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        if !module.complete {
            // The version may be in what could not be read.
            return;
        }
        for call in module.calls.values().filter(|call| call.address.version.is_none()) {
            let Some(source) = &call.source else { continue };
            let Some(ModuleSource::Registry(_)) = &source.address else { continue };
            if self.allow.has(&source.raw) {
                continue;
            }
            findings.push(
                Self::finding("Module of a registry without a version")
                    .detail(
                        "Each `init` in a new place takes the newest version there is, the next major one too: the \
                         lock file holds providers and no modules.",
                    )
                    .at(source.span)
                    .label("any version of this will do")
                    .help("add `version = \"…\"` below `source`")
                    .address(format!("module.{}", call.name))
                    .concerns(Concern::ModuleSource(source.raw.clone())),
            );
        }
    }
}

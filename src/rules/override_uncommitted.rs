#![doc = include_str!("../../policies/rules/override-uncommitted.md")]

use super::{Context, Rule};
use crate::finding::{Concern, Finding};
use crate::graph::Node;
use crate::policy::Options;
use crate::vfs::child;

pub(super) struct OverrideUncommitted;

impl Rule for OverrideUncommitted {
    const ID: &'static str = "override-uncommitted";
    const IS_STEADY: bool = false;

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        for (id, blocks) in context.override_files(module) {
            let name = context.file_name(module, id);
            if !context.is_uncommitted(&child(&module.directory, name)) {
                continue;
            }
            findings.push(
                Self::finding("Override file that git does not have")
                    .detail(format!(
                        "`{name}` changes this module here and nowhere else: the module that was checked is not the one \
                         that others get and that runs in CI.",
                    ))
                    .at(blocks[0].header)
                    .help(format!("remove `{name}` once it has served its purpose, or commit it"))
                    // There is one such finding for each file.
                    .concerns(Concern::File(name.into())),
            );
        }
    }
}

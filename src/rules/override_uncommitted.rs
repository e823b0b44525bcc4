#![doc = include_str!("../../policies/rules/override-uncommitted.md")]

use super::{Context, Node, Page, Rule, page};
use crate::finding::{Concern, Finding};
use crate::vfs::child;

pub(super) struct OverrideUncommitted;

impl Rule for OverrideUncommitted {
    const PAGE: Page = page!("override-uncommitted");
    const IS_STEADY: bool = false;

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        for (id, blocks) in context.override_files(module) {
            let name = context.file_name(module, id);
            if !context.is_uncommitted(&child(&module.directory, name)) {
                continue;
            }
            Self::finding("Override file is not tracked by git")
                .detail(format!(
                    "`{name}` is part of this module only in this working tree. Other clones, such as those in CI, do \
                     not have it.",
                ))
                .at(blocks[0].header)
                .help(format!(
                    "delete `{name}` when it is no longer needed, or commit it, with `git add --force` if git ignores it"
                ))
                // One such finding is reported per file.
                .concerns(Concern::File(name.into()))
                .push_to(findings);
        }
    }
}

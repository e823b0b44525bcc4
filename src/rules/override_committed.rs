#![doc = include_str!("../../policies/rules/override-committed.md")]

use super::{ADVICE, Configure, Context, Node, Page, Role, Rule, page};
use crate::finding::{Concern, Finding};
use crate::policy::{Globs, Options};
use crate::vfs::child;

pub(super) struct OverrideCommitted {
    /// The paths where override files are allowed.
    allow: Globs,
}

impl Configure for OverrideCommitted {
    const OPTIONS: &'static [&'static str] = &["allow"];

    fn configure(options: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self { allow: options.globs("allow")? })
    }
}

impl Rule for OverrideCommitted {
    const PAGE: Page = page!("override-committed");
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        for (id, blocks) in context.override_files(module) {
            let name = context.file_name(module, id);
            let path = child(&module.directory, name);
            // `override-uncommitted` reports files that are in no commit.
            if self.allow.has(&path) || context.is_uncommitted(&path) {
                continue;
            }
            Self::finding("Override file is not allowed here")
                .detail(format!(
                    "The policy does not list `{path}` as an allowed override file. A reader of the base files does not \
                     see what an override file changes.",
                ))
                .at(blocks[0].header)
                .help(
                    "move the changes into the base files, do not commit this file, or add it to `allow` of this \
                     rule in `overrule.hcl`",
                )
                // One such finding is reported per file.
                .concerns(Concern::File(name.into()))
                .push_to(findings);
        }
    }
}

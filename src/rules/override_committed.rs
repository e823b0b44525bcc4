#![doc = include_str!("../../policies/rules/override-committed.md")]

use super::{ADVICE, Context, Rule};
use crate::finding::{Concern, Finding};
use crate::graph::{Node, Role};
use crate::policy::{Globs, Options};
use crate::vfs::child;

pub(super) struct OverrideCommitted {
    /// The paths at which override files may be.
    allow: Globs,
}

impl Rule for OverrideCommitted {
    const ID: &'static str = "override-committed";
    const OPTIONS: &'static [&'static str] = &["allow"];
    const ROLES: &'static [Role] = ADVICE;

    fn configure(options: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self { allow: options.globs("allow")? })
    }

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        for (id, blocks) in context.override_files(module) {
            let name = context.file_name(module, id);
            if self.allow.has(&child(&module.directory, name)) {
                continue;
            }
            findings.push(
                Self::finding("Override file where none is allowed")
                    .detail(format!(
                        "`{name}` changes what the other files of the module declare, for everybody who has it, and those \
                         files do not show that.",
                    ))
                    .at(blocks[0].header)
                    .help("write it into the files that declare it, or keep this file out of the commit")
                    // There is one such finding for each file.
                    .concerns(Concern::File(name.into())),
            );
        }
    }
}

#![doc = include_str!("../../policies/rules/override-committed.md")]

use super::{Context, Rule};
use crate::engine::FileKind;
use crate::finding::Finding;
use crate::module::top_blocks;
use crate::policy::{Globs, Options};
use crate::tree::Node;

pub(super) struct OverrideCommitted {
    /// The paths at which override files may be.
    allow: Globs,
}

impl Rule for OverrideCommitted {
    const ID: &'static str = "override-committed";

    fn configure(options: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self { allow: options.globs("allow")? })
    }

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        let files = context.module_files(module).into_iter();
        for (id, _) in files.filter(|(_, loaded)| loaded.kind == FileKind::Override) {
            let path = context.sources().get(id).name();
            let blocks = context.file(id).map(|file| top_blocks(&file.body, &module.features));
            let Some(first) = blocks.unwrap_or_default().first().map(|block| block.header) else { continue };
            if self.allow.has(path) {
                continue;
            }
            let name = path.rsplit('/').next().unwrap_or(path);
            findings.push(
                Self::finding("Override file where none is allowed")
                    .detail(format!(
                        "`{name}` changes what the other files of the module declare, for everybody who has it, and those \
                         files do not show that.",
                    ))
                    .at(first)
                    .help("write it into the files that declare it, or keep this file out of the commit")
                    // There is one such finding for each file.
                    .address(name),
            );
        }
    }
}

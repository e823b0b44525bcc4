#![doc = include_str!("../../policies/rules/override-uncommitted.md")]

use super::{Context, Rule};
use crate::engine::FileKind;
use crate::finding::Finding;
use crate::module::top_blocks;
use crate::policy::Options;
use crate::tree::Node;

pub(super) struct OverrideUncommitted;

impl Rule for OverrideUncommitted {
    const ID: &'static str = "override-uncommitted";
    const IS_STEADY: bool = false;

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        let files = context.module_files(module).into_iter();
        for (id, _) in files.filter(|(_, loaded)| loaded.kind == FileKind::Override) {
            let path = context.sources().get(id).name();
            let blocks = context.file(id).map(|file| top_blocks(&file.body, &module.features));
            // One that is empty, or nothing but comments, changes nothing.
            let Some(first) = blocks.unwrap_or_default().first().map(|block| block.header) else { continue };
            if !context.is_uncommitted(path) {
                continue;
            }
            let name = path.rsplit('/').next().unwrap_or(path);
            findings.push(
                Self::finding("Override file that git does not have")
                    .detail(format!(
                        "`{name}` changes this module here and nowhere else: the module that was checked is not the one \
                         that others get and that runs in CI.",
                    ))
                    .at(first)
                    .help(format!("remove `{name}` once it has served its purpose, or commit it"))
                    // There is one such finding for each file.
                    .address(name),
            );
        }
    }
}

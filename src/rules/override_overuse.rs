#![doc = include_str!("../../policies/rules/override-overuse.md")]

use super::{ADVICE, Configure, Context, Node, Options, Page, Role, Rule, page};
use crate::finding::{Concern, Finding};
use crate::text::Span;

pub(super) struct OverrideOveruse {
    /// The maximal number of override files of a module.
    max_files: usize,
    /// The maximal number of overridden declarations of a module.
    max_blocks: usize,
}

impl Configure for OverrideOveruse {
    const OPTIONS: &'static [&'static str] = &["max_blocks", "max_files"];

    fn configure(options: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self {
            max_files: options.number("max_files")?.unwrap_or(1),
            max_blocks: options.number("max_blocks")?.unwrap_or(5),
        })
    }
}

impl Rule for OverrideOveruse {
    const PAGE: Page = page!("override-overuse");
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        let files = context.override_files(module);
        let places: Vec<Span> = files.iter().map(|(_, blocks)| blocks[0].header).collect();
        if let Some(first) = places.get(self.max_files) {
            findings.push(beyond(places.len(), "override files", self.max_files, *first, "max_files"));
        }
        let mut blocks: Vec<Span> = module.overridden().map(|origin| origin.overrides[0].header).collect();
        let locals = module.locals.values().filter(|local| local.base.is_some());
        blocks.extend(locals.map(|local| local.attribute.span));
        blocks.sort();
        if let Some(first) = blocks.get(self.max_blocks) {
            findings.push(beyond(
                blocks.len(),
                "overridden declarations",
                self.max_blocks,
                *first,
                "max_blocks",
            ));
        }
    }
}

fn beyond(count: usize, of: &str, most: usize, at: Span, option: &'static str) -> Finding {
    OverrideOveruse::finding("Too many overrides in a module")
        .detail(format!(
            "This module has {count} {of}, and the option `{option}` of this rule allows {most}. Readers of one file do not \
             see what the others change.",
        ))
        .at(at)
        .help("move the changes into the base files")
        .concerns(Concern::Argument(option.into()))
}

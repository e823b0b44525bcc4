#![doc = include_str!("../../policies/rules/depends-on-uncommented.md")]

use std::sync::Arc;

use super::{ADVICE, Context, Finding, Node, Page, Role, Rule, page};
use crate::syntax::{Attribute, Block};

pub(super) struct DependsOnUncommented;

impl Rule for DependsOnUncommented {
    const PAGE: Page = page!("depends-on-uncommented");
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        for call in node.module().calls.values().filter(|call| !call.depends_on.is_empty()) {
            // Override files cannot set it, and JSON has no comments.
            let block = &call.origin.base;
            let Some(depends_on) = depends_on(block).filter(|_| !block.body.is_json()) else { continue };
            if is_commented(block, &depends_on, context) {
                continue;
            }
            Self::finding("Module `depends_on` without a comment")
                .detail(
                    "`depends_on` in a module call makes values of the module unknown until its dependencies are \
                     applied, so a plan can show more changes than necessary. No comment explains why it is needed.",
                )
                .at(depends_on.span)
                .help("add a comment above `depends_on` that explains it, or replace it with references in \
                arguments")
                .address(format!("module.{}", call.name))
                .push_to(findings);
        }
    }
}

fn depends_on(block: &Block) -> Option<Arc<Attribute>> {
    let attributes = block.body.just_attributes(&mut Vec::new());
    attributes.into_iter().find(|attribute| attribute.name == "depends_on")
}

/// Whether there is a comment in the argument, after it, or directly above it or the block.
fn is_commented(block: &Block, depends_on: &Attribute, context: &Context<'_>) -> bool {
    let source = context.sources().get(depends_on.span.file);
    let line = |offset: u32| source.position(offset).line;
    let (first, last) = (line(depends_on.span.start), line(depends_on.span.end));
    let header = line(block.header.start);
    context.comments(depends_on.span.file).any(|comment| {
        let (start, end) = (line(comment.span.start), line(comment.span.end));
        end + 1 == header || (end + 1 >= first && start <= last && start >= header)
    })
}

#![doc = include_str!("../../policies/rules/override-unannounced.md")]

use super::{ADVICE, Context, Node, Page, Role, Rule, page};
use crate::finding::{Finding, Fix, Safety};
use crate::module::address::block_address;
use crate::text::Span;

pub(super) struct OverrideUnannounced;

impl Rule for OverrideUnannounced {
    const PAGE: Page = page!("override-unannounced");
    const FIXES: &'static [Safety] = &[Safety::Safe];
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        let mut look = |what: &str, header: Span, body: Span, over: Span, address: String| {
            let name = context.file_name(module, over.file);
            if !is_announced(context, header.to(body), name) {
                let editor = context.editor(header.file).filter(|_| !name.contains(char::is_control));
                let comment =
                    editor.and_then(|editor| editor.comment_above(header, &format!("overridden in {name}")));
                Self::finding("Changed in another file without a comment")
                    .detail(format!("`{name}` overrides this {what}, and no comment mentions it."))
                    .at(header)
                    .related(over, "overrides it")
                    .help(format!("add a comment above it: `# overridden in {name}`"))
                    .fixed_by(comment.map(|comment| Fix::safe([comment])))
                    .address(address)
                    .push_to(findings);
            }
        };
        for origin in module.overridden().filter(|origin| !origin.base.body.is_json()) {
            let base = &origin.base;
            look("block", base.header, base.body.span(), origin.overrides[0].header, block_address(base));
        }
        for local in module.locals.values() {
            let Some(base) = &local.base else { continue };
            if context.file(base.span.file).is_some_and(|file| file.body.is_json()) {
                continue;
            }
            let over = local.superseded.first().unwrap_or(&local.attribute);
            look("local value", base.span, base.span, over.span, format!("local.{}", local.name));
        }
    }
}

/// Whether a comment in the declaration, after it or directly above it mentions an override, or any comment names the
/// file.
fn is_announced(context: &Context<'_>, declared: Span, file: &str) -> bool {
    let source = context.sources().get(declared.file);
    let line = |at: u32| source.position(at).line;
    let last = line(declared.end);
    let mut first = line(declared.start);
    // From the last to the first, so that comments of several lines are followed upwards.
    for comment in context.comments(declared.file).rev() {
        let text = source.slice(comment.span).to_lowercase();
        let (from, to) = (line(comment.span.start), line(comment.span.end));
        let is_near = to + 1 >= first && from <= last;
        if text.contains(&file.to_lowercase()) || (is_near && text.contains("overrid")) {
            return true;
        }
        if is_near {
            first = first.min(from);
        }
    }
    false
}

#![doc = include_str!("../../policies/rules/override-unannounced.md")]

use hashbrown::HashMap;

use super::{ADVICE, Context, Node, Page, Role, Rule, page};
use crate::finding::{Finding, Fix, Safety};
use crate::module::address::block_address;
use crate::text::lines::line_end;
use crate::text::{FileId, Span};

pub(super) struct OverrideUnannounced;

impl Rule for OverrideUnannounced {
    const PAGE: Page = page!("override-unannounced");
    const FIXES: &'static [Safety] = &[Safety::Safe];
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        let mut named = HashMap::new();
        let mut look = |what: &str, header: Span, body: Span, over: Span, address: String| {
            let name = context.file_name(module, over.file);
            let is_named = *named
                .entry((header.file, over.file))
                .or_insert_with(|| is_named_in_a_comment(context, header.file, name));
            if !is_named && !is_announced(context, header.to(body)) {
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

/// Whether a comment in a file names another file.
fn is_named_in_a_comment(context: &Context<'_>, file: FileId, name: &str) -> bool {
    let (source, name) = (context.sources().get(file), name.to_lowercase());
    context.comments(file).any(|comment| source.slice(comment.span).to_lowercase().contains(&name))
}

/// Whether a comment in the declaration, after it or directly above it mentions an override.
fn is_announced(context: &Context<'_>, declared: Span) -> bool {
    let source = context.sources().get(declared.file);
    let line = |at: u32| source.position(at).line;
    let mut first = line(declared.start);
    // From the last to the first, so that comments of several lines are followed upwards.
    let end = line_end(source.text(), declared.range().end);
    for comment in context.comments_before(declared.file, u32::try_from(end).unwrap_or(u32::MAX)).rev() {
        let (from, to) = (line(comment.span.start), line(comment.span.end));
        if to + 1 < first {
            break;
        }
        if source.slice(comment.span).to_lowercase().contains("overrid") {
            return true;
        }
        first = first.min(from);
    }
    false
}

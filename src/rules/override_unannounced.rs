#![doc = include_str!("../../policies/rules/override-unannounced.md")]

use std::cell::LazyCell;

use aho_corasick::AhoCorasick;
use hashbrown::{HashMap, HashSet};

use super::{ADVICE, Context, Node, Page, Role, Rule, page};
use crate::finding::{Finding, Fix, Safety};
use crate::module::Module;
use crate::module::address::block_address;
use crate::module::declaration::Local;
use crate::syntax::Attribute;
use crate::text::lines::line_end;
use crate::text::{FileId, Span};

pub(super) struct OverrideUnannounced;

impl Rule for OverrideUnannounced {
    const PAGE: Page = page!("override-unannounced");
    const FIXES: &'static [Safety] = &[Safety::Safe];
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        let of_blocks = module.overridden().map(|origin| origin.overrides[0].header.file);
        let of_locals = module.locals.values().filter_map(|local| Some(overriding(local)?.span.file));
        let overriding_files: HashSet<FileId> = of_blocks.chain(of_locals).collect();
        let names = LazyCell::new(|| Names::of(overriding_files.iter().copied(), module, context));
        let mut by_file = HashMap::new();
        let mut look = |what: &str, header: Span, body: Span, over: Span, address: String| {
            let name = context.file_name(module, over.file);
            let in_comments =
                by_file.entry(header.file).or_insert_with(|| names.in_comments(context, header.file));
            if !in_comments.contains(&over.file) && !is_announced(context, header.to(body)) {
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
            let Some(over) = overriding(local) else { continue };
            look("local value", base.span, base.span, over.span, format!("local.{}", local.name));
        }
    }
}

/// The first definition of a local value in an override file.
fn overriding(local: &Local) -> Option<&Attribute> {
    local.base.as_ref().map(|_| &**local.superseded.first().unwrap_or(&local.attribute))
}

/// The names of files, in lower case.
struct Names {
    files: Vec<FileId>,
    finder: Option<AhoCorasick>,
}

impl Names {
    fn of(files: impl Iterator<Item = FileId>, module: &Module, context: &Context<'_>) -> Self {
        let files: Vec<FileId> = files.collect();
        let names = files.iter().map(|file| context.file_name(module, *file).to_lowercase());
        Self { finder: AhoCorasick::new(names).ok(), files }
    }

    /// The files that the comments of a file name.
    fn in_comments(&self, context: &Context<'_>, file: FileId) -> HashSet<FileId> {
        let (source, mut named) = (context.sources().get(file), HashSet::new());
        for comment in context.comments(file) {
            let text = source.slice(comment.span).to_lowercase();
            let found = self.finder.iter().flat_map(|finder| finder.find_overlapping_iter(&text));
            named.extend(found.map(|found| self.files[found.pattern().as_usize()]));
        }
        named
    }
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

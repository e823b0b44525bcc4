#![doc = include_str!("../../policies/rules/override-duplicate-target.md")]

use super::{Context, Node, Page, Rule, page};
use crate::engine::FileKind;
use crate::finding::{Concern, Finding};
use crate::module::address::block_address;
use crate::module::merged::{Argument, MergedBlock};
use crate::text::Span;

pub(super) struct OverrideDuplicateTarget;

impl Rule for OverrideDuplicateTarget {
    const PAGE: Page = page!("override-duplicate-target");

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        let product = module.features.engine.product.name();
        let same = |one: Span, other: Span| context.sources().slice(one) == context.sources().slice(other);
        for origin in module.overridden().filter(|origin| origin.overrides.len() > 1) {
            for argument in arguments(module.history(origin).block) {
                let Some(earlier) = argument.before.last() else { continue };
                let later = argument.counts;
                if !origin.base.body.span().overlaps(earlier.span)
                    && !same(earlier.expr.span, later.expr.span)
                {
                    let address = block_address(&origin.base);
                    let what = format!("`{}` of `{address}`", later.name);
                    findings.push(finding(&what, product, earlier.span, later.span).address(address));
                }
            }
        }
        for local in module.locals.values() {
            let Some(earlier) = local.superseded.last() else { continue };
            if !same(earlier.expr.span, local.attribute.expr.span) {
                let address = format!("local.{}", local.name);
                let what = format!("`{address}`");
                findings.push(finding(&what, product, earlier.span, local.attribute.span).address(address));
            }
        }
        let files = context.module_files(module);
        let overriding = |span: Span| {
            files.iter().any(|(file, loaded)| *file == span.file && loaded.kind == FileKind::Override)
        };
        for entry in module.required_providers.values() {
            let Some(earlier) = entry.replaced.as_ref().filter(|earlier| overriding(earlier.span)) else {
                continue;
            };
            if !same(earlier.value_span, entry.value_span) {
                let what = format!("the entry `{}` of `required_providers`", entry.name);
                let finding = finding(&what, product, earlier.span, entry.span);
                findings.push(finding.concerns(Concern::Provider(entry.name.clone())));
            }
        }
    }
}

/// The arguments of a block, and of the nested blocks that are merged argument by argument.
fn arguments(block: MergedBlock) -> Vec<Argument> {
    let nested = block.blocks.into_iter().flat_map(|nested| arguments(nested.block));
    block.arguments.into_iter().chain(nested).collect()
}

fn finding(what: &str, product: &str, earlier: Span, later: Span) -> Finding {
    let order = if earlier.file == later.file {
        "the blocks of an override file in their order"
    } else {
        "override files in the order of their names"
    };
    OverrideDuplicateTarget::finding("Several overrides set the same argument")
        .detail(format!("Several overrides set {what}. The last one counts: {product} merges {order}."))
        .at(later)
        .label("this one counts")
        .related(earlier, "is replaced")
        .help("keep one of them")
}

#![doc = include_str!("../../policies/rules/override-duplicate-target.md")]

use std::collections::BTreeSet;
use std::sync::Arc;

use smol_str::SmolStr;

use super::override_ignored_argument::ignored_arguments;
use super::{Context, Rule};
use crate::engine::FileKind;
use crate::finding::{Concern, Finding};
use crate::graph::Node;
use crate::module::address::block_address;
use crate::module::declaration::Origin;
use crate::policy::Options;
use crate::syntax::{Attribute, Block};
use crate::text::Span;

pub(super) struct OverrideDuplicateTarget;

impl Rule for OverrideDuplicateTarget {
    const ID: &'static str = "override-duplicate-target";

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        let product = module.features.engine.product.name();
        let same = |one: Span, other: Span| context.sources().slice(one) == context.sources().slice(other);
        // What has no effect does not count, wherever it stands.
        let without_effect = ignored_arguments(module);
        for origin in module.overridden() {
            for (earlier, later) in twice(origin, &without_effect) {
                if !same(earlier.expr.span, later.expr.span) {
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

/// The arguments that more than one override block sets, each with the one that counts and the one before it.
fn twice(origin: &Origin, without_effect: &BTreeSet<Span>) -> Vec<(Arc<Attribute>, Arc<Attribute>)> {
    if origin.overrides.len() < 2 {
        return Vec::new();
    }
    let lifecycles: Vec<_> =
        origin.overrides.iter().flat_map(|block| block.blocks("lifecycle", &[])).collect();
    let mut twice = repeated(&origin.overrides, &["//", "lifecycle", "depends_on"], without_effect);
    // Of a lifecycle every argument is merged by itself.
    twice.extend(repeated(&lifecycles, &["//"], without_effect));
    twice
}

fn repeated(
    blocks: &[Arc<Block>],
    except: &[&str],
    without_effect: &BTreeSet<Span>,
) -> Vec<(Arc<Attribute>, Arc<Attribute>)> {
    let names: BTreeSet<SmolStr> = blocks.iter().flat_map(|block| block.body.names()).collect();
    let names = names.iter().filter(|name| !except.contains(&name.as_str()));
    let pair = |name: &SmolStr| {
        let written = blocks.iter().rev().filter_map(|block| block.attribute(name));
        let mut written = written.filter(|attribute| !without_effect.contains(&attribute.span));
        let later = written.next()?;
        Some((written.next()?, later))
    };
    names.filter_map(pair).collect()
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

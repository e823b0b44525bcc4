#![doc = include_str!("../../policies/rules/override-duplicate-target.md")]

use std::collections::BTreeSet;
use std::sync::Arc;

use smol_str::SmolStr;

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
        let same = |one: Span, other: Span| context.sources().slice(one) == context.sources().slice(other);
        for origin in module.overridden() {
            for (earlier, later) in twice(origin) {
                if !same(earlier.expr.span, later.expr.span) {
                    findings.push(finding(
                        &later.name,
                        block_address(&origin.base),
                        earlier.span,
                        later.span,
                    ));
                }
            }
        }
        for local in module.locals.values() {
            let Some(earlier) = local.superseded.last() else { continue };
            if !same(earlier.expr.span, local.attribute.expr.span) {
                let address = format!("local.{}", local.name);
                findings.push(finding(&local.name, address, earlier.span, local.attribute.span));
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
                let address = format!("required_providers.{}", entry.name);
                let concern = Concern::Provider(entry.name.clone());
                let finding = finding(&entry.name, address, earlier.span, entry.span);
                findings.push(Finding { address: String::new(), concern, ..finding });
            }
        }
    }
}

/// The arguments that more than one override block sets, each with the one that counts and the one before it.
fn twice(origin: &Origin) -> Vec<(Arc<Attribute>, Arc<Attribute>)> {
    if origin.overrides.len() < 2 {
        return Vec::new();
    }
    let lifecycles: Vec<_> =
        origin.overrides.iter().flat_map(|block| block.blocks("lifecycle", &[])).collect();
    let mut twice = repeated(&origin.overrides, &["//", "lifecycle", "depends_on"]);
    // Of a lifecycle every argument is merged by itself.
    twice.extend(repeated(&lifecycles, &["//"]));
    twice
}

fn repeated(blocks: &[Arc<Block>], except: &[&str]) -> Vec<(Arc<Attribute>, Arc<Attribute>)> {
    let names: BTreeSet<SmolStr> = blocks.iter().flat_map(|block| block.body.names()).collect();
    let names = names.iter().filter(|name| !except.contains(&name.as_str()));
    let pair = |name: &SmolStr| {
        let mut written = blocks.iter().rev().filter_map(|block| block.attribute(name));
        let later = written.next()?;
        Some((written.next()?, later))
    };
    names.filter_map(pair).collect()
}

fn finding(name: &str, address: String, earlier: Span, later: Span) -> Finding {
    OverrideDuplicateTarget::finding("Two overrides set the same argument")
        .detail(format!(
            "`{name}` of `{address}` is overridden twice. The later one counts: override files are merged in the order of \
             their names.",
        ))
        .at(later)
        .label("counts")
        .related(earlier, "is overridden again")
        .help("remove one of the two")
        .address(address)
}

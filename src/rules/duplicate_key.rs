#![doc = include_str!("../../policies/rules/duplicate-key.md")]

use std::cell::OnceCell;

use hashbrown::HashMap;
use smol_str::SmolStr;

use super::support::expressions;
use super::{Context, Node, Page, Rule, page};
use crate::finding::{Finding, Fix, Safety};
use crate::syntax::{Expr, ExprKind, ObjectItem};
use crate::text::Span;
use crate::value::constant_key;

pub(super) struct DuplicateKey;

impl Rule for DuplicateKey {
    const PAGE: Page = page!("duplicate-key");
    const FIXES: &'static [Safety] = &[Safety::Safe];

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        // In JSON, the engine itself reports duplicate properties.
        expressions::for_each(node, context, &mut |expr, written| {
            expr.walk(&mut |inner, _| {
                if let ExprKind::Object(items) = &inner.kind
                    && items.len() > 1
                {
                    let found = repeated(inner, items, context);
                    findings.extend(found.into_iter().map(|finding| finding.address(written.address())));
                }
            });
        });
    }
}

/// A finding for each item that a later item with the same key replaces.
fn repeated(object: &Expr, items: &[ObjectItem], context: &Context<'_>) -> Vec<Finding> {
    let mut last: HashMap<SmolStr, (Span, &Expr)> = HashMap::with_capacity(items.len());
    let mut found = Vec::new();
    let removable = OnceCell::new();
    for item in items.iter().rev() {
        let Some((name, key)) = constant_key(&item.key) else { continue };
        let Some((kept, value)) = last.get(&name) else {
            last.insert(name, (key, &item.value));
            continue;
        };
        let text = |expr: &Expr| context.sources().slice(expr.span);
        let is_same = text(&item.value) == text(value);
        let (detail, help) = if is_same {
            ("with the same value", "remove this item")
        } else {
            ("with another value", "remove one of the items, or correct its key")
        };
        let whole = key.to(item.value.span);
        let collect = || context.editor(object.span.file)?.items(object);
        let remove = || removable.get_or_init(collect).as_ref()?.remove(whole);
        DuplicateKey::finding("Duplicate key in an object")
            .detail(format!(
                "The key {name:?} occurs again {detail}. The last item replaces the earlier ones."
            ))
            .at(key)
            .label("replaced")
            .related(*kept, "this item replaces it")
            .help(help)
            .fixed_by(is_same.then(remove).flatten().map(|edit| Fix::safe([edit])))
            .push_to(&mut found);
    }
    found.reverse();
    found
}

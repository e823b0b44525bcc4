//! Checks the structure of `dynamic` blocks of resources and providers. The engine expands them without the provider.

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::finding::{EngineRule, Finding, set_address};
use crate::graph::references::sites::{Owner, Site};
use crate::graph::{Node, builtin};
use crate::module::config::Config;
use crate::syntax::{
    Attribute, AttributeSchema, Block, BlockSchema, Body, Expr, ExprKind, HasElements, Schema,
};
use crate::text::Span;

/// The `dynamic` blocks of a body.
const IN_BODY: Schema<'_> = Schema { attributes: &[], blocks: &[BlockSchema::new("dynamic", &["type"])] };

/// The items of a `dynamic` block. Only the provider knows whether `labels` is allowed.
const IN_DYNAMIC: Schema<'_> = Schema {
    attributes: &[
        AttributeSchema::required("for_each"),
        AttributeSchema::optional("iterator"),
        AttributeSchema::optional("labels"),
    ],
    blocks: &[BlockSchema::new("content", &[])],
};

/// What a check finds.
struct Found<'f> {
    has_elements: &'f HasElements<'f>,
    findings: Vec<Finding>,
    /// The collections that the engine does not evaluate, because their block has an unexpected item.
    unevaluated: Vec<Span>,
}

/// Checks a module. `wrong` holds the expressions with an invalid reference: the engine does not expand the blocks of
/// their resource. Returns the expressions that the engine does not evaluate.
pub(super) fn check(node: Node<'_>, wrong: &BTreeSet<Span>, findings: &mut Vec<Finding>) -> Vec<Span> {
    let module = node.module();
    let mut unevaluated = Vec::new();
    let values = LazyCell::new(|| node.values());
    let has_elements = |collection: &Expr| values.have_elements(collection);
    let resources = module.resources.values().map(|resource| Owner::Resource(resource));
    let providers = module.providers.values().map(|provider| Owner::Provider(provider));
    for owner in resources.chain(providers) {
        let Some(config) = expanded_in(&owner) else { continue };
        let mut found = Found::of(config, wrong, &has_elements);
        let is_checked = || !matches!(owner, Owner::Provider(provider) if !node.is_known_to_use(provider));
        if !found.findings.is_empty() && is_checked() {
            set_address(&mut found.findings, &Site::of(owner).to_string());
            findings.append(&mut found.findings);
            unevaluated.append(&mut found.unevaluated);
        }
    }
    unevaluated
}

/// The body of a declaration in which the engine expands `dynamic` blocks. The built-in provider has no blocks.
pub(super) fn expanded_in<'m>(owner: &Owner<'m>) -> Option<&'m Config> {
    match owner {
        Owner::Resource(resource) => builtin::arguments(resource).is_none().then_some(&resource.config),
        Owner::Provider(provider) => Some(&provider.config),
        _ => None,
    }
}

impl<'f> Found<'f> {
    fn of(config: &Config, wrong: &BTreeSet<Span>, has_elements: &'f HasElements<'f>) -> Self {
        let mut found = Self { has_elements, findings: Vec::new(), unevaluated: Vec::new() };
        config.for_each_body(&mut |body| found.in_body(body));
        if !found.findings.is_empty() {
            config.for_each_expression(&mut |expr| {
                if wrong.contains(&expr.span) {
                    found.findings.clear();
                    found.unevaluated.clear();
                }
            });
        }
        found.findings = found.findings.into_iter().map(Finding::at_validate).collect();
        found
    }

    /// The parser limits the depth of a body, and thereby this recursion.
    fn in_body(&mut self, body: &Body) {
        // In JSON, only the provider knows which properties are blocks.
        if body.is_json() || body.is_unclosed() {
            return;
        }
        let blocks = body.any_blocks();
        let is_dynamic = |block: &&Arc<Block>| block.kind == "dynamic";
        if blocks.iter().any(|block| is_dynamic(&block)) {
            let (content, _) = body.partial_content(&IN_BODY, &mut self.findings);
            content.blocks.iter().for_each(|block| self.in_dynamic(block));
        }
        blocks.iter().filter(|block| !is_dynamic(block)).for_each(|block| self.in_body(&block.body));
    }

    fn in_dynamic(&mut self, block: &Block) {
        if block.body.is_unclosed() {
            return;
        }
        let before = self.findings.len();
        let content = block.body.content(&IN_DYNAMIC, &mut self.findings);
        if self.findings.len() > before {
            self.unevaluated.extend(content.attribute("for_each").map(|for_each| for_each.expr.span));
            return;
        }
        if content.attributes.iter().any(|attribute| attribute.is_broken) {
            return;
        }
        if let Some(finding) = content.attribute("iterator").and_then(|iterator| invalid_iterator(iterator)) {
            self.findings.push(finding);
            return;
        }
        let Some((first, others)) = content.blocks.split_first() else {
            let finding = Finding::language(EngineRule::MissingArgument, "Missing dynamic content block");
            let detail = "A `dynamic` block needs a `content` block, which holds the arguments of each block that it \
                          generates.";
            self.findings.push(finding.detail(detail).at(content.missing_item));
            return;
        };
        self.findings.extend(others.iter().map(|other| {
            let summary = "Extraneous dynamic content block";
            Finding::language(EngineRule::UnsupportedBlockOrArgument, summary)
                .detail("Only one `content` block is allowed in a `dynamic` block.")
                .at(other.header)
                .related(first.header, "the first one is here")
        }));
        let for_each = content.attribute("for_each");
        if for_each.and_then(|for_each| (self.has_elements)(&for_each.expr)) == Some(true) {
            self.in_body(&first.body);
        }
    }
}

fn invalid_iterator(iterator: &Attribute) -> Option<Finding> {
    let expr = &iterator.expr;
    if expr.keyword().is_some() {
        return None;
    }
    let summary = match &expr.kind {
        ExprKind::Traversal(_) => "Invalid dynamic iterator name",
        ExprKind::Parens(_) | ExprKind::Invalid | ExprKind::Unread => return None,
        _ => "Invalid expression",
    };
    let finding = Finding::language(EngineRule::InvalidReference, summary)
        .detail("`iterator` must be a single name, without quotes.")
        .at(expr.span);
    Some(finding)
}

#![doc = include_str!("../../policies/rules/override-ignored-argument.md")]

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Context, Rule};
use crate::engine::InOverride;
use crate::finding::Finding;
use crate::graph::Node;
use crate::module::Module;
use crate::module::address::{Mode, block_address};
use crate::module::declaration::{Origin, Resource};
use crate::policy::Options;
use crate::syntax::{Attribute, Block, Expr};
use crate::text::Span;
use crate::value;

pub(super) struct OverrideIgnoredArgument;

impl Rule for OverrideIgnoredArgument {
    const ID: &'static str = "override-ignored-argument";

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        look(node.module(), findings);
    }
}

fn look(module: &Module, findings: &mut Vec<Finding>) {
    let known = &module.features.grammar;
    let product = module.features.engine.product.name();
    for resource in module.resources.values() {
        let mut ignored = Ignored { product, origin: &resource.origin, findings };
        ignored.lifecycle(module, resource);
        ignored.empty_list("depends_on", !resource.depends_on.is_empty());
    }
    for call in module.calls.values() {
        let mut ignored = Ignored { product, origin: &call.origin, findings };
        if known.enabled {
            ignored.never_merged("enabled", |block| block.blocks("lifecycle", &[]));
        }
        ignored.empty_list("depends_on", !call.depends_on.is_empty());
        if !call.providers.is_empty() {
            ignored.clears_nothing("providers", |expr| expr.as_map().is_some_and(|map| map.is_empty()));
        }
    }
    for provider in module.providers.values().filter(|_| known.provider_for_each) {
        let mut ignored = Ignored { product, origin: &provider.origin, findings };
        ignored.never_merged("for_each", itself);
    }
    let deprecated = known.deprecated && module.features.override_deprecated == InOverride::Ignored;
    for variable in module.variables.values().filter(|_| deprecated) {
        Ignored { product, origin: &variable.origin, findings }.never_merged("deprecated", itself);
    }
    for output in module.outputs.values() {
        let mut ignored = Ignored { product, origin: &output.origin, findings };
        if deprecated {
            ignored.never_merged("deprecated", itself);
        }
        ignored.empty_list("depends_on", !output.depends_on.is_empty());
        if output.description.is_some() {
            let is_empty = |expr: &Expr| value::constant(expr, &mut Vec::new()).as_str() == Some("");
            ignored.clears_nothing("description", is_empty);
        }
    }
}

/// The arguments in override files that have no effect.
pub(super) fn ignored_arguments(module: &Module) -> BTreeSet<Span> {
    let mut findings = Vec::new();
    look(module, &mut findings);
    findings.iter().filter_map(|finding| finding.primary).collect()
}

/// Looks at the overrides of one declaration.
struct Ignored<'a> {
    product: &'static str,
    origin: &'a Origin,
    findings: &'a mut Vec<Finding>,
}

impl Ignored<'_> {
    fn lifecycle(&mut self, module: &Module, resource: &Resource) {
        let lifecycle = |block: &Arc<Block>| block.blocks("lifecycle", &[]);
        let known = &module.features.grammar;
        if known.enabled {
            self.never_merged("enabled", lifecycle);
        }
        if resource.address.mode != Mode::Managed {
            return;
        }
        if known.replace_triggered_by {
            self.never_merged("replace_triggered_by", lifecycle);
        }
        if known.destroy && module.features.override_destroy == InOverride::Ignored {
            self.never_merged("destroy", lifecycle);
        }
        let managed = &resource.managed;
        let all = managed.ignore_all_changes.and_then(|all| self.origin.number_at(all));
        let nothing_to_clear = managed.ignore_changes.is_empty() && all.is_none();
        for (number, over) in self.origin.overrides.iter().enumerate() {
            for attribute in lifecycle(over).iter().filter_map(|block| block.attribute("ignore_changes")) {
                let Some(elements) = attribute.expr.as_list() else { continue };
                if elements.is_empty() && !nothing_to_clear {
                    let lists = managed.ignore_changes.iter().map(|ignored| ignored.span);
                    self.replaces_nothing(
                        &attribute,
                        managed.ignore_all_changes.into_iter().chain(lists).next(),
                    );
                } else if !elements.is_empty() && all.is_some_and(|all| all <= number) {
                    let why = "A list does not replace `all`, so changes to every argument stay ignored.";
                    let block = self.block(managed.ignore_all_changes);
                    let help = format!("replace `all` in {block} with the list");
                    self.push(&attribute, why, managed.ignore_all_changes, help);
                }
            }
        }
    }

    /// An argument that is read in each override and merged in none.
    fn never_merged(&mut self, name: &str, within: impl Fn(&Arc<Block>) -> Vec<Arc<Block>>) {
        let why = format!("{} does not merge it from override files.", self.product);
        let base = within(&self.origin.base).iter().find_map(|block| block.attribute(name));
        for over in &self.origin.overrides {
            for attribute in within(over).iter().filter_map(|block| block.attribute(name)) {
                let help = format!("set `{name}` in the base block");
                self.push(&attribute, &why, base.as_ref().map(|base| base.span), help);
            }
        }
    }

    fn empty_list(&mut self, name: &str, is_set: bool) {
        if is_set {
            self.clears_nothing(name, |expr| expr.as_list().is_some_and(<[Expr]>::is_empty));
        }
    }

    /// An argument that would clear what the base has.
    fn clears_nothing(&mut self, name: &str, is_empty: impl Fn(&Expr) -> bool) {
        let stays = self.origin.written(name).into_iter().rfind(|attribute| !is_empty(&attribute.expr));
        for over in &self.origin.overrides {
            if let Some(attribute) = over.attribute(name).filter(|attribute| is_empty(&attribute.expr)) {
                self.replaces_nothing(&attribute, stays.as_ref().map(|stays| stays.span));
            }
        }
    }

    fn replaces_nothing(&mut self, attribute: &Attribute, stays: Option<Span>) {
        let help = format!("remove `{}` from {}", attribute.name, self.block(stays));
        self.push(attribute, "An empty value in an override file replaces nothing.", stays, help);
    }

    /// What to call the block in which something stays as it is.
    fn block(&self, stays: Option<Span>) -> &'static str {
        match stays.and_then(|stays| self.origin.number_at(stays)) {
            None | Some(0) => "the base block",
            Some(_) => "the other override block",
        }
    }

    fn push(&mut self, attribute: &Attribute, why: &str, stays: Option<Span>, help: String) {
        self.findings.push(
            OverrideIgnoredArgument::finding("Argument in an override file is ignored")
                .detail(format!("`{}` has no effect here. {why}", attribute.name))
                .at(attribute.span)
                .label("has no effect here")
                .related(stays.unwrap_or(self.origin.header()), "stays as it is")
                .help(help)
                .address(block_address(&self.origin.base)),
        );
    }
}

fn itself(block: &Arc<Block>) -> Vec<Arc<Block>> {
    vec![Arc::clone(block)]
}

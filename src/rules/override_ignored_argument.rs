#![doc = include_str!("../../policies/rules/override-ignored-argument.md")]

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
use crate::value;

pub(super) struct OverrideIgnoredArgument;

impl Rule for OverrideIgnoredArgument {
    const ID: &'static str = "override-ignored-argument";

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        let known = &module.features.grammar;
        for resource in module.resources.values() {
            let mut ignored = Ignored { origin: &resource.origin, findings };
            ignored.lifecycle(module, resource);
            ignored.empty_list("depends_on", !resource.depends_on.is_empty());
        }
        for call in module.calls.values() {
            let mut ignored = Ignored { origin: &call.origin, findings };
            if known.enabled {
                ignored.never_merged("enabled", |block| block.blocks("lifecycle", &[]));
            }
            ignored.empty_list("depends_on", !call.depends_on.is_empty());
            if !call.providers.is_empty() {
                ignored.clears_nothing("providers", |expr| expr.as_map().is_some_and(|map| map.is_empty()));
            }
        }
        for provider in module.providers.values().filter(|_| known.provider_for_each) {
            let mut ignored = Ignored { origin: &provider.origin, findings };
            ignored.never_merged("for_each", itself);
        }
        let deprecated = known.deprecated && module.features.override_deprecated == InOverride::Ignored;
        for variable in module.variables.values().filter(|_| deprecated) {
            Ignored { origin: &variable.origin, findings }.never_merged("deprecated", itself);
        }
        for output in module.outputs.values() {
            let mut ignored = Ignored { origin: &output.origin, findings };
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
}

/// Looks at the overrides of one declaration.
struct Ignored<'a> {
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
                    self.push(&attribute, "An empty list in an override file replaces nothing.");
                } else if !elements.is_empty() && all.is_some_and(|all| all <= number) {
                    self.push(&attribute, "A list does not replace `all`: everything stays ignored.");
                }
            }
        }
    }

    /// An argument that is read in each override and merged in none.
    fn never_merged(&mut self, name: &str, within: impl Fn(&Arc<Block>) -> Vec<Arc<Block>>) {
        for over in &self.origin.overrides {
            for attribute in within(over).iter().filter_map(|block| block.attribute(name)) {
                self.push(&attribute, "The engine reads it in an override file, but does not merge it.");
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
        for over in &self.origin.overrides {
            if let Some(attribute) = over.attribute(name).filter(|attribute| is_empty(&attribute.expr)) {
                self.push(&attribute, "What is empty in an override file replaces nothing.");
            }
        }
    }

    fn push(&mut self, attribute: &Attribute, why: &str) {
        self.findings.push(
            OverrideIgnoredArgument::finding("Argument in an override file is ignored")
                .detail(format!("`{}` has no effect here. {why}", attribute.name))
                .at(attribute.span)
                .label("has no effect here")
                .related(self.origin.header(), "stays as it is")
                .help(format!("change `{}` in the block that is overridden", attribute.name))
                .address(block_address(&self.origin.base)),
        );
    }
}

fn itself(block: &Arc<Block>) -> Vec<Arc<Block>> {
    vec![Arc::clone(block)]
}

#![doc = include_str!("../../policies/rules/override-breaks-block.md")]

use super::{Context, Finding, Node, Page, Rule, page};
use crate::module::Module;
use crate::module::address::block_address;
use crate::module::config::Config;
use crate::module::{KEEP_FOR_DESTROY, references_elsewhere};

pub(super) struct OverrideBreaksBlock;

impl Rule for OverrideBreaksBlock {
    const PAGE: Page = page!("override-breaks-block");

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        connections(module, findings);
        nested_data(module, findings);
        if module.features.const_excludes_sensitive {
            constants(module, findings);
        }
    }
}

/// A `connection` and a destroy-time provisioner, each from another block.
fn connections(module: &Module, findings: &mut Vec<Finding>) {
    for resource in module.resources.values() {
        let (origin, managed) = (&resource.origin, &resource.managed);
        let Some(connection) = &managed.connection else { continue };
        let Some(provisioner) = managed.provisioners.iter().find(|provisioner| provisioner.on_destroy) else {
            continue;
        };
        let numbers = [connection, &provisioner.block].map(|block| origin.number_at(block.header));
        // Within one block, the engine checks this itself.
        if numbers[0] == numbers[1] {
            continue;
        }
        let mut elsewhere = references_elsewhere(&Config::Plain(connection.body.clone()));
        elsewhere.dedup();
        for at in elsewhere {
            broken(
                module,
                "The connection of a destroy-time provisioner can refer only to the resource itself, with `self`, \
                 `count.index` or `each.key`.",
            )
            .at(at)
            .label("may no longer exist at destroy time")
            .related(provisioner.block.header, "this provisioner runs at destroy time")
            .help(KEEP_FOR_DESTROY)
            .address(block_address(&origin.base))
            .push_to(findings);
        }
    }
}

/// A data source in a `check` block that gets several instances.
fn nested_data(module: &Module, findings: &mut Vec<Finding>) {
    for resource in module.resources.values().filter(|resource| resource.check.is_some()) {
        for attribute in resource.count.iter().chain(&resource.for_each) {
            broken(module, &format!("A data source in a `check` block cannot have `{}`.", attribute.name))
                .at(attribute.span)
                .related(resource.origin.header(), "this data source is in a `check` block")
                .help(format!("remove `{}`", attribute.name))
                .address(block_address(&resource.origin.base))
                .push_to(findings);
        }
    }
}

/// A variable that is both `const` and sensitive or ephemeral, each from another block.
fn constants(module: &Module, findings: &mut Vec<Finding>) {
    for variable in module.variables.values() {
        let Some(constant) = variable.constant.as_ref().filter(|constant| constant.value) else { continue };
        for (other, word) in [(&variable.sensitive, "sensitive"), (&variable.ephemeral, "ephemeral")] {
            let Some(other) = other.as_ref().filter(|other| other.value) else { continue };
            let numbers = [constant.span, other.span].map(|span| variable.origin.number_at(span));
            let (earlier, name, later) = match numbers[0].cmp(&numbers[1]) {
                std::cmp::Ordering::Less => (constant.span, "const", other.span),
                std::cmp::Ordering::Equal => continue,
                std::cmp::Ordering::Greater => (other.span, word, constant.span),
            };
            broken(module, &format!("A `const` variable cannot be {word}."))
                .at(later)
                .related(earlier, format!("`{name}` is set here"))
                .help(format!("remove `const` or `{word}`"))
                .address(block_address(&variable.origin.base))
                .push_to(findings);
        }
    }
}

fn broken(module: &Module, why: &str) -> Finding {
    let product = module.features.engine.product.name();
    OverrideBreaksBlock::finding("Override breaks the block that it changes").detail(format!(
        "{why} {product} checks this only before it merges override files, so it does not report it."
    ))
}

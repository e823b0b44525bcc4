#![doc = include_str!("../../policies/rules/override-breaks-block.md")]

use super::{Context, Rule};
use crate::finding::Finding;
use crate::graph::Node;
use crate::module::Module;
use crate::module::address::block_address;
use crate::module::config::Config;
use crate::module::references_elsewhere;
use crate::policy::Options;

pub(super) struct OverrideBreaksBlock;

impl Rule for OverrideBreaksBlock {
    const ID: &'static str = "override-breaks-block";

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        connections(module, findings);
        nested_data(module, findings);
        if module.features.const_excludes_sensitive {
            constants(module, findings);
        }
    }
}

/// A connection and a provisioner that runs on destroy, each from another block.
fn connections(module: &Module, findings: &mut Vec<Finding>) {
    for resource in module.resources.values() {
        let (origin, managed) = (&resource.origin, &resource.managed);
        let Some(connection) = &managed.connection else { continue };
        let Some(provisioner) = managed.provisioners.iter().find(|provisioner| provisioner.on_destroy) else {
            continue;
        };
        let numbers = [connection, &provisioner.block].map(|block| origin.number_at(block.header));
        // Inside of one block the engines look themselves.
        if numbers[0] == numbers[1] {
            continue;
        }
        let mut elsewhere = references_elsewhere(&Config::Plain(connection.body.clone()));
        elsewhere.dedup();
        for at in elsewhere {
            findings.push(
                broken("A connection of a provisioner that runs on destroy can refer to `self` only.")
                    .at(at)
                    .label("may be gone by then")
                    .related(provisioner.block.header, "runs on destroy")
                    .help("keep what it needs in the resource, and refer to it with `self`")
                    .address(block_address(&origin.base)),
            );
        }
    }
}

/// A data source in a `check` block that was made more than one.
fn nested_data(module: &Module, findings: &mut Vec<Finding>) {
    for resource in module.resources.values().filter(|resource| resource.check.is_some()) {
        for attribute in resource.count.iter().chain(&resource.for_each) {
            findings.push(
                broken(&format!("A data source in a `check` block cannot have `{}`.", attribute.name))
                    .at(attribute.span)
                    .related(resource.origin.header(), "stands in a `check` block")
                    .help(format!("remove `{}`", attribute.name))
                    .address(block_address(&resource.origin.base)),
            );
        }
    }
}

/// A variable that is both `const` and a secret, each said by another block.
fn constants(module: &Module, findings: &mut Vec<Finding>) {
    for variable in module.variables.values() {
        let Some(constant) = variable.constant.as_ref().filter(|constant| constant.value) else { continue };
        for (other, word) in [(&variable.sensitive, "sensitive"), (&variable.ephemeral, "ephemeral")] {
            let Some(other) = other.as_ref().filter(|other| other.value) else { continue };
            let numbers = [constant.span, other.span].map(|span| variable.origin.number_at(span));
            let (earlier, later) = match numbers[0].cmp(&numbers[1]) {
                std::cmp::Ordering::Less => (constant.span, other.span),
                std::cmp::Ordering::Equal => continue,
                std::cmp::Ordering::Greater => (other.span, constant.span),
            };
            findings.push(
                broken(&format!(
                    "A `const` variable is known before everything else, so it cannot be {word}."
                ))
                .at(later)
                .related(earlier, "does not go with it")
                .help(format!("remove `const` or `{word}`"))
                .address(block_address(&variable.origin.base)),
            );
        }
    }
}

fn broken(why: &str) -> Finding {
    OverrideBreaksBlock::finding("Override breaks the block that it changes")
        .detail(format!("{why} The engine looks at each block before it merges them, and not again."))
}

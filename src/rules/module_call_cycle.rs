#![doc = include_str!("../../policies/rules/module-call-cycle.md")]

use super::{Context, Node, Page, Rule, page};
use crate::finding::{Concern, Finding};

pub(super) struct ModuleCallCycle;

impl Rule for ModuleCallCycle {
    const PAGE: Page = page!("module-call-cycle");

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        // One cycle is reported per group of modules that all lead to each other, at the first of them by directory.
        if node.first_of_call_cycle().is_none_or(|first| first.id() != node.id()) {
            return;
        }
        let Some(call_cycle) = node.call_cycle() else { return };
        let directory = |node: Node<'_>| node.module().directory.clone();
        let Some(((_, first), rest)) = call_cycle.split_first() else { return };
        let place =
            |directory: &str| if directory.is_empty() { ".".to_owned() } else { directory.to_owned() };
        let way: Vec<String> = call_cycle
            .iter()
            .chain(call_cycle.first())
            .map(|(module, _)| place(&directory(*module)))
            .collect();
        let finding = Self::finding("Module call cycle")
            .detail(if rest.is_empty() {
                "This module calls itself, so `init` fails.".to_owned()
            } else {
                format!("These calls form a cycle, {}, so `init` fails.", way.join(" → "))
            })
            .at(first.origin.header())
            .label("this call leads back to its own module")
            .help(if rest.is_empty() { "remove the call" } else { "remove one of these calls" })
            .concerns(Concern::Whole);
        let next = rest.iter().map(|(_, call)| call.origin.header());
        findings.push(finding.related_all(next, "the next call in the cycle"));
    }
}

#![doc = include_str!("../../policies/rules/module-tree-depth.md")]

use super::{ADVICE, Context, Rule};
use crate::finding::{Concern, Finding};
use crate::graph::{Node, Role};
use crate::policy::Options;

pub(super) struct ModuleTreeDepth {
    max: usize,
}

/// How many calls below each other are fine where nobody says otherwise.
const USUAL: usize = 4;
/// More levels than any engine would get through.
const MOST: usize = 1000;

impl Rule for ModuleTreeDepth {
    const ID: &'static str = "module-tree-depth";
    const OPTIONS: &'static [&'static str] = &["max"];
    const ROLES: &'static [Role] = ADVICE;

    fn configure(options: &Options<'_>) -> Result<Self, Finding> {
        let max = options.number("max")?.unwrap_or(USUAL);
        if !(1..=MOST).contains(&max) {
            return Err(options.refuse("max", format!("It has to be from 1 to {MOST}.")));
        }
        Ok(Self { max })
    }

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        if node.is_called() {
            // It is told once, at the module where the chain starts.
            return;
        }
        let Some(chain) = node.chain_longer_than(self.max) else { return };
        let Some(((_, first), rest)) = chain.split_first() else { return };
        let mut finding = Self::finding("Module calls go too deep")
            .detail(format!(
                "{} calls lead below each other from here, and {} are to be the most. Who reads a plan has to know \
                 them all.",
                chain.len(),
                self.max
            ))
            .at(first.origin.header())
            .label("the first of these calls")
            .help("call the inner modules from here, and pass their outputs on")
            .concerns(Concern::Whole);
        for (_, call) in rest {
            finding = finding.related(call.origin.header(), "which leads to this one");
        }
        findings.push(finding);
    }
}

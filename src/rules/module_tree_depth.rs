#![doc = include_str!("../../policies/rules/module-tree-depth.md")]

use super::{ADVICE, Configure, Context, Node, Options, Page, Role, Rule, page};
use crate::finding::{Concern, Finding};

pub(super) struct ModuleTreeDepth {
    /// The maximal number of nested calls.
    max: usize,
}

/// The default value of `max`.
const DEFAULT_MAX: usize = 4;

/// The largest value of `max`: no engine loads deeper trees.
const LARGEST_MAX: usize = 1000;

/// The number of calls of a chain that a finding shows.
const MOST_SHOWN: usize = 10;

impl Configure for ModuleTreeDepth {
    const OPTIONS: &'static [&'static str] = &["max"];

    fn configure(options: &Options<'_>) -> Result<Self, Finding> {
        let max = options.number("max")?.unwrap_or(DEFAULT_MAX);
        if !(1..=LARGEST_MAX).contains(&max) {
            return Err(options.refuse("max", format!("It must be from 1 to {LARGEST_MAX}.")));
        }
        Ok(Self { max })
    }
}

impl Rule for ModuleTreeDepth {
    const PAGE: Page = page!("module-tree-depth");
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        if node.is_called() {
            // Reported once, at the module where the chain starts.
            return;
        }
        let Some(chain) = node.chain_longer_than(self.max) else { return };
        let Some(((_, first), rest)) = chain.split_first() else { return };
        let mut finding = Self::finding("Module calls are nested too deeply")
            .detail(format!(
                "A chain of {} module calls starts here, and the option `max` of this rule allows {}. A reader of a plan \
                 has to know every module of the chain.",
                chain.len(),
                self.max
            ))
            .at(first.origin.header())
            .label("the chain starts here")
            .help("call the inner modules directly from this module, and pass values between them")
            .concerns(Concern::Whole);
        for (number, (_, call)) in (2..=MOST_SHOWN).zip(rest) {
            finding = finding.related(call.origin.header(), format!("call {number}"));
        }
        findings.push(finding);
    }
}

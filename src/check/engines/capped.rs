//! Bounds the number of findings of one rule in one module, so that a small file cannot fill the memory.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use crate::engine::Product;
use crate::finding::{EngineRule, Finding, RuleId, Severity};
use crate::text::grouped;

/// The number of findings of one rule that are kept for a module.
const MOST: usize = 20_000;

/// Drops the findings of a rule in a module beyond a number that nobody reads, and reports that there are more.
pub(super) fn cap(findings: &mut Vec<(Finding, Option<Product>)>) {
    if findings.len() <= MOST {
        return;
    }
    let mut number: BTreeMap<(SmolStr, RuleId), usize> = BTreeMap::new();
    findings.retain(|(finding, _)| {
        let number = number.entry((finding.module.clone(), finding.rule.clone())).or_default();
        *number += 1;
        *number <= MOST
    });
    findings.shrink_to_fit();
    for ((module, rule), number) in number.into_iter().filter(|(_, number)| *number > MOST) {
        let finding = Finding::language(EngineRule::LimitReached, "Too many findings of one rule")
            .severity(Severity::Error)
            .detail(format!(
                "`{}` has {} findings in this module. Only {} of them are reported.",
                rule.as_str(),
                grouped(number as u64),
                grouped(MOST as u64)
            ))
            .module(module);
        findings.push((finding, None));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_beyond_a_number_are_counted() {
        let found =
            |rule: EngineRule, module: &str| (Finding::language(rule, "Summary").module(module), None);
        let many = |rule, module, number| std::iter::repeat_with(move || found(rule, module)).take(number);
        let all =
            many(EngineRule::InvalidName, "a", MOST + 5).chain(many(EngineRule::InvalidName, "b", MOST));
        let mut findings: Vec<_> = all.chain(many(EngineRule::InvalidValue, "a", 3)).collect();
        cap(&mut findings);
        assert_eq!(findings.len(), 2 * MOST + 4);
        let (last, _) = findings.last().expect("a finding");
        assert_eq!(
            (last.rule.as_str(), last.module.as_str(), last.detail.as_str()),
            (
                "limit-reached",
                "a",
                "`invalid-name` has 20,005 findings in this module. Only 20,000 of them are reported."
            )
        );
        let before = findings.len();
        cap(&mut findings);
        assert_eq!(findings.len(), before);
    }
}

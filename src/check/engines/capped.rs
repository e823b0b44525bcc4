//! Limits the number of findings of one rule in one module, so that a small file cannot exhaust the memory.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use crate::engine::Product;
use crate::finding::{EngineRule, Finding, RuleId, Severity};
use crate::text::grouped;

/// The number of findings of one rule that are kept for a module.
const MOST: usize = 10_000;

/// Drops the findings of a rule in a module above [`MOST`], and reports that there are more.
pub(in crate::check) fn cap(findings: &mut Vec<Finding>) {
    if findings.len() <= MOST {
        return;
    }
    let mut numbers: BTreeMap<(SmolStr, RuleId), usize> = BTreeMap::new();
    findings.retain(|finding| {
        let number = numbers.entry((finding.module.clone(), finding.rule.clone())).or_default();
        *number += 1;
        *number <= MOST
    });
    findings.shrink_to_fit();
    for ((module, rule), _) in numbers.into_iter().filter(|(_, number)| *number > MOST) {
        let finding = Finding::language(EngineRule::LimitReached, "Too many findings of one rule")
            .severity(Severity::Error)
            .detail(format!(
                "`{}` has more than {} findings in this module. The others are not reported.",
                rule.as_str(),
                grouped(MOST as u64)
            ))
            .module(module);
        findings.push(finding);
    }
}

/// Drops findings of only one engine if their rule has too many findings in the module: the other engine may have
/// reported them among the dropped ones.
pub(super) fn settle(findings: &mut Vec<(Finding, Option<Product>)>) {
    if findings.len() < MOST {
        return;
    }
    let mut numbers: BTreeMap<(SmolStr, RuleId), usize> = BTreeMap::new();
    for (finding, _) in &*findings {
        *numbers.entry((finding.module.clone(), finding.rule.clone())).or_default() += 1;
    }
    numbers.retain(|_, number| *number >= MOST);
    findings.retain(|(finding, engine)| {
        engine.is_none() || !numbers.contains_key(&(finding.module.clone(), finding.rule.clone()))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn many(rule: EngineRule, module: &str, number: usize) -> Vec<Finding> {
        vec![Finding::language(rule, "Summary").module(module); number]
    }

    #[test]
    fn findings_beyond_a_number_are_dropped_and_reported() {
        let mut findings = many(EngineRule::InvalidName, "a", MOST + 5);
        findings.extend(many(EngineRule::InvalidName, "b", MOST));
        findings.extend(many(EngineRule::InvalidValue, "a", 3));
        cap(&mut findings);
        assert_eq!(findings.len(), 2 * MOST + 4);
        let last = findings.last().expect("a finding");
        assert_eq!(
            (last.rule.as_str(), last.module.as_str(), last.detail.as_str()),
            (
                "limit-reached",
                "a",
                "`invalid-name` has more than 10,000 findings in this module. The others are not reported."
            )
        );
        let before = findings.len();
        cap(&mut findings);
        assert_eq!(findings.len(), before);
    }

    #[test]
    fn too_many_findings_say_nothing_about_differences_between_engines() {
        let of = |findings: Vec<Finding>, engine| findings.into_iter().map(move |finding| (finding, engine));
        let mut findings: Vec<_> = of(many(EngineRule::InvalidName, "a", MOST), None).collect();
        findings.extend(of(many(EngineRule::InvalidName, "a", 1), Some(Product::OpenTofu)));
        findings.extend(of(many(EngineRule::InvalidName, "b", 1), Some(Product::OpenTofu)));
        settle(&mut findings);
        assert_eq!(findings.len(), MOST + 1);
        assert_eq!(findings.last().map(|(finding, _)| finding.module.as_str()), Some("b"));
    }
}

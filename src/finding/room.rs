//! Limits of findings: a small module can have very many pairs of objects, or one long name in very many findings.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::{Code, EngineRule, Finding, MOST_OF_RULE, RuleId};
use crate::limits::Limits;
use crate::text::grouped;

/// The findings of a rule that can be added to those of a module.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    rule: EngineRule,
    most: usize,
    /// Their number. At first one more than `most`, which shows that there are more.
    pub left: usize,
}

impl Room {
    /// Creates the room for a module of so many bytes with these findings.
    pub fn new(findings: &[Finding], rule: EngineRule, limits: &Limits, bytes: usize) -> Self {
        let most = MOST_OF_RULE.min(limits.findings_of_rules(bytes));
        let known = findings.iter().filter(|finding| finding.rule == rule.id()).count();
        Self { rule, most, left: (most + 1).saturating_sub(known) }
    }

    /// Takes the place of so many findings.
    pub fn take(&mut self, number: usize) {
        self.left = self.left.saturating_sub(number);
    }

    /// Adds the finding that no more are reported, unless the limit is that of every module.
    pub fn close(self, findings: &mut Vec<Finding>) {
        if self.left == 0 && self.most < MOST_OF_RULE {
            Finding::language(EngineRule::LimitReached, "Too many findings of one rule")
                .detail(format!(
                    "In a module of this size, overrule reports at most {} findings of `{}`, since the repository has \
                     many modules.",
                    grouped(self.most as u64 + 1),
                    self.rule.id().as_str()
                ))
                .code(Code::FindingsLeftOut(Some(self.rule.id())))
                .push_to(findings);
        }
    }
}

/// Keeps the first `most` findings of each rule in a module. Returns the modules and the rules that have more.
pub fn keep_first(findings: &mut Vec<Finding>, most: usize) -> Vec<(SmolStr, RuleId)> {
    if findings.len() <= most {
        return Vec::new();
    }
    let mut numbers: BTreeMap<(SmolStr, RuleId), usize> = BTreeMap::new();
    findings.retain(|finding| {
        let number = numbers.entry((finding.module.clone(), finding.rule.clone())).or_default();
        *number += 1;
        *number <= most
    });
    findings.shrink_to_fit();
    numbers.into_iter().filter(|(_, number)| *number > most).map(|(key, _)| key).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_modules_of_a_large_repository_have_less_room() {
        let rule = EngineRule::MissingModuleArgument;
        let known = vec![Finding::language(rule, "Summary"); 3];
        let limits = Limits::default();
        assert_eq!(Room::new(&known, rule, &limits, 80).left, MOST_OF_RULE - 2);
        let mut room = Room::new(&known, rule, &limits.among(10_000), 80);
        assert_eq!(room.left, 2 + 10 + 1 - 3);
        let mut findings = Vec::new();
        room.close(&mut findings);
        assert_eq!(findings, []);
        room.take(10);
        room.close(&mut findings);
        assert_eq!(
            findings[0].detail,
            "In a module of this size, overrule reports at most 13 findings of `missing-module-argument`, since the \
             repository has many modules."
        );
    }
}

//! Limits the number of findings of one rule in one module, and of a run, so that a small file cannot exhaust the memory.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use crate::check::judge::order;
use crate::check::settings::Settings;
use crate::engine::Product;
use crate::finding::{Code, EngineRule, Finding, MOST_OF_RULE, RuleId, Severity, keep_first};
use crate::text::{Sources, counted, grouped};
use crate::vfs::Snapshot;

/// Drops the findings of a rule in a module above [`MOST_OF_RULE`], and reports that there are more.
pub(in crate::check) fn cap(findings: &mut Vec<Finding>) {
    for (module, rule) in keep_first(findings, MOST_OF_RULE) {
        let detail = format!(
            "`{}` has more than {} findings in this module. The others are not reported.",
            rule.as_str(),
            grouped(MOST_OF_RULE as u64)
        );
        findings.push(left_out("Too many findings of one rule", detail, Some(rule)).module(module));
    }
}

/// The finding for rules that are skipped in a module because earlier ones found more than `most`, or took too long.
pub(in crate::check) fn skipped(rules: usize, most: Option<usize>) -> Finding {
    let (summary, why) = match most {
        Some(most) => (
            "Too many findings",
            format!("The other rules already have more than {} findings in it.", grouped(most as u64)),
        ),
        None => ("Too many custom rules", "The policy has too many custom rules for its size.".to_owned()),
    };
    let detail = format!("Not checked in this module: {}. {why}", counted(rules, "rule"));
    left_out(summary, detail, None).help("check one rule at a time, with `--select`")
}

fn left_out(summary: &str, detail: String, rule: Option<RuleId>) -> Finding {
    Finding::language(EngineRule::LimitReached, summary).detail(detail).code(Code::FindingsLeftOut(rule))
}

/// A finding, with a product if only that one of two reports it.
pub(in crate::check) type Reported = (Finding, Option<Product>);

/// The findings of a run. If there are too many, those of the highest level are kept, in the order of the report. So
/// they do not depend on the batches in which modules are checked.
#[derive(Debug)]
pub(in crate::check) struct RunFindings<'s> {
    settings: &'s Settings,
    /// The number of findings that are reported.
    most: usize,
    kept: Vec<Reported>,
    /// The number of findings of each module that are not reported.
    left_out: BTreeMap<SmolStr, usize>,
}

impl<'s> RunFindings<'s> {
    /// Creates an empty list for the modules of a snapshot.
    pub(in crate::check) fn new(snapshot: &Snapshot, settings: &'s Settings) -> Self {
        let bytes = snapshot.sources().iter().map(|(_, source)| source.text().len()).sum();
        let most = settings.policy.limits().findings_of_run(bytes);
        Self { settings, most, kept: Vec::new(), left_out: BTreeMap::new() }
    }

    /// Adds findings.
    pub(in crate::check) fn add(&mut self, more: impl IntoIterator<Item = Reported>, sources: &Sources) {
        self.kept.extend(more);
        if self.kept.len() > 2 * self.most {
            self.cut(sources);
        }
    }

    /// Returns the findings that are reported, with one for each module that has more.
    pub(in crate::check) fn finish(mut self, sources: &Sources) -> Vec<Reported> {
        if self.kept.len() > self.most {
            self.cut(sources);
        }
        let most = grouped(self.most as u64);
        let limits = self.left_out.into_iter().map(|(module, number)| {
            let detail = format!(
                "Not reported: {} of this module. A run reports at most {most} findings, errors first.",
                counted(number, "finding")
            );
            let help = "check this directory alone, or one rule at a time with `--select`";
            (left_out("Too many findings", detail, None).help(help).module(module), None)
        });
        self.kept.extend(limits);
        self.kept
    }

    /// Drops the findings above the limit, after those that the settings do not want.
    fn cut(&mut self, sources: &Sources) {
        let mut of_levels: [Vec<Reported>; 3] = Default::default();
        for reported in std::mem::take(&mut self.kept) {
            if let Some(level) = self.level(&reported.0, sources) {
                of_levels[level as usize].push(reported);
            }
        }
        for mut reported in of_levels {
            let room = self.most - self.kept.len();
            if reported.len() > room {
                reported.sort_by(|(a, _), (b, _)| order(a, sources).cmp(&order(b, sources)));
                for (finding, _) in reported.drain(room..) {
                    *self.left_out.entry(finding.module).or_default() += 1;
                }
            }
            self.kept.append(&mut reported);
        }
    }

    /// The level of a finding, if it is reported.
    fn level(&self, finding: &Finding, sources: &Sources) -> Option<Severity> {
        if finding.rule == EngineRule::LimitReached.id() {
            return Some(Severity::Error);
        }
        let wanted = self.settings.wants(finding, sources);
        wanted.then(|| self.settings.level(finding, sources))?.map(|(level, _)| level)
    }
}

/// Drops findings of only one engine if their rule has too many findings in the module: the other engine may have
/// reported them among the dropped ones.
pub(super) fn settle(findings: &mut Vec<Reported>) {
    if findings.len() < MOST_OF_RULE {
        return;
    }
    let mut numbers: BTreeMap<(SmolStr, RuleId), usize> = BTreeMap::new();
    for (finding, _) in &*findings {
        *numbers.entry((finding.module.clone(), finding.rule.clone())).or_default() += 1;
    }
    numbers.retain(|_, number| *number >= MOST_OF_RULE);
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
        let mut findings = many(EngineRule::InvalidName, "a", MOST_OF_RULE + 5);
        findings.extend(many(EngineRule::InvalidName, "b", MOST_OF_RULE));
        findings.extend(many(EngineRule::InvalidValue, "a", 3));
        cap(&mut findings);
        assert_eq!(findings.len(), 2 * MOST_OF_RULE + 4);
        let last = findings.last().expect("a finding");
        assert_eq!(
            (last.rule.as_str(), last.module.as_str(), last.detail.as_str()),
            (
                "limit-reached",
                "a",
                "`invalid-name` has more than 5,000 findings in this module. The others are not reported."
            )
        );
        let before = findings.len();
        cap(&mut findings);
        assert_eq!(findings.len(), before);
    }

    #[test]
    fn too_many_findings_say_nothing_about_differences_between_engines() {
        let of = |findings: Vec<Finding>, engine| findings.into_iter().map(move |finding| (finding, engine));
        let mut findings: Vec<_> = of(many(EngineRule::InvalidName, "a", MOST_OF_RULE), None).collect();
        findings.extend(of(many(EngineRule::InvalidName, "a", 1), Some(Product::OpenTofu)));
        findings.extend(of(many(EngineRule::InvalidName, "b", 1), Some(Product::OpenTofu)));
        settle(&mut findings);
        assert_eq!(findings.len(), MOST_OF_RULE + 1);
        assert_eq!(findings.last().map(|(finding, _)| finding.module.as_str()), Some("b"));
    }

    #[test]
    fn a_run_keeps_errors_first_and_then_the_first_modules() {
        let (settings, sources) = (Settings::default(), Sources::default());
        let of = |module: &str, number: usize, severity: Severity| -> Vec<Reported> {
            let findings = many(EngineRule::InvalidName, module, number).into_iter();
            findings.map(|finding| (finding.severity(severity), None)).collect()
        };
        let batches = [
            of("a", 2, Severity::Notice),
            of("b", 4, Severity::Warning),
            of("c", 3, Severity::Error),
            of("d", 2, Severity::Warning),
        ];
        let kept = |order: [usize; 4], most: usize| -> Vec<String> {
            let mut run =
                RunFindings { settings: &settings, most, kept: Vec::new(), left_out: BTreeMap::new() };
            for number in order {
                run.add(batches[number].clone(), &sources);
            }
            let mut lines: Vec<String> = run
                .finish(&sources)
                .iter()
                .map(|(finding, _)| {
                    format!("{} {} {}", finding.module, finding.severity.name(), finding.detail)
                })
                .collect();
            lines.sort();
            lines
        };
        assert_eq!(kept([0, 1, 2, 3], 11).len(), 11);
        let expected = [
            "a error Not reported: 2 findings of this module. A run reports at most 4 findings, errors first.",
            "b error Not reported: 3 findings of this module. A run reports at most 4 findings, errors first.",
            "b warning ",
            "c error ",
            "c error ",
            "c error ",
            "d error Not reported: 2 findings of this module. A run reports at most 4 findings, errors first.",
        ];
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
            assert_eq!(kept(order, 4), expected);
        }
    }

    #[test]
    fn findings_that_are_not_wanted_leave_room_for_others() {
        let ignore = vec![EngineRule::InvalidName.id()];
        let (settings, sources) = (Settings { ignore, ..Settings::default() }, Sources::default());
        let mut run =
            RunFindings { settings: &settings, most: 2, kept: Vec::new(), left_out: BTreeMap::new() };
        for rule in [EngineRule::InvalidName, EngineRule::InvalidValue] {
            run.add(many(rule, "a", 2).into_iter().map(|finding| (finding, None)), &sources);
        }
        let kept = run.finish(&sources);
        assert!(kept.iter().all(|(finding, _)| finding.rule == EngineRule::InvalidValue.id()), "{kept:?}");
    }
}

//! Counts of findings.

use std::collections::BTreeMap;

use super::Style;
use crate::check::Outcome;
use crate::finding::{Safety, Severity};
use crate::text::{counted, grouped};

/// The number of findings per level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Notices.
    pub notices: usize,
}

impl Tally {
    /// Counts the findings of a run.
    pub fn of(outcome: &Outcome) -> Self {
        let mut tally = Self::default();
        for verdict in &outcome.verdicts {
            *tally.of_level(verdict.level) += 1;
        }
        tally
    }

    /// The number of findings of a level.
    pub(super) fn of_level(&mut self, level: Severity) -> &mut usize {
        match level {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
            Severity::Notice => &mut self.notices,
        }
    }

    /// `1 error, 2 notices`, or `no findings`.
    pub(super) fn words(self) -> String {
        let words = counts(&[(self.errors, "error"), (self.warnings, "warning"), (self.notices, "notice")]);
        if words.is_empty() { "no findings".to_owned() } else { words.join(", ") }
    }
}

/// The numbers above 0, each with its noun.
pub(super) fn counts(numbers: &[(usize, &str)]) -> Vec<String> {
    let numbers = numbers.iter().filter(|(number, _)| *number > 0);
    numbers.map(|(number, noun)| counted(*number, noun)).collect()
}

/// The last line of a report, without a line break.
pub(super) fn closing_line(outcome: &Outcome, style: &Style) -> String {
    let (modules, files) = (counted(outcome.modules, "module"), counted(outcome.files, "file"));
    let time = style.elapsed.map_or_else(String::new, |time| format!(" in {:.2} s", time.as_secs_f64()));
    let (safe, other) = (count_fixable(outcome, Safety::Safe), count_fixable(outcome, Safety::Unsafe));
    let existing =
        if outcome.known == 1 { "existing finding not shown" } else { "existing findings not shown" };
    let hidden = [
        (style.unstaged, "fixed in the working tree and not staged"),
        (safe, "fixable with --fix"),
        (other, if safe == 0 { "fixable with --fix=unsafe" } else { "more with --fix=unsafe" }),
        (outcome.suppressed.len(), "suppressed"),
        (outcome.known, existing),
    ];
    let hidden: Vec<String> = hidden
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, why)| format!("{} {why}", grouped(*number as u64)))
        .collect();
    let hidden = if hidden.is_empty() { String::new() } else { format!(" ({})", hidden.join(", ")) };
    let words = match Tally::of(outcome) {
        tally if tally == Tally::default() && style.unstaged > 0 => "no other findings".to_owned(),
        tally => tally.words(),
    };
    format!("checked {modules}, {files}{time}: {words}{hidden}")
}

/// The number of findings with a fix of this safety.
pub fn count_fixable(outcome: &Outcome, safety: Safety) -> usize {
    let fixes = outcome.verdicts.iter().filter_map(|verdict| verdict.finding.fix.as_ref());
    fixes.filter(|fix| fix.safety == safety).count()
}

/// The number of findings per severity and rule: errors first, and within a severity the most frequent first.
pub(super) fn by_rule(outcome: &Outcome) -> Vec<(usize, Severity, &str)> {
    let mut counts = BTreeMap::new();
    for verdict in &outcome.verdicts {
        *counts.entry((verdict.level, verdict.finding.rule.as_str())).or_insert(0) += 1;
    }
    let mut rows: Vec<_> = counts.into_iter().map(|((level, rule), number)| (number, level, rule)).collect();
    // The sort is stable, so equals stay in the order of their names.
    rows.sort_by_key(|(number, level, _)| (*level, std::cmp::Reverse(*number)));
    rows
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn time_is_reported_only_where_it_may_differ() {
        let outcome = Outcome { modules: 1, files: 2, ..Outcome::default() };
        let plain = Style::default();
        assert_eq!(closing_line(&outcome, &plain), "checked 1 module, 2 files: no findings");
        let hidden = Outcome { known: 1200, ..Outcome::default() };
        assert_eq!(
            closing_line(&hidden, &plain),
            "checked 0 modules, 0 files: no findings (1,200 existing findings not shown)"
        );
        let timed = Style { elapsed: Some(Duration::from_millis(214)), ..Style::default() };
        assert_eq!(closing_line(&outcome, &timed), "checked 1 module, 2 files in 0.21 s: no findings");
    }

    #[test]
    fn what_is_fixed_and_not_staged_is_not_nothing() {
        let fixed = Style { unstaged: 2, ..Style::default() };
        assert_eq!(
            closing_line(&Outcome::default(), &fixed),
            "checked 0 modules, 0 files: no other findings (2 fixed in the working tree and not staged)"
        );
    }
}

//! Reads and writes baselines: lists of existing findings, which are not reported.

use std::collections::BTreeSet;

use crate::check::location::place_of;
use crate::check::verdict::Verdict;
use crate::policy::can_be_off;
use crate::text::Sources;

/// The existing findings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Baseline {
    fingerprints: BTreeSet<String>,
}

const HEAD: &str = "\
# Findings that existed when this file was written. `overrule check --baseline` does not report them.
# Fingerprint, rule, file. Do not add lines by hand; removing them is fine.
";

impl Baseline {
    /// Whether a text has the head or a line of a baseline. Other lines may be mistakes.
    pub fn is_one(text: &str) -> bool {
        HEAD.lines().next().is_some_and(|head| text.starts_with(head)) || text.lines().any(is_entry)
    }

    /// Reads a baseline. An error names the line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut fingerprints = BTreeSet::new();
        for (number, line) in text.lines().enumerate() {
            let Some(word) = line.split_whitespace().next().filter(|word| !word.starts_with('#')) else {
                continue;
            };
            if !is_entry(word) {
                return Err(format!("line {} does not start with a fingerprint", number + 1));
            }
            fingerprints.insert(word.to_owned());
        }
        Ok(Self { fingerprints })
    }

    /// Writes a baseline of reported findings.
    pub fn write(verdicts: &[Verdict], sources: &Sources) -> String {
        let mut lines: Vec<String> = verdicts
            .iter()
            .filter(|verdict| can_be_off(&verdict.finding.rule))
            .flat_map(|verdict| {
                let place = place_of(&verdict.finding, sources);
                // A name with a line break would be two lines.
                let place: String = place.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
                let rule = verdict.finding.rule.as_str();
                let fingerprints = verdict.fingerprints().iter();
                fingerprints.map(move |fingerprint| format!("{fingerprint} {rule} {place}\n"))
            })
            .collect();
        lines.sort();
        format!("{HEAD}{}", lines.concat())
    }

    /// Whether a finding is an existing one. A finding that cannot be turned off never is.
    pub(in crate::check) fn has(&self, verdict: &Verdict) -> bool {
        can_be_off(&verdict.finding.rule) && verdict.is_among(&self.fingerprints)
    }
}

/// Whether a line starts with a fingerprint.
fn is_entry(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    word.len() == 32 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use indoc::indoc;

    use super::*;
    use crate::check::{Settings, run};
    use crate::vfs::Snapshot;

    fn snapshot(text: &str) -> Snapshot {
        Snapshot::of_files(vec![("main.tf".to_owned(), text.as_bytes().to_vec())])
    }

    #[test]
    fn recorded_findings_are_hidden_and_new_ones_reported() {
        let mut before = snapshot("variable \"a\" {}\nvariable \"a\" {}\n");
        let outcome = run(&mut before, &Settings::default());
        let list = Baseline::write(&outcome.verdicts, before.sources());
        assert_eq!(list.lines().count(), HEAD.lines().count() + 1);
        assert!(list.ends_with(" duplicate-declaration main.tf\n"), "{list}");
        let baseline = Baseline::parse(&list).expect("a list");
        let mut after = snapshot(indoc! {r#"
            locals {}
            variable "a" {}
            variable "a" {}
            variable "b" {}
            variable "b" {}
        "#});
        let outcome = run(&mut after, &Settings { baseline, ..Settings::default() });
        assert_eq!((outcome.verdicts.len(), outcome.known), (1, 1));
        assert_eq!(outcome.verdicts[0].finding.address, "variable.b");
    }

    #[test]
    fn a_baseline_that_is_no_list_is_an_error() {
        assert_eq!(Baseline::parse("# a\n\nb\n"), Err("line 3 does not start with a fingerprint".to_owned()));
    }
}

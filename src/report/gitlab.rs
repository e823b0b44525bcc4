//! Code quality reports of GitLab: <https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format>.

use std::io::{self, Write};

use serde::Serialize;

use super::escape::each;
use super::place::{Places, Region};
use super::{Report, escape, prose, sanitize};
use crate::check::Verdict;
use crate::finding::Severity;

/// Writes the report. It is an empty list without findings.
pub(super) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Report { outcome, sources, style } = *report;
    let places = Places::new(sources, &style.names);
    escape::write(&each(|| outcome.verdicts.iter().map(|verdict| Issue::new(verdict, &places))), out)
}

#[derive(Serialize)]
struct Issue<'a> {
    description: String,
    check_name: &'a str,
    fingerprint: &'a str,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: usize,
    end: usize,
}

impl<'a> Issue<'a> {
    fn new(verdict: &'a Verdict, places: &Places<'_>) -> Self {
        let place = places.of(verdict);
        let begin = place.line();
        Self {
            description: prose::sentence(verdict),
            check_name: verdict.finding.rule.as_str(),
            fingerprint: &verdict.fingerprint,
            severity: match verdict.level {
                Severity::Error => "critical",
                Severity::Warning => "minor",
                Severity::Notice => "info",
            },
            location: Location {
                lines: Lines { begin, end: place.region.as_ref().map_or(begin, Region::last_line) },
                path: sanitize(&place.file).into_owned(),
            },
        }
    }
}

//! The text of a finding in formats without code frames, safe to show.

use super::place::Places;
use super::sanitize::at_line_start;
use super::{one_line, sanitize};
use crate::check::Verdict;

/// The parts after the summary, one line each: detail, related locations, help.
pub(super) fn lines(verdict: &Verdict, places: &Places<'_>) -> Vec<String> {
    let finding = &verdict.finding;
    let mut lines: Vec<String> = sanitize(&finding.detail).lines().map(str::to_owned).collect();
    for other in &finding.related {
        let place = places.at(other.span).words();
        lines.push(format!("{}: {}", one_line(&place), one_line(&other.message)));
    }
    if let Some(help) = &finding.help {
        lines.extend(format!("help: {}", sanitize(help)).lines().map(str::to_owned));
    }
    lines.into_iter().map(|line| at_line_start(&line).into_owned()).collect()
}

/// Summary, detail and help in one line.
pub(super) fn sentence(verdict: &Verdict) -> String {
    let finding = &verdict.finding;
    let mut sentence = one_line(&finding.summary).into_owned();
    if !finding.detail.is_empty() {
        sentence.push_str(&format!(": {}", one_line(&finding.detail)));
    }
    if let Some(help) = &finding.help {
        let end = if sentence.ends_with(['.', '!', '?']) { "" } else { ";" };
        sentence.push_str(&format!("{end} help: {}", one_line(help)));
    }
    sentence
}

/// ` (Terraform only)` after a finding that only one product reports. Empty otherwise.
pub(super) fn only(verdict: &Verdict) -> String {
    verdict.product.map_or_else(String::new, |engine| format!(" ({} only)", engine.name()))
}

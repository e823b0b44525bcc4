//! Turns a verdict into sentences that are safe to show, for formats that show nothing but text.

use super::place::Places;
use super::sanitize::at_line_start;
use super::{one_line, sanitize};
use crate::check::Verdict;

/// What there is to say beyond the summary, a line each: what is wrong, the other places, the order that mends it.
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

/// The summary, what is wrong and the order that mends it, in one line.
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

/// ` (Terraform only)` behind what the other engine thinks nothing of; nothing elsewhere.
pub(super) fn only(verdict: &Verdict) -> String {
    verdict.engine.map_or_else(String::new, |engine| format!(" ({} only)", engine.name()))
}

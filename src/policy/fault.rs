//! Findings for mistakes in a policy.

use crate::finding::{Finding, RuleId, Severity};
use crate::text::{Span, nearest};

/// The rule for mistakes in policies.
pub const INVALID_POLICY: RuleId = RuleId::built_in("invalid-policy");

/// Creates the finding for a mistake.
pub(super) fn fault(summary: impl Into<String>, at: Span) -> Finding {
    Finding::policy(INVALID_POLICY, Severity::Error, summary).at(at)
}

/// The finding for an unknown word, with the nearest valid word or all of them.
pub(super) fn unknown<'a>(
    what: &str,
    word: &str,
    known: impl IntoIterator<Item = &'a str> + Clone,
    at: Span,
) -> Finding {
    suggesting(fault(format!("Unknown {what}"), at), format!("No {what} is named `{word}`."), word, known)
}

/// The one of the valid values of an argument that is written. The finding for another one has the nearest of them or
/// all.
pub(super) fn known_word(
    argument: &str,
    word: &str,
    words: &[&'static str],
    at: Span,
) -> Result<&'static str, Finding> {
    words.iter().copied().find(|known| *known == word).ok_or_else(|| {
        let finding = fault(format!("Invalid value for `{argument}`"), at);
        suggesting(finding, format!("`{word}` is not allowed here."), word, words.iter().copied())
    })
}

/// The finding with a detail, and with the word that is nearest to a wrong one, or all of them.
fn suggesting<'a>(
    finding: Finding,
    detail: String,
    word: &str,
    known: impl IntoIterator<Item = &'a str> + Clone,
) -> Finding {
    if let Some(meant) = nearest(word, known.clone()) {
        return finding.detail(detail).meant(Some(meant));
    }
    let known: Vec<String> = known.into_iter().map(|known| format!("`{known}`")).collect();
    finding.detail(format!("{detail} Use one of {}.", known.join(", ")))
}

/// The summary of the finding for an unknown rule.
pub(super) const UNKNOWN_RULE: &str = "Unknown rule";

/// The finding for an unknown rule.
pub(super) fn unknown_rule(name: &str, meant: Option<&str>, at: Span) -> Finding {
    fault(UNKNOWN_RULE, at)
        .detail(format!("No rule is named `{name}`."))
        .help("`overrule rules` lists them all")
        .meant(meant)
}

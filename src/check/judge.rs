//! Creates the verdicts of a run from the findings of all modules: sorted, without duplicates.

use hashbrown::HashSet;

use crate::check::fingerprint::{Fingerprints, Identity};
use crate::check::location::real_directory;
use crate::check::settings::Settings;
use crate::check::verdict::Verdict;
use crate::engine::Product;
use crate::finding::{Code, EngineRule, Finding, Severity};
use crate::syntax::{Notation, json_form};
use crate::text::{Sources, Span};

/// Sorts findings, drops duplicates and those that the settings do not want, and gives each its level and fingerprint.
///
/// A finding comes with a product if only that one of two reports it. Only verdicts with a location in the files and
/// directories of `scope` are returned, or all if it is empty. These paths are relative to the top of the repository.
pub fn judge(
    findings: Vec<(Finding, Option<Product>)>,
    sources: &Sources,
    scope: &[String],
    settings: &Settings,
) -> Vec<Verdict> {
    let mut verdicts = all_verdicts(findings, sources, settings, &mut Fingerprints::default());
    verdicts.retain(|verdict| verdict.is_in_scope(sources, scope));
    verdicts
}

/// Returns the verdicts of [`judge`] without regard to a scope, so that fingerprints do not depend on it.
pub(super) fn all_verdicts(
    mut findings: Vec<(Finding, Option<Product>)>,
    sources: &Sources,
    settings: &Settings,
    fingerprints: &mut Fingerprints,
) -> Vec<Verdict> {
    findings.retain(|(finding, _)| settings.wants(finding, sources));
    for (finding, _) in &mut findings {
        widen_to_characters(finding, sources);
        if finding.rule != EngineRule::LimitReached.id() {
            add_json(finding, sources);
        } else if finding.code != Some(Code::ValueLeftUnknown) {
            // A part was not checked. Until here, an error means that an engine refuses the module.
            finding.severity = Severity::Error;
        }
    }
    findings.sort_by(|(a, _), (b, _)| order(a, sources).cmp(&order(b, sources)));
    findings.dedup();
    findings
        .into_iter()
        .filter_map(|(finding, product)| {
            let (level, set_by) = settings.level(&finding, sources)?;
            let Identity { fingerprint, likeness, covers } = fingerprints.of(&finding, sources);
            let finding = settings.reworded(finding, sources);
            Some(Verdict { finding, level, set_by, product, fingerprint, likeness, covers })
        })
        .collect()
}

/// Widens the locations of a finding to whole characters. The engines ignore escapes when they compute a position in a
/// string, so it can be inside a character.
fn widen_to_characters(finding: &mut Finding, sources: &Sources) {
    for place in finding.places_mut() {
        *place = sources.get(place.file).whole(*place);
    }
}

/// Adds the JSON form to code in the help of a finding in a JSON file. The help can be about another module, so the code
/// in native syntax is kept.
fn add_json(finding: &mut Finding, sources: &Sources) {
    let is_json = |at: Span| Notation::of(sources.get(at.file).name()) == Notation::Json;
    let Some(help) = finding.help.as_mut().filter(|_| finding.primary.is_some_and(is_json)) else { return };
    let (mut written, mut json) = (String::new(), None);
    for (number, part) in help.split('`').enumerate() {
        written.push_str(if number > 0 { "`" } else { "" });
        written.extend(json.take().map(|json| format!(" (in JSON, `{json}`)")));
        written.push_str(part);
        json = if number % 2 == 1 { json_form(part) } else { None };
    }
    *help = written;
}

/// Adds verdicts and sorts all.
pub(super) fn merge(verdicts: &mut Vec<Verdict>, more: Vec<Verdict>, sources: &Sources) {
    if !more.is_empty() {
        verdicts.extend(more);
        verdicts.sort_by(|a, b| order(&a.finding, sources).cmp(&order(&b.finding, sources)));
    }
}

/// Keeps only the first of the findings that are in one file through several symbolic links.
pub(super) fn once_in_each_file<T>(items: &mut Vec<T>, verdict: impl Fn(&T) -> &Verdict, sources: &Sources) {
    let mut seen = HashSet::new();
    items.retain(|item| {
        let verdict = verdict(item);
        real_directory(&verdict.finding, sources).is_none() || seen.insert(verdict.fingerprint.clone())
    });
}

/// The sort key of findings: module, file, location. A finding without a location comes first.
pub(super) fn order<'a>(finding: &'a Finding, sources: &'a Sources) -> impl Ord + 'a {
    let place = |span: Span| (sources.get(span.file).name(), span.start, span.end);
    (
        finding.module.as_str(),
        finding.primary.map(place),
        finding.severity,
        finding.rule.as_str(),
        finding.summary.as_str(),
        (finding.detail.as_str(), &finding.label, finding.address.as_str(), &finding.concern),
        (&finding.help, finding.category, finding.stage),
        finding.related.iter().map(|other| (place(other.span), other.message.as_str())).collect::<Vec<_>>(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Globs;
    use crate::text::{FileId, Source};

    fn by_both(findings: Vec<Finding>) -> Vec<(Finding, Option<Product>)> {
        findings.into_iter().map(|finding| (finding, None)).collect()
    }

    fn sources() -> Sources {
        Sources::new(vec![
            Source::new("live/main.tf", "a b c d".into()),
            Source::new("net/main.tf", "a a".into()),
        ])
    }

    fn found(rule: EngineRule, file: usize, at: usize) -> Finding {
        let module = ["live", "net"][file];
        Finding::language(rule, "Summary").at(Span::new(FileId::new(file), at..at + 1)).module(module)
    }

    fn places(verdicts: &[Verdict]) -> Vec<(usize, u32)> {
        verdicts
            .iter()
            .filter_map(|v| v.finding.primary)
            .map(|span| (span.file.number(), span.start))
            .collect()
    }

    #[test]
    fn verdicts_are_sorted_without_duplicates() {
        let one = found(EngineRule::InvalidName, 1, 2);
        let findings = vec![
            one.clone(),
            found(EngineRule::InvalidName, 0, 4),
            one,
            found(EngineRule::InvalidName, 0, 0),
        ];
        let verdicts = judge(by_both(findings), &sources(), &[], &Settings::default());
        assert_eq!(places(&verdicts), [(0, 0), (0, 4), (1, 2)]);
    }

    #[test]
    fn select_and_ignore_leave_out_all_but_what_cannot_be_off() {
        let findings = vec![
            found(EngineRule::InvalidName, 0, 0),
            found(EngineRule::InvalidValue, 0, 2),
            found(EngineRule::SyntaxError, 0, 4),
        ];
        let reported =
            |settings: Settings| places(&judge(by_both(findings.clone()), &sources(), &[], &settings));
        assert_eq!(
            reported(Settings { select: vec![EngineRule::InvalidName.id()], ..Settings::default() }),
            [(0, 0), (0, 4)]
        );
        assert_eq!(
            reported(Settings { ignore: vec![EngineRule::InvalidName.id()], ..Settings::default() }),
            [(0, 2), (0, 4)]
        );
        assert_eq!(
            reported(Settings { ignore: vec![EngineRule::SyntaxError.id()], ..Settings::default() }).len(),
            3
        );
    }

    #[test]
    fn a_path_keeps_what_has_any_place_under_it() {
        let related =
            found(EngineRule::InvalidName, 0, 0).related(Span::new(FileId::new(1), 0..1), "called here");
        let findings =
            vec![related, found(EngineRule::InvalidName, 0, 2), found(EngineRule::InvalidName, 1, 0)];
        let reported = |path: &str| {
            places(&judge(by_both(findings.clone()), &sources(), &[path.to_owned()], &Settings::default()))
        };
        assert_eq!(reported("net"), [(0, 0), (1, 0)]);
        assert_eq!(reported("live/main.tf"), [(0, 0), (0, 2)]);
        assert_eq!(reported("ne"), []);
        assert_eq!(reported("").len(), 3);
    }

    #[test]
    fn excluded_paths_are_not_reported() {
        let findings = vec![found(EngineRule::InvalidName, 0, 0), found(EngineRule::InvalidName, 1, 0)];
        let exclude = Globs::new(["net"]).expect("a pattern");
        let settings = Settings { exclude, ..Settings::default() };
        assert_eq!(places(&judge(by_both(findings), &sources(), &[], &settings)), [(0, 0)]);
    }

    #[test]
    fn a_fingerprint_survives_moves_and_rewording_and_numbers_equal_findings() {
        let sources = sources();
        let of = |findings: Vec<Finding>| -> Vec<String> {
            judge(by_both(findings), &sources, &[], &Settings::default())
                .into_iter()
                .map(|v| v.fingerprint)
                .collect()
        };
        let two = of(vec![found(EngineRule::InvalidName, 1, 0), found(EngineRule::InvalidName, 1, 2)]);
        assert_ne!(two[0], two[1], "the same name twice");
        let moved = of(vec![found(EngineRule::InvalidName, 1, 2).detail("In other words.")]);
        assert_eq!(moved[0], two[0], "moved and reworded");
        let other = of(vec![found(EngineRule::InvalidName, 0, 2)]);
        assert_ne!(other[0], two[0], "another module");
    }
}

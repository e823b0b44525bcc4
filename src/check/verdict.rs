//! Turns the findings of all modules into verdicts, sorted, each once.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use smol_str::SmolStr;

use crate::check::fingerprint::{Fingerprints, Identity};
use crate::check::suppress::baseline::Baseline;
use crate::engine::{Choice, Engine, Product};
use crate::finding::{Category, Concern, EngineRule, Finding, RuleId, Severity};
use crate::graph::Role;
use crate::policy::{Date, Globs, Line, Origin, Policy, Setting, can_be_off};
use crate::rules::ADVICE;
use crate::text::{FileId, Sources, Span};
use crate::vfs::parent;

/// What a run came to.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Sorted by module, file and place.
    pub verdicts: Vec<Verdict>,
    /// What is not told, because somebody excused it; in the same order.
    pub excused: Vec<Suppressed>,
    /// How many are not told, because they are in the baseline.
    pub known: usize,
    /// How many modules were checked.
    pub modules: usize,
    /// How many files were read.
    pub files: usize,
    /// The engines whose rules were applied, as people write them: `terraform@1.11.4`.
    pub engine: String,
}

/// A finding, and what the run makes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// What was found.
    pub finding: Finding,
    /// How bad it is in this run.
    pub level: Severity,
    /// Who asked for it at that level.
    pub asked_by: AskedBy,
    /// The engine that alone raises it, where the run asked both.
    pub engine: Option<Product>,
    /// The same for the same fact, wherever it moves and however it is worded.
    pub fingerprint: String,
    /// What it has in common with those whose fingerprint differs in a number alone.
    pub(super) likeness: u128,
    /// If it covers several findings, the fingerprint that each of these would have.
    pub(super) covers: Vec<String>,
}

/// A verdict that is not told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppressed {
    /// What was found.
    pub verdict: Verdict,
    /// Why that is all right.
    pub excuse: AppliedException,
}

/// Why something may stay as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedException {
    /// In the words of the one who wrote it.
    pub reason: SmolStr,
    /// Whether it stands in a comment beside what it excuses, and not in the policy.
    pub in_source: bool,
}

/// Who asked for a rule at its level.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum AskedBy {
    /// The language: what an engine reports, this program reports.
    Engine,
    /// A line of a policy.
    Policy {
        /// The path of the file from the top of the run.
        file: SmolStr,
        /// Counted from 1.
        line: usize,
    },
    /// A line of a preset.
    Preset {
        /// The file, as people know it.
        file: SmolStr,
        /// Counted from 1.
        line: usize,
    },
}

impl From<Line> for AskedBy {
    fn from(Line { file, line, origin }: Line) -> Self {
        match origin {
            Origin::File => Self::Policy { file, line },
            Origin::Preset => Self::Preset { file, line },
        }
    }
}

/// What a person asked of a run.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Which rules are asked for, and how bad what they find is.
    pub policy: Policy,
    /// What the modules are for; where not said, each shows it.
    pub engines: Option<Choice>,
    /// Only these rules, unless empty.
    pub select: Vec<RuleId>,
    /// None of these rules.
    pub ignore: Vec<RuleId>,
    /// Nothing at these places.
    pub exclude: Globs,
    /// The day on which exceptions are looked at; without one, none has ended.
    pub today: Option<Date>,
    /// What was there before and is not told again.
    pub baseline: Baseline,
    /// Whether what is checked may choose how it is judged: comments suppress findings, unless the policy forbids them,
    /// and a module may have a less strict role than before. Not so where the policy comes from a trusted revision.
    pub trusts_change: bool,
}

impl Default for Settings {
    /// What holds where nobody says anything.
    fn default() -> Self {
        Self {
            policy: Policy::recommended(),
            engines: None,
            select: Vec::new(),
            ignore: Vec::new(),
            exclude: Globs::default(),
            today: None,
            baseline: Baseline::default(),
            trusts_change: true,
        }
    }
}

/// Sorts what was found, drops what is not asked for and what was found twice, and names each.
///
/// Beside a finding stands the engine, where one of two alone raises it. What is told has a place under one of the
/// files and directories of `scope`, from the top of the run; all of it where that is empty.
pub fn judge(
    findings: Vec<(Finding, Option<Product>)>,
    sources: &Sources,
    scope: &[String],
    settings: &Settings,
) -> Vec<Verdict> {
    let mut verdicts = weigh(findings, sources, settings, &mut Fingerprints::default());
    verdicts.retain(|verdict| verdict.reaches(sources, scope));
    verdicts
}

/// The same, wherever it has its place. A fingerprint does not depend on what is told.
pub(super) fn weigh(
    mut findings: Vec<(Finding, Option<Product>)>,
    sources: &Sources,
    settings: &Settings,
    fingerprints: &mut Fingerprints,
) -> Vec<Verdict> {
    findings.retain(|(finding, _)| settings.ask_for(finding, sources));
    for (finding, _) in &mut findings {
        make_whole(finding, sources);
    }
    findings.sort_by(|(a, _), (b, _)| order(a, sources).cmp(&order(b, sources)));
    findings.dedup();
    findings
        .into_iter()
        .filter_map(|(finding, engine)| {
            let (level, asked_by) = settings.level(&finding, sources)?;
            let Identity { fingerprint, likeness, covers } = fingerprints.of(&finding, sources);
            let finding = settings.reworded(finding, sources);
            Some(Verdict { finding, level, asked_by, engine, fingerprint, likeness, covers })
        })
        .collect()
}

/// The engines count in a string as if nothing in it were escaped, and that may lead into a character.
fn make_whole(finding: &mut Finding, sources: &Sources) {
    for place in finding.places_mut() {
        *place = sources.get(place.file).whole(*place);
    }
}

/// Adds verdicts to others, so that all are in order.
pub(super) fn merge(verdicts: &mut Vec<Verdict>, more: Vec<Verdict>, sources: &Sources) {
    if !more.is_empty() {
        verdicts.extend(more);
        verdicts.sort_by(|a, b| order(&a.finding, sources).cmp(&order(&b.finding, sources)));
    }
}

impl Verdict {
    /// Its fingerprint, or those of the findings that it covers.
    pub(super) fn fingerprints(&self) -> &[String] {
        if self.covers.is_empty() { std::slice::from_ref(&self.fingerprint) } else { &self.covers }
    }

    /// Whether it, or each finding that it covers, is among those with these fingerprints.
    pub(super) fn is_among(&self, existing: &BTreeSet<String>) -> bool {
        self.fingerprints().iter().all(|fingerprint| existing.contains(fingerprint))
    }

    /// Whether it has a place under one of these files and directories; everything does where there are none.
    pub(super) fn reaches(&self, sources: &Sources, scope: &[String]) -> bool {
        let finding = &self.finding;
        let mut places = finding.primary.into_iter().chain(finding.related.iter().map(|place| place.span));
        places.any(|span| paths_of(&finding.module, span.file, sources).any(|path| in_scope(path, scope)))
            || (finding.primary.is_none() && in_scope(place_of(finding, sources), scope))
    }
}

impl Settings {
    fn ask_for(&self, finding: &Finding, sources: &Sources) -> bool {
        let is_excluded =
            places_of(finding, sources).any(|place| self.exclude.has(place) || self.policy.excludes(place));
        (self.names(&finding.rule) || !can_be_off(&finding.rule)) && !is_excluded
    }

    /// Whether comments may excuse something.
    pub(super) fn allows_comments(&self) -> bool {
        self.policy.allows_comments().unwrap_or(self.trusts_change)
    }

    /// Whether the person who runs this leaves a rule in.
    fn names(&self, rule: &RuleId) -> bool {
        (self.select.is_empty() || self.select.contains(rule)) && !self.ignore.contains(rule)
    }

    /// Whether what a rule finds at a path is told.
    pub(super) fn is_on(&self, rule: &str, place: &str) -> bool {
        let setting = self.policy.setting(rule, place).map(|(_, setting)| setting);
        let is_excluded = self.exclude.has(place) || self.policy.excludes(place);
        setting.map_or(is_of_language(rule), |setting| setting.is_on() && setting.common.has_path(place))
            && self.names(&RuleId::named(rule))
            && !is_excluded
    }

    /// Whether what a rule finds is told at any path.
    pub(super) fn is_on_anywhere(&self, rule: &str) -> bool {
        let settings = self.policy.settings(rule);
        let is_on =
            if settings.is_empty() { is_of_language(rule) } else { settings.iter().any(Setting::is_on) };
        is_on && self.names(&RuleId::named(rule))
    }

    /// How bad a finding is in this run, and on whose word; none where nobody wants it.
    fn level(&self, finding: &Finding, sources: &Sources) -> Option<(Severity, AskedBy)> {
        let place = place_of(finding, sources);
        let setting = self.policy.setting(finding.rule.as_str(), place);
        if setting.is_some_and(|(_, setting)| !setting.common.has_path(place)) {
            return None;
        }
        match setting.and_then(|(_, setting)| Some((setting.level?, &setting.asked_by))) {
            Some((level, _)) if level.severity().is_none() && !can_be_off(&finding.rule) => {
                Some((finding.severity, AskedBy::Engine))
            }
            Some((level, asked_by)) => level.severity().map(|severity| (severity, asked_by.clone().into())),
            // What the rule finds beyond the engine's own findings is reported to those who ask for it.
            None if is_beyond_engine(finding) && !self.select.contains(&finding.rule) => None,
            None => Some((finding.severity, AskedBy::Engine)),
        }
    }
}

/// The roles that modules have for the engines that look at them, by directory.
pub(super) type Roles = BTreeMap<SmolStr, BTreeSet<Role>>;

impl Settings {
    /// Whether the rule of a finding reports something in modules of that role. A finding about no module is reported.
    /// `looked` are the engines that looked at each module.
    pub(super) fn is_for_role(
        &self,
        finding: &Finding,
        sources: &Sources,
        roles: &Roles,
        looked: &BTreeMap<SmolStr, Vec<Engine>>,
    ) -> bool {
        let setting = self.policy.setting(finding.rule.as_str(), place_of(finding, sources));
        let asked = setting.and_then(|(_, setting)| setting.common.roles());
        let wanted = asked.or_else(|| is_advice(finding, looked).then_some(ADVICE));
        match (wanted, roles.get(&finding.module)) {
            (Some(wanted), Some(roles)) => wanted.iter().any(|role| roles.contains(role)),
            (Some(_), None) | (None, _) => true,
        }
    }

    /// A finding in the words of the policy.
    fn reworded(&self, finding: Finding, sources: &Sources) -> Finding {
        match self.policy.setting(finding.rule.as_str(), place_of(&finding, sources)) {
            Some((_, setting)) => setting.common.reworded(finding),
            None => finding,
        }
    }
}

/// Whether a rule of the language found something that the engine at hand lets through in silence.
fn is_beyond_engine(finding: &Finding) -> bool {
    finding.category == Category::Policy && finding.rule == EngineRule::IgnoredObjectAttribute.id()
}

/// Whether a finding of a language rule is advice: some engine of the module accepts the code without a word.
fn is_advice(finding: &Finding, looked: &BTreeMap<SmolStr, Vec<Engine>>) -> bool {
    let warns = |engine: &Engine| engine.features().ignored_object_attribute_warns;
    finding.rule == EngineRule::IgnoredObjectAttribute.id()
        && (is_beyond_engine(finding)
            || !looked.get(&finding.module).is_some_and(|all| all.iter().all(warns)))
}

fn is_of_language(rule: &str) -> bool {
    EngineRule::ALL.iter().any(|known| known.name() == rule)
}

/// The file that a finding is in, or is about; else the directory of its module.
pub(super) fn place_of<'a>(finding: &'a Finding, sources: &'a Sources) -> &'a str {
    match (finding.primary, &finding.file) {
        (Some(span), _) => sources.get(span.file).name(),
        (None, Some(file)) => file,
        (None, None) => &finding.module,
    }
}

/// The same, and the path by which the module loads that file, if it does so through a symbolic link.
pub(super) fn places_of<'a>(finding: &'a Finding, sources: &'a Sources) -> impl Iterator<Item = &'a str> {
    let link = finding.primary.and_then(|at| link_of(&finding.module, at.file, sources));
    std::iter::once(place_of(finding, sources)).chain(link)
}

/// The real path of a file, and the path by which a module loads it, if it does so through a symbolic link.
fn paths_of<'a>(module: &'a str, file: FileId, sources: &'a Sources) -> impl Iterator<Item = &'a str> {
    std::iter::once(sources.get(file).name()).chain(link_of(module, file, sources))
}

/// The path by which a module loads a file through a symbolic link.
fn link_of<'a>(module: &str, file: FileId, sources: &'a Sources) -> Option<&'a str> {
    let links = sources.links(file).iter().map(SmolStr::as_str);
    links.into_iter().find(|link| parent(link).unwrap_or_default() == module)
}

/// The real directory of a finding, if it concerns a file that symbolic links lead to: such a file belongs to no module
/// more than to others. A finding about a module belongs to that one, wherever its range is.
pub(super) fn real_directory<'a>(finding: &Finding, sources: &'a Sources) -> Option<&'a str> {
    let is_about_module = finding.address.is_empty() && finding.concern != Concern::Unstated;
    let linked =
        finding.primary.filter(|_| !is_about_module).filter(|at| !sources.links(at.file).is_empty())?;
    Some(parent(sources.get(linked.file).name()).unwrap_or_default())
}

/// Leaves out what was found in one file through several symbolic links, but for the first.
pub(super) fn once_in_each_file<T>(items: &mut Vec<T>, verdict: impl Fn(&T) -> &Verdict, sources: &Sources) {
    let mut seen = HashSet::new();
    items.retain(|item| {
        let verdict = verdict(item);
        real_directory(&verdict.finding, sources).is_none() || seen.insert(verdict.fingerprint.clone())
    });
}

/// Whether a file or directory lies in what was asked about; everything does where nothing was named.
pub(super) fn in_scope(name: &str, scope: &[String]) -> bool {
    scope.is_empty() || scope.iter().any(|path| is_under(name, path))
}

/// Whether `name` is `path` or lies in that directory; the empty path is the top, which holds everything.
fn is_under(name: &str, path: &str) -> bool {
    path.is_empty() || name.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// By module, by file, by place; a finding without a place comes before those that have one.
fn order<'a>(finding: &'a Finding, sources: &'a Sources) -> impl Ord + 'a {
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
    use crate::text::Source;

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
    fn verdicts_are_sorted_and_each_told_once() {
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
        let told = |settings: Settings| places(&judge(by_both(findings.clone()), &sources(), &[], &settings));
        assert_eq!(
            told(Settings { select: vec![EngineRule::InvalidName.id()], ..Settings::default() }),
            [(0, 0), (0, 4)]
        );
        assert_eq!(
            told(Settings { ignore: vec![EngineRule::InvalidName.id()], ..Settings::default() }),
            [(0, 2), (0, 4)]
        );
        assert_eq!(
            told(Settings { ignore: vec![EngineRule::SyntaxError.id()], ..Settings::default() }).len(),
            3
        );
    }

    #[test]
    fn a_path_keeps_what_has_any_place_under_it() {
        let related =
            found(EngineRule::InvalidName, 0, 0).related(Span::new(FileId::new(1), 0..1), "called here");
        let findings =
            vec![related, found(EngineRule::InvalidName, 0, 2), found(EngineRule::InvalidName, 1, 0)];
        let told = |path: &str| {
            places(&judge(by_both(findings.clone()), &sources(), &[path.to_owned()], &Settings::default()))
        };
        assert_eq!(told("net"), [(0, 0), (1, 0)]);
        assert_eq!(told("live/main.tf"), [(0, 0), (0, 2)]);
        assert_eq!(told("ne"), []);
        assert_eq!(told("").len(), 3);
    }

    #[test]
    fn what_is_excluded_is_not_told() {
        let findings = vec![found(EngineRule::InvalidName, 0, 0), found(EngineRule::InvalidName, 1, 0)];
        let exclude = Globs::new(["net"]).expect("a pattern");
        let settings = Settings { exclude, ..Settings::default() };
        assert_eq!(places(&judge(by_both(findings), &sources(), &[], &settings)), [(0, 0)]);
    }

    #[test]
    fn a_fingerprint_outlives_moves_and_words_and_tells_equals_apart() {
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

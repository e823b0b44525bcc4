//! The policy and the options of a run: whether a rule is on at a path, and at which level.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use crate::check::counts::ProgressCounts;
use crate::check::location::{place_of, places_of};
use crate::check::suppress::baseline::Baseline;
use crate::check::verdict::SetBy;
use crate::engine::{Choice, Engine};
use crate::finding::{Category, EngineRule, Finding, RuleId, Severity};
use crate::graph::Role;
use crate::policy::{Date, Globs, Policy, Setting, can_be_off};
use crate::rules::ADVICE;
use crate::text::Sources;
use crate::vfs::DataDirectory;

/// The policy and the options of a run.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Which rules are on, and at which level.
    pub policy: Policy,
    /// The engines to check for. Without a choice, the files of each module decide.
    pub engines: Option<Choice>,
    /// The only rules to report. Empty for all.
    pub select: Vec<RuleId>,
    /// Rules not to report.
    pub ignore: Vec<RuleId>,
    /// Paths at which nothing is reported.
    pub exclude: Globs,
    /// The date that decides which exceptions have expired. Without one, none has.
    pub today: Option<Date>,
    /// Existing findings, which are not reported.
    pub baseline: Baseline,
    /// Whether the change may affect how it is judged: by comments that suppress findings, unless the policy forbids
    /// them, and by a role that is less strict than before. False if the policy comes from a trusted revision.
    pub trusts_change: bool,
    /// Counts the directories that were checked.
    pub counts: ProgressCounts,
    /// The data directory of root modules, if calls are checked against the modules that `init` installed there.
    pub installed: Option<DataDirectory>,
}

impl Default for Settings {
    /// The recommended policy without options.
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
            counts: ProgressCounts::default(),
            installed: None,
        }
    }
}

impl Settings {
    /// Whether a finding is reported, by its rule and its path.
    pub(super) fn wants(&self, finding: &Finding, sources: &Sources) -> bool {
        let is_excluded =
            places_of(finding, sources).any(|place| self.exclude.has(place) || self.policy.excludes(place));
        (self.selects(&finding.rule) || !can_be_off(&finding.rule)) && !is_excluded
    }

    /// Whether comments may suppress something.
    pub(crate) fn allows_comments(&self) -> bool {
        self.policy.allows_comments().unwrap_or(self.trusts_change)
    }

    /// Whether `--select` and `--ignore` leave a rule on.
    fn selects(&self, rule: &RuleId) -> bool {
        (self.select.is_empty() || self.select.contains(rule)) && !self.ignore.contains(rule)
    }

    /// Whether a rule is on at a path.
    pub(super) fn is_on(&self, rule: &str, place: &str) -> bool {
        let setting = self.policy.setting(rule, place).map(|(_, setting)| setting);
        let is_excluded = self.exclude.has(place) || self.policy.excludes(place);
        setting.map_or(is_of_language(rule), |setting| setting.is_on() && setting.common.has_path(place))
            && self.selects(&RuleId::named(rule))
            && !is_excluded
    }

    /// Whether a rule is on at any path.
    pub(super) fn is_on_anywhere(&self, rule: &str) -> bool {
        let settings = self.policy.settings(rule);
        let is_on =
            if settings.is_empty() { is_of_language(rule) } else { settings.iter().any(Setting::is_on) };
        is_on && self.selects(&RuleId::named(rule))
    }

    /// The level of a finding and what set it. `None` if the rule is off at its path.
    pub(super) fn level(&self, finding: &Finding, sources: &Sources) -> Option<(Severity, SetBy)> {
        let place = place_of(finding, sources);
        let setting = self.policy.setting(finding.rule.as_str(), place);
        if setting.is_some_and(|(_, setting)| !setting.common.has_path(place)) {
            return None;
        }
        match setting.and_then(|(_, setting)| Some((setting.level?, &setting.set_by))) {
            Some((level, _)) if level.severity().is_none() && !can_be_off(&finding.rule) => {
                Some((finding.severity, SetBy::Engine))
            }
            Some((level, set_by)) => {
                let severity = level.severity()?;
                // A finding that the rule reports as a notice stays a notice at every level.
                let is_ours = EngineRule::named(finding.rule.as_str()).is_none();
                let is_notice = is_ours && finding.severity == Severity::Notice;
                Some((if is_notice { Severity::Notice } else { severity }, set_by.clone().into()))
            }
            // A finding that the engine does not report is reported only if the rule is selected.
            None if is_beyond_engine(finding) && !self.select.contains(&finding.rule) => None,
            None => Some((finding.severity, SetBy::Engine)),
        }
    }
}

/// The roles of the module in each directory. It can have another role for each engine.
pub(super) type Roles = BTreeMap<SmolStr, BTreeSet<Role>>;

impl Settings {
    /// Whether the rule of a finding checks modules of that role. A finding outside modules is always reported.
    /// `checked_by` are the engines that checked each module.
    pub(super) fn is_for_role(
        &self,
        finding: &Finding,
        sources: &Sources,
        roles: &Roles,
        checked_by: &BTreeMap<SmolStr, Vec<Engine>>,
    ) -> bool {
        let setting = self.policy.setting(finding.rule.as_str(), place_of(finding, sources));
        let asked = setting.and_then(|(_, setting)| setting.common.roles.as_deref());
        let wanted = asked.or_else(|| is_advice(finding, checked_by).then_some(ADVICE));
        match (wanted, roles.get(&finding.module)) {
            (Some(wanted), Some(roles)) => wanted.iter().any(|role| roles.contains(role)),
            (Some(_), None) | (None, _) => true,
        }
    }

    /// Returns a finding with the message and help that the policy sets.
    pub(super) fn reworded(&self, finding: Finding, sources: &Sources) -> Finding {
        match self.policy.setting(finding.rule.as_str(), place_of(&finding, sources)) {
            Some((_, setting)) => setting.common.reworded(finding),
            None => finding,
        }
    }
}

/// Whether an engine rule found something that the engine accepts without a diagnostic.
fn is_beyond_engine(finding: &Finding) -> bool {
    finding.category == Category::Policy && finding.rule == EngineRule::IgnoredObjectAttribute.id()
}

/// Whether a finding of an engine rule is advice: an engine of the module accepts the code without a diagnostic.
fn is_advice(finding: &Finding, checked_by: &BTreeMap<SmolStr, Vec<Engine>>) -> bool {
    let warns = |engine: &Engine| engine.features().ignored_object_attribute_warns;
    finding.rule == EngineRule::IgnoredObjectAttribute.id()
        && (is_beyond_engine(finding)
            || !checked_by.get(&finding.module).is_some_and(|all| all.iter().all(warns)))
}

fn is_of_language(rule: &str) -> bool {
    EngineRule::named(rule).is_some()
}

//! Turns the policy and the options of a run into answers: whether a rule is on at a place, and how severe it is there.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use crate::check::counts::Counts;
use crate::check::location::{place_of, places_of};
use crate::check::suppress::baseline::Baseline;
use crate::check::verdict::SetBy;
use crate::engine::{Choice, Engine};
use crate::finding::{Category, EngineRule, Finding, RuleId, Severity};
use crate::graph::Role;
use crate::policy::{Date, Globs, Policy, Setting, can_be_off};
use crate::rules::ADVICE;
use crate::text::Sources;

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
    /// What was there before and is not reported again.
    pub baseline: Baseline,
    /// Whether what is checked may choose how it is judged: comments suppress findings, unless the policy forbids them,
    /// and a module may have a less strict role than before. Not so where the policy comes from a trusted revision.
    pub trusts_change: bool,
    /// Counts the directories that were checked.
    pub counts: Counts,
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
            counts: Counts::default(),
        }
    }
}

impl Settings {
    pub(super) fn ask_for(&self, finding: &Finding, sources: &Sources) -> bool {
        let is_excluded =
            places_of(finding, sources).any(|place| self.exclude.has(place) || self.policy.excludes(place));
        (self.names(&finding.rule) || !can_be_off(&finding.rule)) && !is_excluded
    }

    /// Whether comments may suppress something.
    pub(super) fn allows_comments(&self) -> bool {
        self.policy.allows_comments().unwrap_or(self.trusts_change)
    }

    /// Whether the person who runs this leaves a rule in.
    fn names(&self, rule: &RuleId) -> bool {
        (self.select.is_empty() || self.select.contains(rule)) && !self.ignore.contains(rule)
    }

    /// Whether what a rule finds at a path is reported.
    pub(super) fn is_on(&self, rule: &str, place: &str) -> bool {
        let setting = self.policy.setting(rule, place).map(|(_, setting)| setting);
        let is_excluded = self.exclude.has(place) || self.policy.excludes(place);
        setting.map_or(is_of_language(rule), |setting| setting.is_on() && setting.common.has_path(place))
            && self.names(&RuleId::named(rule))
            && !is_excluded
    }

    /// Whether what a rule finds is reported at any path.
    pub(super) fn is_on_anywhere(&self, rule: &str) -> bool {
        let settings = self.policy.settings(rule);
        let is_on =
            if settings.is_empty() { is_of_language(rule) } else { settings.iter().any(Setting::is_on) };
        is_on && self.names(&RuleId::named(rule))
    }

    /// How bad a finding is in this run, and on whose word; none where nobody wants it.
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
                // What a rule itself reports as a notice is at most that, whatever its level is.
                let is_ours = EngineRule::ALL.iter().all(|rule| rule.id() != finding.rule);
                let is_notice = is_ours && finding.severity == Severity::Notice;
                Some((if is_notice { Severity::Notice } else { severity }, set_by.clone().into()))
            }
            // What the rule finds beyond the engine's own findings is reported to those who ask for it.
            None if is_beyond_engine(finding) && !self.select.contains(&finding.rule) => None,
            None => Some((finding.severity, SetBy::Engine)),
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
    pub(super) fn reworded(&self, finding: Finding, sources: &Sources) -> Finding {
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

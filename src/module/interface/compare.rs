//! Compares two interfaces of one module, and rates each change for callers.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::hash::Hash;

use hashbrown::HashMap;
use smol_str::SmolStr;

use super::types::accepts_all;
use super::{Interface, OutputInterface, ProviderInterface, RequiredVersion, Validation, VariableInterface};
use crate::value::Constraints;

/// The effect of a change on callers, in the terms of semantic versioning; the strongest is the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Impact {
    /// Callers are not affected, but their plans may show it.
    Fix,
    /// Callers can do more than before, or a default that they use has changed.
    Feature,
    /// Some caller must change, or loses objects.
    Breaking,
}

impl Impact {
    /// Every impact, the strongest last.
    pub const ALL: [Self; 3] = [Self::Fix, Self::Feature, Self::Breaking];

    /// The word in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fix => "fix",
            Self::Feature => "feature",
            Self::Breaking => "breaking",
        }
    }
}

/// The part of an interface that changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// An input variable.
    Variable,
    /// An output.
    Output,
    /// A provider requirement.
    Provider,
    /// An entry of `configuration_aliases`.
    ConfigurationAlias,
    /// `required_version`.
    RequiredVersion,
    /// A resource or a module call.
    Address,
    /// The provider configuration of existing resources.
    ProviderConfiguration,
    /// The implementation of the module, with an unchanged interface.
    Content,
}

impl Part {
    /// The word in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Variable => "variable",
            Self::Output => "output",
            Self::Provider => "provider",
            Self::ConfigurationAlias => "configuration_alias",
            Self::RequiredVersion => "required_version",
            Self::Address => "address",
            Self::ProviderConfiguration => "provider_configuration",
            Self::Content => "content",
        }
    }
}

/// One change of an interface.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct InterfaceChange {
    /// The impact on callers.
    pub impact: Impact,
    /// The changed part.
    pub part: Part,
    /// The address of the changed object: `var.region`, `output.id`, `aws_vpc.this`.
    pub subject: SmolStr,
    /// The change, to be written after the address: `added, and callers must set it`.
    pub what: String,
}

/// Collects changes of one part.
struct Changes(Vec<InterfaceChange>);

impl Changes {
    fn add(&mut self, impact: Impact, part: Part, subject: impl Into<SmolStr>, what: impl Into<String>) {
        self.0.push(InterfaceChange { impact, part, subject: subject.into(), what: what.into() });
    }
}

impl Interface {
    /// The changes from this interface to a later one.
    pub fn changes_to(&self, after: &Self) -> Vec<InterfaceChange> {
        let mut changes = Changes(Vec::new());
        changes.variables(&self.variables, &after.variables);
        changes.outputs(&self.outputs, &after.outputs);
        changes.providers(&self.providers, &after.providers);
        changes.aliases(self, after);
        changes.required_version(&self.required_versions, &after.required_versions);
        changes.0
    }
}

/// The change of a flag, with the impact of setting it or else that of leaving it out.
fn flag(name: &str, values: (bool, bool), [set, unset]: [Impact; 2]) -> Option<(Impact, String)> {
    match values {
        (false, true) => Some((set, name.to_owned())),
        (true, false) => Some((unset, format!("no longer {name}"))),
        (true, true) | (false, false) => None,
    }
}

/// The names that only one of two maps has.
fn only_in<'m, V>(
    one: &'m BTreeMap<SmolStr, V>,
    other: &BTreeMap<SmolStr, V>,
) -> BTreeMap<&'m SmolStr, &'m V> {
    one.iter().filter(|(name, _)| !other.contains_key(*name)).collect()
}

/// The names of values that no other name has.
fn unique<'m, V: Eq + Hash>(map: &BTreeMap<&'m SmolStr, &'m V>) -> HashMap<&'m V, &'m SmolStr> {
    let mut names: HashMap<&V, Option<&SmolStr>> = HashMap::new();
    for (name, value) in map {
        names.entry(*value).and_modify(|name| *name = None).or_insert(Some(*name));
    }
    names.into_iter().filter_map(|(value, name)| Some((value, name?))).collect()
}

/// Renamed objects: pairs of a removed and an added name with equal values that no other name has.
fn renamed<'m, V: Eq + Hash>(
    removed: &mut BTreeMap<&'m SmolStr, &'m V>,
    new: &mut BTreeMap<&'m SmolStr, &'m V>,
) -> Vec<(&'m SmolStr, &'m SmolStr)> {
    let names = unique(new);
    let pairs = unique(removed).into_iter().filter_map(|(value, old)| Some((old, *names.get(value)?)));
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort_unstable();
    for (old, name) in &pairs {
        removed.remove(*old);
        new.remove(*name);
    }
    pairs
}

impl Changes {
    fn variables(
        &mut self,
        before: &BTreeMap<SmolStr, VariableInterface>,
        after: &BTreeMap<SmolStr, VariableInterface>,
    ) {
        let (mut removed, mut new) = (only_in(before, after), only_in(after, before));
        for (old, name) in renamed(&mut removed, &mut new) {
            self.add(
                Impact::Breaking,
                Part::Variable,
                format!("var.{old}"),
                format!("renamed to var.{name}"),
            );
        }
        for name in removed.keys() {
            self.add(Impact::Breaking, Part::Variable, format!("var.{name}"), "removed");
        }
        for (name, variable) in new {
            let (impact, what) = match variable.default {
                Some(_) => (Impact::Feature, "added"),
                None => (Impact::Breaking, "added, and callers must set it"),
            };
            self.add(impact, Part::Variable, format!("var.{name}"), what);
        }
        for (name, before) in before {
            if let Some(after) = after.get(name) {
                self.variable(&format!("var.{name}"), before, after);
            }
        }
    }

    fn variable(&mut self, name: &str, before: &VariableInterface, after: &VariableInterface) {
        let mut add = |impact, what: String| self.add(impact, Part::Variable, name, what);
        if before.constraint != after.constraint {
            let text = |of: &VariableInterface| of.constraint.written().unwrap_or_else(|| "any".to_owned());
            let (from, to) = (text(before), text(after));
            if before.constraint.ty == after.constraint.ty {
                add(Impact::Feature, format!("defaults of attributes changed: {from} → {to}"));
            } else if accepts_all(&after.constraint.ty, &before.constraint.ty) {
                add(Impact::Feature, format!("type widened: {from} → {to}"));
            } else {
                add(Impact::Breaking, format!("type narrowed: {from} → {to}"));
            }
        }
        match (&before.default, &after.default) {
            (Some(_), None) => add(Impact::Breaking, "default removed, and callers must set it".to_owned()),
            (None, Some(_)) => add(Impact::Feature, "default added".to_owned()),
            (Some(from), Some(to)) if from != to => {
                add(Impact::Feature, format!("default changed: {} → {}", short(from), short(to)));
            }
            _ => {}
        }
        // A call that sets `null` gets the default.
        let refused = if after.default.is_some() { Impact::Feature } else { Impact::Breaking };
        let flags = [
            flag("nullable", (before.nullable, after.nullable), [Impact::Feature, refused]),
            flag("ephemeral", (before.ephemeral, after.ephemeral), [Impact::Feature, Impact::Breaking]),
            flag("sensitive", (before.sensitive, after.sensitive), [Impact::Fix, Impact::Fix]),
        ];
        flags.into_iter().flatten().for_each(|(impact, what)| add(impact, what));
        if let Some((impact, what)) = validations(&before.validations, &after.validations) {
            add(impact, what.to_owned());
        }
        if before.deprecated.is_none() && after.deprecated.is_some() {
            add(Impact::Feature, "deprecated".to_owned());
        }
    }

    fn outputs(
        &mut self,
        before: &BTreeMap<SmolStr, OutputInterface>,
        after: &BTreeMap<SmolStr, OutputInterface>,
    ) {
        let (mut removed, mut new) = (only_in(before, after), only_in(after, before));
        for (old, name) in renamed(&mut removed, &mut new) {
            let (old, name) = (format!("output.{old}"), format!("renamed to output.{name}"));
            self.add(Impact::Breaking, Part::Output, old, name);
        }
        for name in removed.keys() {
            self.add(Impact::Breaking, Part::Output, format!("output.{name}"), "removed");
        }
        for name in new.keys() {
            self.add(Impact::Feature, Part::Output, format!("output.{name}"), "added");
        }
        for (name, before) in before {
            let Some(after) = after.get(name) else { continue };
            let name = format!("output.{name}");
            let mut add = |impact, what: String| self.add(impact, Part::Output, name.clone(), what);
            let impacts = [Impact::Breaking, Impact::Feature];
            let flags = [
                flag("sensitive", (before.sensitive, after.sensitive), impacts),
                flag("ephemeral", (before.ephemeral, after.ephemeral), impacts),
            ];
            flags.into_iter().flatten().for_each(|(impact, what)| add(impact, what));
            if before.value != after.value {
                add(Impact::Fix, "expression changed".to_owned());
            }
            if before.deprecated.is_none() && after.deprecated.is_some() {
                add(Impact::Feature, "deprecated".to_owned());
            }
        }
    }

    fn providers(
        &mut self,
        before: &BTreeMap<SmolStr, ProviderInterface>,
        after: &BTreeMap<SmolStr, ProviderInterface>,
    ) {
        for name in only_in(before, after).keys() {
            self.add(Impact::Fix, Part::Provider, (*name).clone(), "no longer required");
        }
        for (name, provider) in only_in(after, before) {
            self.add(
                Impact::Feature,
                Part::Provider,
                name.clone(),
                format!("required ({})", provider.source),
            );
        }
        for (name, before) in before {
            let Some(after) = after.get(name) else { continue };
            if before.source != after.source {
                let what = format!("source changed: {} → {}", before.source, after.source);
                self.add(Impact::Breaking, Part::Provider, name.clone(), what);
            }
            if let Some((change, what)) = version(before.version.as_ref(), after.version.as_ref()) {
                let impact = match change {
                    VersionChange::OtherMajor => Impact::Breaking,
                    // `init` installs another version of the provider.
                    VersionChange::ExcludesVersions | VersionChange::Added | VersionChange::Widened => {
                        Impact::Feature
                    }
                };
                self.add(impact, Part::Provider, name.clone(), format!("version {what}"));
            }
        }
    }

    fn aliases(&mut self, before: &Interface, after: &Interface) {
        let (before, after) = (&before.configuration_aliases, &after.configuration_aliases);
        for alias in before.difference(after) {
            let what = "no longer in configuration_aliases, and callers must not pass it";
            self.add(Impact::Breaking, Part::ConfigurationAlias, alias.clone(), what);
        }
        for alias in after.difference(before) {
            let what = "added to configuration_aliases, and callers must pass it";
            self.add(Impact::Breaking, Part::ConfigurationAlias, alias.clone(), what);
        }
    }

    fn required_version(&mut self, before: &[RequiredVersion], after: &[RequiredVersion]) {
        // Comparing several constraints is hard and rarely necessary.
        if let ([] | [_], [] | [_]) = (before, after)
            && let Some((change, what)) = version(before.first(), after.first())
        {
            let impact = match change {
                // Callers must install another engine themselves.
                VersionChange::OtherMajor | VersionChange::ExcludesVersions => Impact::Breaking,
                VersionChange::Added | VersionChange::Widened => Impact::Feature,
            };
            self.add(impact, Part::RequiredVersion, "required_version", what);
        }
    }
}

/// How a version constraint changes.
enum VersionChange {
    /// It is new.
    Added,
    /// All versions that were allowed are still allowed.
    Widened,
    /// Some versions are no longer allowed.
    ExcludesVersions,
    /// Some versions are no longer allowed, and the lowest allowed major version rises, or all allowed versions are
    /// older than those allowed before.
    OtherMajor,
}

/// The change of a version constraint, with its description. Returns `None` if the same versions are allowed.
fn version(
    before: Option<&RequiredVersion>,
    after: Option<&RequiredVersion>,
) -> Option<(VersionChange, String)> {
    let text = |of: Option<&RequiredVersion>| of.map_or("any", |version| version.text.as_str()).to_owned();
    let (change, word) =
        match (before.and_then(|of| of.constraints.as_ref()), after.and_then(|of| of.constraints.as_ref())) {
            (None, None) => return None,
            (Some(before), Some(after)) if before == after => return None,
            (None, Some(_)) => (VersionChange::Added, "added"),
            (Some(_), None) => (VersionChange::Widened, "widened"),
            (Some(before), Some(after)) if before.is_within(after) => (VersionChange::Widened, "widened"),
            (Some(before), Some(after)) => {
                let major =
                    |of: &Constraints| Some(*of.range().lower?.version.segments().first().unwrap_or(&0));
                let is_older = after.range().upper.zip(before.range().lower).is_some_and(|(upper, lower)| {
                    upper.version < lower.version || upper.version == lower.version && !upper.inclusive
                });
                let change = if major(before) < major(after) || is_older {
                    VersionChange::OtherMajor
                } else {
                    VersionChange::ExcludesVersions
                };
                (change, if after.is_within(before) { "narrowed" } else { "constraint changed" })
            }
        };
    Some((change, format!("{word}: {} → {}", text(before), text(after))))
}

/// A value as text, cut off if it is long.
fn short(text: &str) -> String {
    const MOST: usize = 40;
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    text.chars().take(MOST).chain(['…']).collect()
}

impl fmt::Display for InterfaceChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.subject, self.what)
    }
}

/// The change of the validations of a variable. More accepted values do not break callers.
fn validations(
    before: &BTreeSet<Validation>,
    after: &BTreeSet<Validation>,
) -> Option<(Impact, &'static str)> {
    let gone: Vec<&Validation> = before.difference(after).collect();
    let new: Vec<&Validation> = after.difference(before).collect();
    let is_longer = |new: &&Validation| {
        let accepts_all = |old: &&Validation| match (old, new) {
            (Validation::OneOf(old), Validation::OneOf(new)) => old.is_subset(new),
            _ => false,
        };
        gone.iter().any(accepts_all)
    };
    match (gone.is_empty(), new.is_empty()) {
        (true, true) => None,
        (false, true) => Some((Impact::Feature, "validation removed")),
        (true, false) => Some((Impact::Breaking, "validation added")),
        (false, false) if new.iter().all(is_longer) => {
            Some((Impact::Feature, "validation accepts more values"))
        }
        (false, false) => Some((Impact::Breaking, "validation changed")),
    }
}

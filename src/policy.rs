//! Policies: the levels and options of rules, exceptions, and patterns of paths.
//!
//! This layer knows rules by name only. Their options are checked when they are configured.

mod argument;
mod by_path;
mod common;
mod date;
mod definition;
mod exception;
mod fail_on;
mod fault;
mod file;
mod globs;
mod level;
mod load;
mod names;
mod options;
mod preset;
mod reader;

use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::{Arc, LazyLock};

use smol_str::SmolStr;

pub use common::Common;
pub use date::Date;
pub use definition::{Definition, Shown, is_rule_name};
pub use exception::{EXCEPTION_COMMENT, Exception, Until, is_exception};
pub use fail_on::FailOn;
pub use fault::INVALID_POLICY;
pub use file::makes_rules;
pub use globs::{Globs, InvalidPattern, Patterns};
pub use level::Level;
pub use names::Names;
pub use options::Options;
pub use preset::{PRESETS, Preset};

use crate::engine::Choice;
use crate::finding::{EngineRule, RuleId, Severity};
use crate::graph::Role;
use crate::limits::{Limit, Limits};
use crate::syntax::Attribute;
use crate::text::Span;
use by_path::{AtPaths, ByPath};

/// A loaded policy.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// The settings of each rule, the ones that take precedence last.
    settings: BTreeMap<SmolStr, ByPath<Setting>>,
    engine: Option<Choice>,
    exclude: Option<Globs>,
    fail_on: Option<FailOn>,
    roles: ByPath<(Role, Globs)>,
    exceptions: Vec<Exception>,
    /// Whether comments may suppress findings, if set.
    comments: Option<bool>,
    /// The limits that it sets.
    limits: BTreeMap<Limit, u64>,
}

/// The settings in one `rule` block.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The level of the rule. `None` for an engine rule whose findings keep their severity.
    pub level: Option<Level>,
    /// The line that set the level.
    pub set_by: Line,
    /// The definition, for a custom rule.
    pub definition: Option<Arc<Definition>>,
    /// The arguments that every rule has.
    pub common: Common,
    paths: Option<Arc<Globs>>,
    options: Vec<Arc<Attribute>>,
    /// The header of the block that sets the options.
    header: Span,
}

/// A line of a policy.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    /// The file name of a preset, or the path of a policy file relative to the top of the repository.
    pub file: SmolStr,
    /// The line, from 1.
    pub line: usize,
    /// The kind of policy.
    pub origin: Origin,
}

/// The origin of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A preset.
    Preset,
    /// A file.
    File,
}

/// Whether a rule can be turned off. A file that was not read may hide any finding, so that cannot be.
pub fn can_be_off(rule: &RuleId) -> bool {
    ![EngineRule::SyntaxError, EngineRule::UnreadableFile].iter().any(|fixed| fixed.id() == *rule)
}

/// The strictest preset. A policy may need it for each of its rules.
static STRICT: LazyLock<Policy> = LazyLock::new(|| preset_of_program("strict"));

fn preset_of_program(name: &str) -> Policy {
    Policy::preset(name).expect("a preset of that name comes with the program")
}

impl Policy {
    /// The policy without a policy file.
    pub fn recommended() -> Self {
        static RECOMMENDED: LazyLock<Policy> = LazyLock::new(|| preset_of_program("recommended"));
        RECOMMENDED.clone()
    }

    /// The setting of a rule at a path, with its index among those of the rule.
    pub fn setting(&self, rule: &str, path: &str) -> Option<(usize, &Setting)> {
        self.settings.get(rule)?.at(path)
    }

    /// The setting of a rule at paths that no `paths` block matches.
    pub fn everywhere(&self, rule: &str) -> Option<&Setting> {
        self.settings.get(rule)?.everywhere()
    }

    /// The settings of a rule that apply at some path. One that applies everywhere hides the earlier ones.
    pub fn effective(&self, rule: &str) -> &[Setting] {
        self.settings.get(rule).map_or(&[], ByPath::effective)
    }

    /// All settings of a rule, by index.
    pub fn settings(&self, rule: &str) -> &[Setting] {
        self.settings.get(rule).map_or(&[], ByPath::entries)
    }

    /// The names of the rules with settings.
    pub fn rules(&self) -> impl Iterator<Item = &str> {
        self.settings.keys().map(SmolStr::as_str)
    }

    /// The engines, if set.
    pub fn engine(&self) -> Option<&Choice> {
        self.engine.as_ref()
    }

    /// Whether a path is excluded.
    pub fn excludes(&self, path: &str) -> bool {
        self.exclude.as_ref().is_some_and(|exclude| exclude.has(path))
    }

    /// The same policy without excluded paths.
    #[must_use]
    pub fn without_excludes(&self) -> Self {
        Self { exclude: None, ..self.clone() }
    }

    /// The limits of a run.
    pub fn limits(&self) -> Limits {
        self.limits.iter().fold(Limits::default(), |limits, (limit, value)| limits.with(*limit, *value))
    }

    /// Replaces the limits.
    pub fn limit(&mut self, limits: impl IntoIterator<Item = (Limit, u64)>) {
        self.limits.extend(limits);
    }

    /// The level from which a run fails.
    pub fn fail_on(&self) -> FailOn {
        self.fail_on.unwrap_or(FailOn::Level(Severity::Error))
    }

    /// The role of the module in a directory, if set.
    pub fn role(&self, directory: &str) -> Option<Role> {
        self.roles.at(directory).map(|(_, (role, _))| *role)
    }

    /// Whether it has more patterns of paths than can be compared with all paths of a repository.
    fn has_too_many_patterns(&self) -> bool {
        self.roles.is_too_large() || self.settings.values().any(ByPath::is_too_large)
    }

    /// The exceptions, in order.
    pub fn exceptions(&self) -> &[Exception] {
        &self.exceptions
    }

    /// Whether comments may suppress findings, if set.
    pub fn allows_comments(&self) -> Option<bool> {
        self.comments
    }

    /// The definition of a custom rule, from the setting that applies everywhere.
    pub fn definition(&self, rule: &str) -> Option<&Arc<Definition>> {
        let everywhere = self.everywhere(rule).and_then(|setting| setting.definition.as_ref());
        everywhere.or_else(|| self.settings(rule).last()?.definition.as_ref())
    }

    /// All definitions of custom rules: those that apply everywhere, and those for some paths.
    pub fn definitions(&self, rule: &str) -> Vec<&Arc<Definition>> {
        let mut definitions: Vec<&Arc<Definition>> = Vec::new();
        for definition in self.effective(rule).iter().filter_map(|setting| setting.definition.as_ref()) {
            if !definitions.iter().any(|known| Arc::ptr_eq(known, definition)) {
                definitions.push(definition);
            }
        }
        definitions
    }

    /// The names of custom rules.
    pub fn custom_rules(&self) -> impl Iterator<Item = (&SmolStr, &Arc<Definition>)> {
        self.settings.keys().filter_map(|rule| Some((rule, self.definition(rule)?)))
    }

    /// The same policy without custom rules and their exceptions.
    #[must_use]
    pub fn without_custom_rules(&self) -> Self {
        let is_custom = |rule: &str| self.definition(rule).is_some();
        let settings = self.settings.iter().filter(|(rule, _)| !is_custom(rule));
        let exceptions = self.exceptions.iter().filter(|exception| !is_custom(&exception.rule));
        Self {
            settings: settings.map(|(rule, settings)| (rule.clone(), settings.clone())).collect(),
            exceptions: exceptions.cloned().collect(),
            ..self.clone()
        }
    }

    /// Returns this policy with a rule of another one, and its exceptions, unless it has the rule already.
    #[must_use]
    pub fn with_rule(&self, rule: &str, of: &Self) -> Self {
        let mut policy = self.clone();
        if !policy.settings.contains_key(rule) {
            let exceptions = of.exceptions.iter().filter(|exception| exception.rule == rule);
            policy.exceptions.extend(exceptions.cloned());
            policy
                .settings
                .extend(of.settings.get_key_value(rule).map(|(rule, set)| (rule.clone(), set.clone())));
        }
        policy
    }

    /// Turns on a rule that a person selects. A rule that is off gets the setting of the strictest preset, and a custom
    /// rule the level `error`. It stays off in the `paths` that turn it off.
    pub fn turn_on(&mut self, rule: &str) {
        if self.effective(rule).iter().any(Setting::is_on) {
            return;
        }
        let own = self.settings(rule).last().filter(|setting| setting.definition.is_some());
        let setting = match own {
            Some(own) => Some(Setting { level: Some(Level::USUAL), paths: None, ..own.clone() }),
            None => STRICT.settings(rule).last().cloned(),
        };
        let of_rule = self.settings.entry(rule.into()).or_default();
        let mut all: Vec<Setting> = std::mem::take(of_rule).into_iter().collect();
        let after = all.iter().rposition(|setting| setting.paths.is_none()).map_or(0, |last| last + 1);
        all.splice(after..after, setting);
        of_rule.extend(all);
    }
}

impl AtPaths for Setting {
    fn paths(&self) -> Option<&Globs> {
        self.paths.as_deref()
    }
}

impl AtPaths for (Role, Globs) {
    fn paths(&self) -> Option<&Globs> {
        Some(&self.1)
    }
}

impl Setting {
    /// The options of the rule.
    pub fn options(&self) -> Options<'_> {
        Options::of_block(&self.options, self.header)
    }

    /// A key that is equal for settings with the same options.
    pub fn identity(&self) -> impl Eq + Hash + use<> {
        let template = self.definition.as_ref().map(|definition| definition.template.clone());
        (template, self.options.iter().map(Arc::as_ptr).collect::<Vec<_>>())
    }

    /// Whether it applies only at some paths.
    pub fn is_limited(&self) -> bool {
        self.paths.is_some()
    }

    /// Whether the rule is on.
    pub fn is_on(&self) -> bool {
        self.level != Some(Level::Off)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{FileId, Source};

    #[test]
    fn presets_have_no_mistake_and_go_from_less_to_more() {
        let mut seen = 0;
        for preset in PRESETS {
            let source = Source::new(preset.file, preset.text.into());
            let mut findings = Vec::new();
            let file = file::read(FileId::new(0), &source, &mut findings);
            assert_eq!(findings, [], "{}", preset.file);
            for block in file.rules {
                assert_eq!(
                    preset.name == "language",
                    block.level.is_none(),
                    "{} sets a level for {}",
                    preset.file,
                    block.rule
                );
            }
            let policy = Policy::preset(preset.name).expect("a preset");
            assert!(policy.settings.len() >= seen, "{} has what it extends", preset.file);
            seen = policy.settings.len();
        }
    }

    #[test]
    fn a_setting_has_its_origin() {
        let policy = Policy::preset("language").expect("a preset");
        let (number, setting) = policy.setting("syntax-error", "main.tf").expect("a setting");
        assert_eq!((number, setting.level, setting.set_by.file.as_str()), (0, None, "language.hcl"));
        assert!(setting.set_by.line > 1);
        assert!(policy.setting("no-such-rule", "main.tf").is_none());
    }

    #[test]
    fn a_rule_that_is_selected_by_name_is_on() {
        let mut policy = Policy::preset("language").expect("a preset");
        policy.turn_on("override-drops-provider-source");
        let (_, setting) = policy.setting("override-drops-provider-source", "main.tf").expect("a setting");
        assert_eq!(setting.level, Some(Level::On(Severity::Error)));
    }
}

//! Turns policy files into settings, and patterns of paths into answers.
//!
//! Rules are known by name only here: what options a rule has shows when it is made.

mod argument;
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
use std::sync::Arc;

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

/// What a run is to make of every rule.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// By rule: the later and nearer settings behind those that they replace.
    settings: BTreeMap<SmolStr, Vec<Setting>>,
    engine: Option<Choice>,
    exclude: Option<Globs>,
    fail_on: Option<FailOn>,
    /// The later wins.
    roles: Vec<(Role, Globs)>,
    exceptions: Vec<Exception>,
    /// Whether comments may excuse something, where it says so.
    comments: Option<bool>,
    /// The limits that it sets.
    limits: BTreeMap<Limit, u64>,
}

/// What one `rule` block says.
#[derive(Debug, Clone)]
pub struct Setting {
    /// What becomes of its findings; of a rule of the language none, where they are as bad as the engine says.
    pub level: Option<Level>,
    /// Who says so.
    pub set_by: Line,
    /// Of a rule that a policy makes itself: what it is.
    pub definition: Option<Arc<Definition>>,
    /// What it sets of the arguments that every rule takes.
    pub common: Common,
    paths: Option<Arc<Globs>>,
    options: Vec<Arc<Attribute>>,
    /// How one points at the block that sets the options.
    header: Span,
}

/// A line of a policy.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    /// The file: of a preset its name, of any other the path from the top of the run.
    pub file: SmolStr,
    /// Counted from 1.
    pub line: usize,
    /// What kind of policy it is in.
    pub origin: Origin,
}

/// Where a policy comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The program brings it.
    Preset,
    /// Somebody wrote it.
    File,
}

/// Whether a rule can be left out: a file that was not read hides all that it holds, so nobody may hide that.
pub fn can_be_off(rule: &RuleId) -> bool {
    ![EngineRule::SyntaxError, EngineRule::UnreadableFile].iter().any(|fixed| fixed.id() == *rule)
}

impl Policy {
    /// The policy that applies where nobody wrote one.
    pub fn recommended() -> Self {
        Self::preset("recommended").expect("a preset of that name comes with the program")
    }

    /// What counts for a rule at a path from the top of the run, with a number that tells it from others of the rule.
    pub fn setting(&self, rule: &str, path: &str) -> Option<(usize, &Setting)> {
        let holds = |setting: &Setting| setting.paths.as_ref().is_none_or(|paths| paths.has(path));
        let mut nearest_first = self.settings(rule).iter().enumerate().rev();
        nearest_first.find(|(_, setting)| holds(setting))
    }

    /// What counts for a rule where no pattern of paths says otherwise.
    pub fn everywhere(&self, rule: &str) -> Option<&Setting> {
        self.settings(rule).iter().rfind(|setting| setting.paths.is_none())
    }

    /// What is said about a rule and counts somewhere: what counts everywhere hides all that stands before it.
    fn effective(&self, rule: &str) -> &[Setting] {
        let settings = self.settings(rule);
        let from = settings.iter().rposition(|setting| setting.paths.is_none());
        &settings[from.unwrap_or_default()..]
    }

    /// Everything that is said about a rule, in the order of the numbers.
    pub fn settings(&self, rule: &str) -> &[Setting] {
        self.settings.get(rule).map_or(&[], Vec::as_slice)
    }

    /// The rules that something is said about, by name.
    pub fn rules(&self) -> impl Iterator<Item = &str> {
        self.settings.keys().map(SmolStr::as_str)
    }

    /// What the modules are for, where it says so.
    pub fn engine(&self) -> Option<&Choice> {
        self.engine.as_ref()
    }

    /// Whether nothing is to be told about a path.
    pub fn excludes(&self, path: &str) -> bool {
        self.exclude.as_ref().is_some_and(|exclude| exclude.has(path))
    }

    /// The same policy, with something to be told about every path.
    #[must_use]
    pub fn without_excludes(&self) -> Self {
        Self { exclude: None, ..self.clone() }
    }

    /// What bounds a run.
    pub fn limits(&self) -> Limits {
        self.limits.iter().fold(Limits::default(), |limits, (limit, value)| limits.with(*limit, *value))
    }

    /// Sets limits, whatever it says of them.
    pub fn limit(&mut self, limits: impl IntoIterator<Item = (Limit, u64)>) {
        self.limits.extend(limits);
    }

    /// From which level on a run fails.
    pub fn fail_on(&self) -> FailOn {
        self.fail_on.unwrap_or(FailOn::Level(Severity::Error))
    }

    /// The role of the module in a directory, where it says so.
    pub fn role(&self, directory: &str) -> Option<Role> {
        self.roles.iter().rfind(|(_, paths)| paths.has(directory)).map(|(role, _)| *role)
    }

    /// What it excuses, in order.
    pub fn exceptions(&self) -> &[Exception] {
        &self.exceptions
    }

    /// Whether comments beside what they are about may excuse it, where it says so.
    pub fn allows_comments(&self) -> Option<bool> {
        self.comments
    }

    /// Of a rule that a policy makes itself: what it is, by what counts everywhere.
    pub fn definition(&self, rule: &str) -> Option<&Arc<Definition>> {
        let everywhere = self.everywhere(rule).and_then(|setting| setting.definition.as_ref());
        everywhere.or_else(|| self.settings(rule).last()?.definition.as_ref())
    }

    /// Everything that a rule is which policies made themselves: what counts everywhere, and what does in parts.
    pub fn definitions(&self, rule: &str) -> Vec<&Arc<Definition>> {
        let mut definitions: Vec<&Arc<Definition>> = Vec::new();
        for definition in self.effective(rule).iter().filter_map(|setting| setting.definition.as_ref()) {
            if !definitions.iter().any(|known| Arc::ptr_eq(known, definition)) {
                definitions.push(definition);
            }
        }
        definitions
    }

    /// The rules that policies made themselves, by name.
    pub fn own_rules(&self) -> impl Iterator<Item = (&SmolStr, &Arc<Definition>)> {
        self.settings.keys().filter_map(|rule| Some((rule, self.definition(rule)?)))
    }

    /// Has a rule on that a person asks for by name: where this policy has it off, as the strictest preset has it, and
    /// one that a policy made itself as an error.
    pub fn turn_on(&mut self, rule: &str) {
        if self.effective(rule).iter().any(Setting::is_on) {
            return;
        }
        let strict = Self::preset("strict").expect("a preset of that name comes with the program");
        let own = self.settings(rule).last().filter(|setting| setting.definition.is_some());
        let setting = match own {
            Some(own) => Some(Setting { level: Some(Level::USUAL), paths: None, ..own.clone() }),
            None => strict.settings(rule).last().cloned(),
        };
        self.settings.entry(rule.into()).or_default().extend(setting);
    }
}

impl Setting {
    /// What it sets for the rule.
    pub fn options(&self) -> Options<'_> {
        Options::of_block(&self.options, self.header)
    }

    /// Whether anybody asks for the rule.
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
                    "{} says how bad {} is",
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
    fn a_setting_says_who_asks() {
        let policy = Policy::preset("language").expect("a preset");
        let (number, setting) = policy.setting("syntax-error", "main.tf").expect("a setting");
        assert_eq!((number, setting.level, setting.set_by.file.as_str()), (0, None, "language.hcl"));
        assert!(setting.set_by.line > 1);
        assert!(policy.setting("no-such-rule", "main.tf").is_none());
    }

    #[test]
    fn a_rule_that_is_asked_for_by_name_is_on() {
        let mut policy = Policy::preset("language").expect("a preset");
        policy.turn_on("override-drops-provider-source");
        let (_, setting) = policy.setting("override-drops-provider-source", "main.tf").expect("a setting");
        assert_eq!(setting.level, Some(Level::On(Severity::Error)));
    }
}

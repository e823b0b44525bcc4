//! Turns policy files into settings, and patterns of paths into answers.
//!
//! Rules are known by name only here: what options a rule has shows when it is made.

mod fault;
mod file;
mod globs;
mod level;
mod options;
mod preset;

use std::collections::BTreeMap;
use std::sync::Arc;

use smol_str::SmolStr;

pub use fault::INVALID_POLICY;
pub use globs::Globs;
pub use level::Level;
pub use options::Options;
pub use preset::{PRESETS, Preset};

use crate::syntax::Attribute;
use crate::text::{FileId, Source};

/// What a run is to make of every rule.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// By rule: the later and nearer settings behind those that they replace.
    settings: BTreeMap<SmolStr, Vec<Setting>>,
}

/// What one `rule` block says.
#[derive(Debug, Clone)]
pub struct Setting {
    /// What becomes of its findings; of a rule of the language none, where they are as bad as the engine says.
    pub level: Option<Level>,
    /// Who says so.
    pub asked_by: Line,
    options: Vec<Arc<Attribute>>,
}

/// A line of a policy.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    /// The file, as people know it.
    pub file: SmolStr,
    /// Counted from 1.
    pub line: usize,
}

impl Policy {
    /// The policy that comes with the program under that name.
    pub fn preset(name: &str) -> Option<Self> {
        let preset = PRESETS.iter().find(|preset| preset.name == name)?;
        let source = Source::new(preset.file, preset.text.into());
        let file = file::read(FileId::new(0), &source, &mut Vec::new());
        let mut policy = Self::default();
        for (name, _) in &file.extends {
            policy.extend(Self::preset(name)?);
        }
        policy.add(file, &source);
        Some(policy)
    }

    /// The policy that applies where nobody wrote one.
    pub fn recommended() -> Self {
        Self::preset("recommended").expect("a preset of that name comes with the program")
    }

    /// What counts for a rule at a path from the top of the run, with a number that tells it from others of the rule.
    pub fn setting(&self, rule: &str, _path: &str) -> Option<(usize, &Setting)> {
        self.settings.get(rule)?.iter().enumerate().next_back()
    }

    /// Everything that is said about a rule, in the order of the numbers.
    pub fn settings(&self, rule: &str) -> &[Setting] {
        self.settings.get(rule).map_or(&[], Vec::as_slice)
    }

    /// Has a rule on that a person asks for by name: where this policy has it off, as the strictest preset has it.
    pub fn turn_on(&mut self, rule: &str) {
        let is_off = |setting: &Setting| setting.level == Some(Level::Off);
        if self.settings(rule).last().is_none_or(is_off) {
            let strict = Self::preset("strict").expect("a preset of that name comes with the program");
            let settings = strict.settings.get(rule).and_then(|settings| settings.last()).cloned();
            self.settings.entry(rule.into()).or_default().extend(settings);
        }
    }

    fn extend(&mut self, nearer: Self) {
        for (rule, settings) in nearer.settings {
            self.settings.entry(rule).or_default().extend(settings);
        }
    }

    fn add(&mut self, file: file::File, source: &Source) {
        for block in file.rules {
            self.settings.entry(block.rule).or_default().push(Setting {
                level: block.level,
                asked_by: Line { file: source.name().into(), line: block.line },
                options: block.options,
            });
        }
    }
}

impl Setting {
    /// What it sets for the rule.
    pub fn options(&self) -> Options<'_> {
        Options::new(&self.options)
    }

    /// Whether anybody asks for the rule.
    pub fn is_on(&self) -> bool {
        self.level != Some(Level::Off)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Language, Severity};

    #[test]
    fn presets_have_no_mistake_and_go_from_less_to_more() {
        let mut seen = 0;
        for preset in PRESETS {
            let source = Source::new(preset.file, preset.text.into());
            let mut findings = Vec::new();
            let file = file::read(FileId::new(0), &source, &mut findings);
            assert_eq!(findings, [], "{}", preset.file);
            for block in file.rules {
                let of_language = Language::ALL.iter().any(|rule| block.rule == rule.name());
                assert_eq!(
                    of_language,
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
        assert_eq!((number, setting.level, setting.asked_by.file.as_str()), (0, None, "language.hcl"));
        assert!(setting.asked_by.line > 1);
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

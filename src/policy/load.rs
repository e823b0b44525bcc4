//! Loads a policy file with the policies that it extends.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use hashbrown::HashMap;
use smol_str::SmolStr;

use super::Definition;
use super::by_path::MOST_IN_DIRECTORY;
use super::common::{COMMON, cannot_be_limited};
use super::fault::{UNKNOWN_RULE, fault, unknown};
use super::file::{self, File, RuleBlock};
use super::names::CustomRules;
use super::{Level, Line, Names, Origin, PRESETS, Policy, STRICT, Setting, can_be_off};
use crate::finding::{Finding, RuleId};
use crate::text::{FileId, Source, Span, Suggestions, nearest};
use crate::vfs::{NotRead, Snapshot};

/// The largest number of files that extend each other in a chain.
const MOST_FILES: usize = 64;

/// The largest number of custom rules. The patterns of each take time to compile.
const MOST_RULES: usize = 1_000;

impl Policy {
    /// Creates the policy of a file, with its mistakes. The options of rules are not checked. `None` if a syntax error
    /// may hide some of them, or if there are too many rules.
    pub fn load(file: FileId, snapshot: &mut Snapshot, names: Names<'_>) -> (Option<Self>, Vec<Finding>) {
        let (findings, suggestions) = (Vec::new(), Suggestions::default());
        let mut loader =
            Loader { snapshot, names, findings, named: 0, is_complete: true, lacks_file: false, suggestions };
        let policy = loader.file(file, &mut Vec::new());
        if policy.has_too_many_patterns() {
            let detail = format!(
                "At most {MOST_IN_DIRECTORY} patterns for the same rule, or for roles, can start in one directory."
            );
            loader.findings.push(fault("Too many patterns", Span::new(file, 0..0)).detail(detail));
        }
        if policy.custom_rules().nth(MOST_RULES).is_some() {
            let detail = format!("A policy can define at most {MOST_RULES} rules.");
            loader.findings.push(fault("Too many rules", Span::new(file, 0..0)).detail(detail));
            loader.is_complete = false;
        }
        (loader.is_complete.then_some(policy), loader.findings)
    }

    /// Returns the preset with this name.
    pub fn preset(name: &str) -> Option<Self> {
        let preset = PRESETS.iter().find(|preset| preset.name == name)?;
        let source = Source::new(preset.file, preset.text.into());
        let file = file::read(FileId::new(0), &source, &mut Vec::new());
        let mut policy = Self::default();
        for (name, _) in file.extends.iter().flatten() {
            policy.extend(Self::preset(name)?);
        }
        policy.add(file, &source, Origin::Preset);
        Some(policy)
    }

    /// Adds the settings of a policy that extends this one.
    fn extend(&mut self, nearer: Self) {
        let Self { settings, engine, exclude, fail_on, roles, exceptions, comments, limits } = nearer;
        for (rule, settings) in settings {
            self.settings.entry(rule).or_default().extend(settings);
        }
        self.engine = engine.or(self.engine.take());
        self.exclude = exclude.or(self.exclude.take());
        self.fail_on = fail_on.or(self.fail_on);
        self.roles.extend(roles);
        self.exceptions.extend(exceptions);
        self.comments = comments.or(self.comments);
        self.limits.extend(limits);
    }

    fn add(&mut self, file: File, source: &Source, origin: Origin) {
        self.extend(file.own);
        for RuleBlock { rule, header, line, definition, paths, level, common, options, .. } in file.rules {
            let set_by = Line { file: source.name().into(), line, origin };
            let before = self.everywhere(&rule).or_else(|| self.settings(&rule).last());
            let defined = before.filter(|before| before.definition.is_some());
            let setting = match (definition, defined) {
                (Some(definition), _) => {
                    let level = level.or(Some(Level::USUAL));
                    Setting { level, set_by, definition: Some(definition), common, paths, options, header }
                }
                // A custom rule keeps its definition at another level.
                (None, Some(before)) => {
                    let level = level.or(before.level.filter(|_| before.is_on())).or(Some(Level::USUAL));
                    let common = common.over(&before.common);
                    Setting { level, set_by, common, paths, ..before.clone() }
                }
                (None, None) => {
                    let level = level.or_else(|| match self.everywhere(&rule) {
                        Some(setting) if setting.is_on() => setting.level,
                        Some(_) | None => usual_level(&rule, origin),
                    });
                    Setting { level, set_by, definition: None, common, paths, options, header }
                }
            };
            self.settings.entry(rule).or_default().push(setting);
        }
    }
}

/// The level of a rule in a policy without one: the severity of an engine rule, and for others the level of the
/// strictest preset. Presets name all levels.
fn usual_level(rule: &str, origin: Origin) -> Option<Level> {
    match origin {
        Origin::Preset => None,
        Origin::File => STRICT.settings(rule).last().and_then(|setting| setting.level),
    }
}

struct Loader<'l> {
    snapshot: &'l mut Snapshot,
    names: Names<'l>,
    findings: Vec<Finding>,
    /// The number of files that `extends` named so far.
    named: usize,
    /// Whether none of them has a syntax error.
    is_complete: bool,
    /// Whether one of them was not read. It may define rules.
    lacks_file: bool,
    suggestions: Suggestions,
}

impl Loader<'_> {
    /// Reads a file. `chain` names the files that extend it.
    fn file(&mut self, id: FileId, chain: &mut Vec<SmolStr>) -> Policy {
        let source = self.snapshot.sources().get(id);
        let name = SmolStr::new(source.name());
        let file = file::read(id, source, &mut self.findings);
        self.is_complete &= !file.has_syntax_error;
        let mut policy = Policy::default();
        match &file.extends {
            None => policy = Policy::recommended(),
            Some(extends) => {
                chain.push(name);
                for (from, span) in extends {
                    if let Some(base) = self.base(id, from, *span, chain) {
                        policy.extend(base);
                    }
                }
                chain.pop();
            }
        }
        self.look_at(&file, &policy);
        policy.add(file, self.snapshot.sources().get(id), Origin::File);
        policy
    }

    /// Reads an extended policy: a preset, or a file whose path is relative to the directory of the extending one.
    fn base(&mut self, id: FileId, from: &str, span: Span, chain: &mut Vec<SmolStr>) -> Option<Policy> {
        if !from.contains('/') && from.strip_suffix(".hcl").is_none() {
            let preset = Policy::preset(from);
            if preset.is_none() {
                let known = PRESETS.iter().map(|preset| preset.name);
                self.findings.push(unknown("preset", from, known, span));
            }
            return preset;
        }
        self.named += 1;
        if self.named >= MOST_FILES {
            if self.named == MOST_FILES {
                let finding = fault("Too many policy files", span);
                self.findings.push(finding.detail(format!("No more than {MOST_FILES} are read.")));
            }
            return None;
        }
        match self.snapshot.read_beside(id, from) {
            Ok(base) => {
                let name = self.snapshot.sources().get(base).name();
                if chain.iter().any(|other| other == name) {
                    let finding = fault("Policy that extends itself", span);
                    self.findings.push(finding.detail(format!("`{from}` leads back to this file.")));
                    return None;
                }
                Some(self.file(base, chain))
            }
            Err(why) => {
                self.findings.push(not_read(from, &why, span));
                self.lacks_file = true;
                None
            }
        }
    }

    /// Reports unknown names in a file and in those that it extends.
    fn look_at(&mut self, file: &File, base: &Policy) {
        let mut custom: CustomRules<'_> =
            base.custom_rules().map(|(rule, definition)| (rule, &**definition)).collect();
        // All rules in a `paths` block share its patterns.
        let mut defined: HashMap<_, &RuleBlock> = HashMap::new();
        for block in &file.rules {
            self.findings.extend(self.names.wrong_definition(block, &custom));
            if let Some((at, _)) = block.common.paths_span.zip(block.paths.as_ref()) {
                self.findings.push(paths_twice(at));
            }
            if let Some(definition) = &block.definition {
                let paths = block.paths.as_ref().map(Arc::as_ptr);
                let first = *defined.entry((&block.rule, paths)).or_insert(block);
                if !std::ptr::eq(first, block) {
                    self.findings.push(twice(block, first));
                }
                custom.entry(&block.rule).or_insert(definition);
            }
        }
        for block in file.rules.iter().filter(|block| block.definition.is_none()) {
            self.know(&block.rule, &custom, block.name_span);
            if let Some((option, definition)) = block.options.first().zip(custom.get(&block.rule)) {
                self.findings.push(not_here(&option.name, &block.rule, definition, option.name_span));
            }
            let rule = RuleId::named(block.rule.as_str());
            if let Some(at) =
                block.common.roles_span.or(block.common.paths_span).filter(|_| !can_be_off(&rule))
            {
                self.findings.push(cannot_be_limited(&rule, at));
            }
            if block.level == Some(Level::Off) && !can_be_off(&rule) {
                let at = block.level_span.unwrap_or(block.name_span);
                self.findings.push(cannot_be_off(&block.rule, at));
            }
        }
        for exception in &file.own.exceptions {
            self.know(&exception.rule, &custom, exception.rule_span);
            if !can_be_off(&RuleId::named(exception.rule.as_str())) {
                self.findings.push(cannot_be_off(&exception.rule, exception.rule_span));
            }
        }
    }

    fn know(&mut self, rule: &SmolStr, custom: &CustomRules<'_>, at: Span) {
        let wrong = self.names.wrong_rule(rule, custom, at, &self.suggestions);
        self.findings.extend(wrong.filter(|wrong| !self.lacks_file || wrong.summary != UNKNOWN_RULE));
    }
}

/// The error for `paths` of a rule in a `paths` block.
fn paths_twice(at: Span) -> Finding {
    fault("Invalid `paths`", at)
        .detail("The label of the `paths` block already says where this rule block applies.")
        .help("remove `paths`, or move the rule out of the block")
}

/// The error for a policy file that cannot be extended.
fn not_read(from: &str, NotRead { why, is_outside }: &NotRead, at: Span) -> Finding {
    if from.contains("://") {
        return fault("Invalid policy file", at)
            .detail(format!("`{from}` is a URL. A policy extends presets and files of its repository only."))
            .help("copy the file into the repository");
    }
    if from.starts_with('/') {
        return fault("Invalid policy file", at)
            .detail(format!(
                "`{from}` is an absolute path. Paths are relative to the directory of this policy."
            ))
            .help("copy the file into the repository, and write its path as in `./base.hcl`");
    }
    let finding = fault("Missing policy file", at).detail(format!("`{from}`: {why}."));
    finding.help_if(is_outside.then(|| "copy the file into the repository".to_owned()))
}

fn twice(block: &RuleBlock, first: &RuleBlock) -> Finding {
    fault("Duplicate rule name", block.header)
        .detail(format!("A policy can define `{}` only once for the same paths.", block.rule))
        .related(first.header, "defined here first")
        .help("give one of them another name")
}

/// The error for an option of a rule that is defined elsewhere.
fn not_here(option: &str, rule: &str, definition: &Definition, at: Span) -> Finding {
    fault("Option of a rule that is defined elsewhere", at)
        .detail(format!(
            "A block with one label sets only the level, roles, paths, message and help of `{rule}`."
        ))
        .related(definition.span, "defined here")
        .help(format!("define it anew: rule \"{}\" \"{rule}\" {{ … }}", definition.template))
        .meant(nearest(option, COMMON.iter().copied()))
}

fn cannot_be_off(rule: &str, at: Span) -> Finding {
    fault("Rule that cannot be turned off", at).detail(format!(
        "`{rule}` reports files that could not be checked, so no policy can hide its findings."
    ))
}

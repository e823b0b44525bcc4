//! Turns a policy file, and those that it starts from, into one policy.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::fault::{fault, unknown, unknown_rule};
use super::file::{self, File, RuleBlock};
use super::{Level, Line, Origin, PRESETS, Policy, Setting, can_be_off};
use crate::finding::{Finding, RuleId};
use crate::source::Worktree;
use crate::text::{FileId, Source, Span};

/// More files than this start from each other only by mistake.
const MOST_FILES: usize = 64;

impl Policy {
    /// The policy of a file that was read. `rules` are the names of all rules.
    pub fn load(file: FileId, worktree: &mut Worktree, rules: &[&str]) -> Result<Self, Vec<Finding>> {
        let mut loader = Loader { worktree, rules, findings: Vec::new(), read: 0 };
        let policy = loader.file(file, &mut Vec::new());
        if loader.findings.is_empty() { Ok(policy) } else { Err(loader.findings) }
    }

    /// The policy that comes with the program under that name.
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

    /// Lays what a nearer policy says over what this one says.
    fn extend(&mut self, nearer: Self) {
        let Self { settings, engine, exclude, fail_on, roles, exceptions } = nearer;
        for (rule, settings) in settings {
            self.settings.entry(rule).or_default().extend(settings);
        }
        self.engine = engine.or(self.engine.take());
        self.exclude = exclude.or(self.exclude.take());
        self.fail_on = fail_on.or(self.fail_on);
        self.roles.extend(roles);
        self.exceptions.extend(exceptions);
    }

    fn add(&mut self, file: File, source: &Source, origin: Origin) {
        let File { extends: _, engine, exclude, fail_on, roles, rules, exceptions } = file;
        let settings = BTreeMap::new();
        self.extend(Self { settings, engine, exclude, fail_on, roles, exceptions });
        for RuleBlock { rule, line, paths, level, options, .. } in rules {
            let asked_by = Line { file: source.name().into(), line, origin };
            let level = level.or_else(|| match self.everywhere(&rule) {
                Some(setting) if setting.is_on() => setting.level,
                Some(_) | None => usual_level(&rule, origin),
            });
            self.settings.entry(rule).or_default().push(Setting { level, asked_by, paths, options });
        }
    }
}

/// The level of a rule that a policy names without one: the engine's of a rule of the language, and of any other that
/// of the strictest preset. Presets themselves leave nothing open.
fn usual_level(rule: &str, origin: Origin) -> Option<Level> {
    match origin {
        Origin::Preset => None,
        Origin::File => {
            let strict = Policy::preset("strict").expect("a preset of that name comes with the program");
            strict.settings(rule).last().and_then(|setting| setting.level)
        }
    }
}

struct Loader<'l> {
    worktree: &'l mut Worktree,
    rules: &'l [&'l str],
    findings: Vec<Finding>,
    /// How many files were read.
    read: usize,
}

impl Loader<'_> {
    /// Reads a file; `chain` names those that start from it.
    fn file(&mut self, id: FileId, chain: &mut Vec<SmolStr>) -> Policy {
        self.read += 1;
        let source = self.worktree.sources().get(id);
        let name = SmolStr::new(source.name());
        let file = file::read(id, source, &mut self.findings);
        self.look_at(&file);
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
        policy.add(file, self.worktree.sources().get(id), Origin::File);
        policy
    }

    /// What a file starts from: a preset, or another file, named from the folder of the first.
    fn base(&mut self, id: FileId, from: &str, span: Span, chain: &mut Vec<SmolStr>) -> Option<Policy> {
        if !from.contains('/') && from.strip_suffix(".hcl").is_none() {
            let preset = Policy::preset(from);
            if preset.is_none() {
                let known = PRESETS.iter().map(|preset| preset.name);
                self.findings.push(unknown("preset", from, known, span));
            }
            return preset;
        }
        if self.read >= MOST_FILES {
            let finding = fault("Too many policy files", span);
            self.findings.push(finding.detail(format!("No more than {MOST_FILES} are read.")));
            return None;
        }
        match self.worktree.read_beside(id, from) {
            Ok(base) => {
                let name = self.worktree.sources().get(base).name();
                if chain.iter().any(|other| other == name) {
                    let finding = fault("Policy that starts from itself", span);
                    self.findings.push(finding.detail(format!("`{from}` leads back to this file.")));
                    return None;
                }
                Some(self.file(base, chain))
            }
            Err(why) => {
                self.findings.push(fault("Missing policy file", span).detail(format!("`{from}`: {why}.")));
                None
            }
        }
    }

    fn look_at(&mut self, file: &File) {
        for block in &file.rules {
            self.know(&block.rule, block.name_span);
            if block.level == Some(Level::Off) && !can_be_off(&RuleId::named(block.rule.as_str())) {
                let at = block.level_span.unwrap_or(block.name_span);
                self.findings.push(cannot_be_off(&block.rule, at));
            }
        }
        for exception in &file.exceptions {
            self.know(&exception.rule, exception.rule_span);
            if !can_be_off(&RuleId::named(exception.rule.as_str())) {
                self.findings.push(cannot_be_off(&exception.rule, exception.rule_span));
            }
        }
    }

    fn know(&mut self, rule: &str, at: Span) {
        if !self.rules.contains(&rule) {
            self.findings.push(unknown_rule(rule, self.rules, at));
        }
    }
}

fn cannot_be_off(rule: &str, at: Span) -> Finding {
    fault("Rule that cannot be off", at)
        .detail(format!("What `{rule}` finds was not read, and nobody knows what it hides."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Severity;

    const RULES: &[&str] =
        &["syntax-error", "invalid-name", "override-drops-provider-source", "unused-exception"];

    fn load(files: &[(&str, &str)]) -> Result<Policy, Vec<String>> {
        let texts = files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()));
        let mut worktree = Worktree::of_files(texts.collect());
        let file = worktree.read_policy().expect("one policy").expect("a policy");
        Policy::load(file, &mut worktree, RULES).map_err(|findings| {
            let told = findings.iter().map(|finding| {
                let place = finding.primary.map(|span| worktree.sources().place(span)).unwrap_or_default();
                let help = finding.help.as_deref().map(|help| format!(" ({help})")).unwrap_or_default();
                format!("{place}: {}: {}{help}", finding.summary, finding.detail)
            });
            told.collect()
        })
    }

    fn loaded(text: &str) -> Policy {
        load(&[("overrule.hcl", text)]).expect("a policy without a mistake")
    }

    fn wrong(text: &str) -> Vec<String> {
        load(&[("overrule.hcl", text)]).expect_err("a mistake")
    }

    fn level(policy: &Policy, rule: &str, path: &str) -> String {
        let (_, setting) = policy.setting(rule, path).expect("a setting");
        let level = setting.level.map_or("the engine's", Level::word);
        format!("{level} by {}:{}", setting.asked_by.file, setting.asked_by.line)
    }

    #[test]
    fn without_extends_the_recommended_preset_applies() {
        let policy = loaded("");
        assert!(
            policy.setting("override-drops-provider-source", "main.tf").is_some_and(|(_, set)| set.is_on())
        );
        let policy = loaded("policy {\n  extends = [\"language\"]\n}\n");
        assert!(policy.setting("override-drops-provider-source", "main.tf").is_none());
    }

    #[test]
    fn the_later_and_the_nearer_wins_and_a_block_whole() {
        let policy = loaded(
            "rule \"invalid-name\" { level = \"warning\" }\npaths \"live\" {\n  rule \"invalid-name\" { level = \"off\" }\n}\nrule \"invalid-name\" { level = \"notice\" }\n",
        );
        assert_eq!(level(&policy, "invalid-name", "net/main.tf"), "notice by overrule.hcl:5");
        assert_eq!(level(&policy, "invalid-name", "live/a/main.tf"), "off by overrule.hcl:3");
        assert_eq!(level(&policy, "syntax-error", "main.tf").split(' ').next(), Some("the"));
    }

    #[test]
    fn a_rule_named_without_a_level_keeps_the_one_that_it_had() {
        let policy = loaded("rule \"override-drops-provider-source\" {}\n");
        assert_eq!(level(&policy, "override-drops-provider-source", ""), "error by overrule.hcl:1");
        let policy = loaded("policy {\n  extends = []\n}\nrule \"override-drops-provider-source\" {}\n");
        assert_eq!(level(&policy, "override-drops-provider-source", ""), "error by overrule.hcl:4");
    }

    #[test]
    fn a_policy_starts_from_files_beside_it() {
        let policy = load(&[
            (".config/overrule.hcl", "policy {\n  extends = [\"language\", \"./team/base.hcl\"]\n}\n"),
            (
                ".config/team/base.hcl",
                "policy {\n  extends = []\n  fail_on = \"warning\"\n  engine = \"terraform@1.11\"\n}\nrule \"invalid-name\" { level = \"notice\" }\n",
            ),
        ]);
        let policy = policy.expect("a policy without a mistake");
        assert_eq!(level(&policy, "invalid-name", ""), "notice by .config/team/base.hcl:6");
        assert!(policy.fail_on().is_met_by(Severity::Warning));
        assert_eq!(policy.engine().map(|choice| choice.engines().len()), Some(1));
        let ring = load(&[
            ("overrule.hcl", "policy {\n  extends = [\"./a.hcl\"]\n}\n"),
            ("a.hcl", "policy {\n  extends = [\"./overrule.hcl\", \"./b.hcl\"]\n}\n"),
        ]);
        assert_eq!(
            ring.map(|_| ()).expect_err("a ring"),
            [
                "a.hcl:2,14: Policy that starts from itself: `./overrule.hcl` leads back to this file.",
                "a.hcl:2,32: Missing policy file: `./b.hcl`: there is no such file.",
            ]
        );
    }

    #[test]
    fn roles_and_what_is_excluded_are_patterns() {
        use crate::tree::Role;
        let policy = loaded(
            "policy {\n  exclude = [\"old\"]\n}\nrole \"shared\" {\n  paths = [\"lib/*\"]\n}\nrole \"root\" {\n  paths = [\"lib/app\"]\n}\n",
        );
        assert_eq!(policy.role("lib/net"), Some(Role::Shared));
        assert_eq!(policy.role("lib/app"), Some(Role::Root), "the later wins");
        assert_eq!(policy.role("live"), None);
        assert!(policy.excludes("old/a.tf") && !policy.excludes("new/a.tf"));
    }

    #[test]
    fn an_exception_says_what_where_why_and_until_when() {
        let policy = loaded(
            "exception \"invalid-name\" {\n  paths  = [\"old\"]\n  reason = \"goes away\"\n  until  = \"2027-03-31\"\n}\n",
        );
        let [exception] = policy.exceptions() else { panic!("one exception") };
        assert!(exception.covers("invalid-name", "old/main.tf"));
        assert!(!exception.covers("invalid-name", "new/main.tf"));
        assert!(!exception.covers("invalid-value", "old/main.tf"));
        assert_eq!(exception.until.map(|until| until.date.to_string()).as_deref(), Some("2027-03-31"));
    }

    #[test]
    fn a_mistake_names_its_place_and_the_nearest_right_word() {
        assert_eq!(
            wrong("rule \"invalid-nam\" {}\n"),
            [
                "overrule.hcl:1,6: Unknown rule: No rule is called `invalid-nam`. (did you mean `invalid-name`?)"
            ]
        );
        assert_eq!(
            wrong("rule \"invalid-name\" { level = \"warn\" }\n"),
            [
                "overrule.hcl:1,31: Unknown level: No level is called `warn` here. There are `error`, `warning`, `notice`, `off`."
            ]
        );
        assert_eq!(
            wrong("policy {\n  extends = [\"stricter\"]\n}\n"),
            [
                "overrule.hcl:2,14: Unknown preset: No preset is called `stricter` here. (did you mean `strict`?)"
            ]
        );
        assert_eq!(
            wrong("rule \"syntax-error\" { level = \"off\" }\n"),
            [
                "overrule.hcl:1,31: Rule that cannot be off: What `syntax-error` finds was not read, and nobody knows what it hides."
            ]
        );
        assert_eq!(
            wrong("role \"roots\" {}\n"),
            [
                "overrule.hcl:1,1: Missing required argument: The argument `paths` is required, but it is not set. (set `paths`)",
                "overrule.hcl:1,6: Unknown role: No role is called `roots` here. (did you mean `root`?)",
            ]
        );
        assert_eq!(
            wrong("exception \"invalid-name\" {\n  reason = \" \"\n  until = \"tomorrow\"\n}\n"),
            [
                "overrule.hcl:2,12: Exception without a reason:  (say why this is excused, for those who come after you)",
                "overrule.hcl:3,11: Invalid date: `tomorrow` is no day of the calendar. (write year, month and day, as in \"2027-03-31\")",
            ]
        );
        assert_eq!(
            wrong("exception \"invalid-name\" {}\n"),
            [
                "overrule.hcl:1,1: Missing required argument: The argument `reason` is required, but it is not set. (set `reason`)"
            ]
        );
        assert_eq!(wrong("rules \"a\" {}\nrule {}\n\"").len(), 3);
        assert_eq!(
            wrong("paths \"a[\" {}\npolicy {\n  engine = \"terrafrom\"\n  fail_on = 1\n}\n"),
            [
                "overrule.hcl:3,12: Invalid engine: no engine is called `terrafrom`; did you mean `terraform`?",
                "overrule.hcl:4,13: Unsuitable value: `fail_on` takes a text between quotes.",
                "overrule.hcl:1,7: Invalid pattern: `a[` is no pattern of paths: unclosed character class; missing ']'",
            ]
        );
    }
}

//! Reads the examples on a rule page, and compares the findings of a check with those that the page shows.
//!
//! Below `## Examples`, each `###` heading is a claim, and the code blocks up to the next heading are the files of its
//! example. The first is `main.tf`, or `main.tf.json` if it is JSON. A line with only a file name in backticks and a
//! colon names the next block. A block in another language is a file only if it is named. A line `engine:
//! opentofu@1.12` sets the engine. A file `overrule.hcl` is the policy of the example. After a line `before:`, the next
//! block is a file before a change: the example then shows the findings of that change. After a line `fixed:`, the next
//! block is a file after `--fix=unsafe`, without the comments that show findings.
//!
//! A comment with carets shows a finding in the line above it. `# ^^^ words` marks the columns of the carets, and `#^^^
//! words` also the column of the `#`, for findings at the start of a line. If a range spans several lines, its first
//! line is marked. At the primary location of a finding the words are its summary, after `warning: ` or `notice: ` if
//! it is not an error. At a related location they are its label. `# no place: words` shows a finding without a
//! location. `# help: words`, `# detail: words` and `# label: words` quote these parts of a finding; parts that a page
//! does not quote are not compared. JSON has no comments, so these lines are removed from JSON files. An example
//! without such comments must have no findings.
//!
//! In a policy, an `example` block of a rule has the same parts: its label is the claim, `code` is `main.tf`, and
//! `files` has the other files.

mod block;
mod mark;
mod page;

pub use block::of_definition;
pub use mark::{Difference, Mark, MarkedPlace};
pub use page::{PageError, examples, has_examples};

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::check::fingerprint::Fingerprints;
use crate::check::run::{Against, collect};
use crate::check::{Settings, Verdict, fix, judge, load_policy};
use crate::engine::Choice;
use crate::finding::{RuleId, Safety};
use crate::policy::{Date, Policy};
use crate::rules::Earlier;
use crate::rules::Template;
use crate::session::terragrunt::Units;
use crate::vfs::Snapshot;
use mark::{Comment, marks, texts, words};

/// The date in examples.
const TODAY: &str = "2030-01-01";

/// One claim with its files.
#[derive(Debug, Clone)]
pub struct Example {
    /// The heading.
    pub claim: String,
    /// The line of the heading, from 1.
    pub line: usize,
    /// The engine, if the page sets one.
    pub engines: Option<Choice>,
    /// The files.
    pub files: Vec<ExampleFile>,
    /// The files before the change, if the example shows one.
    pub before: Vec<(String, String)>,
    /// The files after fixes, if the page shows any.
    pub fixed: Vec<(String, String)>,
    /// The findings that the page shows, sorted.
    pub marks: Vec<Mark>,
}

/// A file of an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExampleFile {
    /// The path.
    pub name: String,
    /// The content.
    pub text: String,
    /// The line on the page of each line, from 1.
    lines: Vec<usize>,
    /// The number of columns by which it is indented on the page.
    indent: usize,
}

/// A range of lines and columns on the page, from 1. The last column is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct OnPage {
    /// The line, from 1.
    pub line: usize,
    /// The first column.
    pub from: usize,
    /// The column after the last.
    pub to: usize,
}

impl Example {
    /// Compares the findings of one rule with those that the page shows. Syntax errors and mistakes in the policy of
    /// the example are always included. The findings of a template are those of the custom rules that the policy of the
    /// example makes from it.
    ///
    /// An example without a policy has the given one.
    pub fn differences(&self, policy: &Policy, rule: &RuleId) -> Vec<Difference> {
        let (mut unexpected, texts) = self.found(policy, rule);
        let mut differences = Vec::new();
        for mark in &self.marks {
            match unexpected.iter().position(|found| found == mark) {
                Some(at) => drop(unexpected.remove(at)),
                None if texts.contains(mark) => {}
                None => differences.push(Difference::Missing(mark.clone())),
            }
        }
        differences.extend(unexpected.into_iter().map(Difference::Unexpected));
        differences
    }

    /// The files that the fixes of one rule change, with their new content.
    pub fn fix(&self, rule: &RuleId) -> Vec<(String, String)> {
        let plain = |file: &ExampleFile| {
            let lines = file.text.split_inclusive('\n').filter(|line| Comment::read(line).is_none());
            ExampleFile { text: lines.collect(), ..file.clone() }
        };
        let unmarked = Self { files: self.files.iter().map(plain).collect(), ..self.clone() };
        let settings = Settings { select: vec![rule.clone()], ..Settings::default() };
        let (mut snapshot, verdicts) = unmarked.check(settings.clone());
        let mut settings = Settings { engines: self.engines.clone(), ..settings };
        if let Ok(Some(file)) = snapshot.read_policy()
            && let Ok(policy) = load_policy(&mut snapshot, Some(file))
        {
            settings.policy = policy;
        }
        let earlier = self.earlier(&settings);
        let safety = Safety::Unsafe;
        let fixed = fix(&snapshot, earlier.as_ref(), &verdicts, &settings, safety, &mut |_| None);
        let sources = fixed.snapshot.sources();
        let text = |id| (sources.get(id).name().to_owned(), sources.get(id).text().to_owned());
        let mut texts: Vec<(String, String)> = fixed.files.into_iter().map(text).collect();
        texts.sort();
        texts
    }

    /// The same example with other content of some files and without expected findings.
    #[must_use]
    pub fn with(&self, texts: &[(String, String)]) -> Self {
        let other = |file: &ExampleFile| {
            let text = texts.iter().find(|(name, _)| *name == file.name);
            ExampleFile { text: text.map_or(&file.text, |(_, text)| text).clone(), ..file.clone() }
        };
        Self { files: self.files.iter().map(other).collect(), marks: Vec::new(), ..self.clone() }
    }

    /// The rules of a policy that report something in the example, each with the words of its findings.
    pub fn rules(&self, policy: &Policy) -> Vec<(RuleId, String)> {
        let (_, verdicts) = self.check(Settings { policy: policy.clone(), ..Settings::default() });
        verdicts.into_iter().map(|verdict| (verdict.finding.rule.clone(), words(&verdict))).collect()
    }

    /// The location of a mark on the page.
    pub fn on_page(&self, mark: &Mark) -> Option<OnPage> {
        let place = mark.place.as_ref()?;
        let file = self.files.iter().find(|file| file.name == place.file)?;
        let line = *file.lines.get(place.line.checked_sub(1)?)?;
        Some(OnPage { line, from: place.from + file.indent, to: place.to + file.indent })
    }

    fn new(claim: &str, line: usize) -> Self {
        Self {
            claim: claim.to_owned(),
            line,
            engines: None,
            files: Vec::new(),
            before: Vec::new(),
            fixed: Vec::new(),
            marks: Vec::new(),
        }
    }

    /// Adds a file with the line on the page of each of its lines.
    fn add(&mut self, name: String, lines: &[(usize, &str)], indent: usize) -> Result<(), String> {
        if self.files.iter().any(|other| other.name == name) {
            return Err(format!("`{name}` already exists; write the name of another file above the block"));
        }
        let keeps_comments = name.strip_suffix(".json").is_none();
        let mut file = ExampleFile { name, text: String::new(), lines: Vec::new(), indent };
        // The last line that is not a comment with carets.
        let mut marked = 0;
        for (number, line) in lines {
            let mark = Comment::read(line);
            if mark.is_none() || keeps_comments {
                file.text.push_str(line);
                file.text.push('\n');
                file.lines.push(*number);
            }
            match mark {
                None => marked = file.lines.len(),
                Some(Comment { columns, words }) => {
                    let place = columns.map(|columns| MarkedPlace {
                        file: file.name.clone(),
                        line: marked,
                        from: columns.start,
                        to: columns.end,
                    });
                    self.marks.push(Mark { place, words: words.to_owned() });
                }
            }
        }
        self.files.push(file);
        Ok(())
    }

    /// The findings in the words of a page, and the texts that a page can quote.
    fn found(&self, policy: &Policy, rule: &RuleId) -> (Vec<Mark>, Vec<Mark>) {
        let settings = Settings { policy: policy.clone(), select: vec![rule.clone()], ..Settings::default() };
        let (snapshot, verdicts) = self.check(settings);
        let marks = verdicts.iter().flat_map(|verdict| marks(verdict, snapshot.sources())).collect();
        (marks, verdicts.iter().flat_map(texts).collect())
    }

    fn check(&self, settings: Settings) -> (Snapshot, Vec<Verdict>) {
        let files = self.files.iter().map(|file| (file.name.clone(), file.text.clone().into_bytes()));
        let mut snapshot = Snapshot::of_files(files.collect());
        let mut settings = Settings { engines: self.engines.clone(), today: Date::parse(TODAY), ..settings };
        // An example may have a policy, with exceptions, options, custom rules, or mistakes.
        if let Ok(Some(file)) = snapshot.read_policy() {
            match load_policy(&mut snapshot, Some(file)) {
                Ok(policy) => settings.policy = policy,
                Err(mistakes) => {
                    let mistakes = mistakes.into_iter().map(|finding| (finding, None)).collect();
                    let verdicts = judge(mistakes, snapshot.sources(), &[], &Settings::default());
                    return (snapshot, verdicts);
                }
            }
        }
        settings.select = rules_of_templates(&settings);
        let earlier = self.earlier(&settings);
        let against = earlier.as_ref().map_or(Against::None, Against::With);
        let units = Arc::new(Units::of(&snapshot));
        let outcome = collect(&mut snapshot, &units, &settings, Fingerprints::default(), against);
        let verdicts = outcome.within_scope(&snapshot, &settings, &|_| true).verdicts;
        (snapshot, verdicts)
    }

    /// The state before the change, if the example shows one.
    fn earlier(&self, settings: &Settings) -> Option<Earlier> {
        (!self.before.is_empty()).then(|| {
            let files = self.before.iter().map(|(name, text)| (name.clone(), text.clone().into_bytes()));
            let mut earlier = Snapshot::of_files(files.collect());
            let units = Arc::new(Units::of(&earlier));
            let outcome = collect(&mut earlier, &units, settings, Fingerprints::default(), Against::Keep);
            Earlier::new(earlier, outcome.graphs.into_values(), BTreeMap::new())
        })
    }
}

/// The selected rules. A template selects the custom rules that the policy makes from it.
fn rules_of_templates(settings: &Settings) -> Vec<RuleId> {
    let of = |id: &RuleId| {
        let custom =
            settings.policy.custom_rules().filter(|(_, definition)| definition.template == id.as_str());
        let custom: Vec<RuleId> = custom.map(|(rule, _)| RuleId::named(rule.as_str())).collect();
        // A template without custom rules stays in the list, because an empty list selects all rules.
        if Template::named(id.as_str()).is_none() || custom.is_empty() { vec![id.clone()] } else { custom }
    };
    settings.select.iter().flat_map(of).collect()
}

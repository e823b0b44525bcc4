//! Turns the examples on the page of a rule into module trees, and says where a check of them differs from the page.
//!
//! Below `## Examples` every `###` heading is a claim, and the code blocks up to the next one are the files that show
//! it. The first is `main.tf`, or `main.tf.json` if it is JSON; a line of nothing but a name in backticks and a colon
//! names the next block, and a block that is neither HCL nor JSON is a file only if it is named. A line
//! `engine: opentofu@1.12` has the example checked as that engine sees it, otherwise it is checked as it would be for
//! anybody. A file `overrule.hcl` is the policy of the example. A line `before:` says that the next block is a file as
//! it was before a change; what such an example shows is found in the change to its other files. A line `fixed:` says
//! that the next block is a file as `--fix=unsafe` leaves it; the comments of carets are gone then.
//!
//! A comment of carets says what is found in the line above it: `# ^^^ words` marks the columns of the carets, and
//! `#^^^ words` that of the mark of the comment too, because nothing else can stand below the start of a line. Of what
//! goes on over more lines, the first is marked. At the primary place of a finding the words are its summary, with
//! `warning: ` or `notice: ` before it if it is no error; at a related place they are those of that place. What has no
//! place is written `# no place: words`. A comment `# help: words` quotes the help of a finding, and so do `# detail:
//! words` and `# label: words`; what a page does not quote may be anything. In JSON, which has no comments, such lines
//! are left out of the file. An example without any must be silent.
//!
//! In a policy, an `example` block of a rule says the same: its label is the claim, `code` is `main.tf`, and `files`
//! are others.

mod block;
mod mark;
mod page;

pub use block::of_definition;
pub use mark::{Difference, Mark, MarkedPlace};
pub use page::{PageError, examples, has_examples};

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::check::fingerprint::Fingerprints;
use crate::check::run::{Comparison, collect};
use crate::check::{Settings, Verdict, fix, judge, load_policy};
use crate::engine::Choice;
use crate::finding::{RuleId, Safety};
use crate::policy::{Date, Policy};
use crate::rules::Template;
use crate::session::terragrunt::Units;
use crate::vfs::Snapshot;
use mark::{Comment, marks, texts, words};

/// The day that it is in examples.
const TODAY: &str = "2030-01-01";

/// One claim of a page, with the files that show it.
#[derive(Debug, Clone)]
pub struct Example {
    /// The heading.
    pub claim: String,
    /// The line of the heading on the page, counted from 1.
    pub line: usize,
    /// Who looks at it, where the page says so.
    pub engines: Option<Choice>,
    /// What shows it.
    pub files: Vec<ExampleFile>,
    /// What there was before the change that it shows, if it shows one.
    pub before: Vec<(String, String)>,
    /// What becomes of files once they are fixed, where the page says so.
    pub fixed: Vec<(String, String)>,
    /// Everything that is found, sorted.
    pub marks: Vec<Mark>,
}

/// A file of an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExampleFile {
    /// Its path.
    pub name: String,
    /// What is in it.
    pub text: String,
    /// Of each line the one on the page, counted from 1.
    lines: Vec<usize>,
    /// How many columns further right it stands on the page.
    indent: usize,
}

/// Lines of a page, and the columns, counted from 1; the last is behind what is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct OnPage {
    /// Counted from 1.
    pub line: usize,
    /// The first column.
    pub from: usize,
    /// The column behind the last.
    pub to: usize,
}

impl Example {
    /// Where a check of one rule alone differs from the page. Syntax errors, and what is wrong with the policy of an
    /// example, are reported whatever the rule; of a kind of rule all are looked at that the policy of the example makes.
    pub fn differences(&self, rule: &RuleId) -> Vec<Difference> {
        self.differences_under(&Policy::recommended(), rule)
    }

    /// The same, where the example brings no policy of its own.
    pub fn differences_under(&self, policy: &Policy, rule: &RuleId) -> Vec<Difference> {
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

    /// The files that fixing what one rule finds makes another text of, with that.
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
        let fixed = fix(&snapshot, &verdicts, &settings, Safety::Unsafe, &mut |_| None);
        let sources = fixed.snapshot.sources();
        let text = |id| (sources.get(id).name().to_owned(), sources.get(id).text().to_owned());
        let mut texts: Vec<(String, String)> = fixed.files.into_iter().map(text).collect();
        texts.sort();
        texts
    }

    /// The same example with other texts in some files, and nothing marked.
    #[must_use]
    pub fn with(&self, texts: &[(String, String)]) -> Self {
        let other = |file: &ExampleFile| {
            let text = texts.iter().find(|(name, _)| *name == file.name);
            ExampleFile { text: text.map_or(&file.text, |(_, text)| text).clone(), ..file.clone() }
        };
        Self { files: self.files.iter().map(other).collect(), marks: Vec::new(), ..self.clone() }
    }

    /// The rules of a policy that find something in it, each with the words of what it finds.
    pub fn rules(&self, policy: &Policy) -> Vec<(RuleId, String)> {
        let (_, verdicts) = self.check(Settings { policy: policy.clone(), ..Settings::default() });
        verdicts.into_iter().map(|verdict| (verdict.finding.rule.clone(), words(&verdict))).collect()
    }

    /// Where a mark stands, or would stand, on the page.
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

    /// Adds a file; beside each line its number on the page.
    fn add(&mut self, name: String, lines: &[(usize, &str)], indent: usize) -> Result<(), String> {
        if self.files.iter().any(|other| other.name == name) {
            return Err(format!("`{name}` already exists; write the name of another file above the block"));
        }
        let keeps_comments = name.strip_suffix(".json").is_none();
        let mut file = ExampleFile { name, text: String::new(), lines: Vec::new(), indent };
        // The last line that is no comment of carets.
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

    /// What a page has to say of what is found, and the texts that it can quote.
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
        // An example may bring a policy along, with exceptions, options, rules of its own, or mistakes.
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
        settings.select = rules_of_kinds(&settings);
        let earlier = (!self.before.is_empty()).then(|| {
            let files = self.before.iter().map(|(name, text)| (name.clone(), text.clone().into_bytes()));
            let mut earlier = Snapshot::of_files(files.collect());
            let units = Arc::new(Units::of(&earlier));
            collect(&mut earlier, &units, &settings, Fingerprints::default(), Comparison::Keep)
                .earlier(earlier, BTreeMap::new())
        });
        let against = earlier.as_ref().map_or(Comparison::None, Comparison::With);
        let units = Arc::new(Units::of(&snapshot));
        let collected = collect(&mut snapshot, &units, &settings, Fingerprints::default(), against);
        let verdicts = collected.outcome(&snapshot, &settings, &|_| true).verdicts;
        (snapshot, verdicts)
    }
}

/// What is selected, with the rules that the policy makes of a kind in its place.
fn rules_of_kinds(settings: &Settings) -> Vec<RuleId> {
    let of = |id: &RuleId| {
        let own = settings.policy.own_rules().filter(|(_, definition)| definition.template == id.as_str());
        let own: Vec<RuleId> = own.map(|(rule, _)| RuleId::named(rule.as_str())).collect();
        // A kind stands for itself where there are none, for without a selection everything is looked for.
        if Template::named(id.as_str()).is_none() || own.is_empty() { vec![id.clone()] } else { own }
    };
    settings.select.iter().flat_map(of).collect()
}

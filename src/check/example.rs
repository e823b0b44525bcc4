//! Turns the examples on the page of a rule into module trees, and says where a check of them differs from the page.
//!
//! Below `## Examples` every `###` heading is a claim, and the code blocks up to the next one are the files that show
//! it. The first is `main.tf`, or `main.tf.json` if it is JSON; a line of nothing but a name in backticks and a colon
//! names the next block, and a block that is neither HCL nor JSON is a file only if it is named. A line
//! `engine: opentofu@1.12` has the example checked as that engine sees it, otherwise it is checked as it would be for
//! anybody.
//!
//! A comment of carets says what is found in the line above it: `# ^^^ words` marks the columns of the carets, and
//! `#^^^ words` that of the mark of the comment too, because nothing else can stand below the start of a line. Of what
//! goes on over more lines, the first is marked. At the primary place of a finding the words are its summary, with
//! `warning: ` or `notice: ` before it if it is no error; at a related place they are those of that place. What has no
//! place is written `# no place: words`. In JSON, which has no comments, such lines are left out of the file.
//! An example without any must be silent.

use std::fmt;
use std::ops::Range;

use super::{Settings, Verdict, judge, load_policy, run};
use crate::engine::Choice;
use crate::finding::{RuleId, Severity};
use crate::policy::{Date, Policy};
use crate::source::Worktree;
use crate::text::{Sources, Span};

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
    /// Paths and texts.
    pub files: Vec<(String, String)>,
    /// Everything that is found, sorted.
    pub marks: Vec<Mark>,
}

/// A place in a file of an example, and what is said there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// Where; none for what has no place.
    pub place: Option<MarkedPlace>,
    /// What is said.
    pub words: String,
}

/// Columns of one line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MarkedPlace {
    /// The path of the file.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// The first column, counted from 1.
    pub from: usize,
    /// The column behind the last.
    pub to: usize,
}

/// Why a page cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageError {
    /// The line on the page, counted from 1.
    pub line: usize,
    /// What is wrong with it, one lower-case line.
    pub message: String,
}

/// How a page and a check differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// The page says so, and the check does not.
    Missing(Mark),
    /// The check says so, and the page does not.
    Unexpected(Mark),
}

/// The examples of a page, in its order.
pub fn examples(page: &str) -> Result<Vec<Example>, PageError> {
    let mut examples: Vec<Example> = Vec::new();
    let mut lines = page.lines().enumerate().skip_while(|(_, line)| *line != "## Examples").skip(1);
    let mut name = None;
    while let Some((at, line)) = lines.next() {
        let wrong = |message: String| PageError { line: at + 1, message };
        if line.starts_with("## ") {
            break;
        }
        if let Some(claim) = line.strip_prefix("### ") {
            examples.push(Example::new(claim, at + 1));
            name = None;
        } else if let Some(engine) = line.strip_prefix("engine: ") {
            let choice = Choice::parse(engine).map_err(|error| wrong(error.to_string()))?;
            last(&mut examples).map_err(wrong)?.engines = Some(choice);
        } else if let Some(named) = line.strip_prefix('`').and_then(|line| line.strip_suffix("`:")) {
            name = Some(named.to_owned());
        } else if let Some(language) = line.strip_prefix("```") {
            let text: Vec<&str> =
                lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
            if let Some(name) = name.take().or_else(|| default_name(language)) {
                last(&mut examples).and_then(|example| example.add(name, &text)).map_err(wrong)?;
            }
        }
    }
    for example in &mut examples {
        example.marks.sort();
    }
    Ok(examples)
}

impl Example {
    /// Where a check of one rule alone differs from the page. Syntax errors are told whatever the rule.
    pub fn differences(&self, rule: &RuleId) -> Vec<Difference> {
        let mut unexpected = self.found(vec![rule.clone()]);
        let mut differences = Vec::new();
        for mark in &self.marks {
            match unexpected.iter().position(|found| found == mark) {
                Some(at) => drop(unexpected.remove(at)),
                None => differences.push(Difference::Missing(mark.clone())),
            }
        }
        differences.extend(unexpected.into_iter().map(Difference::Unexpected));
        differences
    }

    /// The rules of a policy that find something in it, each with the words of what it finds.
    pub fn rules(&self, policy: &Policy) -> Vec<(RuleId, String)> {
        let (_, verdicts) = self.check(Settings { policy: policy.clone(), ..Settings::default() });
        verdicts.into_iter().map(|verdict| (verdict.finding.rule.clone(), words(&verdict))).collect()
    }

    fn new(claim: &str, line: usize) -> Self {
        Self { claim: claim.to_owned(), line, engines: None, files: Vec::new(), marks: Vec::new() }
    }

    fn add(&mut self, name: String, lines: &[&str]) -> Result<(), String> {
        if self.files.iter().any(|(other, _)| *other == name) {
            return Err(format!("`{name}` is there already; write the name of another file above the block"));
        }
        let keeps_comments = name.strip_suffix(".json").is_none();
        let mut text = String::new();
        // Of the last line that is no comment of carets, and of the file so far.
        let (mut marked, mut written) = (0, 0);
        for line in lines {
            let mark = Comment::read(line);
            if mark.is_none() || keeps_comments {
                text.push_str(line);
                text.push('\n');
                written += 1;
            }
            match mark {
                None => marked = written,
                Some(Comment { columns, words }) => {
                    let place = columns.map(|columns| MarkedPlace {
                        file: name.clone(),
                        line: marked,
                        from: columns.start,
                        to: columns.end,
                    });
                    self.marks.push(Mark { place, words: words.to_owned() });
                }
            }
        }
        self.files.push((name, text));
        Ok(())
    }

    fn found(&self, select: Vec<RuleId>) -> Vec<Mark> {
        let (worktree, verdicts) = self.check(Settings { select, ..Settings::default() });
        verdicts.iter().flat_map(|verdict| marks(verdict, worktree.sources())).collect()
    }

    fn check(&self, settings: Settings) -> (Worktree, Vec<Verdict>) {
        let files = self.files.iter().map(|(name, text)| (name.clone(), text.clone().into_bytes()));
        let mut worktree = Worktree::of_files(files.collect());
        let mut settings = Settings { engines: self.engines.clone(), today: Date::parse(TODAY), ..settings };
        // An example may bring a policy along, with exceptions, options, or mistakes.
        if let Ok(Some(file)) = worktree.read_policy() {
            match load_policy(&mut worktree, Some(file)) {
                Ok(policy) => settings.policy = policy,
                Err(mistakes) => {
                    let mistakes = mistakes.into_iter().map(|finding| (finding, None)).collect();
                    let verdicts = judge(mistakes, worktree.sources(), &[], &settings);
                    return (worktree, verdicts);
                }
            }
        }
        let outcome = run(&mut worktree, &settings);
        (worktree, outcome.verdicts)
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            None => write!(f, "no place: {}", self.words),
            Some(MarkedPlace { file, line, from, to }) => {
                write!(f, "{file}:{line}, columns {from} to {}: {}", to - 1, self.words)
            }
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(mark) => write!(f, "only on the page:  {mark}"),
            Self::Unexpected(mark) => write!(f, "only in the check: {mark}"),
        }
    }
}

/// A comment that says what is found.
struct Comment<'a> {
    columns: Option<Range<usize>>,
    words: &'a str,
}

impl<'a> Comment<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let inside = line.trim_start();
        let rest = inside.strip_prefix('#').or_else(|| inside.strip_prefix("//"))?;
        let carets = rest.trim_start();
        if let Some(words) = carets.strip_prefix("no place: ") {
            return Some(Self { columns: None, words });
        }
        let words = carets.trim_start_matches('^');
        // A space or the end stands behind the carets, so that `^` may begin a word of any other comment.
        if words.len() == carets.len() || !(words.is_empty() || words.starts_with(' ')) {
            return None;
        }
        let start = if carets.len() == rest.len() { inside } else { carets };
        let columns = line.len() - start.len() + 1..line.len() - words.len() + 1;
        Some(Self { columns: Some(columns), words: words.trim() })
    }
}

fn last(examples: &mut [Example]) -> Result<&mut Example, String> {
    examples.last_mut().ok_or_else(|| "an example begins with a heading: `### ` and its claim".to_owned())
}

fn default_name(language: &str) -> Option<String> {
    match language {
        "hcl" => Some("main.tf".to_owned()),
        "json" => Some("main.tf.json".to_owned()),
        _ => None,
    }
}

fn marks(verdict: &Verdict, sources: &Sources) -> Vec<Mark> {
    let finding = &verdict.finding;
    let primary = Mark { place: finding.primary.map(|span| place(span, sources)), words: words(verdict) };
    let related = finding
        .related
        .iter()
        .map(|related| Mark { place: Some(place(related.span, sources)), words: related.message.clone() });
    std::iter::once(primary).chain(related).collect()
}

fn words(verdict: &Verdict) -> String {
    let summary = &verdict.finding.summary;
    match verdict.level {
        Severity::Error => summary.clone(),
        Severity::Warning | Severity::Notice => format!("{}: {summary}", verdict.level.name()),
    }
}

fn place(span: Span, sources: &Sources) -> MarkedPlace {
    let source = sources.get(span.file);
    let start = source.position(span.start);
    let rest = source.text().get(span.range()).unwrap_or("");
    let first = rest.lines().next().unwrap_or("");
    let end = u32::try_from(start.byte + first.len()).map_or(start, |end| source.position(end));
    MarkedPlace {
        file: source.name().to_owned(),
        line: start.line,
        from: start.column,
        to: end.column.max(start.column + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Language;

    const PAGE: &str = r#"Two of one.

## Examples

### The second is one too many

```hcl
locals {
  a = 1
  #^^^^ first declared here
}

locals {
  a = 2
# ^^^^^ Duplicate local value definition
}
```

### In another folder

engine: opentofu@1.8

```text
No file.
```

`modules/net/main.tf`:
```hcl
locals {}
```

```json
{
  "locals": {}
// no place: Nothing
//^^^ Here
}
```

## After
"#;

    fn read(page: &str) -> Vec<Example> {
        examples(page).expect("a page without a mistake")
    }

    #[test]
    fn headings_are_claims_and_blocks_are_files() {
        let examples = read(PAGE);
        let told: Vec<String> = examples
            .iter()
            .map(|example| {
                let files: Vec<&str> = example.files.iter().map(|(name, _)| name.as_str()).collect();
                format!("{} {}: {}", example.line, example.claim, files.join(" "))
            })
            .collect();
        assert_eq!(
            told,
            [
                "5 The second is one too many: main.tf",
                "19 In another folder: modules/net/main.tf main.tf.json"
            ]
        );
        let engines = examples[1].engines.as_ref().expect("an engine is named");
        assert_eq!(engines.engines()[0].word().to_string(), "opentofu@1.8.11");
        assert_eq!(examples[1].files[1].1, "{\n  \"locals\": {}\n}\n", "JSON has no comments");
    }

    #[test]
    fn carets_mark_columns_of_the_line_above() {
        let examples = read(PAGE);
        let marks = |example: &Example| example.marks.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            marks(&examples[0]),
            [
                "main.tf:2, columns 3 to 7: first declared here",
                "main.tf:7, columns 3 to 7: Duplicate local value definition"
            ]
        );
        assert_eq!(marks(&examples[1]), ["no place: Nothing", "main.tf.json:2, columns 1 to 5: Here"]);
    }

    #[test]
    fn what_differs_is_told_from_both_sides() {
        let rule = Language::DuplicateDeclaration.id();
        let examples = read(&PAGE.replace("# ^^^^^ Dup", "# ^^^ Dup").replace("#^^^^ first", "no words"));
        let differences: Vec<String> =
            examples[0].differences(&rule).iter().map(ToString::to_string).collect();
        assert!(
            differences.contains(
                &"only on the page:  main.tf:7, columns 3 to 5: Duplicate local value definition".to_owned()
            ) && differences.contains(
                &"only in the check: main.tf:7, columns 3 to 7: Duplicate local value definition".to_owned()
            ),
            "{differences:#?}"
        );
    }

    #[test]
    fn a_page_that_cannot_be_read_says_which_line() {
        let wrong = |page: &str| examples(page).map_err(|error| (error.line, error.message)).unwrap_err();
        assert_eq!(wrong("## Examples\n```hcl\n```\n").0, 2);
        assert_eq!(wrong("## Examples\n### A\n```hcl\n```\n```hcl\n```\n").0, 5);
        assert!(wrong("## Examples\n### A\nengine: tofu\n").1.contains("did you mean `opentofu`?"));
    }

    #[test]
    fn a_comment_with_a_caret_in_it_is_a_comment() {
        assert!(Comment::read("# a ^^^ b").is_none());
        assert!(Comment::read("# ^a").is_none());
        assert!(Comment::read("a = 1 # ^^^ b").is_none());
    }
}

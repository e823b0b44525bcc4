//! `overrule test`: runs the examples of rule pages and policies.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::stream::{err, out};
use super::terminal::Terminal;
use super::{Failure, exit_code, place, policy};
use crate::check::doctest::example::Difference;
use crate::check::doctest::{self, Chapter, Proof};
use crate::report::{PathStyle, one_line, painted};
use crate::text::counted;
use crate::vfs::Snapshot;

/// The arguments of `test`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Directory with policies and with pages of custom rules, such as `owner-tag.md` [default: the directory of the policy file]
    #[arg(value_name = "DIR", conflicts_with_all = ["policy", "preset", "isolated", "policy_from"])]
    directory: Option<PathBuf>,
    /// Test the built-in rules with the examples in their pages
    #[arg(long, conflicts_with_all = ["directory", "policy", "preset", "isolated", "policy_from"])]
    builtin: bool,
    #[command(flatten)]
    policy: policy::Arguments,
}

/// Runs the command. The exit code is 1 if an example fails.
pub(super) fn run(arguments: &Arguments, terminal: &Terminal) -> Result<ExitCode, Failure> {
    let current = place::current()?;
    let (chapters, names) = chapters(arguments, &current, terminal)?;
    if chapters.is_empty() {
        err(if arguments.directory.is_some() {
            "note: no examples found\n"
        } else {
            "note: no custom rule has an example\n"
        });
        return Ok(ExitCode::SUCCESS);
    }
    let mut tally = Tally::default();
    for chapter in &chapters {
        let proof = chapter.prove();
        tally.count(&proof);
        out(&lines(chapter, &proof, &names, terminal))?;
    }
    out(&tally.line())?;
    Ok(exit_code(tally.wrong + tally.unreadable > 0))
}

fn chapters(
    arguments: &Arguments,
    current: &Path,
    terminal: &Terminal,
) -> Result<(Vec<Chapter>, PathStyle), Failure> {
    if let Some(directory) = &arguments.directory {
        let (mut snapshot, documents) = Snapshot::of_documents(current, directory)?;
        let chapters = doctest::of_documents(&documents, &mut snapshot);
        let chapters =
            chapters.map_err(|mistakes| policy::refuse("tested", mistakes, current, &snapshot, terminal))?;
        return Ok((chapters, place::names(current, snapshot.top())));
    }
    if arguments.builtin {
        return Ok((doctest::of_program(), PathStyle::default()));
    }
    let mut snapshot = Snapshot::without_modules(current)?;
    let (policy, file) = arguments.policy.load("tested", current, &mut snapshot, terminal)?;
    if file.is_none() {
        return Err(Failure::new("there is no policy, so there are no custom rules to test").help(
            "`overrule init` writes a policy; `overrule test --builtin` runs the examples of the built-in \
            rules",
        ));
    }
    Ok((doctest::of_policy(&policy, &mut snapshot), place::names(current, snapshot.top())))
}

/// The summary line and a line for each difference.
fn lines(chapter: &Chapter, proof: &Proof, names: &PathStyle, terminal: &Terminal) -> String {
    let file = names.of(&chapter.file);
    let file = one_line(&file);
    let title = if chapter.is_page { file.to_string() } else { format!("{file}: {}", chapter.rule.as_str()) };
    let wrong = match &proof.wrong {
        Ok(wrong) if wrong.is_empty() => {
            let mark = painted(terminal.color, "32", "ok    ");
            return format!("{mark}  {title}: {}\n", counted(proof.examples, "example"));
        }
        Ok(wrong) => wrong,
        Err(error) => {
            let mark = painted(terminal.color, "31", "failed");
            return format!("{mark}  {title}\n  {file}:{}: {}\n", error.line, one_line(&error.message));
        }
    };
    let mut lines = format!(
        "{}  {title}: {} of {}\n",
        painted(terminal.color, "31", "failed"),
        wrong.len(),
        counted(proof.examples, "example")
    );
    for disproof in wrong {
        lines.push_str(&format!("  {file}:{}: {}\n", disproof.line, one_line(&disproof.claim)));
        for (place, difference) in &disproof.differences {
            let (who, mark) = match difference {
                Difference::Missing(mark) => ("expected, but not reported:", mark),
                Difference::Unexpected(mark) => ("reported, but not expected:", mark),
            };
            let line = match place {
                Some(place) => {
                    let words = one_line(&mark.words);
                    format!("{file}:{}:{}-{}: {who} {words}", place.line, place.from, place.to - 1)
                }
                None => format!("{file}:{}: {who} {}", disproof.line, one_line(&mark.to_string())),
            };
            lines.push_str(&format!("    {line}\n"));
        }
    }
    lines
}

/// The totals so far.
#[derive(Default)]
struct Tally {
    examples: usize,
    wrong: usize,
    unreadable: usize,
}

impl Tally {
    fn count(&mut self, proof: &Proof) {
        self.examples += proof.examples;
        match &proof.wrong {
            Ok(wrong) => self.wrong += wrong.len(),
            Err(_) => self.unreadable += 1,
        }
    }

    fn line(&self) -> String {
        let mut result = match self.wrong {
            0 => "all pass".to_owned(),
            1 => "1 fails".to_owned(),
            wrong => format!("{wrong} fail"),
        };
        if self.unreadable > 0 {
            result.push_str(&format!("; {} cannot be read", counted(self.unreadable, "page")));
        }
        format!("\ntested {}: {result}\n", counted(self.examples, "example"))
    }
}

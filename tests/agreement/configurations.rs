//! Compares the resolution of provider configurations with `terraform`.
//!
//! Providers do not need plugins: `terraform graph` resolves all of them before it looks for the first one. The
//! answers are recorded in `providers/answers.txt`, those of hand-written trees (`providers/cases.txt`) first.
//! `AGREEMENT=record cargo test --test agreement configurations` records them again, and `AGREEMENT_PROVIDERS='5000
//! 6500' cargo test --test agreement -- --nocapture unseen_configurations` compares trees without recorded answers.
//! To show a single tree: `AGREEMENT_PROVIDERS='5017 5018' AGREEMENT_SHOWN=1`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::case::{Case, Cases};
use crate::terraform::Terraform;
use crate::{ASKERS, generated, generator, program};

/// The number of recorded generated trees.
const TREES: u64 = 400;

/// The number of recorded answers that are compared with the engine again.
const SAMPLE: usize = 20;

/// The engine's answer about the configurations of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reached {
    /// The provider configuration of each resource, by address; both as Terraform writes them.
    All(BTreeMap<String, String>),
    /// The summaries of its errors.
    Refused(BTreeSet<String>),
}

impl fmt::Display for Reached {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All(all) => {
                out.write_str("reached")?;
                all.iter()
                    .try_for_each(|(resource, configuration)| write!(out, "\t{resource} {configuration}"))
            }
            Self::Refused(summaries) => {
                out.write_str("refused")?;
                summaries.iter().try_for_each(|summary| write!(out, "\t{summary}"))
            }
        }
    }
}

impl Reached {
    fn parse(text: &str) -> Self {
        let mut parts = text.split('\t');
        match parts.next() {
            Some("reached") => {
                let pair = |part: &str| {
                    let (resource, configuration) =
                        part.split_once(' ').expect("a resource and a configuration");
                    (resource.to_owned(), configuration.to_owned())
                };
                Self::All(parts.map(pair).collect())
            }
            Some("refused") => Self::Refused(parts.map(str::to_owned).collect()),
            other => panic!("`reached` or `refused`: {other:?}"),
        }
    }
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agreement/providers").join(name)
}

/// The hand-written and the generated trees.
fn cases() -> Vec<Case> {
    let written = Cases::parse(&fs::read_to_string(file("cases.txt")).expect("a case file")).cases;
    written.into_iter().chain((0..TREES).map(generator::providers)).collect()
}

/// The recorded answer of each case, if its text is unchanged.
fn recorded(cases: &[Case]) -> Vec<Option<Reached>> {
    let text = fs::read_to_string(file("answers.txt")).unwrap_or_default();
    let mut records = BTreeMap::new();
    for line in text.lines() {
        let (name, rest) = line.split_once('\t').expect("a name");
        records.insert(name, rest.split_once('\t').expect("a hash"));
    }
    let of_case = |case: &Case| {
        let (hash, answer) = records.get(case.name.as_str())?;
        (*hash == generated::hash(case)).then(|| Reached::parse(answer))
    };
    cases.iter().map(of_case).collect()
}

fn ask(terraform: &Terraform, cases: &[Case]) -> Vec<Reached> {
    let share = cases.len().div_ceil(ASKERS).max(1);
    std::thread::scope(|scope| {
        let parts: Vec<_> = cases
            .chunks(share)
            .map(|part| {
                scope.spawn(|| part.iter().map(|case| terraform.configurations(case)).collect::<Vec<_>>())
            })
            .collect();
        parts.into_iter().flat_map(|part| part.join().expect("answers")).collect()
    })
}

#[test]
fn recorded_configurations_agree() {
    let cases = cases();
    let mut answers = recorded(&cases);
    if crate::asked_to_record() {
        let terraform = Terraform::find().expect("the recorded release of terraform on PATH");
        answers = ask(&terraform, &cases).into_iter().map(Some).collect();
        let lines = cases.iter().zip(&answers).map(|(case, answer)| {
            let answer = answer.as_ref().expect("an answer");
            format!("{}\t{}\t{answer}\n", case.name, generated::hash(case))
        });
        fs::write(file("answers.txt"), lines.collect::<String>()).expect("the file of answers");
    }
    let answers: Vec<Reached> = answers
        .into_iter()
        .zip(&cases)
        .map(|(answer, case)| {
            answer.unwrap_or_else(|| panic!("record again, the tree changed: {}", case.name))
        })
        .collect();
    let score = Score::of(&cases, &answers, None);
    println!("{score}");
    assert!(score.apart.is_empty(), "{}", score.apart.join("\n"));
}

#[test]
fn recorded_configurations_are_those_of_terraform() {
    let Some(terraform) = Terraform::find() else { return };
    let cases = cases();
    let answers = recorded(&cases);
    for (case, answer) in cases.iter().zip(answers).step_by(cases.len().div_ceil(SAMPLE)) {
        // The order of errors, and the result of random choices, may change.
        let says = || Some(terraform.configurations(case)) == answer;
        assert!((0..8).any(|_| says()), "terraform says something else now: {}", case.name);
    }
}

#[test]
fn unseen_configurations_can_be_compared() {
    let Ok(seeds) = std::env::var("AGREEMENT_PROVIDERS") else { return };
    let terraform = Terraform::find().expect("the recorded release of terraform on PATH");
    let (from, to) = seeds.split_once(' ').expect("FROM TO");
    let seed = |text: &str| text.parse::<u64>().expect("a number");
    let cases: Vec<Case> = (seed(from)..seed(to)).map(generator::providers).collect();
    let answers = ask(&terraform, &cases);
    if std::env::var_os("AGREEMENT_SHOWN").is_some() {
        cases.iter().zip(&answers).for_each(|(case, answer)| println!("{}\n>>> {answer}", case.tree()));
    }
    let score = Score::of(&cases, &answers, Some(&terraform));
    println!("{}\n{score}", score.apart.join("\n"));
}

/// The agreement of both.
#[derive(Debug, Default)]
struct Score {
    trees: usize,
    refused: usize,
    refused_alike: usize,
    falsely_refused: usize,
    resources: usize,
    right: usize,
    apart: Vec<String>,
}

impl fmt::Display for Score {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { trees, refused, refused_alike, falsely_refused, resources, right, .. } = self;
        write!(
            out,
            "{trees} trees, {refused} refused; refused alike {refused_alike}, false errors {falsely_refused}; \
             {right} of {resources} resources right"
        )
    }
}

impl Score {
    /// Compares the answers. Where answers are random, the engine runs again.
    fn of(cases: &[Case], answers: &[Reached], terraform: Option<&Terraform>) -> Self {
        let mut score = Self::default();
        for ((case, answer), ours) in cases.iter().zip(answers).zip(program::configurations(cases)) {
            let mut apart = score.compare(answer, &ours, true);
            if let Some(terraform) = terraform.filter(|_| !apart.is_empty()) {
                let again = (0..6)
                    .map(|_| terraform.configurations(case))
                    .find(|again| Self::default().compare(again, &ours, false).is_empty());
                if let Some(again) = again {
                    score.compare(answer, &ours, false);
                    apart = score.compare(&again, &ours, true);
                }
            }
            if !apart.is_empty() {
                score.apart.push(format!("{}: {apart}", case.name));
            }
        }
        score
    }

    /// Adds or subtracts one tree, and returns the differences.
    fn compare(&mut self, answer: &Reached, ours: &Ours, adds: bool) -> String {
        let mut apart = String::new();
        let add = |number: &mut usize, holds: bool| {
            if holds {
                *number = if adds { *number + 1 } else { number.wrapping_sub(1) };
            }
        };
        let is_refused = matches!(answer, Reached::Refused(_));
        add(&mut self.trees, true);
        add(&mut self.refused, is_refused);
        add(&mut self.refused_alike, is_refused != ours.errors.is_empty());
        add(&mut self.falsely_refused, !is_refused && !ours.errors.is_empty());
        if is_refused == ours.errors.is_empty() {
            let _ = write!(apart, "terraform: {answer}, here: {:?}", ours.errors);
        }
        let all = match answer {
            Reached::All(all) => all,
            Reached::Refused(summaries) => {
                let [theirs, errors] = [summaries, &ours.errors].map(|all| without_paths(all));
                if !errors.is_empty() && theirs.is_disjoint(&errors) {
                    let _ = write!(apart, "terraform: {summaries:?}, here: {:?}", ours.errors);
                }
                return apart;
            }
        };
        for (resource, configuration) in all {
            let shown = ours.resources.get(resource);
            add(&mut self.resources, true);
            add(&mut self.right, shown == Some(configuration));
            if shown != Some(configuration) {
                let _ = write!(apart, "\n  {resource} uses {configuration}, here {shown:?}");
            }
        }
        for extra in ours.resources.keys().filter(|resource| !all.contains_key(*resource)) {
            let _ = write!(apart, "\n  there is no {extra}");
        }
        apart
    }
}

/// Summaries without the path to a module: the engine visits the calls in random order, and names the first one.
fn without_paths(summaries: &BTreeSet<String>) -> BTreeSet<&str> {
    summaries
        .iter()
        .map(|summary| summary.find("provider[").map_or(summary.as_str(), |at| &summary[at..]))
        .collect()
}

/// The checker's answer about a tree.
#[derive(Debug, Default)]
pub(crate) struct Ours {
    /// The summaries of errors that Terraform would report while building a graph.
    pub(crate) errors: BTreeSet<String>,
    pub(crate) resources: BTreeMap<String, String>,
}

/// A resource in `overrule modules --resources`, and its configuration; both as Terraform writes them.
pub(crate) fn used(resource: &Value) -> (String, String) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let how = text(&resource["how"]);
    let module = text(&resource["configuration"]["module"]);
    let module = if module.is_empty() { module } else { module + "." };
    let alias = resource["alias"].as_str().map(|alias| format!(".{alias}")).unwrap_or_default();
    let configuration = format!("{module}provider[\"{}\"]{alias}", text(&resource["provider"]));
    (text(&resource["address"]), if how == "missing" { how } else { configuration })
}

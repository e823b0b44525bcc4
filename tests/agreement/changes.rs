//! Compares what a change does to plans with `terraform`: the root modules whose plan changes, and existing objects
//! that a plan destroys at one address and creates at another one.
//!
//! The engine applies the repository before the change and plans it after the change. The answers are recorded in
//! `changes.txt`; `AGREEMENT=record cargo test --test agreement changes` records them again, and `AGREEMENT_CHANGES='5000
//! 5100' cargo test --test agreement -- --nocapture unseen_changes` compares changes without recorded answers. To show a
//! single change: `AGREEMENT_CHANGES='5017 5018' AGREEMENT_SHOWN=1`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use serde_json::Value;
use tempfile::TempDir;

use crate::case::{Case, Entry};
use crate::generator::changes::{ROOTS, change};
use crate::terraform::Terraform;
use crate::{ASKERS, generated};

/// The number of recorded changes.
const CHANGES: u64 = 120;

/// The number of recorded answers that are compared with the engine again.
const SAMPLE: usize = 4;

/// The effect of a change on the state of every root module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Effect {
    /// The engine refuses the repository after the change.
    Refused,
    Planned {
        /// The root modules whose plan is not empty.
        affected: BTreeSet<String>,
        /// Objects that are destroyed and created again.
        lost: BTreeSet<Lost>,
    },
}

/// An object that is destroyed at some addresses and created at others.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Lost {
    pub(crate) root: String,
    pub(crate) from: BTreeSet<String>,
    pub(crate) to: BTreeSet<String>,
}

impl Lost {
    /// Whether it has one address before and one after the change, apart from instance keys.
    fn is_unambiguous(&self) -> bool {
        [&self.from, &self.to].iter().all(|addresses| {
            addresses.iter().map(|address| without_keys(address)).collect::<BTreeSet<_>>().len() == 1
        })
    }
}

/// An address without instance keys.
fn without_keys(address: &str) -> String {
    let mut depth = 0;
    let is_outside = |letter: &char| {
        depth += i32::from(*letter == '[');
        let is_outside = depth == 0;
        depth -= i32::from(*letter == ']');
        is_outside
    };
    address.chars().filter(is_outside).collect()
}

impl fmt::Display for Lost {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let listed = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(",");
        write!(out, "{} {} {}", self.root, listed(&self.from), listed(&self.to))
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Planned { affected, lost } = self else { return out.write_str("refused") };
        let (affected, lost) = (affected.iter().cloned(), lost.iter().map(ToString::to_string));
        write!(out, "{}\t{}", affected.collect::<Vec<_>>().join(" "), lost.collect::<Vec<_>>().join("; "))
    }
}

impl Effect {
    fn parse(text: &str) -> Self {
        let Some((affected, lost)) = text.split_once('\t') else { return Self::Refused };
        let words = |text: &str, at: char| {
            text.split(at).filter(|word| !word.is_empty()).map(str::to_owned).collect::<BTreeSet<_>>()
        };
        let lost = lost.split("; ").filter(|lost| !lost.is_empty()).map(|lost| {
            let mut parts = lost.splitn(3, ' ');
            let mut part = || parts.next().expect("a root module and two lists");
            Lost { root: part().to_owned(), from: words(part(), ','), to: words(part(), ',') }
        });
        Self::Planned { affected: words(affected, ' '), lost: lost.collect() }
    }
}

/// The recorded answers about one change.
#[derive(Debug, Clone)]
struct Record {
    effect: Effect,
    /// The effect of the change with the `moved` blocks that `--fix` adds, and a hash of its text.
    fixed: Option<(String, Effect)>,
}

impl Record {
    fn ask(terraform: &Terraform, before: &Case, after: &Case) -> Self {
        let effect = terraform.effect(before, after);
        let fixed = Ours::of(before, after).fixed;
        let fixed = fixed.filter(|_| effect != Effect::Refused);
        Self { effect, fixed: fixed.map(|fixed| (generated::hash(&fixed), terraform.effect(before, &fixed))) }
    }

    fn parse(text: &str) -> Self {
        let (effect, fixed) =
            text.split_once("\t=> ").map_or((text, None), |(effect, fixed)| (effect, Some(fixed)));
        let fixed = fixed.map(|fixed| fixed.split_once('\t').expect("a hash"));
        Self {
            effect: Effect::parse(effect),
            fixed: fixed.map(|(hash, effect)| (hash.to_owned(), Effect::parse(effect))),
        }
    }
}

impl fmt::Display for Record {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.effect)?;
        self.fixed.as_ref().map_or(Ok(()), |(hash, effect)| write!(out, "\t=> {hash}\t{effect}"))
    }
}

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agreement/changes.txt")
}

/// A hash of both repositories.
fn hash(before: &Case, after: &Case) -> String {
    generated::hash(before) + &generated::hash(after)
}

/// Runs `work` for each change on several threads.
fn each<T: Send>(changes: &[(Case, Case)], work: impl Fn(&Case, &Case) -> T + Sync) -> Vec<T> {
    let share = changes.len().div_ceil(ASKERS).max(1);
    thread::scope(|scope| {
        let work = &work;
        let of_part = |part: &[(Case, Case)]| {
            part.iter().map(|(before, after)| work(before, after)).collect::<Vec<_>>()
        };
        let parts: Vec<_> = changes.chunks(share).map(|part| scope.spawn(move || of_part(part))).collect();
        parts.into_iter().flat_map(|part| part.join().expect("answers")).collect()
    })
}

#[test]
fn recorded_changes_agree() {
    let changes: Vec<_> = (0..CHANGES).map(change).collect();
    if crate::asked_to_record() {
        let terraform = Terraform::find().expect("the recorded release of terraform on PATH");
        let records = each(&changes, |before, after| Record::ask(&terraform, before, after));
        let lines = changes
            .iter()
            .zip(records)
            .map(|((before, after), record)| format!("{}\t{}\t{record}\n", after.name, hash(before, after)));
        fs::write(file(), lines.collect::<String>()).expect("the file of answers");
    }
    let records = recorded(&changes);
    let score = Score::of(&changes, &records);
    println!("{score}");
    assert!(score.apart.is_empty(), "{}", score.apart.join("\n"));
    assert!(score.lost > 20 && score.affected > 80 && score.extra * 10 < score.affected, "{score}");
}

#[test]
fn recorded_changes_are_those_of_terraform() {
    let Some(terraform) = Terraform::find() else { return };
    let changes: Vec<_> = (0..CHANGES).map(change).collect();
    let records = recorded(&changes);
    for ((before, after), record) in changes.iter().zip(records).step_by(changes.len().div_ceil(SAMPLE)) {
        assert_eq!(terraform.effect(before, after), record.effect, "{}", after.name);
    }
}

#[test]
fn unseen_changes_can_be_compared() {
    let Ok(seeds) = std::env::var("AGREEMENT_CHANGES") else { return };
    let terraform = Terraform::find().expect("the recorded release of terraform on PATH");
    let (from, to) = seeds.split_once(' ').expect("FROM TO");
    let seed = |text: &str| text.parse::<u64>().expect("a number");
    let changes: Vec<_> = (seed(from)..seed(to)).map(change).collect();
    let records = each(&changes, |before, after| Record::ask(&terraform, before, after));
    if std::env::var_os("AGREEMENT_SHOWN").is_some() {
        for ((before, after), record) in changes.iter().zip(&records) {
            println!("{}\n{}\n>>> {record}", before.tree(), after.tree());
        }
    }
    let score = Score::of(&changes, &records);
    println!("{}\n{score}", score.apart.join("\n"));
}

/// The recorded answers.
///
/// # Panics
/// If a change has another text than the recorded one.
fn recorded(changes: &[(Case, Case)]) -> Vec<Record> {
    let text = fs::read_to_string(file()).expect("the file of answers");
    let mut records = BTreeMap::new();
    for line in text.lines() {
        let (name, rest) = line.split_once('\t').expect("a name");
        records.insert(name, rest.split_once('\t').expect("a hash"));
    }
    let of_change = |(before, after): &(Case, Case)| {
        let record =
            records.get(after.name.as_str()).filter(|(recorded, _)| *recorded == hash(before, after));
        let (_, record) =
            record.unwrap_or_else(|| panic!("record again, the change is another one: {}", after.name));
        Record::parse(record)
    };
    changes.iter().map(of_change).collect()
}

/// The agreement of both.
#[derive(Debug, Default)]
struct Score {
    changes: usize,
    /// Affected root modules, and further ones that are affected here.
    affected: usize,
    extra: usize,
    /// Changes that lose objects.
    lost: usize,
    /// Changes whose fix loses nothing.
    fixed: usize,
    apart: Vec<String>,
}

impl fmt::Display for Score {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { changes, affected, extra, lost, fixed, apart } = self;
        let apart = apart.len();
        write!(
            out,
            "{changes} changes affect {affected} root modules, and {extra} more here; {lost} lose objects, of which {fixed} are fixed; \
             {apart} differences"
        )
    }
}

impl Score {
    fn of(changes: &[(Case, Case)], records: &[Record]) -> Self {
        let mut score = Self::default();
        let all = each(changes, Ours::of);
        for (((_, after), record), ours) in changes.iter().zip(records).zip(all) {
            let Effect::Planned { affected, lost } = &record.effect else { continue };
            score.changes += 1;
            score.affected += affected.len();
            let mut apart = |what: String| score.apart.push(format!("{}: {what}", after.name));
            if !affected.is_subset(&ours.affected) {
                apart(format!("terraform plans changes in {affected:?}, here {:?}", ours.affected));
            }
            score.extra += ours.affected.difference(affected).count();
            let names: Vec<String> = lost.iter().map(ToString::to_string).collect();
            match (lost.iter().any(Lost::is_unambiguous), ours.findings.is_empty()) {
                (true, true) => apart(format!("missing: {}", names.join("; "))),
                (false, false) if lost.is_empty() => {
                    apart(format!("nothing is lost, but: {:?}", ours.findings));
                }
                _ => {}
            }
            score.lost += usize::from(!lost.is_empty());
            match (&record.fixed, ours.fixed) {
                (None, None) => {}
                (Some((hash, effect)), Some(fixed)) if generated::hash(&fixed) == *hash => match effect {
                    Effect::Refused => score.apart.push(format!("{}: the fix is refused", after.name)),
                    Effect::Planned { lost, .. } if lost.is_empty() => score.fixed += 1,
                    Effect::Planned { lost, .. }
                        if lost.iter().any(Lost::is_unambiguous) && !ours.remains =>
                    {
                        let names: Vec<String> = lost.iter().map(ToString::to_string).collect();
                        score.apart.push(format!("{}: lost after the fix: {}", after.name, names.join("; ")));
                    }
                    Effect::Planned { .. } => {}
                },
                _ => score.apart.push(format!("{}: record again, the fix is another one", after.name)),
            }
        }
        score
    }
}

/// The checker's answer about a change.
struct Ours {
    affected: BTreeSet<String>,
    findings: Vec<String>,
    /// The repository after `--fix=unsafe`, if that changes it.
    fixed: Option<Case>,
    /// Whether a finding remains after the fix.
    remains: bool,
}

impl Ours {
    fn of(before: &Case, after: &Case) -> Self {
        let place = staged(before, after);
        let affected = run(place.path(), &["affected", "--changed", "--format", "paths"]);
        let findings = findings(place.path(), &[]);
        let remains = !self::findings(place.path(), &["--fix=unsafe"]).is_empty();
        let entries = after.entries.iter().map(|entry| {
            let text = fs::read_to_string(place.path().join(&entry.path)).expect("a file");
            Entry::plain(&entry.path, text)
        });
        let fixed = Case::new(&after.name, entries.collect());
        Self {
            affected: affected.lines().map(str::to_owned).collect(),
            findings,
            fixed: (fixed.tree() != after.tree()).then_some(fixed),
            remains,
        }
    }
}

/// A repository with one commit, and the change in the index and the working tree.
fn staged(before: &Case, after: &Case) -> TempDir {
    let place = tempfile::tempdir().expect("a temporary directory");
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]).args(arguments);
        let output =
            git.current_dir(place.path()).env("GIT_CONFIG_NOSYSTEM", "1").output().expect("git runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    before.lay_out(place.path());
    git(&["init", "--quiet"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "--message", "before"]);
    replace(place.path(), before, after);
    git(&["add", "--all", "."]);
    place
}

/// Replaces the files of one repository by those of another one.
fn replace(directory: &Path, before: &Case, after: &Case) {
    for entry in &before.entries {
        fs::remove_file(directory.join(&entry.path)).expect("a file");
    }
    after.lay_out(directory);
}

fn findings(directory: &Path, arguments: &[&str]) -> Vec<String> {
    let all =
        ["check", "--changed", "--isolated", "--select", "moved-without-moved-block", "--format", "concise"];
    let output = run(directory, &[&all, arguments].concat());
    output.lines().filter(|line| line.contains("moved-without-moved-block")).map(str::to_owned).collect()
}

fn run(directory: &Path, arguments: &[&str]) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_overrule"));
    let output = program.args(arguments).current_dir(directory).output().expect("the program runs");
    assert_ne!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

impl Terraform {
    /// The effect of a change on the root modules of [`ROOTS`].
    pub(crate) fn effect(&self, before: &Case, after: &Case) -> Effect {
        let place = tempfile::tempdir().expect("a temporary directory");
        let top = place.path().join("repository");
        fs::create_dir(&top).expect("a new directory");
        before.lay_out(&top);
        for root in ROOTS {
            let applied = self.in_root(place.path(), root, &["apply", "-auto-approve"]);
            assert!(applied.is_some(), "not valid before the change: {}", before.name);
        }
        replace(&top, before, after);
        let (mut affected, mut lost) = (BTreeSet::new(), BTreeSet::new());
        for root in ROOTS {
            let is_planned = self.in_root(place.path(), root, &["plan", "-out=../../../planned"]).is_some();
            let plan =
                is_planned.then(|| self.in_root(place.path(), root, &["show", "-json", "../../../planned"]));
            let Some(plan) = plan.flatten() else { return Effect::Refused };
            let plan: Value = serde_json::from_str(&plan).expect("a plan");
            let elements = |of: &Value| of.as_array().cloned().unwrap_or_default();
            let resources = elements(&plan["resource_changes"]);
            let outputs = plan["output_changes"].as_object().cloned().unwrap_or_default();
            let is_change = |change: &Value| !matches!(change["actions"][0].as_str(), Some("no-op" | "read"));
            let is_affected =
                resources.iter().any(|it| is_change(&it["change"]) || it["previous_address"].is_string())
                    || outputs.values().any(is_change);
            if is_affected {
                affected.insert(root.to_owned());
            }
            lost.extend(destroyed_and_created(root, &resources));
        }
        Effect::Planned { affected, lost }
    }

    /// Runs a command in a root module, after `init`. Returns `None` if one of them fails.
    fn in_root(&self, place: &Path, root: &str, arguments: &[&str]) -> Option<String> {
        let mut output = String::new();
        let init = ["init", "-input=false"];
        let is_first = arguments[0] != "show";
        for arguments in [&init[..], arguments].into_iter().skip(usize::from(!is_first)) {
            let mut command = self.command();
            command.args(arguments).current_dir(place.join("repository").join(root)).env("HOME", place);
            let command = command.env("TF_DATA_DIR", place.join(root.replace('/', "-")));
            let ran = command.output().expect("terraform runs");
            if !ran.status.success() {
                return None;
            }
            output = String::from_utf8(ran.stdout).expect("UTF-8");
        }
        Some(output)
    }
}

/// The objects that a plan destroys and creates. The start of their inputs identifies them.
fn destroyed_and_created(root: &str, resources: &[Value]) -> Vec<Lost> {
    let mut objects: BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)> = BTreeMap::new();
    for resource in resources {
        let change = &resource["change"];
        let actions: Vec<&str> =
            change["actions"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let identity = |of: &Value| {
            let input = of["input"].as_str().unwrap_or_default();
            input.split('-').next().unwrap_or_default().to_owned()
        };
        let address = resource["address"].as_str().unwrap_or_default().to_owned();
        match actions[..] {
            ["delete"] => objects.entry(identity(&change["before"])).or_default().0.insert(address),
            ["create"] => objects.entry(identity(&change["after"])).or_default().1.insert(address),
            _ => continue,
        };
    }
    let lost = objects.into_values().filter(|(from, to)| !from.is_empty() && !to.is_empty());
    lost.map(|(from, to)| Lost { root: root.to_owned(), from, to }).collect()
}

//! A change of connected modules: a check of the change finds in the affected modules what a check of all modules
//! finds there, and reports exactly the new findings.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use overrule::check::{Checked, Outcome, Settings, Verdict, run, run_change};
use overrule::policy::Policy;
use overrule::rules::ENTRIES;
use overrule::text::Sources;
use overrule::vfs::{Change, Snapshot};

use super::connected::{Modules, Numbers};

/// The two revisions that the repository has.
const BEFORE: &str = "before";
const NOW: &str = "now";

/// The files of a revision with their paths.
type Files = Vec<(String, Vec<u8>)>;

/// By module and rule: the findings, sorted.
type Found = BTreeMap<(String, String), Vec<String>>;

/// Panics if a property is violated for the modules and edits that these bytes stand for.
pub fn holds(bytes: &[u8]) {
    let mut numbers = Numbers(bytes);
    let mut modules = Modules::generate(&mut numbers);
    for _ in 0..4 {
        modules.edit(&mut numbers);
    }
    let before = modules.files();
    modules.edit(&mut numbers);
    modules.edit(&mut numbers);
    let now = modules.files();
    let (was, is) = (whole(&before), whole(&now));
    let repository = tempfile::tempdir().expect("a temporary directory");
    commit(repository.path(), [(BEFORE, &before), (NOW, &now)]);
    let change = Change::between(repository.path(), BEFORE, NOW).expect("two revisions");
    all_of_the_affected(&checked(&change, true), &is);
    only_new(&found(&checked(&change, false)), &was, &is);
}

/// A check that also reports existing findings equals a check of all modules, in the modules that it checks.
fn all_of_the_affected(checked: &Checked, is: &Found) {
    let mut expected = is.clone();
    expected.retain(|(module, _), _| checked.affected.contains(module.as_str()));
    assert_eq!(found(checked), expected, "all findings in the affected modules");
}

/// No new finding is missed, and nothing is reported in a module that had the same findings before. Equal findings of
/// one rule in one module are numbered, so either of them may count as the new one.
fn only_new(reported: &Found, was: &Found, is: &Found) {
    for (place, findings) in reported {
        let all = is.get(place).unwrap_or_else(|| panic!("{place:?} is not found by a full check"));
        assert!(findings.iter().all(|finding| all.contains(finding)), "a full check finds {findings:?}");
        assert_ne!(was.get(place), Some(all), "{place:?} is not new");
    }
    for (place, findings) in is.iter().filter(|(place, _)| !was.contains_key(*place)) {
        assert_eq!(reported.get(place), Some(findings), "{place:?} is new");
    }
}

static STRICT: LazyLock<Settings> =
    LazyLock::new(|| Settings { policy: Policy::preset("strict").expect("a preset"), ..Settings::default() });

/// The findings of a check of all modules.
fn whole(files: &Files) -> Found {
    let mut snapshot = Snapshot::of_files(files.clone());
    let outcome = run(&mut snapshot, &STRICT);
    in_words(&outcome, snapshot.sources())
}

fn checked(change: &Change, all: bool) -> Checked {
    run_change(change, change.unread().sources(), &STRICT, &[String::new()], all).expect("a change")
}

fn found(checked: &Checked) -> Found {
    in_words(&checked.outcome, checked.snapshot.sources())
}

/// The findings in a form that does not depend on line numbers, without those of rules that compare two states.
fn in_words(outcome: &Outcome, sources: &Sources) -> Found {
    let compares_states = |rule: &str| ENTRIES.iter().any(|entry| entry.id == rule && !entry.is_steady);
    let mut found = Found::new();
    for verdict in &outcome.verdicts {
        let Verdict { finding, level, product, .. } = verdict;
        let rule = finding.rule.as_str();
        if compares_states(rule) {
            continue;
        }
        let line = |span| sources.slice(span).lines().next().unwrap_or_default().to_owned();
        let at = finding.primary.map(line).unwrap_or_default();
        // Only a comparison of both states knows why a module is missing.
        let detail = if rule == "missing-module" { "" } else { &finding.detail };
        let words = format!("{} | {} | {at} | {detail} | {product:?}", level.name(), finding.address);
        found.entry((finding.module.to_string(), rule.to_owned())).or_default().push(words);
    }
    for findings in found.values_mut() {
        findings.sort_unstable();
    }
    found
}

/// Creates a repository with one commit after the other.
fn commit(directory: &Path, revisions: [(&str, &Files); 2]) {
    let mut stream = Vec::new();
    for (name, files) in revisions {
        let mut head = format!("commit refs/heads/{name}\ncommitter a <a@example.com> 0 +0000\ndata 0\n");
        if name == NOW {
            let _ = writeln!(head, "from refs/heads/{BEFORE}");
        }
        stream.extend_from_slice(head.as_bytes());
        stream.extend_from_slice(b"deleteall\n");
        for (path, text) in files {
            stream.extend_from_slice(format!("M 100644 inline {path}\ndata {}\n", text.len()).as_bytes());
            stream.extend_from_slice(text);
            stream.push(b'\n');
        }
    }
    git(directory, &["init", "--quiet"], &[]);
    git(directory, &["fast-import", "--quiet"], &stream);
}

/// Runs git without the settings of the user.
fn git(directory: &Path, arguments: &[&str], input: &[u8]) {
    let mut command = Command::new("git");
    command.args(arguments).current_dir(directory).stdin(Stdio::piped());
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", directory);
    let mut running = command.spawn().expect("git");
    running.stdin.take().expect("its input").write_all(input).expect("it reads");
    assert!(running.wait().expect("its end").success(), "git {arguments:?}");
}

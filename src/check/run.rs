//! Turns a work tree into what a run came to.

use std::collections::BTreeSet;

use super::engines;
use super::rulebook::Rulebook;
use super::verdict::in_scope;
use super::{Outcome, Settings, judge};
use crate::engine::Engine;
use crate::source::Worktree;

/// Checks every module of a work tree, and tells what has a place in its scope.
pub fn run(worktree: &mut Worktree, settings: &Settings) -> Outcome {
    let mut findings = Vec::new();
    let mut policy = settings.policy.clone();
    settings.select.iter().for_each(|rule| policy.turn_on(rule.as_str()));
    let settings = &Settings { policy, ..settings.clone() };
    let rulebook = Rulebook::new(&settings.policy, &settings.select, &mut findings);
    let seen = engines::look(worktree, settings.engines.as_ref().or(settings.policy.engine()), &rulebook);
    let (modules, files) = extent(worktree, &seen.engines);
    let unreadable = worktree.findings().iter().cloned().map(|finding| (finding, None));
    Outcome {
        verdicts: judge(
            unreadable
                .chain(findings.into_iter().map(|finding| (finding, None)))
                .chain(seen.findings)
                .collect(),
            worktree.sources(),
            worktree.scope(),
            settings,
        ),
        modules,
        files,
        engine: seen.engines.iter().map(|engine| engine.word().to_string()).collect::<Vec<_>>().join(", "),
    }
}

/// How many modules, and how many of their files, lie in the scope of a run.
fn extent(worktree: &Worktree, engines: &[Engine]) -> (usize, usize) {
    let (mut modules, mut files) = (0, 0);
    for folder in worktree.folders() {
        let names: BTreeSet<String> = engines
            .iter()
            .flat_map(|engine| folder.module_files(*engine))
            .map(|(file, _)| join(&folder.path, &file.name))
            .filter(|name| in_scope(name, worktree.scope()))
            .collect();
        modules += usize::from(!names.is_empty());
        files += names.len();
    }
    (modules, files)
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

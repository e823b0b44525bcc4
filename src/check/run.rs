//! Turns a work tree into what a run came to.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::verdict::in_scope;
use super::{Outcome, Settings, judge};
use crate::engine::{Engine, Product};
use crate::finding::Finding;
use crate::source::{Folder, Worktree};
use crate::syntax;

/// Checks every module of a work tree, and tells what has a place in its scope.
pub fn run(worktree: &mut Worktree, settings: &Settings) -> Outcome {
    let engines = match &settings.engines {
        Some(choice) => choice.engines().to_vec(),
        None => Product::ALL.map(Engine::newest).to_vec(),
    };
    let folders = worktree.folders();
    let found: Vec<Vec<Finding>> =
        folders.par_iter().map(|folder| read(folder, worktree, &engines)).collect();
    let findings = worktree.findings().iter().cloned().chain(found.into_iter().flatten()).collect();
    let (modules, files) = extent(worktree, &engines);
    Outcome {
        verdicts: judge(findings, worktree.sources(), worktree.scope(), settings),
        modules,
        files,
        engine: engines.iter().map(|engine| engine.word().to_string()).collect::<Vec<_>>().join(", "),
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

/// What the parser says of the files that any of the engines loads, each read once.
fn read(folder: &Folder, worktree: &Worktree, engines: &[Engine]) -> Vec<Finding> {
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    for (file, loaded) in engines.iter().flat_map(|engine| folder.module_files(*engine)) {
        let Some(id) = file.id.filter(|id| seen.insert(*id)) else { continue };
        let (_, found) = syntax::parse(id, worktree.sources().get(id), loaded.notation);
        findings.extend(found.into_iter().map(|finding| finding.module(folder.path.clone())));
    }
    findings
}

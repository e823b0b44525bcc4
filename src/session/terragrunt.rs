//! Reads Terragrunt units, and finds the modules that they run.
//!
//! Terragrunt copies a module, generates files into the copy, and runs an engine there. Its language is not evaluated
//! in full: the `source` of a unit and the generated files are read if they consist of literals and of functions for
//! paths. The rest is unknown, and nothing is reported about additions by units.

mod contents;
mod files;
mod named;
mod paths;
mod pattern;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use smol_str::SmolStr;

use crate::finding::{EngineRule, Finding, Severity};
use crate::limits::Limits;
use crate::module::terragrunt::{Generated, RunBy};
use crate::session::terragrunt::files::Files;
use crate::session::terragrunt::paths::{Read, Scope, Target};
use crate::session::terragrunt::pattern::Patterns;
use crate::text::{Sources, Span};
use crate::vfs::{Change, Excerpt, Snapshot, State, parent};
pub(crate) use named::that_name_one;

/// The modules that the units of a repository run.
#[derive(Debug, Default)]
pub(crate) struct Units {
    /// By directory: the units that run the module there, and the files that they generate.
    modules: BTreeMap<SmolStr, RunBy>,
    /// The modules that units with partly unknown sources may run.
    patterns: Patterns,
    /// By path of a file that units read: the modules that these units run.
    read: BTreeMap<SmolStr, BTreeSet<SmolStr>>,
    /// By path of a file that units read: these units.
    readers: BTreeMap<SmolStr, BTreeSet<SmolStr>>,
}

impl Units {
    /// Reads the units of a repository, and the files that they include or copy.
    pub(crate) fn of(snapshot: &Snapshot) -> Self {
        let mut units = Self::default();
        let paths = snapshot.unit_files();
        if paths.is_empty() {
            return units;
        }
        let mut files = Files::of_units(snapshot);
        for path in paths {
            units.add(path, &mut files);
        }
        units
    }

    fn add(&mut self, path: &SmolStr, files: &mut Files<'_>) {
        let Some(unit) = files.parsed(path) else { return };
        let directory = SmolStr::new(parent(path).unwrap_or_default());
        let mut scope = Scope::new(path, &directory, &unit, files);
        let target = scope.target();
        let source = scope.source_place();
        let mut generated = scope.generated();
        let Read { files: read, copied } = scope.read;
        for file in read.iter().chain([path]) {
            self.readers.entry(file.clone()).or_default().insert(path.clone());
        }
        // A directory whose files are copied does not have to be a module.
        for copied in copied {
            self.modules.entry(copied).or_default().with(None, &Generated::unknown());
        }
        let has_module = files.snapshot.holds_module(&directory);
        let target = target.or_else(|| has_module.then(|| Target::Module(directory.clone())));
        if has_module && target.as_ref() != Some(&Target::Module(directory.clone())) {
            // Terragrunt copies the files beside a unit into the module that it runs.
            generated = Generated::unknown();
            self.modules.entry(directory).or_default().with(None, &generated);
        }
        match target {
            Some(Target::Module(module)) => {
                for path in read.into_iter().chain([path.clone()]) {
                    self.read.entry(path).or_default().insert(module.clone());
                }
                self.modules.entry(module).or_default().with(Some(path), &generated);
            }
            Some(Target::Pattern(pattern)) => self.patterns.add(&pattern, &generated, source.as_ref()),
            Some(Target::Remote(pattern)) => self.patterns.add(&pattern, &generated, None),
            Some(Target::Elsewhere) | None => {}
        }
    }

    /// Whether the repository has no units.
    pub(crate) fn is_empty(&self) -> bool {
        self.readers.is_empty()
    }

    /// The units that run the module in a directory, and the files that they generate.
    pub(crate) fn that_run(&self, directory: &str) -> RunBy {
        let mut run_by = self.modules.get(directory).cloned().unwrap_or_default();
        if let Some(generated) = self.patterns.matching(directory) {
            run_by.with(None, &generated);
        }
        run_by
    }

    /// The files that units generate which may run any module.
    pub(crate) fn anywhere(&self) -> Option<&Generated> {
        self.patterns.anywhere()
    }

    /// The notice about units with an unknown `source`, if they hold back errors in these modules.
    pub(crate) fn notice<'m>(
        &self,
        modules: impl Iterator<Item = &'m str>,
        snapshot: &mut Snapshot,
    ) -> Option<Finding> {
        let sources = self.patterns.unknown_sources(modules);
        let (path, (start, end)) = *sources.first()?;
        let file = snapshot.show(path)?;
        let others = match sources.len() - 1 {
            0 => String::new(),
            1 => " One other `source` is unknown, too.".to_owned(),
            more => format!(" {more} others are unknown, too."),
        };
        let summary = "Module of a Terragrunt unit is unknown";
        let finding = Finding::language(EngineRule::UndeclaredReference, summary)
            .severity(Severity::Notice)
            .at(Span::new(file, *start..*end))
            .detail(format!(
                "overrule cannot evaluate this `source`, so it does not know which module gets the files that the unit \
                 generates. It reports no undeclared references in the modules that the unit may run.{others}"
            ))
            .help("write `source` without environment variables and the output of commands");
        Some(finding.module(parent(path).unwrap_or_default()))
    }

    /// The units that read a file, and those that read their files in turn.
    pub(crate) fn that_read(&self, path: &str) -> Vec<SmolStr> {
        self.readers.get(path).into_iter().flatten().cloned().collect()
    }

    /// The modules that a change to Terragrunt files can affect.
    pub(crate) fn touched_by(&self, paths: &BTreeSet<String>) -> BTreeSet<String> {
        let modules = paths.iter().filter_map(|path| self.read.get(path.as_str()));
        modules.flatten().map(ToString::to_string).collect()
    }
}

/// The units before and after a change.
#[derive(Debug, Clone, Default)]
pub(crate) struct ChangedUnits {
    pub(crate) before: Arc<Units>,
    pub(crate) now: Arc<Units>,
    /// The modules whose units read a file that the change alters.
    pub(crate) touched: BTreeSet<String>,
}

impl ChangedUnits {
    /// Reads the units of both states.
    pub(crate) fn of(change: &Change) -> Self {
        let open = |state| change.open(state, &Excerpt::default(), &Limits::default(), &Sources::default());
        let states = [State::Before, State::Now].map(open);
        if states.iter().all(|state| state.unit_files().is_empty()) {
            return Self::default();
        }
        let [before, after] = states;
        let now = Arc::new(Units::of(&after));
        let paths: BTreeSet<String> = change.paths().collect();
        let may_concern_units =
            |path: &String| is_configuration(path) || now.readers.contains_key(path.as_str());
        let is_same = !paths.iter().any(may_concern_units);
        let before = if is_same { now.clone() } else { Arc::new(Units::of(&before)) };
        let mut touched = before.touched_by(&paths);
        touched.extend(now.touched_by(&paths));
        Self { before, now, touched }
    }
}

/// Whether a file name may be one of Terragrunt, or of values for it.
fn is_configuration(path: &str) -> bool {
    [".hcl", ".json", ".yaml", ".yml"].iter().any(|end| path.strip_suffix(end).is_some())
}

#[cfg(test)]
mod tests;

//! Finds the units whose configuration names a file that a change alters.
//!
//! Inputs are not evaluated. A unit may depend on each file whose path is in a string of its configuration, or is the
//! argument of a function, and on each file in its directory, because Terragrunt copies these.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use smol_str::SmolStr;

use crate::session::reads::{Paths, is_match};
use crate::session::terragrunt::files::Files;
use crate::session::terragrunt::paths::{At, READ, Scope, TOP, UNKNOWN, pattern_from_top};
use crate::syntax::{Call, Expr, ExprKind};
use crate::value::Function;
use crate::vfs::{Snapshot, ancestors, last_name, parent};

/// The functions of Terragrunt whose first argument is the path of a file.
const OF_FILES: [&str; 2] = ["read_tfvars_file", "sops_decrypt_file"];

/// The function whose arguments are a directory and a pattern.
const OF_DIRECTORY: &str = "fileset";

/// Those of some units that may depend on one of the changed paths, each with the first such path.
pub(crate) fn that_name_one(
    snapshot: &Snapshot,
    units: &[SmolStr],
    paths: &Paths,
) -> BTreeMap<SmolStr, SmolStr> {
    if units.is_empty() || paths.all.is_empty() {
        return BTreeMap::new();
    }
    let changed = Changed::of(paths);
    let mut files = Files::of_units(snapshot);
    let named = |path: &SmolStr| {
        let unit = files.parsed(path)?;
        let directory = parent(path).unwrap_or_default();
        let mut scope = Scope::new(path, directory, &unit, &mut files);
        // Without a `source`, the files of the directory belong to the module there, or are not copied.
        let has_source = scope.merged().iter().any(|(file, _)| file.source.is_some());
        let beside = has_source.then(|| changed.beside(directory)).flatten();
        let file = beside.or_else(|| {
            let named = scope.names().iter().find_map(|name| changed.first(name, directory));
            named.or_else(|| changed.around(directory).next().filter(|_| scope.has_stopped()))
        });
        Some((path.clone(), file?.into()))
    };
    units.iter().filter_map(named).collect()
}

/// The changed paths, also by directory.
struct Changed<'p> {
    paths: &'p Paths,
    by_directory: HashMap<&'p str, Vec<&'p str>>,
}

impl<'p> Changed<'p> {
    fn of(paths: &'p Paths) -> Self {
        let mut by_directory: HashMap<&str, Vec<&str>> = HashMap::new();
        for path in &paths.all {
            by_directory.entry(parent(path).unwrap_or_default()).or_default().push(path);
        }
        Self { paths, by_directory }
    }

    fn in_directory(&self, directory: &str) -> impl Iterator<Item = &'p str> {
        self.by_directory.get(directory).into_iter().flatten().copied()
    }

    /// The changed files in a directory and in those around it.
    fn around<'a>(&'a self, directory: &'a str) -> impl Iterator<Item = &'p str> + 'a {
        ancestors(directory).flat_map(|directory| self.in_directory(directory))
    }

    /// The first changed file in the directory of a unit that a plan may depend on.
    fn beside(&self, directory: &str) -> Option<&'p str> {
        self.in_directory(directory).find(|path| path.strip_suffix(".md").is_none())
    }

    /// The first changed file that a path, partly unknown, may mean in the configuration of a unit.
    fn first(&self, pattern: &str, unit: &str) -> Option<&'p str> {
        let Some((start, _)) = pattern.split_once(UNKNOWN) else {
            // Above a file, only a symbolic link can be a changed path.
            return ancestors(pattern).find_map(|path| self.paths.all.get(path)).map(String::as_str);
        };
        let is_meant = |path: &&str| is_match(pattern, path, UNKNOWN);
        if start.contains('/') {
            let from = self.paths.all.range(start.to_owned()..).map(String::as_str);
            return from.take_while(|path| path.starts_with(start)).find(is_meant);
        }
        // An unknown part at the end may be anything, not only the name of a file.
        let name = last_name(pattern);
        name.rsplit(UNKNOWN).next().filter(|end| end.contains('.'))?;
        // Many directories have a file of this name. Those around the unit are the likely ones.
        let around = self.around(unit).find(is_meant);
        let has_directory =
            parent(pattern).is_some_and(|of| !of.is_empty() && !last_name(of).contains(UNKNOWN));
        let elsewhere = || self.paths.by_name(name).iter().map(String::as_str).find(is_meant);
        around.or_else(|| elsewhere().filter(|_| has_directory))
    }
}

impl Scope<'_, '_> {
    /// The paths from the top of the repository that the configuration names, also in files that it includes or reads.
    fn names(&mut self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        let included = (0..self.includes.len()).map(At::Included);
        for at in std::iter::once(At::Unit).chain(included) {
            self.names_in(at, &mut names);
        }
        let mut number = 0;
        while number < self.configurations.len() {
            self.names_in(At::Read(number), &mut names);
            number += 1;
        }
        names
    }

    fn names_in(&mut self, at: At, names: &mut BTreeSet<String>) {
        let file = self.file_at(at);
        file.body.for_each_expression(&mut |expr| {
            expr.walk(&mut |inner, _| self.names_of(inner, at, names));
        });
    }

    fn names_of(&mut self, expr: &Expr, at: At, names: &mut BTreeSet<String>) {
        let name = match &expr.kind {
            ExprKind::Template(_) | ExprKind::JsonString(_) => self.text(expr, at),
            ExprKind::Call(call) => match self.named_by(call, expr, at) {
                Some(name) => name,
                None => return,
            },
            _ => return,
        };
        // An argument of a command may contain a path: `-var-file=…`.
        let name = match name.rfind(TOP) {
            Some(top) => &name[top..],
            None => name.strip_prefix('-').and_then(|it| Some(it.split_once('=')?.1)).unwrap_or(&name),
        };
        for directory in BTreeSet::from([self.directory(At::Unit), self.directory(at)]) {
            names.extend(pattern_from_top(name, &directory));
        }
        if name.starts_with(UNKNOWN) {
            names.insert(name.to_owned());
        }
    }

    /// The path that a call leads to.
    fn named_by(&mut self, call: &Call, expr: &Expr, at: At) -> Option<String> {
        let first = call.arguments.first();
        let name = call.name.as_str();
        if name == "find_in_parent_folders" {
            return Some(self.text(expr, at));
        }
        if name == READ {
            let path = self.text(first?, at);
            self.configuration(&path, at);
            return Some(path);
        }
        let is_reader = Function::reads_files(name) || OF_FILES.contains(&name);
        let path = is_reader.then(|| self.text(first.unwrap_or(expr), at))?;
        Some(if name == OF_DIRECTORY { format!("{path}/{UNKNOWN}") } else { path })
    }
}

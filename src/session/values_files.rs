//! Loads files with variable values and dependency lock files.

use rayon::prelude::*;
use smol_str::SmolStr;

use crate::engine::{Companion, Engine, Product, is_automatic_values_file};
use crate::finding::{Finding, set_module};
use crate::limits::Limits;
use crate::module::lock;
use crate::module::values::{self, ValuesFile};
use crate::session::fragments::templates::has_placeholder;
use crate::session::parse_cache::ParseCache;
use crate::syntax::{self, File, Notation};
use crate::text::{FileId, Source};
use crate::vfs::{Snapshot, last_name};

/// The values that files set for the module in a directory. Encrypted files and those with syntax errors are unknown.
pub(crate) fn of_module(directory: &str, snapshot: &Snapshot, cache: &ParseCache) -> Vec<ValuesFile> {
    let files = cache.companions.of_module(directory).iter();
    files.filter_map(|(path, id)| read(path, *id, snapshot, cache)).collect()
}

/// Reads a parsed file with variable values. `None` if it is encrypted or has errors.
pub(super) fn read(
    path: &SmolStr,
    id: FileId,
    snapshot: &Snapshot,
    cache: &ParseCache,
) -> Option<ValuesFile> {
    let file = cache.file(id)?;
    if cache.syntax_errors(id).next().is_some() || values::is_encrypted(snapshot.sources().get(id).text()) {
        return None;
    }
    let mut wrong = Vec::new();
    let arguments = values::arguments(&file.body, false, &mut wrong);
    // An engine takes no value from a file with an error.
    wrong.is_empty().then(|| ValuesFile {
        path: path.clone(),
        is_automatic: is_automatic_values_file(last_name(path)),
        arguments,
    })
}

/// Checks the files beside modules, each by itself. Those that `kept` selects stay in the cache.
pub(crate) fn check(
    snapshot: &Snapshot,
    limits: &Limits,
    cache: &mut ParseCache,
    kept: impl Fn(&Source) -> bool + Sync,
) -> Vec<Finding> {
    let values = snapshot.companions().filter(|(_, file)| file.kind == Companion::Values);
    let values = values.filter_map(|(directory, file)| {
        Some((snapshot.owner(directory).unwrap_or(directory), file.id?, Some(file.kind)))
    });
    let locks = snapshot.directories().iter();
    let locks = locks.filter_map(|directory| Some((directory.path.as_str(), directory.lock?, None)));
    let files: Vec<(&str, FileId, Option<Companion>)> = values.chain(locks).collect();
    let read = |(module, id, kind): &(&str, FileId, Option<Companion>)| {
        let source = snapshot.sources().get(*id);
        if values::is_encrypted(source.text()) {
            return None;
        }
        let (file, mut findings) = match kind {
            Some(_) => values_file(*id, source, limits),
            None => lock::check(*id, source, &Engine::newest(Product::Terraform).features(), limits),
        };
        set_module(&mut findings, &(*module).into());
        Some((*id, kept(source).then_some(file), findings))
    };
    let read: Vec<_> = files.par_iter().filter_map(read).collect();
    let mut all = Vec::new();
    for (id, file, findings) in read {
        all.extend(findings);
        if let Some(file) = file {
            cache.keep(id, file);
        }
    }
    all
}

fn values_file(id: FileId, source: &Source, limits: &Limits) -> (File, Vec<Finding>) {
    let (file, mut findings) = syntax::parse(id, source, Notation::of(source.name()), limits);
    if has_placeholder(source, &findings) {
        return (file, Vec::new());
    }
    let is_broken = !findings.is_empty();
    values::arguments(&file.body, is_broken, &mut findings);
    (file, findings.into_iter().map(Finding::at_plan).collect())
}

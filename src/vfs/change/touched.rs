//! Finds the directories of the modules that a change touches.

use std::collections::BTreeSet;

use gix::ObjectId;
use gix::bstr::ByteSlice;
use smol_str::SmolStr;

use super::difference::Difference;
use crate::engine::{Companion, Signal};
use crate::limits::Limits;
use crate::text::file_name::{decode, encode};
use crate::vfs::git::tree::{Item, ItemKind, Overview, Reading, matters};
use crate::vfs::listing::{Kind, Listing};
use crate::vfs::path::{ancestors, parent};
use crate::vfs::read::{Failure, Files};
use crate::vfs::tested_by;

/// Collects the touched directories.
pub(super) struct Touched<'s> {
    pub(super) before: Reading<'s>,
    pub(super) now: Reading<'s>,
    /// The content of the later state.
    pub(super) overview: &'s Overview,
}

/// What a directory shows in addition to its module files.
#[derive(PartialEq)]
struct Beside {
    signals: Vec<Signal>,
    has_lock_file: bool,
    lock: Option<String>,
    misnamed: Vec<(SmolStr, ObjectId)>,
    companions: Vec<(SmolStr, ObjectId)>,
    lacks_rendered_files: bool,
}

impl Touched<'_> {
    /// The directories of changed modules, and paths that a call may name and that appear or disappear.
    pub(super) fn by(&self, differences: &[Difference]) -> Result<BTreeSet<String>, Failure> {
        let mut touched = BTreeSet::new();
        let mut looked_at: BTreeSet<String> = BTreeSet::new();
        for Difference { path, was, is } in differences {
            let text = decode(path);
            let directory = parent(&text).unwrap_or_default();
            let is_other =
                |item: &Option<Item>| item.as_ref().is_some_and(|item| item.kind != ItemKind::File);
            if is_other(was) || is_other(is) {
                touched.insert(text.to_string());
            }
            if was.is_none() || is.is_none() {
                touched.extend(self.appeared_or_vanished(directory)?);
            }
            let name = path.rfind_byte(b'/').map_or(path.as_bstr(), |slash| path[slash + 1..].as_bstr());
            if Companion::of(&decode(name)).is_some() {
                touched.extend(self.owners(directory));
            }
            if matters(name) && looked_at.insert(directory.to_owned()) {
                self.look_at(directory, &mut touched)?;
            }
        }
        for directory in self.overview.directories_with_links() {
            if !looked_at.contains(directory) && self.leads_elsewhere(directory)? {
                self.look_at(directory, &mut touched)?;
                touched.extend(self.owners(directory));
                touched.insert(directory.to_owned());
            }
        }
        Ok(touched)
    }

    /// Adds a directory if the change concerns its module, and those below it if its evidence of an engine changes.
    fn look_at(&self, directory: &str, touched: &mut BTreeSet<String>) -> Result<(), Failure> {
        let (was, is) = (self.before.list(directory)?, self.now.list(directory)?);
        let files = |listing: &Listing<ObjectId>| -> Vec<_> {
            listing.modules.iter().map(|entry| (entry.name.clone(), entry.at, entry.kind)).collect()
        };
        let (before, now) = (beside(&self.before, directory, &was), beside(&self.now, directory, &is));
        if before != now || files(&was) != files(&is) {
            touched.insert(directory.to_owned());
        }
        if before.signals != now.signals {
            let inside = |path: &str| {
                directory.is_empty() || path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
            };
            let below = self.overview.directories.iter().map(|(path, _)| path).filter(|path| inside(path));
            touched.extend(below.cloned());
        }
        Ok(())
    }

    /// This directory and its parents that exist in only one of the states.
    fn appeared_or_vanished(&self, directory: &str) -> Result<Vec<String>, Failure> {
        let mut directories = Vec::new();
        let above = ancestors(directory);
        for path in above.filter(|path| !path.is_empty()) {
            let encoded = encode(path);
            let encoded = encoded.as_bstr();
            let is_directory = |item: Option<Item>| item.is_some_and(|item| item.kind == ItemKind::Directory);
            if is_directory(self.before.item(encoded)?) == is_directory(self.now.item(encoded)?) {
                break;
            }
            directories.push(path.to_owned());
        }
        Ok(directories)
    }

    /// The modules, in either state, that the files beside modules in a directory belong to.
    fn owners(&self, directory: &str) -> impl Iterator<Item = String> {
        let owners = [&self.before, &self.now].into_iter().filter_map(|reading| reading.owner(directory));
        owners.chain(tested_by(directory)).map(str::to_owned)
    }

    /// Whether a link in the directory to a file of a module, or to evidence, has another target than before.
    fn leads_elsewhere(&self, directory: &str) -> Result<bool, Failure> {
        let listing = self.now.list(directory)?;
        let entries = listing.modules.iter().chain(&listing.evidence).chain(&listing.companions);
        let mut links = entries.filter(|entry| entry.kind == Kind::Link).map(|link| link.at);
        Ok(links
            .any(|link| self.before.linked(directory, link).ok() != self.now.linked(directory, link).ok()))
    }
}

fn beside(reading: &Reading<'_>, directory: &str, listing: &Listing<ObjectId>) -> Beside {
    let bytes = |entry: &_, limit| reading.bytes(directory, entry, limit);
    let files = Files { path: directory, listing, limits: &Limits::default(), bytes: &bytes };
    let (signals, lock) = files.evidence(&mut Vec::new());
    let lock = lock.map(|lock| lock.text().to_owned());
    Beside {
        signals,
        has_lock_file: listing.has_lock_file,
        lock,
        misnamed: listing.misnamed.iter().map(|entry| (entry.name.clone(), entry.at)).collect(),
        companions: listing.companions.iter().map(|entry| (entry.name.clone(), entry.at)).collect(),
        lacks_rendered_files: listing.lacks_rendered_files(),
    }
}

//! Walks the directories that git tracks or would track.
//!
//! The directories of one depth are listed in parallel and then filtered in order: the ignore rules of git are a stack
//! for one thread, and are only needed for directories without tracked files.

use std::ffi::OsString;
use std::path::PathBuf;

use rayon::prelude::*;

use super::git::repository::{Ignored, Tracked};
use super::listing::{self, Listing, OnDisk};
use super::path::{ancestors, child};
use super::read::Failure;
use super::top_directory::{OF_TOOLS, Top, is_of_tool};
use crate::text::file_name::{decode_os, encode_os};

/// A listed directory.
#[derive(Debug)]
pub(super) struct Listed {
    /// The path relative to the top.
    pub(super) path: String,
    pub(super) disk: PathBuf,
    pub(super) listing: Listing<OsString>,
}

/// A directory that was not searched for modules.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// The path relative to the top.
    pub path: String,
    /// The reason.
    pub reason: SkipReason,
}

/// The reason why a directory was not searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkipReason {
    /// Git ignores it.
    Ignored,
    /// It is another repository.
    Repository,
    /// It is a submodule.
    Submodule,
    /// A tool creates it.
    Tool,
}

/// The directories with errors.
#[derive(Debug, Default)]
pub(super) struct Walk {
    pub(super) listed: Vec<Listed>,
    /// Directories that could not be read, and whether git tracks something there.
    pub(super) unreadable: Vec<(String, bool, Failure)>,
    /// Symbolic links that git tracks or would track, relative to the top.
    pub(super) links: Vec<String>,
    pub(super) skipped: Vec<Skipped>,
}

/// The rules for leaving out directories, in addition to those that are always left out.
pub(super) struct Rules<'a, 'g> {
    pub(super) top: &'a Top,
    /// The rules of git, in a repository.
    pub(super) git: Option<(&'a Tracked, Ignored<'g>)>,
}

impl Rules<'_, '_> {
    /// Lists `start`, which is always included, and the directories below it.
    pub(super) fn walk(&mut self, start: String) -> Walk {
        let mut walk = Walk::default();
        let mut level = vec![(self.top.path().join(encode_os(&start)), start)];
        // A system cannot list a longer path.
        for depth in 0.. {
            let listings: Vec<_> = level.par_iter().map(|(disk, _)| listing::list(disk)).collect();
            let mut below = Vec::new();
            for ((disk, path), listing) in level.into_iter().zip(listings) {
                match listing {
                    Ok(listing) if depth > 0 && listing.has_git && self.top.is_repository => {
                        walk.skipped.push(Skipped { path, reason: SkipReason::Repository });
                    }
                    Ok(mut listing) => {
                        below.extend(self.directories_of(&path, &disk, &listing, &mut walk.skipped));
                        walk.links.extend(self.links_of(&path, &listing));
                        if !self.has_module(&path, &listing.files) {
                            listing.files.modules.clear();
                            listing
                                .files
                                .companions
                                .retain(|entry| !self.ignores_file(&child(&path, &entry.name)));
                        }
                        if !listing.files.is_empty() {
                            walk.listed.push(Listed { path, disk, listing: listing.files });
                        }
                    }
                    Err(error) => {
                        let tracked = self.git.is_none() || self.tracks(&path);
                        walk.unreadable.push((path, tracked, Failure::Io(error)));
                    }
                }
            }
            if below.is_empty() {
                break;
            }
            level = below;
        }
        walk.listed.sort_by(|a, b| a.path.cmp(&b.path));
        walk.unreadable.sort_by(|a, b| a.0.cmp(&b.0));
        walk.links.sort();
        walk.skipped.sort();
        walk
    }

    /// Whether a walk from the top leaves out the directory at `path`.
    pub(super) fn leave_out(&mut self, path: &str) -> bool {
        self.top.is_foreign(path)
            || is_of_tool(path) && !self.tracks(path)
            || ancestors(path).any(|path| !path.is_empty() && self.ignores_directory(path))
    }

    fn directories_of(
        &mut self,
        path: &str,
        disk: &std::path::Path,
        listing: &OnDisk,
        skipped: &mut Vec<Skipped>,
    ) -> Vec<(PathBuf, String)> {
        let mut directories = Vec::new();
        for name in &listing.directories {
            let text = decode_os(name);
            let inside = child(path, &text);
            if OF_TOOLS.contains(&&*text) && !self.tracks(&inside) {
                if text != ".git" {
                    skipped.push(Skipped { path: inside, reason: SkipReason::Tool });
                }
                continue;
            }
            let reason = if self.top.submodules.contains(&inside) {
                Some(SkipReason::Submodule)
            } else {
                self.ignores_directory(&inside).then_some(SkipReason::Ignored)
            };
            match reason {
                Some(reason) => skipped.push(Skipped { path: inside, reason }),
                None => directories.push((disk.join(name), inside)),
            }
        }
        directories
    }

    /// Whether git tracks something in the directory.
    fn tracks(&self, path: &str) -> bool {
        self.git.as_ref().is_some_and(|(tracked, _)| tracked.has(path))
    }

    fn ignores_directory(&mut self, path: &str) -> bool {
        match &mut self.git {
            Some((tracked, ignored)) => !tracked.has(path) && ignored.directory(path),
            None => false,
        }
    }

    fn ignores_file(&mut self, path: &str) -> bool {
        self.git.as_mut().is_some_and(|(_, ignored)| ignored.file(path))
    }

    fn links_of(&mut self, path: &str, listing: &OnDisk) -> Vec<String> {
        let links = listing.links.iter().map(|name| child(path, &decode_os(name)));
        match &mut self.git {
            Some((_, ignored)) => links.filter(|link| !ignored.file(link)).collect(),
            None => links.collect(),
        }
    }

    /// Whether the module files of the directory count: git tracks a file of it, or would track one of them. The module
    /// then consists of all its files.
    fn has_module(&mut self, path: &str, listing: &Listing<OsString>) -> bool {
        let Some((tracked, ignored)) = &mut self.git else { return true };
        tracked.has_file_of(path)
            || listing.modules.iter().any(|entry| !ignored.file(&child(path, &entry.name)))
    }
}

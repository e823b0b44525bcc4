//! A snapshot, turned into which paths git ignores by the rules that it holds.

use std::sync::{Mutex, OnceLock, PoisonError};

use gix::index::State;
use gix::index::entry::Mode;
use gix::worktree::Stack;
use gix::worktree::stack::state::ignore::Source;

use super::{Held, Reading};
use crate::vfs::{child, parent};

/// The rules, once somebody asks; none where they cannot be read.
#[derive(Default)]
pub(super) struct Rules(OnceLock<Option<Mutex<Stack>>>);

impl Reading<'_> {
    /// Whether git ignores a directory that is not in this snapshot, or every module file in it.
    pub(super) fn ignores(&self, path: &str) -> bool {
        let rules = self.git_tree.ignored.0.get_or_init(|| self.rules().map(Mutex::new));
        let Some(rules) = rules else { return false };
        let mut stack = rules.lock().unwrap_or_else(PoisonError::into_inner);
        let mut is_ignored = |path: &str, mode| {
            stack.at_path(path, Some(mode), &self.git.objects).is_ok_and(|at| at.is_excluded())
        };
        let mut around =
            std::iter::successors(Some(path), |path| parent(path)).filter(|path| !path.is_empty());
        around.any(|path| is_ignored(path, Mode::DIR)) || is_ignored(&child(path, "main.tf"), Mode::FILE)
    }

    fn rules(&self) -> Option<Stack> {
        let of = |state: &State| Some(self.git.excludes(state, None, Source::IdMapping).ok()?.detach());
        match &self.git_tree.held {
            Held::Index(index) => of(index.state()),
            Held::Commit(commit) => {
                let index = self.git.index_from_tree(&commit.root()).ok()?;
                of(&index)
            }
        }
    }
}

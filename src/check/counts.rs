//! Counts the directories that a run has checked, for the progress line.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The numbers of directories to check and already checked. Clones share the numbers.
#[derive(Debug, Clone, Default)]
pub struct ProgressCounts(Arc<Numbers>);

#[derive(Debug, Default)]
struct Numbers {
    all: AtomicUsize,
    done: AtomicUsize,
}

impl ProgressCounts {
    /// Adds directories to check.
    pub(super) fn expect(&self, directories: usize) {
        self.0.all.fetch_add(directories, Ordering::Relaxed);
    }

    /// Adds checked directories.
    pub(super) fn add(&self, directories: usize) {
        self.0.done.fetch_add(directories, Ordering::Relaxed);
    }

    /// The numbers of checked directories and of all directories. The two are not synchronized, so more may be done
    /// than was expected so far.
    pub fn get(&self) -> (usize, usize) {
        (self.0.done.load(Ordering::Relaxed), self.0.all.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_the_numbers() {
        let counts = ProgressCounts::default();
        counts.clone().expect(3);
        counts.clone().add(2);
        assert_eq!(counts.get(), (2, 3));
    }
}

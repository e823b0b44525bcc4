//! Keeps the content of files that are read several times.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gix::ObjectId;

use crate::vfs::memo::Memo;

/// The total size in bytes of the files that are kept. A change of more files reads the others again.
const MOST_BYTES: usize = 16_000_000;

/// The size in bytes that a file counts as, in addition to its content.
const OF_FILE: usize = 100;

/// The content of files of both states of a change. Most files are equal in both, and a check reads each several
/// times: for the calls, for the findings before the change, and for those after it.
#[derive(Debug, Default)]
pub(in crate::vfs) struct Blobs {
    read: Memo<ObjectId, Arc<[u8]>>,
    bytes: AtomicUsize,
}

impl Blobs {
    /// The content with this id, if it is kept.
    pub(super) fn get(&self, id: ObjectId) -> Option<Arc<[u8]>> {
        self.read.known(&id)
    }

    /// Keeps content, unless too much is kept already.
    pub(super) fn keep(&self, id: ObjectId, content: &[u8]) {
        let size = content.len() + OF_FILE;
        if self.bytes.fetch_add(size, Ordering::Relaxed) + size <= MOST_BYTES {
            self.read.get(&id, || content.into());
        }
    }
}

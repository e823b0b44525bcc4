//! Turns a number of threads into a pool that a run works in.

use std::num::NonZeroUsize;

/// Does the work with so many threads, by default one for each processor.
pub fn in_threads<T: Send>(threads: Option<NonZeroUsize>, work: impl FnOnce() -> T + Send) -> T {
    let pool = threads.map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build());
    match pool {
        Some(Ok(pool)) => pool.install(work),
        // A system that refuses the threads asked for may still have those of the usual pool; what comes out is the same.
        Some(Err(_)) | None => work(),
    }
}

/// Gives back the memory of something large beside the work that goes on; a process may well end before that is done.
pub(super) fn discard(large: impl Send + 'static) {
    rayon::spawn(move || drop(large));
}

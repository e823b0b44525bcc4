//! Turns a number of threads into a pool that a run works in.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Does the work with so many threads, by default one for each processor.
pub fn in_threads<T: Send>(threads: Option<u16>, work: impl FnOnce() -> T + Send) -> T {
    let pool = threads.map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build());
    match pool {
        Some(Ok(pool)) => pool.install(work),
        // A system that refuses the threads asked for may still have those of the usual pool; what comes out is the
        // same.
        Some(Err(_)) | None => work(),
    }
}

/// Does a piece of work with each of some things, in each thread with one at a time: never are there more at work than
/// there are threads, which work that is shared out by stealing does not promise.
pub(crate) fn one_in_each<T: Sync, R: Send>(things: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let take = || {
        let number = next.fetch_add(1, Ordering::Relaxed);
        things.get(number).map(|thing| (number, work(thing)))
    };
    let done = rayon::broadcast(|_| std::iter::from_fn(take).collect::<Vec<_>>());
    let mut done: Vec<(usize, R)> = done.into_iter().flatten().collect();
    done.sort_unstable_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Gives back the memory of something large beside the work that goes on; a process may well end before that is done.
pub(crate) fn discard(large: impl Send + 'static) {
    rayon::spawn(move || drop(large));
}

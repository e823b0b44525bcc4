//! Runs work in a pool of threads.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs work with this number of threads, by default one for each processor.
pub fn in_threads<T: Send>(threads: Option<u16>, work: impl FnOnce() -> T + Send) -> T {
    let pool = threads.map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build());
    match pool {
        Some(Ok(pool)) => pool.install(work),
        // A system that refuses this number of threads may still allow the default pool. The result is the same.
        Some(Err(_)) | None => work(),
    }
}

/// Maps items in parallel, each thread one at a time. The work stealing of rayon does not promise that no more items
/// are in work than there are threads.
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

/// Frees the memory of a large value in another thread. The process may end before that.
pub(crate) fn discard(large: impl Send + 'static) {
    rayon::spawn(move || drop(large));
}

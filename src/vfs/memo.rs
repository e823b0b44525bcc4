//! Remembers results by key.

use std::borrow::Borrow;
use std::convert::Infallible;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hashbrown::HashMap;

/// The results so far by key, shared by all threads.
#[derive(Debug)]
pub(crate) struct Memo<K, T>(Mutex<HashMap<K, T>>);

impl<K: Eq + Hash, T: Clone> Memo<K, T> {
    /// The result for a key, from `find` if there is none yet. Nothing is locked while `find` runs.
    pub(crate) fn get<Q>(&self, key: &Q, find: impl FnOnce() -> T) -> T
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        let Ok(found) = self.try_get(key, || Ok::<_, Infallible>(find()));
        found
    }

    /// Like [`Self::get`]. An error is not remembered.
    pub(super) fn try_get<Q, E>(&self, key: &Q, find: impl FnOnce() -> Result<T, E>) -> Result<T, E>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        if let Some(found) = self.known(key) {
            return Ok(found);
        }
        let found = find()?;
        self.locked().insert(key.to_owned(), found.clone());
        Ok(found)
    }

    /// The result for a key, if there is one yet.
    pub(super) fn known<Q>(&self, key: &Q) -> Option<T>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.locked().get(key).cloned()
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<K, T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K, T> Default for Memo<K, T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

#[cfg(test)]
mod tests {
    use super::Memo;

    #[test]
    fn a_key_is_searched_for_until_something_is_found() {
        let memo = Memo::<String, u8>::default();
        assert_eq!(memo.try_get("a", || Err("nothing")), Err("nothing"));
        assert_eq!(memo.get("a", || 1), 1);
        assert_eq!(memo.get("a", || unreachable!("it is known")), 1);
        assert_eq!(memo.get("b", || 2), 2);
    }
}

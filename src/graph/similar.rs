//! Finds what somebody may have meant by a wrong name.

use std::cell::Cell;

use smol_str::SmolStr;

/// How many names are compared for one module. Who has more wrong names than that is not helped by a few more.
const MOST_COMPARED: usize = 100_000;

/// Looks for similar names in one module.
#[derive(Debug)]
pub(super) struct Similar {
    left: Cell<usize>,
}

impl Default for Similar {
    fn default() -> Self {
        Self { left: Cell::new(MOST_COMPARED) }
    }
}

impl Similar {
    /// The declaration whose name is nearest to a wrong one, if any is near enough for the engines to ask about it.
    pub(super) fn nearest<'m, T>(
        &self,
        wrong: &str,
        declared: impl Iterator<Item = &'m T>,
        name: impl Fn(&T) -> &SmolStr,
    ) -> Option<&'m T> {
        let most = 3.min(wrong.len());
        let alike = declared.filter(|one| name(one).len().abs_diff(wrong.len()) < most);
        let mut nearest: Option<(usize, &T)> = None;
        for one in alike {
            let left = self.left.get().checked_sub(1)?;
            self.left.set(left);
            let distance = strsim::levenshtein(wrong, name(one));
            if distance < nearest.map_or(most, |(distance, _)| distance) {
                nearest = Some((distance, one));
            }
        }
        nearest.map(|(_, one)| one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nearest(wrong: &str, known: &[&str]) -> Option<String> {
        let known: Vec<SmolStr> = known.iter().map(SmolStr::new).collect();
        Similar::default().nearest(wrong, known.iter(), |name| name).map(ToString::to_string)
    }

    #[test]
    fn the_nearest_within_two_letters_is_meant() {
        assert_eq!(nearest("regoin", &["origin", "region", "regions"]).as_deref(), Some("region"));
        assert_eq!(nearest("nam", &["same", "name"]).as_deref(), Some("name"));
        assert_eq!(nearest("name", &["vpc_id"]), None);
        assert_eq!(nearest("a", &["b"]), None);
    }

    #[test]
    fn the_search_ends_where_a_module_is_wrong_all_over() {
        let known: Vec<SmolStr> = (0..5_000).map(|number| format!("name_{number}").into()).collect();
        let similar = Similar::default();
        let found =
            (0..300).filter(|_| similar.nearest("nam_77", known.iter(), |name| name).is_some()).count();
        assert!(found > 0 && found < 300, "{found}");
    }
}

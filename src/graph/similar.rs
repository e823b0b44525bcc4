//! Suggests similar names for undeclared ones.

use smol_str::SmolStr;

use crate::text::{Suggestions, distance};

/// Searches similar names in one module.
#[derive(Debug, Default)]
pub(super) struct Similar {
    suggestions: Suggestions,
}

impl Similar {
    /// The declaration whose name is most similar to an undeclared one, if it is similar enough for the engine to
    /// suggest it.
    pub(super) fn nearest<'m, T>(
        &self,
        wrong: &str,
        declared: impl Iterator<Item = &'m T>,
        name: impl Fn(&T) -> &SmolStr,
    ) -> Option<&'m T> {
        let mut most = 3.min(wrong.len()).checked_sub(1)?;
        let mut nearest = None;
        for one in declared.take_while(|_| self.suggestions.may_compare()) {
            let Some(changes) = distance(wrong, name(one), most) else { continue };
            nearest = Some(one);
            let Some(fewer) = changes.checked_sub(1) else { break };
            most = fewer;
        }
        nearest
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

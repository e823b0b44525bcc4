//! Suggests similar names for undeclared ones, and similar sources for those that lead nowhere.

use std::cell::OnceCell;

use hashbrown::HashSet;
use smol_str::SmolStr;

use crate::graph::Node;
use crate::text::{Suggestions, distance, is_identifier};
use crate::vfs::{join, source_between};

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
            // A declaration with an invalid name has an error of its own, and no reference can name it.
            if !is_identifier(name(one)) {
                continue;
            }
            nearest = Some(one);
            let Some(fewer) = changes.checked_sub(1) else { break };
            most = fewer;
        }
        nearest
    }
}

/// A source may lead this many directories up.
const MOST_UP: usize = 16;

/// Searches similar sources for the calls of one module.
pub(crate) struct SimilarSources<'t> {
    node: Node<'t>,
    /// The directories of the modules that call this one.
    callers: OnceCell<HashSet<&'t str>>,
}

impl<'t> Node<'t> {
    /// Searches similar sources for the calls of this module.
    pub(crate) fn similar_sources(self) -> SimilarSources<'t> {
        SimilarSources { node: self, callers: OnceCell::new() }
    }
}

impl SimilarSources<'_> {
    /// The source of the module that a local source names if it leads another number of directories up. `None` if
    /// there is none, or more than one. Callers of this module do not count: a call of one would be a cycle.
    pub(crate) fn of(&self, source: &str) -> Option<String> {
        let (graph, from) = (self.node.graph(), &self.node.module().directory);
        let below = source.strip_prefix("./").unwrap_or(source).trim_start_matches("../");
        let is_module = |to: &str| {
            let listing = graph.named_files.listing(to);
            listing
                .is_some_and(|listing| listing.files.iter().any(|file| graph.engine().loads(file).is_some()))
        };
        let named = (0..=MOST_UP).filter_map(|levels| join(from, &("../".repeat(levels) + below)));
        let callers = || self.node.callers().map(|(caller, _)| caller.module().directory.as_str()).collect();
        let is_caller = |to: &str| self.callers.get_or_init(callers).contains(to);
        let mut meant = named.filter(|to| to != from && is_module(to) && !is_caller(to));
        let to = meant.next().filter(|_| !below.is_empty() && meant.next().is_none())?;
        Some(source_between(from, &to))
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
        assert_eq!(nearest("name", &["na.me"]), None, "no reference can name it");
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

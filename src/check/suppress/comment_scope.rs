//! Finds the exception comments that apply to a location.

use hashbrown::HashMap;
use smol_str::SmolStr;

use crate::text::{FileId, Span};

/// The ranges that comments apply to, by file and rule.
#[derive(Debug, Default)]
pub(super) struct CommentPlaces(HashMap<(FileId, SmolStr), Vec<Place>>);

/// A range in a file.
#[derive(Debug)]
struct Place {
    start: u32,
    end: u32,
    /// The numbers of the comments that apply to it, ascending.
    comments: Vec<usize>,
    /// The nearest range before this one that ends after its start. All others with this property enclose that one.
    around: Option<usize>,
    used: bool,
}

impl CommentPlaces {
    /// Creates the ranges from comments, each with its rule, in the order of their numbers.
    pub(super) fn of<'c>(comments: impl Iterator<Item = (&'c SmolStr, Span)>) -> Self {
        let mut places: HashMap<(FileId, SmolStr), Vec<Place>> = HashMap::new();
        for (number, (rule, about)) in comments.enumerate() {
            let place = Place {
                start: about.start,
                end: about.end,
                comments: vec![number],
                around: None,
                used: false,
            };
            places.entry((about.file, rule.clone())).or_default().push(place);
        }
        places.values_mut().for_each(nest);
        Self(places)
    }

    /// Returns the first comment that applies to a location for a rule, and marks all that do as used.
    pub(super) fn first_at(&mut self, rule: &str, at: Span) -> Option<usize> {
        let places = self.0.get_mut(&(at.file, SmolStr::new(rule)))?;
        let mut next = places.partition_point(|place| place.start <= at.start).checked_sub(1);
        let mut first: Option<usize> = None;
        while let Some(number) = next {
            let place = &mut places[number];
            if place.end > at.start {
                place.used = true;
                first = Some(first.map_or(place.comments[0], |first| first.min(place.comments[0])));
            }
            next = place.around;
        }
        first
    }

    /// The numbers of the used comments.
    pub(super) fn used(&self) -> Vec<usize> {
        let used = self.0.values().flatten().filter(|place| place.used);
        used.flat_map(|place| place.comments.iter().copied()).collect()
    }
}

/// Sorts ranges, joins equal ones, and links each to the one around it.
fn nest(places: &mut Vec<Place>) {
    places.sort_by_key(|place| (place.start, std::cmp::Reverse(place.end)));
    places.dedup_by(|later, earlier| {
        let is_same = (later.start, later.end) == (earlier.start, earlier.end);
        if is_same {
            earlier.comments.append(&mut later.comments);
        }
        is_same
    });
    let mut open: Vec<usize> = Vec::new();
    for number in 0..places.len() {
        while open.last().is_some_and(|last| places[*last].end <= places[number].start) {
            open.pop();
        }
        places[number].around = open.last().copied();
        open.push(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_hold_where_a_walk_over_all_finds_them() {
        let span = |start, end| Span { file: FileId::new(0), start, end };
        let rule = SmolStr::new("a");
        let spans =
            [(5, 9), (0, 30), (10, 20), (10, 20), (12, 14), (16, 25), (40, 41)].map(|(a, b)| span(a, b));
        let mut places = CommentPlaces::of(spans.iter().map(|span| (&rule, *span)));
        for at in 0..45 {
            let expected = spans.iter().position(|span| (span.start..span.end).contains(&at));
            assert_eq!(places.first_at("a", span(at, at)), expected, "{at}");
        }
        assert_eq!(places.first_at("b", span(12, 12)), None);
        let mut used = places.used();
        used.sort_unstable();
        assert_eq!(used, [0, 1, 2, 3, 4, 5, 6]);
    }
}

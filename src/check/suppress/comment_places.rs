//! Finds the exception comments that hold at a place.

use std::collections::HashMap;

use smol_str::SmolStr;

use crate::text::{FileId, Span};

/// Where comments hold, by file and rule.
#[derive(Debug, Default)]
pub(super) struct CommentPlaces(HashMap<(FileId, SmolStr), Vec<Place>>);

/// A range in a file.
#[derive(Debug)]
struct Place {
    start: u32,
    end: u32,
    /// The numbers of the comments that hold there, ascending.
    comments: Vec<usize>,
    /// The nearest place before this one that ends behind its start. All others with that property are around that one, or
    /// around one around it.
    around: Option<usize>,
    used: bool,
}

impl CommentPlaces {
    /// The places of comments, each with its rule, in the order of their numbers.
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

    /// The first of the comments that hold at a place for a rule. All of them are used then.
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

    /// The numbers of the comments that held somewhere.
    pub(super) fn used(&self) -> Vec<usize> {
        let used = self.0.values().flatten().filter(|place| place.used);
        used.flat_map(|place| place.comments.iter().copied()).collect()
    }
}

/// Sorts places, joins those that are the same, and finds out which are around which.
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

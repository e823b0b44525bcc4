//! Finds the name that a wrong one most likely means.

use std::cell::Cell;
use std::str::Chars;

/// Words with more bytes than this are not compared.
const LONGEST: usize = 128;

/// The default limit of names that [`Suggestions`] compares. With more wrong names, the remaining ones get no suggestion.
const MOST_COMPARED: usize = 100_000;

/// Finds suggestions for many wrong names, up to a number of comparisons.
#[derive(Debug)]
pub struct Suggestions {
    left: Cell<usize>,
}

impl Default for Suggestions {
    fn default() -> Self {
        Self { left: Cell::new(MOST_COMPARED) }
    }
}

impl Suggestions {
    /// Like [`nearest`]. `None` after too many comparisons.
    pub fn nearest<'a>(&self, word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
        // A name that is too long to compare counts too.
        nearest(word, candidates.into_iter().take_while(|_| self.may_compare()))
    }

    /// Counts a comparison. Returns whether there are not too many yet.
    pub fn may_compare(&self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left > 0
    }
}

/// Whether [`nearest`] compares the letters of two words, because their lengths are small and similar.
pub fn may_be_near(word: &str, candidate: &str) -> bool {
    word.len().max(candidate.len()) <= LONGEST
        // A letter takes up to four bytes.
        && candidate.len().abs_diff(word.len()) <= 4 * (1 + word.chars().count() / 5)
}

/// Returns the candidate that `word` most likely means. `None` if none is near.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    let far = 1 + length / 5;
    // They must share some letters.
    let is_near = |distance: usize, candidate: &str| {
        distance <= far && distance < length.max(candidate.chars().count())
    };
    if word.len() > LONGEST {
        return None;
    }
    candidates
        .into_iter()
        .filter(|candidate| may_be_near(word, candidate))
        .map(|candidate| (strsim::osa_distance(word, candidate), candidate))
        .filter(|(distance, candidate)| is_near(*distance, candidate))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Returns the first of `known` with at most two different letters, as the engines do for their suggestions.
pub fn similar<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known.into_iter().find(|name| is_similar(given, name))
}

/// Whether two words differ in at most two letters.
pub fn is_similar(one: &str, other: &str) -> bool {
    distance(one, other, 2).is_some()
}

/// The number of letters in which two words differ, if it is at most `most`, which is small.
pub fn distance(one: &str, other: &str, most: usize) -> Option<usize> {
    // A letter takes up to four bytes.
    if one.len().max(other.len()) > LONGEST || one.len().abs_diff(other.len()) > 4 * most {
        return None;
    }
    // Most words have other letters. A change replaces at most one of them by another.
    let letters = |word: &str| word.chars().fold(0_u64, |all, letter| all | 1 << (u32::from(letter) % 64));
    if (letters(one) ^ letters(other)).count_ones() as usize > 2 * most {
        return None;
    }
    (0..=most).find(|changes| is_within(one.chars(), other.chars(), *changes))
}

/// Whether this number of changes turns one word into the other. After a common prefix there are three changes to try.
fn is_within(mut one: Chars<'_>, mut other: Chars<'_>, changes: usize) -> bool {
    loop {
        let (mut rest, mut other_rest) = (one.clone(), other.clone());
        let (letter, other_letter) = (rest.next(), other_rest.next());
        if letter.is_none() && other_letter.is_none() {
            return true;
        }
        if letter != other_letter {
            let Some(left) = changes.checked_sub(1) else { return false };
            return (letter.is_some()
                && other_letter.is_some()
                && is_within(rest.clone(), other_rest.clone(), left))
                || (letter.is_some() && is_within(rest, other, left))
                || (other_letter.is_some() && is_within(one, other_rest, left));
        }
        (one, other) = (rest, other_rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_near() {
        let words = ["syntax-error", "invalid-name", "invalid-value"];
        assert_eq!(nearest("sintax-eror", words), Some("syntax-error"));
        assert_eq!(nearest("invalid-names", words), Some("invalid-name"));
        assert_eq!(nearest("tagged", words), None);
        assert_eq!(nearest("a", ["b", "c"]), None);
    }

    #[test]
    fn similar_words_are_few_changes_apart() {
        for (one, other) in
            [("region", "regoin"), ("nam", "same"), ("", "ab"), ("äöü", "aöü"), ("abc", "cab")]
        {
            let wanted = strsim::levenshtein(one, other);
            assert_eq!(distance(one, other, 2), (wanted <= 2).then_some(wanted), "{one} {other}");
        }
        assert_eq!(distance("abc", "abcdef", 2), None);
        assert_eq!(distance(&"a".repeat(200), &"a".repeat(200), 2), None);
    }

    #[test]
    fn the_search_ends_after_many_comparisons() {
        let names: Vec<String> = (0..1_000).map(|number| format!("name_{number}")).collect();
        let suggestions = Suggestions::default();
        let found =
            (0..300).filter(|_| suggestions.nearest("nam_77", names.iter().map(String::as_str)).is_some());
        assert_eq!(found.count(), 100);
    }
}

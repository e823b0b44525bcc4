//! Turns a word that means nothing into the one that was most likely meant.

/// The candidate that someone who wrote `word` most likely meant; none where all are far.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    let far = 1 + length / 3;
    // They have to have something in common.
    let is_near = |distance: usize, candidate: &str| {
        distance <= far && distance < length.max(candidate.chars().count())
    };
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(word, candidate), candidate))
        .filter(|(distance, candidate)| is_near(*distance, candidate))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The first of `known` that differs from `given` in at most two letters, as the engines choose what they suggest.
pub fn similar<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known.into_iter().find(|name| strsim::levenshtein(given, name) < 3)
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
}

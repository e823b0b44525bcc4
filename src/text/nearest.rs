//! Turns a word that means nothing into the one that was most likely meant.

/// The candidate that someone who wrote `word` most likely meant; none where all are far.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let far = 1 + word.chars().count() / 3;
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= far)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
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
    }
}

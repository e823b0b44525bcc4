//! Texts of findings that contain a long name: a module can have very many findings about one name.

use crate::text::floor_char_boundary;

/// The maximum length in bytes of a sentence, which may list many names.
const LONGEST: usize = 2_000;

/// The number of bytes kept at the end of a sentence: the error usually follows the name.
const END: usize = 500;

/// The maximum length of a name in bytes.
const LONGEST_NAME: usize = 1_000;

/// A text for people, without its middle if it is long.
pub(crate) fn sentence(text: impl Into<String>) -> String {
    let text = text.into();
    if text.len() <= LONGEST {
        return text;
    }
    let start = floor_char_boundary(&text, LONGEST - END);
    let end = floor_char_boundary(&text, text.len() - END);
    format!("{}…{}", &text[..start], &text[end..])
}

/// The start of a long name with a hash of the whole name, so that different names stay different.
pub(super) fn name(text: &str) -> Option<String> {
    (text.len() > LONGEST_NAME).then(|| {
        format!("{}…{:016x}", &text[..floor_char_boundary(text, LONGEST_NAME)], hash(text.as_bytes()))
    })
}

/// FNV-1a of words of eight bytes, with a rotation so that no bit of a word is lost. Names are a part of fingerprints,
/// which must not change in a later release.
fn hash(bytes: &[u8]) -> u64 {
    let mix = |hash: u64, word: &[u8]| {
        let mut whole = [0; 8];
        whole[..word.len()].copy_from_slice(word);
        (hash.rotate_left(5) ^ u64::from_le_bytes(whole)).wrapping_mul(0x0100_0000_01b3)
    };
    bytes.chunks(8).fold(0xcbf2_9ce4_8422_2325 ^ bytes.len() as u64, mix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_are_kept() {
        assert_eq!(sentence("a".repeat(LONGEST)), "a".repeat(LONGEST));
        assert_eq!(name(&"a".repeat(LONGEST_NAME)), None);
    }

    #[test]
    fn long_texts_keep_whole_characters() {
        let long = format!("`{}` is not declared.", "ä".repeat(4_000));
        let short = sentence(long);
        assert!(short.len() <= LONGEST + 3 && short.starts_with("`ää"), "{short}");
        assert!(short.ends_with("ä` is not declared."), "{short}");
    }

    #[test]
    fn long_names_stay_different() {
        let long = "ä".repeat(1_000);
        let [one, other] = ["b", "c"].map(|end| name(&format!("{long}{end}")));
        assert!(one.as_ref().is_some_and(|one| one.len() < LONGEST_NAME + 20), "{one:?}");
        assert_ne!(one, other);
    }
}

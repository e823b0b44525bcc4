//! Searches the text of a file for constructs that OpenTofu may read differently while Terraform reports nothing.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use memchr::memchr3_iter;

/// Terraform does not report errors in an operand that does not decide the result. Escapes may spell any of the words.
const PAIRS: [&[u8; 2]; 4] = [b"&&", b"||", b"\\u", b"\\U"];

/// Where a word counts.
#[derive(Debug, Clone, Copy)]
enum Sign {
    /// Anywhere.
    Anywhere,
    /// As a whole word.
    Word,
    /// As the first part of an address.
    Root,
}

/// Of two words with the same start, the longer comes first.
const WORDS: &[(&str, Sign)] = &[
    // A function that only Terraform has.
    ("convert", Sign::Word),
    // Override files change `deprecated` and `ephemeral` only in OpenTofu, which also checks more of them.
    ("deprecated", Sign::Word),
    ("ephemeral", Sign::Word),
    ("const", Sign::Word),
    ("ignore_nested_deprecations", Sign::Word),
    ("action_trigger", Sign::Word),
    // Terraform reads these as an action or a list resource, and OpenTofu as a resource of this type.
    ("action", Sign::Root),
    ("list", Sign::Root),
    // OpenTofu does not allow this provider name.
    ("opentofu-", Sign::Anywhere),
];

static FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let words = WORDS.iter().map(|(text, _)| text);
    // This search is fast only with all words in one automaton, and without texts as short as the pairs.
    let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(words);
    finder.expect("a handful of short words makes an automaton")
});

/// Whether a text may have such a construct.
pub(super) fn are_in(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_pair = |at: usize| PAIRS.iter().any(|pair| bytes[at..].starts_with(*pair));
    if memchr3_iter(b'&', b'|', b'\\', bytes).any(is_pair) {
        return true;
    }
    FINDER.find_iter(text).any(|found| {
        let (before, after) = (&bytes[..found.start()], &bytes[found.end()..]);
        match WORDS[found.pattern().as_usize()].1 {
            Sign::Anywhere => true,
            Sign::Word => is_word(before, after),
            Sign::Root => is_word(before, after) && is_root(before, after),
        }
    })
}

/// Whether a range is a whole word.
fn is_word(before: &[u8], after: &[u8]) -> bool {
    let is_of_word =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    !is_of_word(before.last()) && !is_of_word(after.first())
}

/// Whether the word in a range is the first part of a longer address.
fn is_root(before: &[u8], after: &[u8]) -> bool {
    let is_part = before.trim_ascii_end().ends_with(b".");
    // A comment may precede the dot.
    !is_part && matches!(after.trim_ascii_start().first(), Some(b'.' | b'/' | b'#'))
}

/// Whether a text may name a registry that is the default of only one engine. Host names are normalized, so they have
/// many spellings.
pub(super) fn may_name_registry(text: &str) -> bool {
    !text.is_ascii() || text.contains('\\') || {
        let folded = text.to_ascii_lowercase();
        folded.contains("registry.") || folded.contains("opentofu")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_signs_and_parts_of_words_are_not() {
        for text in ["a && b", "convert(a, b)", "  ephemeral = true", "x = \"\\u0041\"", "\"const\": true"] {
            assert!(are_in(text), "{text}");
        }
        for text in ["converted", "reconvert", "constant = 1", "action_triggered", "a & b", "x | y"] {
            assert!(!are_in(text), "{text}");
        }
    }

    #[test]
    fn an_address_is_a_sign_by_its_first_word() {
        for text in ["list.a.b", "[action.a.b]", "list\n  .a", "action /* */ .a", "(list # x\n.a)"] {
            assert!(are_in(text), "{text}");
        }
        for text in ["var.list.a", "module . list . a", "list(string)", "list = []", "my_list.a"] {
            assert!(!are_in(text), "{text}");
        }
    }

    #[test]
    fn a_registry_may_be_named_in_many_ways() {
        for text in ["Registry.OpenTofu.org/a/b", "\\u0072egistry", "ｒegistry.terraform.io/a/b"] {
            assert!(may_name_registry(text), "{text}");
        }
        assert!(!may_name_registry("\"hashicorp/aws\""));
    }
}

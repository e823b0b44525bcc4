//! Turns the text of a file into whether there may be something in it that OpenTofu takes for something else than
//! Terraform, without a word from the latter.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

/// What a sign stands for, and so where it is one.
#[derive(Debug, Clone, Copy)]
enum Sign {
    /// Wherever it stands.
    Anywhere,
    /// As a word of its own.
    Word,
    /// As the first word of an address.
    Root,
}

/// Of two that start alike the longer comes first.
const SIGNS: &[(&str, Sign)] = &[
    // Terraform keeps quiet about mistakes in an operand that does not decide.
    ("&&", Sign::Anywhere),
    ("||", Sign::Anywhere),
    // A function of Terraform alone.
    ("convert", Sign::Word),
    // Override files change what is `deprecated` or `ephemeral` in OpenTofu alone, which looks at more of it, too.
    ("deprecated", Sign::Word),
    ("ephemeral", Sign::Word),
    ("const", Sign::Word),
    ("ignore_nested_deprecations", Sign::Word),
    ("action_trigger", Sign::Word),
    // OpenTofu takes what Terraform knows to be an action or a list resource for a resource of such a type.
    ("action", Sign::Root),
    ("list", Sign::Root),
    // No provider may be called so in OpenTofu.
    ("opentofu-", Sign::Anywhere),
    // Letters that are written as numbers may spell any of these.
    ("\\u", Sign::Anywhere),
    ("\\U", Sign::Anywhere),
];

static FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let words = SIGNS.iter().map(|(text, _)| text);
    // Only so it looks at many letters at a time.
    let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(words);
    finder.expect("a handful of short words makes an automaton")
});

/// Whether there may be such a thing.
pub(super) fn are_in(text: &str) -> bool {
    FINDER.find_iter(text).any(|found| {
        let (before, after) = (&text.as_bytes()[..found.start()], &text.as_bytes()[found.end()..]);
        match SIGNS[found.pattern().as_usize()].1 {
            Sign::Anywhere => true,
            Sign::Word => is_word(before, after),
            Sign::Root => is_word(before, after) && is_root(before, after),
        }
    })
}

/// Whether what stands between these is not a part of a longer word.
fn is_word(before: &[u8], after: &[u8]) -> bool {
    let is_of_word =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    !is_of_word(before.last()) && !is_of_word(after.first())
}

/// Whether the word between these starts an address that goes on.
fn is_root(before: &[u8], after: &[u8]) -> bool {
    let is_part = before.trim_ascii_end().ends_with(b".");
    // A comment may stand before the point.
    !is_part && matches!(after.trim_ascii_start().first(), Some(b'.' | b'/' | b'#'))
}

/// Whether a text may name a registry that only one of the engines takes for its own. Names of hosts are folded, so
/// that there are many ways to write one.
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

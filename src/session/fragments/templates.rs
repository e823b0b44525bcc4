//! Recognizes placeholders of templates, as in `x.tf.j2`: `{{ name }}`, `{% … %}` and `<% … %>`.

use crate::finding::Finding;
use crate::text::Source;

/// Whether one of these syntax errors is on a line with a placeholder of a template outside strings and comments: `{{
/// name }}`, `{% … %}` or `<% … %>`.
pub(crate) fn has_placeholder(source: &Source, errors: &[Finding]) -> bool {
    let places = errors.iter().filter_map(|error| error.primary);
    places.take(MOST_ERRORS).any(|place| {
        let line = source.position(place.start).line;
        source.text().lines().nth(line - 1).is_some_and(is_placeholder_in)
    })
}

/// The first errors show the kind of file.
const MOST_ERRORS: usize = 3;

fn is_placeholder_in(line: &str) -> bool {
    let mut is_string = false;
    let mut rest = line;
    let ends = ["%}", "%>"].map(|end| line.rfind(end).unwrap_or_default());
    while let Some(first) = rest.chars().next() {
        let is_comment = rest.starts_with('#') || rest.starts_with("//");
        if is_string && first == '\\' {
            rest = rest.get(2..).unwrap_or_default();
            continue;
        }
        if first == '"' {
            is_string = !is_string;
        } else if !is_string && is_comment {
            return false;
        } else if !is_string && starts_with_placeholder(rest, ends.map(|end| (line.len() - rest.len()) < end))
        {
            return true;
        }
        rest = &rest[first.len_utf8()..];
    }
    false
}

/// Whether text starts with a name in capitals for a person to replace, and `>`: `INSERT_VALUE_HERE>`.
fn is_blank(text: &str) -> bool {
    let is_in_name =
        |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || "_- ".contains(letter);
    let Some(end) = text.find(|letter| !is_in_name(letter)) else { return false };
    end > 2 && text.starts_with(|first: char| first.is_ascii_uppercase()) && text[end..].starts_with('>')
}

/// Whether the text after `{{` is a name, and `}}`. Go templates assign with `:=`. Two braces around an object are a
/// typing error.
fn is_name(mut text: &str) -> bool {
    let mut has_letters = false;
    while let Some(at) = text.find(['=', ':', '{', '}']) {
        let (before, after) = text.split_at(at);
        has_letters |= before.contains(char::is_alphanumeric);
        if after.starts_with("}}") {
            return has_letters;
        }
        let Some(next) = after.strip_prefix(":=").or_else(|| after.strip_prefix('}')) else { return false };
        text = next;
    }
    false
}

/// Whether text starts with a placeholder. The flags say whether `%}` and `%>` follow.
fn starts_with_placeholder(text: &str, [has_tag_end, has_erb_end]: [bool; 2]) -> bool {
    text.strip_prefix("{{").is_some_and(is_name)
        || text.strip_prefix('<').is_some_and(is_blank)
        || has_tag_end && text.starts_with("{%")
        || has_erb_end && text.starts_with("<%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_distinguished_from_typos() {
        for line in [
            "{{ template \"x\" . }}",
            "{{- $zones := (datasource \"config\").zones }}",
            "resource \"a\" {{ .Name }} {",
            "  count = {{cookiecutter.count}}",
            "{% if a == 1 %}",
            "<%= render \"x\" %>",
            "bucket = <INSERT_VALUE_HERE>",
        ] {
            assert!(is_placeholder_in(line), "{line}");
        }
        for line in [
            "variable \"a\" {{",
            "  default = {{}}",
            "  tags = {{ Name = \"x\" }}",
            "  command = \"docker ps --format {{.Names}}",
            "  a = \"\\\"{{ name }}",
            "  # {{ name }}",
            "  a = 1 // <% name %>",
            "  a = b < c",
            "  a = \"<NAME>\" b",
            "  a = b <C> d",
        ] {
            assert!(!is_placeholder_in(line), "{line}");
        }
    }
}

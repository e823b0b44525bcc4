//! Numbers, nouns, lists and directories in sentences.

/// `500,000`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A count with its noun: `1 file`, `1,480 files`.
pub fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number as u64))
}

/// Up to three parts of a sentence, and the number of further ones.
pub fn joined(parts: &[String]) -> String {
    match parts {
        [first, second, third, _, ..] => format!("{first}, {second}, {third} and {} more", parts.len() - 3),
        [one, other] => format!("{one} and {other}"),
        [one, other, last] => format!("{one}, {other} and {last}"),
        [one] => one.clone(),
        [] => String::new(),
    }
}

/// The directory of a module: in backticks, or in words for the root of the repository.
pub fn module_at(directory: &str) -> String {
    match directory {
        "" => "the module at the root of the repository".to_owned(),
        directory => format!("`{directory}`"),
    }
}

/// A noun with its article: `a tuple`, `an object`. The noun may be in backticks.
pub fn with_article(noun: &str) -> String {
    let word = noun.trim_start_matches('`');
    let article = if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {noun}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped_and_agree_with_their_noun() {
        let reported = [0, 1, 999, 1480, 1_234_567].map(|number| counted(number, "file"));
        assert_eq!(reported, ["0 files", "1 file", "999 files", "1,480 files", "1,234,567 files"]);
    }
}

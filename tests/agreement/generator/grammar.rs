//! Expands grammars, in which names stand for alternative texts.

use std::collections::BTreeMap;

use super::dice::Dice;

/// After each line `=== name`, the alternatives for `§name`, one per line, with `\n` for a line break, `-` for an
/// empty text, and `3|` before an alternative with triple weight. `«a¦b»` is one of `a` and `b`, and `§i` the number
/// of the block.
pub(super) struct Grammar(BTreeMap<&'static str, Vec<&'static str>>);

/// The state of an expansion.
#[derive(Debug, Clone, Default)]
pub(super) struct Expansion {
    /// The value of `§i`.
    pub(super) number: usize,
    /// The depth from which on the shortest alternative is chosen.
    pub(super) deepest: usize,
    /// A name with this suffix is preferred to the name alone.
    pub(super) place: &'static str,
    /// The number of expansions of each name.
    pub(super) counts: BTreeMap<String, usize>,
    /// A name, the number of the expansion to replace, and its replacement.
    pub(super) replaced: Option<(String, usize, &'static str)>,
}

impl Grammar {
    pub(super) fn read(text: &'static str) -> Self {
        let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut name = "";
        for line in text.lines().filter(|line| !line.is_empty()) {
            if let Some(opened) = line.strip_prefix("=== ") {
                name = opened;
                all.insert(name, Vec::new());
                continue;
            }
            let weighted = line.split_once('|').and_then(|(count, line)| Some((count.parse().ok()?, line)));
            let (count, line) = weighted.unwrap_or((1, line));
            let choice = if line == "-" { "" } else { line };
            all.get_mut(name).expect("a heading comes first").extend(std::iter::repeat_n(choice, count));
        }
        Self(all)
    }

    /// The names, each with its alternatives.
    pub(super) fn rules(&self) -> impl Iterator<Item = (&'static str, &[&'static str])> {
        self.0.iter().map(|(name, choices)| (*name, choices.as_slice()))
    }

    pub(super) fn expand(&self, dice: &mut Dice, text: &str, how: &mut Expansion) -> String {
        self.expand_at(dice, text, how, 0)
    }

    fn expand_at(&self, dice: &mut Dice, text: &str, how: &mut Expansion, depth: usize) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['«', '§', '\\']) {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            if let Some(behind) = rest.strip_prefix("\\n") {
                out.push('\n');
                rest = behind;
            } else if let Some(behind) = rest.strip_prefix('§') {
                let length = behind.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(behind.len());
                let name = &behind[..length];
                rest = &behind[length..];
                if name == "i" {
                    out.push_str(&how.number.to_string());
                } else {
                    out.push_str(&self.expand_name(dice, name, how, depth));
                }
            } else if rest.starts_with('«') {
                let (choices, behind) = choices(rest);
                let choice = choices[dice.below(choices.len())];
                out.push_str(&self.expand_at(dice, choice, how, depth));
                rest = behind;
            } else {
                out.push('\\');
                rest = &rest[1..];
            }
        }
        out + rest
    }

    fn expand_name(&self, dice: &mut Dice, name: &str, how: &mut Expansion, depth: usize) -> String {
        let count = how.counts.entry(name.to_owned()).or_default();
        *count += 1;
        if let Some((replaced, at, other)) = &how.replaced
            && replaced == name
            && at == count
        {
            let other = *other;
            return self.expand_at(dice, other, how, depth + 1);
        }
        let special = self.0.get(format!("{name}{}", how.place).as_str());
        let choices = special.unwrap_or_else(|| &self.0[name]);
        let shortest = choices.iter().min_by_key(|choice| choice.len());
        let choice = if depth < how.deepest { dice.word(choices) } else { shortest.expect("a choice") };
        self.expand_at(dice, choice, how, depth + 1)
    }
}

/// The alternatives of the `«a¦b»` at the start of a text, which may be nested, and the rest of the text.
fn choices(text: &str) -> (Vec<&str>, &str) {
    let (mut depth, mut found, mut from) = (0, Vec::new(), 0);
    for (at, char) in text.char_indices() {
        match char {
            '«' => {
                depth += 1;
                if depth == 1 {
                    from = at + char.len_utf8();
                }
            }
            '¦' if depth == 1 => {
                found.push(&text[from..at]);
                from = at + char.len_utf8();
            }
            '»' if depth == 1 => {
                found.push(&text[from..at]);
                return (found, &text[at + char.len_utf8()..]);
            }
            '»' => depth -= 1,
            _ => {}
        }
    }
    panic!("an open choice: {text}")
}

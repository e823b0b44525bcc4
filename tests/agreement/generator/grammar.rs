//! Expands grammars: texts in which names stand for one of several texts.

use std::collections::BTreeMap;

use super::dice::Dice;

/// Behind each line `=== name`, the choices for `§name`, one a line, with `\n` for the end of a line, `-` for nothing,
/// and `3|` before a choice that counts three times. `«a¦b»` is one of `a` and `b`, and `§i` the number of the block.
pub(super) struct Grammar(BTreeMap<&'static str, Vec<&'static str>>);

/// How a text is expanded.
#[derive(Debug, Clone, Default)]
pub(super) struct Expansion {
    /// What `§i` stands for.
    pub(super) number: usize,
    /// The depth at which the shortest choice is taken.
    pub(super) deepest: usize,
    /// A name followed by this suffix is preferred to the name alone.
    pub(super) place: &'static str,
    /// How often each name has been expanded.
    pub(super) counts: BTreeMap<String, usize>,
    /// A name, and which of its expansions is replaced by what.
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

    /// The names, each with its choices.
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

/// The choices of the `«a¦b»` that opens a text, which may have others inside, and what follows it.
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

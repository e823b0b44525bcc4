//! Turns a seed into blocks that load, and whose expressions are then right or wrong, beside modules and resources for them
//! to refer to.

use std::collections::BTreeMap;

use super::dice::Dice;

/// What a call of `./net` leads to.
pub(super) const NET: &str = include_str!("late/net.txt");

/// What the blocks refer to.
pub(super) const ROOT: &str = include_str!("late/root.txt");

/// Behind each line `=== name`, what may stand for `§name`, one a line, with `\n` for the end of a line. `«a¦b»` is one of
/// `a` and `b`, and `§i` the number of the block.
const GRAMMAR: &str = include_str!("late/grammar.txt");

/// How deep one thing stands for another before the shortest is taken.
const DEPTH: usize = 8;

/// A few blocks.
pub(super) fn blocks(dice: &mut Dice) -> String {
    let grammar = Grammar::read();
    (0..dice.between(1, 2)).map(|number| grammar.expand(dice, "§site", number, 0)).collect()
}

struct Grammar(BTreeMap<&'static str, Vec<&'static str>>);

impl Grammar {
    fn read() -> Self {
        let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut name = "";
        for line in GRAMMAR.lines().filter(|line| !line.is_empty()) {
            match line.strip_prefix("=== ") {
                Some(opened) => {
                    name = opened;
                    all.insert(name, Vec::new());
                }
                None => all.get_mut(name).expect("a heading comes first").push(line),
            }
        }
        Self(all)
    }

    fn expand(&self, dice: &mut Dice, text: &str, number: usize, depth: usize) -> String {
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
                    out.push_str(&number.to_string());
                } else {
                    let choices = &self.0[name];
                    let shortest = choices.iter().min_by_key(|choice| choice.len());
                    let choice = if depth < DEPTH { dice.word(choices) } else { shortest.expect("a choice") };
                    out.push_str(&self.expand(dice, choice, number, depth + 1));
                }
            } else if rest.starts_with('«') {
                let (choices, behind) = choices(rest);
                let choice = choices[dice.below(choices.len())];
                out.push_str(&self.expand(dice, choice, number, depth));
                rest = behind;
            } else {
                out.push('\\');
                rest = &rest[1..];
            }
        }
        out + rest
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

//! Generates valid module trees with the constructs of public modules, and the same with a single error.

use super::dice::Dice;
use super::grammar::{Expansion, Grammar};
use crate::case::Entry;

/// Sections of invalid texts, each for the grammar rule with the name of the section.
const MISTAKES: &str = include_str!("real/mistakes.txt");

const GRAMMAR: &str = include_str!("real/grammar.txt");

/// The nesting depth of expressions.
const DEPTH: usize = 5;

/// The files of a module: name, blocks, and context. The valid references depend on the context.
const ROOT: &[(&str, &str, &str)] = &[
    ("variables.tf", "variables", ""),
    ("locals.tf", "constants", ""),
    ("locals.tf", "computed", "/locals"),
    ("main.tf", "one", "/one"),
    ("main.tf", "resources", "/resource"),
    ("main.tf", "calls", "/call"),
    ("outputs.tf", "outputs", ""),
    ("main_override.tf", "override", "/call"),
];
const CHILD: &[(&str, &str, &str)] = &[
    ("variables.tf", "variables", "/child"),
    ("main.tf", "constants", ""),
    ("main.tf", "computed", "/locals"),
    ("main.tf", "one", "/one"),
    ("main.tf", "resources", "/resource"),
    ("outputs.tf", "child", "/child"),
];
const DYNAMIC: &[(&str, &str, &str)] =
    &[("variables.tf", "variables", ""), ("main.tf", "provider", "/provider")];

/// The files that functions read.
const FILES: &[(&str, &str)] = &[
    ("files/plain.txt", include_str!("real/files/plain.txt")),
    ("files/user.tftpl", include_str!("real/files/user.tftpl")),
    ("files/data.json", include_str!("real/files/data.json")),
    ("files/data.yaml", include_str!("real/files/data.yaml")),
    ("files/data.csv", include_str!("real/files/data.csv")),
];

/// A valid module tree with resources that need no provider.
pub(super) fn entries(dice: &mut Dice) -> Vec<Entry> {
    let grammar = Grammar::read(GRAMMAR);
    tree(&grammar, dice, &mut Expansion { deepest: DEPTH, ..Expansion::default() })
}

/// A valid module with `dynamic` blocks. No resource without a provider has nested blocks, so other blocks are used.
pub(super) fn dynamic(dice: &mut Dice) -> Vec<Entry> {
    let grammar = Grammar::read(GRAMMAR);
    files("", DYNAMIC, &grammar, dice, &mut Expansion { deepest: DEPTH, ..Expansion::default() })
}

fn tree(grammar: &Grammar, dice: &mut Dice, how: &mut Expansion) -> Vec<Entry> {
    let mut entries = files("", ROOT, grammar, dice, how);
    entries.extend(files("modules/net/", CHILD, grammar, dice, how));
    entries
}

fn files(
    directory: &str,
    parts: &[(&str, &str, &'static str)],
    grammar: &Grammar,
    dice: &mut Dice,
    how: &mut Expansion,
) -> Vec<Entry> {
    let mut files: Vec<(&str, String)> = Vec::new();
    for &(name, blocks, place) in parts {
        how.place = place;
        let text = grammar.expand(dice, &format!("§{blocks}"), how);
        match files.iter_mut().find(|(known, _)| *known == name) {
            Some((_, file)) => *file += &format!("\n{text}"),
            None => files.push((name, text)),
        }
    }
    files.extend(FILES.iter().map(|&(name, text)| (name, text.to_owned())));
    files.into_iter().map(|(name, text)| Entry::plain(format!("{directory}{name}"), text)).collect()
}

/// A module tree with one error.
pub(super) fn mistaken(dice: &mut Dice) -> Vec<Entry> {
    let grammar = Grammar::read(GRAMMAR);
    let mistakes = Grammar::read(MISTAKES);
    let all: Vec<_> = mistakes
        .rules()
        .flat_map(|(name, choices)| choices.iter().map(move |choice| (name, *choice)))
        .collect();
    let (name, mistake) = all[dice.below(all.len())];
    let how = Expansion { deepest: DEPTH, ..Expansion::default() };
    let mut counted = how.clone();
    tree(&grammar, &mut dice.clone(), &mut counted);
    let at = dice.clone().between(1, counted.counts.get(name).copied().unwrap_or(1));
    tree(&grammar, dice, &mut Expansion { replaced: Some((name.to_owned(), at, mistake)), ..how })
}

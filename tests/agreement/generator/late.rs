//! Generates blocks that load, and whose expressions are valid or not, with modules and resources that they refer to.

use super::dice::Dice;
use super::grammar::{Expansion, Grammar};

/// The module that calls of `./net` lead to.
pub(super) const NET: &str = include_str!("late/net.txt");

/// The declarations that the blocks refer to.
pub(super) const ROOT: &str = include_str!("late/root.txt");

const GRAMMAR: &str = include_str!("late/grammar.txt");

/// The maximal depth of expansion.
const DEPTH: usize = 8;

/// A few blocks.
pub(super) fn blocks(dice: &mut Dice) -> String {
    let grammar = Grammar::read(GRAMMAR);
    let count = dice.between(1, 2);
    let block = |number| {
        grammar.expand(dice, "§site", &mut Expansion { number, deepest: DEPTH, ..Expansion::default() })
    };
    (0..count).map(block).collect()
}

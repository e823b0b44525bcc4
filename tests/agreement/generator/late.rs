//! Turns a seed into blocks that load, and whose expressions are then right or wrong, beside modules and resources for
//! them to refer to.

use super::dice::Dice;
use super::grammar::{Expansion, Grammar};

/// What a call of `./net` leads to.
pub(super) const NET: &str = include_str!("late/net.txt");

/// What the blocks refer to.
pub(super) const ROOT: &str = include_str!("late/root.txt");

const GRAMMAR: &str = include_str!("late/grammar.txt");

/// How deep one thing stands for another before the shortest is taken.
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

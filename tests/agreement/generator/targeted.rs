//! Turns a tree into one where an argument has a value that its own check looks for.

use super::block::{Block, Item, Value};
use super::dice::Dice;
use super::{Directory, File};

/// In each line a kind of block, an argument, and values for it: a leading `'` makes a quoted text, `$` an expression,
/// the rest is a number, a list or a word.
pub(crate) const OF_MODULES: &str = include_str!("targeted.txt");

/// Gives one argument of one block a value of a table, in the place of the one it has, if it has one.
pub(crate) fn make_one(dice: &mut Dice, table: &'static str, directories: &mut [Directory]) {
    // Not every kind of block stands in every tree, so a few rows are tried.
    let rows: Vec<&str> = table.lines().collect();
    for _ in 0..12 {
        let row = dice.word(&rows);
        let (argument, values) = row.split_once(": ").expect("an argument and its values");
        let (kind, name) = argument.split_once('.').expect("a kind of block and an argument");
        let value = read(dice.word(&values.split(" | ").collect::<Vec<_>>()));
        let directory = dice.below(directories.len());
        let Some(blocks) = some_file(dice, &mut directories[directory]) else { continue };
        let mut found = Vec::new();
        for block in blocks {
            of_kind(block, kind, &mut found);
        }
        if found.is_empty() {
            continue;
        }
        let at = dice.below(found.len());
        let block = &mut *found[at];
        let old = block.items.iter_mut().find_map(|item| match item {
            Item::Argument(known, value) if known == name => Some(value),
            Item::Argument(..) | Item::Block(_) => None,
        });
        match old {
            Some(old) => *old = value,
            None => block.set(name, value),
        }
        return;
    }
}

fn some_file<'a>(dice: &mut Dice, directory: &'a mut Directory) -> Option<&'a mut Vec<Block>> {
    let at = dice.below(directory.files.len());
    directory.files.get_mut(at).map(|File { items, .. }| items)
}

/// Every block of a kind, at any depth.
fn of_kind<'a>(block: &'a mut Block, kind: &str, found: &mut Vec<&'a mut Block>) {
    if block.kind == kind {
        found.push(block);
        return;
    }
    for item in &mut block.items {
        if let Item::Block(block) = item {
            of_kind(block, kind, found);
        }
    }
}

/// Reads a cell of the table.
fn read(cell: &str) -> Value {
    if let Some(text) = cell.strip_prefix('\'') {
        return Value::text(text);
    }
    if let Some(text) = cell.strip_prefix('$') {
        return Value::expression(text);
    }
    if let Some(inner) = cell.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'))
        && !inner.contains(['[', '{', ':'])
    {
        return Value::List(inner.split(", ").filter(|item| !item.is_empty()).map(read_item).collect());
    }
    if ["null", "true", "false"].contains(&cell) || cell.parse::<f64>().is_ok() {
        return Value::plain(cell);
    }
    match cell {
        "{}" => Value::Object(Vec::new()),
        _ => Value::word(cell),
    }
}

fn read_item(item: &str) -> Value {
    match item.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(text) => Value::text(text),
        None => read(item),
    }
}

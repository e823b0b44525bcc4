//! Adds an error to a mostly valid tree: wrong names, values, labels or blocks.

use super::block::{Block, Item, Value};
use super::dice::Dice;
use super::{Directory, File};

const LABELS: &[&str] =
    &["1x", "a b", "a.b", "", "source", "count", "foo_bar", "Foo", "a", "-x", "übung", "a--b"];
const KINDS: &[&str] =
    &["resourc", "variables", "provisioner", "lifecycle", "module", "output", "data", "zzz", "list"];
const ARGUMENTS: &[&str] = &[
    "count",
    "for_each",
    "depends_on",
    "provider",
    "providers",
    "version",
    "source",
    "type",
    "default",
    "value",
    "alias",
    "sensitive",
    "nullable",
    "ephemeral",
    "description",
    "condition",
    "error_message",
    "from",
    "to",
    "id",
    "when",
    "on_failure",
    "ignore_changes",
    "create_before_destroy",
    "replace_triggered_by",
    "required_version",
    "experiments",
    "language",
    "descripton",
    "defalt",
    "sorce",
    "zzz",
    "input",
];
const NESTED: &[&str] = &[
    "lifecycle",
    "locals",
    "_",
    "connection",
    "dynamic",
    "provider",
    "zzz",
    "validation",
    "precondition",
    "postcondition",
    "assert",
    "backend",
    "cloud",
    "required_providers",
    "provider_meta",
    "data",
    "provisioner",
    "source",
    "workspaces",
];
const TOP: &[&str] = &[
    "required_providers",
    "locals",
    "terraform",
    "check",
    "moved",
    "removed",
    "import",
    "variable",
    "output",
    "provider",
    "module",
    "zzz",
    "atlas",
];

/// Changes the tree in one place. The result may still be valid.
pub(crate) fn make_one(dice: &mut Dice, directories: &mut [Directory]) {
    let at = dice.below(directories.len());
    let directory = &mut directories[at];
    match dice.below(16) {
        0 => repeat_block(dice, directory),
        1 => {
            let Some(file) = some_file(dice, directory) else { return };
            let kind = dice.word(TOP);
            let labels: Vec<&str> = (0..dice.below(3)).map(|_| dice.word(LABELS)).collect();
            file.items.push(Block::new(kind, &labels));
        }
        2 => {
            let Some(file) = some_file(dice, directory) else { return };
            file.items.extend(provider_fault(dice));
        }
        other => {
            let Some(file) = some_file(dice, directory) else { return };
            if let Some(block) = some_block(dice, &mut file.items) {
                spoil(dice, block, other);
            }
        }
    }
}

fn some_file<'a>(dice: &mut Dice, directory: &'a mut Directory) -> Option<&'a mut File> {
    let at = dice.below(directory.files.len());
    directory.files.get_mut(at)
}

fn some_block<'a>(dice: &mut Dice, blocks: &'a mut [Block]) -> Option<&'a mut Block> {
    let at = dice.below(blocks.len());
    let block = blocks.get_mut(at)?;
    let nested = block.items.iter().filter(|item| matches!(item, Item::Block(_))).count();
    if nested == 0 || dice.chance(50) {
        return Some(block);
    }
    let chosen = dice.below(nested);
    let inside = block.items.iter_mut().filter_map(|item| match item {
        Item::Block(block) => Some(block),
        Item::Argument(..) => None,
    });
    inside.into_iter().nth(chosen)
}

/// Repeats a declaration in the same file or in another one.
fn repeat_block(dice: &mut Dice, directory: &mut Directory) {
    let Some(file) = some_file(dice, directory) else { return };
    let Some(block) = dice.pick(&file.items).cloned() else { return };
    if let Some(file) = some_file(dice, directory) {
        file.items.push(block);
    }
}

fn spoil(dice: &mut Dice, block: &mut Block, how: usize) {
    match how {
        3 | 4 => {
            if let Some((name, _)) = some_argument(dice, block) {
                *name = misspelt(dice, name);
            }
        }
        5 => {
            let arguments = arguments(block);
            if !arguments.is_empty() {
                block.items.remove(arguments[dice.below(arguments.len())]);
            }
        }
        6..=9 => {
            let value = wrong_value(dice);
            if let Some((_, old)) = some_argument(dice, block) {
                *old = value;
            }
        }
        10 => {
            let label = dice.word(LABELS).to_owned();
            let at = dice.below(block.labels.len());
            if let Some(old) = block.labels.get_mut(at) {
                *old = label;
            }
        }
        11 if dice.chance(50) => {
            block.labels.pop();
        }
        11 => block.labels.push("extra".to_owned()),
        12 if dice.chance(30) => dice.word(KINDS).clone_into(&mut block.kind),
        12 | 13 => {
            let mut nested = Block::new(dice.word(NESTED), &[]);
            if dice.chance(20) {
                nested.labels.push("x".to_owned());
            }
            if dice.chance(30) {
                nested.set(dice.word(ARGUMENTS), wrong_value(dice));
            }
            block.items.push(Item::Block(nested));
        }
        14 => {
            let again = block.items.iter().find(|item| matches!(item, Item::Block(_))).cloned();
            block.items.extend(again);
        }
        _ => {
            let name = dice.word(ARGUMENTS);
            let value = wrong_value(dice);
            block.set(name, value);
        }
    }
}

fn arguments(block: &Block) -> Vec<usize> {
    let is_argument = |item: &Item| matches!(item, Item::Argument(..));
    block.items.iter().enumerate().filter(|(_, item)| is_argument(item)).map(|(at, _)| at).collect()
}

fn some_argument<'a>(dice: &mut Dice, block: &'a mut Block) -> Option<(&'a mut String, &'a mut Value)> {
    let arguments = arguments(block);
    let at = *dice.pick(&arguments)?;
    match &mut block.items[at] {
        Item::Argument(name, value) => Some((name, value)),
        Item::Block(_) => None,
    }
}

fn misspelt(dice: &mut Dice, name: &str) -> String {
    if dice.chance(40) {
        return dice.word(ARGUMENTS).to_owned();
    }
    let at = dice.below(name.len());
    let mut text: Vec<char> = name.chars().collect();
    if dice.chance(50) && text.len() > 1 {
        text.remove(at.min(text.len() - 1));
    } else {
        text.insert(at.min(text.len()), 'q');
    }
    text.into_iter().collect()
}

fn wrong_value(dice: &mut Dice) -> Value {
    match dice.below(18) {
        0 => Value::plain("null"),
        1 => Value::plain(5),
        2 => Value::plain(dice.chance(50)),
        3 => Value::List(Vec::new()),
        4 => Value::Object(Vec::new()),
        5 => Value::text("x"),
        6 => Value::text(""),
        7 => Value::expression("var.missing"),
        8 => Value::expression("upper(\"x\")"),
        9 => Value::expression("missing(1)"),
        10 => Value::word("terraform_data.missing"),
        11 => Value::List(vec![Value::text("terraform_data.missing")]),
        12 => Value::List(vec![Value::plain(5)]),
        13 => Value::Object(vec![("a".to_owned(), Value::plain(1))]),
        14 => Value::text("${path.module}/x"),
        15 => Value::word(dice.word(&[
            "all",
            "destroy",
            "string",
            "foo.bar.baz",
            "each.key",
            "self",
            "module.x",
            "data.x.y",
        ])),
        16 => Value::text(dice.word(&[
            "string",
            "destroy",
            "all",
            "*",
            ">= 1.0",
            "./nowhere",
            "foo.east",
            "1x",
        ])),
        _ => Value::expression(dice.word(&[
            "1 + \"x\"",
            "count.index",
            "each.value",
            "[1, 2][5]",
            "{ a = 1 }.b",
        ])),
    }
}

/// An error about providers.
fn provider_fault(dice: &mut Dice) -> Option<Block> {
    let needs = |name: &str, value: Value| {
        Block::new("terraform", &[]).holding(Block::new("required_providers", &[]).with(name, value))
    };
    let object = |key: &str, value: Value| Value::Object(vec![(key.to_owned(), value)]);
    Some(match dice.below(14) {
        0 => Block::new("provider", &[dice.word(&["foo", "Foo", "foo_bar", "-x", "bar"])])
            .with("alias", Value::text(dice.word(&["east", "1x", "", "a b"]))),
        1 => Block::new("provider", &["foo"])
            .with(dice.word(&["count", "for_each", "depends_on", "source"]), Value::plain(1)),
        2 => {
            Block::new("provider", &["foo"]).with("version", Value::text(dice.word(&["1.0", "x", "v1", ""])))
        }
        3 => needs(
            "foo",
            object(
                "source",
                Value::text(dice.word(&[
                    "a/b/c/d",
                    "",
                    "acme//foo",
                    "a_b/c",
                    "acme/terraform-provider-foo",
                    "acme/Foo",
                ])),
            ),
        ),
        4 => needs("foo", object("version", Value::text(dice.word(&["x", "v1.0", "1.2.3.4", "=> 1", ""])))),
        5 => needs(
            "foo",
            object(
                "configuration_aliases",
                Value::List(vec![Value::word(dice.word(&["bar.x", "foo.x", "foo"]))]),
            ),
        ),
        6 => needs("foo", object(dice.word(&["sauce", "versions"]), Value::text("x"))),
        7 => needs(dice.word(&["Foo", "foo_bar", "qux"]), object("source", Value::text("acme/foo"))),
        8 => needs(
            "qux",
            dice.pick(&[
                Value::plain("null"),
                Value::List(Vec::new()),
                Value::expression("var.x"),
                Value::plain(1),
            ])?
            .clone(),
        ),
        9 => Block::new("terraform", &[]).holding(Block::new("provider_meta", &[dice.word(&["foo", "Foo"])])),
        10 => Block::new("resource", &["foo_thing", "extra"])
            .with("provider", Value::word(dice.word(&["foo", "bar.east", "foo.x.y", "Foo", "foo[0]"]))),
        11 => Block::new("resource", &[dice.word(&["foo-_x", "_foo", "Foo_x", "qux_thing"]), "extra"]),
        12 => Block::new("terraform", &[]).holding(Block::new(dice.word(&["backend", "cloud"]), &[])),
        _ => Block::new("terraform", &[]).with("experiments", Value::List(vec![Value::word("zzz")])),
    })
}

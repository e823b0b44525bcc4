//! Generates a module tree from a seed: mostly valid, with a few errors, and always the same.

pub(crate) mod changes;
pub(crate) mod companions;
mod block;
mod dice;
mod faults;
mod grammar;
mod late;
mod overrides;
mod parts;
mod plan;
mod providers;
mod real;
mod targeted;
mod tested;
mod typed;
mod wiring;

use block::Block;
use dice::Dice;
use plan::Plan;

pub(crate) use providers::tree as providers;
pub(crate) use tested::{mocked, ran, tested};

use crate::case::{Case, Entry};

/// A directory of the tree.
struct Directory {
    path: String,
    files: Vec<File>,
}

struct File {
    name: String,
    items: Vec<Block>,
}

/// The module tree of a seed.
pub(crate) fn tree(seed: u64) -> Case {
    let mut dice = Dice::new(seed);
    let plan = Plan::random(&mut dice);
    let mut directories: Vec<Directory> =
        (0..plan.modules.len()).map(|number| directory(&mut dice, &plan, number)).collect();
    let faults = [0, 0, 1, 1, 1, 2, 2, 3][dice.below(8)];
    for _ in 0..faults {
        faults::make_one(&mut dice, &mut directories);
    }
    Case::new(format!("tree {seed}"), entries(&directories))
}

/// The module tree of a seed, with values that exercise the checks of single arguments.
pub(crate) fn hard(seed: u64) -> Case {
    let mut dice = Dice::new(seed ^ 0x00AB_1E0F_4A2D);
    let plan = Plan::random(&mut dice);
    let mut directories: Vec<Directory> =
        (0..plan.modules.len()).map(|number| directory(&mut dice, &plan, number)).collect();
    for _ in 0..dice.between(1, 4) {
        targeted::make_one(&mut dice, targeted::OF_MODULES, &mut directories);
    }
    if dice.chance(40) {
        faults::make_one(&mut dice, &mut directories);
    }
    Case::new(format!("hard {seed}"), entries(&directories))
}

/// The module tree of a seed, with many providers passed between many modules.
pub(crate) fn wired(seed: u64) -> Case {
    let mut dice = Dice::new(seed ^ 0x0033_77BE_11A5);
    let plan = Plan::wired(&mut dice);
    let mut directories: Vec<Directory> =
        (0..plan.modules.len()).map(|number| directory(&mut dice, &plan, number)).collect();
    if dice.chance(15) {
        faults::make_one(&mut dice, &mut directories);
    }
    Case::new(format!("wired {seed}"), entries(&directories))
}

/// A module tree that loads, with expressions that are evaluated later.
pub(crate) fn late(seed: u64) -> Case {
    let mut dice = Dice::new(seed ^ 0x0000_7A7E_5EED);
    let blocks = Entry::plain("more.tf", late::blocks(&mut dice));
    let entries = vec![Entry::plain("main.tf", late::ROOT), blocks, Entry::plain("net/main.tf", late::NET)];
    Case::new(format!("late {seed}"), entries)
}

/// A valid module tree with the constructs of public modules, at their usual frequency.
pub(crate) fn real(seed: u64) -> Case {
    let mut dice = Dice::new(seed ^ 0x0000_4EA1_C0DE);
    Case::new(format!("real {seed}"), real::entries(&mut dice))
}

/// A valid module with `dynamic` blocks.
pub(crate) fn dynamic(seed: u64) -> Case {
    let mut dice = Dice::new(seed ^ 0x0000_D14A_31C5);
    Case::new(format!("dynamic {seed}"), real::dynamic(&mut dice))
}

/// A tree like that of `real` with one error.
pub(crate) fn mistaken(seed: u64) -> Case {
    let mut dice = Dice::new(seed ^ 0x0000_0BAD_C0DE);
    Case::new(format!("mistaken {seed}"), real::mistaken(&mut dice))
}

/// The module tree of a seed, with one character of one file deleted, doubled, replaced or inserted.
pub(crate) fn slip(seed: u64) -> Case {
    let mut dice = Dice::new(seed ^ 0x005E_ED0F_511B);
    let plan = Plan::random(&mut dice);
    let directories: Vec<Directory> =
        (0..plan.modules.len()).map(|number| directory(&mut dice, &plan, number)).collect();
    let mut entries: Vec<Entry> = entries(&directories);
    let at = dice.below(entries.len());
    if let Some(entry) = entries.get_mut(at) {
        *entry = slipped(&mut dice, entry);
    }
    Case::new(format!("slip {seed}"), entries)
}

fn slipped(dice: &mut Dice, entry: &Entry) -> Entry {
    let text = String::from_utf8(entry.bytes().expect("a generated file")).expect("generated text");
    let mut chars: Vec<char> = text.chars().collect();
    if chars.is_empty() {
        return entry.clone();
    }
    let at = dice.below(chars.len());
    let other = dice.word(&[
        "{", "}", "\"", "[", "]", "(", ")", ",", "=", ".", "\n", "x", "1", "$", "%", "'", " ", "\\", "#", "-",
    ]);
    let other = other.chars().next().expect("a character");
    match dice.below(4) {
        0 => {
            chars.remove(at);
        }
        1 => chars.insert(at, chars[at]),
        2 => chars[at] = other,
        _ => chars.insert(at, other),
    }
    Entry::plain(&entry.path, chars.into_iter().collect::<String>())
}

fn entries(directories: &[Directory]) -> Vec<Entry> {
    let mut entries = Vec::new();
    for directory in directories {
        for file in &directory.files {
            let text = if file.name.strip_suffix(".json").is_some() {
                block::json(&file.items)
            } else {
                block::native(&file.items)
            };
            let path = if directory.path.is_empty() {
                file.name.clone()
            } else {
                format!("{}/{}", directory.path, file.name)
            };
            entries.push(Entry::plain(path, text));
        }
    }
    entries
}

fn directory(dice: &mut Dice, plan: &Plan, number: usize) -> Directory {
    let module = &plan.modules[number];
    let is_root = number == 0;
    let mut blocks = wiring::settings(dice, module, is_root);
    blocks.extend(module.variables.iter().map(|variable| parts::variable(dice, variable)));
    blocks.extend(parts::locals(dice, plan, module));
    blocks.extend((0..module.resources.len()).map(|number| parts::resource(dice, plan, module, number)));
    blocks.extend((0..module.calls.len()).map(|number| wiring::call(dice, plan, module, number)));
    blocks.extend(parts::extras(dice, plan, module, is_root));
    blocks.extend(module.outputs.iter().map(|name| parts::output(dice, plan, module, name)));
    let mut files = spread(dice, blocks);
    for _ in 0..[0, 0, 0, 1, 1, 2][dice.below(6)] {
        let name = dice.word(&[
            "override.tf",
            "main_override.tf",
            "a_override.tf",
            "z_override.tf",
            "override.tf.json",
            "b_override.tf.json",
        ]);
        if !files.iter().any(|file| file.name == name) {
            files.push(File { name: name.to_owned(), items: overrides::blocks(dice, plan, module) });
        }
    }
    Directory { path: module.path.clone(), files }
}

/// Distributes blocks over one, two or three files, some of them in JSON.
fn spread(dice: &mut Dice, blocks: Vec<Block>) -> Vec<File> {
    let names: &[&str] = match dice.below(6) {
        0 => &["main.tf.json"],
        1 => &["main.tf", "outputs.tf"],
        2 => &["main.tf", "extra.tf.json"],
        3 => &["a.tf", "b.tf", "c.tf"],
        _ => &["main.tf"],
    };
    let mut files: Vec<File> =
        names.iter().map(|&name| File { name: name.to_owned(), items: Vec::new() }).collect();
    for block in blocks {
        let at = dice.below(files.len());
        files[at].items.push(block);
    }
    files
}

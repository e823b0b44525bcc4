//! Turns a seed into a module tree in which the only question is which provider configuration reaches which resource.
//!
//! Four sources stand under five local names. Mostly a name means the same source in every module, since a tree with
//! several mistakes is refused, and shows less.

use std::collections::BTreeSet;

use super::block::{self, Block, Value};
use super::dice::Dice;
use crate::case::{Case, Entry};

const SOURCES: [&str; 4] = ["hashicorp/aa", "acme/aa", "acme/bb", "other/cc"];
const NAMES: [&str; 5] = ["aa", "bb", "cc", "dd", "ee"];
const ALIASES: [&str; 3] = ["w", "e", "n"];

/// The usual source of a name in the modules of a tree.
struct Habits {
    sources: [usize; NAMES.len()],
    /// The probability of a deviation, in percent.
    deviation: usize,
    /// The number of names in use.
    names: usize,
}

/// A module under construction.
#[derive(Default)]
struct Plan {
    required: Vec<(usize, usize)>,
    /// Names with aliases that callers may pass.
    aliases: Vec<(usize, &'static str)>,
    blocks: Vec<(usize, Option<&'static str>)>,
    base: Vec<Block>,
    overrides: Vec<Block>,
}

/// The module tree of a seed.
pub(crate) fn tree(seed: u64) -> Case {
    let mut dice = Dice::new(seed ^ 0x0050_0C1E_ADD2);
    let habits = Habits {
        sources: [dice.below(2), 2, 3, dice.below(4), dice.below(4)],
        deviation: [0, 1, 3, 8, 20][dice.below(5)],
        names: dice.between(2, NAMES.len()),
    };
    let count = dice.between(1, 6);
    let mut modules: Vec<Plan> = (0..count).map(|number| declarations(&mut dice, &habits, number)).collect();
    let levels: Vec<usize> =
        (0..count).map(|number| if number == 0 { 0 } else { number.div_ceil(2).min(3) }).collect();
    let mut called = BTreeSet::new();
    for number in 0..count {
        for child in number + 1..count {
            let is_next = levels[child] == levels[number] + 1;
            let calls = match dice.below(10) {
                0..6 if is_next => 1,
                6 if is_next => 2,
                7 => 1,
                _ => 0,
            };
            // Every module is called, so that all of them are in the tree of the root module.
            let is_last_chance = number + 1 == child && !called.contains(&child);
            for call in 0..calls.max(usize::from(is_last_chance)) {
                called.insert(child);
                let (base, over) = call_of(&mut dice, &habits, &modules, number, child, call);
                modules[number].base.push(base);
                modules[number].overrides.extend(over);
            }
        }
        consumers(&mut dice, &habits, &mut modules[number], number == 0);
    }
    let mut entries = vec![Entry::plain("terraform.tfvars", "")];
    for (number, module) in modules.iter().enumerate() {
        let directory = if number == 0 { String::new() } else { format!("m{number}/") };
        let is_json = dice.chance(25);
        let (write, ending): (fn(&[Block]) -> String, _) =
            if is_json { (block::json, "tf.json") } else { (block::native, "tf") };
        entries.push(Entry::plain(format!("{directory}main.{ending}"), write(&module.base)));
        if !module.overrides.is_empty() {
            entries
                .push(Entry::plain(format!("{directory}main_override.tf"), block::native(&module.overrides)));
        }
    }
    Case::new(format!("providers {seed}"), entries)
}

/// The requirements and configurations of a module.
fn declarations(dice: &mut Dice, habits: &Habits, number: usize) -> Plan {
    let mut plan = Plan::default();
    let mut required = Block::new("required_providers", &[]);
    for (name, local) in NAMES.into_iter().enumerate().take(habits.names) {
        if !dice.chance(70) {
            continue;
        }
        let deviates = dice.chance(habits.deviation);
        let source = if deviates { dice.below(SOURCES.len()) } else { habits.sources[name] };
        plan.required.push((name, source));
        let is_implied = SOURCES[source] == format!("hashicorp/{local}");
        if is_implied && dice.chance(10) {
            required.set(local, Value::text(">= 1.0"));
            continue;
        }
        let mut entry = if is_implied && dice.chance(30) {
            vec![("version".to_owned(), Value::text(">= 1.0"))]
        } else {
            vec![("source".to_owned(), Value::text(written_source(dice, source)))]
        };
        if number > 0 && dice.chance(25) {
            let alias = dice.word(&ALIASES);
            plan.aliases.push((name, alias));
            let list = vec![Value::word(format!("{local}.{alias}"))];
            entry.push(("configuration_aliases".to_owned(), Value::List(list)));
        }
        required.set(local, Value::Object(entry));
    }
    let is_root = number == 0;
    for name in 0..habits.names {
        for alias in [None, Some(dice.word(&ALIASES)), Some(dice.word(&ALIASES))] {
            let percent = match (is_root, alias) {
                (true, None) => 65,
                (true, Some(_)) => 45,
                (false, None) => 10,
                (false, Some(_)) => 4,
            };
            if plan.blocks.contains(&(name, alias)) || !dice.chance(percent) {
                continue;
            }
            plan.blocks.push((name, alias));
            // A default configuration can be in an override file alone.
            if alias.is_none() && dice.chance(3) {
                plan.overrides.push(provider(dice, name, alias, 60));
                continue;
            }
            plan.base.push(provider(dice, name, alias, if is_root { 75 } else { 50 }));
            if dice.chance(8) {
                plan.overrides.push(provider(dice, name, alias, 60));
            }
        }
    }
    if dice.chance(2) {
        let source = vec![("source".to_owned(), Value::text("terraform.io/builtin/terraform"))];
        required.set("terraform", Value::Object(source));
    }
    if !required.items.is_empty() {
        plan.base.insert(0, Block::new("terraform", &[]).holding(required));
    }
    if dice.chance(4)
        && let Some((name, source)) = dice.pick(&plan.required).copied()
    {
        let source = if dice.chance(50) { dice.below(SOURCES.len()) } else { source };
        let entry = match dice.below(4) {
            0 => ("version", Value::text(">= 1.1")),
            _ => ("source", Value::text(SOURCES[source])),
        };
        let entry = Value::Object(vec![(entry.0.to_owned(), entry.1)]);
        let required = Block::new("required_providers", &[]).with(NAMES[name], entry);
        plan.overrides.push(Block::new("terraform", &[]).holding(required));
    }
    plan
}

/// A source address: mostly short, sometimes with the registry, or in capitals.
fn written_source(dice: &mut Dice, source: usize) -> String {
    match dice.below(20) {
        0 => format!("registry.terraform.io/{}", SOURCES[source]),
        1 => SOURCES[source].to_uppercase(),
        _ => SOURCES[source].to_owned(),
    }
}

fn provider(dice: &mut Dice, name: usize, alias: Option<&str>, percent: usize) -> Block {
    let mut block = Block::new("provider", &[NAMES[name]]);
    if let Some(alias) = alias {
        block.set("alias", Value::text(alias));
    }
    match dice.below(100) {
        number if number < percent => block.set("region", Value::text("here")),
        98 => block.set("version", Value::text(">= 1.0")),
        99 => block.set("region", Value::plain("null")),
        _ => {}
    }
    block
}

/// A reference that is usually valid in a module.
fn reference(dice: &mut Dice, habits: &Habits, plan: &Plan) -> (usize, Option<&'static str>) {
    let blocks = plan.blocks.iter().copied();
    let required = plan.required.iter().map(|(name, _)| (*name, None));
    let aliases = plan.aliases.iter().map(|(name, alias)| (*name, Some(*alias)));
    let known: Vec<_> = blocks.chain(required).chain(aliases).collect();
    match dice.pick(&known) {
        Some(known) if !dice.chance(habits.deviation) => *known,
        _ => (dice.below(habits.names), dice.chance(30).then(|| dice.word(&ALIASES))),
    }
}

fn written((name, alias): (usize, Option<&str>)) -> String {
    alias.map_or_else(|| NAMES[name].to_owned(), |alias| format!("{}.{alias}", NAMES[name]))
}

/// A call of one module by another one, perhaps with an override of its map.
fn call_of(
    dice: &mut Dice,
    habits: &Habits,
    modules: &[Plan],
    number: usize,
    child: usize,
    call: usize,
) -> (Block, Option<Block>) {
    let name = format!("c{child}{}", ["", "b"][call]);
    let source = if number == 0 { format!("./m{child}") } else { format!("../m{child}") };
    let mut block = Block::new("module", &[&name]).with("source", Value::text(source));
    match dice.below(100) {
        0..4 => block.set("count", Value::plain(dice.below(2))),
        4..7 => block.set("for_each", Value::expression("toset([\"a\"])")),
        _ => {}
    }
    let needs_map = !modules[child].aliases.is_empty();
    let kind = dice.below(100);
    if kind < 3 {
        block.set("providers", Value::Object(Vec::new()));
    } else if kind < 45 || (needs_map && !dice.chance(habits.deviation)) {
        block.set("providers", map(dice, habits, &modules[number], &modules[child]));
    }
    let over = dice.chance(3).then(|| {
        Block::new("module", &[&name]).with("providers", map(dice, habits, &modules[number], &modules[child]))
    });
    (block, over)
}

fn map(dice: &mut Dice, habits: &Habits, parent: &Plan, child: &Plan) -> Value {
    let mut left: Vec<(usize, Option<&str>)> =
        child.aliases.iter().map(|(name, alias)| (*name, Some(*alias))).collect();
    for (name, _) in &child.required {
        if dice.chance(60) {
            left.push((*name, None));
        }
    }
    if dice.chance(habits.deviation + 2) {
        left.push((dice.below(habits.names), dice.chance(30).then(|| dice.word(&ALIASES))));
    }
    let meaning = |plan: &Plan, name: usize| {
        plan.required.iter().find(|(required, _)| *required == name).map(|(_, source)| *source)
    };
    let mut entries: Vec<(String, Value)> = Vec::new();
    for to in left {
        let address = meaning(child, to.0);
        // Usually a configuration of the parent module for the same source.
        let blocks = parent.blocks.iter().copied();
        let aliases = parent.aliases.iter().map(|(name, alias)| (*name, Some(*alias)));
        let required = parent.required.iter().map(|(name, _)| (*name, None));
        let fitting: Vec<_> = blocks
            .chain(aliases)
            .chain(required)
            .filter(|(name, _)| address.is_some() && meaning(parent, *name) == address)
            .collect();
        let from = match dice.pick(&fitting) {
            Some(fitting) if !dice.chance(habits.deviation + 2) => *fitting,
            _ if dice.chance(40) => reference(dice, habits, parent),
            _ => (to.0, None),
        };
        if entries.iter().all(|(key, _)| *key != written(to)) {
            let from = match dice.below(200) {
                0 => "null".to_owned(),
                1 => "each.value".to_owned(),
                2 => format!("local.{}", dice.word(&ALIASES)),
                3 => "terraform".to_owned(),
                _ => written(from),
            };
            entries.push((written(to), Value::word(from)));
        }
    }
    Value::Object(entries)
}

/// Resources, data and ephemeral resources of a module.
fn consumers(dice: &mut Dice, habits: &Habits, plan: &mut Plan, is_root: bool) {
    for number in 0..dice.between(0, 4) {
        let name = NAMES[dice.below(habits.names)];
        let kind = ["resource", "resource", "data", "ephemeral"][dice.below(4)];
        let (kind_of, label) = (format!("{name}_thing"), format!("r{number}"));
        let mut block = Block::new(kind, &[&kind_of, &label]);
        if dice.chance(55) {
            block.set("provider", Value::word(written(reference(dice, habits, plan))));
        }
        if kind == "data" && dice.chance(20) {
            block = Block::new("check", &[&format!("k{number}")]).holding(block).holding(
                Block::new("assert", &[])
                    .with("condition", Value::expression(format!("data.{kind_of}.{label}.id != \"\"")))
                    .with("error_message", Value::text("No.")),
            );
        } else if kind == "resource" && dice.chance(5) {
            plan.overrides.push(
                Block::new(kind, &[&kind_of, &label])
                    .with("provider", Value::word(written(reference(dice, habits, plan)))),
            );
        }
        plan.base.push(block);
    }
    if dice.chance(5) {
        plan.base.push(Block::new("resource", &["terraform_data", "built_in"]));
    }
    if is_root && dice.chance(8) {
        // An import of a resource whose configuration Terraform generates.
        let name = NAMES[dice.below(habits.names)];
        let mut import = Block::new("import", &[])
            .with("to", Value::word(format!("{name}_thing.generated")))
            .with("id", Value::text("x"));
        if dice.chance(70) {
            import.set("provider", Value::word(written(reference(dice, habits, plan))));
        }
        plan.base.push(import);
    }
}

//! Generates provider requirements and configurations, settings, and calls of a module.

use super::block::{Block, Value};
use super::dice::Dice;
use super::parts::{self, Sight};
use super::plan::{Call, Configured, Module, Need, Plan};

const VERSIONS: &[&str] = &[">= 1.0", "~> 2.1", "1.2.3", "!= 1.0.0, < 9"];

pub(crate) fn settings(dice: &mut Dice, module: &Module, is_root: bool) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut block = Block::new("terraform", &[]);
    if dice.chance(25) {
        let version = if dice.chance(95) {
            dice.word(&[">= 1.0", "~> 1.11", "< 2.0.0"])
        } else {
            dice.word(&["< 1.0", ">= x", ">= 99"])
        };
        block.set("required_version", Value::text(version));
    }
    if !module.needs.is_empty() {
        let mut needs = Block::new("required_providers", &[]);
        for need in &module.needs {
            needs.set(&need.local, requirement(dice, need));
        }
        block = block.holding(needs);
    }
    if dice.chance(if is_root { 15 } else { 4 }) {
        block = block.holding(backend(dice));
    }
    if !block.items.is_empty() {
        blocks.push(block);
    }
    blocks.extend(module.configured.iter().map(|configured| provider(dice, configured)));
    blocks
}

pub(crate) fn requirement(dice: &mut Dice, need: &Need) -> Value {
    let mut entries = Vec::new();
    if let Some(source) = &need.source {
        entries.push(("source".to_owned(), Value::text(source)));
    }
    if dice.chance(50) {
        entries.push(("version".to_owned(), Value::text(dice.word(VERSIONS))));
    }
    if !need.aliases.is_empty() {
        let aliases =
            need.aliases.iter().map(|alias| Value::word(format!("{}.{alias}", need.local))).collect();
        entries.push(("configuration_aliases".to_owned(), Value::List(aliases)));
    }
    if entries.len() == 1 && need.source.is_none() && need.aliases.is_empty() && dice.chance(50) {
        return Value::text(dice.word(VERSIONS));
    }
    Value::Object(entries)
}

pub(crate) fn backend(dice: &mut Dice) -> Block {
    match dice.below(3) {
        0 => Block::new("backend", &["local"]).with("path", Value::text("x.tfstate")),
        1 => Block::new("backend", &["s3"]),
        _ => Block::new("cloud", &[]).with("organization", Value::text("acme")),
    }
}

pub(crate) fn provider(dice: &mut Dice, configured: &Configured) -> Block {
    let mut block = Block::new("provider", &[&configured.local]);
    if let Some(alias) = &configured.alias {
        block.set("alias", Value::text(alias));
    }
    if !configured.is_empty {
        match dice.below(10) {
            0 => block.set("version", Value::text("1.0")),
            1 => block = block.holding(Block::new("features", &[])),
            2 => block = block.holding(Block::new("_", &[]).with("x", Value::plain(1))),
            _ => block.set("region", Value::text("north")),
        }
    }
    block
}

pub(crate) fn call(dice: &mut Dice, plan: &Plan, module: &Module, number: usize) -> Block {
    let call = &module.calls[number];
    let callee = &plan.modules[call.callee];
    let block = Block::new("module", &[&call.name]).with("source", Value::text(&call.source));
    let mut block = parts::repeat(dice, block, call.repeated);
    for variable in &callee.variables {
        if dice.chance(if variable.required { 96 } else { 25 }) {
            let value = match &variable.of {
                Some(of) if dice.chance(75) => of.value(dice, 2),
                Some(_) | None => parts::expression(dice, plan, module, Sight::Calls(number), call.repeated),
            };
            block.set(&variable.name, value);
        }
    }
    if dice.chance(3) {
        block.set("unknown", Value::plain(1));
    }
    if dice.chance(12) {
        block.set("depends_on", parts::depends_on(dice, module, module.resources.len(), number > 0));
    }
    if plan.foreign {
        let passed = passed(dice, module, callee);
        if !passed.is_empty() || dice.chance(3) {
            block.set("providers", Value::Object(passed));
        }
    }
    block
}

/// A `providers` map with most of the configurations that the called module needs.
pub(crate) fn passed(dice: &mut Dice, module: &Module, callee: &Module) -> Vec<(String, Value)> {
    let mut entries = Vec::new();
    if dice.chance(25) {
        return entries;
    }
    let known = module.provider_names();
    for need in &callee.needs {
        let aliases = need.aliases.iter().map(|alias| format!("{}.{alias}", need.local));
        for name in std::iter::once(need.local.clone()).chain(aliases) {
            if dice.chance(15) {
                continue;
            }
            let of_same: Vec<String> =
                known.iter().filter(|known| known.split('.').next() == Some(&need.local)).cloned().collect();
            let value = match dice.below(20) {
                0 => dice.pick(&known).cloned(),
                1 => Some(dice.word(&["foo", "bar", "baz.east", "qux"]).to_owned()),
                _ => dice.pick(&of_same).cloned(),
            };
            let value = value.unwrap_or_else(|| need.local.clone());
            let value = if dice.chance(97) { Value::word(value) } else { Value::text(value) };
            entries.push((name, value));
        }
    }
    if dice.chance(10) {
        let extra = dice.word(&["foo", "bar.east", "qux", "baz.west"]);
        if !entries.iter().any(|(name, _)| name == extra) {
            entries.push((extra.to_owned(), Value::word(dice.word(&["foo", "bar", "qux"]))));
        }
    }
    entries
}

/// Another source for a call: that of a sibling, if there is one.
pub(crate) fn other_source(dice: &mut Dice, module: &Module, call: &Call) -> String {
    dice.pick(&module.calls).unwrap_or(call).source.clone()
}

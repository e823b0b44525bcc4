//! Generates override blocks for the declarations of a module.

use super::block::{Block, Value};
use super::dice::Dice;
use super::parts::{self, Sight};
use super::plan::{Configured, Module, Need, Plan, Repeated};
use super::typed::Type;
use super::wiring;

/// The blocks of one override file.
pub(crate) fn blocks(dice: &mut Dice, plan: &Plan, module: &Module) -> Vec<Block> {
    let mut blocks = Vec::new();
    for _ in 0..dice.between(1, 4) {
        let block = match dice.below(16) {
            0..=3 => variable(dice, module),
            4 => local(dice, plan, module),
            5 => output(dice, plan, module),
            6..=8 => call(dice, plan, module),
            9..=11 => resource(dice, plan, module),
            12 => settings(dice, module),
            13 => provider(dice, module),
            14 => Some(stranger(dice)),
            _ => refused(dice, module),
        };
        blocks.extend(block);
    }
    blocks
}

fn variable(dice: &mut Dice, module: &Module) -> Option<Block> {
    let base = dice.pick(&module.variables)?;
    let mut block = Block::new("variable", &[&base.name]);
    let of = Type::random(dice, 2);
    match dice.below(6) {
        0 => block.set("type", Value::word(of.text())),
        1 => {
            let of = base.of.clone().unwrap_or(of);
            block.set("default", of.value(dice, 6));
        }
        2 => {
            block.set("type", Value::word(of.text()));
            block.set("default", of.value(dice, 3));
        }
        3 => block.set("nullable", Value::plain(dice.chance(50))),
        4 => block.set("description", Value::text("Overridden.")),
        _ => block.set("sensitive", Value::plain(dice.chance(50))),
    }
    Some(block)
}

fn local(dice: &mut Dice, plan: &Plan, module: &Module) -> Option<Block> {
    let name = dice.pick(&module.locals)?.clone();
    let value = parts::expression(dice, plan, module, Sight::Variables, Repeated::Once);
    Some(Block::new("locals", &[]).with(&name, value))
}

fn output(dice: &mut Dice, plan: &Plan, module: &Module) -> Option<Block> {
    let name = dice.pick(&module.outputs)?.clone();
    let mut block = Block::new("output", &[&name]);
    match dice.below(5) {
        0 => block.set("sensitive", Value::plain(true)),
        1 => block.set("description", Value::text("")),
        2 if dice.chance(50) => {
            block.set("depends_on", parts::depends_on(dice, module, module.resources.len(), false));
        }
        _ => {
            let sight = Sight::Resources(module.resources.len());
            block.set("value", parts::expression(dice, plan, module, sight, Repeated::Once));
        }
    }
    Some(block)
}

fn call(dice: &mut Dice, plan: &Plan, module: &Module) -> Option<Block> {
    let base = dice.pick(&module.calls)?;
    let mut block = Block::new("module", &[&base.name]);
    match dice.below(9) {
        0 => block.set("source", Value::text(wiring::other_source(dice, module, base))),
        1 => block = parts::repeat(dice, block, Repeated::Count),
        2 => block = parts::repeat(dice, block, Repeated::ForEach),
        3 => block.set("depends_on", parts::depends_on(dice, module, module.resources.len(), false)),
        4 if plan.foreign => {
            let passed = wiring::passed(dice, module, &plan.modules[base.callee]);
            block.set("providers", Value::Object(passed));
        }
        5 => block.set("unknown", Value::plain(1)),
        _ => {
            if let Some(variable) = dice.pick(&plan.modules[base.callee].variables) {
                let value = match &variable.of {
                    Some(of) => of.value(dice, 5),
                    None => Value::text("x"),
                };
                block.set(&variable.name, value);
            }
        }
    }
    Some(block)
}

fn resource(dice: &mut Dice, plan: &Plan, module: &Module) -> Option<Block> {
    let base = dice.pick(&module.resources)?;
    let mut block = Block::new("resource", &[&base.kind, &base.name]);
    match dice.below(9) {
        0 => block = parts::repeat(dice, block, Repeated::Count),
        1 => block = parts::repeat(dice, block, Repeated::ForEach),
        2 => block.set("depends_on", parts::depends_on(dice, module, 0, false)),
        3 => {
            let life = Block::new("lifecycle", &[]).with("prevent_destroy", Value::plain(true));
            block = block.holding(life);
        }
        4 => {
            let check = Block::new(dice.word(&["precondition", "postcondition"]), &[])
                .with("condition", Value::expression("path.module != \"\""))
                .with("error_message", Value::text("No."));
            block = block.holding(Block::new("lifecycle", &[]).holding(check));
        }
        5 => block = block.holding(Block::new("connection", &[]).with("host", Value::text("h"))),
        6 if plan.foreign => {
            if let Some(name) = dice.pick(&module.provider_names()) {
                block.set("provider", Value::word(name));
            }
        }
        _ => block.set("input", parts::expression(dice, plan, module, Sight::Variables, Repeated::Once)),
    }
    Some(block)
}

fn settings(dice: &mut Dice, module: &Module) -> Option<Block> {
    let mut block = Block::new("terraform", &[]);
    match dice.below(4) {
        0 => block.set("required_version", Value::text(">= 1.1")),
        1 => block = block.holding(wiring::backend(dice)),
        _ => {
            let mut need = dice.pick(&module.needs)?.clone();
            if dice.chance(50) {
                need = Need { source: None, aliases: Vec::new(), ..need };
            }
            let value = wiring::requirement(dice, &need);
            block = block.holding(Block::new("required_providers", &[]).with(&need.local, value));
        }
    }
    Some(block)
}

fn provider(dice: &mut Dice, module: &Module) -> Option<Block> {
    let base = dice.pick(&module.configured)?;
    let alias = if dice.chance(85) { base.alias.clone() } else { Some("other".to_owned()) };
    let configured = Configured { local: base.local.clone(), alias, is_empty: dice.chance(30) };
    Some(wiring::provider(dice, &configured))
}

/// A block without a base.
fn stranger(dice: &mut Dice) -> Block {
    match dice.below(7) {
        0 => Block::new("variable", &["stranger"]),
        1 => Block::new("locals", &[]).with("stranger", Value::plain(1)),
        2 => Block::new("output", &["stranger"]).with("value", Value::plain(1)),
        3 => Block::new("module", &["stranger"]).with("source", Value::text("./stranger")),
        4 => Block::new("resource", &["terraform_data", "stranger"]),
        5 => Block::new("data", &["terraform_remote_state", "stranger"]),
        _ => Block::new("ephemeral", &["foo_secret", "stranger"]),
    }
}

/// A block that is not valid in an override file, or is dropped there.
fn refused(dice: &mut Dice, module: &Module) -> Option<Block> {
    Some(match dice.below(5) {
        0 => Block::new("moved", &[])
            .with("from", Value::word("terraform_data.x"))
            .with("to", Value::word("terraform_data.y")),
        1 => Block::new("removed", &[]).with("from", Value::word("terraform_data.x")),
        2 => {
            Block::new("import", &[]).with("to", Value::word("terraform_data.x")).with("id", Value::text("x"))
        }
        3 => Block::new("check", &["x"]),
        _ => {
            let base = dice.pick(&module.variables)?;
            let rule = Block::new("validation", &[])
                .with("condition", Value::expression(format!("var.{} != 1", base.name)))
                .with("error_message", Value::text("No."));
            Block::new("variable", &[&base.name]).holding(rule)
        }
    })
}

//! Generates the blocks of a module: variables, locals, outputs, resources, checks and others.

use super::block::{Block, Value};
use super::dice::Dice;
use super::plan::{Module, Plan, Repeated, Resource, Variable};

/// The declarations that an expression may refer to. Each stage includes all before it, so there are no cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Sight {
    Variables,
    /// And this many local values.
    Locals(usize),
    /// And this many resources.
    Resources(usize),
    /// And this many calls.
    Calls(usize),
}

/// A reference to a declaration of the module or, rarely, to an undeclared name.
pub(crate) fn reference(
    dice: &mut Dice,
    plan: &Plan,
    module: &Module,
    sight: Sight,
    repeated: Repeated,
) -> String {
    if dice.chance(2) {
        return dice
            .word(&["var.missing", "local.missing", "terraform_data.missing.id", "module.missing.id"])
            .to_owned();
    }
    match repeated {
        Repeated::Count if dice.chance(30) => return "count.index".to_owned(),
        Repeated::ForEach if dice.chance(30) => return dice.word(&["each.key", "each.value"]).to_owned(),
        Repeated::Once | Repeated::Count | Repeated::ForEach => {}
    }
    let mut known: Vec<String> =
        module.variables.iter().map(|variable| format!("var.{}", variable.name)).collect();
    let (locals, resources, calls) = match sight {
        Sight::Variables => (0, 0, 0),
        Sight::Locals(locals) => (locals, 0, 0),
        Sight::Resources(resources) => (module.locals.len(), resources, 0),
        Sight::Calls(calls) => (module.locals.len(), module.resources.len(), calls),
    };
    known.extend(module.locals[..locals].iter().map(|name| format!("local.{name}")));
    for resource in &module.resources[..resources] {
        known.push(format!("{}.id", instance(resource)));
    }
    for call in &module.calls[..calls] {
        let key = match call.repeated {
            Repeated::Once => "",
            Repeated::Count => "[0]",
            Repeated::ForEach => "[\"x\"]",
        };
        for output in &plan.modules[call.callee].outputs {
            known.push(format!("module.{}{key}.{output}", call.name));
        }
    }
    dice.pick(&known).cloned().unwrap_or_else(|| "path.module".to_owned())
}

/// An expression with references.
pub(crate) fn expression(
    dice: &mut Dice,
    plan: &Plan,
    module: &Module,
    sight: Sight,
    repeated: Repeated,
) -> Value {
    let one = reference(dice, plan, module, sight, repeated);
    match dice.below(8) {
        0 => Value::text(format!("x-${{jsonencode({one})}}")),
        1 => Value::List(vec![Value::expression(one), Value::plain(1)]),
        2 => {
            Value::Object(vec![("a".to_owned(), Value::expression(one)), ("b".to_owned(), Value::text("y"))])
        }
        3 => Value::expression(format!("try({one}, null)")),
        4 => Value::text("plain"),
        5 => Value::plain(dice.below(9)),
        _ => Value::expression(one),
    }
}

/// A condition with a reference.
fn condition(dice: &mut Dice, plan: &Plan, module: &Module, sight: Sight) -> Value {
    let one = reference(dice, plan, module, sight, Repeated::Once);
    Value::expression(format!("{one} != null"))
}

fn instance(resource: &Resource) -> String {
    let key = match resource.repeated {
        Repeated::Once => "",
        Repeated::Count => "[0]",
        Repeated::ForEach => "[\"x\"]",
    };
    format!("{}.{}{key}", resource.kind, resource.name)
}

/// Adds `count` or `for_each`.
pub(crate) fn repeat(dice: &mut Dice, block: Block, repeated: Repeated) -> Block {
    match repeated {
        Repeated::Once => block,
        Repeated::Count => block.with("count", Value::plain(dice.between(0, 2))),
        Repeated::ForEach if dice.chance(50) => {
            block.with("for_each", Value::expression("toset([\"x\", \"y\"])"))
        }
        Repeated::ForEach => block.with(
            "for_each",
            Value::Object(vec![("x".to_owned(), Value::text("1")), ("y".to_owned(), Value::text("2"))]),
        ),
    }
}

pub(crate) fn variable(dice: &mut Dice, variable: &Variable) -> Block {
    let mut block = Block::new("variable", &[&variable.name]);
    if dice.chance(40) {
        block.set("description", Value::text("What it is for."));
    }
    if let Some(of) = &variable.of {
        block.set("type", Value::word(of.text()));
    }
    if !variable.required {
        let value = match &variable.of {
            Some(of) => of.value(dice, 3),
            None => super::typed::Type::Any.value(dice, 0),
        };
        block.set("default", value);
    }
    if dice.chance(15) {
        block.set("nullable", Value::plain(dice.chance(40)));
    }
    if dice.chance(8) {
        block.set("sensitive", Value::plain(dice.chance(50)));
    }
    if dice.chance(4) {
        block.set("ephemeral", Value::plain(false));
    }
    if dice.chance(15) {
        let about =
            if dice.chance(90) { format!("var.{} != null", variable.name) } else { "true".to_owned() };
        let rule = Block::new("validation", &[])
            .with("condition", Value::expression(about))
            .with("error_message", Value::text("Must be something."));
        block = block.holding(rule);
    }
    block
}

pub(crate) fn locals(dice: &mut Dice, plan: &Plan, module: &Module) -> Option<Block> {
    let mut block = Block::new("locals", &[]);
    for (number, name) in module.locals.iter().enumerate() {
        block.set(name, expression(dice, plan, module, Sight::Locals(number), Repeated::Once));
    }
    (!module.locals.is_empty()).then_some(block)
}

pub(crate) fn output(dice: &mut Dice, plan: &Plan, module: &Module, name: &str) -> Block {
    let sight = Sight::Calls(module.calls.len());
    let mut block =
        Block::new("output", &[name]).with("value", expression(dice, plan, module, sight, Repeated::Once));
    if dice.chance(25) {
        block.set("description", Value::text("What it gives."));
    }
    if dice.chance(12) {
        block.set("sensitive", Value::plain(true));
    }
    if dice.chance(8) {
        block.set("depends_on", depends_on(dice, module, module.resources.len(), false));
    }
    if dice.chance(8) {
        let check = Block::new("precondition", &[])
            .with("condition", condition(dice, plan, module, sight))
            .with("error_message", Value::text("No."));
        block = block.holding(check);
    }
    block
}

/// A `depends_on` with some of the first `count` resources, or variables.
pub(crate) fn depends_on(dice: &mut Dice, module: &Module, count: usize, with_calls: bool) -> Value {
    let mut known: Vec<String> = module.resources[..count]
        .iter()
        .map(|resource| format!("{}.{}", resource.kind, resource.name))
        .collect();
    known.extend(module.variables.iter().map(|variable| format!("var.{}", variable.name)));
    if with_calls {
        known.extend(module.calls.first().map(|call| format!("module.{}", call.name)));
    }
    let items = (0..dice.between(0, 2)).filter_map(|_| dice.pick(&known).cloned()).map(Value::Word).collect();
    Value::List(items)
}

pub(crate) fn resource(dice: &mut Dice, plan: &Plan, module: &Module, number: usize) -> Block {
    let resource = &module.resources[number];
    let sight = Sight::Resources(number);
    let mut block =
        repeat(dice, Block::new("resource", &[&resource.kind, &resource.name]), resource.repeated);
    if dice.chance(70) {
        block.set("input", expression(dice, plan, module, sight, resource.repeated));
    }
    if dice.chance(15) {
        block.set("triggers_replace", expression(dice, plan, module, sight, resource.repeated));
    }
    if dice.chance(15) {
        block.set("depends_on", depends_on(dice, module, number, false));
    }
    let providers = module.provider_names();
    if dice.chance(if plan.foreign { 35 } else { 0 }) {
        let of_kind: Vec<String> = providers
            .into_iter()
            .filter(|name| resource.kind.starts_with(name.split('.').next().unwrap_or("")))
            .collect();
        if let Some(name) = dice.pick(&of_kind) {
            block.set("provider", if dice.chance(92) { Value::word(name) } else { Value::text(name) });
        }
    }
    if dice.chance(30) {
        block = block.holding(lifecycle(dice, plan, module, number));
    }
    if dice.chance(15) {
        block = block.holding(provisioner(dice));
    }
    if dice.chance(6) {
        block = block.holding(Block::new("connection", &[]).with("host", Value::expression("self.id")));
    }
    block
}

fn lifecycle(dice: &mut Dice, plan: &Plan, module: &Module, number: usize) -> Block {
    let mut block = Block::new("lifecycle", &[]);
    if dice.chance(40) {
        block.set("create_before_destroy", Value::plain(dice.chance(50)));
    }
    if dice.chance(20) {
        block.set("prevent_destroy", Value::plain(dice.chance(50)));
    }
    if dice.chance(30) {
        let ignored =
            if dice.chance(30) { Value::word("all") } else { Value::List(vec![Value::word("input")]) };
        block.set("ignore_changes", ignored);
    }
    if number > 0 && dice.chance(30) {
        let other = &module.resources[dice.below(number)];
        let target = Value::word(format!("{}.{}", other.kind, other.name));
        block.set("replace_triggered_by", Value::List(vec![target]));
    }
    if dice.chance(25) {
        let check = Block::new("precondition", &[])
            .with("condition", condition(dice, plan, module, Sight::Resources(number)))
            .with("error_message", Value::text("No."));
        block = block.holding(check);
    }
    if dice.chance(15) {
        let check = Block::new("postcondition", &[])
            .with("condition", Value::expression("self.id != \"\""))
            .with("error_message", Value::text("No."));
        block = block.holding(check);
    }
    block
}

fn provisioner(dice: &mut Dice) -> Block {
    let mut block =
        Block::new("provisioner", &["local-exec"]).with("command", Value::text("echo ${self.id}"));
    if dice.chance(40) {
        block.set("when", Value::word(dice.word(&["destroy", "create"])));
    }
    if dice.chance(30) {
        block.set("on_failure", Value::word(dice.word(&["continue", "fail"])));
    }
    block
}

/// Other blocks of a module.
pub(crate) fn extras(dice: &mut Dice, plan: &Plan, module: &Module, is_root: bool) -> Vec<Block> {
    let mut blocks = Vec::new();
    let all = Sight::Calls(module.calls.len());
    if dice.chance(12) {
        let assert = Block::new("assert", &[])
            .with("condition", condition(dice, plan, module, all))
            .with("error_message", Value::text("No."));
        blocks.push(Block::new("check", &["health"]).holding(assert));
    }
    let target = module.resources.first().map(|resource| format!("{}.{}", resource.kind, resource.name));
    if let Some(target) = &target
        && dice.chance(10)
    {
        blocks.push(
            Block::new("moved", &[])
                .with("from", Value::word(format!("{target}_old")))
                .with("to", Value::word(target)),
        );
    }
    if dice.chance(6) {
        let mut removed = Block::new("removed", &[]).with("from", Value::word("terraform_data.gone"));
        if dice.chance(60) {
            removed = removed.holding(Block::new("lifecycle", &[]).with("destroy", Value::plain(false)));
        }
        blocks.push(removed);
    }
    if is_root
        && let Some(first) = module.resources.first()
        && dice.chance(10)
    {
        let import =
            Block::new("import", &[]).with("to", Value::word(instance(first))).with("id", Value::text("i-1"));
        blocks.push(import);
    }
    if dice.chance(8) {
        blocks.push(
            Block::new("data", &["terraform_remote_state", "other"]).with("backend", Value::text("local")),
        );
    }
    if plan.foreign && dice.chance(10) {
        let kind = format!("{}_secret", dice.word(&["foo", "bar"]));
        blocks.push(Block::new("ephemeral", &[&kind, "key"]).with("name", Value::text("x")));
    }
    blocks
}

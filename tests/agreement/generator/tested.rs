//! Modules with test files and mock files that have one or two mistakes.

use super::block::{Block, Value};
use super::dice::Dice;
use super::{Directory, File, entries, faults, slipped, targeted};
use crate::case::{Case, Entry};

/// Values that the loader and `validate` refuse in test files and mock files, and some that they accept.
const REFUSED: &str = include_str!("tested/refused.txt");

/// Values that `terraform test` refuses, and some that it accepts.
const REFUSED_IN_A_RUN: &str = include_str!("tested/running.txt");

/// The module under test, the modules that it calls, and one that runs execute.
const MODULES: [(&str, &str); 4] = [
    ("main.tf", include_str!("tested/main.tf")),
    ("m/main.tf", include_str!("tested/m.tf")),
    ("m/n/main.tf", include_str!("tested/n.tf")),
    ("setup/main.tf", include_str!("tested/setup.tf")),
];

const NAMES: [&str; 3] = ["first", "second", "third"];

/// Conditions on the module under test, and on the module `setup`.
const CONDITIONS: &[&str] = &[
    "output.k > 0",
    "local.title != \"\"",
    "module.m.mo == var.n",
    "length(terraform_data.many) == 2",
    "terraform_data.a.input == var.name",
    "output.title == \"t-${var.name}\"",
    "alltrue([for one in terraform_data.many : one.input < 2])",
    "var.opt.b == 3",
    "length(var.tags) == 0",
];
const CONDITIONS_OF_SETUP: &[&str] = &["output.zone == \"${var.region}-1\"", "terraform_data.s.input == 1"];

/// A module with a test file that the loader or `validate` refuses.
pub(crate) fn tested(seed: u64) -> Case {
    let mut dice = Dice::new(seed ^ 0x0000_7E57_F11E);
    let mut files = vec![file(&mut dice, "tests/main.tftest", true)];
    if dice.chance(20) {
        files.push(file(&mut dice, "other.tftest", true));
    }
    Case::new(format!("tested {seed}"), refused(&mut dice, files))
}

/// A module with mock files of which one is refused.
pub(crate) fn mocked(seed: u64) -> Case {
    let mut dice = Dice::new(seed ^ 0x0000_70CC_ED00);
    let mut files = vec![mock_file(&mut dice, "mocks/a.tfmock")];
    if dice.chance(40) {
        files.push(mock_file(&mut dice, "mocks/b.tfmock"));
    }
    let mut entries = refused(&mut dice, files);
    let provider = Block::new("mock_provider", &["aa"]).with("source", Value::text("./mocks"));
    entries.push(Entry::plain("main.tftest.hcl", super::block::native(&[provider])));
    Case::new(format!("mocked {seed}"), entries)
}

/// A module with tests of which one fails or cannot be run, because of one mistake in each file.
pub(crate) fn ran(seed: u64) -> Case {
    let mut dice = Dice::new(seed ^ 0x0000_0000_4A17);
    let names: &[&str] =
        if dice.chance(20) { &["tests/main.tftest", "b.tftest"] } else { &["tests/main.tftest"] };
    let mut written = modules();
    for name in names {
        let mut directory = [Directory { path: String::new(), files: vec![file(&mut dice, name, false)] }];
        if dice.chance(90) {
            targeted::make_one(&mut dice, REFUSED_IN_A_RUN, &mut directory);
        }
        written.extend(entries(&directory));
    }
    Case::new(format!("ran {seed}"), written)
}

fn modules() -> Vec<Entry> {
    MODULES.into_iter().map(|(path, text)| Entry::plain(path, text)).collect()
}

/// The files, with one or two mistakes.
fn refused(dice: &mut Dice, files: Vec<File>) -> Vec<Entry> {
    let mut directory = [Directory { path: String::new(), files }];
    for _ in 0..dice.between(1, 2) {
        if dice.chance(60) {
            targeted::make_one(dice, REFUSED, &mut directory);
        } else {
            faults::make_one(dice, &mut directory);
        }
    }
    let mut written = entries(&directory);
    if dice.chance(10) {
        let at = dice.below(written.len());
        written[at] = slipped(dice, &written[at]);
    }
    let mut all = modules();
    all.extend(written);
    all
}

/// A valid test file, with `mock` also with mock providers.
fn file(dice: &mut Dice, stem: &str, mock: bool) -> File {
    let mut variables = Block::new("variables", &[]).with("name", Value::text("x"));
    if dice.chance(30) {
        variables.set("n", Value::plain(dice.between(1, 9)));
    }
    let mut items = vec![variables];
    let has_provider = mock && dice.chance(30);
    if has_provider {
        items.push(Block::new("provider", &["aa"]).with("region", Value::text("eu")));
    }
    if mock && dice.chance(40) {
        let mut provider =
            mocks(dice, "bb").into_iter().fold(Block::new("mock_provider", &["bb"]), Block::holding);
        if dice.chance(30) {
            provider.set("alias", Value::text("other"));
        }
        items.push(provider);
    }
    if mock && dice.chance(30) {
        items.push(an_override(dice));
    }
    let count = dice.between(1, NAMES.len());
    let mut follows_root = false;
    for name in &NAMES[..count] {
        let is_setup = dice.chance(20);
        let mut run = Block::new("run", &[name]);
        if has_provider && dice.chance(50) {
            run.set("providers", Value::Object(vec![("aa".to_owned(), Value::word("aa"))]));
        }
        items.push(if is_setup { run_of_setup(dice, run) } else { run_of_root(dice, run, follows_root) });
        follows_root |= *name == NAMES[0] && !is_setup;
    }
    written(dice, stem, items)
}

fn written(dice: &mut Dice, stem: &str, items: Vec<Block>) -> File {
    let notation = if dice.chance(25) { "json" } else { "hcl" };
    File { name: format!("{stem}.{notation}"), items }
}

fn run_of_setup(dice: &mut Dice, run: Block) -> Block {
    let mut run =
        command(dice, run).holding(Block::new("module", &[]).with("source", Value::text("./setup")));
    if dice.chance(60) {
        let region = Value::text(dice.word(&["eu", "us"]));
        run = run.holding(Block::new("variables", &[]).with("region", region));
    }
    asserts(dice, run, CONDITIONS_OF_SETUP, "\"in ${var.region}\"")
}

/// A run of the module under test. Its variables may refer to the first run if that one has the same outputs.
fn run_of_root(dice: &mut Dice, run: Block, follows_root: bool) -> Block {
    if dice.chance(15) {
        return failing(dice, run);
    }
    let mut run = command(dice, run);
    if dice.chance(60) {
        run = run.holding(variables(dice, follows_root));
    }
    if dice.chance(20) {
        run = run.holding(plan_options(dice));
    }
    if dice.chance(20) {
        run = run.holding(an_override(dice));
    }
    asserts(dice, run, CONDITIONS, "\"n is ${var.n}\"")
}

fn command(dice: &mut Dice, mut run: Block) -> Block {
    if dice.chance(80) {
        run.set("command", Value::word(dice.word(&["plan", "plan", "apply"])));
    }
    if dice.chance(10) {
        run.set("state_key", Value::text("x"));
    }
    run
}

fn asserts(dice: &mut Dice, mut run: Block, conditions: &[&'static str], message: &str) -> Block {
    for _ in 0..dice.between(0, 2) {
        let message = if dice.chance(80) { Value::text("No.") } else { Value::expression(message) };
        let assert = Block::new("assert", &[]).with("condition", Value::expression(dice.word(conditions)));
        run = run.holding(assert.with("error_message", message));
    }
    run
}

/// Gives a run a value that a condition refuses, and expects that.
fn failing(dice: &mut Dice, mut run: Block) -> Block {
    let failures: &[(i32, &[&str])] =
        &[(-5, &["var.n"]), (200, &["check.c"]), (5000, &["terraform_data.a", "check.c"])];
    let (n, expected) = dice.pick(failures).expect("a pair");
    run.set("command", Value::word("plan"));
    run.set("expect_failures", Value::List(expected.iter().map(|name| Value::word(*name)).collect()));
    run.holding(Block::new("variables", &[]).with("n", Value::plain(n)))
}

fn variables(dice: &mut Dice, follows_root: bool) -> Block {
    let mut variables = Block::new("variables", &[]).with("n", Value::plain(dice.between(1, 20)));
    if follows_root && dice.chance(30) {
        variables.set("name", Value::expression("\"${run.first.title}-${var.name}\""));
    }
    if dice.chance(20) {
        variables.set("opt", Value::Object(vec![("a".to_owned(), Value::text("z"))]));
    }
    variables
}

fn plan_options(dice: &mut Dice) -> Block {
    let options = Block::new("plan_options", &[]);
    match dice.below(3) {
        0 => options.with("mode", Value::word("normal")),
        1 => options.with("refresh", Value::plain(dice.chance(50))),
        _ => options.with("replace", Value::List(vec![Value::word("terraform_data.a")])),
    }
}

fn an_override(dice: &mut Dice) -> Block {
    let values = |name: &str, value| Value::Object(vec![(name.to_owned(), value)]);
    match dice.below(3) {
        0 => Block::new("override_module", &[])
            .with("target", Value::word("module.m.module.n"))
            .with("outputs", values("o", Value::plain(7))),
        1 => Block::new("override_resource", &[]).with("target", Value::word("module.m.terraform_data.b")),
        _ => Block::new("override_resource", &[])
            .with("target", Value::word("terraform_data.a"))
            .with("values", values("id", Value::text("x"))),
    }
}

fn mock_file(dice: &mut Dice, stem: &str) -> File {
    // Two files of a directory must not have the same types.
    let items = mocks(dice, if stem.ends_with("a.tfmock") { "aa" } else { "bb" });
    written(dice, stem, items)
}

/// The blocks of a mock provider, for types of one prefix.
fn mocks(dice: &mut Dice, prefix: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    for number in 0..dice.between(1, 3) {
        let kind = dice.word(&["mock_resource", "mock_data"]);
        let mut mock = Block::new(kind, &[&format!("{prefix}_{number}")]);
        if dice.chance(70) {
            let defaults = vec![("arn".to_owned(), Value::text("x")), ("size".to_owned(), Value::plain(1))];
            mock.set("defaults", Value::Object(defaults));
        }
        blocks.push(mock);
    }
    if dice.chance(40) {
        let target = Value::word(format!("data.{prefix}_b.c"));
        blocks.push(Block::new("override_data", &[]).with("target", target));
    }
    blocks
}

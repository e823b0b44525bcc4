//! Generates a change to a repository: two root modules that call shared modules with built-in resources, and one or
//! two refactorings or edits of them.

use super::block::{self, Block, Value};
use super::dice::Dice;
use crate::case::{Case, Entry};

/// The root modules.
pub(crate) const ROOTS: [&str; 2] = ["live/a", "live/b"];

const MODULES: [&str; 3] = ["app", "net", "web"];
const NAMES: [&str; 8] = ["alpha", "beta", "gamma", "delta", "this", "main", "alpha_x", "this_x"];

/// `count` or `for_each`, as the name and the value of an argument.
type Keys = Option<(&'static str, &'static str)>;

const KEYS: [Keys; 9] = [
    None,
    None,
    Some(("count", "1")),
    Some(("count", "2")),
    Some(("count", "0")),
    Some(("for_each", "toset([\"p\"])")),
    Some(("for_each", "toset([\"p\", \"q\"])")),
    Some(("count", "var.on ? 1 : 0")),
    Some(("for_each", "var.on ? toset([\"p\"]) : toset([])")),
];

const CALL_KEYS: [Keys; 5] =
    [None, Some(("count", "1")), Some(("count", "2")), Some(("for_each", "toset([\"k\"])")), KEYS[7]];

/// A resource; its number stays when it moves.
#[derive(Debug, Clone)]
struct Resource {
    name: String,
    number: usize,
    keys: Keys,
    /// The number of a resource to which it refers while both are in one module.
    refers_to: Option<usize>,
}

#[derive(Debug, Clone)]
struct Call {
    name: String,
    module: usize,
    keys: Keys,
    tag: Option<usize>,
}

/// A module. The first ones are root modules.
#[derive(Debug, Clone, Default)]
struct Module {
    directory: String,
    is_json: bool,
    resources: Vec<Resource>,
    calls: Vec<Call>,
    /// Versions of its parts.
    default: usize,
    description: usize,
    comment: usize,
    layout: usize,
    label: usize,
    output: usize,
    overriding: Option<usize>,
    file: Option<usize>,
    value: usize,
}

struct Repository {
    dice: Dice,
    modules: Vec<Module>,
    numbers: usize,
}

/// The repository of a seed before and after the change. The name of the second one lists the edits.
pub(crate) fn change(seed: u64) -> (Case, Case) {
    let mut dice = Dice::new(seed ^ 0x00C4_A26E_0021);
    let directories = ROOTS.iter().map(ToString::to_string);
    let directories = directories.chain(MODULES.iter().map(|name| format!("modules/{name}")));
    let is_json = dice.chance(20);
    let modules = directories.map(|directory| Module {
        directory,
        is_json,
        overriding: dice.chance(20).then_some(0),
        file: dice.chance(15).then_some(0),
        ..Module::default()
    });
    let modules = modules.collect();
    let mut repository = Repository { dice, modules, numbers: 0 };
    repository.fill();
    let before = Case::new(format!("change {seed}"), repository.entries());
    let mut edits = vec![repository.edit()];
    if repository.dice.chance(25) {
        edits.push(repository.edit());
    }
    let after = Case::new(format!("change {seed}: {}", edits.join(", ")), repository.entries());
    (before, after)
}

impl Repository {
    fn fill(&mut self) {
        for number in 0..self.modules.len() {
            for _ in 0..self.dice.between(1, 3) {
                self.add_resource(number);
            }
        }
        for root in 0..ROOTS.len() {
            for module in ROOTS.len()..self.modules.len() {
                if self.dice.chance(60) {
                    self.add_call(root, module);
                }
                if self.dice.chance(10) {
                    self.add_call(root, module);
                }
            }
        }
        if self.dice.chance(50) {
            self.add_call(ROOTS.len(), ROOTS.len() + 1);
        }
        // Every module is called.
        for module in ROOTS.len()..self.modules.len() {
            if !self.modules.iter().flat_map(|caller| &caller.calls).any(|call| call.module == module) {
                self.add_call(0, module);
            }
        }
    }

    fn add_resource(&mut self, module: usize) {
        self.numbers += 1;
        let keys = if self.dice.chance(60) { None } else { KEYS[self.dice.below(KEYS.len())] };
        let name = self.dice.word(&NAMES);
        let first = self.modules[module].resources.first().map(|first| first.number);
        let refers_to = first.filter(|_| self.dice.chance(25));
        let resource = Resource { name: name.to_owned(), number: self.numbers, keys, refers_to };
        self.insert(module, resource);
    }

    /// Adds a resource to a module, with another name if there is one of this name.
    fn insert(&mut self, module: usize, mut resource: Resource) {
        while self.modules[module].resources.iter().any(|other| other.name == resource.name) {
            resource.name.push_str("_2");
        }
        self.modules[module].resources.push(resource);
    }

    fn add_call(&mut self, caller: usize, module: usize) {
        let mut name = self.modules[module].directory.rsplit('/').next().unwrap_or_default().to_owned();
        while self.modules[caller].calls.iter().any(|call| call.name == name) {
            name.push_str("_2");
        }
        let keys = if self.dice.chance(70) { None } else { CALL_KEYS[self.dice.below(CALL_KEYS.len())] };
        let tag = self.dice.chance(60).then_some(0);
        self.modules[caller].calls.push(Call { name, module, keys, tag });
    }

    /// Makes one edit, and returns its name.
    fn edit(&mut self) -> &'static str {
        // Not every edit is possible in every repository.
        loop {
            let module = self.dice.below(self.modules.len());
            let done = if self.dice.chance(55) { self.refactor(module) } else { self.change_values(module) };
            if let Some(name) = done {
                return name;
            }
        }
    }

    fn refactor(&mut self, at: usize) -> Option<&'static str> {
        let choice = self.dice.below(13);
        let resource = self.dice.below(self.modules[at].resources.len());
        let has_resource = !self.modules[at].resources.is_empty();
        let call = self.dice.below(self.modules[at].calls.len());
        let called = self.modules[at].calls.get(call).map(|call| call.module);
        let keys = KEYS[self.dice.below(KEYS.len())];
        match choice {
            0 | 1 if has_resource => {
                self.modules[at].resources[resource].name.insert_str(0, "renamed_");
                Some("resource renamed")
            }
            2 if has_resource => {
                self.modules[at].resources[resource].name.insert_str(0, "renamed_");
                self.modules[at].resources[resource].keys = keys;
                Some("resource renamed and repeated")
            }
            3 => {
                called?;
                self.modules[at].calls[call].name.insert_str(0, "other_");
                Some("call renamed")
            }
            4 if has_resource => {
                let moved = self.modules[at].resources.remove(resource);
                self.insert(called?, moved);
                Some("resource moved down")
            }
            5 => {
                let from = called.filter(|module| !self.modules[*module].resources.is_empty())?;
                let moved = self.modules[from].resources.remove(0);
                self.insert(at, moved);
                Some("resource moved up")
            }
            6 if has_resource && at >= ROOTS.len() => {
                let moved = self.modules[at].resources.remove(resource);
                self.insert(ROOTS.len() + (at + 1 - ROOTS.len()) % MODULES.len(), moved);
                Some("resource moved between modules")
            }
            7 | 8 if has_resource => {
                self.modules[at].resources[resource].keys = keys;
                Some("resource repeated")
            }
            9 => {
                called?;
                self.modules[at].calls[call].keys = CALL_KEYS[self.dice.below(CALL_KEYS.len())];
                Some("call repeated")
            }
            10 if has_resource && self.modules.len() == ROOTS.len() + MODULES.len() => {
                let directory = "modules/fresh".to_owned();
                let (is_json, resources) =
                    (self.modules[at].is_json, self.modules[at].resources.split_off(resource));
                self.modules.push(Module { directory, is_json, resources, ..Module::default() });
                let module = self.modules.len() - 1;
                self.modules[at].calls.push(Call { name: "fresh".to_owned(), module, keys: None, tag: None });
                Some("module extracted")
            }
            11 => {
                let inlined = called.filter(|module| self.modules[*module].calls.is_empty())?;
                self.modules[at].calls.remove(call);
                for resource in self.modules[inlined].resources.clone() {
                    self.insert(at, resource);
                }
                Some("module inlined")
            }
            12 if has_resource && self.dice.chance(50) => {
                self.modules[at].resources.remove(resource);
                Some("resource removed")
            }
            12 => {
                self.add_resource(at);
                Some("resource added")
            }
            _ => None,
        }
    }

    fn change_values(&mut self, at: usize) -> Option<&'static str> {
        let choice = self.dice.below(11);
        let is_root = at < ROOTS.len();
        let module = &mut self.modules[at];
        let (version, name) = match choice {
            0 => (&mut module.default, "default"),
            1 => (&mut module.description, "description"),
            2 if !module.is_json => (&mut module.comment, "comment"),
            3 => (&mut module.layout, "layout"),
            4 => (&mut module.label, "local value"),
            5 => (&mut module.output, "output"),
            6 => (module.overriding.as_mut()?, "override file"),
            7 => (module.file.as_mut()?, "file that a function reads"),
            8 if is_root => (&mut module.value, "variable value"),
            9 => (module.calls.first_mut()?.tag.as_mut()?, "argument"),
            10 => {
                module.resources.reverse();
                module.calls.reverse();
                return Some("order");
            }
            _ => return None,
        };
        *version += 1;
        Some(name)
    }

    fn entries(&self) -> Vec<Entry> {
        let mut entries = Vec::new();
        for (number, module) in self.modules.iter().enumerate() {
            let is_root = number < ROOTS.len();
            let (write, ending): (fn(&[Block]) -> String, _) =
                if module.is_json { (block::json, "tf.json") } else { (block::native, "tf") };
            let mut text = write(&self.blocks(module, is_root));
            if module.comment > 0 {
                text.insert_str(0, &format!("# Comment {}.\n", module.comment));
            }
            text.push_str(&"\n".repeat(module.layout));
            let path = |name: &str| format!("{}/{name}", module.directory);
            entries.push(Entry::plain(path(&format!("main.{ending}")), text));
            if let Some(version) = module.overriding {
                let label =
                    Block::new("locals", &[]).with("label", Value::text(format!("override{version}")));
                entries.push(Entry::plain(path("label_override.tf"), block::native(&[label])));
            }
            if let Some(version) = module.file {
                entries.push(Entry::plain(path("motd.txt"), format!("version {version}\n")));
            }
            if is_root {
                let value = format!("tag = \"value{}\"\n", module.value);
                entries.push(Entry::plain(path("terraform.tfvars"), value));
            }
        }
        entries
    }

    fn blocks(&self, module: &Module, is_root: bool) -> Vec<Block> {
        let word = |text: &str| Value::word(text);
        let mut blocks = vec![
            Block::new("variable", &["on"]).with("type", word("bool")).with("default", Value::plain(true)),
            Block::new("variable", &["tag"])
                .with("type", word("string"))
                .with("description", Value::text(format!("Tag {}.", module.description)))
                .with("default", Value::text(format!("default{}", module.default))),
            Block::new("locals", &[]).with("label", Value::text(format!("label{}", module.label))),
        ];
        if is_root {
            blocks.push(Block::new("terraform", &[]).holding(Block::new("backend", &["local"])));
        }
        for resource in &module.resources {
            let mut block = Block::new("resource", &["terraform_data", &resource.name]);
            repeat(&mut block, resource.keys);
            let input = format!("id{}-${{var.tag}}-${{local.label}}", resource.number);
            block.set("input", Value::text(input));
            let target = module.resources.iter().find(|other| Some(other.number) == resource.refers_to);
            if let Some(target) = target {
                let end = if target.keys.is_some() { "" } else { ".id" };
                let list = format!("[terraform_data.{}{end}]", target.name);
                block.set("triggers_replace", Value::expression(format!("length({list})")));
            }
            blocks.push(block);
        }
        let up = "../".repeat(module.directory.split('/').count());
        for call in &module.calls {
            let source = format!("{up}{}", self.modules[call.module].directory);
            let mut block = Block::new("module", &[&call.name]).with("source", Value::text(source));
            repeat(&mut block, call.keys);
            if let Some(version) = call.tag {
                block.set("tag", Value::text(format!("argument{version}")));
            }
            blocks.push(block);
        }
        let mut values: Vec<String> =
            module.calls.iter().map(|call| format!("module.{}", call.name)).collect();
        values.push("local.label".to_owned());
        values.push(format!("\"{}\"", module.output));
        if module.file.is_some() {
            values.push("file(\"${path.module}/motd.txt\")".to_owned());
        }
        let value = Value::expression(format!("[{}]", values.join(", ")));
        blocks.push(Block::new("output", &["all"]).with("value", value));
        blocks
    }
}

fn repeat(block: &mut Block, keys: Keys) {
    match keys {
        Some((name, value)) if value.len() == 1 => block.set(name, Value::plain(value)),
        Some((name, value)) => block.set(name, Value::expression(value)),
        None => {}
    }
}

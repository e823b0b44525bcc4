//! Plans a module tree: its calls, and the names that each module declares.

use super::dice::Dice;
use super::typed::Type;

/// The number of instances of a resource or call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeated {
    Once,
    Count,
    ForEach,
}

/// A tree. Its first module is the root module.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Whether other providers than the built-in one are used, so that `validate` stops after loading.
    pub(crate) foreign: bool,
    pub(crate) modules: Vec<Module>,
}

#[derive(Debug)]
pub(crate) struct Module {
    /// The directory, relative to the root module; empty for the root module.
    pub(crate) path: String,
    pub(crate) variables: Vec<Variable>,
    pub(crate) locals: Vec<String>,
    pub(crate) outputs: Vec<String>,
    pub(crate) resources: Vec<Resource>,
    pub(crate) calls: Vec<Call>,
    pub(crate) needs: Vec<Need>,
    pub(crate) configured: Vec<Configured>,
}

#[derive(Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) of: Option<Type>,
    pub(crate) required: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Resource {
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) repeated: Repeated,
}

#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) name: String,
    /// The index of the called module.
    pub(crate) callee: usize,
    pub(crate) source: String,
    pub(crate) repeated: Repeated,
}

/// An entry of `required_providers`.
#[derive(Debug, Clone)]
pub(crate) struct Need {
    pub(crate) local: String,
    pub(crate) source: Option<String>,
    pub(crate) aliases: Vec<String>,
}

/// A provider block.
#[derive(Debug, Clone)]
pub(crate) struct Configured {
    pub(crate) local: String,
    pub(crate) alias: Option<String>,
    pub(crate) is_empty: bool,
}

const PROVIDERS: &[&str] = &["foo", "bar", "baz"];
const ALIASES: &[&str] = &["east", "west"];
const WORDS: &[&str] = &["name", "size", "tags", "zone", "net", "enabled", "ids", "mode"];

/// Probabilities in percent, and sizes.
struct Odds {
    sizes: &'static [usize],
    foreign: usize,
    /// Whether modules declare values at all.
    values: bool,
    /// Called by the root module, and not by another child module.
    flat: usize,
    required: usize,
    /// Another namespace or provider name than in the rest of the tree.
    stray: [usize; 2],
    aliases: usize,
    configured_in_child: usize,
}

const MIXED: Odds = Odds {
    sizes: &[1, 1, 2, 2, 3, 4, 5],
    foreign: 45,
    values: true,
    flat: 0,
    required: 60,
    stray: [12, 6],
    aliases: 15,
    configured_in_child: 12,
};

const WIRED: Odds = Odds {
    sizes: &[3, 4, 5, 6],
    foreign: 100,
    values: false,
    flat: 50,
    required: 65,
    stray: [25, 12],
    aliases: 35,
    configured_in_child: 25,
};

impl Plan {
    /// All features.
    pub(crate) fn random(dice: &mut Dice) -> Self {
        Self::with(dice, &MIXED)
    }

    /// Mostly providers that are passed from module to module.
    pub(crate) fn wired(dice: &mut Dice) -> Self {
        Self::with(dice, &WIRED)
    }

    fn with(dice: &mut Dice, odds: &Odds) -> Self {
        let foreign = dice.chance(odds.foreign);
        let count = odds.sizes[dice.below(odds.sizes.len())];
        let namespaces: Vec<&str> =
            PROVIDERS.iter().map(|_| dice.word(&["hashicorp", "hashicorp", "acme", "other"])).collect();
        let mut modules: Vec<Module> = Vec::new();
        for number in 0..count {
            let is_flat = odds.flat > 0 && dice.chance(odds.flat);
            let parent = (number > 0).then(|| if is_flat { 0 } else { dice.below(number) });
            let path = match parent {
                None => String::new(),
                Some(0) => format!("modules/m{number}"),
                Some(parent) if dice.chance(40) => format!("{}/modules/m{number}", modules[parent].path),
                Some(_) => format!("modules/m{number}"),
            };
            let module = Module::random(dice, path, foreign.then_some(&namespaces[..]), odds, number == 0);
            modules.push(module);
            let Some(parent) = parent else { continue };
            connect(dice, &mut modules, parent, number);
            if dice.chance(15) {
                let other = dice.below(number);
                connect(dice, &mut modules, other, number);
            }
        }
        Self { foreign, modules }
    }
}

fn connect(dice: &mut Dice, modules: &mut [Module], from: usize, callee: usize) {
    let source = source(&modules[from].path, &modules[callee].path);
    let taken = modules[from].calls.iter().filter(|call| call.callee == callee).count();
    let name = if taken == 0 { format!("m{callee}") } else { format!("m{callee}_{taken}") };
    let repeated =
        [Repeated::Once, Repeated::Once, Repeated::Once, Repeated::Count, Repeated::ForEach][dice.below(5)];
    modules[from].calls.push(Call { name, callee, source, repeated });
}

/// The path of one directory relative to another.
fn source(from: &str, to: &str) -> String {
    let from: Vec<&str> = from.split('/').filter(|part| !part.is_empty()).collect();
    let to: Vec<&str> = to.split('/').collect();
    let same = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = vec![".."; from.len() - same];
    let mut parts = if up.is_empty() { vec!["."] } else { up };
    parts.extend(&to[same..]);
    parts.join("/")
}

impl Module {
    fn random(dice: &mut Dice, path: String, foreign: Option<&[&str]>, odds: &Odds, is_root: bool) -> Self {
        let mut module = Self {
            path,
            variables: Vec::new(),
            locals: names(dice, 3),
            outputs: names(dice, 3),
            resources: Vec::new(),
            calls: Vec::new(),
            needs: Vec::new(),
            configured: Vec::new(),
        };
        for name in names(dice, 4) {
            let of = dice.chance(75).then(|| Type::random(dice, 2));
            module.variables.push(Variable { name, of, required: dice.chance(35) });
        }
        if !odds.values {
            module.variables.clear();
            module.locals.clear();
        }
        if let Some(namespaces) = foreign {
            module.wire(dice, namespaces, odds, is_root);
        }
        for number in 0..dice.between(0, 3) {
            let kind = match module.needs.get(dice.below(4)) {
                Some(need) if foreign.is_some() => format!("{}_thing", need.local),
                _ if foreign.is_some() && dice.chance(15) => format!("{}_thing", dice.word(PROVIDERS)),
                _ => "terraform_data".to_owned(),
            };
            let repeated =
                [Repeated::Once, Repeated::Once, Repeated::Count, Repeated::ForEach][dice.below(4)];
            module.resources.push(Resource { kind, name: format!("r{number}"), repeated });
        }
        module
    }

    fn wire(&mut self, dice: &mut Dice, namespaces: &[&str], odds: &Odds, is_root: bool) {
        for (local, namespace) in PROVIDERS.iter().zip(namespaces) {
            if dice.chance(odds.required) {
                let namespace = if dice.chance(odds.stray[0]) {
                    dice.word(&["hashicorp", "acme", "other"])
                } else {
                    namespace
                };
                let of = if dice.chance(odds.stray[1]) { dice.word(PROVIDERS) } else { local };
                let source =
                    (namespace != "hashicorp" || dice.chance(70)).then(|| format!("{namespace}/{of}"));
                let aliases = ALIASES
                    .iter()
                    .filter(|_| dice.chance(odds.aliases))
                    .map(|&alias| alias.to_owned())
                    .collect();
                self.needs.push(Need { local: (*local).to_owned(), source, aliases });
            }
            let chance = if is_root { 55 } else { odds.configured_in_child };
            if dice.chance(chance) {
                self.configured.push(Configured {
                    local: (*local).to_owned(),
                    alias: None,
                    is_empty: dice.chance(if is_root { 15 } else { 60 }),
                });
            }
            for alias in ALIASES {
                if dice.chance(chance / 3) {
                    self.configured.push(Configured {
                        local: (*local).to_owned(),
                        alias: Some((*alias).to_owned()),
                        is_empty: dice.chance(40),
                    });
                }
            }
        }
    }

    /// Every provider name that is valid in this module.
    pub(crate) fn provider_names(&self) -> Vec<String> {
        let mut all: Vec<String> = self.needs.iter().map(|need| need.local.clone()).collect();
        for need in &self.needs {
            all.extend(need.aliases.iter().map(|alias| format!("{}.{alias}", need.local)));
        }
        for block in &self.configured {
            all.push(match &block.alias {
                Some(alias) => format!("{}.{alias}", block.local),
                None => block.local.clone(),
            });
        }
        all
    }
}

fn names(dice: &mut Dice, most: usize) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for _ in 0..dice.between(0, most) {
        let name = dice.word(WORDS);
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

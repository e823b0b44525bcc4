//! Checks that `src/` follows the layers of `lib.rs`: a module imports only from layers above its own. Within a layer,
//! modules import each other without cycles.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The crates that the program is built on, with the layers that may name them.
const CRATES: &[(&str, &[&str])] = &[
    ("aho_corasick", &["session", "check", "rules"]),
    ("anstyle_query", &["cli"]),
    ("clap", &["cli"]),
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli"]),
    ("gix", &["vfs"]),
    ("globset", &["policy", "vfs"]),
    ("hashbrown", EVERYWHERE),
    ("hcl_edit", &["syntax"]),
    ("idna", &["module"]),
    // Only a version of it is held.
    ("idna_adapter", &[]),
    ("jiff", &["policy"]),
    ("memchr", &["check", "module", "session", "syntax", "text"]),
    ("miette", &["report"]),
    // In `main.rs`, which belongs to no layer.
    ("mimalloc", &[]),
    ("num_bigint", &["value"]),
    ("percent_encoding", &["report", "value"]),
    ("quick_xml", &["report"]),
    ("rayon", &["vfs", "session", "check"]),
    ("regex", &["policy", "rules", "value"]),
    ("saphyr_parser", &["value"]),
    ("serde", &["report"]),
    ("serde_json", &["module", "report"]),
    ("similar", &["check", "report", "text"]),
    ("smol_str", EVERYWHERE),
    ("strsim", &["engine", "text", "graph"]),
    ("tempfile", &["cli"]),
    ("terminal_size", &["cli"]),
    // Only a version of it is held.
    ("textwrap", &[]),
    ("unicode_ident", &["text"]),
    ("unicode_normalization", &["value"]),
    ("unicode_segmentation", &["syntax", "text", "value"]),
];

const EVERYWHERE: &[&str] = &["*"];

/// What only the named layers may do: the others turn what they are given into something else.
const WORLD: &[(&str, &[&str])] = &[
    ("std::fs", &["vfs", "cli"]),
    ("std::env", &["vfs", "cli"]),
    ("std::process", &["vfs", "cli"]),
    ("SystemTime", &[]),
    ("Timestamp::now", &["policy"]),
];

#[test]
fn imports_go_up() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let layers = layers(&fs::read_to_string(root.join("lib.rs")).expect("lib.rs"));
    assert!(layers.len() > 10, "the list in lib.rs was read: {layers:?}");
    let mut wrong = Vec::new();
    for file in files(&root) {
        let Some(own) = layer_of(&root, &file) else { continue };
        let rank = layers.iter().position(|layer| *layer == own);
        let Some(rank) = rank else { panic!("{} belongs to no layer of lib.rs", file.display()) };
        let text = fs::read_to_string(&file).expect("a source file");
        for (number, line) in
            text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"))
        {
            for used in named_layers(line, &layers) {
                if layers.iter().position(|layer| layer == used).is_some_and(|other| other > rank) {
                    wrong.push(format!("{}:{}: `{own}` uses `{used}`", file.display(), number + 1));
                }
            }
            let is_kept_from = |owners: &[&str]| owners != EVERYWHERE && !owners.contains(&own.as_str());
            for (name, _) in CRATES.iter().filter(|(_, owners)| is_kept_from(owners)) {
                // Behind `super::` it is a module of ours that has the same name.
                let is_ours = line.contains(&format!("::{name}::"));
                if !is_ours && mentions(line, &format!("{name}::")) {
                    wrong.push(format!(
                        "{}:{}: `{own}` names the crate `{name}`",
                        file.display(),
                        number + 1
                    ));
                }
            }
            let of_tests = if file.ends_with("tests.rs") {
                0
            } else {
                text.lines().position(|line| line == "mod tests {").unwrap_or(usize::MAX)
            };
            for (name, _) in WORLD.iter().filter(|(_, owners)| number < of_tests && is_kept_from(owners)) {
                if mentions(line, name) {
                    wrong.push(format!("{}:{}: `{own}` uses `{name}`", file.display(), number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "imports must go up:\n{}", wrong.join("\n"));
}

#[test]
fn modules_of_a_layer_import_no_cycles() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let imports = Imports::read(&root);
    let in_cycles: Vec<String> = imports.in_cycles().into_iter().map(|module| module.join("::")).collect();
    assert!(in_cycles.is_empty(), "modules in cycles of imports: {in_cycles:#?}");
}

/// A path of names below the crate.
type ModulePath = Vec<String>;

/// What modules import from each other.
#[derive(Default)]
struct Imports {
    modules: BTreeSet<ModulePath>,
    /// By module: the absolute paths that it names.
    named: BTreeMap<ModulePath, Vec<ModulePath>>,
    /// By the path under which a module exports something of another: where that is.
    exported: BTreeMap<ModulePath, ModulePath>,
}

impl Imports {
    /// Reads all modules but those of tests.
    fn read(root: &Path) -> Self {
        let mut imports = Self::default();
        let path_of = |file: &Path| -> ModulePath {
            let inside = file.strip_prefix(root).expect("a path below src").with_extension("");
            inside.iter().map(|name| name.to_string_lossy().into_owned()).collect()
        };
        let mut sources: Vec<(ModulePath, String)> = Vec::new();
        for file in files(root) {
            let path = path_of(&file);
            if layer_of(root, &file).is_some() && !path.contains(&"tests".to_owned()) {
                let text = fs::read_to_string(&file).expect("a source file");
                let code = text.split("\n#[cfg(test)]\nmod tests {").next().expect("a first part");
                let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
                let code = lines.collect::<Vec<_>>().join("\n");
                // The path in `pub(in path)` is no import.
                let mut parts = code.split("pub(in ");
                let first = parts.next().unwrap_or_default().to_owned();
                let code =
                    parts.fold(first, |code, part| code + part.split_once(')').map_or("", |(_, rest)| rest));
                sources.push((path.clone(), code));
                imports.modules.insert(path);
            }
        }
        for (module, code) in &sources {
            imports.read_module(module, code);
        }
        imports
    }

    fn read_module(&mut self, module: &ModulePath, code: &str) {
        for statement in code.split(';') {
            let behind = statement.rsplit('}').next().unwrap_or(statement).trim_start();
            let import = [statement.trim_start(), behind].into_iter().find_map(|text| {
                let (before, tree) = text.split_once("use ")?;
                (before.is_empty() || before.starts_with("pub")).then_some((before, tree))
            });
            let Some((visibility, tree)) = import else {
                let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
                for path in statement.split(|c| !is_name(c)).filter(|path| path.contains("::")) {
                    self.name(module, path.trim_matches(':'));
                }
                continue;
            };
            for path in paths(tree) {
                let resolved = self.name(module, &path);
                if let (Some(resolved), false, Some(name)) =
                    (resolved, visibility.is_empty(), path.rsplit("::").next())
                {
                    let exported = module.iter().cloned().chain([name.to_owned()]).collect();
                    self.exported.insert(exported, resolved);
                }
            }
        }
    }

    /// Takes note of a path that a module names, made absolute; none of another crate.
    fn name(&mut self, module: &ModulePath, path: &str) -> Option<ModulePath> {
        let names: Vec<String> = path.split("::").map(|name| name.trim().to_owned()).collect();
        let supers = names.iter().take_while(|name| *name == "super").count();
        let child = || module.iter().chain(&names[..1]).cloned().collect::<ModulePath>();
        let absolute: ModulePath = match names[0].as_str() {
            "crate" => names[1..].to_vec(),
            "self" => module.iter().chain(&names[1..]).cloned().collect(),
            "super" => module[..module.len() - supers].iter().chain(&names[supers..]).cloned().collect(),
            _ if self.modules.contains(&child()) => module.iter().chain(&names).cloned().collect(),
            _ => return None,
        };
        self.named.entry(module.clone()).or_default().push(absolute.clone());
        Some(absolute)
    }

    /// The module that a path leads to, behind all exports.
    fn owner(&self, path: &ModulePath) -> Option<&ModulePath> {
        let mut path = path.clone();
        for _ in 0..8 {
            let length = (1..=path.len()).rev().find(|length| self.modules.contains(&path[..*length]))?;
            let exported = path.get(..=length).and_then(|name| self.exported.get(name));
            let Some(exported) = exported else { return self.modules.get(&path[..length]) };
            path = exported.iter().chain(&path[length + 1..]).cloned().collect();
        }
        None
    }

    /// The modules that import themselves through others of their layer.
    fn in_cycles(&self) -> BTreeSet<&ModulePath> {
        let mut edges: BTreeSet<(&ModulePath, &ModulePath)> = BTreeSet::new();
        for (module, named) in &self.named {
            let owners = named.iter().filter_map(|path| self.owner(path));
            let others = owners.filter(|owner| owner[0] == module[0]);
            // A module and those inside it are one thing: these implement what it declares, and it lists them.
            let others = others.filter(|owner| !owner.starts_with(module) && !module.starts_with(owner));
            edges.extend(others.map(|owner| (module, owner)));
        }
        // What nothing leads to, or what leads nowhere, is in no cycle.
        loop {
            let before = edges.len();
            let (from, to): (BTreeSet<_>, BTreeSet<_>) = edges.iter().copied().unzip();
            edges.retain(|(module, owner)| to.contains(module) && from.contains(owner));
            if edges.len() == before {
                return edges.into_iter().map(|(module, _)| module).collect();
            }
        }
    }
}

/// The paths in a tree such as `a::{b, c::d as e}`.
fn paths(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((prefix, group)) = tree.split_once('{') else {
        return vec![tree.split(" as ").next().unwrap_or(tree).trim_end_matches("::self").to_owned()];
    };
    let group = group.strip_suffix('}').unwrap_or(group);
    let mut depth = 0;
    let parts = group.split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    let inner = parts.filter(|part| !part.trim().is_empty()).flat_map(paths);
    inner
        .map(|path| {
            if path == "self" { prefix.trim_end_matches("::").to_owned() } else { format!("{prefix}{path}") }
        })
        .collect()
}

#[test]
fn every_crate_has_its_layers() {
    let manifest = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"));
    let manifest = manifest.expect("Cargo.toml");
    let (_, dependencies) = manifest.split_once("\n[dependencies]\n").expect("dependencies");
    let lines = dependencies.lines().take_while(|line| !line.starts_with('['));
    let names = lines.filter_map(|line| Some(line.split_once(" = ")?.0.replace('-', "_")));
    let names: BTreeSet<String> = names.filter(|name| !name.starts_with('#')).collect();
    let known: BTreeSet<String> = CRATES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(names, known);
}

/// The modules that `lib.rs` declares, in its order.
fn layers(lib: &str) -> Vec<String> {
    lib.lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'))
        .map(str::to_owned)
        .collect()
}

/// `src/module/merge.rs` belongs to `module`; `lib.rs` and `main.rs` belong to none.
fn layer_of(root: &Path, file: &Path) -> Option<String> {
    let inside = file.strip_prefix(root).expect("a path below src");
    let first = inside.components().next().expect("a file name").as_os_str().to_string_lossy();
    let name = first.strip_suffix(".rs").unwrap_or(&first).to_owned();
    (name != "lib" && name != "main").then_some(name)
}

/// The layers that a line names as `crate::layer`, also inside `crate::{…}`.
fn named_layers<'a>(line: &str, layers: &'a [String]) -> Vec<&'a String> {
    let grouped = line.split_once("crate::{").map(|(_, group)| group);
    layers
        .iter()
        .filter(|layer| {
            mentions(line, &format!("crate::{layer}"))
                || grouped.is_some_and(|group| mentions(group, &format!("{layer}::")))
        })
        .collect()
}

#[test]
fn the_architecture_names_files_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let named = text.split('`').skip(1).step_by(2).filter(|name| name.starts_with("src/"));
    let named: Vec<&str> = named.filter(|name| !name.contains('<')).collect();
    assert!(named.len() > 10, "{named:?}");
    let missing: Vec<&&str> = named.iter().filter(|name| !root.join(name).exists()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Whether `words` stands in `line` with no letter directly before or after it.
fn mentions(line: &str, words: &str) -> bool {
    let part_of_name = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(words).any(|(at, _)| {
        !line[..at].ends_with(part_of_name)
            && (words.ends_with(':') || !line[at + words.len()..].starts_with(part_of_name))
    })
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("a directory of src") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

//! Holds `src/` to the layers of `lib.rs`: a module names those above it in that list, and none below.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The crates that the program is built on, with the layers that may name them.
const CRATES: &[(&str, &[&str])] = &[
    ("aho_corasick", &["session", "check"]),
    ("clap", &["cli"]),
    ("clap_complete", &["cli"]),
    ("gix", &["vfs"]),
    ("globset", &["policy", "vfs"]),
    ("hcl_edit", &["syntax"]),
    ("idna", &["module"]),
    // Only a version of it is held.
    ("idna_adapter", &[]),
    ("memchr", &["check", "module", "session", "syntax"]),
    ("miette", &["report"]),
    // In `main.rs`, which belongs to no layer.
    ("mimalloc", &[]),
    ("num_bigint", &["value"]),
    ("percent_encoding", &["report"]),
    ("quick_xml", &["report"]),
    ("rayon", &["vfs", "session", "check"]),
    ("regex", &["rules", "value"]),
    ("serde", &["report"]),
    ("serde_json", &["report"]),
    ("similar", &["report", "check"]),
    ("smol_str", EVERYWHERE),
    ("strsim", &["engine", "text", "graph"]),
    ("tempfile", &["cli"]),
    ("terminal_size", &["cli"]),
    ("unicode_ident", &["module", "syntax"]),
    ("unicode_normalization", &["value"]),
    ("unicode_segmentation", &["syntax", "text", "value"]),
];

const EVERYWHERE: &[&str] = &["*"];

/// What only the named layers may do: the others turn what they are given into something else.
const WORLD: &[(&str, &[&str])] = &[
    ("std::fs", &["vfs", "cli"]),
    ("std::env", &["vfs", "cli"]),
    ("std::process", &["vfs", "cli"]),
    ("SystemTime", &["policy"]),
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
            let of_tests = match file.ends_with("tests.rs") {
                true => 0,
                false => text.lines().position(|line| line == "mod tests {").unwrap_or(usize::MAX),
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

//! Generates the manifest of installed modules that `terraform init` would write for a directory.
//!
//! It has its own minimal parser for the local sources of module calls, so that an error in the checker cannot hide
//! itself by giving the engine wrong modules.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

/// The maximal depth of calls, which ends module call cycles.
const DEPTH: usize = 8;

/// A called module: its key in the manifest, its source as the engine prints it, and its directory relative to the
/// root module.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Installed {
    key: String,
    source: String,
    pub(crate) directory: String,
}

/// Every local module that the module at `root` reaches, itself first.
pub(crate) fn installed(root: &Path) -> Vec<Installed> {
    let mut found = vec![Installed { key: String::new(), source: String::new(), directory: String::new() }];
    follow(root, "", "", 0, &mut found);
    for (key, source) in runs(root) {
        add(root, "", &key, &source, 0, &mut found);
    }
    found
}

/// The manifest of these modules.
pub(crate) fn manifest(installed: &[Installed]) -> String {
    let modules: Vec<Value> = installed
        .iter()
        .map(|module| {
            let directory = if module.directory.is_empty() { "." } else { &module.directory };
            json!({ "Key": module.key, "Source": module.source, "Dir": directory })
        })
        .collect();
    json!({ "Modules": modules }).to_string()
}

fn follow(root: &Path, directory: &str, key: &str, depth: usize, found: &mut Vec<Installed>) {
    if depth == DEPTH {
        return;
    }
    for (name, source) in calls(&root.join(directory)) {
        let key = if key.is_empty() { name } else { format!("{key}.{name}") };
        add(root, directory, &key, &source, depth, found);
    }
}

/// Adds a call, if it has a local source, and the calls of its module.
fn add(root: &Path, directory: &str, key: &str, source: &str, depth: usize, found: &mut Vec<Installed>) {
    if !["./", "../", ".\\", "..\\"].iter().any(|start| source.starts_with(start)) {
        return;
    }
    let source = source.replace('\\', "/");
    let inside = joined(directory, &source);
    let clean = joined("", &source);
    let clean = match clean.as_str() {
        ".." => "../".to_owned(),
        outside if outside.starts_with("../") => clean,
        inside => format!("./{inside}"),
    };
    found.push(Installed { key: key.to_owned(), source: clean, directory: inside.clone() });
    follow(root, &inside, key, depth + 1, found);
}

/// The sources in the runs of test files, by key.
fn runs(root: &Path) -> BTreeMap<String, String> {
    let mut runs = BTreeMap::new();
    for (directory, prefix) in [("", "test"), ("tests", "test.tests")] {
        for entry in fs::read_dir(root.join(directory)).into_iter().flatten().filter_map(Result::ok) {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let Ok(bytes) = fs::read(entry.path()) else { continue };
            let text = String::from_utf8_lossy(&bytes);
            let of_file = if let Some(stem) = name.strip_suffix(".tftest.hcl") {
                (stem, runs_of_native(&text))
            } else if name.strip_suffix(".tftest.json").is_some() {
                (name.as_str(), runs_of_json(&text))
            } else {
                continue;
            };
            let (stem, sources) = of_file;
            runs.extend(sources.into_iter().map(|(run, source)| (format!("{prefix}.{stem}.{run}"), source)));
        }
    }
    runs
}

/// The sources of the `module` blocks in the `run` blocks of a file in native syntax.
fn runs_of_native(text: &str) -> Vec<(String, String)> {
    let mut runs = Vec::new();
    let words = words(text);
    let mut open: Vec<&str> = Vec::new();
    let mut run: Option<&str> = None;
    for (at, word) in words.iter().enumerate() {
        match word.as_str() {
            "{" | "[" | "(" => {
                if open.is_empty() && word == "{" && at >= 2 && words[at - 2] == "run" {
                    run = Some(words[at - 1].trim_matches('"'));
                }
                open.push(if at > 0 { &words[at - 1] } else { "" });
            }
            "}" | "]" | ")" => {
                open.pop();
            }
            "source" if open.len() == 2 && open[1] == "module" => {
                let source = words.get(at + 2).and_then(|value| value.strip_prefix('"')?.strip_suffix('"'));
                if let (Some(run), Some(source)) = (run, source) {
                    runs.push((run.to_owned(), source.to_owned()));
                }
            }
            _ => {}
        }
    }
    runs
}

/// The same for a JSON file.
fn runs_of_json(text: &str) -> Vec<(String, String)> {
    let Ok(file) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    let named = flat(&file).into_iter().filter_map(|body| body.get("run")).flat_map(flat);
    let runs = named.filter_map(Value::as_object).flatten();
    let source = |body: &Value| Some(body.get("module")?.get("source")?.as_str()?.to_owned());
    runs.filter_map(|(name, body)| Some((name.clone(), source(body)?))).collect()
}

/// Joins `directory` and a relative path, without `.` and with `..` only at the start.
fn joined(directory: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in directory.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// The calls of the module in a directory, with overrides.
fn calls(directory: &Path) -> BTreeMap<String, String> {
    let mut names: Vec<String> = fs::read_dir(directory)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| stem(name).is_some() && !is_ignored(name))
        .collect();
    names.sort_by_key(|name| (is_override(name), name.clone()));
    let mut calls = BTreeMap::new();
    for name in names {
        let Ok(bytes) = fs::read(directory.join(&name)) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let in_file =
            if name.strip_suffix(".json").is_some() { calls_of_json(&text) } else { calls_of_native(&text) };
        // An override without a base adds no call.
        calls.extend(
            in_file
                .into_iter()
                .filter(|(call, _)| !is_override(&name) || calls.contains_key(call))
                .collect::<Vec<_>>(),
        );
    }
    calls
}

/// The name of a configuration file without its suffix.
fn stem(name: &str) -> Option<&str> {
    name.strip_suffix(".tf").or_else(|| name.strip_suffix(".tf.json"))
}

fn is_ignored(name: &str) -> bool {
    let is_lock = name.starts_with('#') && name.ends_with('#');
    is_lock || name.starts_with('.') || name.ends_with('~')
}

fn is_override(name: &str) -> bool {
    stem(name).is_some_and(|stem| stem == "override" || stem.ends_with("_override"))
}

/// The sources directly in the `module` blocks of a file in native syntax.
fn calls_of_native(text: &str) -> Vec<(String, String)> {
    let mut calls = Vec::new();
    let words = words(text);
    let mut depth = 0_usize;
    let mut call: Option<&str> = None;
    let mut versioned = Vec::new();
    for (at, word) in words.iter().enumerate() {
        match word.as_str() {
            "{" | "[" | "(" => {
                if depth == 0 && word == "{" && at >= 2 && words[at - 2] == "module" {
                    call = Some(words[at - 1].trim_matches('"'));
                }
                depth += 1;
            }
            "}" | "]" | ")" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    call = None;
                }
            }
            // With a version it is a registry address, whatever its form.
            "version" if depth == 1 && words.get(at + 1).is_some_and(|next| next == "=") => {
                versioned.extend(call);
            }
            "source" if depth == 1 && words.get(at + 1).is_some_and(|next| next == "=") => {
                let source = words.get(at + 2).and_then(|value| value.strip_prefix('"')?.strip_suffix('"'));
                if let (Some(call), Some(source)) = (call, source) {
                    calls.push((call.to_owned(), source.to_owned()));
                }
            }
            _ => {}
        }
    }
    calls.retain(|(call, _)| !versioned.contains(&call.as_str()));
    calls
}

/// The names, quoted strings and single characters of a file, without comments.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if first == '"' {
            quoted(rest)
        } else if first == '#' || rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if first.is_alphanumeric() || first == '_' {
            rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (word, behind) = rest.split_at(length);
        if !word.trim().is_empty()
            && !word.starts_with('#')
            && !word.starts_with("//")
            && !word.starts_with("/*")
        {
            words.push(word.to_owned());
        }
        rest = behind;
    }
    words
}

/// The length of the quoted string at the start of the text. A line break ends it, too.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    for (at, char) in text.char_indices().skip(1) {
        match char {
            '\n' => return at,
            '"' if !escaped => return at + 1,
            _ => escaped = char == '\\' && !escaped,
        }
    }
    text.len()
}

/// The same for a JSON file. At each level, one object and an array of objects are equivalent.
fn calls_of_json(text: &str) -> Vec<(String, String)> {
    let Ok(file) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    let named = flat(&file).into_iter().filter_map(|body| body.get("module")).flat_map(flat);
    named
        .filter_map(Value::as_object)
        .flat_map(|calls| {
            calls.iter().flat_map(|(name, bodies)| flat(bodies).into_iter().map(move |body| (name, body)))
        })
        .filter(|(_, body)| body.get("version").is_none())
        .filter_map(|(name, body)| Some((name.clone(), body.get("source")?.as_str()?.to_owned())))
        .collect()
}

fn flat(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        one => vec![one],
    }
}

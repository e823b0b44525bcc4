//! Compares merged modules with their originals: both must have the same meaning for the checker and for the engine.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use overrule::check::Analysis;
use overrule::engine::{Choice, is_module_file};
use overrule::finding::Severity;
use overrule::policy::Policy;
use overrule::report::PathStyle;
use overrule::report::merged::{MergeStyle, document, text};
use overrule::vfs::Snapshot;
use serde_json::{Value, json};

use crate::case::Case;
use crate::terraform::Terraform;

/// A merged module.
struct Flat {
    /// The text, without generated comments.
    text: String,
    /// The JSON document.
    document: Value,
    /// Whether all of its files were understood.
    is_whole: bool,
    /// Whether the engine's loader reports no error in them.
    is_sound: bool,
}

/// Every module of some files after merging, by directory.
fn merged(files: &[(String, Vec<u8>)]) -> BTreeMap<String, Flat> {
    let mut snapshot = Snapshot::of_files(files.to_vec());
    let engine = Choice::parse("terraform@1.11").expect("an engine");
    let analysis = Analysis::of(&mut snapshot, Some(&engine), &Policy::default());
    let view = analysis.views().next().expect("one engine");
    let style =
        MergeStyle { comments: false, color: false, unicode: true, only: None, names: PathStyle::default() };
    let flat = view.modules().map(|node| {
        let (module, sources) = (node.module(), snapshot.sources());
        let merged = view.merged(node, &snapshot);
        let document = document(module, &merged, sources, &style);
        let document = serde_json::from_str(&document).expect("JSON");
        let is_sound = view.findings(node).iter().all(|finding| finding.severity != Severity::Error);
        let text = text(module, &merged, sources, &style);
        let flat = Flat { text, document, is_whole: module.complete, is_sound };
        (module.directory.to_string(), flat)
    });
    flat.collect()
}

fn files_of(case: &Case) -> Vec<(String, Vec<u8>)> {
    case.entries.iter().filter_map(|entry| Some((entry.path.clone(), entry.bytes()?))).collect()
}

/// The same tree with one file instead of the module files of each module. Test files and the like stay.
fn flattened(files: &[(String, Vec<u8>)], flat: &BTreeMap<String, Flat>) -> Vec<(String, Vec<u8>)> {
    let directory = |path: &str| path.rsplit_once('/').map_or("", |(directory, _)| directory).to_owned();
    let is_merged = |path: &str| {
        let name = path.rsplit('/').next().expect("a file name");
        is_module_file(name) && flat.contains_key(&directory(path))
    };
    let others = files.iter().filter(|(path, _)| !is_merged(path)).cloned();
    let texts = flat.iter().map(|(directory, flat)| {
        let path = if directory.is_empty() { "main.tf".to_owned() } else { format!("{directory}/main.tf") };
        (path, flat.text.clone().into_bytes())
    });
    others.chain(texts).collect()
}

/// The blocks of a document without positions and history, in a canonical order.
fn meant(block: &Value) -> Value {
    let text =
        |value: &Value| value.as_str().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    let arguments = block["arguments"].as_array().into_iter().flatten();
    let arguments: BTreeMap<String, String> =
        arguments.map(|argument| (text(&argument["name"]), text(&argument["value"]))).collect();
    let mut blocks: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for nested in block["blocks"].as_array().into_iter().flatten() {
        // Blocks that produce different types may be in any order.
        let makes = if nested["kind"] == "dynamic" { &nested["labels"][0] } else { &nested["kind"] };
        blocks.entry(text(makes)).or_default().push(meant(nested));
    }
    json!({ "kind": block["kind"], "labels": block["labels"], "arguments": arguments, "blocks": blocks })
}

fn blocks(document: &Value) -> Vec<String> {
    let mut blocks: Vec<String> =
        document["blocks"].as_array().expect("blocks").iter().map(|block| meant(block).to_string()).collect();
    blocks.sort();
    blocks
}

/// The differences between the merged text and the original modules. Empty if there are none.
pub(crate) fn differences(case: &Case) -> Vec<String> {
    let files = files_of(case);
    let flat = merged(&files);
    let again = merged(&flattened(&files, &flat));
    let mut differences = Vec::new();
    for (directory, flat) in flat.iter().filter(|(_, flat)| flat.is_whole) {
        let Some(again) = again.get(directory) else {
            // Its caller may have been left out.
            continue;
        };
        if !again.is_whole {
            differences.push(format!("{}: {directory}: the text cannot be read:\n{}", case.name, flat.text));
            continue;
        }
        let (before, after) = (blocks(&flat.document), blocks(&again.document));
        if before != after {
            let lost =
                before.iter().filter(|block| !after.contains(block)).cloned().collect::<Vec<_>>().join("\n");
            let new =
                after.iter().filter(|block| !before.contains(block)).cloned().collect::<Vec<_>>().join("\n");
            differences.push(format!("{}: {directory}:\n- {lost}\n+ {new}\n{}", case.name, flat.text));
        }
        if again.text != flat.text {
            differences.push(format!(
                "{}: {directory}: the text changes when it is merged again:\n{}=====\n{}",
                case.name, flat.text, again.text
            ));
        }
    }
    differences
}

/// The engine's summaries for unexpected items, in JSON and in native syntax.
const NOT_EXPECTED: &[&str] = &[
    "Extraneous JSON object property",
    "Incorrect JSON value type",
    "Unsupported argument",
    "Unsupported block type",
];

/// Differences that are allowed: only in the original tree (`-`), or only in the merged one (`+`).
const MAY_DIFFER: &[&str] = &[
    // In a block with an override the engine does not check for these, and the schemas of providers are unknown.
    "+ error something that is not expected",
    // Required arguments must be in the base; an override does not count.
    "- error Missing required argument",
];

/// The engine's diagnostics for only one of the two trees. Returns `None` if its loader already reports an error, so
/// that it does not reach the merged content; if it treats a provider block as empty, which no text expresses; and if
/// its answer is random.
pub(crate) fn told_apart(case: &Case, terraform: &Terraform) -> Option<Vec<String>> {
    let files = files_of(case);
    let flat = merged(&files);
    let is_taken_for_empty = |flat: &Flat| {
        let dropped = flat.document["dropped"].as_array().expect("a list");
        dropped.iter().any(|dropped| dropped["reason"] == "taken-for-empty")
    };
    if flat.values().any(|flat| !flat.is_sound || is_taken_for_empty(flat)) {
        return None;
    }
    let ask = |files: &[(String, Vec<u8>)]| {
        let place = tempfile::tempdir().expect("a temporary directory");
        let root = place.path().join("root");
        for (path, bytes) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a path below the directory")).expect("a new directory");
            fs::write(path, bytes).expect("a new file");
        }
        let line = |(is_error, summary, detail): (bool, String, String)| {
            let level = if is_error { "error" } else { "warning" };
            if NOT_EXPECTED.contains(&summary.as_str()) {
                return format!("{level} something that is not expected");
            }
            // Which of two similar names is suggested is random.
            let detail = detail.split(" Did you mean").next().unwrap_or_default();
            // Which of two entries is reported as the second one is random, too.
            match summary.as_str() {
                "Duplicate required provider" | "Missing required argument" => format!("{level} {summary}"),
                _ => format!("{level} {summary}: {detail}"),
            }
        };
        terraform.words(&root, place.path()).into_iter().map(line).collect::<BTreeSet<_>>()
    };
    let (before, after) = (ask(&files), ask(&flattened(&files, &flat)));
    if before.iter().chain(&after).any(|said| said.contains("Provider type mismatch")) {
        return None;
    }
    let lost = before.difference(&after).map(|said| format!("- {said}"));
    let new = after.difference(&before).map(|said| format!("+ {said}"));
    let mut apart: Vec<String> = lost.chain(new).collect();
    let goes_further = apart.iter().any(|said| MAY_DIFFER[1] == said);
    apart.retain(|said| {
        let is_further = goes_further && said.starts_with('+');
        !is_further && !MAY_DIFFER.contains(&said.as_str())
    });
    Some(apart)
}

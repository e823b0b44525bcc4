//! Merging: the merged module can be parsed, and merging it again does not change it.

use std::collections::BTreeMap;

use overrule::check::Analysis;
use overrule::engine::Choice;
use overrule::policy::Policy;
use overrule::report::PathStyle;
use overrule::report::merged::{MergeStyle, difference, document, text};
use overrule::vfs::Snapshot;

use super::tree;

/// A merged module.
struct Flat {
    text: String,
    commented: String,
    /// Whether all of its files were understood.
    is_whole: bool,
    /// Whether it has no errors.
    is_sound: bool,
}

/// Panics if a tree violates a property.
pub fn holds(bytes: &[u8]) {
    let files = tree::files(bytes);
    let flat = merged(&files);
    let again = merged(&in_place(&files, &flat, |flat| &flat.text));
    let commented = merged(&in_place(&files, &flat, |flat| &flat.commented));
    for (directory, flat) in flat.iter().filter(|(_, flat)| flat.is_whole) {
        for again in [&again, &commented] {
            // Its caller may have been left out.
            let Some(again) = again.get(directory) else { continue };
            assert!(again.is_whole, "what is merged can be read:\n{}\n\n{}", flat.text, flat.commented);
        }
        if let Some(again) = again.get(directory).filter(|_| flat.is_sound) {
            assert_eq!(again.text, flat.text, "what is merged stays as it is");
        }
    }
}

fn style() -> MergeStyle {
    MergeStyle { comments: false, color: false, unicode: true, only: None, names: PathStyle::default() }
}

/// Every module of some files after merging, by directory.
fn merged(files: &[(String, Vec<u8>)]) -> BTreeMap<String, Flat> {
    let mut snapshot = Snapshot::of_files(files.to_vec());
    let engine = Choice::parse("terraform@1.11").expect("an engine");
    let analysis = Analysis::of(&mut snapshot, Some(&engine), &Policy::default());
    let view = analysis.views().next().expect("one engine");
    let flat = view.modules().map(|node| {
        let (module, sources) = (node.module(), snapshot.sources());
        let merged = view.merged(node, &snapshot);
        let json = document(module, &merged, sources, &style());
        assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok(), "a document is JSON: {json}");
        difference(module, &merged, sources, &MergeStyle { color: true, ..style() });
        let commented = text(module, &merged, sources, &MergeStyle { comments: true, ..style() });
        let text = text(module, &merged, sources, &style());
        let is_sound = view.findings(node).is_empty();
        (module.directory.to_string(), Flat { text, commented, is_whole: module.complete, is_sound })
    });
    flat.collect()
}

/// The same tree with one file instead of the files of each module.
fn in_place(
    files: &[(String, Vec<u8>)],
    flat: &BTreeMap<String, Flat>,
    text: impl Fn(&Flat) -> &str,
) -> Vec<(String, Vec<u8>)> {
    let directory = |path: &str| path.rsplit_once('/').map_or("", |(directory, _)| directory).to_owned();
    let others = files.iter().filter(|(path, _)| !flat.contains_key(&directory(path))).cloned();
    let texts = flat.iter().map(|(directory, flat)| {
        let path = if directory.is_empty() { "main.tf".to_owned() } else { format!("{directory}/main.tf") };
        (path, text(flat).as_bytes().to_vec())
    });
    others.chain(texts).collect()
}

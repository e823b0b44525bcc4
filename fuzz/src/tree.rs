//! Splits one text into a tree of files; each starts with a line `--- path`.

use std::collections::BTreeMap;

/// The maximal number of files, because the fuzzer would only find out that more files take longer.
const MOST_FILES: usize = 24;

/// The files with their paths. Without a first line that names one, the file is `main.tf`.
pub fn files(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let mut path = "main.tf".to_owned();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if let Some(name) = line.strip_prefix(b"--- ") {
            path = clean(&String::from_utf8_lossy(name));
        } else if files.contains_key(&path) || files.len() < MOST_FILES {
            files.entry(path.clone()).or_default().extend_from_slice(line);
        }
    }
    let directories: Vec<String> = files.keys().map(|path| format!("{path}/")).collect();
    let is_directory =
        |path: &str, files: &BTreeMap<String, Vec<u8>>| files.keys().any(|other| other.starts_with(path));
    let taken: Vec<String> =
        directories.into_iter().filter(|directory| is_directory(directory, &files)).collect();
    for directory in taken {
        files.remove(directory.trim_end_matches('/'));
    }
    files.into_iter().collect()
}

/// The text for these files.
pub fn text<'f>(files: impl IntoIterator<Item = (&'f str, &'f str)>) -> String {
    let file = |(path, text): (&str, &str)| {
        let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        format!("--- {path}\n{text}{end}")
    };
    files.into_iter().map(file).collect()
}

/// A path that a directory on disk could have.
fn clean(path: &str) -> String {
    let steps = path.trim_end_matches('\n').split('/').filter(|step| !["", ".", ".."].contains(step));
    let steps: Vec<String> =
        steps.take(8).map(|step| step.replace('\0', "")).filter(|step| !step.is_empty()).collect();
    if steps.is_empty() { "main.tf".to_owned() } else { steps.join("/") }
}

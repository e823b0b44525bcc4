//! Checks the dependencies against `deny.toml`, and the promises about the code, without other programs.

use std::fs;
use std::path::{Path, PathBuf};

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The values of a key in every package of the lock file.
fn locked(key: &str) -> Vec<String> {
    let lock = read("Cargo.lock");
    let start = format!("{key} = \"");
    let value = |line: &str| Some(line.strip_prefix(&start)?.trim_end_matches('"').to_owned());
    lock.lines().filter_map(value).collect()
}

/// The words of a list in `deny.toml`.
fn listed(name: &str) -> Vec<String> {
    let deny = read("deny.toml");
    let (_, list) = deny.split_once(&format!("\n{name} = [")).expect("the list");
    let (list, _) = list.split_once(']').expect("its end");
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn nothing_that_could_send_anything_is_a_dependency() {
    let (names, banned) = (locked("name"), listed("deny"));
    assert!(names.len() > 100 && banned.len() > 10, "both are read");
    let found: Vec<&String> = names.iter().filter(|name| banned.contains(name)).collect();
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn every_dependency_is_from_the_registry_with_its_checksum() {
    let [registry] = &listed("allow-registry")[..] else { panic!("one registry") };
    let sources = locked("source");
    assert!(sources.iter().all(|source| *source == format!("registry+{registry}")), "{sources:?}");
    assert_eq!(locked("checksum").len(), sources.len());
    // The package itself has no source.
    assert_eq!(locked("name").len(), sources.len() + 1);
}

#[test]
fn the_code_starts_no_program_and_opens_no_connection() {
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { open.push(path) } else { files.push(path) }
        }
    }
    assert!(files.len() > 100, "the code is read");
    for file in files {
        let text = fs::read_to_string(&file).expect("a source file");
        let words = [
            "TcpStream",
            "TcpListener",
            "UdpSocket",
            "ToSocketAddrs",
            "UnixStream",
            "process::Command",
            "unsafe {",
        ];
        for word in words {
            assert!(!text.contains(word), "{} has `{word}`", file.display());
        }
    }
}

//! Reads the module files of a directory and parses them with `hcl-edit`, without any other work:
//! `cargo bench --bench parser -- DIRECTORY`. The rest of the time of a check is spent in overrule itself.
//!
//! It uses one thread and keeps nothing of what it parses.
#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

use std::fs;
use std::path::{Path, PathBuf};

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let directory = std::env::args().skip(1).find(|word| word != "--bench").unwrap_or_else(|| ".".to_owned());
    let (mut files, mut bytes, mut wrong) = (0, 0, 0);
    let mut next = vec![PathBuf::from(directory)];
    while let Some(directory) = next.pop() {
        for (path, is_directory) in listed(&directory) {
            if is_directory {
                next.push(path);
            } else if let Some(text) = is_native(&path).then(|| fs::read_to_string(&path).ok()).flatten() {
                files += 1;
                bytes += text.len();
                wrong += usize::from(hcl_edit::parser::parse_body(&text).is_err());
            }
        }
    }
    println!("{files} files, {bytes} bytes, {wrong} with errors");
}

fn listed(directory: &Path) -> Vec<(PathBuf, bool)> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let entries = entries.filter(|entry| entry.file_name() != ".git" && entry.file_name() != ".terraform");
    entries.filter_map(|entry| Some((entry.path(), entry.file_type().ok()?.is_dir()))).collect()
}

fn is_native(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "tf" || extension == "tofu")
}

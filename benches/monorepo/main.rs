//! Writes a repository of modules into a directory, to run programs on:
//!
//! ```console
//! $ cargo bench --bench monorepo -- DIRECTORY --modules 10000
//! ```
//!
//! `--help` tells what else can be said of it. It is the same each time, and everything in it is tracked by git.
#![expect(clippy::print_stdout, reason = "it says what it wrote")]

mod generator;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Parser;
use generator::Shape;

#[derive(Parser)]
struct Arguments {
    /// Where to write it; a directory that is not there yet.
    directory: PathBuf,
    #[command(flatten)]
    shape: Shape,
    /// Shared modules per group: root modules only call modules of one group. 0 makes one group of all. Without this
    /// option, two repositories are written: `connected` with one group, and `groups` with groups of the usual size.
    #[arg(long)]
    group: Option<usize>,
    /// Spanned by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> io::Result<()> {
    let Arguments { directory, shape, group, .. } = Arguments::parse();
    if let Some(group) = group {
        return write(&directory, &Shape { group, ..shape });
    }
    write(&directory.join("connected"), &Shape { group: 0, ..shape.clone() })?;
    write(&directory.join("groups"), &shape)
}

/// Writes and commits a repository.
fn write(directory: &Path, shape: &Shape) -> io::Result<()> {
    if directory.exists() {
        return Err(io::Error::other(format!("{} is there already", directory.display())));
    }
    let files = generator::files(shape);
    let bytes: usize = files.iter().map(|(_, text)| text.len()).sum();
    for (path, text) in &files {
        let path = directory.join(path);
        fs::create_dir_all(path.parent().expect("every file lies in a directory"))?;
        fs::write(path, text)?;
    }
    let author = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    for arguments in [&["init", "--quiet"][..], &["add", "--all"], &["commit", "--quiet", "--message=all"]] {
        let status = Command::new("git").args(author).args(arguments).current_dir(directory).status()?;
        if !status.success() {
            return Err(io::Error::other(format!("git {arguments:?} failed")));
        }
    }
    println!("{}: {} modules, {} files, {bytes} bytes", directory.display(), shape.modules, files.len());
    Ok(())
}

//! Generates a repository of modules for measurements:
//!
//! ```console
//! $ cargo bench --bench monorepo -- DIRECTORY --modules 10000
//! ```
//!
//! `--help` lists the options. The same options generate the same repository, with all files committed.
#![expect(clippy::print_stdout, reason = "it prints what it wrote")]

mod generator;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Parser;
use generator::Shape;

#[derive(Parser)]
struct Arguments {
    /// The directory to create.
    directory: PathBuf,
    #[command(flatten)]
    shape: Shape,
    /// Shared modules per group: a root module calls only modules of one group. 0 puts all into one group. Without this
    /// option, there are two repositories: `connected` with one group, and `groups` with groups of the default size.
    #[arg(long)]
    group: Option<usize>,
    /// An argument that `cargo bench` adds.
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

/// Writes and commits a repository of this shape.
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

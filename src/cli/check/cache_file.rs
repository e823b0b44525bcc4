//! Stores the call index in a file. A run without it takes longer and has the same findings.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;
use std::time::Duration;

/// A temporary file of this age is left over from an interrupted run.
const LEFT_BEHIND: Duration = Duration::from_secs(60);

/// Writes bytes to a file in a directory. A concurrent reader sees the old or the new content.
pub(super) fn keep(directory: &Path, name: &str, bytes: &[u8]) {
    // A run without a cache is only slower.
    try_keep(directory, name, bytes).ok();
}

fn try_keep(directory: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    let new = directory.join(format!("{name}.new"));
    let mut file = match File::create_new(&new) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists && is_left_behind(&new)? => {
            fs::remove_file(&new)?;
            File::create_new(&new)?
        }
        // Another run is writing it.
        created => created?,
    };
    let kept = file.write_all(bytes).and_then(|()| fs::rename(&new, directory.join(name)));
    if kept.is_err() {
        fs::remove_file(&new)?;
    }
    kept
}

fn is_left_behind(file: &Path) -> io::Result<bool> {
    let age = fs::symlink_metadata(file)?.modified()?.elapsed();
    Ok(age.is_ok_and(|age| age > LEFT_BEHIND))
}

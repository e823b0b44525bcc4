//! Turns what a run remembers into a file for later ones, or into nothing: a run without it takes longer, and finds the
//! same.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;
use std::time::Duration;

/// A run does not write for so long; a file that is older was left behind.
const LEFT_BEHIND: Duration = Duration::from_secs(60);

/// Keeps bytes under a name in a directory. Whoever reads meanwhile reads what was there before, or all that is new.
pub(super) fn keep(directory: &Path, name: &str, bytes: &[u8]) {
    // That it cannot be kept costs time, and nothing else.
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
        // Another run is at it.
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

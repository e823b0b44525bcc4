//! The names of Terragrunt unit files.

use smol_str::SmolStr;

/// The names of unit files. Terragrunt reads the first that exists.
const NAMES: [&str; 2] = ["terragrunt.hcl", "terragrunt.hcl.json"];

/// Whether a file with this name is a unit file.
pub(super) fn is_unit_file(name: &[u8]) -> bool {
    NAMES.iter().any(|known| known.as_bytes() == name)
}

/// The unit files that Terragrunt reads, sorted.
pub(super) fn in_use(mut paths: Vec<SmolStr>) -> Vec<SmolStr> {
    paths.sort_unstable();
    let json = |path: &SmolStr| path.ends_with(".json");
    paths.dedup_by(|later, first| json(later) && later.strip_suffix(".json") == Some(first.as_str()));
    paths
}

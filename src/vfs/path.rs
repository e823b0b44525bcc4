//! Paths within a run, as text with `/`, turned into other such paths; the disk is not asked.

use crate::text::file_name::decode;

/// Where `source`, a local module address such as `../net`, leads from the module in `directory`.
///
/// The engines join the two and clean the result up without a look at the disk, so a `..` behind a symbolic link
/// undoes the link. What climbs above the top of the run leads nowhere.
pub fn join(directory: &str, source: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    // A source is text, and a character of it may be one that stands for a byte in a path.
    let source = decode(source.as_bytes());
    for part in source.split(['/', std::path::MAIN_SEPARATOR]) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// The directory around `path`; none around the top.
pub fn parent(path: &str) -> Option<&str> {
    if path.is_empty() {
        return None;
    }
    Some(path.rsplit_once('/').map_or("", |(parent, _)| parent))
}

/// The name at the end of `path`: of a file without its directory.
pub fn last_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether `path` is `directory` or below it; the empty directory is the top, which contains everything.
pub fn is_under(path: &str, directory: &str) -> bool {
    directory.is_empty()
        || path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The name of the directory in which an engine looks for tests, in that of the module.
pub const TEST_DIRECTORY: &str = "tests";

/// The directory of the module whose tests an engine reads in a directory because of its name.
pub fn tested_by(directory: &str) -> Option<&str> {
    (last_name(directory) == TEST_DIRECTORY).then(|| parent(directory)).flatten()
}

/// `name` in `directory`.
pub fn child(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_leads_from_its_directory() {
        assert_eq!(join("live/prod", "../../modules/net").as_deref(), Some("modules/net"));
        assert_eq!(join("", "./modules//net/").as_deref(), Some("modules/net"));
        assert_eq!(join("a", "..").as_deref(), Some(""));
    }

    #[test]
    fn what_climbs_above_the_top_leads_nowhere() {
        assert_eq!(join("a", "../.."), None);
        assert_eq!(join("", "../x"), None);
        assert_eq!(join("a", "../../a"), None, "even if it comes back, its way leads outside");
    }

    #[test]
    fn every_directory_but_the_top_has_one_around_it() {
        let all: Vec<_> = std::iter::successors(Some("a/b/c"), |path| parent(path)).collect();
        assert_eq!(all, ["a/b/c", "a/b", "a", ""]);
    }
}

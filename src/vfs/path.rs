//! Paths as text with `/`. The disk is not read.

use crate::text::file_name::decode;

/// The directory that `source`, a local module source such as `../net`, leads to from the module in `directory`.
///
/// As in the engines, the joined path is normalized without reading the disk, so a `..` after a symbolic link cancels
/// the link. `None` above the top of the repository.
pub fn join(directory: &str, source: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    // In a source, characters that stand for bytes of a file name are just text.
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

/// The relative path from one directory to another.
pub fn relative(from: &str, to: &str) -> String {
    let parts = |path: &str| -> Vec<String> {
        path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    let (from, to) = (parts(from), parts(to));
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", from.len() - shared);
    let steps: Vec<&str> = up.chain(to[shared..].iter().map(String::as_str)).collect();
    if steps.is_empty() { ".".to_owned() } else { steps.join("/") }
}

/// The `source` of a call from a module in one directory of a module in another one.
pub fn source_between(from: &str, to: &str) -> String {
    let way = relative(from, to);
    let starts_with_dots = matches!(way.split('/').next(), Some("." | ".."));
    if starts_with_dots { way } else { format!("./{way}") }
}

/// The parent directory of `path`. `None` for the top.
pub fn parent(path: &str) -> Option<&str> {
    if path.is_empty() {
        return None;
    }
    Some(path.rsplit_once('/').map_or("", |(parent, _)| parent))
}

/// `path` and its parent directories, the top last.
pub fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| parent(path))
}

/// The last name of `path`.
pub fn last_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether `path` is `directory` or below it. The empty directory is the top, which contains everything.
pub fn is_under(path: &str, directory: &str) -> bool {
    directory.is_empty()
        || path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The name of the test directory of a module.
pub const TEST_DIRECTORY: &str = "tests";

/// The directory of the module whose tests are in a directory with that name.
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
        let all: Vec<_> = ancestors("a/b/c").collect();
        assert_eq!(all, ["a/b/c", "a/b", "a", ""]);
    }

    #[test]
    fn a_source_starts_at_the_module_that_calls() {
        assert_eq!(source_between("", "net"), "./net");
        assert_eq!(source_between("live/a", "modules/net"), "../../modules/net");
        assert_eq!(source_between("live/a", "live/b"), "../b");
        assert_eq!(source_between("live", "live/b/c"), "./b/c");
        assert_eq!(source_between("live/a", ""), "../..");
        assert_eq!(source_between("", "..net"), "./..net");
    }
}

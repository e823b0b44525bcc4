//! Snapshots of files that are given as text.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::listing::rendered;
use super::uncommitted::ignored;
use super::unit_file::{in_use, is_unit_file};
use super::{CompanionFile, Directory, File, Origin, Snapshot, ancestors, last_name};
use crate::engine::{self, Companion, LOCK_FILE, Signal};
use crate::text::Source;

impl Snapshot {
    /// Creates a working tree in memory from `(path, content)` pairs.
    pub fn of_files(files: Vec<(String, Vec<u8>)>) -> Self {
        let mut snapshot = Self { scope: vec![String::new()], ..Self::default() };
        let mut directories: BTreeMap<String, BTreeMap<String, Vec<u8>>> = BTreeMap::new();
        snapshot.uncommitted = ignored(&files.iter().map(|(path, text)| (path.as_str(), &**text)).collect());
        for (path, content) in files {
            let (directory, name) = path.rsplit_once('/').unwrap_or(("", &path));
            directories.entry(directory.to_owned()).or_default().insert(name.to_owned(), content);
        }
        let all = directories.keys().flat_map(|directory| ancestors(directory.as_str()));
        let all: BTreeSet<String> = all.map(str::to_owned).collect();
        let mut others = BTreeMap::new();
        for (path, files) in directories {
            snapshot.add_in_memory(&path, files, &mut others);
        }
        let units = others.keys().filter(|path| is_unit_file(last_name(path).as_bytes()));
        snapshot.unit_files = in_use(units.map(SmolStr::new).collect());
        snapshot.origin = Origin::Memory { directories: all, others };
        snapshot
    }

    fn add_in_memory(
        &mut self,
        path: &str,
        files: BTreeMap<String, Vec<u8>>,
        others: &mut BTreeMap<String, Vec<u8>>,
    ) {
        let mut directory = Directory::empty(path);
        let (mut signals, mut companions) = (Vec::new(), Vec::new());
        let is_missing =
            |name: &String| rendered(name).is_some_and(|file| !files.contains_key(file.as_str()));
        directory.lacks_rendered_files = files.keys().any(is_missing);
        for (name, content) in files {
            let inside = super::path::child(path, &name);
            let mut add = || self.sources.push(Source::new(&*inside, content.clone()));
            if engine::is_module_file(&name) {
                directory.files.push(File { name: SmolStr::new(&name), id: Some(add()) });
            } else {
                if name == LOCK_FILE {
                    directory.has_lock_file = true;
                    directory.lock = Some(add());
                }
                if engine::meant_override_file(&name).is_some() {
                    directory.misnamed.push(add());
                }
                if let Some(kind) = Companion::of(&name) {
                    directory.has_values |= kind == Companion::Values;
                    let (name, id) = (SmolStr::new(&name), Some(add()));
                    companions.push(CompanionFile { name, kind, id, is_broken_link: false });
                }
                signals.extend(Signal::of_file(&name, &String::from_utf8_lossy(&content)));
                others.insert(inside, content);
            }
        }
        let names: Vec<&str> = directory.files.iter().map(|file| file.name.as_str()).collect();
        signals.extend(Signal::of_module_files(&names));
        self.listen(path, signals);
        self.accompany(path, companions);
        if !directory.files.is_empty() {
            self.add(directory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Reached;
    use super::*;

    fn files(names: &[&str]) -> Snapshot {
        Snapshot::of_files(names.iter().map(|name| ((*name).to_owned(), Vec::new())).collect())
    }

    #[test]
    fn directories_and_files_come_sorted() {
        let snapshot = files(&["b/x.tf", "main.tf", "a_override.tf", "a/readme.md", "b/a.tf.json"]);
        let directories: Vec<_> = snapshot
            .directories()
            .iter()
            .map(|directory| {
                let names: Vec<_> = directory.files.iter().map(|file| file.name.as_str()).collect();
                format!("{}: {}", directory.path, names.join(" "))
            })
            .collect();
        assert_eq!(directories, [": a_override.tf main.tf", "b: a.tf.json x.tf"]);
    }

    #[test]
    fn files_beside_modules_are_for_the_nearest_module_above() {
        let names = ["a/main.tf", "a/env/prod/x.tfvars", "a/tests/m.tftest.hcl", "b/c.tfvars.json", "d/x.tf"];
        let snapshot = files(&names);
        let companions: Vec<_> = snapshot
            .companions()
            .map(|(directory, file)| (directory.as_str(), file.kind, snapshot.owner(directory)))
            .collect();
        assert_eq!(
            companions,
            [
                ("a/env/prod", Companion::Values, Some("a")),
                ("a/tests", Companion::Test, Some("a")),
                ("b", Companion::Values, None)
            ]
        );
    }

    #[test]
    fn a_directory_without_module_files_is_there_once_it_is_called() {
        let mut snapshot = files(&["a/b/readme.md"]);
        assert_eq!(snapshot.directory("a"), None);
        assert_eq!(snapshot.reach("a"), Reached::Directory(0));
        assert_eq!(snapshot.directory("a").map(|directory| directory.files.len()), Some(0));
        assert_eq!(snapshot.reach("c"), Reached::Missing);
    }
}

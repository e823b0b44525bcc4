//! Files given as text, turned into a work tree as if they had been read.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::listing::{is_values_file, rendered};
use super::uncommitted::ignored;
use super::{File, Folder, Origin, Worktree, parent};
use crate::engine::{self, LOCK_FILE, Signal};
use crate::text::Source;

/// See [`Worktree::of_files`].
pub(super) fn worktree(files: Vec<(String, Vec<u8>)>) -> Worktree {
    let mut worktree = Worktree { scope: vec![String::new()], ..Worktree::default() };
    let mut folders: BTreeMap<String, BTreeMap<String, Vec<u8>>> = BTreeMap::new();
    worktree.uncommitted = ignored(&files.iter().map(|(path, text)| (path.as_str(), &**text)).collect());
    for (path, content) in files {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
        folders.entry(folder.to_owned()).or_default().insert(name.to_owned(), content);
    }
    let all =
        folders.keys().flat_map(|folder| std::iter::successors(Some(folder.as_str()), |path| parent(path)));
    let all: BTreeSet<String> = all.map(str::to_owned).collect();
    let mut others = BTreeMap::new();
    for (path, files) in folders {
        worktree.add_in_memory(&path, files, &mut others);
    }
    worktree.origin = Origin::Memory { folders: all, others };
    worktree
}

impl Worktree {
    fn add_in_memory(
        &mut self,
        path: &str,
        files: BTreeMap<String, Vec<u8>>,
        others: &mut BTreeMap<String, Vec<u8>>,
    ) {
        let mut folder = Folder::empty(path);
        let mut signals = Vec::new();
        let is_missing =
            |name: &String| rendered(name).is_some_and(|file| !files.contains_key(file.as_str()));
        folder.lacks_rendered_files = files.keys().any(is_missing);
        for (name, content) in files {
            if engine::is_module_file(&name) {
                let id = self.sources.push(Source::new(super::path::child(path, &name), content));
                folder.files.push(File { name: SmolStr::new(&name), id: Some(id) });
            } else {
                if name == LOCK_FILE {
                    folder.has_lock_file = true;
                    let source = Source::new(super::path::child(path, &name), content.clone());
                    folder.lock = Some(self.sources.push(source));
                }
                folder.has_values |= is_values_file(&name);
                signals.extend(Signal::of_file(&name, &String::from_utf8_lossy(&content)));
                others.insert(super::path::child(path, &name), content);
            }
        }
        let names: Vec<&str> = folder.files.iter().map(|file| file.name.as_str()).collect();
        signals.extend(Signal::of_module_files(&names));
        if !signals.is_empty() {
            self.signals.insert(path.into(), signals);
        }
        if !folder.files.is_empty() {
            self.add(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Reached;
    use super::*;

    fn files(names: &[&str]) -> Worktree {
        worktree(names.iter().map(|name| ((*name).to_owned(), Vec::new())).collect())
    }

    #[test]
    fn folders_and_files_come_sorted() {
        let worktree = files(&["b/x.tf", "main.tf", "a_override.tf", "a/readme.md", "b/a.tf.json"]);
        let folders: Vec<_> = worktree
            .folders()
            .iter()
            .map(|folder| {
                let names: Vec<_> = folder.files.iter().map(|file| file.name.as_str()).collect();
                format!("{}: {}", folder.path, names.join(" "))
            })
            .collect();
        assert_eq!(folders, [": a_override.tf main.tf", "b: a.tf.json x.tf"]);
    }

    #[test]
    fn a_folder_without_module_files_is_there_once_it_is_called() {
        let mut worktree = files(&["a/b/readme.md"]);
        assert_eq!(worktree.folder("a"), None);
        assert_eq!(worktree.reach("a"), Reached::Folder(0));
        assert_eq!(worktree.folder("a").map(|folder| folder.files.len()), Some(0));
        assert_eq!(worktree.reach("c"), Reached::Missing);
    }
}

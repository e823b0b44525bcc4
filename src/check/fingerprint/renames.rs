//! Finds blocks that a change renames.
//!
//! Like a renamed file in git, a removed block and a new one are the same if they have the same kind and type, are in
//! one module, and share at least half of their lines. A local value is not a block, so renamed local values are not
//! found.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use smol_str::SmolStr;

use crate::engine::{Engine, Product};
use crate::limits::Limits;
use crate::module::address::block_address;
use crate::module::top_blocks;
use crate::syntax::{self, Notation};
use crate::vfs::{Directory, Snapshot};

/// The address after the change, by the directory of a module and the address of a block before it.
pub(in crate::check) type Renamed = BTreeMap<(SmolStr, String), String>;

/// The maximum number of pairs of blocks to compare. In a larger change, no renames are found.
const MOST_PAIRS: usize = 10_000;

/// Finds renamed blocks. `modules` has the old directories of modules with their new ones.
pub(in crate::check) fn of(
    before: &Snapshot,
    now: &Snapshot,
    modules: &BTreeMap<SmolStr, SmolStr>,
) -> Renamed {
    let mut renamed = Renamed::new();
    for directory in before.directories() {
        let later = modules.get(&directory.path).unwrap_or(&directory.path);
        let Some(later) = now.directory(later) else { continue };
        let (was, is) =
            (named_blocks(before, directory, now, later), named_blocks(now, later, before, directory));
        let removed = was.iter().filter(|(address, _)| !is.contains_key(*address)).map(|(_, block)| block);
        let added = is.iter().filter(|(address, _)| !was.contains_key(*address)).map(|(_, block)| block);
        for (from, to) in pairs(&removed.collect::<Vec<_>>(), &added.collect::<Vec<_>>()) {
            let address = (directory.path.clone(), from.address.clone());
            renamed.insert(address, to.address.clone());
        }
    }
    renamed
}

/// A block with a name.
#[derive(Debug)]
struct Named<'t> {
    /// Its kind and all labels but the last, which is the name.
    kind: Vec<SmolStr>,
    address: String,
    /// The lines of its body.
    lines: Vec<&'t str>,
}

/// By address: the blocks in those files of a directory that differ from the other state.
fn named_blocks<'t>(
    snapshot: &'t Snapshot,
    directory: &Directory,
    other: &Snapshot,
    elsewhere: &Directory,
) -> BTreeMap<String, Named<'t>> {
    let mut blocks = BTreeMap::new();
    let features = Engine::newest(Product::Terraform).features();
    for file in &directory.files {
        let Some(id) = file.id else { continue };
        let source = snapshot.sources().get(id);
        let same_name = elsewhere.file(&file.name);
        let same_text = |id| other.sources().get(id).text() == source.text();
        if same_name.and_then(|file| file.id).is_some_and(same_text) {
            continue;
        }
        let (read, _) = syntax::parse(id, source, Notation::of(&file.name), &Limits::default());
        for block in top_blocks(&read.body, &features) {
            let labels: Vec<SmolStr> = block.labels.iter().map(|label| label.text.clone()).collect();
            // The label of a provider block is not a name.
            let Some((_, rest)) = labels.split_last().filter(|_| block.kind != "provider") else {
                continue;
            };
            let kind = std::iter::once(block.kind.clone()).chain(rest.iter().cloned()).collect();
            let address = block_address(&block);
            let lines = source.slice(block.body.span()).lines().map(str::trim);
            // Lines that all blocks have do not count.
            let lines = lines.filter(|line| !["", "{", "}"].contains(line)).collect();
            blocks.entry(address.clone()).or_insert(Named { kind, address, lines });
        }
    }
    blocks
}

/// Pairs removed blocks with new ones, the most similar first, each once.
fn pairs<'n, 't>(removed: &[&'n Named<'t>], added: &[&'n Named<'t>]) -> Vec<(&'n Named<'t>, &'n Named<'t>)> {
    if removed.len() * added.len() > MOST_PAIRS {
        return Vec::new();
    }
    let of_kind = |(from, to): &(usize, usize)| removed[*from].kind == added[*to].kind;
    let all = (0..removed.len()).flat_map(|from| (0..added.len()).map(move |to| (from, to))).filter(of_kind);
    let mut likely: Vec<_> = all
        .map(|(from, to)| (likeness(&removed[from].lines, &added[to].lines), from, to))
        .filter(|(likeness, ..)| *likeness >= 50)
        .collect();
    // The sort is stable, so equals stay in the order of their names.
    likely.sort_by_key(|(likeness, ..)| Reverse(*likeness));
    let (mut taken, mut given) = (BTreeSet::new(), BTreeSet::new());
    let mut pairs = Vec::new();
    for (_, from, to) in likely {
        if !taken.contains(&from) && !given.contains(&to) {
            taken.insert(from);
            given.insert(to);
            pairs.push((removed[from], added[to]));
        }
    }
    pairs
}

/// The percentage of lines of two texts that are in both.
fn likeness(one: &[&str], other: &[&str]) -> usize {
    if one == other {
        return 100;
    }
    let mut left: HashMap<&str, usize> = HashMap::new();
    for line in one {
        *left.entry(line).or_default() += 1;
    }
    let is_in_both = |line: &&&str| match left.get_mut(**line) {
        Some(number) if *number > 0 => {
            *number -= 1;
            true
        }
        Some(_) | None => false,
    };
    200 * other.iter().filter(is_in_both).count() / (one.len() + other.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn renamed(before: &str, now: &str) -> Vec<String> {
        let snapshot =
            |text: &str| Snapshot::of_files(vec![("main.tf".to_owned(), text.as_bytes().to_vec())]);
        let renamed = of(&snapshot(before), &snapshot(now), &BTreeMap::new());
        renamed.into_iter().map(|((_, from), to)| format!("{from} {to}")).collect()
    }

    #[test]
    fn a_block_is_known_by_what_is_in_it() {
        let block = |name: &str, body: &str| format!("resource \"a_b\" \"{name}\" {{\n{body}}}\n");
        let body = "  a = 1\n  b = 2\n";
        assert_eq!(renamed(&block("x", body), &block("y", body)), ["a_b.x a_b.y"]);
        assert_eq!(renamed(&block("x", body), &block("y", "  a = 1\n  b = 2\n  c = 3\n")), ["a_b.x a_b.y"]);
        assert_eq!(renamed(&block("x", body), &block("y", "  c = 1\n")), [] as [&str; 0]);
        let two = block("x", body) + &block("z", "  c = 3\n");
        let others = block("u", "  c = 3\n") + &block("v", body);
        assert_eq!(renamed(&two, &others), ["a_b.x a_b.v", "a_b.z a_b.u"]);
    }

    #[test]
    fn what_is_still_there_or_of_another_kind_is_not_renamed() {
        let none: [&str; 0] = [];
        assert_eq!(renamed("variable \"a\" {}\n", "variable \"a\" {}\nvariable \"b\" {}\n"), none);
        assert_eq!(renamed("variable \"a\" {}\n", "output \"a\" {}\n"), none);
        assert_eq!(renamed("resource \"a\" \"x\" {}\n", "resource \"b\" \"y\" {}\n"), none);
        assert_eq!(renamed("provider \"a\" {}\n", "provider \"b\" {}\n"), none);
        assert_eq!(renamed("variable \"a\" {}\n", "variable \"b\" {}\n"), ["variable.a variable.b"]);
    }
}

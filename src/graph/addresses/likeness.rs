//! Decides whether a block before a change and one after it are likely the same object.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::object::{Declared, Object};

/// Arguments that decide the number of instances, the order of creation, and the provider configuration.
const ASIDE: [&str; 5] = ["count", "for_each", "depends_on", "provider", "providers"];

/// Changed addresses, relative to the module that declares the object, by its module path before the change and the
/// earlier address.
pub(super) type Renames<'t> = BTreeMap<Vec<&'t SmolStr>, BTreeMap<String, String>>;

/// The comparable content of a block.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Body {
    /// The resource type.
    kind: SmolStr,
    /// A text for each argument and nested block, including those of override blocks, sorted.
    items: Vec<String>,
}

impl Body {
    pub(super) fn of(object: &Object<'_>, renames: &Renames<'_>) -> Self {
        let mut items = items(object);
        if let Some(renames) = renames.get(&object.names()) {
            for item in &mut items {
                *item = renamed(item, renames);
            }
        }
        Self { kind: object.kind().into(), items }
    }

    /// Whether it has no content that distinguishes it from others of its type.
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

fn items(object: &Object<'_>) -> Vec<String> {
    let blocks = object.origin().blocks();
    let source = called(object);
    let mut items: Vec<String> = blocks
        .flat_map(|block| block.body.canonical(object.sources.get(block.header.file)))
        .filter(|item| !ASIDE.contains(&name(item)))
        .map(|item| match &source {
            Some(directory) if name(&item) == "source" => format!("source: {directory}"),
            Some(_) | None => item,
        })
        .collect();
    items.sort_unstable();
    items
}

/// The directory of the local module of a call.
pub(super) fn called(object: &Object<'_>) -> Option<String> {
    match object.declared {
        Declared::Resource(_) => None,
        Declared::Call(call) => object.node.source_directory(call),
    }
}

/// The name of an argument or nested block, from its text.
fn name(item: &str) -> &str {
    let item = item.trim_start_matches('"');
    let end = item.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-')));
    &item[..end.unwrap_or(item.len())]
}

/// Whether two blocks set mostly the same arguments, and no argument to different constants.
pub(super) fn is_compatible(from: &Object<'_>, to: &Object<'_>) -> bool {
    let (old, new) = (items(from), items(to));
    let names =
        |items: &[String]| -> BTreeSet<String> { items.iter().map(|item| name(item).to_owned()).collect() };
    let (old_names, new_names) = (names(&old), names(&new));
    let shared = old_names.intersection(&new_names).count();
    if shared * 2 < old_names.union(&new_names).count() {
        return false;
    }
    let differing: BTreeSet<&str> =
        old.iter().filter(|item| !new.contains(item)).map(|item| name(item)).collect();
    let mut differing = differing.into_iter().filter(|name| *name != "source" && new_names.contains(*name));
    differing.all(|name| !(is_constant(from, name) && is_constant(to, name)))
}

/// Whether an argument is set to a value without references. Nested blocks count as constants.
fn is_constant(object: &Object<'_>, name: &str) -> bool {
    let Some(argument) = object.origin().blocks().filter_map(|block| block.attribute(name)).last() else {
        return true;
    };
    argument.expr.variables().is_empty()
}

/// The text with earlier addresses replaced by the later ones.
fn renamed(text: &str, renames: &BTreeMap<String, String>) -> String {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        written.push_str(&rest[..start]);
        rest = &rest[start..];
        let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let dotted = rest[word..]
            .strip_prefix('.')
            .map_or(word, |behind| word + 1 + behind.find(|c| !is_word(c)).unwrap_or(behind.len()));
        // A name after a dot is not the start of an address.
        let is_start = !written.ends_with('.');
        let end = if let Some(to) = renames.get(&rest[..dotted]).filter(|_| is_start) {
            written.push_str(to);
            dotted
        } else {
            written.push_str(&rest[..word]);
            word
        };
        rest = &rest[end..];
    }
    written + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::without_layout;

    #[test]
    fn references_follow_what_was_renamed() {
        let renames: BTreeMap<String, String> =
            [("null_resource.a", "null_resource.b"), ("module.net", "module.network")]
                .map(|(from, to)| (from.to_owned(), to.to_owned()))
                .into();
        let text = |resource: &str, call: &str| {
            without_layout(&format!(
                "[{resource}.id, {call}[0].x, data.null_resource.a.id, null_resource.ab.id, \"${{{resource}}}\"]"
            ))
        };
        let before = text("null_resource.a", "module.net");
        assert_eq!(renamed(&before, &renames), text("null_resource.b", "module.network"));
    }

    #[test]
    fn items_have_names() {
        for (item, expected) in
            [("input = 1", "input"), ("\"input\": 1", "input"), ("lifecycle {\n}\n", "lifecycle"), ("", "")]
        {
            assert_eq!(name(item), expected);
        }
    }
}

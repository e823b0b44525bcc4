//! Finds the names in files that a tool may copy into a module from a directory below it.

use std::collections::VecDeque;

use hashbrown::HashSet;
use smol_str::{SmolStr, format_smolstr};

use super::Node;
use crate::module::terragrunt::Generated;
use crate::vfs::{NamedFiles, child};

/// The number of levels below a module that are searched.
const MOST_LEVELS: usize = 3;

/// The largest number of directories that are searched.
const MOST_DIRECTORIES: usize = 50;

impl Node<'_> {
    /// The addresses, such as `var.name`, in files of directories below which declare neither these objects nor any
    /// variable. A tool may copy such files into this module: `Declared only in another directory` is about them.
    pub fn named_below(self) -> HashSet<SmolStr> {
        let files = self.graph().named_files();
        let mut named = HashSet::new();
        let mut found = 0;
        let mut next = VecDeque::from([(self.module().directory.to_string(), 0)]);
        while let Some((directory, level)) = next.pop_front() {
            let Some(listing) = files.listing(&directory) else { continue };
            if level > 0 {
                named.extend(undeclared(files, &directory).unwrap_or_default());
            }
            if level < MOST_LEVELS {
                let visible = listing.directories.iter().filter(|name| !name.starts_with('.'));
                let below = visible.take(MOST_DIRECTORIES - found).map(|name| child(&directory, name));
                let before = next.len();
                next.extend(below.map(|path| (path, level + 1)));
                found += next.len() - before;
            }
        }
        named
    }
}

/// The addresses in the files of a directory that it does not declare. `None` if it declares a variable or cannot be
/// read.
fn undeclared(files: &NamedFiles, directory: &str) -> Option<HashSet<SmolStr>> {
    let mut named = HashSet::new();
    let mut declared = Generated::default();
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.');
    files.for_each_module_text(directory, &mut |text| {
        declared.add(&Generated::by(text));
        named.extend(text.split(|letter| !is_part(letter)).filter_map(address));
    })?;
    if declared.names.iter().any(|name| name.starts_with("var.")) {
        return None;
    }
    named.retain(|name| !declared.names.contains(name.as_str()));
    Some(named)
}

/// The address of a variable, local value or data source at the start of a reference.
fn address(reference: &str) -> Option<SmolStr> {
    let mut parts = reference.split('.');
    match (parts.next()?, parts.next()?) {
        (kind @ ("var" | "local"), name) => Some(format_smolstr!("{kind}.{name}")),
        ("data", kind) => Some(format_smolstr!("data.{kind}.{}", parts.next()?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_start_with_an_address() {
        assert_eq!(address("var.a.b"), Some("var.a".into()));
        assert_eq!(address("local.a"), Some("local.a".into()));
        assert_eq!(address("data.aws_ami.web.id"), Some("data.aws_ami.web".into()));
        assert_eq!(address("data.aws_ami"), None);
        assert_eq!(address("aws_instance.web"), None);
    }
}

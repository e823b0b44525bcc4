//! Turns the `source` of a module call into what it stands for, or into why it stands for nothing.

mod registry;
mod remote;
#[cfg(test)]
mod tests;
mod url;

pub use registry::RegistryModule;
pub use remote::RemoteModule;

use std::borrow::Cow;
use std::fmt;

use smol_str::{SmolStr, format_smolstr};

use super::AddressError;
use crate::engine::Features;

/// Where a called module comes from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ModuleSource {
    /// A directory of the same package: `./a` or `../a`, in its shortest form, with `/`.
    Local(SmolStr),
    /// A module of a registry.
    Registry(RegistryModule),
    /// A package that is fetched from elsewhere.
    Remote(RemoteModule),
}

impl ModuleSource {
    /// What `raw` stands for. A call with a `version` can only mean a registry.
    pub fn parse(raw: &str, has_version: bool, features: &Features) -> Result<Self, AddressError> {
        let product = features.engine.product.name();
        if has_version {
            return registry(raw, features).map_err(|reason| AddressError {
                summary: "Invalid registry module source address",
                detail: format!(
                    "\"{raw}\" is no address of a module registry: {reason}. With the argument `version`, which only \
                     modules of a registry have, {product} takes it for one."
                ),
            });
        }
        if is_local(raw) {
            return Ok(Self::Local(clean_local(raw)));
        }
        // What cannot be read as a module of a registry is held to be something else; why it is none is not told.
        if let Ok(found) = RegistryModule::parse(raw, features.registry_host) {
            return Ok(Self::Registry(found));
        }
        RemoteModule::parse(raw).map(Self::Remote).map_err(|problem| AddressError {
            summary: "Invalid module source address",
            detail: match problem {
                remote::Problem::Undetected(address) => format!(
                    "{product} cannot tell how the module \"{address}\" is to be installed. For a directory beside this \
                     module, write \"./{address}\"."
                ),
                remote::Problem::Unreadable(reason) => {
                    format!("\"{raw}\" is no address of a module: {reason}.")
                }
            },
        })
    }
}

impl fmt::Display for ModuleSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local(path) => path.fmt(f),
            Self::Registry(module) => module.fmt(f),
            Self::Remote(module) => module.fmt(f),
        }
    }
}

fn registry(raw: &str, features: &Features) -> Result<ModuleSource, String> {
    if is_local(raw) {
        return Err("it is the path of a directory".into());
    }
    RegistryModule::parse(raw, features.registry_host).map(ModuleSource::Registry)
}

fn is_local(raw: &str) -> bool {
    ["./", "../", ".\\", "..\\"].iter().any(|prefix| raw.starts_with(prefix))
}

/// The shortest form of a local path, with `/`, that starts with `./` or `../`.
fn clean_local(raw: &str) -> SmolStr {
    let clean = clean(&raw.replace('\\', "/"));
    if clean.starts_with("../") { clean.into() } else { format_smolstr!("./{clean}") }
}

/// The shortest path that leads where `path` does, as Go's `path.Clean` makes it: `.` for nothing at all.
fn clean(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => match kept.last() {
                Some(last) if *last != ".." => {
                    kept.pop();
                }
                // Above the root there is only the root.
                None if rooted => {}
                Some(_) | None => kept.push(".."),
            },
            part => kept.push(part),
        }
    }
    match (rooted, kept.join("/")) {
        (true, rest) => format!("/{rest}"),
        (false, rest) if rest.is_empty() => ".".into(),
        (false, rest) => rest,
    }
}

/// The package and the directory inside it, which `//` tells apart; the directory is empty where none is given.
fn split_subdir(source: &str) -> (Cow<'_, str>, String) {
    // A query may hold another URL, which is not looked into.
    let stop = memchr::memchr(b'?', source.as_bytes()).unwrap_or(source.len());
    let (address, query) = source.split_at(stop);
    let scheme = find_in_short(address, "://").map_or(0, |at| at + 3);
    let Some(at) = find_in_short(&address[scheme..], "//").map(|at| at + scheme) else {
        return (source.into(), String::new());
    };
    let (package, directory) = (&address[..at], &address[at + 2..]);
    let package = if query.is_empty() { package.into() } else { [package, query].concat().into() };
    (package, if directory.is_empty() { String::new() } else { clean(directory) })
}

/// Where `what`, which has a first byte, stands first. Addresses are short: to prepare a search for all of it takes
/// longer.
fn find_in_short(text: &str, what: &str) -> Option<usize> {
    let (text, what) = (text.as_bytes(), what.as_bytes());
    memchr::memchr_iter(what[0], text).find(|at| text[*at..].starts_with(what))
}

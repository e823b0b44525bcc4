//! Parses the `source` of a module call.

mod registry;
mod remote;
#[cfg(test)]
mod tests;
mod url;

pub use registry::RegistryModule;
pub use remote::RemoteModule;
pub(super) use url::unescape;

use std::borrow::Cow;
use std::fmt;

use smol_str::{SmolStr, format_smolstr};

use super::AddressError;
use crate::engine::Features;

/// A module source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ModuleSource {
    /// A local path in the same package: `./a` or `../a`, in its shortest form, with `/`.
    Local(SmolStr),
    /// A module in a registry.
    Registry(RegistryModule),
    /// A remote package.
    Remote(RemoteModule),
}

impl ModuleSource {
    /// Parses a `source` argument. With a `version`, only a registry module is valid.
    pub fn parse(raw: &str, has_version: bool, features: &Features) -> Result<Self, AddressError> {
        let product = features.engine.product.name();
        if has_version {
            return registry(raw, features).map_err(|reason| {
                let without_it = "remove `version`, which only registry modules have";
                let (detail, help) = match Self::parse(raw, false, features) {
                    Err(_) => (
                        format!(
                            "\"{raw}\" is not a registry address: {reason}. {product} expects a registry address \
                             because `version` is set."
                        ),
                        None,
                    ),
                    Ok(other) => (
                        format!("Only a registry module has a `version`, and \"{raw}\" is another address."),
                        Some(match other {
                            Self::Remote(git) if git.getter() == "git" && git.parameter("ref").is_none() => {
                                format!(
                                    "{without_it}, and add `{}ref=` with a tag to the source",
                                    git.separator()
                                )
                            }
                            _ => without_it.to_owned(),
                        }),
                    ),
                };
                AddressError { summary: "Invalid registry module source address", detail, help }
            });
        }
        if is_local(raw) {
            return Ok(Self::Local(clean_local(raw)));
        }
        // A source that is not a registry module is a remote package; the error of the first attempt is not reported.
        let why = match RegistryModule::parse(raw, features.registry_host) {
            Ok(found) => return Ok(Self::Registry(found)),
            Err(why) => why,
        };
        RemoteModule::parse(raw).map(Self::Remote).map_err(|problem| {
            let summary = "Invalid module source address";
            match problem {
                remote::Problem::Undetected(address) => AddressError {
                    summary,
                    detail: format!(
                        "\"{address}\" is neither a local path nor a URL, and not a registry address: {why}."
                    ),
                    help: Some(format!(
                        "write \"./{}\" for a directory of this module, or a URL, or a registry address such as \
                         \"hashicorp/consul/aws\"",
                        address.replace('\\', "/")
                    )),
                },
                remote::Problem::Unreadable(reason) => AddressError {
                    summary,
                    detail: format!("\"{raw}\" is not a valid module source: {reason}."),
                    help: None,
                },
            }
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
        return Err("it is a local path".into());
    }
    RegistryModule::parse(raw, features.registry_host).map(ModuleSource::Registry)
}

fn is_local(raw: &str) -> bool {
    ["./", "../", ".\\", "..\\"].iter().any(|prefix| raw.starts_with(prefix))
}

/// The shortest form of a local path, with `/`. Starts with `./` or `../`.
fn clean_local(raw: &str) -> SmolStr {
    let clean = clean(&raw.replace('\\', "/"));
    if clean.starts_with("../") { clean.into() } else { format_smolstr!("./{clean}") }
}

/// The shortest equivalent path, as in Go's `path.Clean`: `.` for an empty path.
pub(crate) fn clean(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => match kept.last() {
                Some(last) if *last != ".." => {
                    kept.pop();
                }
                // `/..` is `/`.
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

/// Splits a source at `//` into the package and its subdirectory, which may be empty.
fn split_subdir(source: &str) -> (Cow<'_, str>, String) {
    // A query may contain another URL, which is not split.
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

/// The position of `what`, which is not empty. Addresses are short, so a simple search is faster than preparing a
/// searcher.
fn find_in_short(text: &str, what: &str) -> Option<usize> {
    let (text, what) = (text.as_bytes(), what.as_bytes());
    memchr::memchr_iter(what[0], text).find(|at| text[*at..].starts_with(what))
}

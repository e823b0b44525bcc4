#![doc = include_str!("../../policies/rules/module-source-unpinned.md")]

use super::{Context, Rule};
use crate::finding::Finding;
use crate::module::address::{ModuleSource, RemoteModule};
use crate::policy::{Globs, Options};
use crate::tree::Node;

pub(super) struct ModuleSourceUnpinned {
    allow: Globs,
}

/// Names that people give to what they work on, and to nothing that stays as it is.
const MOVING: [&str; 8] = ["main", "master", "trunk", "develop", "development", "default", "HEAD", "latest"];

impl Rule for ModuleSourceUnpinned {
    const ID: &'static str = "module-source-unpinned";
    const OPTIONS: &'static [&'static str] = &["allow"];

    fn configure(options: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self { allow: options.sources("allow")? })
    }

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        for call in node.module().calls.values() {
            let Some(source) = &call.source else { continue };
            let Some(ModuleSource::Remote(remote)) = &source.address else { continue };
            if self.allow.matches(&[source.raw.as_str(), &remote.to_string()], &[]) {
                continue;
            }
            let Some((keys, help)) = pins(remote) else { continue };
            let pinned = keys.iter().find_map(|key| remote.parameter(key));
            let finding = match pinned.map(|name| name.strip_prefix("refs/heads/").ok_or(name)) {
                None => Self::finding("Module source is not pinned")
                    .detail(
                        "Each `init` in a new place fetches what is newest then, so the same commit of this \
                         repository can mean another module tomorrow.",
                    )
                    .label("names no version"),
                Some(Ok(name) | Err(name)) if MOVING.contains(&name) => Self::finding(
                    "Module source follows a branch",
                )
                .detail(format!(
                    "`{name}` goes on to mean something else, so the same commit of this repository can mean \
                             another module tomorrow."
                ))
                .label("does not stay the same"),
                Some(Ok(name)) => Self::finding("Module source follows a branch")
                    .detail(format!("`refs/heads/{name}` is a branch, and branches move."))
                    .label("does not stay the same"),
                Some(Err(_)) => continue,
            };
            findings.push(finding.at(source.span).help(help).address(format!("module.{}", call.name)));
        }
    }
}

/// The parameters that pin a package, and what to do; none where a package cannot be pinned so.
fn pins(remote: &RemoteModule) -> Option<(&'static [&'static str], &'static str)> {
    match remote.getter() {
        "git" => Some((&["ref"], "name a tag or a commit: add `?ref=…`")),
        "hg" => Some((&["rev"], "name a changeset: add `?rev=…`")),
        "oci" => Some((&["digest", "tag"], "name a version: add `?tag=…` or `?digest=…`")),
        _ => None,
    }
}

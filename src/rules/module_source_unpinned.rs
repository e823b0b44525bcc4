#![doc = include_str!("../../policies/rules/module-source-unpinned.md")]

use super::support::module_source;
use super::support::own_module::{is_own_package, local_path};
use super::{Configure, Context, Node, Page, Role, Rule, page};
use crate::finding::{Concern, Finding, Severity};
use crate::module::address::RemoteModule;
use crate::policy::{Globs, Options};

pub(super) struct ModuleSourceUnpinned {
    allow: Globs,
}

/// Names of branches, and of tags that usually move.
const MOVING: [&str; 8] = ["main", "master", "trunk", "develop", "development", "default", "HEAD", "latest"];

/// The file extensions of archives in go-getter.
const ARCHIVES: [&str; 10] =
    [".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst", ".tzst"];

/// How a package is pinned.
struct Pin {
    /// The name of the pin in messages.
    what: &'static str,
    /// The query parameters that set it.
    keys: &'static [&'static str],
    /// The help text.
    help: &'static str,
}

const GIT: Pin = Pin { what: "tag or commit", keys: &["ref"], help: "add `?ref=` with a tag or a commit" };
const MERCURIAL: Pin =
    Pin { what: "tag or changeset", keys: &["rev"], help: "add `?rev=` with a tag or a changeset" };
const OCI: Pin = Pin {
    what: "tag or digest",
    keys: &["digest", "tag"],
    help: "add `?tag=` or `?digest=` with a tag or a digest",
};
const ARCHIVE: Pin = Pin {
    what: "checksum",
    keys: &["checksum"],
    help: "add `?checksum=sha256:` with the checksum of the archive, which `sha256sum` prints",
};
const S3: Pin = Pin { keys: &["checksum", "version"], ..ARCHIVE };

impl Configure for ModuleSourceUnpinned {
    const OPTIONS: &'static [&'static str] = &["allow"];

    fn configure(options: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self { allow: options.sources("allow")? })
    }
}

impl Rule for ModuleSourceUnpinned {
    const PAGE: Page = page!("module-source-unpinned");
    /// The sources of tests often follow a branch on purpose.
    const ROLES: &'static [Role] = &[Role::Root, Role::Shared, Role::Example];

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        for (call, source, remote) in module_source::remote(node.module()) {
            let Some(pin) = pin(remote) else { continue };
            let pinned = pin.keys.iter().find_map(|key| remote.parameter(key));
            if pinned.is_some_and(|written| !is_branch(written))
                || self.allow.matches(&[source.raw.as_str(), &remote.to_string()], &[])
                || is_own_package(node, call, remote, context)
                || names_placeholder(&source.raw)
            {
                continue;
            }
            let finding = match pinned {
                None => {
                    let what = pin.what;
                    let (detail, fix) = match in_directory(remote) {
                        Some((written, reference)) => (
                            format!("`{written}` is part of the directory, and the source names no {what}."),
                            format!(
                                "remove `{written}`, and add `{}ref={reference}` at the end",
                                remote.separator()
                            ),
                        ),
                        None => (
                            format!(
                                "The source names no {what}, so `init` installs whatever is there at that time."
                            ),
                            add(pin.help, remote),
                        ),
                    };
                    let finding = Self::finding("Module source is not pinned").detail(detail);
                    finding.help(match local_path(node, call, remote, context) {
                        Some(path) => format!("write `{path}` for the module of this repository, or {fix}"),
                        None => fix,
                    })
                }
                Some(written) => Self::finding("Module source follows a branch")
                    .detail(format!(
                        "`{written}` moves, so `init` installs whatever it points to when it runs."
                    ))
                    .help(format!("replace `{written}` with a {}", pin.what.replace(" or ", " or a "))),
            };
            let is_example = node.role() == Role::Example;
            let finding = if is_example { finding.severity(Severity::Notice) } else { finding };
            // The modules of a package have one cause.
            let cause = Concern::ModuleSource(remote.package.clone());
            findings.push(module_source::at_source(finding, call, source).concerns(cause));
        }
    }
}

/// Whether a reference names a branch, which moves.
fn is_branch(written: &str) -> bool {
    written.starts_with("refs/heads/") || MOVING.contains(&written)
}

/// Whether a part of a source is a placeholder for the reader of an example, such as `YOUR_PROJECT_ID`.
fn names_placeholder(raw: &str) -> bool {
    let is_shouted = |part: &str| {
        part.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    };
    raw.split(['/', ':', '?', '=', '&']).any(|part| part.contains('_') && part.len() > 4 && is_shouted(part))
}

/// A reference of git that is written in the directory of a source, such as `=v1.0.0` or `&ref=v1.0.0` without a `?`,
/// with the reference alone.
fn in_directory(remote: &RemoteModule) -> Option<(&str, &str)> {
    let start = remote.subdir.find(['=', '&']).filter(|_| remote.getter() == "git")?;
    let written = &remote.subdir[start..];
    Some((written, written.rsplit_once('=')?.1))
}

/// How a package is pinned. Returns `None` if it cannot be, or if its URL already contains a version.
fn pin(remote: &RemoteModule) -> Option<Pin> {
    match remote.getter() {
        "git" => Some(GIT),
        "hg" => Some(MERCURIAL),
        "oci" => Some(OCI),
        "s3" => (!names_version(path(remote))).then_some(S3),
        // Any other URL is a page that returns the source of the module.
        "http" | "https" => {
            let path = path(remote);
            let archive = remote.parameter("archive");
            let is_archive = archive.is_some_and(|kind| kind != "false")
                || ARCHIVES.iter().any(|end| path.to_ascii_lowercase().ends_with(end));
            (is_archive && !names_version(path)).then_some(ARCHIVE)
        }
        _ => None,
    }
}

/// The address of a package without its query.
fn path(remote: &RemoteModule) -> &str {
    remote.package.split_once('?').map_or(remote.package.as_str(), |(path, _)| path)
}

/// Whether the path of a URL contains a version (`1.2`, `v3.0.1`) or a commit id.
fn names_version(address: &str) -> bool {
    let path = address.split_once("://").map_or(address, |(_, rest)| rest);
    let path = path.split_once('/').map_or("", |(_, path)| path).as_bytes();
    let is_version =
        path.windows(3).any(|part| part[0].is_ascii_digit() && part[1] == b'.' && part[2].is_ascii_digit());
    is_version || path.split(|byte| !byte.is_ascii_hexdigit()).any(|part| part.len() >= 40)
}

/// The help, for a source that may already have a query.
fn add(help: &str, remote: &RemoteModule) -> String {
    help.replace("`?", &format!("`{}", remote.separator()))
}

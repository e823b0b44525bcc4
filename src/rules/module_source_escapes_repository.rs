#![doc = include_str!("../../policies/rules/module-source-escapes-repository.md")]

use std::collections::BTreeMap;

use super::support::module_source;
use super::{Context, Page, Rule, page};
use crate::finding::Finding;
use crate::graph::{Callee, Node};
use crate::module::address::ModuleSource;

pub(super) struct ModuleSourceEscapesRepository;

impl Rule for ModuleSourceEscapesRepository {
    const PAGE: Page = page!("module-source-escapes-repository");

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let similar = node.similar_sources();
        // All calls that lead into one repository beside the clone have one cause.
        let mut of_outside: BTreeMap<String, usize> = BTreeMap::new();
        let mut calls: Vec<_> = node.calls().collect();
        calls.sort_by_key(|(call, _)| call.origin.header());
        for (call, callee) in calls {
            let Some(source) = &call.source else { continue };
            let elsewhere =
                "move the module into this repository, or use the URL of the repository that it is in";
            let finding = match &source.address {
                // Outside of a repository, it is unknown what else belongs to the project.
                Some(ModuleSource::Local(_)) if callee == Callee::Outside && context.is_repository() => {
                    let finding = Self::finding("Module source leaves the repository").detail(
                        "The path leads out of the repository, directly or through a symbolic link, so it works only \
                         on machines with the same directories around the clone.",
                    );
                    let meant = similar.of(&source.raw);
                    if meant.is_none() {
                        let outside = outside(&source.raw);
                        let first = *of_outside.entry(outside).or_insert(findings.len());
                        if let Some(first) = findings.get_mut(first) {
                            *first = first.clone().related(source.span, "leads to the same place");
                            continue;
                        }
                    }
                    finding.help(elsewhere).meant(meant)
                }
                Some(ModuleSource::Remote(remote)) if is_absolute(&source.raw, remote.getter()) => {
                    Self::finding("Module source is an absolute path")
                        .detail("An absolute path is valid only on machines with the same directories.")
                        .help(elsewhere)
                }
                Some(ModuleSource::Local(_) | ModuleSource::Registry(_) | ModuleSource::Remote(_)) | None => {
                    continue;
                }
            };
            let finding = finding.label("not part of this repository");
            findings.push(module_source::at_source(finding, call, source));
        }
    }
}

/// The first directory that a relative path names after its `..`, with them: `../../shared` of `../../shared/modules/net`.
fn outside(raw: &str) -> String {
    let mut parts = raw.split('/').filter(|part| !matches!(*part, "" | "."));
    let mut outside: Vec<&str> = Vec::new();
    for part in parts.by_ref() {
        outside.push(part);
        if part != ".." {
            break;
        }
    }
    outside.join("/")
}

/// Whether the source is an absolute path on this machine, such as `/a/b` or `file:///a/b`, or a git repository at
/// such a path.
fn is_absolute(raw: &str, getter: &str) -> bool {
    getter == "file" || raw.starts_with("git::file://") || raw.starts_with("git::/")
}

#![doc = include_str!("../../policies/rules/module-source-escapes-repository.md")]

use super::{Context, Rule};
use crate::finding::{Concern, Finding};
use crate::graph::{Callee, Node};
use crate::module::address::ModuleSource;
use crate::policy::Options;

pub(super) struct ModuleSourceEscapesRepository;

impl Rule for ModuleSourceEscapesRepository {
    const ID: &'static str = "module-source-escapes-repository";

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        for (call, callee) in node.calls() {
            let Some(source) = &call.source else { continue };
            let finding = match &source.address {
                // Outside of a repository nobody knows what else belongs to it.
                Some(ModuleSource::Local(_)) if callee == Callee::Outside && context.is_repository() => {
                    Self::finding("Module source leaves the repository").detail(
                        "This path goes above the top of the repository, or through a link out of it, so it leads \
                         somewhere only where the same things happen to lie beside the clone.",
                    )
                }
                Some(ModuleSource::Remote(remote)) if is_absolute(&source.raw, remote.getter()) => {
                    Self::finding("Module source is an absolute path").detail(
                        "An absolute path leads somewhere only on machines that are set up alike, and `init` takes \
                         what it finds there for a package of its own, without the modules around it.",
                    )
                }
                Some(ModuleSource::Local(_) | ModuleSource::Registry(_) | ModuleSource::Remote(_)) | None => {
                    continue;
                }
            };
            findings.push(
                finding
                    .at(source.span)
                    .label("not part of this repository")
                    .help("bring the module into this repository, or fetch it from its own by its address")
                    .address(format!("module.{}", call.name))
                    .concerns(Concern::ModuleSource(source.raw.clone())),
            );
        }
    }
}

/// Whether it is a path on this machine, as `/a/b` or `file:///a/b`; a repository of git at such a path too.
fn is_absolute(raw: &str, getter: &str) -> bool {
    getter == "file" || raw.starts_with("git::file://") || raw.starts_with("git::/")
}

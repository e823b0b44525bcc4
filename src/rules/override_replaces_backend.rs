#![doc = include_str!("../../policies/rules/override-replaces-backend.md")]

use super::{Context, Rule};
use crate::finding::{Concern, Finding};
use crate::module::declaration::Storage;
use crate::policy::Options;
use crate::tree::Node;

pub(super) struct OverrideReplacesBackend;

impl Rule for OverrideReplacesBackend {
    const ID: &'static str = "override-replaces-backend";

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        // In a called module it has no effect anyway, and the engines say so.
        if node.is_called() {
            return;
        }
        let Some(now) = module.cloud.as_ref().or(module.backend.as_ref()) else { return };
        let mut earlier =
            std::iter::successors(now.replaced.as_deref(), |storage| storage.replaced.as_deref());
        let Some(replaced) = earlier.find(|storage| storage.kind != now.kind) else { return };
        let one_file = replaced.block.header.file == now.block.header.file;
        let detail = if one_file {
            format!(
                "An override file has {} and {}. The latter counts, in whichever order they stand.",
                name(replaced),
                name(now)
            )
        } else {
            format!(
                "The state would be kept in {}, and an override file keeps it in {}. The engine asks to move it at the \
                 next `init`, and what was deployed before seems not to be there until it is moved.",
                name(replaced),
                name(now),
            )
        };
        findings.push(
            Self::finding("Override moves the state to another backend")
                .detail(detail)
                .at(now.block.header)
                .label("counts")
                .related(replaced.block.header, "is replaced")
                .help("keep the backend, and override its settings at most, or pass them with `init -backend-config`")
                .address("terraform").concerns(Concern::Argument("backend".into())),
        );
    }
}

fn name(storage: &Storage) -> String {
    match &storage.kind {
        Some(kind) => format!("the backend `{kind}`"),
        None => "the `cloud`".to_owned(),
    }
}

#![doc = include_str!("../../policies/rules/module-depth-with-commit.md")]

use super::support::module_source;
use super::{Context, Node, Page, Rule, page};
use crate::finding::{Finding, Fix, Safety};

pub(super) struct ModuleDepthWithCommit;

impl Rule for ModuleDepthWithCommit {
    const PAGE: Page = page!("module-depth-with-commit");
    const FIXES: &'static [Safety] = &[Safety::Unsafe];

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        for (call, source, remote) in module_source::remote(node.module()) {
            let (Some(depth), Some(version)) = (remote.parameter("depth"), remote.parameter("ref")) else {
                continue;
            };
            let is_shallow = depth.parse::<u64>().is_ok_and(|depth| depth > 0);
            if remote.getter() != "git" || !is_shallow || !is_commit(version) {
                continue;
            }
            let edit = source.raw.split_once('?').and_then(|(address, query)| {
                let kept: Vec<&str> = query.split('&').filter(|part| !part.starts_with("depth=")).collect();
                module_source::replace(context, source, &format!("{address}?{}", kept.join("&")))
            });
            let finding = Self::finding("Shallow clone of a commit")
                .detail(format!(
                    "With `depth`, `init` makes a shallow clone, which starts at a branch or tag and not at a commit. \
                     It fails unless a branch or tag is named `{version}`."
                ))
                .label("both `depth` and a commit")
                .help(format!("remove `depth={depth}`, or set `ref` to a branch or tag"))
                .fixed_by(edit.map(|edit| Fix::on_request([edit])));
            findings.push(module_source::at_source(finding, call, source));
        }
    }
}

/// Whether the text can only be a commit id. An abbreviated one must mix letters and digits, because dates and words
/// are common tag names.
fn is_commit(version: &str) -> bool {
    let digits = version.bytes().filter(u8::is_ascii_digit).count();
    version.bytes().all(|byte| byte.is_ascii_hexdigit())
        && (version.len() == 40 || ((7..40).contains(&version.len()) && (1..version.len()).contains(&digits)))
}

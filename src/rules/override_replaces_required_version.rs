#![doc = include_str!("../../policies/rules/override-replaces-required-version.md")]

use super::{Context, Node, Page, Rule, page};
use crate::engine::RequiredVersion;
use crate::finding::{Concern, Finding};

pub(super) struct OverrideReplacesRequiredVersion;

impl Rule for OverrideReplacesRequiredVersion {
    const PAGE: Page = page!("override-replaces-required-version");

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        let before = &module.overridden_versions;
        let mut new = module
            .required_versions
            .iter()
            .filter(|version| before.iter().all(|other| other.span != version.span));
        let Some(new) = new.next() else { return };
        let mut lost = before.iter().filter(|other| other.text != new.text).peekable();
        if lost.peek().is_none() {
            return;
        }
        let (summary, detail, message) = match module.features.required_version {
            RequiredVersion::EveryFile => (
                "Override replaces the required version",
                "The constraint in an override file replaces the constraints of all earlier files.",
                "no longer applies",
            ),
            RequiredVersion::TofuFiles => (
                "Override adds to the required version",
                "The constraint in an override file does not replace the constraints of other files: all of them apply.",
                "still applies",
            ),
        };
        let finding = Self::finding(summary)
            .detail(detail)
            .at(new.span)
            .help("set `required_version` only in a base file")
            .concerns(Concern::RequiredVersion);
        findings.push(finding.related_all(lost.map(|lost| lost.span), message));
    }
}

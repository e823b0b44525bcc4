#![doc = include_str!("../../policies/rules/module-source-subdir-order.md")]

use super::support::module_source;
use super::{Context, Node, Page, Rule, page};
use crate::finding::{Finding, Fix, Safety};
use crate::syntax::quoted;

pub(super) struct ModuleSourceSubdirOrder;

impl Rule for ModuleSourceSubdirOrder {
    const PAGE: Page = page!("module-source-subdir-order");
    const FIXES: &'static [Safety] = &[Safety::Unsafe];
    const REVEALS: &'static [&'static str] = &["module-source-unpinned"];

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        for (call, source, remote) in module_source::remote(node.module()) {
            // Only a version is checked: other parameters may well contain paths.
            let version =
                ["ref", "rev", "tag"].into_iter().find_map(|key| Some((key, remote.parameter(key)?)));
            let Some((key, value)) = version else { continue };
            let Some((version, directory)) = value.split_once("//") else { continue };
            let corrected = source.raw.split_once('?').and_then(|(address, query)| {
                let query = query.replacen(&format!("{key}={value}"), &format!("{key}={version}"), 1);
                // With two subdirectories, the intended one is unknown.
                remote.subdir.is_empty().then(|| format!("{address}//{directory}?{query}"))
            });
            let help = match &corrected {
                Some(corrected) => format!("write {}", quoted(corrected)),
                None => "write one subdirectory, before the `?`".to_owned(),
            };
            let edit = corrected.and_then(|corrected| module_source::replace(context, source, &corrected));
            let finding = Self::finding("Subdirectory in the query string")
                .detail(format!(
                    "The query string of a module source starts at `?`, so `init` looks for the version \
                         `{version}//{directory}`, and fails."
                ))
                .label("the subdirectory must come before the `?`")
                .help(help)
                .fixed_by(edit.map(|edit| Fix::on_request([edit])));
            findings.push(module_source::at_source(finding, call, source));
        }
    }
}

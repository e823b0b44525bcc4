#![doc = include_str!("../../policies/rules/module-source-subdir-order.md")]

use super::{Context, Node, Page, Rule, page};
use crate::finding::{Concern, Finding, Fix, Safety};
use crate::module::address::ModuleSource;
use crate::syntax::quoted;

pub(super) struct ModuleSourceSubdirOrder;

impl Rule for ModuleSourceSubdirOrder {
    const PAGE: Page = page!("module-source-subdir-order");
    const FIXES: &'static [Safety] = &[Safety::Unsafe];

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        for call in node.module().calls.values() {
            let Some(source) = &call.source else { continue };
            let Some(ModuleSource::Remote(remote)) = &source.address else { continue };
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
            let editor = context
                .editor(source.span.file)
                .filter(|editor| editor.slice(source.span) == quoted(&source.raw));
            let edit = editor
                .zip(corrected)
                .map(|(editor, corrected)| editor.replace(source.span, quoted(&corrected)));
            Self::finding("Subdirectory after the query string")
                .detail(format!(
                    "The query string of a module source starts at `?`, so `init` looks for the version \
                         `{version}//{directory}`, and fails."
                ))
                .at(source.span)
                .label("the subdirectory must come before the `?`")
                .help(help)
                .fixed_by(edit.map(|edit| Fix::on_request([edit])))
                .address(format!("module.{}", call.name))
                .concerns(Concern::ModuleSource(source.raw.clone()))
                .push_to(findings);
        }
    }
}

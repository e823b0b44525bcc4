#![doc = include_str!("../../policies/rules/module-source-subdir-order.md")]

use super::{Context, Rule};
use crate::finding::{Concern, Finding, Fix, Safety};
use crate::graph::Node;
use crate::module::address::ModuleSource;
use crate::policy::Options;
use crate::syntax::quoted;

pub(super) struct ModuleSourceSubdirOrder;

impl Rule for ModuleSourceSubdirOrder {
    const ID: &'static str = "module-source-subdir-order";
    const FIXES: &'static [Safety] = &[Safety::Unsafe];

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        for call in node.module().calls.values() {
            let Some(source) = &call.source else { continue };
            let Some(ModuleSource::Remote(remote)) = &source.address else { continue };
            // Only a version is looked at: other values may well be paths and addresses.
            let version =
                ["ref", "rev", "tag"].into_iter().find_map(|key| Some((key, remote.parameter(key)?)));
            let Some((key, value)) = version else { continue };
            let Some((version, directory)) = value.split_once("//") else { continue };
            let mended = source.raw.split_once('?').map(|(address, query)| {
                let query = query.replacen(&format!("{key}={value}"), &format!("{key}={version}"), 1);
                quoted(&format!("{address}//{directory}?{query}"))
            });
            let editor = context
                .editor(source.span.file)
                .filter(|editor| editor.slice(source.span) == quoted(&source.raw));
            let edit = editor.zip(mended).map(|(editor, mended)| editor.replace(source.span, mended));
            findings.push(
                Self::finding("Directory behind the query of a module source")
                    .detail(format!(
                        "What stands behind `?` belongs to the query, so this asks for a version called \
                         `{version}//{directory}`, and `init` does not find it."
                    ))
                    .at(source.span)
                    .label("the directory has to stand before the query")
                    .help(format!("write `//{directory}` before the `?`: `//{directory}?{key}={version}`"))
                    .fixed_by(edit.map(|edit| Fix::on_request([edit])))
                    .address(format!("module.{}", call.name))
                    .concerns(Concern::ModuleSource(source.raw.clone())),
            );
        }
    }
}

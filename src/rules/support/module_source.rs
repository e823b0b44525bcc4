//! Findings about the sources of module calls.

use crate::finding::{Concern, Edit, Finding};
use crate::module::Module;
use crate::module::address::{ModuleSource, RemoteModule};
use crate::module::declaration::{ModuleCall, Source};
use crate::rules::Context;
use crate::syntax::quoted;

/// The calls of remote modules, each with its source.
pub(in crate::rules) fn remote(
    module: &Module,
) -> impl Iterator<Item = (&ModuleCall, &Source, &RemoteModule)> {
    module.calls.values().filter_map(|call| {
        let source = call.source.as_ref()?;
        let Some(ModuleSource::Remote(remote)) = &source.address else { return None };
        Some((&**call, source, remote))
    })
}

/// Moves a finding to the source of a call.
pub(in crate::rules) fn at_source(finding: Finding, call: &ModuleCall, source: &Source) -> Finding {
    finding
        .at(source.span)
        .address(format!("module.{}", call.name))
        .concerns(Concern::ModuleSource(source.raw.clone()))
}

/// Replaces a source. Returns `None` if it is not written as one plain string.
pub(in crate::rules) fn replace(context: &Context<'_>, source: &Source, by: &str) -> Option<Edit> {
    let editor = context.editor(source.span.file)?;
    (editor.slice(source.span) == quoted(&source.raw)).then(|| editor.replace(source.span, quoted(by)))
}

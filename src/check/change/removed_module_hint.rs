//! Explains calls of directories that a change removed or renamed.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use crate::check::Verdict;
use crate::finding::EngineRule;
use crate::text::Sources;
use crate::vfs::{join, source_between};

/// Adds the reason to each finding about a call of a removed directory. `were` has the modules before the change, and
/// `renamed` the new directories of renamed ones.
pub(super) fn explain(
    verdicts: &mut [Verdict],
    sources: &Sources,
    were: &BTreeSet<SmolStr>,
    renamed: &BTreeMap<SmolStr, SmolStr>,
) {
    let missing = EngineRule::MissingModule.id();
    for finding in verdicts.iter_mut().map(|verdict| &mut verdict.finding) {
        let Some(source) = finding.related.first().filter(|_| finding.rule == missing) else { continue };
        // Computed sources are not supported.
        let written = sources.slice(source.span).strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        let Some(raw) = written.filter(|raw| !raw.contains(['$', '%', '\\'])) else { continue };
        let Some(directory) =
            join(&finding.module, raw).filter(|directory| were.contains(directory.as_str()))
        else {
            continue;
        };
        (finding.detail, finding.help) = match renamed.get(directory.as_str()) {
            Some(new) => (
                format!(
                    "The change renames the module in \"{directory}\" to \"{new}\", but this call remains."
                ),
                Some(format!("write `source = \"{}\"`", source_between(&finding.module, new))),
            ),
            None => (
                format!("The change removes the module in \"{directory}\", but this call remains."),
                Some("remove the call too, or keep the directory".to_owned()),
            ),
        };
    }
}

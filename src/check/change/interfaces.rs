//! Finds the changes to module interfaces.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use crate::check::change::comparison::Comparison;
use crate::check::change::side::Asked;
use crate::check::location::in_scope;
use crate::engine::{Companion, LOCK_FILE, is_module_file};
use crate::graph::{Node, Role};
use crate::module::interface::{Impact, Interface, InterfaceChange, Part};
use crate::vfs::{Change, Error, last_name, parent};

/// The interface changes of a module.
#[derive(Debug, PartialEq, Eq)]
pub struct ModuleChange {
    /// The directory, relative to the top of the repository; empty for the top itself.
    pub directory: SmolStr,
    /// The earlier directory, if the change moves the module.
    pub moved_from: Option<SmolStr>,
    /// The role of the module.
    pub role: Role,
    /// The changes, the strongest impact first; never empty.
    pub changes: Vec<InterfaceChange>,
}

impl ModuleChange {
    /// The strongest impact of the changes.
    pub fn impact(&self) -> Impact {
        self.changes.iter().map(|change| change.impact).max().unwrap_or(Impact::Fix)
    }
}

/// Finds the interface changes of modules, limited to `directories` unless that is empty. Examples and tests have no
/// callers and are left out.
pub fn interface_changes(
    change: &Change,
    asked: Asked<'_>,
    directories: &[String],
) -> Result<Vec<ModuleChange>, Error> {
    let comparison = Comparison::of(change, asked)?;
    let altered = comparison.altered().into_iter();
    let named = altered.filter(|directory| in_scope(directory, directories));
    Ok(named.filter_map(|directory| comparison.module_change(&directory)).collect())
}

impl Comparison {
    /// The directories of the modules that the change alters, or in which the cause of a change to existing resources
    /// is. Variable values and lock files are not part of the interface of a module.
    fn altered(&self) -> BTreeSet<SmolStr> {
        let is_of_module =
            |cause: &SmolStr| Companion::of(last_name(cause)).is_none() && last_name(cause) != LOCK_FILE;
        let altered = self.causes.iter().filter(|(_, cause)| is_of_module(cause)).map(|(module, _)| module);
        let mut altered: BTreeSet<SmolStr> = altered.chain(self.renamed.keys()).cloned().collect();
        for now in self.now.states() {
            let Some(before) = self.before.state(now.graph.engine()) else { continue };
            let addresses = now.graph.address_changes(before, now.sources).iter().map(|change| change.node);
            let providers = &now.graph.provider_changes(before, now.sources).changes;
            let nodes = addresses.chain(providers.iter().map(|change| change.node));
            altered.extend(nodes.map(|node| now.graph.node(node).module().directory.clone()));
        }
        altered
    }

    /// The changes of the module in a directory. Returns `None` without changes, and for examples and tests.
    fn module_change(&self, directory: &SmolStr) -> Option<ModuleChange> {
        let moved_from = self.renamed.get(directory).cloned();
        let before = self.before.module(moved_from.as_ref().unwrap_or(directory));
        let now = self.now.module(directory);
        let is_moved_away = self.renamed.values().any(|old| old == directory);
        let role = now.or(before)?.role();
        if now.is_none() && is_moved_away || matches!(role, Role::Example | Role::Test) {
            return None;
        }
        let mut changes = match (before, now) {
            (None, Some(_)) => vec![of_whole(Impact::Feature, "added")],
            (Some(_), None) => vec![of_whole(Impact::Breaking, "removed")],
            (Some(before), Some(now)) => match (unreadable(before), unreadable(now)) {
                (Some(why), _) => {
                    let what = format!("had {why} before the change, so nothing in it is compared");
                    vec![of_whole(Impact::Fix, &what)]
                }
                // A part that seems to be removed may be in a file that could not be read.
                (None, Some(why)) => {
                    let what = format!("has {why}, so nothing in it is compared");
                    vec![of_whole(Impact::Breaking, &what)]
                }
                (None, None) => self.differences(before, now),
            },
            (None, None) => return None,
        };
        if let Some(old) = moved_from.as_ref().filter(|_| role == Role::Shared) {
            let what = format!("moved from {old}; callers that use the old path no longer find it");
            changes.push(of_whole(Impact::Breaking, &what));
        }
        if changes.is_empty() {
            let cause = self.causes.get(directory)?;
            let is_content = is_module_file(last_name(cause)) && parent(cause) == Some(directory.as_str());
            let what = if is_content {
                "content changed, interface unchanged"
            } else {
                "a file that it may read changed"
            };
            changes.push(of_whole(Impact::Fix, what));
        }
        changes.sort_by(|a, b| b.impact.cmp(&a.impact).then_with(|| a.cmp(b)));
        Some(ModuleChange { directory: directory.clone(), moved_from, role, changes })
    }

    fn differences(&self, before: Node<'_>, now: Node<'_>) -> Vec<InterfaceChange> {
        let sources = self.now.snapshot.sources();
        let interface = Interface::of(before.module(), self.before.snapshot.sources());
        let mut changes = interface.changes_to(&Interface::of(now.module(), sources));
        let breaks = now.breaks_since(before);
        // A new expression is the reason.
        let is_explained = |change: &InterfaceChange| {
            change.impact == Impact::Fix && breaks.iter().any(|it| it.subject == change.subject)
        };
        changes.retain(|change| !is_explained(change));
        changes.extend(breaks);
        let Some(earlier) = self.before.state(now.graph().engine()) else { return changes };
        changes.extend(now.address_differences(before, earlier, sources));
        let host = now.module().features.registry_host;
        let of_providers = &now.graph().provider_changes(earlier, sources).changes;
        let of_providers = of_providers.iter().filter(|change| change.node == now.id());
        changes.extend(of_providers.map(|change| change.as_interface_change(host)));
        changes
    }
}

/// What keeps a module from being read completely, if anything.
fn unreadable(node: Node<'_>) -> Option<&'static str> {
    let module = node.module();
    match &module.unmodelled {
        _ if module.complete || module.has_generated_files => None,
        Some(_) => Some("a required version that overrule does not know"),
        None => Some("errors"),
    }
}

fn of_whole(impact: Impact, what: &str) -> InterfaceChange {
    InterfaceChange { impact, part: Part::Content, subject: "module".into(), what: what.to_owned() }
}

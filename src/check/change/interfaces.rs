//! Finds the changes to module interfaces.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use crate::check::change::comparison::{Asked, Comparison};
use crate::engine::{Choice, Companion, LOCK_FILE, is_module_file};
use crate::graph::{Node, Role};
use crate::module::interface::{Impact, Interface, InterfaceChange, Part};
use crate::policy::Policy;
use crate::text::Sources;
use crate::vfs::{Change, Error, last_name};

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
/// callers and are left out. `policy_sources` are the texts of the policy.
pub fn interface_changes(
    change: &Change,
    policy: &Policy,
    policy_sources: &Sources,
    choice: Option<&Choice>,
    directories: &[String],
) -> Result<Vec<ModuleChange>, Error> {
    let comparison = Comparison::of(change, Asked { policy, texts: policy_sources, choice })?;
    let is_moved_away = |directory: &SmolStr| comparison.renamed.values().any(|old| old == directory);
    let mut changes = Vec::new();
    // Values and lock files do not belong to the module that callers see.
    let is_of_module =
        |cause: &SmolStr| Companion::of(last_name(cause)).is_none() && last_name(cause) != LOCK_FILE;
    let altered = comparison.causes.iter().filter(|(_, cause)| is_of_module(cause)).map(|(module, _)| module);
    let altered: BTreeSet<&SmolStr> = altered.chain(comparison.renamed.keys()).collect();
    for directory in altered {
        let is_named = directories.is_empty()
            || directories
                .iter()
                .any(|named| crate::check::location::in_scope(directory, std::slice::from_ref(named)));
        let moved_from = comparison.renamed.get(directory).cloned();
        let before = comparison.before.module(moved_from.as_ref().unwrap_or(directory));
        let now = comparison.now.module(directory);
        if !is_named || now.is_none() && is_moved_away(directory) {
            continue;
        }
        let Some(role) = now.or(before).map(Node::role).filter(|role| !is_aside(*role)) else { continue };
        let changes_of_module = match (before, now) {
            (None, Some(_)) => vec![of_whole(Impact::Feature, "added")],
            (Some(_), None) => vec![of_whole(Impact::Breaking, "removed")],
            (Some(before), Some(now)) => {
                let [before, now] = [(before, &comparison.before), (now, &comparison.now)]
                    .map(|(node, side)| Interface::of(node.module(), side.snapshot.sources()));
                let mut changes = before.changes_to(&now);
                if let Some(old) = moved_from.as_ref().filter(|_| role == Role::Shared) {
                    changes.insert(
                        0,
                        of_whole(
                            Impact::Breaking,
                            &format!("moved from {old}, where callers may look for it"),
                        ),
                    );
                }
                let cause = comparison.causes.get(directory).map(|cause| is_module_file(last_name(cause)));
                match cause {
                    Some(true) if changes.is_empty() => {
                        vec![of_whole(Impact::Fix, "content changed, interface unchanged")]
                    }
                    Some(false) if changes.is_empty() => {
                        vec![of_whole(Impact::Fix, "a file that it reads changed")]
                    }
                    Some(_) | None => changes,
                }
            }
            (None, None) => continue,
        };
        if !changes_of_module.is_empty() {
            let directory = directory.clone();
            changes.push(ModuleChange { directory, moved_from, role, changes: changes_of_module });
        }
    }
    Ok(changes)
}

fn is_aside(role: Role) -> bool {
    matches!(role, Role::Example | Role::Test)
}

fn of_whole(impact: Impact, what: &str) -> InterfaceChange {
    InterfaceChange { impact, part: Part::Content, subject: "module".into(), what: what.to_owned() }
}

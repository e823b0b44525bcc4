//! The states of root modules: where each is kept, and which root modules read it.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use crate::check::{Analysis, EngineView};
use crate::graph::{Node, RemoteState, Role};
use crate::module::{ByStateAddress, StateAddress, StateParts};
use crate::rules::{BackendEvidence, BackendReplacement};
use crate::vfs::Snapshot;

/// The state of a root module, and the states that it reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootState {
    /// The directory of the root module, from the top of the repository; empty for the top itself.
    pub directory: SmolStr,
    /// The backend type; `cloud` for a `cloud` block.
    pub backend: SmolStr,
    /// The arguments that select the state, as far as they are literals, by name.
    pub arguments: BTreeMap<SmolStr, SmolStr>,
    /// How much is known.
    pub certainty: Certainty,
    /// The other root modules with the same state.
    pub shared_with: Vec<SmolStr>,
    /// The states that it reads, or a module that it calls.
    pub reads: Vec<StateRead>,
}

/// How much is known about the address of a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Certainty {
    /// All of it.
    Known,
    /// All but these arguments.
    Partial {
        /// Those that the block does not set.
        missing: Vec<SmolStr>,
        /// Those whose value is not known.
        unclear: Vec<SmolStr>,
    },
    /// The backend or its arguments may be replaced.
    Replaceable(BackendReplacement),
    /// A file of the module cannot be read, or the path of the state leads out of the repository.
    Unclear,
    /// overrule does not know the arguments of this backend.
    UnknownBackend,
}

/// A `terraform_remote_state` data source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateRead {
    /// The name of the data source.
    pub name: SmolStr,
    /// The module that declares it.
    pub module: SmolStr,
    /// The backend type and the arguments; `None` if they are not known before a plan.
    pub address: Option<(SmolStr, BTreeMap<SmolStr, SmolStr>)>,
    /// The root modules that keep the state.
    pub roots: Vec<SmolStr>,
    /// The outputs that are read.
    pub outputs: BTreeSet<SmolStr>,
    /// The outputs that are read but not declared by the root module.
    pub undeclared: BTreeSet<SmolStr>,
}

/// A root module with its address, if that is certain.
struct Root<'t> {
    node: Node<'t>,
    address: Option<StateAddress>,
    /// What may replace the backend or its arguments.
    replacement: Option<BackendReplacement>,
}

/// The root modules of a repository.
struct Roots<'r, 't> {
    by_directory: &'r BTreeMap<SmolStr, Root<'t>>,
    by_address: ByStateAddress<&'r Root<'t>>,
}

/// Finds the states of the root modules under some directories, or of all root modules for an empty path.
pub fn state_map(analysis: &Analysis, snapshot: &Snapshot, scope: &[String]) -> Vec<RootState> {
    let mut evidence = BackendEvidence::new(snapshot);
    let mut roots: BTreeMap<SmolStr, Root<'_>> = BTreeMap::new();
    for node in analysis.views().flat_map(EngineView::modules) {
        let directory = &node.module().directory;
        let is_run = match node.role() {
            Role::Root => true,
            // Most examples and tests keep no state.
            Role::Example | Role::Test => node.module().storage().is_some(),
            Role::Shared => false,
        };
        if !is_run || node.is_called() || roots.contains_key(directory) {
            continue;
        }
        let address = node.state_address().map(|(address, _)| address);
        let by_unit = || node.run_by_units().may_be_run.then_some(BackendReplacement::Terragrunt(None));
        let replacement = evidence.replacement(directory).or_else(by_unit);
        let address = address.filter(|_| replacement.is_none());
        roots.insert(directory.clone(), Root { node, address, replacement });
    }
    let mut by_address = ByStateAddress::default();
    for root in roots.values() {
        if let Some(address) = &root.address {
            by_address.insert(address, root);
        }
    }
    let roots = Roots { by_directory: &roots, by_address };
    let is_shown = |directory: &str| super::location::in_scope(directory, scope);
    let shown = roots.by_directory.values().filter(|root| is_shown(&root.node.module().directory));
    shown.map(|root| root.state(&roots)).collect()
}

impl Root<'_> {
    fn state(&self, roots: &Roots<'_, '_>) -> RootState {
        let module = self.node.module();
        let default = || StateParts {
            known: StateAddress::default_file().arguments,
            missing: Vec::new(),
            unclear: Vec::new(),
        };
        let storage = module.storage();
        let parts = storage.map_or_else(
            || Some(default()),
            |storage| StateAddress::parts(storage.kind.as_deref(), &storage.block, &module.limits),
        );
        let backend = storage.map_or("local", |storage| storage.kind.as_deref().unwrap_or("cloud")).into();
        let certainty = match (&parts, &self.address) {
            (_, Some(_)) => Certainty::Known,
            (None, None) => Certainty::UnknownBackend,
            (Some(parts), None) if !(parts.missing.is_empty() && parts.unclear.is_empty()) => {
                let names = |names: &[&str]| names.iter().map(|name| (*name).into()).collect();
                Certainty::Partial { missing: names(&parts.missing), unclear: names(&parts.unclear) }
            }
            (Some(_), None) => self.replacement.clone().map_or(Certainty::Unclear, Certainty::Replaceable),
        };
        let is_other = |directory: &SmolStr| *directory != module.directory;
        let same = self.address.iter().flat_map(|address| kept_at(address, roots));
        let below = self.node.graph().below(&[self.node.id()]);
        let modules = below.into_iter().map(|id| self.node.graph().node(id));
        RootState {
            directory: module.directory.clone(),
            backend,
            arguments: parts.map(|parts| named(&parts.known)).unwrap_or_default(),
            certainty,
            shared_with: same.filter(|directory| is_other(directory)).collect(),
            reads: modules
                .flat_map(|node| {
                    let reads = node.remote_states().into_iter();
                    reads.map(move |state| read(node, state, roots)).collect::<Vec<_>>()
                })
                .collect(),
        }
    }
}

fn read(node: Node<'_>, state: RemoteState<'_>, roots: &Roots<'_, '_>) -> StateRead {
    let outputs: BTreeSet<SmolStr> = state.outputs.into_iter().map(|(name, _)| name).collect();
    let kept: Vec<SmolStr> = state.address.iter().flat_map(|address| kept_at(address, roots)).collect();
    let undeclared = match kept.as_slice() {
        [root] if !state.has_defaults => {
            let declares = |name: &&SmolStr| {
                roots
                    .by_directory
                    .get(root)
                    .is_some_and(|root| root.node.module().outputs.contains_key(*name))
            };
            outputs.iter().filter(|name| !declares(name)).cloned().collect()
        }
        _ => BTreeSet::new(),
    };
    StateRead {
        name: state.name.clone(),
        module: node.module().directory.clone(),
        address: state.address.map(|address| (address.backend.into(), named(&address.arguments))),
        roots: kept,
        outputs,
        undeclared,
    }
}

/// The root modules that certainly keep their state at an address.
fn kept_at(address: &StateAddress, roots: &Roots<'_, '_>) -> BTreeSet<SmolStr> {
    let keeps = |root: &&&Root<'_>| root.address.as_ref().is_some_and(|kept| address.selects(kept));
    roots.by_address.near(address).filter(keeps).map(|root| root.node.module().directory.clone()).collect()
}

fn named(arguments: &BTreeMap<&'static str, SmolStr>) -> BTreeMap<SmolStr, SmolStr> {
    arguments.iter().map(|(name, value)| ((*name).into(), value.clone())).collect()
}

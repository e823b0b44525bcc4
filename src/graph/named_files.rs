//! Resolves the paths that functions read, relative to the root modules that lead to a module.

use std::collections::{BTreeSet, VecDeque};

use smol_str::{SmolStr, format_smolstr};

use super::location::Location;
use super::node_id::NodeId;
use super::{ModuleGraph, Node};
use crate::module::address::{ModuleSource, clean};
use crate::module::declaration::ModuleCall;
use crate::syntax::{Expr, ExprKind, Part};
use crate::value::{Budget, Lookup};
use crate::vfs::{NamedFile, NamedFiles, ancestors, join, last_name, parent};

/// The maximal number of root modules for which a file is compared.
const MOST_ROOTS: usize = 16;

/// The number of names that are compared in an evaluation step.
const COMPARED: usize = 8;

/// Arguments with the path of a file that a resource or data source writes: types and names.
const WRITERS: &[(&str, &str)] =
    &[("archive_file", "output_path"), ("local_file", "filename"), ("local_sensitive_file", "filename")];

impl ModuleGraph {
    fn locations(&self) -> &[Location] {
        self.derived.locations.get_or_init(|| locations(self))
    }
}

impl<'t> Node<'t> {
    fn location(self) -> &'t Location {
        &self.graph.locations()[self.id.0]
    }

    /// `path.module`, relative to the first root module.
    pub(super) fn path_from_root(self) -> &'t SmolStr {
        &self.location().path
    }

    /// `path.root` in the first root module.
    pub(super) fn path_root(self) -> &'t SmolStr {
        &self.location().path_root
    }

    /// Whether the engine can only be run in this directory.
    pub(super) fn is_only_run_in(self, directory: &str) -> bool {
        let roots = self.roots().unwrap_or_default();
        self.location().root == directory && roots.len() == 1 && roots.contains(directory)
    }

    /// Whether one root module leads to both modules, and no other one to either, so that paths are relative to its
    /// directory.
    pub(super) fn shares_only_root(self, other: Self) -> bool {
        let own = self.roots();
        own.as_ref().is_some_and(|roots| roots.len() == 1) && own == other.roots()
    }

    /// Looks up a path that a function of this module names.
    pub(super) fn named_file(self, path: &str, work: &Budget) -> Lookup {
        let unknown = Lookup { file: NamedFile::Unknown, root: None };
        // An installed module may differ from the one that the next `init` installs.
        if is_unportable(path) || self.is_installed() {
            return unknown;
        }
        let Some(at) = join(&self.location().root, path) else { return unknown };
        if self.is_own(path, &at) {
            return Lookup { file: self.certain(path, &at, work), root: None };
        }
        if !self.location().is_certain || self.may_lie_elsewhere() {
            return unknown;
        }
        let Some(roots) = self.roots() else { return unknown };
        let mut lookups = roots.into_iter().map(|root| {
            let file = join(&root, path).map_or(NamedFile::Unknown, |at| self.certain(path, &at, work));
            (root, file)
        });
        let Some((first, file)) = lookups.next() else { return unknown };
        let others: Vec<_> = lookups.filter(|(_, other)| *other != file).collect();
        if others.is_empty() {
            return Lookup { file, root: None };
        }
        let is_missing = |file: &NamedFile| matches!(file, NamedFile::Missing { .. });
        let missing = [(first, file)].into_iter().chain(others).find(|(_, file)| is_missing(file));
        missing.map_or(unknown, |(root, file)| Lookup { file, root: Some(root) })
    }

    /// Whether a path that a function of this module names is a file of its own: in its directory or below that, and
    /// neither behind a symbolic link nor in the directory of another module.
    pub(super) fn has_file(self, path: &str) -> bool {
        let directory = self.module().directory.as_str();
        let at = join(&self.location().root, path);
        at.is_some_and(|at| self.graph.named_files.belongs_to(&at, directory))
    }

    /// The paths of the regular files in a directory that a function of this module names. Returns `None` if not all
    /// of them are known.
    pub(super) fn files_below(
        self,
        path: &str,
        is_wanted: &dyn Fn(&str) -> bool,
        work: &Budget,
    ) -> Option<Vec<String>> {
        let at = if is_unportable(path) { None } else { join(&self.location().root, path) }?;
        let is_known =
            !self.is_installed() && self.is_own(path, &at) && !self.data().run_by.generated.is_unknown;
        if !is_known {
            return None;
        }
        self.graph.named_files.below(&at, is_wanted, work.searched())
    }

    /// Whether git ignores a path.
    pub(super) fn ignores(self, path: &str) -> bool {
        join(&self.location().root, path).is_none_or(|at| self.graph.named_files.is_ignored(&at))
    }

    /// Whether a path leads to the same file from every root module: it starts with `path.module`, or there is no
    /// other root module.
    fn is_own(self, path: &str, at: &str) -> bool {
        let Location { root, path: own, is_certain, .. } = self.location();
        let directory = self.module().directory.as_str();
        let is_inside = directory.is_empty() || ancestors(at).any(|at| at == directory);
        let starts_so =
            own == "." || path.strip_prefix(own.as_str()).is_some_and(|rest| rest.starts_with('/'));
        if own == "." && root == directory {
            return is_inside || *is_certain && !self.may_lie_elsewhere();
        }
        starts_so && (is_inside || !self.may_lie_elsewhere())
    }

    /// A missing file may be generated before the engine runs, or by a resource, here or in the directory of the file. A
    /// tool that runs a copy of the module may add files to it.
    fn certain(self, path: &str, at: &str, work: &Budget) -> NamedFile {
        let files: &NamedFiles = &self.graph.named_files;
        let file = files.at(at);
        let is_there = matches!(file, NamedFile::File(_) | NamedFile::Directory | NamedFile::Unknown);
        let is_beside = || parent(at) == Some(self.module().directory.as_str());
        let may_be_there = || {
            self.data().run_by.generated.is_unknown
                || self.may_lie_elsewhere()
                || self.may_be_written(path, work)
                || !is_beside() && files.is_mentioned_beside(at, work.searched())
        };
        if is_there || !may_be_there() { file } else { NamedFile::Unknown }
    }

    /// Whether a resource of this module, of a caller or of a called module may write a file at a path.
    fn may_be_written(self, path: &str, work: &Budget) -> bool {
        let name = last_name(path);
        self.writers_around().iter().any(|writer| {
            let written = self.graph.node(*writer).written();
            work.searched().update(|steps| steps + 1 + written.len() / COMPARED);
            written.iter().any(|end| name.ends_with(end.as_str()))
        })
    }

    /// Those of this module, its callers and the called modules that have resources that write files.
    fn writers_around(self) -> &'t [NodeId] {
        self.data().writers_around.get_or_init(|| {
            let callers = self.callers().map(|(caller, _)| caller.id);
            let around: BTreeSet<NodeId> = callers.chain(self.children()).chain([self.id]).collect();
            around.into_iter().filter(|id| !self.graph.node(*id).written().is_empty()).collect()
        })
    }

    /// The ends of the names of the files that resources of this module write, as far as they are literal.
    fn written(self) -> &'t [SmolStr] {
        self.data().written.get_or_init(|| {
            let mut ends = BTreeSet::new();
            for resource in self.module().resources.values() {
                let writer = WRITERS.iter().find(|(ty, _)| *ty == resource.address.kind);
                let Some((_, argument)) = writer else { continue };
                let attributes = resource.config.just_attributes(&mut Vec::new());
                let path = attributes.iter().find(|attribute| attribute.name == *argument);
                ends.extend(path.map(|path| SmolStr::new(last_name(literal_end(&path.expr)))));
            }
            ends.into_iter().collect()
        })
    }

    /// Whether a tool may run a copy of the module elsewhere.
    fn may_lie_elsewhere(self) -> bool {
        self.data().run_by.may_be_run
    }

    /// The directories of the root modules that lead here. Returns `None` if they are unknown or too many.
    fn roots(self) -> Option<BTreeSet<SmolStr>> {
        let mut roots = BTreeSet::new();
        let mut seen = BTreeSet::from([self.id]);
        let mut next = vec![self];
        while let Some(node) = next.pop() {
            if node.is_called_from_outside() || !node.data().named_by.is_empty() {
                return None;
            }
            let callers: Vec<Node<'_>> = node.callers().map(|(caller, _)| caller).collect();
            if callers.is_empty() || node.module().storage().is_some() {
                // The engine runs the tests of a module in its directory.
                let mut directories =
                    node.run_by_tests().map(|tester| tester.module().directory.clone()).peekable();
                if directories.peek().is_none() {
                    roots.insert(node.module().directory.clone());
                }
                roots.extend(directories);
            }
            next.extend(callers.into_iter().filter(|caller| seen.insert(caller.id)));
            if roots.len() > MOST_ROOTS || seen.len() > 64 * MOST_ROOTS {
                return None;
            }
        }
        Some(roots)
    }
}

/// The path of each module from its first root module, over the fewest calls.
fn locations(graph: &ModuleGraph) -> Vec<Location> {
    let mut locations: Vec<Option<Location>> = vec![None; graph.nodes.len()];
    let mut roots: Vec<NodeId> = graph.nodes().filter(|node| node.is_run()).map(Node::id).collect();
    roots.sort_by_key(|id| graph.node(*id).module().directory.clone());
    let mut next: VecDeque<NodeId> = VecDeque::new();
    for id in roots {
        let Some((root, path)) = working_directory(graph.node(id)) else { continue };
        locations[id.0] = Some(Location { root, path_root: path.clone(), path, is_certain: true });
        next.push_back(id);
    }
    while let Some(id) = next.pop_front() {
        let caller = graph.node(id);
        let Some(Location { root, path_root, path, .. }) = locations[id.0].clone() else { continue };
        for (call, child) in caller.child_calls() {
            if locations[child.id.0].is_some() {
                continue;
            }
            let Some(path) = child_path(child, call, &root, &path) else { continue };
            let (root, path_root) = (root.clone(), path_root.clone());
            locations[child.id.0] = Some(Location { root, path_root, path, is_certain: true });
            next.push_back(child.id);
        }
    }
    let located = graph.nodes().zip(locations);
    let unreached = |node: Node<'_>| {
        let path = format_smolstr!("./{}", node.module().directory);
        Location { root: SmolStr::default(), path_root: ".".into(), path, is_certain: false }
    };
    located.map(|(node, location)| location.unwrap_or_else(|| unreached(node))).collect()
}

/// The working directory of the engine for a module that nothing calls, and the path from there. That of a module which
/// only runs of tests load is the directory of the first module under test.
fn working_directory(node: Node<'_>) -> Option<(SmolStr, SmolStr)> {
    let own = &node.module().directory;
    let Some(tester) = node.run_by_tests().map(|tester| &tester.module().directory).min() else {
        return Some((own.clone(), ".".into()));
    };
    let path = if tester.is_empty() {
        Some(own.as_str())
    } else {
        own.strip_prefix(tester.as_str())?.strip_prefix('/')
    };
    Some((tester.clone(), path?.into()))
}

/// `path.module` of a module that a call leads to, by that of the caller and the directory of the root module.
fn child_path(child: Node<'_>, call: &ModuleCall, root: &str, path: &str) -> Option<SmolStr> {
    if child.is_installed() {
        let directory = child.module().directory.as_str();
        let inside = directory.strip_prefix(root).filter(|_| !root.is_empty());
        return Some(inside.and_then(|inside| inside.strip_prefix('/')).unwrap_or(directory).into());
    }
    match call.source.as_ref()?.address.as_ref()? {
        ModuleSource::Local(source) => Some(clean(&format!("{path}/{source}")).into()),
        ModuleSource::Registry(_) | ModuleSource::Remote(_) => None,
    }
}

/// Whether a path may lead out of the repository, or names different files on different systems: an absolute path, one
/// in a home directory, or one with a backslash, a drive or a NUL.
fn is_unportable(path: &str) -> bool {
    path.starts_with(['/', '~']) || path.contains(['\\', '\0']) || path.get(1..2) == Some(":")
}

/// The literal text at the end of a string.
fn literal_end(expr: &Expr) -> &str {
    match &expr.kind {
        ExprKind::Template(template) => match template.parts.last() {
            Some(Part::Literal { text, .. }) => text,
            Some(Part::Interpolation(_) | Part::If(_) | Part::For(_)) | None => "",
        },
        ExprKind::JsonString(string) => &string.text,
        _ => "",
    }
}

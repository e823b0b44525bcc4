//! Finds directories with declarations that a tool copies into root modules before an engine runs.
//!
//! The tool is often a workflow of another repository, so nothing here names it. The sign is a module with several
//! undeclared objects that one directory declares, if this directory has no resources, module calls or outputs.
//!
//! The reverse is a directory of variants that a tool links or copies into the module above: it declares none of the
//! objects that it names, and a directory above declares most of them.

use std::collections::BTreeSet;

use hashbrown::HashMap;
use smol_str::SmolStr;

use crate::finding::{Concern, EngineRule, Finding, Severity};
use crate::graph::Node;
use crate::module::terragrunt::Generated;
use crate::vfs::{NamedFiles, ancestors, child, is_under};

/// The smallest number of undeclared objects.
const FEWEST: usize = 2;

/// The smallest number of undeclared objects in files that complete the module above.
const FEWEST_ABOVE: usize = 3;

/// The number of directories above a module in which the directory of shared files can be.
const MOST_ABOVE: usize = 3;

/// The largest number of directories that are compared in each of them.
const MOST_BESIDE: usize = 50;

/// The directories of shared files of a repository, each read at most once.
pub(super) struct SharedFiles<'f> {
    files: &'f NamedFiles,
    /// By directory: the addresses that its files declare, if all are known.
    declared: HashMap<String, Option<BTreeSet<String>>>,
}

impl<'f> SharedFiles<'f> {
    pub(super) fn new(files: &'f NamedFiles) -> Self {
        Self { files, declared: HashMap::new() }
    }

    /// Replaces the findings about undeclared objects of a module by one notice if a directory of shared files declares
    /// all of them, or a directory above declares most of them. The rest stays.
    pub(super) fn complete(&mut self, node: Node<'_>, findings: &mut Vec<Finding>) {
        let all: BTreeSet<SmolStr> = findings.iter().filter_map(undeclared).cloned().collect();
        if all.len() < FEWEST || node.is_called() {
            return;
        }
        let directory = &node.module().directory;
        let (directory, names, why) = if let Some(shared) = self.directory_of(&all, directory) {
            let why = "contains no resources, module calls or outputs, so overrule assumes that a tool copies its files \
                       here";
            (shared, all, why)
        } else if let Some((above, names)) = self.above(&all, node) {
            let why =
                "this module declares no variables, so overrule assumes that a tool copies its files there";
            (above, names, why)
        } else {
            return;
        };
        let replaced = |finding: &Finding| undeclared(finding).is_some_and(|name| names.contains(name));
        let Some(first) = findings.iter().find(|finding| replaced(finding)) else { return };
        let notice = Finding::language(EngineRule::UndeclaredReference, "Declared only in another directory")
            .severity(Severity::Notice)
            .detail(format!(
                "This module refers to {} objects that it does not declare, such as `{}`. {} declares all of them, and \
                 {why}.",
                names.len(),
                names.first().map(SmolStr::as_str).unwrap_or_default(),
                if directory.is_empty() {
                    "The top directory".to_owned()
                } else {
                    format!("`{directory}`")
                }
            ))
            .module(first.module.clone())
            .concerns(Concern::Names(names.iter().cloned().collect()))
            .help("if no tool copies them, declare the objects in this module");
        let notice = Finding { primary: first.primary, stage: first.stage, ..notice };
        findings.retain(|finding| !replaced(finding));
        findings.push(notice);
    }

    /// The directory near a module that declares all these objects.
    fn directory_of(&mut self, names: &BTreeSet<SmolStr>, module: &str) -> Option<String> {
        ancestors(module).skip(1).take(MOST_ABOVE).find_map(|around| {
            let listing = self.files.listing(around)?;
            let beside = listing.directories.iter().filter(|name| !name.starts_with('.')).take(MOST_BESIDE);
            let mut beside = beside.map(|name| child(around, name)).filter(|path| !is_under(module, path));
            beside.find(|path| {
                let declared = self.declared_in(path);
                declared.is_some_and(|declared| {
                    names.iter().all(|name| declared.contains(name.as_str()))
                        && declared.iter().all(|address| is_shared(address))
                })
            })
        })
    }

    /// The directory above a module that declares most of these objects, and those that it declares, if the module may
    /// be a part of the one there.
    fn above(&mut self, names: &BTreeSet<SmolStr>, node: Node<'_>) -> Option<(String, BTreeSet<SmolStr>)> {
        let module = node.module();
        let is_run = module.backend.is_some() || module.cloud.is_some() || !module.providers.is_empty();
        if names.len() < FEWEST_ABOVE || is_run || !module.variables.is_empty() {
            return None;
        }
        let mut above = ancestors(&module.directory).skip(1).take(MOST_ABOVE);
        above.find_map(|path| {
            let declared = self.declared_in(path)?;
            let found: BTreeSet<SmolStr> =
                names.iter().filter(|name| declared.contains(name.as_str())).cloned().collect();
            let are_most = found.len() >= FEWEST_ABOVE && 2 * found.len() > names.len();
            are_most.then(|| (path.to_owned(), found))
        })
    }

    fn declared_in(&mut self, directory: &str) -> Option<&BTreeSet<String>> {
        if !self.declared.contains_key(directory) {
            let declared = declared(self.files, directory);
            self.declared.insert(directory.to_owned(), declared);
        }
        self.declared.get(directory)?.as_ref()
    }
}

/// Whether an object does nothing by itself.
fn is_shared(address: &str) -> bool {
    ["var.", "local.", "data."].iter().any(|kind| address.starts_with(kind))
}

/// The addresses that the module files of a directory declare. `None` if they are not known.
fn declared(files: &NamedFiles, directory: &str) -> Option<BTreeSet<String>> {
    let mut all = Generated::default();
    files.for_each_module_text(directory, &mut |text| all.add(&Generated::by(text)))?;
    (!all.is_unknown).then_some(all.names)
}

/// The address of the object of a finding about an undeclared one.
fn undeclared(finding: &Finding) -> Option<&SmolStr> {
    match &finding.concern {
        Concern::Name(name)
            if finding.rule == EngineRule::UndeclaredReference.id()
                && finding.severity == Severity::Error =>
        {
            Some(name)
        }
        _ => None,
    }
}

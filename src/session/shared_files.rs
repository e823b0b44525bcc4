//! Finds directories with declarations that a tool copies into root modules before an engine runs.
//!
//! The tool is often a workflow of another repository, so nothing here names it. The sign is a module with several
//! undeclared objects that one directory declares, if this directory has no resources, module calls or outputs.

use std::collections::{BTreeSet, HashMap};

use smol_str::SmolStr;

use crate::engine::is_module_file;
use crate::finding::{Concern, EngineRule, Finding, Severity};
use crate::graph::Node;
use crate::module::terragrunt::Generated;
use crate::vfs::{NamedFile, NamedFiles, ancestors, child, is_under};

/// The smallest number of undeclared objects.
const FEWEST: usize = 2;

/// The number of directories above a module in which the directory of shared files can be.
const MOST_ABOVE: usize = 3;

/// The largest number of directories that are compared in each of them.
const MOST_BESIDE: usize = 50;

/// The largest size of a shared file in bytes.
const LARGEST: usize = 1 << 20;

/// The directories of shared files of a repository, each read at most once.
pub(super) struct SharedFiles<'f> {
    files: &'f NamedFiles,
    /// By directory: the addresses that its files declare, if none of them does anything by itself.
    declared: HashMap<String, Option<BTreeSet<String>>>,
}

impl<'f> SharedFiles<'f> {
    pub(super) fn new(files: &'f NamedFiles) -> Self {
        Self { files, declared: HashMap::new() }
    }

    /// Replaces the findings about undeclared objects of a module by one notice if a directory of shared files declares
    /// all of them.
    pub(super) fn complete(&mut self, node: Node<'_>, findings: &mut Vec<Finding>) {
        let names: BTreeSet<SmolStr> = findings.iter().filter_map(undeclared).cloned().collect();
        let Some(first) = findings.iter().find(|finding| undeclared(finding).is_some()) else { return };
        if names.len() < FEWEST || node.is_called() {
            return;
        }
        let Some(directory) = self.directory_of(&names, &node.module().directory) else { return };
        let notice = Finding::language(EngineRule::UndeclaredReference, "Declared only in another directory")
            .severity(Severity::Notice)
            .detail(format!(
                "This module refers to {} objects that it does not declare, such as `{}`. `{directory}` declares all of \
                 them, and contains no resources, module calls or outputs, so overrule assumes that a tool copies its \
                 files here.",
                names.len(),
                names.first().map(SmolStr::as_str).unwrap_or_default()
            ))
            .module(first.module.clone())
            .concerns(Concern::Names(names.into_iter().collect()))
            .help("if no tool copies them, declare the objects in this module");
        let notice = Finding { primary: first.primary, stage: first.stage, ..notice };
        findings.retain(|finding| undeclared(finding).is_none());
        findings.push(notice);
    }

    /// The directory near a module that declares all these objects.
    fn directory_of(&mut self, names: &BTreeSet<SmolStr>, module: &str) -> Option<String> {
        ancestors(module).skip(1).take(MOST_ABOVE).find_map(|around| {
            let (_, mut beside) = self.files.names(around)?;
            beside.sort_unstable();
            let beside = beside.into_iter().filter(|name| !name.starts_with('.')).take(MOST_BESIDE);
            let mut beside = beside.map(|name| child(around, &name)).filter(|path| !is_under(module, path));
            beside.find(|path| {
                let declared = self.declared_in(path);
                declared.is_some_and(|declared| names.iter().all(|name| declared.contains(name.as_str())))
            })
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

/// The addresses that the module files of a directory declare. `None` if one of them is a resource, a module call or an
/// output, or is not known.
fn declared(files: &NamedFiles, directory: &str) -> Option<BTreeSet<String>> {
    let mut all = Generated::default();
    for name in files.names(directory)?.0.iter().filter(|name| is_module_file(name)) {
        let NamedFile::File(Some(content)) = files.at(&child(directory, name)) else { return None };
        let text = std::str::from_utf8(&content).ok().filter(|text| text.len() <= LARGEST)?;
        all.add(&Generated::by(text));
    }
    let is_shared = |name: &String| ["var.", "local.", "data."].iter().any(|kind| name.starts_with(kind));
    (!all.is_unknown && all.names.iter().all(is_shared)).then_some(all.names)
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

#![doc = include_str!("../../policies/rules/lock-file-drift.md")]

mod platforms;

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::{Configure, Context, Options, Page, Rule, page};
use crate::engine::LOCK_FILE;
use crate::finding::{Concern, Finding};
use crate::graph::{Node, Role, VersionRequirement};
use crate::module::Module;
use crate::module::address::ProviderAddress;
use crate::module::declaration::{Origin, RequiredProvider};
use crate::module::lock::{Lock, Selection};
use crate::text::Span;

pub(super) struct LockFileDrift {
    /// The platforms for which the lock file must have hashes.
    platforms: Vec<SmolStr>,
}

impl Configure for LockFileDrift {
    const OPTIONS: &'static [&'static str] = &["platforms"];

    fn configure(options: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self { platforms: platforms::asked_for(options)? })
    }
}

impl Rule for LockFileDrift {
    const PAGE: Page = page!("lock-file-drift");
    /// A new root module does not make an old `.gitignore` line a new problem.
    const IS_STEADY: bool = false;
    const ASKS_FOR_EXCLUDED_LOCKS: bool = true;

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        let Some(directory) = context.directory(&module.directory) else { return };
        match directory.excluded_lock {
            Some(line) => findings.extend(excluded(node, line, context)),
            None if !directory.has_lock_file => findings.extend(without_lock(node)),
            None => {}
        }
        let Some(id) = directory.lock else { return };
        let Some(lock) = Lock::read(id, context.sources().get(id), &module.features) else { return };
        if is_only_called(node) {
            findings.extend((!node.is_also_run()).then(|| unread(node, &lock)));
            return;
        }
        findings.extend(platforms::lacking(&lock, &self.platforms, module));
        let needed: Vec<_> = needed_below(node).into_iter().collect();
        let subjects = needed.iter().map(|(provider, _)| Some(provider.clone())).collect();
        let requirements = node.version_requirements(&subjects, |_| false);
        for (provider, at) in needed {
            let shown = provider.display(module.features.registry_host);
            findings.extend(match lock.selection(&provider) {
                None => Some(unselected(&shown, at)),
                Some(selection) => requirements
                    .get(&Some(provider))
                    .and_then(|requirements| refused(&shown, selection, requirements)),
            });
        }
    }
}

/// Whether the lock file of another module counts: a module that is in use itself calls this one, or examples call it
/// and it cannot be run by itself, because callers pass provider configurations.
fn is_only_called(node: Node<'_>) -> bool {
    let is_used = |role: Role| matches!(role, Role::Root | Role::Shared);
    let mut required = node.module().required_providers.values();
    node.role() == Role::Shared && node.callers().any(|(caller, _)| is_used(caller.role()))
        || node.is_called() && node.tests().is_empty() && required.any(|entry| !entry.aliases.is_empty())
}

fn unread(node: Node<'_>, lock: &Lock) -> Finding {
    let unless = if node.may_be_run() { ", unless this module is also run by itself" } else { "" };
    LockFileDrift::finding("Lock file without effect")
        .detail("Other modules call this one, and Terraform and OpenTofu read only the lock file of the root module.")
        .at(lock.start)
        .help(format!("remove the lock file{unless}"))
        .concerns(Concern::Whole)
        .related_all(node.callers().map(|(_, call)| call.origin.header()), "called here")
}

/// The span that shows that a module is a root module and needs a lock file.
fn needs_lock(node: Node<'_>) -> Option<Span> {
    // Terragrunt keeps the lock file in the directory of each unit.
    if !node.run_by_units().units.is_empty() {
        return None;
    }
    let at = run_in(node).filter(|_| node.role() == Role::Root)?;
    node.subtree().any(|node| needed(node.module()).next().is_some()).then_some(at)
}

/// The finding for a lock file that git ignores. It is equal for all root modules, so it is reported once.
fn excluded(node: Node<'_>, line: Span, context: &Context<'_>) -> Option<Finding> {
    needs_lock(node)?;
    if context.was_lock_excluded(&node.module().directory) {
        return None;
    }
    let pattern = context.sources().slice(line);
    let is_about_it = pattern.rsplit('/').next() == Some(LOCK_FILE);
    let start = if is_about_it {
        "remove this line".to_owned()
    } else {
        format!("add a line `!{LOCK_FILE}` below this one")
    };
    Some(
        LockFileDrift::finding("Git ignores the dependency lock file")
            .detail(format!(
                "Because of this line, `{LOCK_FILE}` is not committed. In a new clone, `init` selects the newest \
                 providers that the constraints allow."
            ))
            .at(line)
            .help(format!("{start}, run `init` in each root module, and commit `{LOCK_FILE}`"))
            .concerns(Concern::File(LOCK_FILE.into())),
    )
}

fn without_lock(node: Node<'_>) -> Option<Finding> {
    let at = needs_lock(node)?;
    Some(
        LockFileDrift::finding("Root module without a lock file")
            .detail("In a new clone, `init` selects the newest providers that the constraints allow.")
            .at(at)
            .help("run `init`, and commit `.terraform.lock.hcl`")
            .concerns(Concern::Whole),
    )
}

/// The span that shows that an engine is run in the directory of a module.
fn run_in(node: Node<'_>) -> Option<Span> {
    let module: &Module = node.module();
    let storage = module.backend.as_ref().or(module.cloud.as_ref()).map(|storage| storage.block.header);
    let configured = node.configured_providers().map(|provider| &provider.origin).map(Origin::header);
    storage.or_else(|| configured.min())
}

/// Every provider that a module and its descendants need, each with a span that shows it. A module that was not
/// understood completely may need more.
fn needed_below(node: Node<'_>) -> BTreeMap<ProviderAddress, Span> {
    let mut all = BTreeMap::new();
    for id in node.graph().below(&[node.id()]) {
        for (provider, at) in needed(node.graph().node(id).module()) {
            all.entry(provider.clone()).or_insert(at);
        }
    }
    all
}

/// The providers that a module itself needs.
fn needed(module: &Module) -> impl Iterator<Item = (&ProviderAddress, Span)> {
    let place = |entry: &RequiredProvider| entry.source.as_ref().map_or(entry.span, |source| source.span);
    let required = module.required_providers.values().map(move |entry| (&entry.address, place(entry)));
    let resources = module.resources.values();
    let used = resources.filter_map(|resource| Some((resource.provider.as_ref()?, resource.origin.header())));
    required.chain(used).filter(|(provider, _)| !provider.is_built_in())
}

fn unselected(provider: &str, needed: Span) -> Finding {
    LockFileDrift::finding("Provider missing from the lock file")
        .detail(format!("`{provider}` is required, but the lock file has no version of it, so `plan` fails."))
        .at(needed)
        .help("run `init`, and commit the lock file")
        .concerns(Concern::Provider(provider.into()))
}

fn refused(provider: &str, selection: &Selection, requirements: &[VersionRequirement]) -> Option<Finding> {
    let Selection { version, text, at, .. } = selection;
    // A prerelease is selected intentionally, and other rules check it.
    let refuses = |requirement: &&VersionRequirement| {
        !version.is_prerelease() && !requirement.constraints.matches(version)
    };
    let refusing: Vec<&VersionRequirement> = requirements.iter().filter(refuses).collect();
    let (text, wanted) = (text.as_str(), refusing.first()?.text.as_str());
    let finding = LockFileDrift::finding("Locked provider version violates a constraint")
        .detail(format!("`{provider}` is locked at {text:?}, which {wanted:?} does not allow."))
        .at(*at)
        .label("is selected")
        .help("run `init -upgrade`, and commit the lock file")
        .concerns(Concern::Provider(provider.into()));
    let asked = |finding: Finding, requirement: &&VersionRequirement| {
        finding.related(requirement.at, format!("requires {:?}", requirement.text.as_str()))
    };
    Some(refusing.iter().fold(finding, asked))
}

//! Turns the files of one directory into one module: blocks decoded into declarations, override files merged into them,
//! with where each part came from.

pub mod address;
pub mod config;
pub mod declaration;
pub mod lock;
pub mod values;
pub mod terragrunt;
pub mod test_file;

pub(crate) mod canonical;
mod compatibility;
mod decode;
pub(crate) mod static_eval;
mod state_address;
mod exclusive;
pub mod interface;
pub mod dropped;
pub(crate) mod ignored;
mod left_behind;
mod merge;
pub mod merged;
mod origins;
mod parts;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use smol_str::SmolStr;

use crate::engine::{Features, FileKind};
use crate::finding::Finding;
use crate::limits::Limits;
use crate::module::address::{ModuleSource, ProviderAddress, ResourceAddress};
use crate::module::declaration::{
    Action, Check, Import, Local, ModuleCall, Moved, Output, ProviderConfiguration, ProviderMeta,
    ProviderRef, Removed, RequiredProvider, Resource, Storage, Variable, VersionConstraint,
};
use crate::module::decode::Decoder;
use crate::module::dropped::{Dropped, Why};
use crate::module::left_behind::LeftBehind;
use crate::module::static_eval::{Early, Purpose};
use crate::module::terragrunt::Generated;
use crate::syntax::{Block, Body};
use crate::text::Span;
use crate::value;

pub use crate::module::compatibility::Unmodelled;
pub use crate::module::decode::{references_elsewhere, shows_root, top_blocks};
pub use crate::module::state_address::StateAddress;

/// One file of a module, as far as it was read.
#[derive(Debug)]
pub struct ModuleFile<'a> {
    /// Its name, without the directory.
    pub name: &'a str,
    /// What it holds.
    pub body: &'a Body,
    /// Whether it is an override file.
    pub kind: FileKind,
    /// Whether all of it was read.
    pub complete: bool,
}

/// What the files of one directory declare, as one engine sees it, after all override files.
///
/// What is large is boxed: a map has room for eleven values as soon as it holds one, and there are many small modules.
#[derive(Debug, Clone)]
pub struct Module {
    /// The directory, from the top of the run; empty for the top directory itself.
    pub directory: SmolStr,
    /// What the engine knows.
    pub features: Features,
    /// What holds in the run.
    pub limits: Limits,
    /// Whether all files were read whole. Where not, what seems undeclared may be in the part that was not.
    pub complete: bool,
    /// Whether a tool generates files beside these. They may configure providers, require versions, and refer to
    /// anything.
    pub has_generated_files: bool,
    /// Whether nothing else can be said of it: it is for other versions of the engine, or its files are no module.
    pub excluded: bool,
    /// The versions of the engine that it is for, where these are not modelled.
    pub unmodelled: Option<Unmodelled>,
    /// How many files it is made of.
    pub files: usize,
    /// The size of these files.
    pub(crate) bytes: usize,
    /// `required_version` of the `terraform` blocks.
    pub required_versions: Vec<VersionConstraint>,
    /// What was asked for before an override file asked for something, whether the engine forgets that or adds to it.
    pub overridden_versions: Vec<VersionConstraint>,
    /// `backend`.
    pub backend: Option<Storage>,
    /// `cloud`.
    pub cloud: Option<Storage>,
    /// `encryption` (OpenTofu).
    pub encryption: Option<Arc<Block>>,
    /// The `required_providers` block of the primary files.
    pub required_providers_block: Option<Arc<Block>>,
    /// Its entries, by local name.
    pub required_providers: BTreeMap<SmolStr, Box<RequiredProvider>>,
    /// Provider configurations, by `name` or `name.alias`.
    pub providers: BTreeMap<SmolStr, Box<ProviderConfiguration>>,
    /// `provider_meta` blocks.
    pub provider_metas: BTreeMap<Option<ProviderAddress>, ProviderMeta>,
    /// Variables by name.
    pub variables: BTreeMap<SmolStr, Box<Variable>>,
    /// Local values by name.
    pub locals: BTreeMap<SmolStr, Local>,
    /// Outputs by name.
    pub outputs: BTreeMap<SmolStr, Box<Output>>,
    /// Module calls by name.
    pub calls: BTreeMap<SmolStr, Box<ModuleCall>>,
    /// Module calls that an error leaves out: duplicates, and overrides without a base.
    pub refused_calls: Vec<Box<ModuleCall>>,
    /// Resources, data sources (those in `check` blocks too) and ephemeral resources.
    pub resources: BTreeMap<ResourceAddress, Box<Resource>>,
    /// Actions by type and name.
    pub actions: BTreeMap<(SmolStr, SmolStr), Action>,
    /// Checks by name.
    pub checks: BTreeMap<SmolStr, Check>,
    /// `moved` blocks, in order.
    pub moved: Vec<Moved>,
    /// `removed` blocks, in order.
    pub removed: Vec<Removed>,
    /// What `moved` and `removed` blocks name in `from`, once somebody asks.
    pub(crate) left_behind: OnceLock<Arc<LeftBehind>>,
    /// `import` blocks, in order.
    pub imports: Vec<Import>,
    /// What override files contain, and base files where an override makes it so, that has no effect: by its span.
    pub dropped: BTreeMap<Span, Dropped>,
    /// What only override files declare, and files that a tool generates, by address: `var.a`, `output.a`, `module.a`
    /// and so on. No reference to it is reported: what lacks its base is reported in the override file.
    pub(crate) declared_elsewhere: BTreeSet<String>,
    /// Variables whose values are needed before anything runs, each with what for (OpenTofu).
    pub(crate) early_needs: Vec<(SmolStr, Purpose)>,
}

/// Whether only OpenTofu reads a file of that name.
fn is_tofu_file(name: &str) -> bool {
    name.strip_suffix(".json").unwrap_or(name).strip_suffix(".tofu").is_some()
}

impl Module {
    /// Builds the module of a directory from its files, which are in the order of their names. What is in `findings` is
    /// about the same files; it goes where the module turns out to be for other versions of the engine.
    pub fn build(
        directory: impl Into<SmolStr>,
        files: &[ModuleFile<'_>],
        features: &Features,
        limits: &Limits,
        findings: &mut Vec<Finding>,
    ) -> Self {
        Self::build_beside(&Generated::default(), directory, files, features, limits, findings)
    }

    /// The same for a directory in which a tool generates more files.
    pub fn build_beside(
        generated: &Generated,
        directory: impl Into<SmolStr>,
        files: &[ModuleFile<'_>],
        features: &Features,
        limits: &Limits,
        findings: &mut Vec<Finding>,
    ) -> Self {
        let mut primary = Vec::new();
        let mut overriding = Vec::new();
        for file in files {
            let mut decoder = Decoder {
                features,
                overriding: file.kind == FileKind::Override,
                tofu_file: is_tofu_file(file.name),
                json: file.body.is_json(),
                in_test: false,
                limits,
                findings,
            };
            let declarations = decode::file(file.body, &mut decoder);
            match file.kind {
                FileKind::Primary => primary.push(declarations),
                FileKind::Override => overriding.push(declarations),
            }
        }
        let mut module = Self { limits: *limits, ..Self::empty(directory.into(), features) };
        module.files = files.len();
        module.bytes = files.iter().map(|file| file.body.span().range().len()).sum();
        module.complete = files.iter().all(|file| file.complete);
        module.generate(generated);
        merge::files(&mut module, primary, overriding, findings);
        merge::suggest_names(&module, files, findings);
        module.evaluate_early(findings);
        module.excluded_version(findings);
        module.unmodelled_version(files, findings);
        module
    }

    /// The number of steps for all of its expressions together.
    pub(crate) fn evaluation_steps(&self) -> usize {
        self.limits.evaluation_of_module(self.bytes)
    }

    fn empty(directory: SmolStr, features: &Features) -> Self {
        Self {
            directory,
            features: *features,
            limits: Limits::default(),
            complete: true,
            has_generated_files: false,
            excluded: false,
            unmodelled: None,
            files: 0,
            bytes: 0,
            required_versions: Vec::new(),
            overridden_versions: Vec::new(),
            backend: None,
            cloud: None,
            encryption: None,
            required_providers_block: None,
            required_providers: BTreeMap::new(),
            providers: BTreeMap::new(),
            provider_metas: BTreeMap::new(),
            variables: BTreeMap::new(),
            locals: BTreeMap::new(),
            outputs: BTreeMap::new(),
            calls: BTreeMap::new(),
            refused_calls: Vec::new(),
            resources: BTreeMap::new(),
            actions: BTreeMap::new(),
            checks: BTreeMap::new(),
            moved: Vec::new(),
            removed: Vec::new(),
            left_behind: OnceLock::new(),
            imports: Vec::new(),
            dropped: BTreeMap::new(),
            declared_elsewhere: BTreeSet::new(),
            early_needs: Vec::new(),
        }
    }

    /// Where the state is kept: the `cloud` block, else the `backend` block.
    pub fn storage(&self) -> Option<&Storage> {
        self.cloud.as_ref().or(self.backend.as_ref())
    }

    /// Whether an override file contains a block that the engine does not merge.
    pub fn ignores_override_block(&self) -> bool {
        self.dropped.values().any(|dropped| dropped.why == Why::Ignored && dropped.block.is_some())
    }

    /// Adds what files declare that a tool generates.
    pub fn generate(&mut self, generated: &Generated) {
        self.complete &= !generated.is_unknown;
        self.has_generated_files |= generated.is_there;
        self.declared_elsewhere.extend(generated.names.iter().cloned());
    }

    /// Whether something that is not among the declarations may be declared all the same.
    pub(crate) fn may_have(&self, address: &str) -> bool {
        !self.complete || self.declared_elsewhere.contains(address)
    }

    /// The provider that a local name stands for: the one required under that name, else the one it implies. None
    /// where no provider can be called so.
    pub fn provider_address(&self, local_name: &str) -> Option<ProviderAddress> {
        match self.required_providers.get(local_name) {
            Some(required) => Some(required.address.clone()),
            None => ProviderAddress::implied(local_name, self.features.registry_host),
        }
    }

    /// The local paths in the sources of calls that an error keeps from being calls, such as one with a `version`. Once
    /// the error is corrected, the modules there are called.
    pub fn refused_paths(&self) -> impl Iterator<Item = SmolStr> {
        let has_address =
            |call: &ModuleCall| call.source.as_ref().is_some_and(|source| source.address.is_some());
        let unresolved = self.calls.values().filter(move |call| !has_address(call));
        unresolved.chain(&self.refused_calls).filter_map(|call| self.local_path(call))
    }

    /// The local path in the `source` of a call, whatever else is wrong with the call.
    fn local_path(&self, call: &ModuleCall) -> Option<SmolStr> {
        let evaluated = call.source.as_ref().map(|source| source.raw.clone()).filter(|raw| !raw.is_empty());
        let written = || {
            let expr = &call.address.source.as_ref()?.expr;
            value::constant_within(&self.limits, expr, &mut Vec::new()).as_str().map(SmolStr::new)
        };
        match ModuleSource::parse(&evaluated.or_else(written)?, false, &self.features) {
            Ok(ModuleSource::Local(path)) => Some(path),
            Ok(ModuleSource::Registry(_) | ModuleSource::Remote(_)) | Err(_) => None,
        }
    }

    /// Whether a reference to a provider configuration was meant as one to a value: no provider has its name here.
    pub fn reads_value(&self, reference: &ProviderRef) -> bool {
        reference.resembles_value()
            && !self.required_providers.contains_key(&reference.name)
            && self.providers.values().all(|provider| provider.name != reference.name)
    }

    /// Evaluates what an engine wants to know first of all, once everything is merged.
    fn evaluate_early(&mut self, findings: &mut Vec<Finding>) {
        let mut early = Early::new(self);
        let calls = self.calls.values();
        let resolved: Vec<_> =
            calls.filter_map(|call| Some((call.name.clone(), early.call(call)?))).collect();
        for provider in self.providers.values() {
            early.instances(provider);
        }
        let (wrong, needs) = early.take();
        findings.extend(wrong);
        self.early_needs = needs;
        for (name, resolved) in resolved {
            if let Some(call) = self.calls.get_mut(&name) {
                call.source = resolved.source;
                call.version = resolved.version;
            }
        }
    }
}

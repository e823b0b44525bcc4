//! A module: the files of one directory, decoded into declarations, with override files merged. Each part keeps its
//! origin.

pub mod address;
pub mod config;
pub mod declaration;
pub mod lock;
pub mod manifest;
pub mod terragrunt;
pub mod test_file;
pub mod values;

pub(crate) mod canonical;
mod decode;
pub mod dropped;
pub mod interface;
mod merge;
pub mod merged;
mod moved_sources;
mod origins;
mod parts;
mod required_version;
mod single_product_syntax;
mod state_address;
pub(crate) mod static_eval;
pub(crate) mod undeclared_attributes;
mod variable_lists;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use smol_str::SmolStr;

use crate::engine::{Engine, Features, FileKind};
use crate::finding::{EngineRule, Finding, Room};
use crate::limits::Limits;
use crate::module::address::{ModuleSource, ProviderAddress, ResourceAddress};
use crate::module::declaration::{
    Action, Check, Import, Local, ModuleCall, Moved, Output, ProviderConfiguration, ProviderMeta,
    ProviderRef, Removed, RequiredProvider, Resource, Storage, Variable, VersionConstraint,
};
use crate::module::decode::Decoder;
use crate::module::dropped::{Dropped, Why};
use crate::module::moved_sources::LeftBehind;
use crate::module::static_eval::{Purpose, StaticEvaluator};
use crate::module::terragrunt::Generated;
use crate::module::variable_lists::{Together, VariableLists};
use crate::syntax::{Block, Body};
use crate::text::Span;
use crate::value::{self, Budget};

pub use crate::module::decode::{KEEP_FOR_DESTROY, references_elsewhere, shows_root, top_blocks};
pub use crate::module::required_version::Unmodelled;
pub use crate::module::state_address::{ByStateAddress, StateAddress, StateParts};
pub use crate::module::variable_lists::{Variables, says_more};

/// A parsed file of a module.
#[derive(Debug)]
pub struct ModuleFile<'a> {
    /// The file name, without the directory.
    pub name: &'a str,
    /// The body of the file.
    pub body: &'a Body,
    /// Whether this is an override file.
    pub kind: FileKind,
    /// Whether the whole file was understood.
    pub complete: bool,
}

/// The declarations in the files of one directory, as one engine loads them, after all override files.
///
/// Large values are boxed: a map allocates space for eleven values with its first one, and most modules are small.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about the module")]
pub struct Module {
    /// The directory, relative to the top directory of the run. Empty for the top directory itself.
    pub directory: SmolStr,
    /// The features of the engine.
    pub features: Arc<Features>,
    /// The limits of the run.
    pub limits: Limits,
    /// Whether all files were understood. If not, something that seems undeclared may be in a part that was skipped.
    pub complete: bool,
    /// Whether a tool generates files in this directory. They may configure providers, require versions, and refer to
    /// any declaration.
    pub has_generated_files: bool,
    /// Whether the only unknown part is a base file that is not there. It cannot change the blocks of the other files.
    pub(crate) lacks_base_file: bool,
    /// Whether nothing else is known about the module: it is for other versions of the engine, or its files are not a
    /// module.
    pub excluded: bool,
    /// The versions of the engine that the module requires, if overrule does not model them.
    pub unmodelled: Option<Unmodelled>,
    /// The number of files.
    pub files: usize,
    /// The total size of the files, in bytes.
    pub(crate) bytes: usize,
    /// The number of valid blocks at the top of the files.
    pub(crate) top_blocks: usize,
    /// The `required_version` constraints that apply.
    pub required_versions: Vec<VersionConstraint>,
    /// See [`Module::newest_engine`].
    newest_engine: OnceLock<Engine>,
    /// See [`Module::variables_with`].
    variable_lists: VariableLists,
    /// See [`Module::validated_with`].
    together: OnceLock<Together>,
    /// The constraints before the first override file that sets `required_version`, whether the engine replaces them
    /// or adds to them.
    pub overridden_versions: Vec<VersionConstraint>,
    /// The `backend` block.
    pub backend: Option<Storage>,
    /// The `cloud` block.
    pub cloud: Option<Storage>,
    /// The `encryption` block (OpenTofu).
    pub encryption: Option<Arc<Block>>,
    /// The `required_providers` block of the base files.
    pub required_providers_block: Option<Arc<Block>>,
    /// The entries of `required_providers`, by local name.
    pub required_providers: BTreeMap<SmolStr, Box<RequiredProvider>>,
    /// The provider configurations, by `name` or `name.alias`.
    pub providers: BTreeMap<SmolStr, Box<ProviderConfiguration>>,
    /// The `provider_meta` blocks.
    pub provider_metas: BTreeMap<Option<ProviderAddress>, ProviderMeta>,
    /// The variables by name.
    pub variables: BTreeMap<SmolStr, Box<Variable>>,
    /// The local values by name.
    pub locals: BTreeMap<SmolStr, Local>,
    /// The outputs by name.
    pub outputs: BTreeMap<SmolStr, Box<Output>>,
    /// The module calls by name.
    pub calls: BTreeMap<SmolStr, Box<ModuleCall>>,
    /// Module calls that an error excludes: duplicates, and overrides without a base.
    pub refused_calls: Vec<Box<ModuleCall>>,
    /// Managed resources, data sources (also those in `check` blocks) and ephemeral resources.
    pub resources: BTreeMap<ResourceAddress, Box<Resource>>,
    /// The actions by type and name.
    pub actions: BTreeMap<(SmolStr, SmolStr), Action>,
    /// The checks by name.
    pub checks: BTreeMap<SmolStr, Check>,
    /// The `moved` blocks, in source order.
    pub moved: Vec<Moved>,
    /// The `removed` blocks, in source order.
    pub removed: Vec<Removed>,
    /// The `from` addresses of `moved` and `removed` blocks, computed on first use.
    pub(crate) left_behind: OnceLock<Arc<LeftBehind>>,
    /// The `import` blocks, in source order.
    pub imports: Vec<Import>,
    /// Parts of override files, and of base files that an override affects, that have no effect: by their spans.
    pub dropped: BTreeMap<Span, Dropped>,
    /// Addresses (`var.a`, `output.a`, `module.a` and so on) that only override files or generated files declare.
    /// References to them are not reported, because the override without a base is reported.
    pub(crate) declared_elsewhere: BTreeSet<String>,
    /// The variables whose values are needed for early evaluation, each with the purpose (OpenTofu).
    pub(crate) static_needs: Vec<(SmolStr, Purpose)>,
}

/// Whether only OpenTofu loads a file of this name.
fn is_tofu_file(name: &str) -> bool {
    name.strip_suffix(".json").unwrap_or(name).strip_suffix(".tofu").is_some()
}

impl Module {
    /// Builds the module of a directory. `files` are sorted by name. `findings` holds the earlier findings about
    /// them, and is cleared if the module turns out to be for other versions of the engine.
    pub fn build(
        directory: impl Into<SmolStr>,
        files: &[ModuleFile<'_>],
        features: &Arc<Features>,
        limits: &Limits,
        findings: &mut Vec<Finding>,
    ) -> Self {
        Self::build_beside(&Generated::default(), directory, files, features, limits, findings)
    }

    /// Like [`Self::build`], for a directory in which a tool generates more files.
    pub fn build_beside(
        generated: &Generated,
        directory: impl Into<SmolStr>,
        files: &[ModuleFile<'_>],
        features: &Arc<Features>,
        limits: &Limits,
        findings: &mut Vec<Finding>,
    ) -> Self {
        let mut primary = Vec::new();
        let mut overriding = Vec::new();
        let bytes = files.iter().map(|file| file.body.span().range().len()).sum();
        let work = Budget::of(limits.early_evaluation(bytes));
        for file in files {
            let mut decoder = Decoder {
                features,
                overriding: file.kind == FileKind::Override,
                tofu_file: is_tofu_file(file.name),
                json: file.body.is_json(),
                in_test: false,
                limits,
                work: Some(&work),
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
        module.bytes = bytes;
        module.top_blocks = files.iter().map(|file| decode::top_blocks(file.body, features).len()).sum();
        module.complete = files.iter().all(|file| file.complete);
        module.generate(generated);
        merge::files(&mut module, primary, overriding, findings);
        merge::suggest_names(&module, files, findings);
        module.evaluate_static(findings);
        module.excluded_version(findings);
        module.unknown_version(files, findings);
        module
    }

    /// The evaluation step limit for all expressions of the module together.
    pub(crate) fn evaluation_steps(&self) -> usize {
        self.evaluation_steps_with(0)
    }

    /// The same with so many bytes of files beside the module.
    pub(crate) fn evaluation_steps_with(&self, bytes: usize) -> usize {
        self.limits.evaluation_of_module(self.bytes + bytes)
    }

    /// The findings of a rule that a check can add to those of this module.
    pub(crate) fn room(&self, findings: &[Finding], rule: EngineRule) -> Room {
        Room::new(findings, rule, &self.limits, self.bytes)
    }

    fn empty(directory: SmolStr, features: &Arc<Features>) -> Self {
        Self {
            directory,
            features: Arc::clone(features),
            limits: Limits::default(),
            complete: true,
            has_generated_files: false,
            lacks_base_file: false,
            excluded: false,
            unmodelled: None,
            files: 0,
            bytes: 0,
            top_blocks: 0,
            required_versions: Vec::new(),
            newest_engine: OnceLock::new(),
            variable_lists: VariableLists::default(),
            together: OnceLock::new(),
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
            static_needs: Vec::new(),
        }
    }

    /// Whether the module has `configuration_aliases`. It then works only if a caller passes the configurations.
    pub fn needs_configurations(&self) -> bool {
        self.required_providers.values().any(|entry| !entry.aliases.is_empty())
    }

    /// The storage of the state: the `cloud` block, else the `backend` block.
    pub fn storage(&self) -> Option<&Storage> {
        self.cloud.as_ref().or(self.backend.as_ref())
    }

    /// Whether an override file contains a block that the engine does not merge.
    pub fn ignores_override_block(&self) -> bool {
        self.dropped.values().any(|dropped| dropped.why == Why::Ignored && dropped.block.is_some())
    }

    /// Whether all of its declarations are known: every file was read, and no tool generates more of them.
    pub fn is_whole(&self) -> bool {
        self.complete && !self.has_generated_files
    }

    /// Whether its blocks are known as the engine loads them, even if a missing file declares others.
    pub fn knows_blocks(&self) -> bool {
        self.complete || self.lacks_base_file && !self.excluded
    }

    /// Adds the declarations of generated files.
    pub fn generate(&mut self, generated: &Generated) {
        self.complete &= !generated.is_unknown;
        self.lacks_base_file &= !generated.is_unknown;
        self.has_generated_files |= generated.is_there;
        self.declared_elsewhere.extend(generated.names.iter().cloned());
    }

    /// Whether an address without a declaration may be declared all the same.
    pub(crate) fn may_have(&self, address: &str) -> bool {
        !self.complete || self.declared_elsewhere.contains(address)
    }

    /// The provider for a local name: the required one, else the default one. Returns `None` for a name that is not
    /// valid.
    pub fn provider_address(&self, local_name: &str) -> Option<ProviderAddress> {
        match self.required_providers.get(local_name) {
            Some(required) => Some(required.address.clone()),
            None => ProviderAddress::implied(local_name, self.features.registry_host),
        }
    }

    /// The local `source` paths of module calls with an error, such as one with a `version`. Once the error is
    /// corrected, these modules are called.
    pub fn refused_paths(&self) -> impl Iterator<Item = SmolStr> {
        let has_address =
            |call: &ModuleCall| call.source.as_ref().is_some_and(|source| source.address.is_some());
        let unresolved = self.calls.values().filter(move |call| !has_address(call));
        unresolved.chain(&self.refused_calls).filter_map(|call| self.local_path(call))
    }

    /// The local path in the `source` of a call, whatever other errors the call has.
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

    /// Whether a provider reference was meant as a reference to a value, such as `each.value`: no provider has its
    /// name here.
    pub fn reads_value(&self, reference: &ProviderRef) -> bool {
        reference.resembles_value()
            && !self.required_providers.contains_key(&reference.name)
            && self.providers.values().all(|provider| provider.name != reference.name)
    }

    /// Evaluates the expressions that the engine needs early, once everything is merged.
    fn evaluate_static(&mut self, findings: &mut Vec<Finding>) {
        let mut evaluator = StaticEvaluator::new(self);
        let calls = self.calls.values();
        let resolved: Vec<_> =
            calls.filter_map(|call| Some((call.name.clone(), evaluator.call(call)?))).collect();
        for provider in self.providers.values() {
            evaluator.instances(provider);
        }
        let (wrong, needs) = evaluator.take();
        findings.extend(wrong);
        self.static_needs = needs;
        for (name, resolved) in resolved {
            if let Some(call) = self.calls.get_mut(&name) {
                call.source = resolved.source;
                call.version = resolved.version;
            }
        }
    }
}

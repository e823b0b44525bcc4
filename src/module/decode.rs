//! Decodes the blocks of one file into declarations, as the engine does. There is one file per block type.
//!
//! A block with an error still becomes a declaration wherever the engine continues with it, so that one error does
//! not hide the next.

mod action;
mod argument;
mod call;
mod check;
mod condition;
mod import;
mod moved;
mod opentofu;
mod output;
mod provider;
mod provisioner;
mod removed;
mod requirements;
mod resource;
mod lifecycle;
mod mock;
mod run;
mod terraform;
mod test_file;
mod variable;
mod version;

use std::sync::Arc;

use crate::engine::{Engine, Features, RequiredVersion};
use crate::finding::{Finding, set_address};
use crate::limits::Limits;
use crate::module::address::block_address;
use crate::module::declaration::{
    Action, Check, Import, Local, ModuleCall, Moved, Output, ProviderConfiguration, ProviderMeta, Removed,
    Resource, Storage, Variable, VersionConstraint,
};
use crate::module::decode::requirements::RequiredProviders;
use crate::syntax::{AttributeSchema, Block, BlockSchema, Body, Schema};
use crate::value::Budget;

pub use provisioner::{KEEP_FOR_DESTROY, references_elsewhere};
pub(super) use test_file::{mock_file, test_file};

/// The declarations of one file, in source order.
#[derive(Debug, Default)]
pub(super) struct Declarations {
    /// The `terraform` blocks of an override file.
    pub(super) settings: Vec<Arc<Block>>,
    pub(super) required_versions: Vec<VersionConstraint>,
    pub(super) backends: Vec<Storage>,
    pub(super) clouds: Vec<Storage>,
    pub(super) encryptions: Vec<Arc<Block>>,
    pub(super) required_providers: Vec<RequiredProviders>,
    pub(super) provider_metas: Vec<ProviderMeta>,
    pub(super) providers: Vec<ProviderConfiguration>,
    pub(super) variables: Vec<Variable>,
    pub(super) locals: Vec<Local>,
    /// The addresses that blocks in `locals` would have as arguments.
    pub(super) blocks_in_locals: Vec<String>,
    pub(super) outputs: Vec<Output>,
    pub(super) calls: Vec<ModuleCall>,
    pub(super) managed: Vec<Resource>,
    pub(super) data: Vec<Resource>,
    pub(super) ephemeral: Vec<Resource>,
    pub(super) checks: Vec<(Check, Option<Resource>)>,
    pub(super) moved: Vec<Moved>,
    pub(super) removed: Vec<Removed>,
    pub(super) imports: Vec<Import>,
    pub(super) actions: Vec<Action>,
}

/// Decodes one file.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about the file")]
pub(super) struct Decoder<'a> {
    /// The features of the engine.
    pub(super) features: &'a Features,
    /// Whether the file is an override file.
    pub(super) overriding: bool,
    /// Whether only OpenTofu loads the file.
    pub(super) tofu_file: bool,
    /// Whether the file is in JSON syntax.
    pub(super) json: bool,
    /// Whether the file is a test file.
    pub(super) in_test: bool,
    /// The limits of the run.
    pub(super) limits: &'a Limits,
    /// The steps to convert the defaults of all variables of the module. `None` in test files, which declare none.
    pub(super) work: Option<&'a Budget>,
    /// The findings so far.
    pub(super) findings: &'a mut Vec<Finding>,
}

/// Decodes the blocks of a file.
pub(super) fn file(body: &Body, decoder: &mut Decoder<'_>) -> Declarations {
    let mut declarations = Declarations::default();
    let before = decoder.findings.len();
    let content =
        body.content(&Schema { attributes: &[], blocks: &blocks(decoder.features) }, decoder.findings);
    explain_newer(body, decoder.features, &mut decoder.findings[before..]);
    for block in &content.blocks {
        let from = decoder.findings.len();
        decoder.block(block, &mut declarations);
        set_address(&mut decoder.findings[from..], &block_address(block));
    }
    declarations
}

/// The valid top-level blocks of a file, in source order.
pub fn top_blocks(body: &Body, features: &Features) -> Vec<Arc<Block>> {
    body.matching(&Schema { attributes: &[], blocks: &blocks(features) }).blocks
}

/// Whether a file has a block that is meant for a root module: `backend`, `cloud`, or a `provider` block with
/// arguments.
pub fn shows_root(body: &Body) -> bool {
    let blocks = &[BlockSchema::new("terraform", &[]), BlockSchema::new("provider", &["name"])];
    let content = body.matching(&Schema { attributes: &[], blocks });
    let mut blocks = content.blocks.iter();
    blocks.any(|block| match block.kind.as_str() {
        "terraform" => {
            !block.blocks("backend", &["type"]).is_empty() || !block.blocks("cloud", &[]).is_empty()
        }
        _ => provider::is_configured(block),
    })
}

/// Explains the errors about blocks that newer versions of the engine support. A similar name would be no help.
fn explain_newer(body: &Body, features: &Features, findings: &mut [Finding]) {
    if findings.is_empty() {
        return;
    }
    let (known, newest) = (blocks(features), blocks(&Engine::newest(features.engine.product).features()));
    let is_newer = |kind: &str| {
        let has = |blocks: &[BlockSchema<'_>]| blocks.iter().any(|block| block.kind == kind);
        has(&newest) && !has(&known)
    };
    for block in body.any_blocks().iter().filter(|block| is_newer(&block.kind)) {
        for finding in findings.iter_mut().filter(|finding| finding.primary == Some(block.kind_span)) {
            finding.detail =
                format!("{} has no `{}` blocks, but newer versions do.", features.engine, block.kind);
            finding.help =
                Some("remove the block, or require a newer version with `required_version`".to_owned());
        }
    }
}

/// The block types that are valid at the top level of a file.
fn blocks(features: &Features) -> Vec<BlockSchema<'static>> {
    let known = &features.grammar;
    let newer = [
        (known.moved, BlockSchema::new("moved", &[])),
        (known.removed, BlockSchema::new("removed", &[])),
        (known.import, BlockSchema::new("import", &[])),
        (known.check, BlockSchema::new("check", &["name"])),
        (known.ephemeral, BlockSchema::new("ephemeral", &["type", "name"])),
        (known.action || known.action_dropped, BlockSchema::new("action", &["type", "name"])),
        (known.language, BlockSchema::new("language", &[])),
    ];
    let always = [
        BlockSchema::new("terraform", &[]),
        // Not valid here, but known, so that the error names the right place.
        BlockSchema::new("required_providers", &[]),
        BlockSchema::new("provider", &["name"]),
        BlockSchema::new("variable", &["name"]),
        BlockSchema::new("locals", &[]),
        BlockSchema::new("output", &["name"]),
        BlockSchema::new("module", &["name"]),
        BlockSchema::new("resource", &["type", "name"]),
        BlockSchema::new("data", &["type", "name"]),
    ];
    known_items(&always, &newer)
}

/// The optional arguments that every version of the engine knows, and those of `newer` that this version knows.
fn arguments<'n>(always: &[&'n str], newer: &[(bool, &'n str)]) -> Vec<AttributeSchema<'n>> {
    known_items(always, newer).into_iter().map(AttributeSchema::optional).collect()
}

/// The items that every version of the engine knows, and those of `newer` that this version knows.
fn known_items<T: Copy>(always: &[T], newer: &[(bool, T)]) -> Vec<T> {
    let mut items = Vec::with_capacity(always.len() + newer.len());
    items.extend_from_slice(always);
    items.extend(newer.iter().filter(|(is_known, _)| *is_known).map(|(_, item)| *item));
    items
}

impl Decoder<'_> {
    fn block(&mut self, block: &Arc<Block>, into: &mut Declarations) {
        match block.kind.as_str() {
            "terraform" => self.terraform(block, into),
            "required_providers" => self.misplaced_required_providers(block),
            "provider" => into.providers.extend(self.provider(block)),
            "variable" => into.variables.push(self.variable(block)),
            "locals" => {
                let blocks = block.body.any_blocks();
                into.blocks_in_locals.extend(blocks.iter().map(|block| format!("local.{}", block.kind)));
                into.locals.extend(self.locals(block));
            }
            "output" => into.outputs.push(self.output(block)),
            "module" => into.calls.push(self.call(block)),
            "resource" => into.managed.push(self.managed(block)),
            "data" => into.data.push(self.data(block, None)),
            "ephemeral" => into.ephemeral.push(self.ephemeral(block)),
            "moved" => into.moved.push(self.moved(block)),
            "removed" => into.removed.push(self.removed(block)),
            "import" => into.imports.push(self.import(block)),
            "check" => into.checks.push(self.check(block)),
            "action" if self.features.grammar.action => into.actions.push(self.action(block)),
            "language" => self.language(block, into),
            // The schema allows no other block type.
            _ => {}
        }
    }

    /// Whether the engine reads `required_version` in this file.
    fn reads_required_version(&self) -> bool {
        match self.features.required_version {
            RequiredVersion::EveryFile => true,
            RequiredVersion::TofuFiles => self.tofu_file,
        }
    }
}

//! The declarations of test files and mock files.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use smol_str::SmolStr;

use crate::engine::Features;
use crate::finding::{EngineRule, Finding};
use crate::limits::Limits;
use crate::module::address::{Mode, ModuleStep, MoveEndpoint, ResourceInstance};
use crate::module::config::Config;
use crate::module::declaration::{Condition, Dependency, PassedProvider, Source, Spanned};
use crate::module::decode::{self, Decoder};
use crate::syntax::{Attribute, File};
use crate::text::{FileId, Span};

/// A test file: `*.tftest.hcl`, `*.tftest.json`, or the same with `tofutest`.
#[derive(Debug, Clone, Default)]
pub struct TestFile {
    /// The path relative to the top directory of the run.
    pub path: SmolStr,
    /// The file.
    pub id: Option<FileId>,
    /// Whether the whole file was understood.
    pub complete: bool,
    /// The `variables` block.
    pub variables: BTreeMap<SmolStr, Arc<Attribute>>,
    /// The header of the `variables` block.
    pub variables_block: Option<Span>,
    /// The names of `variable` blocks, each with its header (Terraform 1.13).
    pub declared: BTreeMap<SmolStr, Span>,
    /// `provider` and `mock_provider` blocks, by `name` or `name.alias`.
    pub providers: BTreeMap<SmolStr, TestProvider>,
    /// The `override_resource`, `override_data` and `override_module` blocks outside runs.
    pub overrides: Overrides,
    /// The `run` blocks in source order, including those with an error.
    pub runs: Vec<Run>,
    /// The number of the first run of each name.
    numbers: HashMap<SmolStr, usize>,
}

/// A `provider` or `mock_provider` block of a test file.
#[derive(Debug, Clone)]
pub struct TestProvider {
    /// The local name, which is its label.
    pub name: SmolStr,
    /// `alias`, unless it is empty.
    pub alias: Option<SmolStr>,
    /// The header of the block.
    pub header: Span,
    /// The arguments of a `provider` block.
    pub config: Option<Config>,
    /// The settings of a `mock_provider` block.
    pub mock: Option<Mock>,
}

/// The settings of a `mock_provider` block.
#[derive(Debug, Clone)]
pub struct Mock {
    /// `source`: a directory of mock files, relative to the root module.
    pub source: Option<Spanned<SmolStr>>,
    /// The nested blocks.
    pub data: MockData,
}

/// The blocks of a `mock_provider` block or of a mock file.
#[derive(Debug, Clone, Default)]
pub struct MockData {
    /// The `mock_resource` and `mock_data` blocks, each with its label.
    pub resources: BTreeMap<(Mode, SmolStr), Span>,
    /// `override_resource` and `override_data` blocks.
    pub overrides: Overrides,
}

/// An `override_resource`, `override_data` or `override_module` block.
#[derive(Debug, Clone)]
pub struct Override {
    /// The overridden object.
    pub target: MoveEndpoint,
    /// The whole `target` argument.
    pub argument: Span,
    /// The header of the block.
    pub header: Span,
    /// `outputs` of a module, or `values` of another object.
    pub values: Option<Arc<Attribute>>,
}

/// Overrides of different objects, in source order.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    list: Vec<Override>,
    /// The header of the block for each object.
    headers: HashMap<(Vec<ModuleStep>, Option<ResourceInstance>), Span>,
}

/// `run "name" {}`.
#[derive(Debug, Clone)]
pub struct Run {
    /// The name.
    pub name: SmolStr,
    /// The header of the block.
    pub header: Span,
    /// Whether the block has an error, so that nothing more is reported about it.
    pub is_broken: bool,
    /// Whether it has `command = plan`.
    pub plans: bool,
    /// The `variables` block.
    pub variables: BTreeMap<SmolStr, Arc<Attribute>>,
    /// `override_resource`, `override_data` and `override_module` blocks.
    pub overrides: Overrides,
    /// `providers`.
    pub providers: Vec<PassedProvider>,
    /// `assert` blocks.
    pub asserts: Vec<Condition>,
    /// The module to run instead of the module under test.
    pub module: Option<RunModule>,
    /// `expect_failures`.
    pub expect_failures: Vec<Dependency>,
    /// `replace` in `plan_options`.
    pub replace: Vec<Dependency>,
    /// `target` in `plan_options`.
    pub target: Vec<Dependency>,
    /// Whether `plan_options` has `mode = refresh-only`.
    pub refreshes_only: bool,
}

/// A `module` block in a `run`.
#[derive(Debug, Clone)]
pub struct RunModule {
    /// `source`.
    pub source: Source,
    /// The header of the block.
    pub header: Span,
}

impl TestFile {
    /// Adds a run after the others.
    pub fn add(&mut self, run: Run) {
        self.numbers.entry(run.name.clone()).or_insert(self.runs.len());
        self.runs.push(run);
    }

    /// The number of the first run of this name.
    pub fn number_of(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// Whether the file sets or declares a variable.
    pub(crate) fn names_variable(&self, name: &str) -> bool {
        self.variables.contains_key(name) || self.declared.contains_key(name)
    }

    /// Decodes a test file. Errors go to `findings`.
    pub fn read(
        path: impl Into<SmolStr>,
        file: &File,
        features: &Features,
        limits: &Limits,
        findings: &mut Vec<Finding>,
    ) -> Self {
        let mut decoder = decoder(file, features, limits, findings);
        let test = decode::test_file(&file.body, &mut decoder);
        Self { path: path.into(), id: Some(file.body.span().file), complete: file.complete, ..test }
    }

    /// The mock directories that it names, each with the header of the naming block.
    pub fn mock_directories(&self) -> impl Iterator<Item = (&SmolStr, Span)> {
        self.providers.values().filter_map(|provider| {
            let source = provider.mock.as_ref()?.source.as_ref()?;
            (!source.value.is_empty()).then_some((&source.value, provider.header))
        })
    }
}

impl MockData {
    /// Decodes a mock file. Errors go to `findings`.
    pub fn read(file: &File, features: &Features, limits: &Limits, findings: &mut Vec<Finding>) -> Self {
        decode::mock_file(&file.body, &mut decoder(file, features, limits, findings))
    }

    /// Adds the declarations of the next file in the same directory.
    pub fn add(&mut self, other: Self, findings: &mut Vec<Finding>) {
        for ((mode, kind), label) in other.resources {
            match self.resources.get(&(mode, kind.clone())) {
                Some(first) => {
                    Finding::language(EngineRule::DuplicateDeclaration, "Duplicate mock resource block")
                        .detail(format!("Another file of this directory mocks `{kind}` already."))
                        .at(label)
                        .related(*first, "the first block is here")
                        .push_to(findings);
                }
                None => {
                    self.resources.insert((mode, kind), label);
                }
            }
        }
        for other in other.overrides.list {
            if let Some((other, first)) = self.overrides.add(other) {
                Finding::language(EngineRule::DuplicateDeclaration, "Duplicate override block")
                    .detail(format!("Another file of this directory overrides `{}` already.", other.target))
                    .at(other.header)
                    .related(first, "the first block is here")
                    .push_to(findings);
            }
        }
    }
}

impl Overrides {
    /// Adds an override. If there is one of the same object, returns the new one with the header of the first.
    pub fn add(&mut self, other: Override) -> Option<(Override, Span)> {
        match self.headers.entry((other.target.path.clone(), other.target.resource.clone())) {
            Entry::Occupied(first) => Some((other, *first.get())),
            Entry::Vacant(vacant) => {
                vacant.insert(other.header);
                self.list.push(other);
                None
            }
        }
    }

    /// The overrides.
    pub fn all(&self) -> &[Override] {
        &self.list
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

fn decoder<'d>(
    file: &File,
    features: &'d Features,
    limits: &'d Limits,
    findings: &'d mut Vec<Finding>,
) -> Decoder<'d> {
    Decoder {
        features,
        overriding: false,
        tofu_file: false,
        json: file.body.is_json(),
        in_test: true,
        limits,
        work: None,
        findings,
    }
}

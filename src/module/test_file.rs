//! What a test file and the mock files that it names declare.

use std::collections::BTreeMap;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::engine::Features;
use crate::finding::{EngineRule, Finding};
use crate::limits::Limits;
use crate::module::address::{Mode, MoveEndpoint};
use crate::module::declaration::{Condition, Dependency, PassedProvider, Source, Spanned};
use crate::module::decode::{self, Decoder};
use crate::syntax::{Attribute, File};
use crate::text::{FileId, Span};

/// One test file: `*.tftest.hcl`, `*.tftest.json` and the same with `tofutest`.
#[derive(Debug, Clone, Default)]
pub struct TestFile {
    /// Its path, from the top of the run.
    pub path: SmolStr,
    /// The file.
    pub id: Option<FileId>,
    /// Whether all of it was read.
    pub complete: bool,
    /// What the `variables` block sets.
    pub variables: BTreeMap<SmolStr, Arc<Attribute>>,
    /// The header of that block.
    pub variables_block: Option<Span>,
    /// The names of `variable` blocks, with the header of each (Terraform 1.13).
    pub declared: BTreeMap<SmolStr, Span>,
    /// `provider` and `mock_provider` blocks, by `name` or `name.alias`.
    pub providers: BTreeMap<SmolStr, TestProvider>,
    /// `override_resource`, `override_data` and `override_module` blocks outside of runs.
    pub overrides: Vec<Override>,
    /// `run` blocks, in order; those with an error in them too.
    pub runs: Vec<Run>,
}

/// A `provider` or `mock_provider` block of a test file.
#[derive(Debug, Clone)]
pub struct TestProvider {
    /// Its label: a local name.
    pub name: SmolStr,
    /// How the engines point at it.
    pub header: Span,
    /// What a `mock_provider` block has beside it.
    pub mock: Option<Mock>,
}

/// What is special about a `mock_provider` block.
#[derive(Debug, Clone)]
pub struct Mock {
    /// `source`: a directory of mock files, from the directory of the root module.
    pub source: Option<Spanned<SmolStr>>,
    /// What stands in the block.
    pub data: MockData,
}

/// The blocks of a `mock_provider` block or of a mock file.
#[derive(Debug, Clone, Default)]
pub struct MockData {
    /// `mock_resource` and `mock_data` blocks, with the label of each.
    pub resources: BTreeMap<(Mode, SmolStr), Span>,
    /// `override_resource` and `override_data` blocks.
    pub overrides: Vec<Override>,
}

/// An `override_resource`, `override_data` or `override_module` block.
#[derive(Debug, Clone)]
pub struct Override {
    /// What it overrides.
    pub target: MoveEndpoint,
    /// The whole `target` argument.
    pub argument: Span,
    /// How the engines point at the block.
    pub header: Span,
}

/// `run "name" {}`.
#[derive(Debug, Clone)]
pub struct Run {
    /// Its label.
    pub name: SmolStr,
    /// How the engines point at it.
    pub header: Span,
    /// Whether there is an error in it, so that nothing more can be said about it.
    pub is_broken: bool,
    /// Whether it plans only.
    pub plans: bool,
    /// The `variables` block.
    pub variables: BTreeMap<SmolStr, Arc<Attribute>>,
    /// `override_resource`, `override_data` and `override_module` blocks.
    pub overrides: Vec<Override>,
    /// `providers`.
    pub providers: Vec<PassedProvider>,
    /// `assert` blocks.
    pub asserts: Vec<Condition>,
    /// The module that it runs in place of the module under test.
    pub module: Option<RunModule>,
    /// `expect_failures`.
    pub expect_failures: Vec<Dependency>,
    /// `replace` of its `plan_options`.
    pub replace: Vec<Dependency>,
    /// `target` of its `plan_options`.
    pub target: Vec<Dependency>,
}

/// A `module` block in a `run`.
#[derive(Debug, Clone)]
pub struct RunModule {
    /// `source`.
    pub source: Source,
    /// How the engines point at the block.
    pub header: Span,
}

impl TestFile {
    /// Decodes a test file; what is wrong with it goes to `findings`.
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

    /// The directories of mock files that it names, each with the header of the block that does.
    pub fn mock_directories(&self) -> impl Iterator<Item = (&SmolStr, Span)> {
        self.providers.values().filter_map(|provider| {
            let source = provider.mock.as_ref()?.source.as_ref()?;
            (!source.value.is_empty()).then_some((&source.value, provider.header))
        })
    }
}

impl MockData {
    /// Decodes a mock file; what is wrong with it goes to `findings`.
    pub fn read(file: &File, features: &Features, limits: &Limits, findings: &mut Vec<Finding>) -> Self {
        decode::mock_file(&file.body, &mut decoder(file, features, limits, findings))
    }

    /// Adds what the next file of the same directory declares.
    pub fn add(&mut self, other: Self, findings: &mut Vec<Finding>) {
        for ((mode, kind), label) in other.resources {
            match self.resources.get(&(mode, kind.clone())) {
                Some(first) => findings.push(
                    Finding::language(EngineRule::DuplicateDeclaration, "Duplicate mock resource block")
                        .detail(format!("Another file of this directory mocks `{kind}` already."))
                        .at(label)
                        .related(*first, "the first block is here"),
                ),
                None => {
                    self.resources.insert((mode, kind), label);
                }
            }
        }
        for other in other.overrides {
            match self.overrides.iter().find(|first| first.has_target_of(&other)) {
                Some(first) => findings.push(
                    Finding::language(EngineRule::DuplicateDeclaration, "Duplicate override block")
                        .detail(format!(
                            "Another file of this directory overrides `{}` already.",
                            other.target
                        ))
                        .at(other.header)
                        .related(first.header, "the first block is here"),
                ),
                None => self.overrides.push(other),
            }
        }
    }
}

impl Override {
    /// Whether both override the same.
    pub fn has_target_of(&self, other: &Self) -> bool {
        self.target.path == other.target.path && self.target.resource == other.target.resource
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
        findings,
    }
}

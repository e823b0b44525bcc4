//! Decodes test files and mock files.

use std::sync::Arc;

use crate::engine::{Product, RunSubject};
use crate::finding::{EngineRule, Finding, set_address};
use crate::module::address::block_address;
use crate::module::declaration::compact_name;
use crate::module::decode::{Decoder, arguments, known_items};
use crate::module::test_file::{MockData, TestFile, TestProvider};
use crate::syntax::{Attribute, Block, BlockSchema, Body, Schema};
use crate::text::Span;

const TEST: BlockSchema<'_> = BlockSchema::new("test", &[]);

/// Decodes the blocks of a test file.
pub(in crate::module) fn test_file(body: &Body, decoder: &mut Decoder<'_>) -> TestFile {
    let mut test = TestFile::default();
    let mut body = body.clone();
    if decoder.features.grammar.parallel_runs {
        let schema = Schema { attributes: &[], blocks: &[TEST] };
        let (content, rest) = body.partial_content(&schema, decoder.findings);
        let before = decoder.findings.len();
        decoder.test_settings(&content.blocks);
        if decoder.failed_since(before) {
            return test;
        }
        body = rest;
    }
    let content = body.content(&Schema { attributes: &[], blocks: &blocks(decoder) }, decoder.findings);
    for block in &content.blocks {
        let from = decoder.findings.len();
        decoder.test_block(block, &mut test);
        set_address(&mut decoder.findings[from..], &block_address(block));
    }
    test
}

/// Decodes the blocks of a mock file.
pub(in crate::module) fn mock_file(body: &Body, decoder: &mut Decoder<'_>) -> MockData {
    decoder.mock_data(body)
}

/// The block types that are valid at the top level of a test file.
fn blocks(decoder: &Decoder<'_>) -> Vec<BlockSchema<'static>> {
    let known = &decoder.features.grammar;
    let always = [
        BlockSchema::new("run", &["name"]),
        BlockSchema::new("provider", &["name"]),
        BlockSchema::new("variables", &[]),
    ];
    let newer = [
        (known.mocks, BlockSchema::new("mock_provider", &["name"])),
        (known.mocks, BlockSchema::new("override_resource", &[])),
        (known.mocks, BlockSchema::new("override_data", &[])),
        (known.mocks, BlockSchema::new("override_module", &[])),
        (known.test_variables, BlockSchema::new("variable", &["name"])),
    ];
    known_items(&always, &newer)
}

impl Decoder<'_> {
    fn test_block(&mut self, block: &Arc<Block>, into: &mut TestFile) {
        match block.kind.as_str() {
            "run" => self.named_run(block, into),
            "variables" => self.file_variables(block, into),
            "variable" => self.file_variable(block, into),
            "provider" => {
                if let Some(provider) = self.provider(block) {
                    let provider = TestProvider {
                        name: provider.name,
                        alias: self.alias_of(block),
                        header: block.header,
                        config: Some(provider.config),
                        mock: None,
                    };
                    self.test_provider(provider, into);
                }
            }
            "mock_provider" => {
                if let Some(provider) = self.mock_provider(block) {
                    self.test_provider(provider, into);
                }
            }
            _ => {
                let target = self.override_block(block);
                self.add_override(target, &block.kind, &mut into.overrides);
            }
        }
    }

    /// The alias of a `provider` block that was already decoded.
    fn alias_of(&self, block: &Block) -> Option<smol_str::SmolStr> {
        let attribute = block.attribute("alias")?;
        crate::value::text(&attribute.expr, self.limits, &mut Vec::new()).filter(|alias| !alias.is_empty())
    }

    /// The `test {}` block, which may occur once.
    fn test_settings(&mut self, blocks: &[Arc<Block>]) {
        let before = self.findings.len();
        let summary = "Multiple \"test\" blocks";
        let Some(block) = self.first_of(blocks.iter(), summary, EngineRule::DuplicateDeclaration) else {
            return;
        };
        if self.failed_since(before) {
            return;
        }
        let attributes = arguments(&["parallel"], &[(self.features.grammar.run_backend, "skip_cleanup")]);
        let content = block.body.content(&Schema { attributes: &attributes, blocks: &[] }, self.findings);
        self.flag(&content, "parallel");
        self.skip_cleanup(&content);
    }

    fn named_run(&mut self, block: &Arc<Block>, into: &mut TestFile) {
        let run = self.run(block);
        let first = into.number_of(&run.name).map(|number| &into.runs[number]);
        if let Some((first, subject)) = first.zip(self.features.duplicate_run_subject) {
            let at = match subject {
                RunSubject::Header => block.header,
                RunSubject::Label => block.labels[0].span,
            };
            Finding::language(EngineRule::DuplicateDeclaration, "Duplicate \"run\" block names")
                .detail(format!("This test file already has a run named `{}`.", run.name))
                .at(at)
                .related(first.header, "the first run of this name is here")
                .push_to(self.findings);
        }
        into.add(run);
    }

    /// The `variables` block of a file.
    fn file_variables(&mut self, block: &Arc<Block>, into: &mut TestFile) {
        if self.is_second(block, &mut into.variables_block) {
            return;
        }
        for attribute in block.body.just_attributes(self.findings) {
            if let Some(header) = into.declared.get(&attribute.name) {
                self.findings
                    .push(declared_twice(&attribute.name, *header).related(attribute.span, "set here"));
            }
            into.variables.insert(attribute.name.clone(), attribute);
        }
    }

    /// Reports a second `variables` block. Returns whether this is one.
    pub(super) fn is_second(&mut self, block: &Arc<Block>, first: &mut Option<Span>) -> bool {
        let Some(first) = *first else {
            *first = Some(block.header);
            return false;
        };
        self.findings.push(multiple(block, first));
        true
    }

    /// A `variable` block of a test file.
    fn file_variable(&mut self, block: &Arc<Block>, into: &mut TestFile) {
        let before = self.findings.len();
        let variable = self.variable(block);
        if self.failed_since(before) {
            return;
        }
        let set: Option<&Arc<Attribute>> = into.variables.get(&variable.name);
        if let Some(first) = into.declared.get(&variable.name) {
            declared_twice(&variable.name, block.header)
                .related(*first, "the first block is here")
                .push_to(self.findings);
            return;
        }
        if let Some(set) = set {
            self.findings.push(declared_twice(&variable.name, block.header).related(set.span, "set here"));
        }
        into.declared.insert(variable.name, block.header);
    }

    fn test_provider(&mut self, provider: TestProvider, into: &mut TestFile) {
        let key = compact_name(&provider.name, provider.alias.as_deref());
        let first = into.providers.get(&key);
        let terraform = self.features.engine.product == Product::Terraform;
        let is_mock = provider.mock.is_some();
        let Some(first) = first.filter(|first| terraform || first.mock.is_some() == is_mock) else {
            into.providers.insert(key, provider);
            return;
        };
        let summary = match self.features.engine.product {
            Product::Terraform => "Duplicate provider block",
            Product::OpenTofu if is_mock => "Duplicated `mock_provider` block",
            // The last one counts.
            Product::OpenTofu => {
                into.providers.insert(key, provider);
                return;
            }
        };
        Finding::language(EngineRule::DuplicateDeclaration, summary)
            .detail(format!("This test file already defines the provider `{key}`."))
            .at(provider.header)
            .related(first.header, "the first block is here")
            .help("remove one of them, or give it an `alias`")
            .push_to(self.findings);
    }
}

/// The error for the second block of a type that may occur once.
pub(super) fn multiple(block: &Block, first: Span) -> Finding {
    Finding::language(EngineRule::DuplicateDeclaration, format!("Multiple \"{}\" blocks", block.kind))
        .detail(format!("Only one `{}` block is allowed here.", block.kind))
        .at(block.header)
        .related(first, "the first block is here")
}

fn declared_twice(name: &str, at: Span) -> Finding {
    Finding::language(EngineRule::DuplicateDeclaration, "Duplicate \"variable\" block names")
        .detail(format!("This test file sets or declares the variable `{name}` more than once."))
        .at(at)
}

//! Decodes `run` blocks of test files.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::finding::{EngineRule, Finding};
use crate::module::address::ModuleSource;
use crate::module::declaration::Dependency;
use crate::module::decode::test_file::multiple;
use crate::module::decode::{Decoder, arguments, known_items};
use crate::module::test_file::{Overrides, Run, RunModule};
use crate::syntax::{Block, BlockSchema, Content, Schema};

impl Decoder<'_> {
    pub(super) fn run(&mut self, block: &Arc<Block>) -> Run {
        let before = self.findings.len();
        let content = self.run_content(block);
        let label = &block.labels[0];
        if self.features.run_names_checked {
            self.name(label, "Invalid run block name");
        }
        let mut run = Run {
            name: label.text.clone(),
            header: block.header,
            is_broken: false,
            plans: false,
            variables: BTreeMap::new(),
            overrides: Overrides::default(),
            providers: Vec::new(),
            asserts: Vec::new(),
            module: None,
            expect_failures: Vec::new(),
            replace: Vec::new(),
            target: Vec::new(),
            refreshes_only: false,
        };
        self.run_blocks(&content, &mut run);
        run.plans = self.one_word(&content, "command", &["apply", "plan"]) == Some("plan");
        if let Some(attribute) = content.attribute("providers") {
            run.providers = self.passed_providers(&attribute.expr);
        }
        run.expect_failures = self.references(&content, "expect_failures");
        self.text(&content, "state_key");
        self.flag(&content, "parallel");
        self.skip_cleanup(&content);
        run.is_broken = self.failed_since(before);
        run
    }

    fn run_content(&mut self, block: &Block) -> Content {
        let known = &self.features.grammar;
        let newer = [
            (known.state_key, "state_key"),
            (known.parallel_runs, "parallel"),
            (known.run_backend, "skip_cleanup"),
        ];
        let attributes = arguments(&["command", "providers", "expect_failures"], &newer);
        let always =
            ["plan_options", "assert", "variables", "module"].map(|kind| BlockSchema::new(kind, &[]));
        let newer = [
            (known.mocks, BlockSchema::new("override_resource", &[])),
            (known.mocks, BlockSchema::new("override_data", &[])),
            (known.mocks, BlockSchema::new("override_module", &[])),
            (known.run_backend, BlockSchema::new("backend", &["name"])),
        ];
        let blocks = known_items(&always, &newer);
        block.body.content(&Schema { attributes: &attributes, blocks: &blocks }, self.findings)
    }

    fn run_blocks(&mut self, content: &Content, run: &mut Run) {
        let mut variables = None;
        let mut options = None;
        let mut module = None;
        for block in &content.blocks {
            let before = self.findings.len();
            match block.kind.as_str() {
                "assert" => {
                    let condition = self.condition(block);
                    if !self.failed_since(before) {
                        run.asserts.push(condition);
                    }
                }
                "plan_options" => {
                    if let Some(first) = options {
                        self.findings.push(multiple(block, first));
                        continue;
                    }
                    let read = self.plan_options(block);
                    // As in the engine, one with an error is dropped.
                    if !self.failed_since(before) {
                        options = Some(block.header);
                        (run.replace, run.target, run.refreshes_only) = read;
                    }
                }
                "variables" => {
                    if !self.is_second(block, &mut variables) {
                        let set = block.body.just_attributes(self.findings);
                        run.variables =
                            set.into_iter().map(|attribute| (attribute.name.clone(), attribute)).collect();
                    }
                }
                "module" => {
                    if let Some(first) = module {
                        self.findings.push(multiple(block, first));
                    }
                    let before = self.findings.len();
                    let read = self.run_module(block);
                    if !self.failed_since(before) {
                        module = Some(block.header);
                        run.module = read;
                    }
                }
                "backend" => Finding::language(EngineRule::UnsupportedBlockOrArgument, "Invalid block")
                    .detail("Only experimental builds of Terraform know `backend` in a `run` block.")
                    .at(block.header)
                    .push_to(self.findings),
                _ => {
                    let target = self.override_block(block);
                    self.add_override(target, &block.kind, &mut run.overrides);
                }
            }
        }
    }

    /// `skip_cleanup`, which stable releases know but refuse.
    pub(super) fn skip_cleanup(&mut self, content: &Content) {
        if let Some(attribute) = content.attribute("skip_cleanup") {
            Finding::language(EngineRule::UnsupportedBlockOrArgument, "Invalid attribute")
                .detail("Only experimental builds of Terraform know `skip_cleanup`.")
                .at(attribute.name_span)
                .push_to(self.findings);
            self.flag(content, "skip_cleanup");
        }
    }

    /// A keyword argument that takes one of `words`.
    fn one_word<'w>(&mut self, content: &Content, name: &str, words: &[&'w str]) -> Option<&'w str> {
        let attribute = content.attribute(name)?;
        let word = attribute.expr.keyword();
        let known = words.iter().find(|known| word.as_deref() == Some(**known)).copied();
        if known.is_none() && !attribute.is_broken && !attribute.expr.is_unread() {
            let words: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
            Finding::language(EngineRule::InvalidValue, format!("Invalid \"{name}\" keyword"))
                .detail(format!("`{name}` takes {}, without quotes.", words.join(" or ")))
                .at(attribute.expr.span)
                .push_to(self.findings);
        }
        known
    }

    /// `replace`, `target`, and whether the run only refreshes the state.
    fn plan_options(&mut self, block: &Block) -> (Vec<Dependency>, Vec<Dependency>, bool) {
        let attributes = arguments(&["mode", "refresh", "replace", "target"], &[]);
        let content = block.body.content(&Schema { attributes: &attributes, blocks: &[] }, self.findings);
        let mode = self.one_word(&content, "mode", &["normal", "refresh-only"]);
        let refresh = self.flag(&content, "refresh").is_none_or(|refresh| refresh.value);
        let replace = self.references(&content, "replace");
        let target = self.references(&content, "target");
        if let Some(attribute) = content.attribute("refresh")
            && !refresh
            && mode == Some("refresh-only")
        {
            Finding::language(EngineRule::InvalidValue, "Incompatible plan options")
                .detail("`refresh = false` and `mode = refresh-only` exclude each other.")
                .at(attribute.span)
                .help("remove one of them")
                .push_to(self.findings);
        }
        (replace, target, mode == Some("refresh-only"))
    }

    /// The module that a run executes instead of the one under test.
    fn run_module(&mut self, block: &Arc<Block>) -> Option<RunModule> {
        let attributes = arguments(&["source", "version"], &[]);
        let content = block.body.content(&Schema { attributes: &attributes, blocks: &[] }, self.findings);
        let version = content.attribute("version");
        if let Some(version) = version {
            self.version_constraint(version);
        }
        let Some(attribute) = content.attribute("source") else {
            Finding::language(EngineRule::MissingArgument, "Missing \"source\" attribute for module block")
                .detail("A `module` block in a run must have a `source`.")
                .at(block.header)
                .help("set `source`, or remove the block to run the module under test")
                .push_to(self.findings);
            return None;
        };
        let source = self.source(&attribute.expr, attribute.span, version.map(|version| version.span));
        if matches!(source.address, Some(ModuleSource::Remote(_))) && !self.features.run_module_from_anywhere
        {
            Finding::language(EngineRule::InvalidModuleSource, "Invalid module source address")
                .detail("A run can only load a module from a local path or from a registry.")
                .at(attribute.span)
                .push_to(self.findings);
        }
        Some(RunModule { source, header: block.header })
    }
}

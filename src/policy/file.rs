//! Reads one policy file.

use std::collections::BTreeMap;
use std::sync::Arc;

use smol_str::SmolStr;

use super::argument::{invalid_pattern, texts, written};
use super::common::Common;
use super::definition::{self, Definition};
use super::exception;
use super::fault::{INVALID_POLICY, fault, unknown};
use super::reader::Reader;
use super::{FailOn, Globs, Level, Policy};
use crate::engine::{Choice, ChoiceError, Engine, Product};
use crate::finding::{Category, Finding};
use crate::graph::Role;
use crate::limits::{Limit, Limits};
use crate::module::top_blocks;
use crate::syntax::{self, Attribute, Block, BlockSchema, Body, Content, Notation, Schema};
use crate::text::{FileId, Source, Span};

/// The content of one policy file.
#[derive(Debug, Default)]
pub(super) struct File {
    /// The policies that it extends, in order. `None` if not set.
    pub(super) extends: Option<Vec<(SmolStr, Span)>>,
    /// What it sets itself, other than the rules.
    pub(super) own: Policy,
    /// The rules in `paths` blocks come last.
    pub(super) rules: Vec<RuleBlock>,
    pub(super) has_syntax_error: bool,
}

/// A `rule` block.
#[derive(Debug, Clone)]
pub(super) struct RuleBlock {
    /// The name of the rule: the second label for a custom rule.
    pub(super) rule: SmolStr,
    pub(super) name_span: Span,
    /// The header of the block.
    pub(super) header: Span,
    /// The line, from 1.
    pub(super) line: usize,
    /// The definition of a custom rule.
    pub(super) definition: Option<Arc<Definition>>,
    /// The paths. `None` for all.
    pub(super) paths: Option<Arc<Globs>>,
    pub(super) level: Option<Level>,
    pub(super) level_span: Option<Span>,
    pub(super) common: Common,
    pub(super) options: Vec<Arc<Attribute>>,
}

const BLOCKS: &[BlockSchema<'static>] = &[
    BlockSchema::new("policy", &[]),
    BlockSchema::new("role", &["role"]),
    RULE,
    BlockSchema::new("paths", &["pattern"]),
    BlockSchema::new("exception", &["rule"]),
    BlockSchema::new("exceptions", &["place"]),
    BlockSchema::new("limits", &[]),
];
const RULE: BlockSchema<'static> =
    BlockSchema::new("rule", &["name"]).and_maybe(&["the rule template and the name of a custom rule"]);

/// Reads a policy. Each mistake, including a syntax error, is a finding of one rule.
pub(super) fn read(id: FileId, source: &Source, findings: &mut Vec<Finding>) -> File {
    let mut wrong = Vec::new();
    let read = Reader { source, findings: &mut wrong }.file(id);
    findings.extend(wrong.into_iter().map(|finding| Finding {
        rule: INVALID_POLICY,
        category: Category::Policy,
        module: SmolStr::default(),
        ..finding
    }));
    read
}

impl Reader<'_> {
    fn file(&mut self, id: FileId) -> File {
        let (file, wrong) = syntax::parse(id, self.source, Notation::Native, &Limits::default());
        if let Some(first) = wrong.into_iter().min_by_key(|finding| finding.primary.map(|at| at.start)) {
            // All further mistakes may follow from this one.
            self.findings.push(first);
            return File { has_syntax_error: true, ..File::default() };
        }
        let content = file.body.content(&Schema { attributes: &[], blocks: BLOCKS }, self.findings);
        self.modules(&file.body);
        let mut read = File::default();
        self.policy(&content, &mut read);
        self.limits(&content, &mut read.own.limits);
        for block in content.blocks_of("role") {
            read.own.roles.extend(self.role(block));
        }
        for block in content.blocks_of("rule") {
            read.rules.extend(self.rule(block, None));
        }
        for block in content.blocks_of("paths") {
            self.paths(block, &mut read.rules);
        }
        for block in content.blocks_of("exception") {
            read.own.exceptions.extend(exception::read(block, self));
        }
        for block in content.blocks_of("exceptions") {
            read.own.comments = exception::allows_comments(block, self).or(read.own.comments);
        }
        read
    }

    /// Adds help to the findings for blocks of a module.
    fn modules(&mut self, file: &Body) {
        let blocks = top_blocks(file, &Engine::newest(Product::Terraform).features());
        let of_module = |at: Span| blocks.iter().any(|block| block.kind_span == at);
        for finding in self.findings.iter_mut().filter(|finding| finding.primary.is_some_and(of_module)) {
            finding.help = Some(
                "this block belongs into a Terraform file; name a policy file, such as `overrule.hcl`"
                    .to_owned(),
            );
        }
    }

    fn policy(&mut self, content: &Content, read: &mut File) {
        let Some(block) = self.only_block(content, "policy") else { return };
        let content = self.arguments(block, &["extends", "engine", "exclude", "fail_on"], &[]);
        if let Some(attribute) = content.attribute("extends") {
            read.extends = self.kept(texts("extends", &attribute.expr));
        }
        if let Some(attribute) = content.attribute("engine") {
            let invalid = |error: ChoiceError| {
                fault("Invalid engine", attribute.expr.span)
                    .detail(format!("{}.", error.what))
                    .help(error.help)
            };
            let choice = self.text(attribute).map(|word| Choice::parse(&word).map_err(invalid));
            read.own.engine = choice.and_then(|choice| self.kept(choice));
        }
        read.own.exclude = self.globs(&content, "exclude");
        if let Some(attribute) = content.attribute("fail_on") {
            read.own.fail_on = self.word(attribute, &FailOn::ALL.map(FailOn::word)).and_then(FailOn::of);
        }
    }

    fn limits(&mut self, content: &Content, limits: &mut BTreeMap<Limit, u64>) {
        let Some(block) = self.only_block(content, "limits") else { return };
        for attribute in block.body.just_attributes(self.findings) {
            limits.extend(self.kept(limit(&attribute)));
        }
    }

    /// The only block of a kind. A second one is a mistake.
    fn only_block<'c>(&mut self, content: &'c Content, kind: &'c str) -> Option<&'c Block> {
        let mut blocks = content.blocks_of(kind);
        let block = blocks.next()?;
        if let Some(second) = blocks.next() {
            fault(format!("Duplicate {kind} block"), second.header)
                .detail(format!("A policy can have only one `{kind}` block."))
                .related(block.header, "declared here first")
                .push_to(self.findings);
        }
        Some(block)
    }

    fn role(&mut self, block: &Block) -> Option<(Role, Globs)> {
        let label = block.labels.first()?;
        let role = Role::of(&label.text);
        if role.is_none() {
            self.findings.push(unknown("role", &label.text, Role::ALL.map(Role::word), label.span));
        }
        let required: &[&str] = if role.is_some() { &["paths"] } else { &[] };
        let content = self.arguments(block, &["paths"], required);
        role.zip(self.some_paths(&content, "name a directory, or remove the block"))
    }

    fn paths(&mut self, block: &Block, rules: &mut Vec<RuleBlock>) {
        let before = self.findings.len();
        let content = block.body.content(&Schema { attributes: &[], blocks: &[RULE] }, self.findings);
        self.help_with_arguments(before, || {
            "a `paths` block has only `rule` blocks; options of a rule belong there".to_owned()
        });
        let Some(label) = block.labels.first() else { return };
        let globs =
            Globs::new([label.text.as_str()]).map_err(|invalid| invalid_pattern(invalid.why, label.span));
        let Some(globs) = self.kept(globs).map(Arc::new) else { return };
        for rule in content.blocks_of("rule") {
            rules.extend(self.rule(rule, Some(&globs)));
        }
    }

    fn rule(&mut self, block: &Block, paths: Option<&Arc<Globs>>) -> Option<RuleBlock> {
        let name = block.labels.last()?;
        let definition = match block.labels.as_slice() {
            [kind, name] => Some(Arc::new(definition::read(block, kind, name, self))),
            _ => None,
        };
        // The blocks in it belong to the definition, which has read them.
        let mut no_arguments = Vec::new();
        let mut options = block.body.just_attributes(&mut no_arguments);
        if definition.is_none() {
            self.findings.append(&mut no_arguments);
        }
        let at = options.iter().position(|attribute| attribute.name == "level");
        let level = at.map(|at| options.remove(at));
        let common = Common::take(&mut options, self);
        Some(RuleBlock {
            rule: name.text.clone(),
            name_span: name.span,
            header: block.header,
            definition,
            line: self.source.position(block.header.start).line,
            paths: paths.cloned(),
            level_span: level.as_ref().map(|attribute| attribute.expr.span),
            level: level
                .and_then(|level| self.word(&level, &Level::ALL.map(Level::word)).and_then(Level::of)),
            common,
            options,
        })
    }
}

fn limit(attribute: &Attribute) -> Result<(Limit, u64), Finding> {
    let name = attribute.name.as_str();
    let Some(limit) = Limit::of(name) else {
        return Err(unknown("limit", name, Limit::ALL.map(Limit::name), attribute.name_span));
    };
    let given = written(&attribute.expr).unwrap_or_default();
    let value = limit.read(&given).map_err(|(why, order)| {
        fault(format!("Invalid `{name}`"), attribute.expr.span).detail(why).help(order)
    });
    Ok((limit, value?))
}

/// Whether a file is a policy with custom rules. Other files use the same syntax.
pub fn makes_rules(id: FileId, source: &Source) -> bool {
    let (file, _) = syntax::parse(id, source, Notation::Native, &Limits::default());
    file.body.any_blocks().iter().any(|block| block.kind == RULE.kind && block.labels.len() > 1)
}

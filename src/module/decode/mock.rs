//! Decodes `mock_provider` and `override_*` blocks.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::engine::Product;
use crate::finding::{EngineRule, Finding};
use crate::module::address::{Mode, MoveEndpoint, move_endpoint};
use crate::module::declaration::Spanned;
use crate::module::decode::{Decoder, arguments};
use crate::module::test_file::{Mock, MockData, Override, Overrides, TestProvider};
use crate::syntax::{Attribute, AttributeSchema, Block, BlockSchema, Body, Content, Schema};
use crate::text::{Span, is_identifier};
use crate::value::{self, Type};

const DATA: [BlockSchema<'_>; 4] = [
    BlockSchema::new("mock_resource", &["type"]),
    BlockSchema::new("mock_data", &["type"]),
    BlockSchema::new("override_resource", &[]),
    BlockSchema::new("override_data", &[]),
];

impl Decoder<'_> {
    /// A `mock_provider` block. Returns `None` if the name is invalid.
    pub(super) fn mock_provider(&mut self, block: &Arc<Block>) -> Option<TestProvider> {
        let known = &self.features.grammar;
        let newer = [
            (known.mock_source, "source"),
            (known.state_key, "override_during"),
            (known.mock_for_each, "for_each"),
        ];
        let attributes = arguments(&["alias"], &newer);
        let schema = Schema { attributes: &attributes, blocks: &[] };
        let (content, rest) = block.body.partial_content(&schema, self.findings);
        let label = block.labels.first()?;
        if !self.local_name(&label.text, block.header) {
            return None;
        }
        let alias = self.text(&content, "alias");
        if let Some(alias) = &alias {
            self.mock_alias(alias);
        }
        self.mock_for_each(&content, alias.as_ref());
        self.override_during(&content);
        let data = self.mock_data(&rest);
        let source = self.text(&content, "source");
        let mock = Some(Mock { source, data });
        let alias = alias.map(|alias| alias.value).filter(|alias| !alias.is_empty());
        Some(TestProvider { name: label.text.clone(), alias, header: block.header, config: None, mock })
    }

    fn mock_alias(&mut self, alias: &Spanned<SmolStr>) {
        match self.features.engine.product {
            Product::Terraform => self.alias(alias),
            Product::OpenTofu if !is_identifier(&alias.value) => {
                Finding::language(EngineRule::InvalidName, "Invalid mock provider configuration alias")
                    .detail(format!("`{}` is not a name.", alias.value))
                    .at(alias.span)
                    .push_to(self.findings);
            }
            Product::OpenTofu => {}
        }
    }

    fn mock_for_each(&mut self, content: &Content, alias: Option<&Spanned<SmolStr>>) {
        if let Some(for_each) = content.attribute("for_each")
            && alias.is_none_or(|alias| alias.value.is_empty())
        {
            Finding::language(
                EngineRule::InvalidProviderConfiguration,
                "Alias required when using \"for_each\"",
            )
            .detail("Only a provider configuration with an alias can have `for_each`.")
            .at(for_each.expr.span)
            .push_to(self.findings);
        }
    }

    /// The blocks in a `mock_provider` block or a mock file.
    pub(super) fn mock_data(&mut self, body: &Body) -> MockData {
        let content = body.content(&Schema { attributes: &[], blocks: &DATA }, self.findings);
        let mut data = MockData::default();
        for block in &content.blocks {
            match block.kind.as_str() {
                "mock_resource" => self.mock_resource(Mode::Managed, block, &mut data),
                "mock_data" => self.mock_resource(Mode::Data, block, &mut data),
                _ => {
                    let target = self.override_block(block);
                    self.add_override(target, &block.kind, &mut data.overrides);
                }
            }
        }
        data
    }

    fn mock_resource(&mut self, mode: Mode, block: &Arc<Block>, into: &mut MockData) {
        let attributes = arguments(&["defaults"], &[(self.features.grammar.state_key, "override_during")]);
        let content = block.body.content(&Schema { attributes: &attributes, blocks: &[] }, self.findings);
        if let Some(defaults) = content.attribute("defaults") {
            match self.features.engine.product {
                Product::Terraform => {
                    self.mock_value(defaults);
                }
                Product::OpenTofu => self.opentofu_object(defaults),
            }
        }
        self.override_during(&content);
        let label = &block.labels[0];
        let key = (mode, label.text.clone());
        match into.resources.get(&key) {
            Some(first) => {
                let summary = match self.features.engine.product {
                    Product::Terraform => format!("Duplicate {} block", block.kind),
                    Product::OpenTofu => format!("Duplicated `{}` block", block.kind),
                };
                Finding::language(EngineRule::DuplicateDeclaration, summary)
                    .detail(format!("`{}` is mocked twice here.", label.text))
                    .at(label.span)
                    .related(*first, "the first block is here")
                    .push_to(self.findings);
            }
            None => {
                into.resources.insert(key, label.span);
            }
        }
    }

    /// The type of a value that the loader evaluates. Returns `None` if it does not.
    fn mock_value(&mut self, attribute: &Attribute) -> Option<Type> {
        if !self.features.mock_values_at_load || attribute.is_broken {
            return None;
        }
        Some(value::constant_within(self.limits, &attribute.expr, self.findings).ty())
    }

    fn opentofu_object(&mut self, attribute: &Attribute) {
        let before = self.findings.len();
        let ty = self.mock_value(attribute);
        if ty.is_some_and(|ty| !is_object(&ty)) && !self.failed_since(before) {
            Finding::language(EngineRule::InvalidValue, "Object expected")
                .detail(format!("`{}` must be an object.", attribute.name))
                .at(attribute.span)
                .push_to(self.findings);
        }
    }

    fn override_during(&mut self, content: &Content) {
        let Some(attribute) = content.attribute("override_during").filter(|given| !given.is_broken) else {
            return;
        };
        let word = attribute.expr.keyword();
        if !matches!(word.as_deref(), Some("apply" | "plan")) && !attribute.expr.is_unread() {
            Finding::language(EngineRule::InvalidValue, "Invalid override_during value")
                .detail("`override_during` takes `apply` or `plan`, without quotes.")
                .at(attribute.span)
                .push_to(self.findings);
        }
    }

    /// An `override_*` block. Returns `None` if its target is invalid or of the wrong type.
    pub(super) fn override_block(&mut self, block: &Arc<Block>) -> Option<Override> {
        let values = if block.kind == "override_module" { "outputs" } else { "values" };
        let opentofu = self.features.engine.product == Product::OpenTofu;
        let mut attributes = vec![AttributeSchema { name: "target", required: opentofu }];
        attributes.extend(arguments(&[values], &[(self.features.grammar.state_key, "override_during")]));
        let content = block.body.content(&Schema { attributes: &attributes, blocks: &[] }, self.findings);
        let target = content.attribute("target");
        if target.is_none() && !opentofu {
            Finding::language(EngineRule::MissingArgument, "Missing target attribute")
                .detail(format!("`{}` must have a `target`.", block.kind))
                .at(block.header)
                .help("set `target` to the address that is overridden")
                .push_to(self.findings);
        }
        let endpoint = target.and_then(|attribute| self.override_target(attribute));
        if let Some(attribute) = content.attribute(values) {
            if opentofu {
                self.opentofu_object(attribute);
            } else if self.mock_value(attribute).is_some_and(|ty| !is_object(&ty)) {
                Finding::language(EngineRule::InvalidValue, format!("Invalid {values} attribute"))
                    .detail(format!("`{values}` must be an object."))
                    .at(attribute.span)
                    .push_to(self.findings);
            }
        }
        self.override_during(&content);
        let (endpoint, attribute) = endpoint.zip(target)?;
        let values = content.attribute(values).cloned();
        let target = Override { target: endpoint, argument: attribute.span, header: block.header, values };
        // OpenTofu accepts any resource in either block.
        (opentofu || self.is_of_kind(&target, block)).then_some(target)
    }

    fn override_target(&mut self, attribute: &Attribute) -> Option<MoveEndpoint> {
        if attribute.is_broken {
            return None;
        }
        let traversal = attribute.expr.static_traversal(self.findings)?;
        let of_test = |finding| Finding { rule: EngineRule::InvalidTest.id(), ..finding };
        move_endpoint(&traversal, self.features)
            .map_err(|wrong| self.findings.extend(wrong.into_iter().map(of_test)))
            .ok()
    }

    fn is_of_kind(&mut self, target: &Override, block: &Block) -> bool {
        let mode = target.target.resource.as_ref().map(|resource| resource.resource.mode);
        let (expected, what) = match block.kind.as_str() {
            "override_resource" => (Some(Mode::Managed), "resources"),
            "override_data" => (Some(Mode::Data), "data sources"),
            _ => (None, "modules"),
        };
        if mode != expected {
            Finding::language(EngineRule::InvalidTest, "Invalid override target")
                .detail(format!(
                    "`{}` can only target {what}; `{}` is not one of them.",
                    block.kind, target.target
                ))
                .at(target.argument)
                .push_to(self.findings);
        }
        mode == expected
    }

    /// Adds an override to those of its file, run or mock provider. A repeated target is reported.
    pub(super) fn add_override(&mut self, target: Option<Override>, kind: &str, into: &mut Overrides) {
        let Some((target, first)) = target.and_then(|target| into.add(target)) else { return };
        let (summary, at): (String, Span) = match self.features.engine.product {
            Product::Terraform => (format!("Duplicate {kind} block"), target.header),
            Product::OpenTofu => (format!("Duplicated `{kind}` block"), target.target.span),
        };
        Finding::language(EngineRule::DuplicateDeclaration, summary)
            .detail(format!("`{}` is overridden twice here.", target.target))
            .at(at)
            .related(first, "the first block is here")
            .help("remove one of them")
            .push_to(self.findings);
    }
}

fn is_object(ty: &Type) -> bool {
    matches!(ty, Type::Object(_))
}

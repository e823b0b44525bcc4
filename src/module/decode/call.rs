//! Decodes `module` blocks.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use smol_str::SmolStr;

use crate::engine::ModuleAddress;
use crate::finding::{EngineRule, Finding};
use crate::module::address::ModuleSource;
use crate::module::declaration::{AddressArguments, ModuleCall, Origin, PassedProvider, ProviderRef, Source};
use crate::module::decode::{Decoder, arguments};
use crate::syntax::{
    Attribute, AttributeSchema, Block, BlockSchema, Content, Expr, ExprKind, MapKey, Schema, Traversal,
};
use crate::text::Span;
use crate::value;

impl Decoder<'_> {
    pub(super) fn call(&mut self, block: &Arc<Block>) -> ModuleCall {
        let mut attributes = vec![AttributeSchema { name: "source", required: !self.overriding }];
        attributes.extend(arguments(
            &["version", "count", "for_each", "depends_on", "providers"],
            &[(self.features.grammar.ignore_nested_deprecations, "ignore_nested_deprecations")],
        ));
        let schema = Schema {
            attributes: &attributes,
            blocks: &[
                BlockSchema::new("_", &[]),
                BlockSchema::new("lifecycle", &[]),
                BlockSchema::new("locals", &[]),
                BlockSchema::new("provider", &["type"]),
            ],
        };
        let (content, rest) = block.body.partial_content(&schema, self.findings);
        self.name(&block.labels[0], "Invalid module instance name");
        let source = content.attribute("source").map(|attribute| self.module_source(attribute, &content));
        let version = content.attribute("version").and_then(|attribute| self.module_version(attribute));
        if let Some(attribute) = content.attribute("ignore_nested_deprecations") {
            self.ignore_nested_deprecations(attribute);
        }
        let enabled = self.enabled_of_call(&content);
        let (count, for_each) = self.repetition(&content, enabled.as_ref());
        let depends_on = self.depends_on(&content);
        let providers = content.attribute("providers");
        let passed = providers.map(|attribute| self.passed_providers(&attribute.expr)).unwrap_or_default();
        for reserved in &content.blocks {
            match reserved.kind.as_str() {
                "_" => {}
                "lifecycle" if self.features.grammar.enabled => {}
                _ => self.reserved(reserved, "module"),
            }
        }
        let config = self.escaping(&content, rest);
        ModuleCall {
            name: block.labels[0].text.clone(),
            origin: Origin::of(block),
            source,
            version,
            address: AddressArguments {
                source: content.attribute("source").cloned(),
                version: content.attribute("version").cloned(),
            },
            count,
            for_each,
            enabled,
            providers: passed,
            providers_span: providers.map(|attribute| attribute.span),
            depends_on,
            config,
            by_name: OnceLock::new(),
        }
    }

    /// Decodes `source`. Reports nothing if the engine evaluates it only after merging.
    fn module_source(&mut self, attribute: &Arc<Attribute>, content: &Content) -> Source {
        let version = content.attribute("version").map(|version| version.span);
        match self.features.module_address {
            ModuleAddress::LiteralPerBlock => self.source(&attribute.expr, attribute.expr.span, version),
            ModuleAddress::ConstAfterMerge | ModuleAddress::StaticAfterMerge => {
                Source { raw: SmolStr::default(), address: None, span: attribute.expr.span }
            }
        }
    }

    /// Parses a source and reports errors at `at`. `version` is the span of a `version` argument in the same block,
    /// which requires a registry address.
    pub(super) fn source(&mut self, expr: &Expr, at: Span, version: Option<Span>) -> Source {
        let span = expr.span;
        let Some(raw) = value::text(expr, self.limits, self.findings) else {
            return Source { raw: SmolStr::default(), address: None, span };
        };
        let address = match ModuleSource::parse(&raw, version.is_some(), self.features) {
            Ok(address) => Some(address),
            Err(error) => {
                Finding::language(EngineRule::InvalidModuleSource, error.summary)
                    .detail(error.detail)
                    .help_if(error.help)
                    .at(at)
                    .related(version, "only a module from a registry has a version")
                    .push_to(self.findings);
                None
            }
        };
        Source { raw, address, span }
    }

    fn module_version(&mut self, attribute: &Arc<Attribute>) -> Option<super::VersionConstraint> {
        match self.features.module_address {
            ModuleAddress::LiteralPerBlock => self.version_constraint(attribute),
            // Evaluated after merging.
            ModuleAddress::ConstAfterMerge | ModuleAddress::StaticAfterMerge => None,
        }
    }

    fn ignore_nested_deprecations(&mut self, attribute: &Attribute) {
        let mut wrong = Vec::new();
        let value = value::constant_within(self.limits, &attribute.expr, &mut wrong);
        if !wrong.is_empty() || !value.is_known() || value.is_null() {
            Finding::language(EngineRule::InvalidValue, "Invalid value for ignore_nested_deprecations")
                .detail("`ignore_nested_deprecations` must be `true` or `false`, without an expression.")
                .at(attribute.expr.span)
                .push_to(self.findings);
        } else if value.as_bool().is_none() {
            Finding::language(EngineRule::InvalidValue, "Invalid type for ignore_nested_deprecations")
                .detail("`ignore_nested_deprecations` must be `true` or `false`.")
                .at(attribute.expr.span)
                .push_to(self.findings);
        }
    }

    pub(super) fn passed_providers(&mut self, expr: &Expr) -> Vec<PassedProvider> {
        let mut passed: Vec<PassedProvider> = Vec::new();
        let mut seen: BTreeMap<SmolStr, Span> = BTreeMap::new();
        for (key, value) in expr.static_map(self.findings).unwrap_or_default() {
            let before = self.findings.len();
            let child = self.provider_ref(&key_expression(&key), "providers");
            let parent = self.provider_ref(value, "providers");
            let (Some(in_child), Some(in_parent)) = (child, parent) else { continue };
            // A reference with an invalid step after its name is decoded, but not passed.
            if self.failed_since(before) {
                continue;
            }
            let in_child: ProviderRef = in_child;
            match seen.entry(in_child.compact()) {
                std::collections::btree_map::Entry::Occupied(earlier) => {
                    Finding::language(EngineRule::InvalidProviderConfiguration, "Duplicate provider address")
                        .detail(format!(
                            "Another entry already passes a configuration as `{}`.",
                            earlier.key()
                        ))
                        .at(value.span)
                        .related(*earlier.get(), "first passed here")
                        .push_to(self.findings);
                }
                std::collections::btree_map::Entry::Vacant(first) => {
                    first.insert(key.span().to(value.span));
                    passed.push(PassedProvider { in_child, in_parent });
                }
            }
        }
        passed
    }
}

/// The expression of a map key.
fn key_expression<'a>(key: &MapKey<'a>) -> Cow<'a, Expr> {
    match key {
        MapKey::Name(name, span) => {
            let name = Traversal { root: (*name).clone(), root_span: *span, steps: Vec::new() };
            Cow::Owned(Expr { span: *span, kind: ExprKind::Traversal(Box::new(name)) })
        }
        MapKey::Expr(expr) => Cow::Borrowed(expr),
        MapKey::Json(string, span) => {
            Cow::Owned(Expr { span: *span, kind: ExprKind::JsonString(Box::new((*string).clone())) })
        }
    }
}

//! Decodes `provider` blocks.

use std::sync::Arc;

use crate::finding::{EngineRule, Finding, Severity};
use crate::module::declaration::{Origin, ProviderConfiguration, Spanned, VersionConstraint};
use crate::module::decode::Decoder;
use crate::syntax::{Attribute, AttributeSchema, Block, BlockSchema, Schema};
use crate::text::is_identifier;

const SCHEMA: Schema<'_> = Schema {
    attributes: &[
        AttributeSchema::optional("alias"),
        AttributeSchema::optional("version"),
        AttributeSchema::optional("count"),
        AttributeSchema::optional("depends_on"),
        AttributeSchema::optional("for_each"),
        AttributeSchema::optional("source"),
    ],
    blocks: &[
        BlockSchema::new("_", &[]),
        BlockSchema::new("lifecycle", &[]),
        BlockSchema::new("locals", &[]),
    ],
};

/// Whether a `provider` block sets anything besides `alias` and `version`.
pub(super) fn is_configured(block: &Block) -> bool {
    !block.body.partial_content(&SCHEMA, &mut Vec::new()).1.is_empty()
}

impl Decoder<'_> {
    /// A provider configuration. Returns `None` if its name is invalid.
    pub(super) fn provider(&mut self, block: &Arc<Block>) -> Option<ProviderConfiguration> {
        let (content, rest) = block.body.partial_content(&SCHEMA, self.findings);
        let label = block.labels.first()?;
        if !self.local_name(&label.text, block.header) {
            return None;
        }
        let alias = self.text(&content, "alias");
        if let Some(alias) = &alias {
            self.alias(alias);
        }
        let version = content.attribute("version").and_then(|attribute| self.provider_version(attribute));
        let for_each = content.attribute("for_each").cloned();
        let instanced =
            for_each.is_some() && self.provider_for_each(block, alias.as_ref(), for_each.as_ref());
        for name in ["count", "depends_on", "for_each", "source"] {
            if let Some(attribute) = content.attribute(name)
                && !(name == "for_each" && instanced)
            {
                Finding::language(
                    EngineRule::UnsupportedBlockOrArgument,
                    "Reserved argument name in provider block",
                )
                .detail(format!("`{name}` is reserved for a future version of the language."))
                .at(attribute.name_span)
                .push_to(self.findings);
            }
        }
        for reserved in content.blocks.iter().filter(|block| block.kind != "_") {
            self.reserved(reserved, "provider");
        }
        let config = self.escaping(&content, rest);
        let for_each = for_each.filter(|_| instanced);
        Some(ProviderConfiguration {
            name: label.text.clone(),
            alias: alias.filter(|alias| !alias.value.is_empty()),
            origin: Origin::of(block),
            version,
            for_each,
            config,
        })
    }

    fn provider_version(&mut self, attribute: &Arc<Attribute>) -> Option<VersionConstraint> {
        if self.in_test && self.features.test_provider_version_refused {
            Finding::language(
                EngineRule::InvalidProviderConfiguration,
                "Version constraints are not allowed in test files",
            )
            .detail("A provider configuration in a test file cannot have a `version`.")
            .at(attribute.expr.span)
            .help("require the version in `required_providers` of the module under test")
            .push_to(self.findings);
            return None;
        }
        Finding::language(
            EngineRule::DeprecatedProviderVersion,
            "Version constraints inside provider configuration blocks are deprecated",
        )
        .severity(Severity::Warning)
        .detail("The constraint still applies, but belongs in `required_providers`.")
        .at(attribute.expr.span)
        .help(if self.in_test {
            "require the version in `required_providers` of the module under test"
        } else {
            "remove `version` here, and require it in the entry of this provider in `required_providers`"
        })
        .push_to(self.findings);
        self.version_constraint(attribute)
    }

    pub(super) fn alias(&mut self, alias: &Spanned<smol_str::SmolStr>) {
        const FORM: &str =
            "starts with a letter or underscore, and contains only letters, digits, underscores and hyphens";
        if !is_identifier(&alias.value) {
            // The engine reports this without a position.
            Finding::language(EngineRule::InvalidName, "Invalid provider configuration alias")
                .detail(match alias.value.as_str() {
                    "" => format!("The alias must be a quoted string that {FORM}."),
                    other => format!("`{other}` is not a valid alias: an alias {FORM}."),
                })
                .related(alias.span, "the alias is set here")
                .push_to(self.findings);
        }
    }
}

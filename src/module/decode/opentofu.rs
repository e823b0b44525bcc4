//! Decodes syntax that only OpenTofu has: `encryption`, `language`, `enabled`, `for_each` of a provider, empty
//! deprecation messages.

use std::collections::BTreeMap;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::finding::{EngineRule, Finding, Severity};
use crate::module::declaration::{Spanned, VersionConstraint};
use crate::module::decode::{Declarations, Decoder};
use crate::syntax::{Attribute, AttributeSchema, Block, BlockSchema, Content, Schema};
use crate::text::Span;
use crate::value::{Condition, Constraints, Operator, Version};

const LANGUAGE: Schema<'_> = Schema {
    attributes: &[AttributeSchema::optional("edition"), AttributeSchema::optional("experiments")],
    blocks: &[BlockSchema::new("compatible_with", &[])],
};

const COMPATIBLE_WITH: Schema<'_> =
    Schema { attributes: &[AttributeSchema::optional("opentofu")], blocks: &[] };

const ENCRYPTION: Schema<'_> = Schema {
    attributes: &[],
    blocks: &[
        BlockSchema::new("key_provider", &["type", "name"]),
        BlockSchema::new("method", &["type", "name"]),
        BlockSchema::new("state", &[]),
        BlockSchema::new("plan", &[]),
        BlockSchema::new("remote_state_data_sources", &[]),
    ],
};

const REMOTE: Schema<'_> = Schema {
    attributes: &[],
    blocks: &[BlockSchema::new("default", &[]), BlockSchema::new("remote_state_data_source", &["name"])],
};

impl Decoder<'_> {
    /// A `language` block at the top level of a file.
    pub(super) fn language(&mut self, block: &Block, into: &mut Declarations) {
        if self.overriding {
            Finding::language(EngineRule::OverrideNotAllowed, "Language selections in override file")
                .detail(
                    "A `language` block applies to the whole module, so it is not allowed in an override \
                    file.",
                )
                .at(block.header)
                .push_to(self.findings);
            // The version constraint in it applies nevertheless.
            let (content, _) = block.body.partial_content(&LANGUAGE, &mut Vec::new());
            for block in &content.blocks {
                into.required_versions.extend(self.compatible_version(block));
            }
            return;
        }
        let content = block.body.content(&LANGUAGE, self.findings);
        if let Some(attribute) = content.attribute("edition") {
            let summary = match attribute.expr.keyword() {
                None => Some("Invalid language edition"),
                Some(edition) if edition == "tofu2024" => None,
                Some(_) => Some("Unsupported language edition"),
            };
            self.findings.extend(summary.map(|summary| {
                unsupported(summary, attribute.expr.span, "The only language edition is `tofu2024`.")
            }));
        }
        if let Some(attribute) = content.attribute("experiments") {
            for element in attribute.expr.static_list(self.findings).unwrap_or_default() {
                let summary = match element.keyword() {
                    None => "Invalid experiment keyword",
                    Some(_) => "Unknown experiment keyword",
                };
                self.findings.push(unsupported(summary, element.span, "This version has no experiments."));
            }
        }
        self.compatible_with(&content, block.header, into);
    }

    fn compatible_with(&mut self, content: &Content, header: Span, into: &mut Declarations) {
        let mut first: Option<Span> = None;
        for block in &content.blocks {
            if let Some(first) = first {
                Finding::language(EngineRule::DuplicateDeclaration, "Duplicate compatible_with block")
                    .detail("Only one `compatible_with` block is allowed.")
                    .at(header)
                    .related(first, "first one here")
                    .push_to(self.findings);
                into.required_versions.extend(self.compatible_version(block));
                continue;
            }
            let Some(constraint) = self.compatible_version(block) else { continue };
            first = Some(constraint.span);
            if constraint.constraints.as_ref().is_some_and(admits_before) {
                Finding::language(EngineRule::InvalidVersionConstraint, "Ineffective version constraint")
                    .severity(Severity::Warning)
                    .detail(
                        "OpenTofu before 1.12 ignores `compatible_with`, and this constraint does not \
                        exclude those versions.",
                    )
                    .at(constraint.span)
                    .help(format!("write {:?}", since_compatible_with(&constraint)))
                    .push_to(self.findings);
            }
            into.required_versions.push(constraint);
        }
    }

    fn compatible_version(&mut self, block: &Block) -> Option<VersionConstraint> {
        // All other items are for other programs.
        let (content, _) = block.body.partial_content(&COMPATIBLE_WITH, self.findings);
        self.version_constraint(content.attribute("opentofu")?)
    }

    /// The `encryption` block in a `terraform` block.
    pub(super) fn encryption(&mut self, block: &Block) {
        // Key providers and methods decode their own blocks; only the names are checked here.
        let mut ignored = Vec::new();
        let (content, _) = block.body.partial_content(&ENCRYPTION, &mut ignored);
        self.unique(content.blocks_of("key_provider"), "Duplicate key_provider");
        self.unique(content.blocks_of("method"), "Duplicate method");
        for remote in content.blocks_of("remote_state_data_sources") {
            let (content, _) = remote.body.partial_content(&REMOTE, &mut ignored);
            self.unique(content.blocks_of("remote_state_data_source"), "Duplicate remote_data_source");
        }
    }

    fn unique<'b>(&mut self, blocks: impl Iterator<Item = &'b Arc<Block>>, summary: &str) {
        let mut seen: BTreeMap<Vec<SmolStr>, Span> = BTreeMap::new();
        for block in blocks {
            let labels: Vec<_> = block.labels.iter().map(|label| label.text.clone()).collect();
            if let Some(first) = seen.get(&labels) {
                Finding::language(EngineRule::DuplicateDeclaration, summary)
                    .detail(format!("Another `{}` has the same name.", block.kind))
                    .at(block.header)
                    .related(*first, "first one here")
                    .push_to(self.findings);
            } else {
                seen.insert(labels, block.header);
            }
        }
    }

    /// `for_each` of a provider configuration. Returns whether this engine supports it.
    pub(super) fn provider_for_each(
        &mut self,
        block: &Block,
        alias: Option<&Spanned<SmolStr>>,
        for_each: Option<&Arc<Attribute>>,
    ) -> bool {
        let known = &self.features.grammar;
        let known = if block.body.is_json() { known.provider_for_each_json } else { known.provider_for_each };
        if let Some(for_each) = for_each
            && known
            && alias.is_none_or(|alias| alias.value.is_empty())
        {
            Finding::language(
                EngineRule::InvalidProviderConfiguration,
                "Alias required when using \"for_each\"",
            )
            .detail("A provider configuration with `for_each` has several instances, so it needs an alias.")
            .at(for_each.expr.span)
            .help("add `alias`")
            .push_to(self.findings);
        }
        known
    }

    /// `lifecycle { enabled }` of a module call.
    pub(super) fn enabled_of_call(&mut self, content: &Content) -> Option<Arc<Attribute>> {
        const ENABLED: Schema<'_> =
            Schema { attributes: &[AttributeSchema::optional("enabled")], blocks: &[] };
        if !self.features.grammar.enabled {
            return None;
        }
        let block = self.only(content, "lifecycle", EngineRule::InvalidLifecycle)?;
        block.body.content(&ENABLED, self.findings).attribute("enabled").cloned()
    }

    /// Reports an empty deprecation message.
    pub(super) fn deprecation(&mut self, given: Option<&Spanned<SmolStr>>, at: Span, summary: &str) {
        if self.features.blank_deprecated_refused && given.is_some_and(|given| given.value.trim().is_empty())
        {
            Finding::language(EngineRule::InvalidValue, summary)
                .detail("`deprecated` requires a message.")
                .at(at)
                .push_to(self.findings);
        }
    }
}

fn admits_before(constraints: &Constraints) -> bool {
    Version::parse("1.11.0").is_some_and(|version| constraints.matches(&version))
}

fn unsupported(summary: &str, at: Span, detail: &str) -> Finding {
    Finding::language(EngineRule::UnsupportedEngineVersion, summary).detail(detail).at(at)
}

/// The constraint without the versions that ignore `compatible_with`.
fn since_compatible_with(constraint: &VersionConstraint) -> String {
    match constraint.constraints.as_ref().map(Constraints::conditions) {
        Some([Condition { operator: Operator::GreaterOrEqual | Operator::Greater, .. }]) => {
            ">= 1.12.0".to_owned()
        }
        _ => format!("{}, >= 1.12.0", constraint.text),
    }
}

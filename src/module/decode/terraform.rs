//! Decodes `terraform` blocks.

use std::sync::Arc;

use crate::finding::{Code, EngineRule, Finding, Severity};
use crate::module::declaration::{ProviderMeta, Storage};
use crate::module::decode::{Declarations, Decoder, known_items};
use crate::syntax::{Attribute, AttributeSchema, Block, BlockSchema, Content, Schema};
use crate::value;

/// The experiment of Terraform 1.0 to 1.2 that `optional` in a type needs.
const OPTIONAL_ATTRIBUTES: &str = "module_variable_optional_attrs";

const ATTRIBUTES: &[AttributeSchema<'_>] = &[
    AttributeSchema::optional("required_version"),
    AttributeSchema::optional("experiments"),
    AttributeSchema::optional("language"),
];

impl Decoder<'_> {
    pub(super) fn terraform(&mut self, block: &Arc<Block>, into: &mut Declarations) {
        if self.overriding {
            into.settings.push(Arc::clone(block));
        }
        let known = &self.features.grammar;
        let newer = [
            (known.cloud, BlockSchema::new("cloud", &[])),
            (known.encryption, BlockSchema::new("encryption", &[])),
            (known.state_store_named, BlockSchema::new("state_store", &["type"])),
        ];
        let always = [
            BlockSchema::new("backend", &["type"]),
            BlockSchema::new("required_providers", &[]),
            BlockSchema::new("provider_meta", &["provider"]),
        ];
        let blocks = known_items(&always, &newer);
        let content = block.body.content(&Schema { attributes: ATTRIBUTES, blocks: &blocks }, self.findings);
        self.settings(&content, into);
        for block in &content.blocks {
            match block.kind.as_str() {
                "backend" => into.backends.push(storage(block)),
                "cloud" => into.clouds.push(storage(block)),
                "encryption" => {
                    self.encryption(block);
                    into.encryptions.push(Arc::clone(block));
                }
                "required_providers" => into.required_providers.extend(self.required_providers(block)),
                "provider_meta" => into.provider_metas.extend(self.provider_meta(block)),
                "state_store" => self.state_store(block),
                // The schema allows no other block type.
                _ => {}
            }
        }
    }

    /// `required_version`, `language` and `experiments`.
    fn settings(&mut self, content: &Content, into: &mut Declarations) {
        if let Some(attribute) = content.attribute("required_version")
            && self.reads_required_version()
        {
            into.required_versions.extend(self.version_constraint(attribute));
        }
        if !self.features.language_edition_checked {
            return;
        }
        if let Some(attribute) = content.attribute("language") {
            let (summary, detail) = match attribute.expr.keyword() {
                Some(edition) if edition == "TF2021" => ("", ""),
                Some(_) => ("Unsupported language edition", "The only language edition is `TF2021`."),
                None => (
                    "Invalid language edition",
                    "A language edition is written without quotes. The only one is `TF2021`.",
                ),
            };
            if !summary.is_empty() {
                Finding::language(EngineRule::UnsupportedEngineVersion, summary)
                    .detail(detail)
                    .at(attribute.expr.span)
                    .help("remove `language`: TF2021 is the default")
                    .push_to(self.findings);
            }
        }
        if let Some(attribute) = content.attribute("experiments") {
            self.experiments(attribute);
        }
    }

    fn experiments(&mut self, attribute: &Attribute) {
        let optional = attribute.expr.variables().into_iter().find(|named| named.root == OPTIONAL_ATTRIBUTES);
        let finding = match optional {
            Some(named) if self.features.optional_attributes_experimental => {
                let summary = format!("Experimental feature {OPTIONAL_ATTRIBUTES:?} is active");
                Finding::language(EngineRule::UnsupportedEngineVersion, summary)
                    .severity(Severity::Warning)
                    .detail("This experiment ended with Terraform 1.3, where object types can have optional attributes.")
                    .at(named.root_span)
                    .help("require Terraform 1.3 or later, and remove `experiments`")
            }
            Some(_) => experimental(attribute)
                .detail(
                    "This experiment ended with Terraform 1.3, and since then experiments are available only in alpha \
                     releases.",
                )
                .help("remove `experiments`, and require Terraform 1.3 or later, where `optional` needs no experiment"),
            None => experimental(attribute)
                .detail("Experiments are available only in alpha releases.")
                .help("remove `experiments`"),
        };
        finding.push_to(self.findings);
    }

    fn provider_meta(&mut self, block: &Arc<Block>) -> Option<ProviderMeta> {
        let before = self.findings.len();
        let attributes = block.body.just_attributes(self.findings);
        if self.failed_since(before) {
            return None;
        }
        for attribute in attributes {
            value::constant_within(self.limits, &attribute.expr, self.findings);
        }
        let name = block.labels.first()?;
        self.local_name(&name.text, block.header)
            .then(|| ProviderMeta { name: name.text.clone(), block: Arc::clone(block) })
    }

    fn state_store(&mut self, block: &Block) {
        Finding::language(EngineRule::UnsupportedBlockOrArgument, "Unsupported block type")
            .code(Code::UnsupportedBlock)
            .detail("`state_store` blocks are available only in alpha releases.")
            .at(block.kind_span)
            .push_to(self.findings);
    }

    /// Reports `required_providers` at the top level of a file.
    pub(super) fn misplaced_required_providers(&mut self, block: &Block) {
        Finding::language(EngineRule::InvalidRequiredProviders, "Invalid required_providers block")
            .detail("A `required_providers` block must be inside a `terraform` block.")
            .at(block.kind_span)
            .help("move it into a `terraform` block")
            .push_to(self.findings);
    }
}

fn experimental(experiments: &Attribute) -> Finding {
    Finding::language(EngineRule::UnsupportedEngineVersion, "Module uses experimental features")
        .at(experiments.name_span)
}

fn storage(block: &Arc<Block>) -> Storage {
    Storage {
        kind: block.labels.first().map(|label| label.text.clone()),
        block: Arc::clone(block),
        replaced: None,
    }
}

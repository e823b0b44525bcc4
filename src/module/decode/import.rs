//! Decodes `import` blocks.

use std::sync::Arc;

use crate::engine::Product;
use crate::finding::{EngineRule, Finding};
use crate::module::address::{ImportTarget, Mode, import_target};
use crate::module::declaration::Import;
use crate::module::decode::{Decoder, arguments};
use crate::syntax::{Attribute, AttributeSchema, Block, Content, Expr, Schema};

impl Decoder<'_> {
    pub(super) fn import(&mut self, block: &Arc<Block>) -> Import {
        let known = &self.features.grammar;
        let mut attributes = vec![
            AttributeSchema::optional("provider"),
            AttributeSchema { name: "id", required: !known.import_identity },
            AttributeSchema::required("to"),
        ];
        let newer = [(known.import_for_each, "for_each"), (known.import_identity, "identity")];
        attributes.extend(arguments(&[], &newer));
        let before = self.findings.len();
        let content = block.body.content(&Schema { attributes: &attributes, blocks: &[] }, self.findings);
        let mut import = Import {
            to: None,
            target: None,
            id: content.attribute("id").cloned(),
            identity: content.attribute("identity").cloned(),
            for_each: content.attribute("for_each").cloned(),
            provider_ref: None,
            provider_span: None,
            block: Arc::clone(block),
        };
        if known.import_identity && self.features.engine.product == Product::Terraform {
            self.one_identity(&import, block);
        }
        if let Some(attribute) = content.attribute("to") {
            let to = self.reference_in_json(&attribute.expr);
            if self.failed_since(before) {
                // As in the engine, an error up to here ends the decoding.
                return import;
            }
            if let Some(to) = to {
                import.target = self.target(&to, attribute);
                import.to = Some(to.into_owned());
            }
        }
        self.import_provider(&content, &mut import);
        let unreadable = import.target.is_none() && import.to.is_some();
        if known.import_identity && self.features.engine.product == Product::OpenTofu && !unreadable {
            self.one_identity(&import, block);
        }
        import
    }

    /// Parses the `to` argument.
    fn target(&mut self, to: &Expr, attribute: &Attribute) -> Option<ImportTarget> {
        let target = import_target(to, &[], self.features).map_err(|wrong| self.findings.extend(wrong)).ok();
        // The engine also reports an invalid address as one that is not a managed resource.
        let managed = target.as_ref().is_some_and(|target| target.resource.resource.mode == Mode::Managed);
        if !managed && self.features.import_to_managed_only {
            Finding::language(EngineRule::InvalidMovedRemovedImport, "Invalid import address")
                .detail("Only managed resources, declared in `resource` blocks, can be imported.")
                .at(attribute.span)
                .push_to(self.findings);
        }
        target
    }

    fn one_identity(&mut self, import: &Import, block: &Block) {
        let summaries = &self.features.summaries;
        let (summary, detail, at) = match (&import.id, &import.identity) {
            (None, None) => (
                summaries.import_without_id,
                "Set `id` to identify the object to import, or `identity` (since Terraform 1.12 and OpenTofu 1.12).",
                block.header,
            ),
            (Some(id), Some(identity)) => (
                summaries.import_with_both_ids,
                "Set only one of `id` and `identity`.",
                match self.features.engine.product {
                    Product::Terraform => block.header,
                    Product::OpenTofu => id.span.min(identity.span).to(id.span.max(identity.span)),
                },
            ),
            _ => return,
        };
        self.findings
            .push(Finding::language(EngineRule::InvalidMovedRemovedImport, summary).detail(detail).at(at));
    }

    fn import_provider(&mut self, content: &Content, import: &mut Import) {
        let Some(attribute) = content.attribute("provider") else { return };
        import.provider_span = Some(attribute.span);
        if import.target.as_ref().is_some_and(|target| !target.path.is_empty()) {
            Finding::language(EngineRule::InvalidMovedRemovedImport, "Invalid import provider argument")
                .detail(
                    "An import into a child module uses the provider configuration that is passed to the module.",
                )
                .at(attribute.span)
                .help("remove `provider`, and pass the provider in the module call")
                .push_to(self.findings);
        }
        import.provider_ref = self.provider_ref(&attribute.expr, "provider");
    }
}

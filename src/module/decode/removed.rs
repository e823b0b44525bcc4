//! Decodes `removed` blocks.

use std::sync::Arc;

use crate::engine::Product;
use crate::finding::{EngineRule, Finding, Severity};
use crate::module::address::{Mode, RemoveTarget, remove_target};
use crate::module::declaration::{Provisioner, Removed, Spanned};
use crate::module::decode::{Decoder, known_items};
use crate::syntax::{AttributeSchema, Block, BlockSchema, Content, Schema};

const LIFECYCLE: Schema<'_> = Schema { attributes: &[AttributeSchema::optional("destroy")], blocks: &[] };

impl Decoder<'_> {
    pub(super) fn removed(&mut self, block: &Arc<Block>) -> Removed {
        let known = &self.features.grammar;
        let newer = [
            (known.removed_lifecycle, BlockSchema::new("lifecycle", &[])),
            (known.removed_connection, BlockSchema::new("connection", &[])),
            (known.removed_provisioner, BlockSchema::new("provisioner", &["type"])),
        ];
        let blocks = known_items(&[], &newer);
        let before = self.findings.len();
        let schema = Schema { attributes: &[AttributeSchema::required("from")], blocks: &blocks };
        let content = block.body.content(&schema, self.findings);
        let from = content.attribute("from").and_then(|attribute| {
            let traversal = attribute.expr.static_traversal(self.findings)?;
            let (target, wrong) = remove_target(&traversal, self.features);
            self.findings.extend(wrong);
            target
        });
        let destroy = self.removed_lifecycle(&content);
        let managed = from
            .as_ref()
            .and_then(|from| from.address.resource.as_ref())
            .is_some_and(|address| address.mode == Mode::Managed);
        self.removed_connections(&content, managed);
        let provisioners = self.removed_provisioners(&content, managed, from.as_ref(), block);
        let removed = Removed { from, destroy, provisioners, block: Arc::clone(block) };
        if self.features.removed_checked && !self.failed_since(before) {
            self.warn_of_removed(&removed);
        }
        removed
    }

    fn removed_lifecycle(&mut self, content: &Content) -> Option<Spanned<bool>> {
        let blocks: Vec<_> = if self.features.removed_lifecycle_once {
            self.only(content, "lifecycle", EngineRule::InvalidLifecycle).into_iter().collect()
        } else {
            content.blocks_of("lifecycle").collect()
        };
        // Where several `lifecycle` blocks are allowed, the last `destroy` counts.
        let mut destroy = None;
        for block in blocks {
            let content = block.body.content(&LIFECYCLE, self.findings);
            destroy = self.flag(&content, "destroy").or(destroy);
        }
        destroy
    }

    fn removed_connections(&mut self, content: &Content, managed: bool) {
        if managed {
            self.only(content, "connection", EngineRule::InvalidProvisioner);
            return;
        }
        for connection in content.blocks_of("connection") {
            Finding::language(EngineRule::InvalidProvisioner, "Invalid connection block")
                .detail("A `connection` block is allowed only if `from` is a managed resource.")
                .at(connection.header)
                .push_to(self.findings);
        }
    }

    fn removed_provisioners(
        &mut self,
        content: &Content,
        managed: bool,
        from: Option<&RemoveTarget>,
        removed: &Block,
    ) -> Vec<Provisioner> {
        let is_terraform = self.features.engine.product == Product::Terraform;
        let is_of_call = from.is_some_and(|from| from.address.resource.is_none());
        let mut provisioners = Vec::new();
        for block in content.blocks_of("provisioner") {
            if is_terraform && !managed {
                Finding::language(EngineRule::InvalidProvisioner, "Invalid provisioner block")
                    .detail("A `provisioner` block is allowed only if `from` is a managed resource.")
                    .at(block.header)
                    .push_to(self.findings);
                continue;
            }
            let Some(provisioner) = self.provisioner(block) else { continue };
            if !provisioner.on_destroy {
                let place = if is_terraform { "provisioner" } else { "\"removed.provisioner\"" };
                Finding::language(EngineRule::InvalidProvisioner, format!("Invalid {place} block"))
                    .detail("A `removed` block can only have destroy-time provisioners.")
                    .at(block.header)
                    .help("add `when = destroy`")
                    .push_to(self.findings);
            } else if !is_terraform && is_of_call {
                Finding::language(EngineRule::InvalidProvisioner, "Invalid \"removed\" block")
                    .detail(
                        "A `provisioner` block is allowed only if `from` is a resource, not a module call.",
                    )
                    .at(removed.header)
                    .push_to(self.findings);
            }
            if is_terraform || provisioner.on_destroy && !is_of_call {
                provisioners.push(provisioner);
            }
        }
        provisioners
    }

    /// OpenTofu's warning that Terraform gives the same block another meaning.
    fn warn_of_removed(&mut self, removed: &Removed) {
        let (summary, detail, help) = match &removed.destroy {
            // Terraform does not read the file.
            None if self.tofu_file => return,
            None => (
                "Missing lifecycle from the removed block",
                "Without `destroy`, OpenTofu removes the object from the state, and Terraform destroys it.",
                "add a `lifecycle` block that sets `destroy` to `true` or `false`",
            ),
            Some(destroy) if !destroy.value && !removed.provisioners.is_empty() => (
                "Removed block provisioners will not be executed",
                "With `destroy = false`, nothing is destroyed, so these provisioners never run.",
                "remove the provisioners, or set `destroy = true`",
            ),
            Some(_) => return,
        };
        Finding::language(EngineRule::InvalidMovedRemovedImport, summary)
            .severity(Severity::Warning)
            .detail(detail)
            .at(removed.block.header)
            .help(help)
            .push_to(self.findings);
    }
}

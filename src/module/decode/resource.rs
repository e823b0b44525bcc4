//! Decodes `resource`, `data` and `ephemeral` blocks.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::finding::{EngineRule, Finding};
use crate::module::address::{Mode, ResourceAddress};
use crate::module::config::Config;
use crate::module::declaration::{Managed, Origin, Resource};
use crate::module::decode::Decoder;
use crate::module::decode::provisioner::only_self_references;
use crate::syntax::{AttributeSchema, Block, BlockSchema, Content, Schema};

const ATTRIBUTES: &[AttributeSchema<'_>] = &[
    AttributeSchema::optional("count"),
    AttributeSchema::optional("for_each"),
    AttributeSchema::optional("provider"),
    AttributeSchema::optional("depends_on"),
];

const BLOCKS: [BlockSchema<'_>; 5] = [
    BlockSchema::new("locals", &[]),
    BlockSchema::new("lifecycle", &[]),
    BlockSchema::new("_", &[]),
    BlockSchema::new("connection", &[]),
    BlockSchema::new("provisioner", &["type"]),
];

impl Decoder<'_> {
    /// A `resource` block.
    pub(super) fn managed(&mut self, block: &Arc<Block>) -> Resource {
        let (mut resource, content) = self.resource(
            block,
            Mode::Managed,
            &BLOCKS,
            ["Invalid resource type name", "Invalid resource name"],
        );
        if let Some(lifecycle) = self.only(&content, "lifecycle", EngineRule::InvalidLifecycle) {
            self.lifecycle(lifecycle, &mut resource);
        }
        (resource.count, resource.for_each) = self.repetition(&content, resource.enabled.as_ref());
        let connection = self.only(&content, "connection", EngineRule::InvalidProvisioner);
        resource.managed.connection = connection.cloned();
        resource.managed.provisioners =
            content.blocks_of("provisioner").filter_map(|block| self.provisioner(block)).collect();
        if let Some(connection) = connection
            && resource.managed.provisioners.iter().any(|provisioner| provisioner.on_destroy)
        {
            only_self_references(&Config::Plain(connection.body.clone()), self.findings);
        }
        resource
    }

    /// A `data` block, at the top level or in the `check` block with this name.
    pub(super) fn data(&mut self, block: &Arc<Block>, check: Option<&SmolStr>) -> Resource {
        let (mut resource, content) = self.resource(
            block,
            Mode::Data,
            &BLOCKS[..3],
            ["Invalid data source name", "Invalid data resource name"],
        );
        self.unmanaged_lifecycle(&content, &mut resource);
        if check.is_some() {
            self.nested(&content);
        } else {
            (resource.count, resource.for_each) = self.repetition(&content, resource.enabled.as_ref());
        }
        Resource { check: check.cloned(), ..resource }
    }

    /// An `ephemeral` block.
    pub(super) fn ephemeral(&mut self, block: &Arc<Block>) -> Resource {
        let kind_name = self.features.summaries.ephemeral_type_name;
        let blocks = if self.features.ephemeral_blocks_refused { &BLOCKS[..] } else { &BLOCKS[..3] };
        let (mut resource, content) =
            self.resource(block, Mode::Ephemeral, blocks, [kind_name, "Invalid ephemeral resource name"]);
        for refused in
            content.blocks.iter().filter(|block| ["connection", "provisioner"].contains(&block.kind.as_str()))
        {
            Finding::language(
                EngineRule::InvalidProvisioner,
                "Invalid configuration block for ephemeral resource",
            )
            .detail(format!("A `{}` block is allowed only in a `resource` block.", refused.kind))
            .at(refused.header)
            .push_to(self.findings);
        }
        self.unmanaged_lifecycle(&content, &mut resource);
        (resource.count, resource.for_each) = self.repetition(&content, resource.enabled.as_ref());
        resource
    }

    /// The parts that all modes share.
    fn resource(
        &mut self,
        block: &Arc<Block>,
        mode: Mode,
        blocks: &[BlockSchema<'_>],
        [kind_summary, name_summary]: [&str; 2],
    ) -> (Resource, Content) {
        let (content, rest) =
            block.body.partial_content(&Schema { attributes: ATTRIBUTES, blocks }, self.findings);
        let [kind, name] = [&block.labels[0], &block.labels[1]];
        self.name(kind, kind_summary);
        self.name(name, name_summary);
        let provider_ref = content
            .attribute("provider")
            .and_then(|attribute| self.provider_ref(&attribute.expr, "provider"));
        let depends_on = self.depends_on(&content);
        for reserved in content.blocks_of("locals") {
            self.reserved(reserved, mode.keyword());
        }
        let config = self.escaping(&content, rest);
        let resource = Resource {
            address: ResourceAddress { mode, kind: kind.text.clone(), name: name.text.clone() },
            origin: Origin::of(block),
            count: None,
            for_each: None,
            enabled: None,
            provider_ref,
            provider: None,
            depends_on,
            preconditions: Vec::new(),
            postconditions: Vec::new(),
            managed: Managed::default(),
            config,
            check: None,
        };
        (resource, content)
    }

    /// Reports arguments that a data source in a `check` block cannot have.
    fn nested(&mut self, content: &Content) {
        for name in ["count", "for_each"] {
            if let Some(attribute) = content.attribute(name) {
                Finding::language(EngineRule::InvalidCheckOrCondition, format!("Invalid {name:?} attribute"))
                    .detail(format!("A data source in a `check` block cannot have `{name}`."))
                    .at(attribute.name_span)
                    .push_to(self.findings);
            }
        }
        for lifecycle in content.blocks_of("lifecycle") {
            Finding::language(EngineRule::InvalidCheckOrCondition, "Invalid lifecycle block")
                .detail("A data source in a `check` block cannot have a `lifecycle` block.")
                .at(lifecycle.header)
                .push_to(self.findings);
        }
    }
}

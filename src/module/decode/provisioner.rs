//! Decodes `provisioner` blocks.

use std::sync::Arc;

use crate::finding::{EngineRule, Finding};
use crate::module::config::Config;
use crate::module::declaration::Provisioner;
use crate::module::decode::Decoder;
use crate::syntax::{Attribute, AttributeSchema, Block, BlockSchema, Schema, StepKind, Traversal};
use crate::text::{Span, nearest};

const SCHEMA: Schema<'_> = Schema {
    attributes: &[AttributeSchema::optional("when"), AttributeSchema::optional("on_failure")],
    blocks: &[
        BlockSchema::new("_", &[]),
        BlockSchema::new("connection", &[]),
        BlockSchema::new("lifecycle", &[]),
    ],
};

/// Provisioners that were removed from the engine.
const GONE: &[&str] = &["chef", "habitat", "puppet", "salt-masterless"];

impl Decoder<'_> {
    /// A provisioner. Returns `None` for a removed type.
    pub(super) fn provisioner(&mut self, block: &Arc<Block>) -> Option<Provisioner> {
        let (content, rest) = block.body.partial_content(&SCHEMA, self.findings);
        let label = &block.labels[0];
        if GONE.contains(&label.text.as_str()) {
            Finding::language(
                EngineRule::InvalidProvisioner,
                format!("The \"{}\" provisioner has been removed", label.text),
            )
            .detail(format!("The provisioner {:?} was removed in Terraform 0.15.", label.text.as_str()))
            .at(label.span)
            .push_to(self.findings);
            return None;
        }
        let mut on_destroy = false;
        if let Some(attribute) = content.attribute("when") {
            match self.keyword(&attribute.expr).as_deref() {
                Some("create") => {}
                Some("destroy") => on_destroy = true,
                other => {
                    Finding::language(EngineRule::InvalidProvisioner, "Invalid \"when\" keyword")
                        .detail("`when` must be `create` or `destroy`.")
                        .at(attribute.expr.span)
                        .meant(other.and_then(|word| nearest(word, ["create", "destroy"])))
                        .push_to(self.findings);
                }
            }
        }
        if on_destroy {
            only_self_references(&Config::Plain(rest.clone()), self.findings);
        }
        if let Some(attribute) = content.attribute("on_failure")
            && !matches!(self.keyword(&attribute.expr).as_deref(), Some("continue" | "fail"))
        {
            Finding::language(EngineRule::InvalidProvisioner, "Invalid \"on_failure\" keyword")
                .detail("`on_failure` must be `continue` or `fail`.")
                .at(attribute.expr.span)
                .push_to(self.findings);
        }
        for reserved in content.blocks_of("lifecycle") {
            self.reserved(reserved, "provisioner");
        }
        let connection = self.only(&content, "connection", EngineRule::InvalidProvisioner);
        if let Some(connection) = connection
            && on_destroy
        {
            only_self_references(&Config::Plain(connection.body.clone()), self.findings);
        }
        let config = self.escaping(&content, rest);
        Some(Provisioner {
            kind: label.text.clone(),
            on_destroy,
            block: Arc::clone(block),
            config,
            connection: connection.cloned(),
        })
    }
}

/// How a destroy-time provisioner gets a value that is not an attribute of its resource.
pub const KEEP_FOR_DESTROY: &str = "if this resource has an attribute with that value, refer to it with `self`; otherwise \
     set `input` of a `terraform_data` resource to the value, put the provisioner there, and refer to `self.input`";

/// Reports each reference of a destroy-time provisioner to anything but `self`, `count.index` and `each.key`.
pub(in crate::module) fn only_self_references(config: &Config, findings: &mut Vec<Finding>) {
    for at in references_elsewhere(config) {
        Finding::language(EngineRule::InvalidProvisioner, "Invalid reference from destroy provisioner")
            .detail(
                "A destroy-time provisioner and its connection can refer only to the resource itself, with `self`, \
                 `count.index` or `each.key`. Other objects may no longer exist at that time.",
            )
            .at(at)
            .help(KEEP_FOR_DESTROY)
            .push_to(findings);
    }
}

/// The spans of references to anything but the resource that contains them.
pub fn references_elsewhere(config: &Config) -> Vec<Span> {
    let attributes = config.just_attributes(&mut Vec::new());
    let elsewhere = |attribute: &Arc<Attribute>| {
        let references = attribute.expr.variables();
        let elsewhere = references.iter().filter(|traversal| !is_about_itself(traversal)).count();
        std::iter::repeat_n(attribute.expr.span, elsewhere)
    };
    attributes.iter().flat_map(elsewhere).collect()
}

fn is_about_itself(traversal: &Traversal) -> bool {
    let just = |name: &str| matches!(traversal.steps.as_slice(), [step] if step.kind == StepKind::Attribute(name.into()));
    match traversal.root.as_str() {
        "self" | "path" | "terraform" => true,
        "count" => just("index"),
        "each" => just("key"),
        _ => false,
    }
}

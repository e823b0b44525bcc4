//! Holds the resources of the provider that the engine itself brings along against what they accept.

use crate::finding::{Finding, Language};
use crate::module::address::Mode;
use crate::module::declaration::Resource;
use crate::syntax::{AttributeSchema, BlockSchema, Content, Schema};
use crate::text::Span;
use crate::tree::Node;

const DYNAMIC: &[BlockSchema<'_>] = &[BlockSchema::new("dynamic", &["type"])];

const TERRAFORM_DATA: &[AttributeSchema<'_>] =
    &[AttributeSchema::optional("input"), AttributeSchema::optional("triggers_replace")];

const REMOTE_STATE: &[AttributeSchema<'_>] = &[
    AttributeSchema::required("backend"),
    AttributeSchema::optional("config"),
    AttributeSchema::optional("defaults"),
    AttributeSchema::optional("outputs"),
    AttributeSchema::optional("workspace"),
];

/// Looks at every resource of that provider.
pub(super) fn check(node: Node<'_>, findings: &mut Vec<Finding>) {
    for resource in node.module().resources.values().filter(|resource| is_built_in(resource)) {
        let from = findings.len();
        match schema(resource) {
            Some(schema) => {
                let content = resource.config.content(&schema, findings);
                findings.extend(content.blocks.iter().filter_map(|block| {
                    let label = block.labels.first()?;
                    let finding =
                        Finding::language(Language::UnsupportedBlockOrArgument, "Unsupported block type");
                    Some(
                        finding
                            .at(label.span)
                            .detail(format!("Blocks of type `{}` are not expected here.", label.text)),
                    )
                }));
            }
            None => findings.push(unknown(resource)),
        }
        for finding in &mut findings[from..] {
            finding.stage = crate::finding::Stage::Validate;
            finding.address = resource.address.to_string();
        }
    }
}

/// The arguments of a resource of that provider, and its dynamic blocks; none of any other.
pub(super) fn content(resource: &Resource) -> Option<Content> {
    let schema = schema(resource).filter(|_| is_built_in(resource))?;
    Some(resource.config.content(&schema, &mut Vec::new()))
}

fn is_built_in(resource: &Resource) -> bool {
    resource.provider.as_ref().is_some_and(|provider| {
        provider.host == "terraform.io" && provider.namespace == "builtin" && provider.name == "terraform"
    })
}

fn schema(resource: &Resource) -> Option<Schema<'static>> {
    let attributes = match (resource.address.mode, resource.address.kind.as_str()) {
        (Mode::Managed, "terraform_data") => TERRAFORM_DATA,
        (Mode::Data, "terraform_remote_state") => REMOTE_STATE,
        (Mode::Managed | Mode::Data | Mode::Ephemeral, _) => return None,
    };
    Some(Schema { attributes, blocks: DYNAMIC })
}

fn unknown(resource: &Resource) -> Finding {
    let (summary, known) = match resource.address.mode {
        Mode::Managed => ("Invalid resource type", "the resource `terraform_data`"),
        Mode::Data => ("Invalid data source", "the data source `terraform_remote_state`"),
        Mode::Ephemeral => ("Invalid ephemeral resource", "no ephemeral resource"),
    };
    Finding::language(Language::UnsupportedBlockOrArgument, summary)
        .detail(format!(
            "The provider that the engine brings along has {known}, and no {:?}.",
            resource.address.kind.as_str()
        ))
        .at(type_place(resource))
}

fn type_place(resource: &Resource) -> Span {
    resource.origin.base.labels.first().map_or(resource.origin.header(), |label| label.span)
}

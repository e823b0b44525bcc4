//! The arguments of a provider block that decide which objects the provider manages.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use smol_str::{SmolStr, format_smolstr};

use super::change::Difference;
use crate::graph::Node;
use crate::module::declaration::ProviderConfiguration;
use crate::syntax::{AttributeSchema, BlockSchema, Expr, Schema, quoted};
use crate::text::Sources;
use crate::value::{Budget, Value};

/// Arguments that name an account, a project, a region, or the server of a provider. Arguments that only concern
/// authentication or behavior, such as tokens and `default_tags`, are left out.
const IDENTIFYING: &[&str] = &[
    "account",
    "account_id",
    "account_name",
    "address",
    "api_url",
    "auth_url",
    "base_url",
    "cloud",
    "cloud_id",
    "cluster",
    "config_context",
    "config_path",
    "context",
    "datacenter",
    "domain",
    "domain_name",
    "endpoint",
    "environment",
    "folder_id",
    "host",
    "hostname",
    "impersonate_service_account",
    "kube_config_path",
    "namespace",
    "org",
    "org_id",
    "organization",
    "owner",
    "profile",
    "project",
    "project_id",
    "realm",
    "region",
    "server",
    "server_url",
    "site",
    "subscription_id",
    "tenancy_ocid",
    "tenant_id",
    "tenant_name",
    "uri",
    "url",
    "vault_addr",
    "workspace_id",
    "zone",
];

/// Nested blocks with an argument that names an account.
const IDENTIFYING_BLOCKS: [(&str, &str); 2] =
    [("assume_role", "role_arn"), ("assume_role_with_web_identity", "role_arn")];

/// The identifying arguments of a provider block, with override files.
#[derive(Debug)]
pub(super) struct Identity {
    /// The arguments, with names such as `region` or `assume_role.role_arn`.
    arguments: BTreeMap<SmolStr, ArgumentValue>,
    /// The text of the whole block. It is compared if no argument is known to identify objects.
    texts: Vec<String>,
    directory: SmolStr,
}

/// The value of an argument.
#[derive(Debug)]
enum ArgumentValue {
    /// A known value, and its text in messages.
    Known(Value, String),
    /// The text of an expression whose value is not known before planning.
    Expression(String),
}

/// Whether two provider blocks manage the same objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Likeness {
    /// The same, as far as the blocks decide it.
    Same,
    /// Certainly different.
    Different(Vec<Difference>),
    /// Unknown before planning.
    Unknown,
}

impl Identity {
    /// The identity of a block, whose values take their evaluation steps from `work`.
    pub(super) fn of(
        node: Node<'_>,
        block: &ProviderConfiguration,
        sources: &Sources,
        work: &Rc<Budget>,
    ) -> Self {
        let attributes: Vec<_> = IDENTIFYING.iter().map(|name| AttributeSchema::optional(name)).collect();
        let blocks: Vec<_> = IDENTIFYING_BLOCKS.iter().map(|(kind, _)| BlockSchema::new(kind, &[])).collect();
        let content =
            block.config.content(&Schema { attributes: &attributes, blocks: &blocks }, &mut Vec::new());
        let values = node.values_within(work);
        let argument_value = |expr: &Expr| {
            let (value, text) = (values.of(expr), sources.slice(expr.span));
            if value.is_wholly_known() {
                let shown = value.as_str().map_or_else(|| text.to_owned(), quoted);
                ArgumentValue::Known(value, shown)
            } else {
                ArgumentValue::Expression(text.to_owned())
            }
        };
        let mut arguments: BTreeMap<SmolStr, ArgumentValue> =
            content.attributes.iter().map(|one| (one.name.clone(), argument_value(&one.expr))).collect();
        for (kind, name) in IDENTIFYING_BLOCKS {
            for block in content.blocks_of(kind) {
                if let Some(argument) = block.attribute(name) {
                    arguments.insert(format_smolstr!("{kind}.{name}"), argument_value(&argument.expr));
                }
            }
        }
        arguments.retain(
            |_, argument_value| !matches!(argument_value, ArgumentValue::Known(value, _) if value.is_null()),
        );
        let mut texts: Vec<String> = Vec::new();
        block.config.for_each_expression(&mut |expr| texts.push(sources.slice(expr.span).to_owned()));
        Self { arguments, texts, directory: node.module().directory.clone() }
    }

    /// Compares the block before a change with the one after it.
    pub(super) fn compare(&self, after: &Self) -> Likeness {
        let is_same_module = self.directory == after.directory;
        let names: BTreeSet<&SmolStr> = self.arguments.keys().chain(after.arguments.keys()).collect();
        let (mut differences, mut is_unknown) = (Vec::new(), false);
        for name in &names {
            match (self.arguments.get(*name), after.arguments.get(*name)) {
                (Some(ArgumentValue::Known(a, _)), Some(ArgumentValue::Known(b, _))) if a == b => {}
                (Some(ArgumentValue::Known(_, before)), Some(ArgumentValue::Known(_, after))) => {
                    differences.push(Difference {
                        argument: (*name).clone(),
                        before: before.clone(),
                        after: after.clone(),
                    });
                }
                (Some(ArgumentValue::Expression(a)), Some(ArgumentValue::Expression(b)))
                    if is_same_module && a == b => {}
                _ => is_unknown = true,
            }
        }
        if names.is_empty() {
            is_unknown = self.texts != after.texts;
        }
        match (differences.is_empty(), is_unknown) {
            (false, _) => Likeness::Different(differences),
            (true, true) => Likeness::Unknown,
            (true, false) => Likeness::Same,
        }
    }

    /// The identifying arguments with known values, for a sentence: `region` = "eu-west-1".
    pub(super) fn shown(&self) -> Option<String> {
        let known = self.arguments.iter().filter_map(|(name, argument_value)| match argument_value {
            ArgumentValue::Known(_, shown) => Some(format!("`{name}` = {shown}")),
            ArgumentValue::Expression(_) => None,
        });
        let known: Vec<String> = known.take(MOST_SHOWN).collect();
        (!known.is_empty()).then(|| known.join(", "))
    }
}

/// The maximal number of arguments in a sentence.
const MOST_SHOWN: usize = 3;

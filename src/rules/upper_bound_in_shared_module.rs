#![doc = include_str!("../../policies/rules/upper-bound-in-shared-module.md")]

use smol_str::SmolStr;

use super::{Context, Rule};
use crate::finding::{Finding, Fix, Safety};
use crate::module::declaration::VersionConstraint;
use crate::policy::Options;
use crate::tree::{Node, Role};
use crate::value::{Constraints, Operator};

pub(super) struct UpperBoundInSharedModule;

impl Rule for UpperBoundInSharedModule {
    const ID: &'static str = "upper-bound-in-shared-module";
    const FIXES: &'static [Safety] = &[Safety::Unsafe];

    fn configure(_: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self)
    }

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        if node.role() != Role::Shared {
            return;
        }
        let module = node.module();
        let engine = module.features.engine.product.name();
        for version in &module.required_versions {
            let Some(constraints) = &version.constraints else { continue };
            let address = "terraform.required_version".to_owned();
            findings.extend(bounded(version, constraints, engine, address, context));
        }
        for entry in module.required_providers.values() {
            let Some(version) = &entry.version else { continue };
            let Some(constraints) = &version.constraints else { continue };
            let provider = entry.address.display(module.features.registry_host);
            let address = format!("required_providers.{}", entry.name);
            findings.extend(bounded(version, &constraints.for_provider(), &provider, address, context));
        }
    }
}

/// What is found where a constraint keeps newer versions out.
fn bounded(
    version: &VersionConstraint,
    constraints: &Constraints,
    what: &str,
    address: String,
    context: &Context<'_>,
) -> Option<Finding> {
    if !constraints.has_upper_bound() {
        return None;
    }
    let finding = UpperBoundInSharedModule::finding("Upper bound in a shared module")
        .detail(format!(
            "`{}` keeps newer versions of {what} from every caller, until this module is released anew.",
            version.text
        ))
        .at(version.value_span)
        .address(address);
    Some(match least(constraints) {
        Some(least) => {
            let refused = constraints.conditions().iter();
            let refused = refused.filter(|condition| condition.operator == Operator::NotEqual);
            let refused: Vec<String> =
                refused.map(|condition| format!(", != {}", condition.version)).collect();
            let refused = refused.concat();
            let editor = context.editor(version.value_span.file);
            let edit =
                editor.map(|editor| editor.replace(version.value_span, format!("\">= {least}{refused}\"")));
            finding
                .help(format!("state the oldest version that works: \">= {least}\""))
                .fixed_by(edit.map(|edit| Fix::on_request([edit])))
        }
        None => finding.help("state the oldest version that works, and no newest"),
    })
}

/// The oldest version that meets the constraint, as it is written.
fn least(constraints: &Constraints) -> Option<SmolStr> {
    let lower = constraints.conditions().iter().filter(|condition| match condition.operator {
        Operator::Equal | Operator::GreaterOrEqual | Operator::Pessimistic => true,
        Operator::NotEqual | Operator::Greater | Operator::Less | Operator::LessOrEqual => false,
    });
    let version = &lower.max_by(|a, b| a.version.cmp(&b.version))?.version;
    let numbers: Vec<String> =
        version.segments().iter().take(version.written().max(2)).map(ToString::to_string).collect();
    (!version.is_prerelease()).then(|| numbers.join(".").into())
}

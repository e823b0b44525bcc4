#![doc = include_str!("../../policies/rules/upper-bound-in-shared-module.md")]

use super::{Context, Node, Page, Role, Rule, page};
use crate::finding::{Concern, Finding, Fix, Safety};
use crate::module::declaration::VersionConstraint;
use crate::value::{Constraints, Operator};

pub(super) struct UpperBoundInSharedModule;

impl Rule for UpperBoundInSharedModule {
    const PAGE: Page = page!("upper-bound-in-shared-module");
    const FIXES: &'static [Safety] = &[Safety::Unsafe];
    const ROLES: &'static [Role] = &[Role::Shared];

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        // If all callers are in this repository, they can be changed together with the module.
        if is_part_of_repository(node) {
            return;
        }
        let module = node.module();
        let engine = module.features.engine.product.name();
        for version in &module.required_versions {
            let Some(constraints) = &version.constraints else { continue };
            let concern = Concern::RequiredVersion;
            findings.extend(bounded(version, constraints, engine, concern, context));
        }
        for entry in module.required_providers.values() {
            let Some(version) = &entry.version else { continue };
            let Some(constraints) = &version.constraints else { continue };
            let provider = entry.address.display(module.features.registry_host);
            let concern = Concern::Provider(entry.name.clone());
            findings.extend(bounded(version, &constraints.for_provider(), &provider, concern, context));
        }
    }
}

/// Whether a module of this repository other than an example or a test calls the module.
fn is_part_of_repository(node: Node<'_>) -> bool {
    node.callers().any(|(caller, _)| matches!(caller.role(), Role::Root | Role::Shared))
}

/// The finding for a constraint that excludes newer versions.
fn bounded(
    version: &VersionConstraint,
    constraints: &Constraints,
    what: &str,
    concern: Concern,
    context: &Context<'_>,
) -> Option<Finding> {
    if !constraints.has_upper_bound() {
        return None;
    }
    let finding = UpperBoundInSharedModule::finding("Upper bound in a shared module")
        .detail(format!(
            "`{}` excludes newer versions of {what} for every caller of this module. A shared module should set a \
             minimum \
             version only.",
            version.text
        ))
        .at(version.value_span)
        .concerns(concern);
    Some(match constraints.oldest() {
        Some(oldest) => {
            let refused = constraints.conditions().iter();
            let refused = refused.filter(|condition| condition.operator == Operator::NotEqual);
            let refused: Vec<String> =
                refused.map(|condition| format!(", != {}", condition.version)).collect();
            let minimum = format!("\">= {oldest}{}\"", refused.concat());
            let editor = context.editor(version.value_span.file);
            let edit = editor.map(|editor| editor.replace(version.value_span, minimum.clone()));
            finding.help(format!("write `{minimum}`")).fixed_by(edit.map(|edit| Fix::on_request([edit])))
        }
        None => finding
            .help("write the oldest version that the module supports, with `>=` and without an upper bound"),
    })
}

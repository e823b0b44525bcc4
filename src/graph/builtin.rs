//! Checks built-in resources, provisioners and connections.

mod blocks;
mod provisioners;
mod table;

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::finding::{EngineRule, Finding, Severity, Stage, set_address};
use crate::graph::Node;
use crate::module::Module;
use crate::module::address::{Mode, ProviderAddress};
use crate::module::config::Config;
use crate::module::declaration::{ProviderConfiguration, Resource};
use crate::syntax::{Step, StepKind, Traversal};
use crate::text::{Span, is_identifier, nearest};
use crate::value::{Value, follow};
use blocks::Blocks;
pub(super) use blocks::{content, for_eaches};
pub(super) use provisioners::parts;
pub(super) use table::{Arguments, Presence};
use table::{PROVIDER, REMOTE_STATE, TERRAFORM_DATA};

/// Checks the resources of the built-in provider and all provisioners. `wrong` holds the expressions with an invalid
/// reference. Returns the expressions that the engine does not evaluate.
pub(super) fn check(node: Node<'_>, wrong: &BTreeSet<Span>, findings: &mut Vec<Finding>) -> BTreeSet<Span> {
    let module = node.module();
    let mut idle = BTreeSet::new();
    let mut blocks = Blocks { wrong, idle: &mut idle, findings };
    for resource in module.resources.values() {
        let from = blocks.findings.len();
        if is_built_in(resource) {
            match known(resource) {
                Some(arguments) => {
                    if blocks.is_right(arguments, &resource.config) {
                        ignored_changes(arguments, resource, blocks.findings);
                    }
                }
                // The decoder already reported that the type is not an identifier.
                None if !is_identifier(&resource.address.kind) => {}
                None => blocks.findings.push(unknown(resource)),
            }
        }
        provisioners::check(resource, &mut blocks);
        at(&mut blocks.findings[from..], &resource.address.to_string());
    }
    for provider in module.providers.values().filter(|provider| node.is_known_to_use(provider)) {
        let from = blocks.findings.len();
        if let Some(arguments) = provider_arguments(module, provider) {
            blocks.is_right(arguments, &provider.config);
        }
        at(&mut blocks.findings[from..], &format!("provider.{}", provider.compact()));
    }
    idle
}

/// Adds the address to the findings.
fn at(findings: &mut [Finding], address: &str) {
    set_address(findings, address);
    for finding in findings {
        finding.stage = Stage::Validate;
    }
}

/// The arguments of the built-in provider. Returns `None` for any other provider.
pub(super) fn provider_arguments(module: &Module, provider: &ProviderConfiguration) -> Option<Arguments> {
    module.provider_address(&provider.name).filter(ProviderAddress::is_built_in).map(|_| PROVIDER)
}

/// Reports arguments and blocks of the built-in provider that it does not have.
pub(super) fn provider_content(config: &Config, findings: &mut Vec<Finding>) {
    content(PROVIDER, config, findings);
}

/// The arguments of a resource of the built-in provider. Returns `None` for any other provider.
pub(super) fn arguments(resource: &Resource) -> Option<Arguments> {
    known(resource).filter(|_| is_built_in(resource))
}

/// Reports invalid steps from a resource of the built-in provider into its attributes, as far as the schema is known.
pub(super) fn steps(resource: &Resource, steps: &[Step], findings: &mut Vec<Finding>) {
    let (Some(arguments), Some((first, behind))) = (arguments(resource), steps.split_first()) else { return };
    let StepKind::Attribute(name) = &first.kind else {
        Finding::language(EngineRule::InvalidReference, "Invalid index operation")
            .detail("A resource is an object: write its attributes with a dot.")
            .at(first.span)
            .push_to(findings);
        return;
    };
    if let Some(argument) = arguments.named(name) {
        follow(Cow::Owned(Value::Unknown(argument.ty())), behind, findings);
        return;
    }
    let of_state = resource.address.kind == "terraform_remote_state";
    Finding::language(EngineRule::InvalidReference, "Unsupported attribute")
        .detail(format!("`{}` has no attribute `{name}`.", resource.address.kind))
        .at(first.span)
        .help_if(
            of_state
                .then(|| format!("write `outputs.{name}` for the output `{name}` of the other root module")),
        )
        .meant(nearest(name, arguments.names()))
        .push_to(findings);
}

/// Checks that the attributes in `ignore_changes` exist and can be set.
fn ignored_changes(arguments: Arguments, resource: &Resource, findings: &mut Vec<Finding>) {
    let before = findings.len();
    for ignored in &resource.managed.ignore_changes {
        let Traversal { root, root_span, steps: behind } = &ignored.traversal;
        let first = Step { span: *root_span, kind: StepKind::Attribute(root.clone()) };
        let from = findings.len();
        steps(resource, &[&[first], behind.as_slice()].concat(), findings);
        let help = match behind.as_slice() {
            _ if root == "all" => Some("to ignore all changes, write `ignore_changes = all`".to_owned()),
            [_, Step { kind: StepKind::Attribute(attribute), .. }, ..] if *root == resource.address.kind => {
                Some(format!("leave out the address of the resource: `{attribute}`"))
            }
            _ => None,
        };
        if let (Some(finding), Some(help)) = (findings.get_mut(from), help) {
            finding.help = Some(help);
        }
        let computed = arguments.named(root).is_some_and(|argument| argument.presence == Presence::Computed);
        let is_error = |finding: &Finding| finding.severity == Severity::Error;
        if computed && !findings[before..].iter().any(is_error) {
            Finding::language(EngineRule::InvalidLifecycle, "Redundant ignore_changes element")
                .severity(Severity::Warning)
                .detail(format!("`{root}` cannot be set, so `ignore_changes` has no effect on it."))
                .at(type_place(resource))
                .related(ignored.span, "named here")
                .help(format!("remove `{root}` from `ignore_changes`"))
                .push_to(findings);
        }
    }
}

fn is_built_in(resource: &Resource) -> bool {
    // `init` refuses every other built-in provider.
    let is_known = |provider: &ProviderAddress| provider.is_built_in() && provider.name == "terraform";
    resource.provider.as_ref().is_some_and(is_known)
}

fn known(resource: &Resource) -> Option<Arguments> {
    match (resource.address.mode, resource.address.kind.as_str()) {
        (Mode::Managed, "terraform_data") => Some(TERRAFORM_DATA),
        (Mode::Data, "terraform_remote_state") => Some(REMOTE_STATE),
        (Mode::Managed | Mode::Data | Mode::Ephemeral, _) => None,
    }
}

fn unknown(resource: &Resource) -> Finding {
    let kind = resource.address.kind.as_str();
    let (summary, detail) = match resource.address.mode {
        Mode::Managed => (
            "Invalid resource type",
            format!("The built-in provider has the resource `terraform_data`, but no {kind:?}."),
        ),
        Mode::Data => (
            "Invalid data source",
            format!("The built-in provider has the data source `terraform_remote_state`, but no {kind:?}."),
        ),
        Mode::Ephemeral => {
            ("Invalid ephemeral resource", "The built-in provider has no ephemeral resources.".to_owned())
        }
    };
    Finding::language(EngineRule::UnsupportedBlockOrArgument, summary).detail(detail).at(type_place(resource))
}

fn type_place(resource: &Resource) -> Span {
    resource.origin.base.labels.first().map_or(resource.origin.header(), |label| label.span)
}

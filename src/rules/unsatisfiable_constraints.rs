#![doc = include_str!("../../policies/rules/unsatisfiable-constraints.md")]

use super::{Context, Page, Rule, page};
use crate::finding::{Concern, EngineRule, Finding};
use crate::graph::{Conflicts, Node, Subject, VersionRequirement};
use crate::limits::Limit;
use crate::module::Module;
use crate::module::declaration::ModuleCall;
use crate::value::Constraints;

pub(super) struct UnsatisfiableConstraints;

impl Rule for UnsatisfiableConstraints {
    const PAGE: Page = page!("unsatisfiable-constraints");

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let calls = node.module().calls.values();
        findings.extend(calls.filter_map(|call| no_module_version(call)));
        // Conflicts within a child module are reported there.
        let Conflicts { impossible, uncompared, is_cut } = node.version_conflicts();
        findings.extend(is_cut.then(uncompared_modules));
        if impossible.is_empty() && uncompared.is_empty() {
            return;
        }
        let subjects = impossible.union(uncompared).cloned().collect();
        let requirements = node.version_requirements(&subjects, |found| {
            subjects.iter().all(|subject| {
                let of_subject = found.get(subject).map_or(&[][..], Vec::as_slice);
                let shows_conflict = || {
                    let conditions = of_subject.iter().flat_map(|it| it.constraints.conditions()).cloned();
                    of_subject.len() >= MOST_SHOWN || !Constraints::of(conditions.collect()).can_be_met()
                };
                !of_subject.is_empty() && (!impossible.contains(subject) || shows_conflict())
            })
        });
        let of = |subject| requirements.get(subject).map_or(&[][..], Vec::as_slice);
        for subject in impossible {
            let requirements = of(subject);
            findings.extend(conflict(
                node.module(),
                subject,
                &requirements[..requirements.len().min(MOST_SHOWN)],
            ));
        }
        for subject in uncompared {
            findings.extend(of(subject).first().map(|nearest| too_many(node.module(), subject, nearest)));
        }
    }
}

/// The finding if no version of the child module can meet the constraint of the call.
fn no_module_version(call: &ModuleCall) -> Option<Finding> {
    let version = call.version.as_ref()?;
    if version.constraints.as_ref()?.can_be_met() {
        return None;
    }
    let finding = UnsatisfiableConstraints::finding("Unsatisfiable module version constraint")
        .detail(format!("No version of the module meets {:?}, so `init` fails.", version.text.as_str()))
        .at(version.value_span)
        .help("change the constraint so that at least one version meets it")
        .address(format!("module.{}", call.name));
    Some(finding)
}

/// The finding about constraints of several modules that are not compared.
fn uncompared_modules() -> Finding {
    Finding::language(EngineRule::LimitReached, "Too many version constraints to compare")
        .detail(
            "The modules that this one calls have too many version constraints to compare them with each other and with \
             those of this module.",
        )
}

fn too_many(module: &Module, subject: &Subject, nearest: &VersionRequirement) -> Finding {
    let (what, concern) = named(module, subject);
    let detail =
        format!("Some version constraints on {what} in this module and its child modules are not compared.");
    let finding =
        Finding::limit(Limit::Conditions, &module.limits, "Too many version conditions to compare", &detail);
    finding.at(nearest.via.unwrap_or(nearest.at)).concerns(concern)
}

/// The name of the subject in messages, and the concern of a finding about it.
fn named(module: &Module, subject: &Subject) -> (String, Concern) {
    match subject {
        Some(provider) => {
            let provider = provider.display(module.features.registry_host);
            (provider.to_string(), Concern::Provider(provider))
        }
        None => (module.features.engine.product.name().into(), Concern::RequiredVersion),
    }
}

/// The maximal number of locations in a finding.
const MOST_SHOWN: usize = 100;

fn conflict(module: &Module, subject: &Subject, requirements: &[VersionRequirement]) -> Option<Finding> {
    let nearest = requirements.first()?;
    let (what, concern) = named(module, subject);
    // Of two conflicting constraints, the nearer one is reported. Below this module, that is the call that leads
    // there.
    let conflicting = requirements.iter().enumerate().find_map(|(number, requirement)| {
        let conflicts_with =
            |other: &&VersionRequirement| !requirement.constraints.agree_with(&other.constraints);
        requirements[number..].iter().find(conflicts_with).map(|other| (requirement, other))
    });
    // Constraints that agree with the reported one need no change.
    let has_pair = conflicting.is_some();
    let (first, met, help) = match conflicting {
        Some((first, other)) if first.at == other.at => {
            let help = "change the constraint so that at least one version meets it";
            (first, format!("{:?}", first.text.as_str()), help)
        }
        Some((first, other)) => {
            let (one, another) = (first.text.as_str(), other.text.as_str());
            (
                first,
                format!("both {one:?} and {another:?}"),
                "change one of the constraints so that a version meets both",
            )
        }
        None => (
            nearest,
            "all of these constraints".into(),
            "change the constraints so that a version meets all of them",
        ),
    };
    let at = first.via.unwrap_or(first.at);
    let finding = UnsatisfiableConstraints::finding("Unsatisfiable version constraints")
        .detail(format!("No version of {what} meets {met}, so `init` fails."))
        .at(at)
        .help(help)
        .concerns(concern);
    let is_meant = |other: &&VersionRequirement| {
        !has_pair || other.at == first.at || !first.constraints.agree_with(&other.constraints)
    };
    let others = requirements.iter().filter(|requirement| requirement.at != at).filter(is_meant);
    Some(others.fold(finding, |finding, requirement| {
        finding.related(requirement.at, format!("requires {:?}", requirement.text.as_str()))
    }))
}

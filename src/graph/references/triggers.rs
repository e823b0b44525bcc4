//! Checks what the triggers in a `lifecycle` block refer to: `replace_triggered_by`, and the actions of `action_trigger`.

use smol_str::{SmolStr, format_smolstr};

use super::declared::{Declared, has_needed_instances, undeclared};
use super::sites::{Owner, Site, Symbols};
use super::{Judge, symbols};
use crate::engine::Features;
use crate::finding::{Concern, EngineRule, Finding, Severity, Stage, make_warnings, set_address};
use crate::graph::Node;
use crate::graph::evaluation::Values;
use crate::graph::similar::Similar;
use crate::module::Module;
use crate::module::address::{Reference, Subject, reference};
use crate::module::declaration::Resource;
use crate::syntax::{Expr, ExprKind};
use crate::text::Span;

impl Judge<'_, '_> {
    /// Reports invalid references in `replace_triggered_by`, which `validate` does not evaluate.
    pub(super) fn triggers(&mut self, resource: &Resource) {
        let from = self.findings.len();
        let site = Site { symbols: Symbols::in_resource(resource), ..Site::of(Owner::Resource(resource)) };
        for trigger in &resource.managed.replace_triggered_by {
            let references = references(trigger, &self.node.module().features);
            let is_resource = |it: &&Reference<'_>| matches!(it.subject, Subject::Resource { .. });
            match unexpected_trigger(trigger) {
                // The loader reports the others.
                Some(wrong) if references.iter().filter(is_resource).count() == 1 => {
                    self.findings.push(wrong);
                }
                Some(_) => {}
                None => references.iter().for_each(|reference| self.trigger(&site, trigger, reference)),
            }
        }
        if self.findings.len() == from {
            return;
        }
        let values = || self.values.get_or_init(|| self.node.values());
        let is_certain =
            self.node.is_planned() && has_needed_instances(resource, resource.origin.header(), &values);
        let found = &mut self.findings[from..];
        if !is_certain {
            make_warnings(found);
        }
        for finding in &mut *found {
            finding.stage = Stage::Plan;
        }
        set_address(found, &resource.address.to_string());
    }

    /// Checks a reference in an element of `replace_triggered_by`.
    fn trigger(&mut self, site: &Site<'_>, trigger: &Expr, reference: &Reference<'_>) {
        let (node, module, at) = (self.node, self.node.module(), reference.span);
        match (&reference.subject, Declared::of(module, &reference.subject)) {
            (Subject::Count(name), _) => symbols::count(name, site, at, self.findings),
            (Subject::Each(name), _) => symbols::each(name, site, at, self.findings),
            (subject @ Subject::Resource { .. }, None) => {
                self.findings.extend(undeclared(module, subject, at, &self.similar, Some(&site.owner)));
            }
            (_, Some(Declared::Resource(resource))) => {
                let values = || self.values.get_or_init(|| node.values());
                let found = without_change(node, resource, site, trigger, reference, &values);
                self.findings.extend(found.map(|(severity, subject, why)| {
                    no_change(node, &subject, &why).severity(severity).at(at)
                }));
            }
            _ => {}
        }
    }

    /// Reports triggers of undeclared actions.
    pub(super) fn triggered_actions(&mut self, resource: &Resource) {
        let from = self.findings.len();
        let module = self.node.module();
        for trigger in &resource.managed.triggered_actions {
            for reference in references(trigger, &module.features) {
                let Subject::Action { kind, name, .. } = reference.subject else { continue };
                self.findings.extend(undeclared_action(module, kind, name, trigger.span, &self.similar));
            }
        }
        for finding in &mut self.findings[from..] {
            finding.stage = Stage::Validate;
        }
        set_address(&mut self.findings[from..], &resource.address.to_string());
    }
}

/// The references in an element of a list of triggers. The loader reports those that cannot be read.
fn references<'e>(trigger: &'e Expr, features: &Features) -> Vec<Reference<'e>> {
    trigger.variables().into_iter().filter_map(|traversal| reference(traversal, features).ok()).collect()
}

/// The error for an object in `replace_triggered_by` for which a plan has no change.
fn no_change(node: Node<'_>, subject: &str, why: &str) -> Finding {
    let path = node.path_through(node.callers().next());
    let module = if path.is_empty() { "the root module" } else { path.trim_end_matches('.') };
    Finding::language(EngineRule::InvalidLifecycle, format!("no change found for {subject} in {module}"))
        .detail(why)
}

/// The error for an element of `replace_triggered_by` that is not the plain address of an object.
fn unexpected_trigger(trigger: &Expr) -> Option<Finding> {
    match &trigger.kind {
        ExprKind::Traversal(_) => None,
        ExprKind::Relative(relative) => unexpected_trigger(&relative.from),
        ExprKind::Index { collection, key, .. } => match &key.kind {
            ExprKind::Traversal(_) => unexpected_trigger(collection),
            _ => Some(
                Finding::language(EngineRule::InvalidLifecycle, "Invalid expression")
                    .detail("The key can be a constant, `count.index` or `each.key`.")
                    .at(key.span),
            ),
        },
        _ => Some(
            Finding::language(EngineRule::InvalidLifecycle, "Invalid replace_triggered_by expression")
                .detail("This must be the address of a resource, of one of its instances, or of an attribute of these.")
                .at(trigger.span),
        ),
    }
}

/// The object that an element of `replace_triggered_by` names, with the reason why a plan has no change of it.
fn without_change<'v>(
    node: Node<'_>,
    resource: &Resource,
    site: &Site<'_>,
    trigger: &Expr,
    reference: &Reference<'_>,
    values: &dyn Fn() -> &'v Values<'v>,
) -> Option<(Severity, String, String)> {
    let Subject::Resource { address, key } = &reference.subject else { return None };
    let subject = key.iter().fold(address.to_string(), |address, key| format!("{address}{key}"));
    if matches!(site.owner, Owner::Resource(owner) if owner.address == *address) {
        let why = "A resource cannot be replaced because of a change to itself.".to_owned();
        return Some((Severity::Error, subject, why));
    }
    // The key in any other expression is known only in each instance.
    if resource.enabled.is_some() || !matches!(trigger.kind, ExprKind::Traversal(_)) {
        return None;
    }
    let why = if key.is_some() || !reference.remaining.is_empty() {
        let is_missing = values().have_instance(resource.repeated(), key.as_ref()) == Some(false);
        is_missing.then_some("there is no such instance")?
    } else if node.has_no_instances(resource.repeated()) {
        "it has no instances"
    } else {
        return None;
    };
    let why = format!("Every plan fails, because {why}, unless the state still has one.");
    Some((Severity::Warning, subject, why))
}

/// The finding about an action that a trigger names and the module does not declare.
fn undeclared_action(
    module: &Module,
    kind: SmolStr,
    name: SmolStr,
    at: Span,
    similar: &Similar,
) -> Option<Finding> {
    let address = format_smolstr!("action.{kind}.{name}");
    let wanted = (kind, name);
    if module.actions.contains_key(&wanted) || module.may_have(&address) {
        return None;
    }
    let same_type = module.actions.values().filter(|action| action.kind == wanted.0);
    let near = similar.nearest(&wanted.1, same_type, |action| &action.name);
    let near = near.map(|near| (near.origin.header(), format!("action.{}.{}", near.kind, near.name)));
    let finding = Finding::language(
        EngineRule::UndeclaredReference,
        "action_trigger actions references non-existent action",
    );
    let finding = finding.detail(format!("This module declares no `{address}`.")).at(at);
    Some(finding.concerns(Concern::Name(address)).meant_at(near, "this action"))
}

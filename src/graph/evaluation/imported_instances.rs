//! Checks that a plan has the instances that imports name. `validate` does not know the instances.

use std::collections::BTreeSet;

use super::plan::{ONLY_PLAN, Plan};
use crate::finding::Finding;
use crate::graph::imports::{self, has_wrong_target, target_for};
use crate::graph::references::sites::Symbols;
use crate::module::address::ImportTarget;
use crate::module::declaration::Import;
use crate::syntax::Expr;
use crate::value::elements;

const HELP: &str = "correct the key, or make the instance with `count` or `for_each`";

/// The findings for the imports of a root module whose instances a plan does not have: one for each resource, as in the
/// engine.
pub(super) fn absent(plan: &Plan<'_>) -> Vec<Finding> {
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    for import in &plan.node.module().imports {
        let (Some(target), Some(to)) = (&import.target, &import.to) else { continue };
        if seen.contains(&target.config()) || has_wrong_target(plan.node, import) {
            continue;
        }
        if let Some(absent) = first_absent(plan, import, target, to) {
            seen.insert(target.config());
            let detail =
                format!("`{absent}` cannot be imported, because there is no such instance. {ONLY_PLAN}");
            let finding = imports::not_there().detail(detail).related(to.span, "imported here").help(HELP);
            findings.push(finding.at_plan().address(format!("import.{target}")));
        }
    }
    findings
}

/// The first target of an import that certainly does not exist.
fn first_absent(plan: &Plan<'_>, import: &Import, target: &ImportTarget, to: &Expr) -> Option<ImportTarget> {
    let is_absent =
        |target: &ImportTarget| plan.values.have_instance(&target.path, &target.resource) == Some(false);
    let Some(for_each) = &import.for_each else {
        return Some(target).filter(|target| target.is_static && is_absent(target)).cloned();
    };
    let (value, findings) = plan.values.at(&for_each.expr, Symbols::default(), None, None)?;
    let (value, _) = value.value.unmarked();
    if !findings.is_empty() || !value.is_wholly_known() {
        return None;
    }
    let targets = elements(value)?.into_iter().map_while(|(key, element)| {
        plan.work.take(1).then(|| target_for(plan.node, to, key.into_owned(), element.clone()))
    });
    targets.flatten().find(is_absent)
}

//! Checks that the targets of imports exist and have the given instances.

use std::borrow::Cow;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::finding::{EngineRule, Finding};
use crate::graph::import_checks::ImportChecks;
use crate::graph::{Callee, Node};
use crate::limits::Limits;
use crate::module::address::{ImportTarget, InstanceKey, import_target};
use crate::module::declaration::{Import, Resource};
use crate::syntax::{Attribute, Expr, ExprKind, Step, StepKind};
use crate::text::{Span, with_article};
use crate::value::{Marks, Value, elements, evaluate_with};

pub(super) fn check(node: Node<'_>, findings: &mut Vec<Finding>) {
    if node.is_called() || !node.module().features.import_targets_validated {
        // The addresses are relative to a root module.
        return;
    }
    findings.extend(node.import_checks().limit_reached.as_deref().cloned());
    for import in &node.module().imports {
        let (Some(target), Some(to)) = (&import.target, &import.to) else { continue };
        let wrong = node.import_checks().wrong.get(&to.span).into_iter().flatten().cloned();
        findings.extend(wrong.map(|finding| finding.at_validate().address(format!("import.{target}"))));
    }
}

impl<'t> Node<'t> {
    fn import_checks(self) -> &'t ImportChecks {
        self.data().imports.get_or_init(|| {
            let (mut checks, values) = (ImportChecks::default(), self.values());
            for import in &self.module().imports {
                let value = import.for_each.as_ref().map(|for_each| values.marked(&for_each.expr));
                let first = value.as_ref().and_then(First::of);
                if let Some(for_each) = import.for_each.as_ref().filter(|_| checks.limit_reached.is_none()) {
                    checks.limit_reached = values.limit_reached(for_each.expr.span).map(Box::new);
                }
                if let Some(for_each) = import.for_each.as_ref().filter(|_| first.is_some()) {
                    checks.with_elements.insert(for_each.expr.span);
                }
                let wrong = wrong(self, import, first);
                if let Some(to) = import.to.as_ref().filter(|_| !wrong.is_empty()) {
                    checks.wrong.insert(to.span, wrong);
                }
            }
            checks
        })
    }
}

/// The first element of a `for_each` whose value is known.
struct First<'v> {
    key: Cow<'v, Value>,
    element: &'v Value,
    marks: Marks,
}

impl<'v> First<'v> {
    fn of(value: &'v Value) -> Option<Self> {
        let (inner, marks) = value.unmarked();
        let (key, element) = elements(inner).filter(|_| value.is_wholly_known())?.into_iter().next()?;
        Some(Self { key, element, marks })
    }
}

/// Whether the engine evaluates the `id` of an import: only if the resource is valid, and there is something to
/// import.
pub(super) fn reaches_id(node: Node<'_>, import: &Import) -> bool {
    if !node.module().features.import_targets_validated {
        return true;
    }
    let has_elements =
        |for_each: &Arc<Attribute>| node.import_checks().with_elements.contains(&for_each.expr.span);
    reaches_for_each(node, import) && import.for_each.as_ref().is_none_or(has_elements)
}

/// Whether the engine evaluates the `for_each` of an import.
pub(super) fn reaches_for_each(node: Node<'_>, import: &Import) -> bool {
    !node.module().features.import_targets_validated || !has_wrong_target(node, import)
}

/// Whether the target of an import is wrong, as far as `validate` of the newest Terraform knows.
pub(super) fn has_wrong_target(node: Node<'_>, import: &Import) -> bool {
    import.to.as_ref().is_some_and(|to| node.import_checks().wrong.contains_key(&to.span))
}

/// The errors in the target of an import in a root module.
fn wrong(node: Node<'_>, import: &Import, first: Option<First<'_>>) -> Vec<Finding> {
    let (Some(target), Some(to)) = (&import.target, &import.to) else { return Vec::new() };
    let found = absent_or_other(node, import, target, to, first);
    if found.is_empty() && !target.is_static && import.for_each.is_none() {
        let found = |summary: &str| Finding::language(EngineRule::InvalidMovedRemovedImport, summary);
        let detail = "Without `for_each`, every key of this address must be a constant.";
        return vec![
            found("Invalid expression").at(to.span).detail(detail),
            // The engine continues with an empty address.
            found("Invalid address").detail(detail).related(to.span, "this address"),
        ];
    }
    found
}

fn absent_or_other(
    node: Node<'_>,
    import: &Import,
    target: &ImportTarget,
    to: &Expr,
    first: Option<First<'_>>,
) -> Vec<Finding> {
    let at = to.span;
    let mut module = node;
    for step in &target.path {
        if !module.module().complete {
            return Vec::new();
        }
        match module.callee(&step.name) {
            Callee::Module(child) => module = node.graph().node(child),
            Callee::Opaque if !module.module().calls.contains_key(&step.name) => {
                return vec![absent(target, at, &format!("no module call is named `{}`", step.name))];
            }
            Callee::Missing | Callee::Outside | Callee::Opaque => return Vec::new(),
        }
    }
    let resource = module.module().resources.get(&target.resource.resource);
    match resource {
        Some(resource) if target.is_static => {
            let is_reached = import.for_each.is_none() || first.is_some();
            instances(resource, target.resource.key.as_ref(), at).filter(|_| is_reached).into_iter().collect()
        }
        Some(resource) => made_for_each(node, target, to, Some(resource), first),
        None if !module.module().complete => Vec::new(),
        None if !target.path.is_empty() => vec![absent(target, at, "the module does not declare it")],
        // A missing resource in the root module can be generated, but not with an instance key.
        None if target.is_static && (target.resource.key.is_some() || import.for_each.is_some()) => {
            let resource = &target.resource.resource;
            let finding = absent(target, at, "no configuration can be generated for a single instance");
            vec![
                finding
                    .detail(format!(
                        "This module does not declare `{resource}`, and its configuration cannot be generated for a \
                         single instance."
                    ))
                    .help(format!("add a `resource` block for `{resource}`")),
            ]
        }
        None if !target.is_static => made_for_each(node, target, to, None, first),
        None => Vec::new(),
    }
}

/// The errors in a target whose keys refer to the first element of `for_each`. A resource that is not declared has
/// none of these instances.
fn made_for_each(
    node: Node<'_>,
    target: &ImportTarget,
    to: &Expr,
    resource: Option<&Resource>,
    first: Option<First<'_>>,
) -> Vec<Finding> {
    let Some(First { key, element, marks }) = first else { return Vec::new() };
    let each = each(key.into_owned(), element.clone().mark(marks));
    let mut last = None;
    let mut keys = Vec::new();
    collect_keys(to, &mut keys);
    for expr in keys {
        match key_of(expr, &each, &node.module().limits) {
            Ok(key) => last = Some((expr, key)),
            Err(wrong) => return wrong,
        }
    }
    let (expr, key) = match (&to.kind, last) {
        (ExprKind::Index { .. }, Some((expr, Some(key)))) => (Some(expr), Some(key)),
        (ExprKind::Index { .. }, _) => return Vec::new(),
        _ => (None, target.resource.key.clone()),
    };
    let Some(resource) = resource else {
        let detail =
            format!("This module does not declare `{}`, so it has no instances.", target.resource.resource);
        return vec![not_an_instance().detail(detail).at(to.span)];
    };
    let finding = instances(resource, key.as_ref(), to.span);
    let finding = finding.map(|finding| match key {
        Some(InstanceKey::Number(_)) if expr.is_some_and(is_each_key) => of_list(finding, resource, element),
        _ => finding,
    });
    finding.into_iter().collect()
}

/// The target of an import for one element of `for_each`. `None` if a key is not known or not valid.
pub(super) fn target_for(node: Node<'_>, to: &Expr, key: Value, element: Value) -> Option<ImportTarget> {
    let each = each(key, element);
    let mut keys = Vec::new();
    collect_keys(to, &mut keys);
    let module = node.module();
    let keys = keys.into_iter().map(|expr| key_of(expr, &each, &module.limits).ok()?);
    import_target(to, &keys.collect::<Option<Vec<_>>>()?, &module.features).ok()
}

fn each(key: Value, value: Value) -> Value {
    let each = [("key", key), ("value", value)];
    Value::Object(each.map(|(name, value)| (SmolStr::new_static(name), value)).into())
}

/// The keys of an address that are expressions, from left to right.
fn collect_keys<'e>(to: &'e Expr, keys: &mut Vec<&'e Expr>) {
    match &to.kind {
        ExprKind::Index { collection, key, .. } => {
            collect_keys(collection, keys);
            keys.push(key);
        }
        ExprKind::Relative(relative) => collect_keys(&relative.from, keys),
        _ => {}
    }
}

/// The instance key that an expression makes. `None` if it is not known.
fn key_of(expr: &Expr, each: &Value, limits: &Limits) -> Result<Option<InstanceKey>, Vec<Finding>> {
    let mut wrong = Vec::new();
    let value = evaluate_with(("each", each), limits, expr, &mut wrong);
    if !wrong.is_empty() {
        let help = "only `each.key` and `each.value` can be used in the keys of an import";
        return Err(wrong.into_iter().map(|finding| of_key(finding).help(help)).collect());
    }
    let (inner, marks) = value.unmarked();
    if marks.sensitive.is_some() {
        let finding = Finding::language(EngineRule::InvalidMovedRemovedImport, "Invalid index expression");
        let detail = "An instance key cannot be sensitive, because it is part of an address.";
        return Err(vec![finding.detail(detail).at(expr.span)]);
    }
    match inner {
        Value::String(text) => Ok(Some(InstanceKey::Text(text.clone()))),
        Value::Number(number) if number.is_whole() => Ok(InstanceKey::number(&number.to_string())),
        Value::Unknown(_) => Ok(None),
        other => {
            let is = match other {
                Value::Null(_) => "null".to_owned(),
                Value::Number(_) => "a fraction".to_owned(),
                _ => with_article(&other.ty().name()),
            };
            let finding = Finding::language(EngineRule::InvalidMovedRemovedImport, "Invalid address");
            let detail = format!("An instance key is a string or a whole number, and this one is {is}.");
            Err(vec![finding.detail(detail).at(expr.span)])
        }
    }
}

/// The error in a key, with the reason why the engine allows so little there.
fn of_key(finding: Finding) -> Finding {
    if finding.rule == EngineRule::InvalidFunctionCall.id() {
        finding.detail("The keys of an import cannot call functions.")
    } else {
        finding
    }
}

fn is_each_key(expr: &Expr) -> bool {
    let ExprKind::Traversal(each) = &expr.kind else { return false };
    each.root == "each"
        && matches!(&each.steps[..], [Step { kind: StepKind::Attribute(name), .. }] if name == "key")
}

/// The error for a list in `for_each`, whose keys are numbers.
fn of_list(finding: Finding, resource: &Resource, element: &Value) -> Finding {
    let finding = finding.detail(format!(
        "`each.key` is a number here, because `for_each` is a list. `{}` does not use `count`, so its keys are not \
         numbers.",
        resource.address
    ));
    let with_map = "give `for_each` a map from instance keys to import IDs";
    match element {
        // Without `for_each`, the resource has no instances with keys.
        _ if resource.for_each.is_none() => finding,
        Value::String(_) => finding.help(format!("replace `each.key` with `each.value`, or {with_map}")),
        _ => finding.help(with_map),
    }
}

fn not_an_instance() -> Finding {
    Finding::language(EngineRule::InvalidMovedRemovedImport, "Invalid import 'to' expression")
}

fn absent(target: &ImportTarget, at: Span, why: &str) -> Finding {
    not_there().detail(format!("{target} cannot be imported: {why}.")).at(at)
}

/// The finding for a target that does not exist, without a detail.
pub(super) fn not_there() -> Finding {
    Finding::language(EngineRule::InvalidReference, "Configuration for import target does not exist")
}

/// The type of key must match the resource.
fn instances(resource: &Resource, key: Option<&InstanceKey>, at: Span) -> Option<Finding> {
    let (count, for_each) = (resource.count.as_ref(), resource.for_each.as_ref());
    let (why, argument) = match key {
        Some(InstanceKey::Text(_)) if for_each.is_none() => {
            ("does not use `for_each`, so a key cannot be a string", count)
        }
        Some(InstanceKey::Number(_)) if count.is_none() => {
            ("does not use `count`, so a key cannot be a number", for_each)
        }
        None if for_each.is_some() => ("uses `for_each`, so there must be a key", for_each),
        None if count.is_some() => ("uses `count`, so there must be a number", count),
        Some(InstanceKey::Text(_) | InstanceKey::Number(_)) | None => return None,
    };
    let (place, label) = match argument {
        Some(argument) => (argument.name_span, format!("this resource uses `{}`", argument.name)),
        None => (resource.origin.header(), "declared here, without `count` and `for_each`".to_owned()),
    };
    Some(not_an_instance().detail(format!("`{}` {why}.", resource.address)).at(at).related(place, label))
}

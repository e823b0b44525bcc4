//! Evaluates expressions with the instances of resources and module calls, if `count` or `for_each` is known. Only a plan
//! does so: for `validate`, `each.value`, `count.index` and references to blocks with `count` or `for_each` are unknown.

use std::rc::Rc;

use hashbrown::HashSet;
use smol_str::SmolStr;

use super::scope::{Instance, ModuleScope};
use super::{Evaluation, accepted_values};
use crate::finding::{EngineRule, Finding, Severity, has_errors};
use crate::graph::Node;
use crate::graph::references::sites::{Owner, Site, Symbols};
use crate::module::address::{Mode, Subject, reference};
use crate::module::declaration::ModuleCall;
use crate::syntax::{Attribute, Expr};
use crate::text::Span;
use crate::value::{Number, Value, elements, evaluate};

/// The maximum number of instances of a block.
const MOST: usize = 1_000;

/// The maximum number of instances of a block that expressions refer to.
const MOST_IN_COLLECTION: usize = 100;

/// The instances of a block with this `count` or `for_each`.
pub(super) type Instances = (Span, Rc<[Instance]>);

impl<'t> Evaluation<'t, '_> {
    /// Reports each error that only a plan finds once, for the first instance that has it.
    pub(super) fn in_plan(&mut self, site: &Site<'t>, expr: &Expr) {
        // Provisioners and connections are evaluated only after the plan.
        if site.symbols.itself || self.wrong.contains(&expr.span) || !is_always_evaluated(site) {
            return;
        }
        let is_precondition = is_precondition(site, expr);
        let names_collection = self.collect(expr);
        let (count, for_each) = site.repeated();
        let repeated = count.or(for_each).filter(|repeated| !repeated.expr.span.encloses(expr.span));
        if site.condition.is_some() && !is_precondition
            || !is_precondition && !names_collection && (repeated.is_none() || !names_instance(expr))
        {
            return;
        }
        let Some(repeated) = repeated else {
            self.in_instance(site, expr, None, &mut HashSet::new());
            return;
        };
        let mut reported = HashSet::new();
        for instance in self.instances_of(repeated).iter() {
            if !self.in_instance(site, expr, Some(instance), &mut reported) {
                return;
            }
        }
    }

    /// Evaluates an expression in one instance of its block. Returns whether no limit was reached.
    fn in_instance(
        &mut self,
        site: &Site<'t>,
        expr: &Expr,
        instance: Option<&Instance>,
        reported: &mut HashSet<(String, Option<Span>)>,
    ) -> bool {
        let mut found = Vec::new();
        let scope = self.scope(site.symbols);
        let scope =
            ModuleScope { instance, collections: Some(&self.collections), work: &self.of_instances, ..scope };
        let mut value = evaluate(expr, &scope, &mut found);
        if found.iter().any(|finding| finding.rule == EngineRule::LimitReached.id()) {
            return false;
        }
        found.retain(|finding| finding.severity == Severity::Error);
        if found.is_empty() {
            match &site.owner {
                Owner::Argument(call, name) => found = self.refused_in_plan(&value, expr, call, name),
                Owner::Resource(_) if is_precondition(site, expr) => {
                    value.take_deep_marks();
                    found.extend(accepted_values::precondition(&value, expr));
                }
                _ => {}
            }
        }
        let where_ = instance.map_or_else(
            || "`validate` does not know the instances, but `plan` does.".to_owned(),
            |instance| {
                let key = instance.key();
                format!("This is so in `{site}[{key}]`. `validate` does not evaluate it, but `plan` does.")
            },
        );
        for finding in &mut found {
            if !reported.insert((finding.summary.clone(), finding.primary)) {
                continue;
            }
            if !self.node.is_planned() {
                finding.severity = Severity::Warning;
            }
            finding.set_detail(format!("{} {where_}", finding.detail));
            self.findings.push(finding.clone().at_plan().address(site.to_string()));
        }
        true
    }

    /// The errors in a value for a variable of a child module, without those that do not depend on the instance.
    fn refused_in_plan(&self, value: &Value, expr: &Expr, call: &ModuleCall, name: &str) -> Vec<Finding> {
        let Some(child) = self.node.child(&call.name) else { return Vec::new() };
        let Some(variable) = child.module().variables.get(name) else { return Vec::new() };
        let mut found = self.argument(value.clone(), expr, variable, child, &self.of_instances);
        if !found.is_empty() {
            let (unknown, failed) = self.known_or_partial(expr, Symbols::OF_ARGUMENTS);
            let always = if failed {
                Vec::new()
            } else {
                self.argument(unknown, expr, variable, child, &self.of_instances)
            };
            found.retain(|finding| {
                let is_same =
                    |other: &Finding| (&other.summary, other.primary) == (&finding.summary, finding.primary);
                finding.severity == Severity::Error && !always.iter().any(is_same)
            });
        }
        found
    }

    /// The instances of a block, if they are known. Those of the last block are kept for its other arguments.
    fn instances_of(&mut self, repeated: &Attribute) -> Rc<[Instance]> {
        let span = repeated.expr.span;
        if let Some((last, instances)) = &self.last_instances
            && *last == span
        {
            return Rc::clone(instances);
        }
        let instances: Rc<[Instance]> = instances(&self.repetition_of(repeated)).into();
        self.last_instances = Some((span, Rc::clone(&instances)));
        instances
    }

    /// The value of `count` or `for_each`; unknown after an error.
    fn repetition_of(&self, repeated: &Attribute) -> Value {
        let span = repeated.expr.span;
        if repeated.is_broken || self.failed.contains(&span) || self.wrong.contains(&span) {
            return Value::UNKNOWN;
        }
        let mut found = Vec::new();
        let scope = ModuleScope { work: &self.of_instances, ..self.scope(Symbols::default()) };
        let mut value = evaluate(&repeated.expr, &scope, &mut found);
        value.take_deep_marks();
        if has_errors(&found) { Value::UNKNOWN } else { value }
    }

    /// Computes the collections that an expression refers to. Returns whether there are any.
    fn collect(&mut self, expr: &Expr) -> bool {
        let module = self.node.module();
        let mut names = false;
        expr.for_each_variable(|traversal| {
            let Ok(reference) = reference(traversal, &module.features) else { return };
            let repeated = match &reference.subject {
                Subject::Resource { address, .. } if address.mode != Mode::Ephemeral => {
                    module.resources.get(address).map(|resource| resource.repeated())
                }
                Subject::Module { call, .. } => module.calls.get(call).map(|call| call.repeated()),
                _ => None,
            };
            let Some(repeated) = repeated.and_then(|(count, for_each)| count.or(for_each)) else { return };
            let span = repeated.expr.span;
            if !self.collections.contains_key(&span) {
                let instance = match &reference.subject {
                    Subject::Module { call, .. } => self.node.child(call).map(Node::instance),
                    _ => None,
                };
                let instances = self.repetition_of(repeated);
                self.collections.insert(span, collection(&instances, instance.unwrap_or(&Value::UNKNOWN)));
            }
            names |= self.collections[&span] != Value::UNKNOWN;
        });
        names
    }
}

/// Whether a plan evaluates the block of a site if it has instances, and fails after an error.
fn is_always_evaluated(site: &Site<'_>) -> bool {
    match &site.owner {
        Owner::Resource(resource) => resource.enabled.is_none() && resource.check.is_none(),
        Owner::Argument(call, _) => call.enabled.is_none(),
        Owner::Local(_) | Owner::Output(_) | Owner::Call(_) | Owner::Provider(_) => true,
        Owner::Variable(_) | Owner::Check(_) | Owner::Import(_) | Owner::Action(_) => false,
    }
}

/// Whether an expression is the condition of a precondition of a resource. One without references is an error of its own.
fn is_precondition(site: &Site<'_>, expr: &Expr) -> bool {
    let condition = site.condition.and_then(|condition| condition.condition.as_ref());
    matches!(site.owner, Owner::Resource(_))
        && condition.is_some_and(|part| part.expr.span == expr.span)
        && !expr.variables().is_empty()
}

/// Whether an expression refers to `each` or `count`.
fn names_instance(expr: &Expr) -> bool {
    let mut names = false;
    expr.for_each_variable(|traversal| names |= matches!(traversal.root.as_str(), "each" | "count"));
    names
}

fn instances(value: &Value) -> Vec<Instance> {
    match value {
        Value::Number(count) => {
            let count = count.index().filter(|count| *count <= MOST).unwrap_or(0);
            (0..count).map(|index| Instance::Index(Value::Number(Number::from(index)))).collect()
        }
        Value::Set(..) | Value::Map(..) | Value::Object(_) => {
            let elements = elements(value).filter(|elements| elements.len() <= MOST).unwrap_or_default();
            elements.into_iter().map(|(key, value)| Instance::Each(key.into_owned(), value.clone())).collect()
        }
        _ => Vec::new(),
    }
}

/// The value of a block with this `count` or `for_each`; unknown if its instances are.
fn collection(repeated: &Value, instance: &Value) -> Value {
    match repeated {
        Value::Number(count) => match count.index().filter(|count| *count <= MOST_IN_COLLECTION) {
            Some(count) => Value::Tuple(vec![instance.clone(); count]),
            None => Value::UNKNOWN,
        },
        Value::Set(..) | Value::Map(..) | Value::Object(_) => {
            let elements = elements(repeated).filter(|elements| elements.len() <= MOST_IN_COLLECTION);
            let Some(elements) = elements else { return Value::UNKNOWN };
            let keys = elements.into_iter().map(|(key, _)| key.as_str().map(SmolStr::new));
            let attributes = keys.map(|key| Some((key?, instance.clone()))).collect::<Option<_>>();
            match attributes {
                Some(attributes) => Value::Object(attributes),
                None => Value::UNKNOWN,
            }
        }
        _ => Value::UNKNOWN,
    }
}

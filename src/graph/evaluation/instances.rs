//! Evaluates the arguments of resources and module calls for each instance, if `count` or `for_each` is known. Only a
//! plan does so: for `validate`, `each.value` and `count.index` are unknown.

use std::rc::Rc;

use hashbrown::HashSet;

use super::Evaluation;
use super::scope::{Instance, ModuleScope};
use crate::finding::{EngineRule, Severity, has_errors};
use crate::graph::references::sites::{Owner, Site, Symbols};
use crate::syntax::{Attribute, Expr};
use crate::text::Span;
use crate::value::{Number, Value, elements, evaluate};

/// The maximum number of instances of a block.
const MOST: usize = 1_000;

/// The instances of a block with this `count` or `for_each`.
pub(super) type Instances = (Span, Rc<[Instance]>);

impl Evaluation<'_, '_> {
    /// Reports each error of an argument once, for the first instance that has it.
    pub(super) fn in_instances(&mut self, site: &Site<'_>, expr: &Expr) {
        // Provisioners and connections are evaluated only after the plan.
        if site.symbols.itself || self.wrong.contains(&expr.span) || !names_instance(expr) {
            return;
        }
        let (count, for_each) = site.repeated();
        let Some(repeated) = count.or(for_each).filter(|_| !matches!(site.owner, Owner::Call(_))) else {
            return;
        };
        let mut reported = HashSet::new();
        for instance in self.instances_of(repeated).iter() {
            let mut found = Vec::new();
            let scope = self.scope(site.symbols);
            let scope = ModuleScope { instance: Some(instance), work: &self.of_instances, ..scope };
            evaluate(expr, &scope, &mut found);
            if found.iter().any(|finding| finding.rule == EngineRule::LimitReached.id()) {
                return;
            }
            found.retain(|finding| finding.severity == Severity::Error);
            for finding in &mut found {
                if !reported.insert((finding.summary.clone(), finding.primary)) {
                    continue;
                }
                if !self.node.is_planned() {
                    finding.severity = Severity::Warning;
                }
                finding.set_detail(format!(
                    "{} This is so in `{site}[{}]`. `validate` does not evaluate it, but `plan` does.",
                    finding.detail,
                    instance.key()
                ));
                self.findings.push(finding.clone().at_plan().address(site.to_string()));
            }
        }
    }

    /// The instances of a block, if they are known. Those of the last block are kept for its other arguments.
    fn instances_of(&mut self, repeated: &Attribute) -> Rc<[Instance]> {
        let span = repeated.expr.span;
        if let Some((last, instances)) = &self.last_instances
            && *last == span
        {
            return Rc::clone(instances);
        }
        let mut found = Vec::new();
        let scope = ModuleScope { work: &self.of_instances, ..self.scope(Symbols::default()) };
        let mut value = if self.failed.contains(&span) || self.wrong.contains(&span) {
            Value::UNKNOWN
        } else {
            evaluate(&repeated.expr, &scope, &mut found)
        };
        value.take_deep_marks();
        let instances: Rc<[Instance]> =
            if has_errors(&found) { Rc::default() } else { instances(&value).into() };
        self.last_instances = Some((span, Rc::clone(&instances)));
        instances
    }
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

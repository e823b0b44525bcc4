//! Evaluates the expressions of a module as a plan does: in each instance of `count` and `for_each`, with the outputs of
//! child modules and the values that a call gives to variables. For `validate`, all of these are unknown.

mod parts;

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use hashbrown::HashSet;
use smol_str::SmolStr;

use parts::{
    is_always_evaluated, is_assertion, is_condition, is_message, is_name, is_repetition, is_value_of,
};

use super::order::in_order;
use super::run_values::{Inputs, RunValues, VariableValues};
use super::scope::{Instance, ModuleScope};
use super::{Evaluation, accepted_values, arguments, secrets, validation};
use crate::finding::{EngineRule, Finding, Severity, has_errors, make_warnings};
use crate::graph::instance_keys::has_instances;
use crate::graph::references::sites::{Owner, Site};
use crate::graph::references::symbols;
use crate::graph::{Node, builtin, dynamic_blocks};
use crate::module::Variables;
use crate::module::address::{Mode, Subject, reference};
use crate::syntax::{Attribute, Expr, Iteration, Step, Traversal};
use crate::text::Span;
use crate::value::{Budget, Value, evaluate};

/// Follows the detail of a finding.
pub(super) const ONLY_PLAN: &str = "`validate` does not know these values, but `plan` does.";

/// The same for the condition of an assertion.
const NO_VALIDATE: &str = "`validate` does not evaluate the condition of an assertion, but `plan` does.";

impl<'t: 'f, 'f> Evaluation<'t, 'f> {
    /// Reports the errors that only a plan finds.
    pub(super) fn in_plan(&mut self, site: &Site<'t>, expr: &Expr, around: Iteration<'_>) {
        if self.wrong.contains(&expr.span) {
            return;
        }
        let mut found = self.plan().symbols(site, expr);
        if found.is_empty() {
            found = self.plan().errors(site, expr, around);
        }
        if !found.is_empty() && site.condition.is_some_and(|condition| self.is_never_reached(site, condition))
        {
            return;
        }
        if !self.node.is_planned() {
            make_warnings(&mut found);
        }
        self.findings.append(&mut found);
    }

    /// The values in a plan.
    pub(super) fn plan(&self) -> &Plan<'f> {
        self.plan.get_or_init(|| Plan::of(self.node, self.of_plan))
    }
}

/// The values of a module in a plan.
pub(super) struct Plan<'t> {
    pub(super) node: Node<'t>,
    pub(super) values: RunValues<'t>,
    pub(super) work: &'t Budget,
    /// The variables that have values which only a plan knows, because of a call.
    known: KnownToPlan,
    /// The local values that depend on values which only a plan knows.
    locals: OnceCell<HashSet<SmolStr>>,
    /// The instances of the last block.
    last: RefCell<Option<(Span, Rc<[Instance]>)>>,
}

/// The variables of a called module that have values which say more than their declarations.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KnownToPlan {
    /// Those that the call sets, sorted.
    pub(super) set: Box<[SmolStr]>,
    /// Whether the others of [`Variables::Telling`] are such variables too.
    pub(super) are_defaults: bool,
}

/// The message of a condition.
enum Message {
    /// The engine shows this.
    Shown(SmolStr),
    Fails,
    Unknown,
}

impl<'t> Plan<'t> {
    /// The values of a module in a plan, whatever values its variables have.
    pub(super) fn of(node: Node<'t>, work: &'t Budget) -> Self {
        let values = RunValues::of_plan(node, VariableValues::or_any(BTreeMap::new()), work);
        Self {
            node,
            values,
            work,
            known: KnownToPlan::default(),
            locals: OnceCell::new(),
            last: RefCell::default(),
        }
    }

    /// The values in a plan of a module below another one, with the values of a call.
    pub(super) fn below(
        node: Node<'t>,
        inputs: Inputs,
        known: &KnownToPlan,
        above: Node<'t>,
        work: &'t Budget,
    ) -> Self {
        let Inputs { variables, failed } = inputs;
        let values = RunValues::of_plan(node, variables, work).below(above, failed);
        Self { node, values, work, known: known.clone(), locals: OnceCell::new(), last: RefCell::default() }
    }

    /// The errors for symbols in an argument of a module call. They are warnings if the call may have no instances.
    pub(super) fn symbols(&self, site: &Site<'t>, expr: &Expr) -> Vec<Finding> {
        let Owner::Argument(call, _) = &site.owner else { return Vec::new() };
        let found = symbols::of_argument(self.node.module(), site, expr);
        if found.is_empty() {
            return found;
        }
        let severity = match has_instances(call, |repeated| self.values.repetition(repeated)) {
            Some(true) => Severity::Error,
            Some(false) => return Vec::new(),
            None => Severity::Warning,
        };
        let planned = found.into_iter().map(|mut finding| {
            finding.add_sentence("`validate` does not report this, but every plan does.");
            finding.severity(severity).at_plan().address(site.to_string())
        });
        planned.collect()
    }

    /// The errors in an expression that only a plan finds, each once, for the first instance that has it.
    pub(super) fn errors(&self, site: &Site<'t>, expr: &Expr, around: Iteration<'_>) -> Vec<Finding> {
        // Provisioners and connections are evaluated only after the plan.
        let is_later = site.symbols.itself && site.condition.is_none();
        let is_open = !around.names.is_empty() || !around.is_certain;
        if is_later || is_open || !is_always_evaluated(site) || self.skips(site) {
            return Vec::new();
        }
        let (count, for_each) = site.repeated();
        let repeated = count.or(for_each).filter(|repeated| !repeated.expr.span.encloses(expr.span));
        let is_condition = is_condition(site, expr);
        if is_name(expr)
            && site.condition.is_none()
            && !around.is_for_each
            && matches!(site.owner, Owner::Resource(_) | Owner::Local(_))
            && !is_repetition(site, expr)
        {
            return Vec::new();
        }
        let is_message = is_message(site, expr);
        let is_unknown_part = site.condition.is_some() && !is_message;
        let is_more =
            || self.knows_more(expr, repeated.is_some()) || is_message && self.is_of_variables(expr);
        if !is_condition && (is_unknown_part || !is_more()) {
            return Vec::new();
        }
        let mut found = Vec::new();
        match repeated {
            None => {
                self.in_instance(site, expr, around, None, &mut found);
            }
            Some(repeated) => {
                for instance in self.instances_of(repeated).iter() {
                    if !self.in_instance(site, expr, around, Some(instance), &mut found) {
                        break;
                    }
                }
            }
        }
        found
    }

    /// Whether the engine does not evaluate the block of a site, because something that it refers to fails.
    fn skips(&self, site: &Site<'t>) -> bool {
        match &site.owner {
            Owner::Resource(resource) => self.values.skips_resource(&resource.address),
            Owner::Output(output) => self.values.skips_output(&output.name),
            _ => false,
        }
    }

    /// Adds the errors of an expression in one instance of its block. Returns whether no limit was reached.
    fn in_instance(
        &self,
        site: &Site<'t>,
        expr: &Expr,
        around: Iteration<'_>,
        instance: Option<&Instance>,
        findings: &mut Vec<Finding>,
    ) -> bool {
        let Some((value, mut found)) = self.value(site, expr, instance) else { return true };
        if found.iter().any(|finding| finding.rule == EngineRule::LimitReached.id()) {
            return false;
        }
        found.retain(|finding| finding.severity == Severity::Error);
        if found.is_empty() {
            let is_false = value.unmarked().0.as_bool() == Some(false);
            found = self.judged(site, expr, around, value, true);
            if is_false && is_condition(site, expr) {
                match self.message(site, instance) {
                    Message::Shown(message) => {
                        for finding in &mut found {
                            finding.set_detail(message.trim());
                        }
                    }
                    // The engine reports that instead.
                    Message::Fails => return true,
                    Message::Unknown => {}
                }
            }
        }
        if found.is_empty() {
            return true;
        }
        let Some(of_validate) = self.of_validate(site, expr, around) else { return true };
        let why = if is_assertion(site, expr) { NO_VALIDATE } else { ONLY_PLAN };
        for finding in found {
            let is_same =
                |other: &Finding| (&other.summary, other.primary) == (&finding.summary, finding.primary);
            if findings.iter().chain(&of_validate).any(is_same) {
                continue;
            }
            let where_ = instance.map_or_else(String::new, |instance| {
                format!("This happens in `{site}[{}]`. ", instance.key())
            });
            let mut finding = finding;
            finding.add_sentence(&format!("{where_}{why}"));
            findings.push(finding.at_plan().address(site.to_string()));
        }
        true
    }

    /// What `validate` finds in the value of an expression. `None` if it fails there.
    fn of_validate(&self, site: &Site<'t>, expr: &Expr, around: Iteration<'_>) -> Option<Vec<Finding>> {
        if is_assertion(site, expr) {
            return Some(Vec::new());
        }
        let mut found = Vec::new();
        let scope = ModuleScope {
            symbols: site.symbols,
            ..ModuleScope::new(self.node, self.node.locals(), self.work)
        };
        let value = evaluate(expr, &scope, &mut found);
        if has_errors(&found) {
            return None;
        }
        // `validate` does not check preconditions of resources.
        if !matches!(site.owner, Owner::Resource(_)) || site.condition.is_none() {
            found.extend(self.judged(site, expr, around, value, false));
        }
        Some(found)
    }

    /// The findings in the value of an expression without errors, `in_plan` or before.
    fn judged(
        &self,
        site: &Site<'t>,
        expr: &Expr,
        around: Iteration<'_>,
        value: Value,
        in_plan: bool,
    ) -> Vec<Finding> {
        let unmarked = || value.clone().without_marks();
        if in_plan && is_condition(site, expr) && self.is_of_variables(expr) {
            let never = accepted_values::never_a_condition(value.unmarked().0, expr);
            if never.is_some() {
                return never.into_iter().collect();
            }
        }
        let (count, for_each) = site.repeated();
        let found = match &site.owner {
            Owner::Argument(call, name) => {
                let Some(child) = self.node.child(&call.name) else { return Vec::new() };
                let Some(variable) = child.module().variables.get(name) else { return Vec::new() };
                // The engine knows the types of all values.
                if value.ty().has_any() && accepted_values::converted(&value, variable).is_err() {
                    return Vec::new();
                }
                let ephemeral = secrets::stored(self.node, site, expr, &value);
                let mut found = arguments::errors(self.node, value, expr, variable, child, self.work);
                found.retain(|finding| finding.severity == Severity::Error);
                if found.is_empty() {
                    found.extend(ephemeral);
                }
                return found;
            }
            _ if is_value_of(count, expr) => accepted_values::count(&unmarked(), expr),
            _ if is_value_of(for_each, expr) => match (value.unmarked().1.sensitive, for_each) {
                (Some(from), Some(for_each)) => Some(secrets::sensitive_for_each(&for_each.expr, from)),
                _ => accepted_values::for_each(&unmarked(), expr),
            },
            Owner::Resource(_) if is_condition(site, expr) => {
                accepted_values::of_resource(&unmarked(), expr, site.symbols.itself)
            }
            _ if is_message(site, expr) => {
                let is_shown = value.is_known() || in_plan && self.is_of_variables(expr);
                let (text, marks) = value.unmarked();
                let marked = || secrets::message(self.node.module(), marks, expr).filter(|_| is_shown);
                return accepted_values::message(text, expr).or_else(marked).into_iter().collect();
            }
            Owner::Output(_) | Owner::Check(_) if site.condition.is_some() => {
                accepted_values::condition(&unmarked(), expr, true, site)
            }
            Owner::Output(output) if self.node.is_run() => {
                secrets::exposed(output, value.unmarked().1, value.deep_marks())
            }
            Owner::Resource(_) | Owner::Provider(_)
                if around.is_for_each && dynamic_blocks::expanded_in(&site.owner).is_some() =>
            {
                accepted_values::dynamic_for_each(&unmarked(), expr)
            }
            _ => None,
        };
        found.or_else(|| secrets::stored(self.node, site, expr, &value)).into_iter().collect()
    }

    /// The value of an expression, and the findings in it. `None` if the engine does not evaluate it after another error.
    fn value(
        &self,
        site: &Site<'t>,
        expr: &Expr,
        instance: Option<&Instance>,
    ) -> Option<(Value, Vec<Finding>)> {
        let itself = match &site.owner {
            Owner::Resource(resource) if site.symbols.itself => {
                Some(self.values.instance(resource, instance))
            }
            _ => None,
        };
        let (computed, found) = self.values.at(expr, site.symbols, instance, itself.as_ref())?;
        Some((computed.value, found))
    }

    /// The message of the condition at a site.
    fn message(&self, site: &Site<'t>, instance: Option<&Instance>) -> Message {
        let message = site.condition.and_then(|condition| condition.error_message.as_ref());
        match message.and_then(|message| self.value(site, &message.expr, instance)) {
            Some((_, found)) if has_errors(&found) => Message::Fails,
            Some((text, found)) => validation::shown(&text, &found).map_or(Message::Unknown, Message::Shown),
            None => Message::Unknown,
        }
    }

    /// The instances of a block, if they are known. Those of the last block are kept for its other arguments.
    pub(super) fn instances_of(&self, repeated: &Attribute) -> Rc<[Instance]> {
        let span = repeated.expr.span;
        if let Some((last, instances)) = &*self.last.borrow()
            && *last == span
        {
            return Rc::clone(instances);
        }
        let instances = Instance::all(&self.values.repetition(repeated)).unwrap_or_default();
        let instances: Rc<[Instance]> = instances.into();
        *self.last.borrow_mut() = Some((span, Rc::clone(&instances)));
        instances
    }

    /// Whether a plan may know more of an expression than `validate`.
    pub(super) fn knows_more(&self, expr: &Expr, has_instances: bool) -> bool {
        let is_local = |name: &SmolStr| self.locals.get_or_init(|| self.locals_with_more()).contains(name);
        self.reads_more(expr, has_instances, &is_local)
    }

    /// Like [`Self::knows_more`], if a plan knows more of the local values that satisfy `is_local`.
    fn reads_more(&self, expr: &Expr, has_instances: bool, is_local: &dyn Fn(&SmolStr) -> bool) -> bool {
        let mut knows = false;
        expr.for_each_variable(|traversal| {
            let name = traversal.steps.first().and_then(Step::name);
            knows = knows
                || match traversal.root.as_str() {
                    "each" | "count" => has_instances,
                    "local" => name.is_some_and(is_local),
                    _ => self.is_given(traversal),
                };
        });
        knows
    }

    /// Whether a plan may know more of a variable, module or resource than `validate`.
    fn is_given(&self, traversal: &Traversal) -> bool {
        let module = self.node.module();
        let Ok(reference) = reference(traversal, &module.features) else { return false };
        match &reference.subject {
            Subject::Variable(name) => {
                let is_unset = || {
                    !self.values.is_set(name) && self.node.module().is_variable_with(Variables::Telling, name)
                };
                self.known.set.binary_search(name).is_ok() || self.known.are_defaults && is_unset()
            }
            Subject::Module { call, .. } => {
                self.node.child(call).is_some_and(|child| child.module().is_whole())
            }
            Subject::Resource { address, .. } if address.mode != Mode::Ephemeral => {
                let resource = module.resources.get(address);
                resource
                    .is_some_and(|resource| resource.is_repeated() || builtin::arguments(resource).is_some())
            }
            _ => false,
        }
    }

    /// Whether a plan knows the whole value of an expression, because it refers to variables of a root module at most.
    fn is_of_variables(&self, expr: &Expr) -> bool {
        let mut has_others = false;
        expr.for_each_variable(|traversal| has_others |= traversal.root != "var" || !self.node.is_run());
        !has_others
    }

    fn locals_with_more(&self) -> HashSet<SmolStr> {
        let mut found = HashSet::new();
        for local in in_order(self.node) {
            if self.reads_more(&local.attribute.expr, false, &|name| found.contains(name)) {
                found.insert(local.name.clone());
            }
        }
        found
    }
}

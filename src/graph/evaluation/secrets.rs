//! Finds sensitive and ephemeral values where they would be shown or stored.

use std::fmt::Display;
use std::sync::Arc;

use super::built_in::at_argument;
use super::{Evaluation, Marked, accepted_values, validation};
use crate::engine::Product;
use crate::finding::{EngineRule, Finding, Severity};
use crate::graph::references::sites::{Owner, Site, Symbols};
use crate::graph::{Node, arguments, builtin};
use crate::module::Module;
use crate::module::address::Mode;
use crate::module::declaration::{ModuleCall, Output, Repeated, Resource, Variable};
use crate::syntax::{Attribute, Expr, ExprKind};
use crate::value::{MarkSource, Marks, Resolved, Scope as _, Value, follow};

impl Evaluation<'_, '_> {
    /// The marks of the value of an expression; none after an error.
    fn marks(&self, expr: &Expr) -> Marked {
        let marked = self.marked.get(&expr.span).filter(|_| !self.failed.contains(&expr.span));
        marked.copied().unwrap_or(Marked { own: Marks::NONE, deep: Marks::NONE })
    }

    /// Checks every position that shows or stores a value.
    pub(super) fn secrets(&mut self) {
        let module = self.node.module();
        for resource in module.resources.values() {
            self.secret_instances(resource.repeated(), &resource.address);
            self.kept(resource);
        }
        for call in module.calls.values() {
            self.secret_instances(call.repeated(), &format_args!("module.{}", call.name));
            if let Some(child) = self.node.child(&call.name) {
                self.handed_over(call, child);
            }
        }
        for output in module.outputs.values() {
            if self.node.is_run() { self.output_of_root(output) } else { self.output(output) }
        }
    }

    /// Instance keys are shown, and the number of instances is stored.
    fn secret_instances(&mut self, (count, for_each): Repeated<'_>, address: &dyn Display) {
        let Some(attribute) = count.or(for_each) else { return };
        let marks = self.marks(&attribute.expr).own;
        if let (Some(from), true) = (marks.sensitive, attribute.name == "for_each") {
            self.report(sensitive_for_each(&attribute.expr, from), address);
        }
        if let (Some(from), true) = (marks.ephemeral, refuses_ephemeral(self.node.module())) {
            self.report(ephemeral_instances(attribute, from), address);
        }
    }

    /// The state stores resources and data sources.
    fn kept(&mut self, resource: &Resource) {
        if self.marked.is_empty() || !refuses_ephemeral(self.node.module()) {
            return;
        }
        let Some(attributes) = stored_arguments(resource) else { return };
        let is_wrong = |attribute: &Attribute| {
            [self.wrong, &self.failed].into_iter().any(|spans| spans.contains(&attribute.expr.span))
        };
        if attributes.iter().any(|attribute| is_wrong(attribute)) {
            return;
        }
        for attribute in &attributes {
            if let Some(from) = self.marks(&attribute.expr).deep.ephemeral {
                self.report(ephemeral_argument(attribute, resource, from), &resource.address);
            }
        }
    }

    /// A variable must be declared as ephemeral to accept ephemeral values.
    fn handed_over(&mut self, call: &ModuleCall, child: Node<'_>) {
        if self.marked.is_empty() || !refuses_ephemeral(self.node.module()) {
            return;
        }
        for attribute in arguments::given(call, child.module()) {
            let Some(variable) = child.module().variables.get(&attribute.name) else { continue };
            let ephemeral = self.marks(&attribute.expr).deep.ephemeral;
            let fits = |value: &Value| accepted_values::argument(value, &attribute.expr, variable).is_none();
            if let (Some(from), false) = (ephemeral, variable.is_ephemeral())
                && fits(&self.known(&attribute.expr, Symbols::OF_ARGUMENTS))
            {
                let finding = ephemeral_input(&attribute.expr, variable, from);
                self.report(finding, &format_args!("module.{}", call.name));
            }
        }
    }

    /// An output must be declared as ephemeral to have an ephemeral value, and only child modules may have such
    /// outputs.
    fn output(&mut self, output: &Output) {
        let is_refused = refuses_ephemeral(self.node.module());
        let Some(value) = output.value.as_ref().filter(|_| is_refused) else { return };
        if self.wrong.contains(&value.expr.span) || self.failed.contains(&value.expr.span) {
            return;
        }
        let marked = self.marks(&value.expr);
        let marks = if output.is_ephemeral() { marked.own } else { marked.deep };
        let finding = match (output.is_ephemeral(), marks.ephemeral) {
            (false, Some(from)) => ephemeral_output(self.node, &value.expr, from),
            (true, None) if !self.may_be_ephemeral(&value.expr) => {
                Finding::language(EngineRule::InvalidValue, "Value not allowed in ephemeral output")
                    .detail(
                        "This value is not ephemeral, but an ephemeral output requires an ephemeral value.",
                    )
                    .at(value.expr.span)
                    .help("remove `ephemeral`")
            }
            (true, _) | (false, None) => return,
        };
        self.report(finding, &format_args!("output.{}", output.name));
    }

    /// Whether a value without the mark depends on a value that may be ephemeral, so that the mark may appear once it
    /// is known.
    fn may_be_ephemeral(&self, expr: &Expr) -> bool {
        let is_composed = matches!(expr.kind, ExprKind::JsonObject(_))
            || matches!(self.known(expr, Symbols::OF_ARGUMENTS), Value::Tuple(_) | Value::Object(_));
        let scope = self.scope(Symbols::OF_ARGUMENTS);
        let mut may_be = false;
        expr.for_each_variable(|traversal| {
            let Some(Resolved { value, steps }) = scope.resolve(traversal) else { return };
            let behind = traversal.steps.get(steps..).unwrap_or_default();
            may_be |= follow(value, behind, &mut Vec::new()).deep_marks().ephemeral.is_some();
        });
        may_be && !is_composed
    }

    /// The outputs of a root module are shown and stored in the state.
    fn output_of_root(&mut self, output: &Output) {
        let module = self.node.module();
        let address = format_args!("output.{}", output.name);
        if output.is_ephemeral() {
            let summary = module.features.summaries.ephemeral_root_output;
            let finding = Finding::language(EngineRule::InvalidValue, summary)
                .detail("Outputs of a root module are stored in the state, so they cannot be ephemeral.")
                .at(output.origin.header())
                .help("remove the output; if its value is not ephemeral, remove only `ephemeral`");
            return self.report(finding, &address);
        }
        let Some(value) = &output.value else { return };
        // A sensitive value is reported even after an error.
        let Some(Marked { own, deep }) = self.marked.get(&value.expr.span).copied() else { return };
        match (exposed(output, own, deep), self.marks(&value.expr).deep.ephemeral) {
            (Some(finding), _) => self.report(finding, &address),
            (_, Some(from)) if refuses_ephemeral(module) => {
                self.report(ephemeral_output(self.node, &value.expr, from), &address);
            }
            _ => {}
        }
    }
}

/// Whether the engine of a module has ephemeral values, and refuses them where they would be stored.
pub(super) fn refuses_ephemeral(module: &Module) -> bool {
    let features = &module.features;
    features.engine.product == Product::Terraform && features.grammar.ephemeral
}

/// The error for an ephemeral value at a position of a module whose values are stored.
pub(super) fn stored(node: Node<'_>, site: &Site<'_>, expr: &Expr, value: &Value) -> Option<Finding> {
    let from = value.deep_marks().ephemeral.filter(|_| refuses_ephemeral(node.module()))?;
    let (count, for_each) = site.repeated();
    if let Some(repeated) = count.or(for_each).filter(|repeated| repeated.expr.span == expr.span) {
        return Some(ephemeral_instances(repeated, value.unmarked().1.ephemeral?));
    }
    match &site.owner {
        _ if site.condition.is_some() => None,
        Owner::Output(output) if output.is_ephemeral() => None,
        Owner::Output(_) => Some(ephemeral_output(node, expr, from)),
        Owner::Argument(call, name) => {
            let variable = node.child(&call.name)?.module().variables.get(name)?;
            (!variable.is_ephemeral()).then(|| ephemeral_input(expr, variable, from))
        }
        Owner::Resource(resource) => {
            let arguments = stored_arguments(resource)?;
            let argument = arguments.iter().find(|argument| argument.expr.span == expr.span)?;
            Some(ephemeral_argument(argument, resource, from))
        }
        Owner::Local(_)
        | Owner::Call(_)
        | Owner::Provider(_)
        | Owner::Variable(_)
        | Owner::Check(_)
        | Owner::Import(_)
        | Owner::Action(_) => None,
    }
}

/// The arguments of a resource that the state stores, if they are known and all of them are expected. Which arguments of
/// a provider's resources are write-only is unknown, and those of data sources never are.
fn stored_arguments(resource: &Resource) -> Option<Vec<Arc<Attribute>>> {
    let mut unexpected = Vec::new();
    let attributes = match builtin::arguments(resource) {
        Some(arguments) => builtin::content(arguments, &resource.config, &mut unexpected).attributes,
        None if resource.address.mode == Mode::Data => resource.config.just_attributes(&mut Vec::new()),
        None => return None,
    };
    unexpected.is_empty().then_some(attributes)
}

fn ephemeral_instances(repeated: &Attribute, from: MarkSource) -> Finding {
    let summary =
        if repeated.name == "count" { "Invalid count argument" } else { "Invalid for_each argument" };
    let finding = Finding::language(EngineRule::InvalidValue, summary)
        .detail("This value is ephemeral, but the number and the keys of instances are stored in the state.")
        .at(repeated.expr.span);
    related(finding, from, "ephemeral")
}

fn ephemeral_argument(argument: &Attribute, resource: &Resource, from: MarkSource) -> Finding {
    let finding = Finding::language(EngineRule::InvalidValue, "Invalid use of ephemeral value")
        .detail("This value is ephemeral, but these arguments are stored in the state.");
    related(at_argument(finding, argument, &resource.config), from, "ephemeral")
}

fn ephemeral_input(value: &Expr, variable: &Variable, from: MarkSource) -> Finding {
    let finding = not_ephemeral("variable", value)
        .related(variable.origin.header(), "declared here, without `ephemeral = true`");
    related(finding, from, "ephemeral")
}

/// Only child modules can have ephemeral outputs.
fn ephemeral_output(node: Node<'_>, value: &Expr, from: MarkSource) -> Finding {
    let help = (!node.is_run()).then_some("set `ephemeral = true`");
    related(not_ephemeral("output", value), from, "ephemeral").help_if(help.map(str::to_owned))
}

/// The warning for an error message with these marks, which the engine does not show.
pub(super) fn message(module: &Module, marks: Marks, expr: &Expr) -> Option<Finding> {
    let ephemeral = marks.ephemeral.filter(|_| refuses_ephemeral(module));
    let (from, mark) = match (marks.sensitive, ephemeral) {
        (Some(from), _) => (from, "sensitive"),
        (None, Some(from)) => (from, "ephemeral"),
        (None, None) => return None,
    };
    let finding = validation::marked_message(marks, expr, "it must not be part of a message")?;
    Some(related(finding.severity(Severity::Warning), from, mark))
}

/// The error for a sensitive value of `for_each`.
pub(super) fn sensitive_for_each(for_each: &Expr, from: MarkSource) -> Finding {
    let finding = Finding::language(EngineRule::InvalidValue, "Invalid for_each argument")
        .detail("This value is sensitive, and its keys would be visible in the addresses of instances.")
        .at(for_each.span);
    related(finding, from, "sensitive")
}

/// The error for an output of a root module whose value has these marks, and has them together with its elements, if it
/// exposes a sensitive value.
pub(super) fn exposed(output: &Output, own: Marks, deep: Marks) -> Option<Finding> {
    let from = deep.sensitive.filter(|_| !output.is_sensitive())?;
    // `nonsensitive` leaves the marks of elements.
    let help = if own.sensitive.is_some() {
        "set `sensitive = true`, or use `nonsensitive(…)` if the value is safe to show"
    } else {
        "set `sensitive = true`, or use `nonsensitive(…)` for each sensitive part if it is safe to show"
    };
    let finding = Finding::language(EngineRule::SensitiveOutput, "Output refers to sensitive values")
        .detail("An output of a root module must not expose a sensitive value.")
        .at(output.origin.header())
        .help(help);
    Some(related(finding, from, "sensitive"))
}

fn not_ephemeral(what: &str, value: &Expr) -> Finding {
    Finding::language(EngineRule::InvalidValue, "Ephemeral value not allowed")
        .detail(format!("This value is ephemeral, but the {what} is not declared as ephemeral."))
        .at(value.span)
}

/// Adds the origin of a mark to a finding.
fn related(finding: Finding, from: MarkSource, mark: &str) -> Finding {
    match from {
        MarkSource::Declaration(flag) => finding.related(flag, format!("declared as {mark} here")),
        MarkSource::Expression => finding,
    }
}

//! Checks the values in variable definitions files against the variables of their module, as `plan` does.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::accepted_values;
use super::planned_validations;
use super::run_values::{Computed, RunValues, VariableValues, suited};
use super::validation::{Refusal, refusals};
use crate::engine::Product;
use crate::finding::{Concern, EngineRule, Finding, Severity, Stage, has_errors, set_address};
use crate::graph::{Node, Role};
use crate::module::declaration::Variable;
use crate::module::values::ValuesFile;
use crate::syntax::{Attribute, ExprKind};
use crate::text::{Suggestions, is_identifier};
use crate::value::{Budget, constant_within, too_expensive};
use crate::vfs::{is_under, parent, relative};

/// The steps to prepare a variable for the evaluation of validations.
const OF_VARIABLE: usize = 8;

/// A file that sets more undeclared variables than this counts as a file of another module.
const MOST_UNDECLARED: usize = 2;

/// Whether a plan reads the variable definitions files of a module. The callers of a shared module do not.
pub(in crate::graph) fn are_checked(node: Node<'_>) -> bool {
    let is_shared = node.is_called() && node.role() == Role::Shared;
    !is_shared && !node.values_files().is_empty()
}

/// Checks the variable definitions files of a module.
pub(in crate::graph) fn check(node: Node<'_>, findings: &mut Vec<Finding>) {
    let files = node.values_files();
    if !are_checked(node) {
        return;
    }
    let suggestions = Suggestions::default();
    let bytes =
        files.iter().flat_map(|file| &file.arguments).map(|argument| argument.span.range().len()).sum();
    let work = Budget::of(node.module().evaluation_steps_with(bytes));
    // Of the files that the engine loads automatically, the last one that sets a variable counts.
    let mut automatic: Vec<&ValuesFile> = files.iter().filter(|file| file.is_automatic).collect();
    automatic.sort_by_key(|file| file.precedence());
    let mut winners: BTreeMap<&SmolStr, (&ValuesFile, &Attribute)> = BTreeMap::new();
    for file in automatic {
        winners.extend(file.arguments.iter().map(|argument| (&argument.name, (file, &**argument))));
    }
    let mut sets: Vec<Vec<(&ValuesFile, &Attribute)>> = vec![winners.into_values().collect()];
    let named = files.iter().filter(|file| !file.is_automatic && is_for(file, node));
    sets.extend(named.map(|file| file.arguments.iter().map(|argument| (file, &**argument)).collect()));
    for set in sets {
        let mut given = BTreeMap::new();
        for (file, argument) in &set {
            let from = findings.len();
            match node.module().variables.get(&argument.name) {
                // A template of a file may set null where another file or an option sets the value.
                Some(_) if !file.is_automatic && matches!(argument.expr.kind, ExprKind::Null) => {}
                Some(variable) => {
                    let value = judge(argument, variable, node, &work, findings);
                    given.extend(value.map(|value| (argument.name.clone(), value)));
                }
                None => findings.extend(undeclared(file, argument, node, &suggestions)),
            }
            concern(&mut findings[from..], file, argument, node);
        }
        together(&set, given, node, &work, findings);
    }
}

/// Adds the values of files that fail a validation together with other values of the same set. `given` are those that
/// are valid for themselves.
fn together(
    set: &[(&ValuesFile, &Attribute)],
    given: BTreeMap<SmolStr, Computed>,
    node: Node<'_>,
    work: &Budget,
    findings: &mut Vec<Finding>,
) {
    let module = node.module();
    let declared = given.keys().filter_map(|name| module.variables.get(name)).map(|variable| &**variable);
    let validated: Vec<_> = declared.filter(|variable| variable.is_validated_together()).collect();
    if validated.is_empty() {
        return;
    }
    let is_reported = work.is_exhausted();
    if !work.take(module.variables.len() * OF_VARIABLE) {
        let first = set.first().filter(|_| !is_reported);
        findings
            .extend(first.map(|(_, argument)| too_expensive(Some(work), argument.expr.span, &module.limits)));
        return;
    }
    // Options and other files may give values to the remaining variables.
    let values = RunValues::of_plan(node, VariableValues::or_any(given), work);
    let places: BTreeMap<&str, _> = set.iter().map(|place| (place.1.name.as_str(), place)).collect();
    for (variable, refusals) in
        planned_validations::refusals(&values, &validated, node, work, &mut BTreeSet::new())
    {
        let Some((file, argument)) = places.get(variable.name.as_str()) else { continue };
        let from = findings.len();
        findings.extend(refusals.into_iter().map(|refusal| refused(refusal, argument, variable)));
        concern(&mut findings[from..], file, argument, node);
    }
}

/// Attributes findings to an argument of a file.
fn concern(findings: &mut [Finding], file: &ValuesFile, argument: &Attribute, node: Node<'_>) {
    if findings.is_empty() {
        return;
    }
    set_address(findings, &format!("variable.{}", argument.name));
    // A module may move with its files.
    let directory = &node.module().directory;
    let is_inside = is_under(&file.path, directory);
    let name = if is_inside { relative(directory, &file.path).into() } else { file.path.clone() };
    for finding in findings {
        finding.stage = Stage::Plan;
        finding.concern = Concern::File(name.clone());
    }
}

/// Whether a file that must be named on the command line is for this module, judged by the variables that it sets.
fn is_for(file: &ValuesFile, node: Node<'_>) -> bool {
    let module = node.module();
    let declared = file.arguments.iter().filter(|argument| module.variables.contains_key(&argument.name));
    let declared = declared.count();
    let undeclared = file.arguments.len() - declared;
    // A single name in another directory may be that of a variable of another module.
    let is_beside = parent(&file.path).unwrap_or_default() == module.directory;
    let is_distinct = is_beside || declared > 1 || module.variables.len() == 1;
    is_distinct && undeclared <= MOST_UNDECLARED && declared > undeclared
}

fn undeclared(
    file: &ValuesFile,
    argument: &Attribute,
    node: Node<'_>,
    suggestions: &Suggestions,
) -> Option<Finding> {
    let (name, module) = (&argument.name, node.module());
    let mut wrong = Vec::new();
    constant_within(&module.limits, &argument.expr, &mut wrong);
    let is_unknown = module.may_have(&format!("var.{name}")) || module.has_generated_files;
    // The engine drops a value that it cannot evaluate.
    (!is_unknown && wrong.is_empty()).then(|| {
        let names = module.variables.keys().map(SmolStr::as_str).filter(|name| is_identifier(name));
        let near = suggestions.nearest(name, names);
        Finding::language(EngineRule::UndeclaredVariableValue, "Value for undeclared variable")
            .severity(Severity::Warning)
            .detail(format!(
                "The root module does not declare the variable `{name}`, so this value has no effect."
            ))
            .at(argument.name_span)
            .help(format!("remove the value, correct the name, or declare the variable `{name}`"))
            .meant(near.filter(|near| file.arguments.iter().all(|other| other.name != *near)))
    })
}

/// Checks one value against its variable. Returns it if it is valid and not a placeholder.
fn judge(
    argument: &Attribute,
    variable: &Variable,
    node: Node<'_>,
    work: &Budget,
    findings: &mut Vec<Finding>,
) -> Option<Computed> {
    let mut found = Vec::new();
    let value = constant_within(&node.module().limits, &argument.expr, &mut found);
    let is_wrong = has_errors(&found);
    findings.append(&mut found);
    // A person replaces the placeholders of a template before the file is used.
    if is_wrong || value.holds_placeholder() {
        return None;
    }
    let (constraint, limits) = (accepted_values::constraint(variable), &node.module().limits);
    if let Err(limit) = constraint.pay(&value, work, argument.expr.span, limits) {
        findings.extend(limit);
        return None;
    }
    let wrong = accepted_values::given(EngineRule::InvalidVariableValue, &value, &argument.expr, variable);
    // The default replaces a null value that is refused.
    if wrong.is_some() || value.is_null() && variable.refuses_null() {
        findings.extend(wrong);
        return None;
    }
    // A validation that refuses empty strings asks a person to fill them in.
    if value.is_blank() {
        return None;
    }
    let refusals = refusals(&value, variable, node, work);
    let is_valid = refusals.is_empty();
    // A validation that refuses every value is reported at the variable.
    let refusals = refusals.into_iter().filter(|refusal| !refusal.is_certain);
    findings.extend(refusals.map(|refusal| refused(refusal, argument, variable)));
    findings.extend(deprecated(argument, variable, node.graph().engine().product));
    suited(&Computed::known(value), variable).filter(|_| is_valid)
}

fn refused(refusal: Refusal, argument: &Attribute, variable: &Variable) -> Finding {
    let Refusal { condition, error, message, .. } = refusal;
    if let Some(error) = error {
        return error.related(argument.expr.span, "with this value");
    }
    let is_sensitive = variable.is_sensitive();
    let detail = match message.filter(|_| !is_sensitive) {
        Some(message) => message.to_string(),
        None => format!("The value fails a validation of the variable `{}`.", variable.name),
    };
    Finding::language(EngineRule::InvalidVariableValue, "Invalid value for variable")
        .detail(detail)
        .at(argument.expr.span)
        .related(condition, "the value must meet this condition")
}

fn deprecated(argument: &Attribute, variable: &Variable, product: Product) -> Option<Finding> {
    let reported = variable.deprecated.as_ref().filter(|reported| !reported.value.is_empty())?;
    let finding = |summary| {
        Finding::language(EngineRule::DeprecatedModuleArgument, summary)
            .severity(Severity::Warning)
            .detail(format!("The module marks `{}` as deprecated: {}", variable.name, reported.value))
    };
    Some(match product {
        // Terraform reports the declaration.
        Product::Terraform => finding("Deprecated variable got a value")
            .at(reported.span)
            .related(argument.name_span, "set here"),
        Product::OpenTofu => finding("Deprecated variable used from the root module")
            .at(argument.name_span)
            .related(reported.span, "deprecated here"),
    })
}

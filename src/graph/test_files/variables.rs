//! The variables of a run, and the values of its file that they refer to.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::names::{Names, Place};
use super::outcome::Earlier;
use crate::finding::{Code, Concern, Continued, EngineRule, Finding, Severity};
use crate::graph::evaluation::{
    Computed, Replaced, Resources, RunValues, VariableValues, Within, are_values_checked, value_of_test,
};
use crate::graph::{Node, Test};
use crate::module::address::{Subject, TestSubject};
use crate::module::declaration::Condition;
use crate::module::test_file::Run;
use crate::module::values::ValuesFile;
use crate::syntax::{Attribute, Expr, ExprKind};
use crate::text::Span;
use crate::value::{Budget, constant_within};

/// The names of the variables that an expression refers to.
pub(super) fn variables_in(expr: &Expr) -> impl Iterator<Item = SmolStr> {
    let references = expr.variables().into_iter().filter(|it| it.root == "var");
    references.filter_map(|it| it.steps.first()?.name().cloned())
}

/// The values of the file that the variables of a run and `provider` blocks can refer to, as far as they are used.
pub(super) fn values_of_file<'t>(
    test: &Test,
    used: impl Iterator<Item = SmolStr>,
    (module, tested): (Node<'t>, Node<'t>),
    earlier: &'t Earlier,
    work: &'t Budget,
) -> RunValues<'t> {
    let nothing = RunValues::new(
        module,
        (Resources::Changed, Replaced::all()),
        VariableValues::default(),
        &earlier.outputs,
        work,
    );
    let nothing = nothing.in_tests_of(tested);
    let used = used.filter_map(|name| {
        let given = test.given(&name).filter(|given| !given.is_broken)?;
        Some((name, nothing.of(&given.expr, Within::Variables).0))
    });
    let set = VariableValues::only(used.collect());
    RunValues::new(module, (Resources::Changed, Replaced::all()), set, &earlier.outputs, work)
        .in_tests_of(tested)
}

/// Checks the values that a run sets, and returns them. `asserted` are the variables to which its assertions refer.
pub(super) fn variables(
    names: &Names<'_, '_>,
    asserted: &BTreeSet<SmolStr>,
    values: Option<&RunValues<'_>>,
    findings: &mut Vec<Finding>,
) -> BTreeMap<SmolStr, Computed> {
    let run = names.run;
    let mut given = BTreeMap::new();
    for (name, attribute) in run.variables.iter().filter(|(_, attribute)| !attribute.is_broken) {
        let from = findings.len();
        names.check(&attribute.expr, Place::Variables, findings);
        let (Some(module), Some(values)) = (names.under, values) else { continue };
        let variable = module.module().variables.get(name).map(|variable| &**variable);
        if findings.len() == from {
            unknown_outputs(&attribute.expr, values, findings);
        }
        if findings.len() == from {
            let (value, found) = value_of_test(&attribute.expr, variable, values);
            findings.extend(found);
            given.insert(name.clone(), value);
        }
        if variable.is_none() && !module.module().may_have(&format!("var.{name}")) && !asserted.contains(name)
        {
            findings.push(undeclared(run, name, attribute.expr.span));
        }
    }
    given
}

/// Reports outputs of earlier runs that are known only after apply.
pub(super) fn unknown_outputs(expr: &Expr, values: &RunValues<'_>, findings: &mut Vec<Finding>) {
    expr.walk(&mut |inner, scope| {
        let ExprKind::Traversal(traversal) = &inner.kind else { return };
        if traversal.root != "run" || scope.has(&traversal.root) {
            return;
        }
        let computed = values.of(inner, Within::Variables).0;
        if computed.is_exact && !computed.value.is_wholly_known() {
            let name = traversal.steps.first().map_or(traversal.root_span, |step| step.span);
            Finding::language(EngineRule::InvalidReference, "Reference to unknown value")
                .detail(
                    "The run has `command = plan`, and this output of its module is known only after apply.",
                )
                .at(traversal.root_span.to(name))
                .help("remove `command = plan` from the run, or do not refer to this output")
                .push_to(findings);
        }
    });
}

fn undeclared(run: &Run, name: &SmolStr, at: Span) -> Finding {
    Finding::language(EngineRule::UnknownModuleArgument, "Value for undeclared variable")
        .code(Code::TestContinues(Continued::EveryRun))
        .severity(Severity::Warning)
        .detail(format!(
            "The module that the run `{}` tests has no variable `{name}`, so this value is not used.",
            run.name
        ))
        .at(at)
        .concerns(Concern::Name(smol_str::format_smolstr!("var.{name}")))
        .help("correct the name, or remove the value")
}

/// The variables that the assertions of a run refer to.
pub(super) fn asserted_variables(names: &Names<'_, '_>) -> BTreeSet<SmolStr> {
    let expressions = names.run.asserts.iter().flat_map(Condition::parts).map(|attribute| &attribute.expr);
    let subjects = expressions.flat_map(Expr::variables).filter_map(|traversal| names.subject(traversal));
    subjects
        .filter_map(|subject| match subject {
            TestSubject::InModule(Subject::Variable(name)) => Some(name),
            _ => None,
        })
        .collect()
}

/// Checks the values of the file that a run uses. Each value is checked for the first run that uses it.
pub(super) fn file_variables(
    module: Node<'_>,
    names: &Names<'_, '_>,
    values: &RunValues<'_>,
    evaluated: &mut BTreeSet<(SmolStr, SmolStr)>,
    findings: &mut Vec<Finding>,
) {
    let (test, run) = (names.test, names.run);
    for (name, variable) in &module.module().variables {
        let Some(attribute) = test.given(name).filter(|given| !given.is_broken) else { continue };
        let directory = module.module().directory.clone();
        if run.variables.contains_key(name) || !evaluated.insert((directory, name.clone())) {
            continue;
        }
        if !test.file.variables.contains_key(name) {
            if is_checked_for_plan(attribute, names.node) {
                continue;
            }
            // Variable definitions files hold constants only.
            let mut wrong = Vec::new();
            constant_within(&module.module().limits, &attribute.expr, &mut wrong);
            if !wrong.is_empty() {
                findings.append(&mut wrong);
                continue;
            }
        } else if module.module().features.runs_in_order {
            // Since Terraform 1.13, the variables of a file may refer to runs and to each other.
            names.check(&attribute.expr, Place::FileVariables, findings);
        }
        if attribute.expr.variables().is_empty() {
            findings.extend(value_of_test(&attribute.expr, Some(variable), values).1);
        }
    }
}

/// Whether a value is that of a variable definitions file beside the module under test, which a plan reads too.
fn is_checked_for_plan(argument: &Attribute, node: Node<'_>) -> bool {
    let is_beside =
        |file: &ValuesFile| file.arguments.first().is_some_and(|first| first.span.file == argument.span.file);
    are_values_checked(node) && node.values_files().iter().any(is_beside)
}

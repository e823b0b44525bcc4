//! Reports the errors of `terraform test` that are known without running it.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use super::names::{Names, Place};
use super::{UnderTest, address, runs};
use crate::engine::Product;
use crate::finding::{Concern, EngineRule, Finding, Severity, Stage};
use crate::graph::evaluation::value_of_test;
use crate::graph::similar::Similar;
use crate::graph::{Node, Test};
use crate::module::address::{Mode, Subject, TestSubject, move_endpoint, reference_in_test};
use crate::module::declaration::{Condition, Dependency};
use crate::module::test_file::Run;
use crate::syntax::Expr;
use crate::text::Span;
use crate::value::Budget;

/// Checks the runs of a test file. The messages are those of Terraform; OpenTofu has others.
pub(super) fn check(node: Node<'_>, test: &Test, similar: &Similar, findings: &mut Vec<Finding>) {
    if node.module().features.engine.product != Product::Terraform {
        return;
    }
    let work = Budget::of(node.module().evaluation_steps());
    let mut evaluated = BTreeSet::new();
    for (run, under) in runs(node, test) {
        let from = findings.len();
        let names = Names::new(node, test, run, under, similar);
        variables(run, under, &names, &work, findings);
        if let UnderTest::Module(module) = under {
            file_variables(test, run, module, &names, &work, &mut evaluated, findings);
            required_variables(test, run, module, findings);
            missing_failures(run, module, findings);
        }
        for Condition { condition, error_message, .. } in &run.asserts {
            for attribute in [condition, error_message].into_iter().flatten().filter(|given| !given.is_broken)
            {
                names.check(&attribute.expr, Place::Assert, findings);
            }
        }
        plan_options(run, node, findings);
        for finding in &mut findings[from..] {
            finding.stage = Stage::Test;
        }
        address(&mut findings[from..], run);
    }
}

/// Checks the values that a run sets.
fn variables(
    run: &Run,
    under: UnderTest<'_>,
    names: &Names<'_, '_>,
    work: &Budget,
    findings: &mut Vec<Finding>,
) {
    let asserted = asserted_variables(run, names);
    for (name, attribute) in run.variables.iter().filter(|(_, attribute)| !attribute.is_broken) {
        names.check(&attribute.expr, Place::Variables, findings);
        let UnderTest::Module(module) = under else { continue };
        let variable = module.module().variables.get(name).map(|variable| &**variable);
        let expected = expects(run, module, &TestSubject::InModule(Subject::Variable(name.clone())));
        findings.extend(value_of_test(&attribute.expr, variable, module, work, expected));
        if variable.is_none() && !module.module().may_have(&format!("var.{name}")) && !asserted.contains(name)
        {
            findings.push(undeclared(run, name, attribute.expr.span));
        }
    }
}

fn undeclared(run: &Run, name: &SmolStr, at: Span) -> Finding {
    Finding::language(EngineRule::UnknownModuleArgument, "Value for undeclared variable")
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
fn asserted_variables(run: &Run, names: &Names<'_, '_>) -> BTreeSet<SmolStr> {
    let conditions = run.asserts.iter().flat_map(|assert| [&assert.condition, &assert.error_message]);
    let expressions = conditions.flatten().map(|attribute| &attribute.expr);
    let subjects = expressions.flat_map(Expr::variables).filter_map(|traversal| names.subject(traversal));
    subjects
        .filter_map(|subject| match subject {
            TestSubject::InModule(Subject::Variable(name)) => Some(name),
            _ => None,
        })
        .collect()
}

/// Checks the values of the file that a run uses. Each value is checked for the first run that uses it.
fn file_variables(
    test: &Test,
    run: &Run,
    module: Node<'_>,
    names: &Names<'_, '_>,
    work: &Budget,
    evaluated: &mut BTreeSet<(SmolStr, SmolStr)>,
    findings: &mut Vec<Finding>,
) {
    for (name, variable) in &module.module().variables {
        let Some(attribute) = test.file.variables.get(name).filter(|given| !given.is_broken) else {
            continue;
        };
        let directory = module.module().directory.clone();
        if run.variables.contains_key(name) || !evaluated.insert((directory, name.clone())) {
            continue;
        }
        // Since Terraform 1.13, the variables of a file may refer to runs and to each other.
        if module.module().features.runs_in_order {
            names.check(&attribute.expr, Place::FileVariables, findings);
        }
        let expected = expects(run, module, &TestSubject::InModule(Subject::Variable(name.clone())));
        findings.extend(value_of_test(&attribute.expr, Some(variable), module, work, expected));
    }
}

/// Reports required variables without a value. Values may also come from elsewhere, so this is a warning.
fn required_variables(test: &Test, run: &Run, module: Node<'_>, findings: &mut Vec<Finding>) {
    if test.has_values_files {
        return;
    }
    let has_value = |name: &SmolStr| {
        run.variables.contains_key(name)
            || test.file.variables.contains_key(name)
            || test.file.declared.contains_key(name)
    };
    for variable in module.module().variables.values() {
        let is_required = variable.default.is_none() && !variable.origin.writes("default");
        if !is_required || has_value(&variable.name) {
            continue;
        }
        let name = &variable.name;
        findings.push(
            Finding::language(EngineRule::MissingModuleArgument, "No value for required variable")
                .severity(Severity::Warning)
                .detail(format!(
                    "Neither the run `{}` nor its file `{}` sets the variable `{name}`, which has no default. The \
                     test fails unless `TF_VAR_{name}`, `-var` or `-var-file` sets it.",
                    run.name, test.file.path
                ))
                .at(variable.origin.header())
                .related(run.header, "this run needs the value")
                .concerns(Concern::Name(smol_str::format_smolstr!("var.{name}")))
                .help(format!("set `{name}` in a `variables` block of the run or of the file")),
        );
    }
}

/// Whether a run expects a failure of an object.
fn expects(run: &Run, module: Node<'_>, what: &TestSubject) -> bool {
    let features = &module.module().features;
    run.expect_failures.iter().any(|expected| {
        reference_in_test(&expected.traversal, features).is_ok_and(|reference| reference.subject == *what)
    })
}

/// Reports expected failures of objects that do not exist or have no conditions.
fn missing_failures(run: &Run, node: Node<'_>, findings: &mut Vec<Finding>) {
    let module = node.module();
    for Dependency { traversal, span } in &run.expect_failures {
        let Ok(reference) = reference_in_test(traversal, &module.features) else { continue };
        let why = match &reference.subject {
            TestSubject::Output(name) => match module.outputs.get(name) {
                Some(output) => output.preconditions.is_empty().then_some("has no `precondition`"),
                None => (!module.may_have(&format!("output.{name}"))).then_some("does not exist"),
            },
            TestSubject::Check(name) => match module.checks.get(name) {
                Some(_) => None,
                None => (module.complete && !module.has_generated_files).then_some("does not exist"),
            },
            TestSubject::InModule(Subject::Variable(name)) => match module.variables.get(name) {
                Some(variable) => variable.validations.is_empty().then_some("has no `validation`"),
                None => (!module.may_have(&format!("var.{name}"))).then_some("does not exist"),
            },
            TestSubject::InModule(Subject::Resource { address, .. }) => match module.resources.get(address) {
                Some(resource) => {
                    let has_none = resource.preconditions.is_empty() && resource.postconditions.is_empty();
                    has_none.then_some("has no `precondition` or `postcondition`")
                }
                None => (!module.may_have(&address.to_string())).then_some("does not exist"),
            },
            TestSubject::Run(_) | TestSubject::InModule(_) => None,
        };
        if let Some(why) = why.filter(|_| module.complete) {
            findings.push(
                Finding::language(EngineRule::InvalidTest, "Missing expected failure")
                    .detail(format!(
                        "This object {why}, so it cannot report the expected failure, and the run fails."
                    ))
                    .at(*span)
                    .help("correct the address, or remove it from `expect_failures`"),
            );
        }
    }
}

/// Checks the addresses in `plan_options`.
fn plan_options(run: &Run, node: Node<'_>, findings: &mut Vec<Finding>) {
    let features = &node.module().features;
    let of_test = |finding| Finding { rule: EngineRule::InvalidTest.id(), ..finding };
    for Dependency { traversal, .. } in &run.target {
        if let Err(wrong) = move_endpoint(traversal, features) {
            findings.extend(wrong.into_iter().map(of_test));
        }
    }
    for Dependency { traversal, .. } in &run.replace {
        let wrong = |summary: &str| {
            let finding = Finding::language(EngineRule::InvalidTest, summary).at(traversal.span());
            finding.detail("Only a managed resource or an instance of one can be replaced.")
        };
        match move_endpoint(traversal, features) {
            Err(wrong) => findings.extend(wrong.into_iter().map(of_test)),
            Ok(endpoint) => match endpoint.resource.map(|resource| resource.resource.mode) {
                Some(Mode::Managed) => {}
                Some(Mode::Data | Mode::Ephemeral) => {
                    findings.push(wrong("Can only target managed resources for forced replacements."));
                }
                None => findings.push(wrong("Invalid address")),
            },
        }
    }
}

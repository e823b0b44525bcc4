//! Checks the test files of a module: the errors that `terraform validate` reports, and those that `terraform test`
//! reports before it runs anything.

mod conditions;
mod configurations;
mod names;
mod outcome;
mod provider_blocks;
mod provider_types;
mod running;
mod targets;
mod variables;

use std::collections::BTreeSet;
use std::sync::Arc;

use configurations::Needs;
use provider_types::ProviderTypes;

use crate::finding::{EngineRule, Finding, Severity, Stage, set_address};
use crate::graph::children::not_installed;
use crate::graph::similar::Similar;
use crate::graph::{Callee, Node, Test};
use crate::limits::Steps;
use crate::module::address::{Subject, TestSubject, reference_in_test};
use crate::module::declaration::{Condition, Dependency};
use crate::module::test_file::{Run, TestFile};
use crate::syntax::{Attribute, Traversal};
use crate::value::Budget;
use crate::vfs::{TEST_DIRECTORY, child};

/// The maximum number of declarations that the runs of a module read, each run all declarations of its module. Later
/// runs are not checked completely.
const MOST_DECLARATIONS: usize = 500_000;

/// Checks the test files of a module.
pub(super) fn check(node: Node<'_>, findings: &mut Vec<Finding>) {
    test_directory(node, findings);
    let similar = Similar::default();
    // The engine compares types of providers only if everything was loaded.
    let is_loaded = !findings.iter().any(|it| (it.stage, it.severity) == (Stage::Load, Severity::Error));
    let mut room = node.module().room(findings, EngineRule::MissingModuleArgument);
    let mut left = Some(Steps::of(MOST_DECLARATIONS));
    let mut needs = Needs::with(node.module().room(findings, EngineRule::UndefinedProviderAlias));
    let mut types = ProviderTypes::default();
    let mut unset = running::Unset::new();
    let work = Budget::of(node.module().evaluation_steps());
    for test in node.tests() {
        let (from, before) = (findings.len(), room);
        missing_modules(test, findings);
        targets::of_file(node, test, findings);
        for (run, under) in runs(node, test) {
            let from = findings.len();
            expectations(run, node, findings);
            targets::of_run(run, under, findings);
            missing_providers(run, &test.file, node, findings);
            set_address(&mut findings[from..], &format!("run.{}", run.name));
        }
        if is_loaded {
            types.check(node, test, findings);
            if test.file.complete {
                needs.check(node, test, findings);
            }
        }
        running::check(node, test, &similar, (&work, &mut left), &mut room, findings);
        // If a file was not understood completely, the rest of it may affect all further checks.
        if !test.file.complete {
            findings.truncate(from);
            room = before;
        }
        room.left += running::join_unset(&mut unset, from, findings);
    }
    running::count_runs(&unset, findings);
    room.close(findings);
    needs.room.close(findings);
}

/// Reports a file with the path of the test directory, which the engine lists where a command runs.
fn test_directory(node: Node<'_>, findings: &mut Vec<Finding>) {
    let module = node.module();
    let path = child(&module.directory, TEST_DIRECTORY);
    let is_listed = module.features.grammar.tests && !node.is_called() && !node.is_installed();
    if is_listed && node.graph().named_files.is_file(&path) {
        Finding::language(EngineRule::UnreadableFile, "Failed to read test directory")
            .detail(format!("\"{path}\" is a file. It must be a directory with test files, or not exist."))
            .help("rename the file")
            .about(&path)
            .push_to(findings);
    }
}

/// The runs without errors, each with its module, if that is known.
pub(super) fn runs<'t>(node: Node<'t>, test: &'t Test) -> impl Iterator<Item = (&'t Run, Option<Node<'t>>)> {
    let runs = test.file.runs.iter().zip(&test.loads);
    runs.filter(|(run, _)| !run.is_broken).map(move |(run, callee)| (run, under(node, *callee)))
}

impl Test {
    /// The value that the test file, or else a variable definitions file, gives to a variable of its runs.
    fn given(&self, variable: &str) -> Option<&Arc<Attribute>> {
        let from_outside = || self.values.get(variable).filter(|_| !self.file.names_variable(variable));
        self.file.variables.get(variable).or_else(from_outside)
    }
}

/// The module that a run executes, if it is known.
fn under(node: Node<'_>, callee: Option<Callee>) -> Option<Node<'_>> {
    let Some(callee) = callee else { return Some(node) };
    Some(node.graph().node(callee.module()?))
}

impl Node<'_> {
    /// The names in this module that tests refer to: its own tests, and those of other modules that run it. In the other
    /// arguments of a test, `var.name` is a value of the test file, and not the variable of the module.
    pub fn named_by_tests(self) -> BTreeSet<Subject> {
        let mut named = BTreeSet::new();
        let is_own = |under: Option<Node<'_>>| under.is_some_and(|node| node.id() == self.id());
        for test in self.tests() {
            let configs = test.file.providers.values().filter_map(|provider| provider.config.as_ref());
            configs.for_each(|config| {
                config.for_each_expression_in_scope(&mut |expr, _| {
                    named.extend(expr.variables().into_iter().filter_map(|name| subject(name, self)));
                });
            });
        }
        for tester in self.run_by_tests().chain([self]) {
            for test in tester.tests() {
                for (run, _) in runs(tester, test).filter(|(_, under)| is_own(*under)) {
                    named.extend(subjects(run, self));
                }
            }
        }
        named
    }
}

/// The references in the assertions and expected failures of a run.
fn subjects(run: &Run, node: Node<'_>) -> Vec<Subject> {
    let asserts = run.asserts.iter().flat_map(Condition::parts);
    let asserted = asserts.flat_map(|attribute| attribute.expr.variables());
    let expected = run.expect_failures.iter().map(|expected| &expected.traversal);
    asserted.chain(expected).filter_map(|traversal| subject(traversal, node)).collect()
}

/// The declaration in a module that a traversal in a test refers to, without an instance key.
fn subject(traversal: &Traversal, node: Node<'_>) -> Option<Subject> {
    match reference_in_test(traversal, &node.module().features).ok()?.subject {
        TestSubject::InModule(Subject::Resource { address, .. }) => {
            Some(Subject::Resource { address, key: None })
        }
        TestSubject::InModule(subject) => Some(subject),
        TestSubject::Output(_) | TestSubject::Check(_) | TestSubject::Run(_) => None,
    }
}

/// Reports runs whose module directory does not exist.
fn missing_modules(test: &Test, findings: &mut Vec<Finding>) {
    for (run, callee) in test.file.runs.iter().zip(&test.loads) {
        let Some(module) = run.module.as_ref().filter(|_| *callee == Some(Callee::Missing)) else { continue };
        not_installed(&module.source.raw, "the module under test")
            .at(module.header)
            .related(module.source.span, "this directory does not exist")
            .address(format!("run.{}", run.name))
            .push_to(findings);
    }
}

/// `expect_failures` can only list objects with conditions.
fn expectations(run: &Run, node: Node<'_>, findings: &mut Vec<Finding>) {
    for expected in &run.expect_failures {
        let Dependency { traversal, span } = expected;
        match reference_in_test(traversal, &node.module().features) {
            Err(error) => findings.push(error.finding().at_validate()),
            Ok(reference) if !is_checkable(&reference.subject) => Finding::language(
                EngineRule::InvalidTest,
                "Invalid `expect_failures` reference",
            )
            .at_validate()
            .detail(
                "Only variables, outputs, resources, data sources and `check` blocks have conditions that \
                         can fail.",
            )
            .at(if *span == traversal.span() { reference.span } else { *span })
            .push_to(findings),
            Ok(_) => {}
        }
    }
}

fn is_checkable(subject: &TestSubject) -> bool {
    match subject {
        TestSubject::Output(_)
        | TestSubject::Check(_)
        | TestSubject::InModule(Subject::Variable(_) | Subject::Resource { .. }) => true,
        TestSubject::Run(_) | TestSubject::InModule(_) => false,
    }
}

/// Reports providers that a run uses and its file does not define.
fn missing_providers(run: &Run, file: &TestFile, node: Node<'_>, findings: &mut Vec<Finding>) {
    for passed in &run.providers {
        let name = passed.in_parent.compact();
        if file.providers.contains_key(&name) {
            continue;
        }
        let finding = Finding::language(
            EngineRule::UndefinedProviderReference,
            format!("Missing provider definition for {name}"),
        )
        .severity(Severity::Error)
        .detail(format!("This test file has no `provider` or `mock_provider` block for `{name}`."))
        .at(passed.in_parent.name_span)
        .help("add the block to this file, or remove the entry");
        let at_validate = node.module().features.run_providers_validated;
        findings.push(if at_validate { finding.at_validate() } else { finding.at_test() });
    }
}

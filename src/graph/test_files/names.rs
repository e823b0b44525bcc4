//! Checks the references in runs.

use smol_str::SmolStr;

use crate::finding::{Concern, EngineRule, Finding, Severity};
use crate::graph::references::symbols::{unavailable_count, unavailable_each};
use crate::graph::references::{self, Declared, undeclared};
use crate::graph::similar::Similar;
use crate::graph::{Node, Test};
use crate::module::Module;
use crate::module::address::{Subject, TestReference, TestSubject, reference_in_test};
use crate::module::declaration::Condition;
use crate::module::test_file::Run;
use crate::syntax::{Expr, Traversal};
use crate::text::Span;

/// Names that are reserved for later versions.
const RESERVED: [&str; 5] = ["plan", "state", "template", "lazy", "arg"];

/// The position of an expression in a test file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In `variables` of the file.
    FileVariables,
    /// In `variables` of a run.
    Variables,
    /// In a `provider` block of the file.
    Provider,
    /// In an `assert` block.
    Assert,
}

/// The scope of the expressions of a run.
pub(super) struct Names<'t, 's> {
    pub(super) node: Node<'t>,
    pub(super) test: &'t Test,
    pub(super) run: &'t Run,
    /// The module that the run executes, if it is known.
    pub(super) under: Option<Node<'t>>,
    pub(super) similar: &'s Similar,
}

impl Names<'_, '_> {
    /// The reference at the start of a traversal, if it is valid.
    pub(super) fn subject(&self, traversal: &Traversal) -> Option<TestSubject> {
        Some(reference_in_test(traversal, &self.node.module().features).ok()?.subject)
    }

    /// Checks every reference of an expression. Returns whether the engine can read all of them, which it does before it
    /// plans; the rest is found when it evaluates the expression.
    pub(super) fn check(&self, expr: &Expr, place: Place, findings: &mut Vec<Finding>) -> bool {
        let mut are_readable = true;
        for traversal in expr.variables() {
            match reference_in_test(traversal, &self.node.module().features) {
                Err(error) => {
                    findings.push(error.finding());
                    if place == Place::Assert && RESERVED.contains(&traversal.root.as_str()) {
                        findings.push(unknown(&traversal.root, traversal.root_span));
                    } else {
                        are_readable = false;
                    }
                }
                Ok(reference) => match (&reference.subject, place) {
                    (TestSubject::InModule(Subject::Variable(name)), Place::FileVariables) => {
                        findings.extend(self.variable_from_outside(name, reference.span));
                    }
                    (_, Place::FileVariables) => findings.push(not_for_file_variables(reference.span)),
                    (TestSubject::Run(name), _) => self.run(name, &reference, place, findings),
                    (TestSubject::InModule(Subject::Variable(name)), Place::Variables | Place::Provider) => {
                        findings.extend(self.variable_of_file(name, place, reference.span));
                    }
                    (_, Place::Variables | Place::Provider) => {
                        findings.push(only_runs_and_variables(place, reference.span));
                    }
                    (subject, Place::Assert) => {
                        self.in_assert(subject, &reference, findings);
                        if let Some(module) = self.under {
                            references::in_assertion(module, traversal, findings);
                        }
                    }
                },
            }
        }
        are_readable
    }

    /// The assertions of the run whose references are valid; the engine evaluates these despite errors in others. `None`
    /// if it cannot read a reference, so that it does not execute the run.
    pub(super) fn valid_asserts(&self, findings: &mut Vec<Finding>) -> Option<Vec<&Condition>> {
        let mut valid = Vec::new();
        let mut are_readable = true;
        for assert in &self.run.asserts {
            let from = findings.len();
            for part in assert.parts().filter(|part| !part.is_broken) {
                are_readable &= self.check(&part.expr, Place::Assert, findings);
            }
            if findings.len() == from {
                valid.push(assert);
            }
        }
        are_readable.then_some(valid)
    }

    /// Checks `run.name` and the output after it.
    fn run(&self, name: &SmolStr, reference: &TestReference<'_>, place: Place, findings: &mut Vec<Finding>) {
        let all = &self.test.file.runs;
        let is_assert = place == Place::Assert;
        let Some(at) = self.test.file.number_of(name) else {
            let summary = if is_assert {
                "Reference to undeclared run block"
            } else {
                "Reference to unknown run block"
            };
            let near = self.similar.nearest(name, all.iter(), |run| &run.name);
            Finding::language(EngineRule::UndeclaredReference, summary)
                .detail(format!("This test file has no run `{name}`."))
                .at(reference.span)
                .concerns(Concern::Name(smol_str::format_smolstr!("run.{name}")))
                .meant_at(
                    near.map(|near| (near.header, format!("run.{}", near.name))),
                    "a run of a similar name",
                )
                .push_to(findings);
            return;
        };
        if self.test.file.number_of(&self.run.name).is_some_and(|own| at >= own) {
            // Since Terraform 1.13, runs are ordered by their references.
            if is_assert || self.node.module().features.runs_in_order {
                not_yet(name, is_assert, *name == self.run.name, reference.span)
                    .related(all[at].header, "the run is here")
                    .push_to(findings);
            }
            return;
        }
        let known = all.get(at).zip(self.test.loads.get(at));
        let under =
            known.filter(|(run, _)| !run.is_broken).and_then(|(_, callee)| super::under(self.node, *callee));
        if let Some(module) = under
            && let Some(step) = reference.remaining.first()
            && let Some(output) = step.name()
            && !module.module().outputs.contains_key(output)
            && !module.module().may_have(&format!("output.{output}"))
        {
            let detail = format!("The run `{name}` tests a module that has no output `{output}`.");
            findings.push(no_attribute(&detail, step.span));
        }
    }

    /// Checks `var.name` in the `variables` of a run or in a `provider` block.
    fn variable_of_file(&self, name: &SmolStr, place: Place, at: Span) -> Option<Finding> {
        (!self.test.file.names_variable(name) && !self.test.values.may_set(name)).then(|| {
            let detail = format!(
                "{} can only refer to variables that the file, the command line or the environment sets. The test fails \
                 unless the file, `-var` or `TF_VAR_{name}` sets `{name}`; a default in the module does not count.",
                referring(place)
            );
            unavailable(name, at, &detail).help(format!("set `{name}` in the `variables` block of the file"))
        })
    }

    /// Checks `var.name` in the `variables` of the file.
    fn variable_from_outside(&self, name: &SmolStr, at: Span) -> Option<Finding> {
        (!self.test.values.may_set(name)).then(|| {
            let detail = format!(
                "Before Terraform 1.13, the variables of a test file can only refer to variables of the command line \
                 or the environment. The test fails unless `-var` or `TF_VAR_{name}` sets `{name}`; the file and a \
                 default in the module do not count."
            );
            unavailable(name, at, &detail).help("replace the reference with a value")
        })
    }

    fn in_assert(&self, subject: &TestSubject, reference: &TestReference<'_>, findings: &mut Vec<Finding>) {
        let at = reference.span;
        let misplaced = |summary: &str, detail: &str| {
            Finding::language(EngineRule::MisplacedSymbol, summary).detail(detail).at(at)
        };
        match subject {
            TestSubject::Run(_) => {}
            TestSubject::Check(_) => findings.push(misplaced(
                "Reference to \"check\" in invalid context",
                "An `assert` block cannot refer to a `check` block: list the check in `expect_failures`.",
            )),
            TestSubject::InModule(Subject::Itself) => findings.push(misplaced(
                "Invalid \"self\" reference",
                "`self` is not available in an `assert` block of a test.",
            )),
            TestSubject::InModule(Subject::Each(name)) => findings.push(misplaced(
                unavailable_each(name),
                "`each` is not available in an `assert` block of a test.",
            )),
            TestSubject::InModule(Subject::Count(name)) => findings.push(misplaced(
                unavailable_count(name),
                "`count` is not available in an `assert` block of a test.",
            )),
            TestSubject::Output(_) | TestSubject::InModule(_) => {
                if let Some(module) = self.under {
                    self.declared(module, subject, reference, findings);
                }
            }
        }
    }

    /// Checks references to declarations of the module under test.
    fn declared(
        &self,
        node: Node<'_>,
        subject: &TestSubject,
        reference: &TestReference<'_>,
        findings: &mut Vec<Finding>,
    ) {
        let (module, at) = (node.module(), reference.span);
        match subject {
            TestSubject::Output(name) => {
                if !module.outputs.contains_key(name) && !module.may_have(&format!("output.{name}")) {
                    findings.push(self.no_output(node, name, at));
                }
            }
            TestSubject::InModule(subject @ Subject::Variable(name)) => {
                let is_set = self.run.variables.contains_key(name)
                    || self.test.file.names_variable(name)
                    || self.test.values.may_set(name);
                if !is_set && !module.variables.contains_key(name) {
                    let finding = undeclared(module, subject, at, self.similar, None);
                    // A value from outside may be set, so this is a warning.
                    findings.extend(finding.map(|finding| finding.severity(Severity::Warning)));
                }
            }
            TestSubject::InModule(subject) if Declared::of(module, subject).is_none() => {
                let finding = undeclared(module, subject, at, self.similar, None);
                findings.extend(finding.map(|finding| finding.meant(self.meant(module, subject))));
            }
            TestSubject::InModule(Subject::Module { call, output: Some(output), .. }) => {
                findings.extend(lacking_output(node, call, output, at));
            }
            TestSubject::Check(_) | TestSubject::Run(_) | TestSubject::InModule(_) => {}
        }
    }

    /// What a name such as `outputs.a`, which takes the form of a resource, means in a test.
    fn meant(&self, module: &Module, subject: &Subject) -> Option<String> {
        let Subject::Resource { address, .. } = subject else { return None };
        let name = &address.name;
        match address.kind.as_str() {
            "outputs" if module.outputs.contains_key(name) => Some(format!("output.{name}")),
            "runs" if self.test.file.number_of(name).is_some() => Some(format!("run.{name}")),
            _ => None,
        }
    }

    fn no_output(&self, node: Node<'_>, name: &SmolStr, at: Span) -> Finding {
        let near = self.similar.nearest(name, node.module().outputs.values(), |output| &output.name);
        let near = near.map(|near| (near.origin.header(), format!("output.{}", near.name)));
        Finding::language(EngineRule::UndeclaredReference, "Reference to undeclared output value")
            .detail(format!("The module under test has no output `{name}`."))
            .at(at)
            .concerns(Concern::Name(smol_str::format_smolstr!("output.{name}")))
            .help(format!("add an output `{name}` to the module, or correct the name"))
            .meant_at(near, "an output with a similar name")
    }
}

/// The error for an undeclared output of a child module in an assertion.
fn lacking_output(node: Node<'_>, call: &str, output: &SmolStr, at: Span) -> Option<Finding> {
    let child = node.child(call)?.module();
    let is_repeated =
        node.module().calls.get(call).is_some_and(|call| call.count.is_some() || call.for_each.is_some());
    let is_there = child.outputs.contains_key(output) || child.may_have(&format!("output.{output}"));
    let start = at.end.checked_sub(u32::try_from(output.len()).ok()? + 1)?;
    (!is_there && !is_repeated).then(|| {
        no_attribute(
            &format!("The module that `module.{call}` calls has no output `{output}`."),
            Span { start, ..at },
        )
    })
}

fn unavailable(name: &str, at: Span, detail: &str) -> Finding {
    Finding::language(EngineRule::UndeclaredReference, "Reference to unavailable variable")
        .severity(Severity::Warning)
        .detail(detail)
        .at(at)
        .concerns(Concern::Name(smol_str::format_smolstr!("var.{name}")))
}

fn no_attribute(detail: &str, at: Span) -> Finding {
    Finding::language(EngineRule::UndefinedModuleOutput, "Unsupported attribute")
        .detail(detail)
        .at(at)
        .help("correct the name, or add the output to the module")
}

/// The error for a reserved name, which the engine looks up nevertheless.
fn unknown(name: &str, at: Span) -> Finding {
    Finding::language(EngineRule::MisplacedSymbol, "Unknown variable")
        .detail(format!("No object is named `{name}` here."))
        .at(at)
}

fn not_yet(name: &str, is_assert: bool, is_own: bool, at: Span) -> Finding {
    let summary =
        if is_assert { "Reference to unevaluated run block" } else { "Reference to unavailable run block" };
    Finding::language(EngineRule::InvalidReference, summary)
        .detail(format!("The run `{name}` does not come before this one, so it has no values yet."))
        .at(at)
        .help(match (is_own, is_assert) {
            (true, true) => "write `output.NAME` for an output of this run",
            (true, false) => "refer to an earlier run: a run cannot use its own outputs here",
            (false, _) => "refer to an earlier run, or change the order of the runs",
        })
}

fn only_runs_and_variables(place: Place, at: Span) -> Finding {
    Finding::language(EngineRule::InvalidReference, "Invalid reference")
        .detail(format!(
            "{} can only refer to earlier runs, and to variables of the file, the command line or the environment.",
            referring(place)
        ))
        .at(at)
}

/// What has a reference, as the subject of a sentence.
fn referring(place: Place) -> &'static str {
    match place {
        Place::FileVariables => "A variable of a test file",
        Place::Variables => "A variable of a run",
        Place::Provider => "A `provider` block of a test file",
        Place::Assert => "An assertion",
    }
}

fn not_for_file_variables(at: Span) -> Finding {
    Finding::language(EngineRule::InvalidReference, "Invalid reference")
        .detail(
            "Before Terraform 1.13, the variables of a test file can only refer to variables of the command line or the environment.",
        )
        .at(at)
        .help("set the variable in the `variables` block of the run")
}

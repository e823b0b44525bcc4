//! Reports the errors of `terraform test` that are known without running it.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::{HashMap, HashSet};
use smol_str::SmolStr;

use super::names::Names;
use super::outcome::{self, Earlier, missing_failure};
use super::variables::{asserted_variables, file_variables, values_of_file, variables, variables_in};
use super::{MOST_DECLARATIONS, provider_blocks, runs};
use crate::engine::Product;
use crate::finding::{Code, Concern, Continued, EngineRule, Finding, Room, Severity, Stage, set_address};
use crate::graph::evaluation::{Computed, Replaced, VariableValues};
use crate::graph::similar::Similar;
use crate::graph::{Node, NodeId, Test};
use crate::limits::Steps;
use crate::module::address::{Mode, Subject, TestSubject, move_endpoint, reference_in_test};
use crate::module::declaration::Dependency;
use crate::module::test_file::Run;
use crate::text::{Span, counted, grouped};
use crate::value::Budget;

/// Checks the runs of a test file. The messages are those of Terraform; OpenTofu has others.
///
/// `work` has the evaluation steps that are left for the test files of the module, and `left` the declarations of their
/// runs. `room` limits the findings about variables without a value. Each run adds at least one, since that decides
/// whether it is executed.
pub(super) fn check(
    node: Node<'_>,
    test: &Test,
    similar: &Similar,
    (work, left): (&Budget, &mut Option<Steps>),
    room: &mut Room,
    findings: &mut Vec<Finding>,
) {
    if node.module().features.engine.product != Product::Terraform {
        return;
    }
    let is_wrong = |finding: &Finding| finding.severity == Severity::Error && finding.stage != Stage::Test;
    let is_over = !test.file.complete
        || test.file.runs.iter().any(|run| run.is_broken)
        || findings.iter().any(is_wrong);
    let mut of_test = Runs {
        node,
        test,
        similar,
        work,
        set: test.file.runs.iter().flat_map(|run| run.variables.keys()).collect(),
        of_file: test.file.variables.values().flat_map(|value| variables_in(&value.expr)).collect(),
        evaluated: BTreeSet::new(),
        providers: provider_blocks::Used::default(),
        replaced: HashMap::new(),
        earlier: Earlier { is_over, ..Earlier::default() },
    };
    for (run, under) in runs(node, test) {
        let from = findings.len();
        let Some(steps) = left else { return };
        if !under.is_none_or(|module| steps.take(declarations(module) + of_test.of_file.len())) {
            findings.push(too_many_runs(run));
            *left = None;
            return;
        }
        of_test.check(run, under, room, findings);
        for finding in &mut findings[from..] {
            finding.stage = Stage::Test;
        }
        set_address(&mut findings[from..], &format!("run.{}", run.name));
    }
}

/// The runs of a test file, in the order in which they are checked.
struct Runs<'t> {
    node: Node<'t>,
    test: &'t Test,
    similar: &'t Similar,
    work: &'t Budget,
    /// The variables that a run sets.
    set: HashSet<&'t SmolStr>,
    /// The variables to which the values of the file refer.
    of_file: BTreeSet<SmolStr>,
    /// The values of the file that are checked, by the directory of the module and the variable.
    evaluated: BTreeSet<(SmolStr, SmolStr)>,
    providers: provider_blocks::Used,
    /// The values that the file may replace, by the module of the run.
    replaced: HashMap<NodeId, Replaced>,
    earlier: Earlier,
}

impl Runs<'_> {
    /// Checks the next run.
    fn check(&mut self, run: &Run, under: Option<Node<'_>>, room: &mut Room, findings: &mut Vec<Finding>) {
        let from = findings.len();
        let names = Names { node: self.node, test: self.test, run, under, similar: self.similar };
        if let Some(module) = under {
            for block in self.providers.first_by(run, self.test, module) {
                block.check(&names, module, &self.earlier, self.work, findings);
            }
        }
        let given = self.values(&names, room, findings);
        let mut unresolved = Vec::new();
        let asserts = names.valid_asserts(&mut unresolved);
        if asserts.is_none() {
            findings.append(&mut unresolved);
        }
        plan_options(run, self.node, findings);
        if !self.earlier.is_over && findings[from..].iter().all(is_after_plan) {
            findings.extend(replaced_without_plan(run).filter(|_| under.is_some()));
        }
        if let Some(module) = under {
            if findings[from..].iter().all(is_after_plan) {
                let given = VariableValues::only(given);
                // Where an expected failure is missing, the engine does not get to the assertions.
                let is_missing = |finding: &Finding| continued(finding) == Some(Continued::TheRun);
                let asserts =
                    asserts.filter(|_| !findings[from..].iter().any(is_missing)).unwrap_or_default();
                let replaced = self.replaced.entry(module.id());
                let replaced =
                    &*replaced.or_insert_with(|| outcome::replaced_by_file(self.test, module.module()));
                let earlier = &mut self.earlier;
                findings
                    .extend(outcome::check(&names, module, &given, &asserts, replaced, self.work, earlier));
            } else if findings[from..].iter().any(is_unsuitable) {
                findings.extend(outcome::stopped_by_value(self.test, run, module, &findings[from..]));
            }
        }
        self.earlier.is_applied |= !run.plans;
        if !run.plans && findings[from..].iter().any(stops_plan) {
            // Expected failures count only once there is a plan to apply.
            let found = findings.split_off(from);
            findings
                .extend(found.into_iter().filter(|finding| continued(finding) != Some(Continued::TheRun)));
        }
        findings.append(&mut unresolved);
        self.earlier.is_over |= findings[from..].iter().any(stops);
    }

    /// Checks the values of the variables of a run, and returns them.
    fn values(
        &mut self,
        names: &Names<'_, '_>,
        room: &mut Room,
        findings: &mut Vec<Finding>,
    ) -> BTreeMap<SmolStr, Computed> {
        let asserted = asserted_variables(names);
        let Some(module) = names.under else { return variables(names, &asserted, None, findings) };
        let of_run = names.run.variables.values().flat_map(|value| variables_in(&value.expr));
        let used = self.of_file.iter().cloned().chain(of_run);
        let values = values_of_file(self.test, used, (module, self.node), &self.earlier, self.work);
        let mut given = variables(names, &asserted, Some(&values), findings);
        file_variables(module, names, &values, &mut self.evaluated, findings);
        let added = required_variables(names, module, &self.set, room.left.max(1), findings);
        room.take(added);
        missing_failures(names.run, module, findings);
        outcome::remaining(names, module, &asserted, &values, &mut given);
        given
    }
}

/// The number of declarations that a run of a module reads.
fn declarations(node: Node<'_>) -> usize {
    let module = node.module();
    let named = module.variables.len() + module.locals.len() + module.outputs.len();
    named + module.resources.len() + module.calls.len()
}

/// The finding for the first run that is not checked completely.
fn too_many_runs(run: &Run) -> Finding {
    Finding::language(EngineRule::LimitReached, "Too many runs of large modules")
        .detail(format!(
            "This run and all later ones of this module are not checked completely, because they read more than {} \
             declarations together.",
            grouped(MOST_DECLARATIONS as u64)
        ))
        .at(run.header)
        .address(format!("run.{}", run.name))
        .help("divide the runs among several modules")
}

fn is_unsuitable(finding: &Finding) -> bool {
    finding.code == Some(Code::IncorrectVariableType)
}

/// What the engine continues with after a finding. Some errors are reported as warnings since a value may come from
/// elsewhere.
fn continued(finding: &Finding) -> Option<Continued> {
    match finding.code {
        Some(Code::TestContinues(with)) => Some(with),
        _ => None,
    }
}

/// Whether the engine does not apply what a run plans, or does not plan it.
fn stops_plan(finding: &Finding) -> bool {
    continued(finding).is_none()
}

/// Whether a finding does not keep the engine from planning the run.
fn is_after_plan(finding: &Finding) -> bool {
    matches!(continued(finding), Some(Continued::EveryRun | Continued::TheRun))
}

/// Whether no later run of the file is executed.
fn stops(finding: &Finding) -> bool {
    !matches!(continued(finding), Some(Continued::EveryRun | Continued::LaterRuns))
}

/// Reports required variables without a value. Values may also come from the environment or the command line, so this
/// is a warning only if another run sets the variable. Adds at most `room` findings, and returns their number.
fn required_variables(
    names: &Names<'_, '_>,
    module: Node<'_>,
    set: &HashSet<&SmolStr>,
    room: usize,
    findings: &mut Vec<Finding>,
) -> usize {
    let (test, run) = (names.test, names.run);
    let has_value = |name: &SmolStr| {
        run.variables.contains_key(name) || test.file.names_variable(name) || test.values.may_set(name)
    };
    let required = module.module().variables.values().filter(|variable| {
        let is_required = variable.default.is_none() && !variable.origin.writes("default");
        is_required && !has_value(&variable.name)
    });
    let before = findings.len();
    for variable in required.take(room) {
        let name = &variable.name;
        let is_set_by_others = set.contains(name);
        Finding::language(EngineRule::MissingModuleArgument, "No value for required variable")
            .code(Code::UnsetVariable)
            .severity(if is_set_by_others { Severity::Warning } else { Severity::Notice })
            .detail(format!(
                "Neither the run `{}` nor its file `{}` sets the variable `{name}`, which has no default. The \
                 test fails unless `TF_VAR_{name}`, `-var` or `-var-file` sets it.",
                run.name, test.file.path
            ))
            .at(variable.origin.header())
            .related(run.header, "this run needs the value")
            .concerns(Concern::Name(smol_str::format_smolstr!("var.{name}")))
            .help(format!("set `{name}` in a `variables` block of the run or of the file"))
            .push_to(findings);
    }
    findings.len() - before
}

/// The number of runs without a value for a variable that no run of their file sets, by the location of the notice.
pub(super) type Unset = HashMap<Option<Span>, usize>;

fn is_unset(finding: &Finding) -> bool {
    finding.code == Some(Code::UnsetVariable) && finding.severity == Severity::Notice
}

/// Keeps the first notice about each of these variables: most such tests get their values from `-var-file`. Looks at the
/// findings of a file, which start at `from`, and returns the number of removed ones.
pub(super) fn join_unset(unset: &mut Unset, from: usize, findings: &mut Vec<Finding>) -> usize {
    let of_file = findings.split_off(from);
    let before = from + of_file.len();
    findings.extend(of_file.into_iter().filter(|finding| {
        let runs = if is_unset(finding) { unset.entry(finding.primary).or_default() } else { &mut 0 };
        *runs += 1;
        *runs == 1
    }));
    before - findings.len()
}

/// Adds the number of runs to the notices about these variables.
pub(super) fn count_runs(unset: &Unset, findings: &mut [Finding]) {
    for finding in findings.iter_mut().filter(|finding| is_unset(finding)) {
        let runs = unset.get(&finding.primary).copied().unwrap_or(1);
        if runs > 1 {
            let others = counted(runs - 1, "other run");
            finding.add_sentence(&format!("The same applies to {others} of the module."));
        }
    }
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
                None => module.is_whole().then_some("does not exist"),
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
            missing_failure(*span)
                .detail(format!(
                    "This object {why}, so it cannot report the expected failure, and the run fails."
                ))
                .help("correct the address, or remove it from `expect_failures`")
                .push_to(findings);
        }
    }
}

/// The error in a run that only refreshes the state, but replaces resources.
fn replaced_without_plan(run: &Run) -> Option<Finding> {
    let replaced = run.replace.first().filter(|_| run.refreshes_only)?;
    Some(
        Finding::language(EngineRule::InvalidTest, "Unsupported plan mode")
            .detail("A run with `mode = refresh-only` changes no resources, so it cannot replace any.")
            .related(replaced.span, "replaced here")
            .help("remove `replace` or `mode`"),
    )
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

//! Checks called modules for content that only a root module may have, and finds calls of missing modules.

use crate::engine::{Features, ModuleAddress, Product};
use crate::finding::{Concern, EngineRule, Finding, Severity};
use crate::graph::{Callee, Node, backends};
use crate::module::Module;
use crate::value;

/// Reports calls of directories that do not exist. This does not depend on the version of the engine.
pub(super) fn missing(node: Node<'_>, findings: &mut Vec<Finding>) {
    let similar = node.similar_sources();
    for (call, callee) in node.calls() {
        if callee == Callee::Missing {
            let source = call.source.as_ref();
            let raw = source.map(|source| source.raw.as_str()).unwrap_or_default();
            not_installed(raw, "this module")
                .at(call.origin.header())
                .address(format!("module.{}", call.name))
                .meant(similar.of(raw))
                .related(source.map(|source| source.span), "this directory does not exist")
                .push_to(findings);
        }
    }
}

/// The finding about a missing directory that a `source` names, relative to a module.
pub(super) fn not_installed(source: &str, module: &str) -> Finding {
    Finding::language(EngineRule::MissingModule, "Module not installed")
        .detail(format!("There is no directory {source:?} relative to {module}, so `init` fails."))
        .concerns(Concern::ModuleSource(source.into()))
        .help("correct `source`, or add the directory")
}

/// Reports content that a child module cannot have, and settings of a root module that are not constant.
pub(super) fn check(node: Node<'_>, findings: &mut Vec<Finding>) {
    // A run loads its module as a child of the module under test.
    let run = node.run_by_tests().next();
    if !node.is_called() && run.is_none() {
        findings.extend(not_constant(node.module()));
        // Terragrunt runs a copy of the module, and may generate another backend there.
        if let Some(storage) = node.module().storage()
            && !node.run_by_units().may_be_run
        {
            findings.extend(backends::wrong(storage, node.module().newest_engine()));
        }
        return;
    }
    let module = node.module();
    let caller = node.callers().next().map(|(_, call)| call.origin.header());
    let with_caller = |finding: Finding| finding.related(caller, "this module is called here");
    if let Some(backend) = &module.backend {
        findings
            .push(with_caller(ignored("Backend configuration ignored", "backend").at(backend.block.header)));
    }
    if let Some(cloud) = &module.cloud
        && module.features.child_cloud_warns
    {
        findings.push(with_caller(ignored("Cloud configuration ignored", "cloud").at(cloud.block.header)));
    }
    if let Some(import) = module.imports.first()
        && is_error_in_child(node)
    {
        let finding =
            Finding::language(EngineRule::InvalidMovedRemovedImport, "Invalid import configuration")
                .at(import.block.header);
        findings.push(if node.is_called() {
            let path = node.path_through(node.callers().next());
            let has_instances = node.callers().any(|(_, call)| call.is_repeated());
            let each =
                if has_instances { "; each instance needs a block of its own, with its key" } else { "" };
            with_caller(finding)
                .detail("Only root modules can have `import` blocks, and another module calls this one.")
                .help(format!(
                    "move the block into the root module, and write `{path}` before the address{each}"
                ))
        } else {
            finding.detail(
                "Only root modules can have `import` blocks, and a test loads this one beside its root \
            module.",
            )
        });
    }
}

/// The errors that `init` reports in the settings of the state. Since OpenTofu 1.8, they may use variables.
fn not_constant(module: &Module) -> Vec<Finding> {
    let mut findings = Vec::new();
    let Features { engine, module_address, .. } = &*module.features;
    if engine.product == Product::OpenTofu && *module_address != ModuleAddress::LiteralPerBlock {
        return findings;
    }
    let Some(storage) = module.storage() else { return findings };
    let kind = &storage.block.kind;
    storage.block.body.for_each_expression(&mut |expr| {
        value::constant(expr, &mut findings);
    });
    let constants = format!("A `{kind}` block can contain only constants, so `init` fails");
    // Arguments on the command line replace those of a backend before these are evaluated.
    let (detail, help, severity) = if kind == "backend" {
        let help = "write a constant, or pass the argument with `init -backend-config`";
        (format!("{constants}, unless `-backend-config` sets this argument."), help, Severity::Warning)
    } else {
        (format!("{constants}."), "write a constant", Severity::Error)
    };
    let explain = |finding: Finding| finding.detail(detail.as_str()).help(help).severity(severity).at_plan();
    findings.into_iter().map(explain).collect()
}

/// Whether a module has content that is an error in a child module.
pub(super) fn is_error_in_child(node: Node<'_>) -> bool {
    let module = node.module();
    module.features.child_import_refused && !module.imports.is_empty()
}

fn ignored(summary: &str, what: &str) -> Finding {
    Finding::language(EngineRule::IgnoredBackendOrCloud, summary)
        .severity(Severity::Warning)
        .detail(format!(
            "Only the root module configures where the state is stored, so this `{what}` block has no \
            effect."
        ))
        .help("remove this block, unless the module is also run as a root module")
}

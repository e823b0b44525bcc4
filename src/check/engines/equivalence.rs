//! Finds modules in which OpenTofu reports nothing else than Terraform.
//!
//! The newest versions of both engines accept nearly the same language. If Terraform reports nothing in modules that
//! calls connect, no file selects an engine, and no construct has another meaning in OpenTofu, then OpenTofu reports
//! nothing either and does not have to check them. Policy rules find the same in both, except about `required_version`
//! ([`is_of_terraform`]). This saves about half of the work in most repositories.
//!
//! The search for constructs with another meaning may have false positives, but must not miss one. A test lists the
//! differences between the two versions.

use std::collections::BTreeSet;

use rayon::prelude::*;
use smol_str::SmolStr;

use crate::engine::{Engine, FileKind, Product};
use crate::finding::{Concern, Finding};
use crate::graph::{ModuleGraph, Node, NodeId};
use crate::module::Module;
use crate::module::declaration::ModuleCall;
use crate::session::batches::DisjointSets;
use crate::session::load::Validated;
use crate::session::test_paths;
use crate::syntax::ExprKind;
use crate::text::Sources;
use crate::value;
use crate::vfs::Snapshot;

mod signs;

/// Returns the directories of modules in which OpenTofu reports nothing else than Terraform. `roots` are the root modules
/// that are written for the engine of the graph, and `differing` the directories in which OpenTofu may find something
/// else.
pub(super) fn directories(
    graph: &ModuleGraph,
    roots: &[NodeId],
    validated: &Validated,
    differing: &BTreeSet<SmolStr>,
    snapshot: &Snapshot,
) -> BTreeSet<SmolStr> {
    if graph.engine() != Engine::newest(Product::Terraform) {
        return BTreeSet::new();
    }
    let may_be_alike: Vec<NodeId> = graph
        .below(roots)
        .into_iter()
        .filter(|id| !differing.contains(&graph.node(*id).module().directory))
        .filter(|id| !validated.naming_types.contains(id))
        .collect();
    let is_alike: Vec<bool> = may_be_alike.par_iter().map(|id| is_alike(graph.node(*id), snapshot)).collect();
    let alike: BTreeSet<NodeId> =
        may_be_alike.into_iter().zip(is_alike).filter_map(|(id, is_alike)| is_alike.then_some(id)).collect();
    let mut groups = DisjointSets::default();
    for node in graph.nodes() {
        for child in node.children() {
            groups.join(node.id().number(), child.number());
        }
    }
    // No file selects an engine for any of the roots.
    let both = Product::ALL.map(Engine::newest);
    let is_for_both = |root: &Node<'_>| {
        let evidence = snapshot.evidence(&root.module().directory);
        !evidence.positive && evidence.engines == both
    };
    let chosen = graph.roots().into_iter().filter(|root| !is_for_both(root)).map(Node::id);
    let differing = graph.nodes().map(Node::id).filter(|id| !alike.contains(id)).chain(chosen);
    let differing: BTreeSet<usize> = differing.map(|id| groups.first(id.number())).collect();
    let same = graph.nodes().filter(|node| !differing.contains(&groups.first(node.id().number())));
    same.map(|node| node.module().directory.clone()).collect()
}

/// Whether OpenTofu lacks a finding of a policy rule in these modules. It reads `required_version` only in `.tofu` files,
/// which they do not have.
pub(super) fn is_of_terraform(finding: &Finding) -> bool {
    finding.concern == Concern::RequiredVersion
}

/// Whether both engines read a module in the same way, provided that Terraform reports nothing in it.
fn is_alike(node: Node<'_>, snapshot: &Snapshot) -> bool {
    let module = node.module();
    let Some(directory) = snapshot.directory(&module.directory) else { return false };
    let files = directory.module_files(Engine::newest(Product::Terraform));
    if files.len() < directory.files.len() {
        // Only OpenTofu loads the others.
        return false;
    }
    let texts: Option<Vec<&str>> =
        files.iter().map(|(file, _)| Some(snapshot.sources().get(file.id?).text())).collect();
    // A file that could not be read may contain anything.
    let Some(texts) = texts else { return false };
    // The engines differ more in test files than in modules.
    let has_tests = !node.tests().is_empty() || !test_paths::ids(snapshot, &module.directory).is_empty();
    let has_override = files.iter().any(|(_, loaded)| loaded.kind == FileKind::Override);
    // No declaration keeps the parts that override files replaced.
    let hides_registry = has_override && texts.iter().copied().any(signs::may_name_registry);
    let names_registry = hides_registry || names_registry(module, snapshot.sources());
    module.complete
        && !module.excluded
        && !has_tests
        && is_declared_alike(module)
        && !is_for_older_engine(node)
        && !names_registry
        && !texts.into_iter().any(signs::are_in)
}

/// Whether `required_version` keeps Terraform from reporting what OpenTofu reports: sensitive outputs of a called module
/// in an output, and validations that depend on an operand without effect.
fn is_for_older_engine(node: Node<'_>) -> bool {
    let is_marked = |module: &Module| module.outputs.values().any(|output| output.sensitive.is_some());
    let module = node.module();
    !module.admits_engine()
        && (is_marked(module)
            || module.variables.values().any(|variable| !variable.validations.is_empty())
            || node.child_calls().any(|(_, child)| is_marked(child.module())))
}

/// Whether no declaration has other rules in OpenTofu.
fn is_declared_alike(module: &Module) -> bool {
    // The engines have different rules for the addresses in these.
    module.moved.is_empty()
        && module.removed.is_empty()
        && module.imports.is_empty()
        && module.actions.is_empty()
        && !module.ignores_override_block()
        && module.outputs.values().all(|output| output.constraint.is_none())
        && module.variables.values().all(|variable| variable.constant.is_none())
        && module.calls.values().all(|call| has_literal_address(call))
}

/// Whether both engines know the source of a call without an evaluation.
fn has_literal_address(call: &ModuleCall) -> bool {
    let mut arguments = [&call.address.source, &call.address.version].into_iter().flatten();
    arguments.all(|argument| {
        if let ExprKind::Template(template) = &argument.expr.kind {
            return template.is_literal();
        }
        let mut wrong = Vec::new();
        let value = value::constant(&argument.expr, &mut wrong);
        wrong.is_empty() && value.as_str().is_some()
    })
}

/// Whether the source of a provider or module may name a registry that is the default of only one engine.
fn names_registry(module: &Module, sources: &Sources) -> bool {
    let of_providers = module.required_providers.values().filter_map(|required| required.source.as_ref());
    let of_calls = module.calls.values().filter_map(|call| call.source.as_ref());
    let mut written = of_providers.map(|source| source.span).chain(of_calls.map(|source| source.span));
    written.any(|span| signs::may_name_registry(sources.slice(span)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each difference is either one for which Terraform reports something, one of wording, or one that the functions
    /// above search for. `engine/expressions.rs` lists a few more.
    #[test]
    fn these_are_the_reviewed_differences() {
        let lines = |product| -> BTreeSet<String> {
            let features = Engine::newest(product).features();
            format!("{features:#?}").lines().map(|line| line.trim().to_owned()).collect()
        };
        let [terraform, opentofu] = Product::ALL.map(lines);
        let name =
            |line: &String| line.split(':').next().unwrap_or_default().trim_matches(['"', ',']).to_owned();
        // A value on its own line belongs to the feature above it.
        let is_value = |name: &String| [")", "Label"].contains(&name.as_str());
        let differences: BTreeSet<String> =
            terraform.symmetric_difference(&opentofu).map(name).filter(|name| !is_value(name)).collect();
        let differences: Vec<&str> = differences.iter().map(String::as_str).collect();
        assert_eq!(differences, DIFFERENCES);
    }

    const DIFFERENCES: &[&str] = &[
        "action",
        "action_symbol",
        "address_keywords",
        "backend_and_cloud",
        "blank_deprecated_refused",
        "broken_required_providers_counts",
        "child_cloud_warns",
        "combination_at_all_names",
        "const_excludes_sensitive",
        "destroy",
        "duplicate_backend",
        "duplicate_cloud",
        "duplicate_import_at_header",
        "duplicate_provider_counts_ephemeral",
        "duplicate_run_subject",
        "enabled",
        "encryption",
        "ephemeral_blocks_refused",
        "ephemeral_kind",
        "ephemeral_lifecycle_at_header",
        "ephemeral_root_output",
        "ephemeral_type_name",
        "ignore_nested_deprecations",
        "ignored_object_attribute_warns",
        "import_targets_validated",
        "import_to_managed_only",
        "import_with_both_ids",
        "import_without_id",
        "json_reference",
        "language",
        "language_edition_checked",
        "minor",
        "mock_for_each",
        "mock_source",
        "mock_values_at_load",
        "module_address",
        "module_arguments_at_load",
        "moved_address_checked",
        "oci_source",
        "opentofu-",
        "output_type",
        "override_deprecated_merged",
        "override_destroy_merged",
        "override_ephemeral_merged",
        "override_removed_refused",
        "override_targets_validated",
        "parallel_runs",
        "patch",
        "prevent_destroy_expression",
        "product",
        "provider_for_each",
        "provider_for_each_json",
        "refuses_root_configuration_aliases",
        "registry_host",
        "removed_checked",
        "removed_connection",
        "removed_data_source",
        "removed_lifecycle_once",
        "removed_module_exists",
        "removed_module_key",
        "removed_refused_at_header",
        "removed_resource_exists",
        "removed_resource_key",
        "repeated_by_enabled",
        "repeated_module",
        "required_version",
        "run_backend",
        "run_module_from_anywhere",
        "run_providers_validated",
        "runs_in_order",
        "state_key",
        "state_store_named",
        "static_confidential_refused",
        "test_provider_version_refused",
        "test_variables",
        "tofu_symbol",
        "type_symbols",
        "version_mismatch",
        "version_mismatch_hides_rest",
    ];
}

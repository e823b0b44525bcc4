//! Policy rules: each turns a module in its graph into findings.
//!
//! A rule is a type in its own file, with a page `policies/rules/<rule>.md` and a line in [`ENTRIES`]. Policies make
//! custom rules from the templates in [`TEMPLATES`]. A policy decides whether a rule is on, and at which level.

mod breaking_interface_change;
mod comparison_of_different_types;
mod context;
mod default_fails_validation;
mod depends_on_uncommented;
mod deprecated_syntax;
mod duplicate_key;
mod lock_file_drift;
mod misleading_providers_entry;
mod module_call_cycle;
mod module_depth_with_commit;
mod module_source_escapes_repository;
mod module_source_subdir_order;
mod module_source_unpinned;
mod module_tree_depth;
mod module_version_exact;
mod module_version_missing;
mod moved_target_missing;
mod moved_without_moved_block;
mod no_default_provider;
mod no_upper_bound_in_root;
mod non_preferred_local_name;
mod output_description_missing;
mod override_breaks_block;
mod override_committed;
mod override_count_for_each_clash;
mod override_drops_provider_source;
mod override_duplicate_target;
mod override_empties_provider_block;
mod override_hides_unknown_argument;
mod override_ignored_argument;
mod override_ignored_block;
mod override_near_miss_name;
mod override_overuse;
mod override_replaces_backend;
mod override_replaces_nested_blocks;
mod override_replaces_provider_version;
mod override_replaces_providers_map;
mod override_replaces_provisioners;
mod override_replaces_required_version;
mod override_source_keeps_version;
mod override_stale_optional_default;
mod override_unannounced;
mod override_uncommitted;
pub mod page;
mod prerelease_in_range;
mod provider_block_in_shared_module;
mod provider_block_without_effect;
mod provider_configuration_changed;
mod provider_configuration_swapped;
mod provider_removed_with_resources;
mod provider_source_missing;
mod provider_version_missing;
mod providers_map_incomplete;
mod providers_map_redundant;
mod required_provider_missing;
mod required_version_missing;
mod resource_without_provider;
mod sensitive_default;
mod sensitive_value_in_plain_output;
mod shared_state_address;
mod single_component_pessimistic;
mod support;
mod templates;
mod tofu_twin_drift;
mod undeclared_remote_state_output;
mod unsatisfiable_constraints;
mod unused_configuration_alias;
mod unused_declaration;
mod unused_output;
mod unused_required_provider;
mod upper_bound_in_shared_module;
mod variable_description_missing;
mod variable_type_missing;

pub use context::{Context, Shared};
pub use support::backend_evidence::{BackendEvidence, BackendReplacement};
pub use support::before_change::Earlier;
pub use support::read_outputs::ReadOutputsOfModules;
pub use support::state_addresses::States;
pub use templates::{TEMPLATES, Template};

use crate::finding::{Finding, Page, RuleId, Safety, Severity, page};
use crate::graph::{Node, Role};
use crate::policy::Options;
use crate::vfs::Snapshot;

/// All rules, by name.
pub const ENTRIES: &[Entry] = &[
    Entry::of(&breaking_interface_change::BreakingInterfaceChange),
    Entry::of(&comparison_of_different_types::ComparisonOfDifferentTypes),
    Entry::of(&default_fails_validation::DefaultFailsValidation),
    Entry::of(&depends_on_uncommented::DependsOnUncommented),
    Entry::of(&deprecated_syntax::DeprecatedSyntax),
    Entry::of(&duplicate_key::DuplicateKey),
    Entry::with_options::<lock_file_drift::LockFileDrift>(),
    Entry::of(&misleading_providers_entry::MisleadingProvidersEntry),
    Entry::of(&module_call_cycle::ModuleCallCycle),
    Entry::of(&module_depth_with_commit::ModuleDepthWithCommit),
    Entry::of(&module_source_escapes_repository::ModuleSourceEscapesRepository),
    Entry::of(&module_source_subdir_order::ModuleSourceSubdirOrder),
    Entry::with_options::<module_source_unpinned::ModuleSourceUnpinned>(),
    Entry::with_options::<module_tree_depth::ModuleTreeDepth>(),
    Entry::with_options::<module_version_exact::ModuleVersionExact>(),
    Entry::with_options::<module_version_missing::ModuleVersionMissing>(),
    Entry::with_options::<moved_target_missing::MovedTargetMissing>(),
    Entry::of(&moved_without_moved_block::MovedWithoutMovedBlock),
    Entry::of(&no_default_provider::NoDefaultProvider),
    Entry::of(&no_upper_bound_in_root::NoUpperBoundInRoot),
    Entry::of(&non_preferred_local_name::NonPreferredLocalName),
    Entry::of(&output_description_missing::OutputDescriptionMissing),
    Entry::of(&override_breaks_block::OverrideBreaksBlock),
    Entry::with_options::<override_committed::OverrideCommitted>(),
    Entry::of(&override_count_for_each_clash::OverrideCountForEachClash),
    Entry::of(&override_drops_provider_source::OverrideDropsProviderSource),
    Entry::of(&override_duplicate_target::OverrideDuplicateTarget),
    Entry::of(&override_empties_provider_block::OverrideEmptiesProviderBlock),
    Entry::of(&override_hides_unknown_argument::OverrideHidesUnknownArgument),
    Entry::of(&override_ignored_argument::OverrideIgnoredArgument),
    Entry::of(&override_ignored_block::OverrideIgnoredBlock),
    Entry::of(&override_near_miss_name::OverrideNearMissName),
    Entry::with_options::<override_overuse::OverrideOveruse>(),
    Entry::of(&override_replaces_backend::OverrideReplacesBackend),
    Entry::of(&override_replaces_nested_blocks::OverrideReplacesNestedBlocks),
    Entry::of(&override_replaces_provider_version::OverrideReplacesProviderVersion),
    Entry::of(&override_replaces_providers_map::OverrideReplacesProvidersMap),
    Entry::of(&override_replaces_provisioners::OverrideReplacesProvisioners),
    Entry::of(&override_replaces_required_version::OverrideReplacesRequiredVersion),
    Entry::of(&override_source_keeps_version::OverrideSourceKeepsVersion),
    Entry::of(&override_stale_optional_default::OverrideStaleOptionalDefault),
    Entry::of(&override_unannounced::OverrideUnannounced),
    Entry::of(&override_uncommitted::OverrideUncommitted),
    Entry::of(&prerelease_in_range::PrereleaseInRange),
    Entry::of(&provider_block_in_shared_module::ProviderBlockInSharedModule),
    Entry::of(&provider_block_without_effect::ProviderBlockWithoutEffect),
    Entry::of(&provider_configuration_changed::ProviderConfigurationChanged),
    Entry::of(&provider_configuration_swapped::ProviderConfigurationSwapped),
    Entry::of(&provider_removed_with_resources::ProviderRemovedWithResources),
    Entry::with_options::<provider_source_missing::ProviderSourceMissing>(),
    Entry::of(&provider_version_missing::ProviderVersionMissing),
    Entry::with_options::<providers_map_incomplete::ProvidersMapIncomplete>(),
    Entry::of(&providers_map_redundant::ProvidersMapRedundant),
    Entry::with_options::<required_provider_missing::RequiredProviderMissing>(),
    Entry::of(&required_version_missing::RequiredVersionMissing),
    Entry::of(&resource_without_provider::ResourceWithoutProvider),
    Entry::of(&sensitive_default::SensitiveDefault),
    Entry::of(&sensitive_value_in_plain_output::SensitiveValueInPlainOutput),
    Entry::of(&shared_state_address::SharedStateAddress),
    Entry::of(&single_component_pessimistic::SingleComponentPessimistic),
    Entry::of(&tofu_twin_drift::TofuTwinDrift),
    Entry::of(&undeclared_remote_state_output::UndeclaredRemoteStateOutput),
    Entry::of(&unsatisfiable_constraints::UnsatisfiableConstraints),
    Entry::of(&unused_configuration_alias::UnusedConfigurationAlias),
    Entry::of(&unused_declaration::UnusedDeclaration),
    Entry::of(&unused_output::UnusedOutput),
    Entry::of(&unused_required_provider::UnusedRequiredProvider),
    Entry::of(&upper_bound_in_shared_module::UpperBoundInSharedModule),
    Entry::of(&variable_description_missing::VariableDescriptionMissing),
    Entry::of(&variable_type_missing::VariableTypeMissing),
];

/// The entry of a rule that a policy turns on by its name.
pub fn entry(rule: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.id == rule)
}

/// A rule with its options.
///
/// A rule checks one module at a time, and may use its callers and child modules. It reports nothing about what is
/// unknown: values that are not constant, modules of other repositories, and missing declarations in a module whose
/// files could not all be read ([`Module::complete`](crate::module::Module::complete)).
pub trait Rule: Sized + Send + Sync + 'static {
    /// The page, which has the name of the rule.
    const PAGE: Page;

    /// The name in policies and comments.
    const ID: &'static str = Self::PAGE.rule;

    /// Whether every run over the same modules finds the same. Rules that compare with an earlier state or with git do
    /// not, so an exception that has no effect in one run may have one in another.
    const IS_STEADY: bool = true;

    /// Whether the rule needs to know which dependency lock files a `.gitignore` excludes.
    const ASKS_FOR_EXCLUDED_LOCKS: bool = false;

    /// Whether a finding in a file that several modules load through symbolic links is reported only if all of them
    /// have it, because one module may use what another one does not.
    const ASKS_FOR_ALL_SHARERS: bool = false;

    /// The kinds of fixes that its findings may have. Empty if none has a fix.
    const FIXES: &'static [Safety] = &[];

    /// The rules that may report something new after a fix, because the finding of this rule hid it.
    const REVEALS: &'static [&'static str] = &[];

    /// The roles of the modules that it checks.
    const ROLES: &'static [Role] = &Role::ALL;

    /// Checks a module. A finding without a module belongs to this one, or to the directory of its file if that is not
    /// a module file.
    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>);

    /// Creates a finding of this rule. The policy sets its severity, except that a rule may report a notice.
    fn finding(summary: impl Into<String>) -> Finding {
        Finding::policy(RuleId::built_in(Self::ID), Severity::Warning, summary)
    }
}

/// A rule, or a template of rules, with options of its own.
pub trait Configure: Rule {
    /// The names of its options, sorted. A policy can set only these and the arguments of every rule.
    const OPTIONS: &'static [&'static str];

    /// Reads its options. An error in one of them is a finding at its line.
    fn configure(options: &Options<'_>) -> Result<Self, Finding>;
}

/// The roles of modules that get advice. Examples and tests only get findings about errors.
pub const ADVICE: &[Role] = &[Role::Root, Role::Shared];

/// A configured rule.
pub type Check = Box<dyn Fn(Node<'_>, &Context<'_>, &mut Vec<Finding>) + Send + Sync>;

/// A rule before its options are read.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The name in policies and comments.
    pub id: &'static str,
    /// The page.
    pub page: Page,
    /// See [`Rule::IS_STEADY`].
    pub is_steady: bool,
    /// See [`Rule::ASKS_FOR_EXCLUDED_LOCKS`].
    pub asks_for_excluded_locks: bool,
    /// See [`Rule::ASKS_FOR_ALL_SHARERS`].
    pub asks_for_all_sharers: bool,
    /// The kinds of fixes that its findings may have.
    pub fixes: &'static [Safety],
    /// See [`Rule::REVEALS`].
    pub reveals: &'static [&'static str],
    /// See [`Configure::OPTIONS`]. Empty for a rule without options.
    pub options: &'static [&'static str],
    /// See [`Rule::ROLES`].
    pub roles: &'static [Role],
    configuration: Configuration,
}

/// How an entry becomes a check.
#[derive(Clone, Copy)]
enum Configuration {
    /// The rule has no options.
    Fixed(&'static dyn AnyRule),
    /// The rule reads its options.
    Options(fn(Options<'_>) -> Result<Check, Vec<Finding>>),
}

/// A rule of any type.
trait AnyRule: Send + Sync {
    fn run(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>);
}

impl<R: Rule> AnyRule for R {
    fn run(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        self.check(node, context, findings);
    }
}

/// The findings that only a comparison of all root modules shows. `states` is what the rules recorded.
pub fn across_batches(states: &States, snapshot: &Snapshot) -> Vec<Finding> {
    let shared = shared_state_address::findings(states, snapshot);
    shared.into_iter().chain(undeclared_remote_state_output::findings(states, snapshot)).collect()
}

/// Configures a rule with options. Unknown options are reported before missing ones.
fn configure<R: Configure>(options: Options<'_>) -> Result<Check, Vec<Finding>> {
    let rule = R::configure(&options.known(R::OPTIONS)?).map_err(|finding| vec![finding])?;
    Ok(Box::new(move |node, context, findings| rule.check(node, context, findings)))
}

impl Entry {
    /// Creates the entry of a rule without options.
    const fn of<R: Rule>(rule: &'static R) -> Self {
        Self::new::<R>(&[], Configuration::Fixed(rule))
    }

    /// Creates the entry of a rule with options.
    const fn with_options<R: Configure>() -> Self {
        Self::new::<R>(R::OPTIONS, Configuration::Options(configure::<R>))
    }

    const fn new<R: Rule>(options: &'static [&'static str], configuration: Configuration) -> Self {
        Self {
            id: R::ID,
            page: R::PAGE,
            is_steady: R::IS_STEADY,
            asks_for_excluded_locks: R::ASKS_FOR_EXCLUDED_LOCKS,
            asks_for_all_sharers: R::ASKS_FOR_ALL_SHARERS,
            fixes: R::FIXES,
            reveals: R::REVEALS,
            options,
            roles: R::ROLES,
            configuration,
        }
    }

    /// Configures the rule.
    pub fn configure(&self, options: Options<'_>) -> Result<Check, Vec<Finding>> {
        match self.configuration {
            Configuration::Fixed(rule) => {
                options.known(&[])?;
                Ok(Box::new(move |node, context, findings| rule.run(node, context, findings)))
            }
            Configuration::Options(configure) => configure(options),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::policy::{PRESETS, Policy};

    #[test]
    fn a_rule_with_fixes_reveals_only_rules_that_exist() {
        for rule in ENTRIES.iter().filter(|rule| !rule.reveals.is_empty()) {
            assert!(!rule.fixes.is_empty(), "{}", rule.id);
            assert!(rule.reveals.iter().all(|revealed| entry(revealed).is_some()), "{}", rule.id);
        }
    }

    #[test]
    fn rules_are_listed_by_name_and_each_has_a_file() {
        let names: Vec<&str> = ENTRIES.iter().map(|entry| entry.id).collect();
        assert!(names.is_sorted(), "the list is sorted by name");
        assert_eq!(
            files("src/rules", &["context", "page", "support", "templates"]),
            names,
            "src/rules and the list"
        );
    }

    #[test]
    fn templates_are_listed_by_name_and_each_has_a_file() {
        let names: Vec<&str> = TEMPLATES.iter().map(|template| template.id).collect();
        assert!(names.is_sorted(), "the list is sorted by name");
        assert_eq!(
            files("src/rules/templates", &["argument", "block_kind", "blocks", "grammar", "parts", "reach"]),
            names,
            "the directory and the list"
        );
        for name in names {
            assert!(ENTRIES.iter().all(|entry| entry.id != name), "{name} is a template, not a rule");
        }
    }

    /// The names of the rule files in a directory, without shared helpers.
    fn files(directory: &str, others: &[&str]) -> Vec<String> {
        let files: BTreeSet<String> = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(directory))
            .expect("the directory of rules")
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
            .filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()))
            .filter(|name| !others.contains(&name.as_str()))
            .map(|name| name.replace('_', "-"))
            .collect();
        files.into_iter().collect()
    }

    #[test]
    fn every_rule_is_in_the_strictest_preset_and_none_needs_an_option() {
        let strict = PRESETS.last().expect("presets");
        let policy = Policy::preset(strict.name).expect("a preset");
        for entry in ENTRIES {
            let setting = policy.settings(entry.id).last();
            let setting = setting.unwrap_or_else(|| panic!("{} is in {}", entry.id, strict.file));
            for options in [setting.options(), Options::new(&[])] {
                if let Err(finding) = entry.configure(options) {
                    panic!("{}: {finding:?}", entry.id);
                }
            }
        }
    }
}

//! An engine, turned into everything in which it differs from the others.
//!
//! Terraform 1.15.0 to 1.15.8 lost a few warnings by mistake; they are modelled as 1.15.9, where those came back.
//! Versions of Terraform before 1.0 are modelled as 1.0.

use super::{Engine, Grammar, Product, Summaries};

/// What one engine does differently, looked up once. Each field is a question that some part of the check asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a table of independent answers is no state machine")]
pub struct Features {
    /// The engine itself: its name for sentences, its version for `required_version`.
    pub engine: Engine,
    /// The host of a provider or module address that names none; it decides which providers are the same.
    pub registry_host: &'static str,
    /// Prefixes of the names of repositories, which the name of no provider may have.
    pub provider_prefixes: &'static [&'static str],
    /// Blocks and arguments that the engine knows.
    pub grammar: Grammar,
    /// Summaries that are worded differently.
    pub summaries: Summaries,

    /// Where `required_version` counts.
    pub required_version: RequiredVersion,
    /// A version that is excluded hides every other finding of the directory, syntax errors too.
    pub version_mismatch_hides_rest: bool,
    /// `language` and `experiments` inside a `terraform` block are held to known values; else they are ignored.
    pub language_edition_checked: bool,
    /// A second `required_providers` counts as one even where the first has a syntax error.
    pub broken_required_providers_counts: bool,

    /// When `source` and `version` of a module call are evaluated.
    pub module_address: ModuleAddress,
    /// `version = null` in a module call means none.
    pub module_version_null: bool,
    /// What is sensitive or ephemeral cannot be part of what is evaluated before anything runs.
    pub static_confidential_refused: bool,
    /// Arguments of a module call are held against the variables of a local module while loading.
    pub module_arguments_at_load: bool,
    /// The names that no variable may have, because a module call means something else by them.
    pub reserved_variable_names: &'static [&'static str],

    /// What becomes of an `ephemeral` block in an override file.
    pub override_ephemeral: InOverride,
    /// What becomes of a `removed` block in an override file.
    pub override_removed: RemovedInOverride,
    /// What becomes of `deprecated` of a variable or output in an override file.
    pub override_deprecated: InOverride,
    /// What becomes of `lifecycle { destroy }` in an override file.
    pub override_destroy: InOverride,

    /// Providers are validated also where something else failed, with their types unresolved.
    pub providers_validated_after_errors: bool,
    /// A module with providers of its own is incompatible with `enabled` too.
    pub repeated_by_enabled: bool,
    /// `plan` refuses a root module that lists an alias in `configuration_aliases`.
    pub refuses_root_configuration_aliases: bool,
    /// `Duplicate required provider` looks at ephemeral resources too.
    pub duplicate_provider_counts_ephemeral: bool,
    /// A `backend` block in a called module is warned about.
    pub child_backend_warns: bool,
    /// A `cloud` block in a called module is warned about.
    pub child_cloud_warns: bool,
    /// What an `import` block in a called module is.
    pub child_import: ChildImport,

    /// Where `Invalid combination of "count" and "for_each"` points.
    pub combination_subject: CombinationSubject,
    /// Where `Duplicate import configuration` points.
    pub duplicate_import_subject: ImportSubject,
    /// Where a lifecycle argument that an ephemeral resource does not have is pointed at.
    pub ephemeral_lifecycle_subject: LifecycleSubject,

    /// An ephemeral resource refuses `connection` and `provisioner`; else they are the provider's.
    pub ephemeral_blocks_refused: bool,
    /// A second `lifecycle` in a `removed` block is an error.
    pub removed_lifecycle_once: bool,
    /// A `removed` block is checked for `destroy`, provisioners and the kind of what it removes.
    pub removed_checked: bool,
    /// `moved` refuses ephemeral addresses under a summary of its own.
    pub moved_address_checked: bool,
    /// What is imported is held against the resources that are there when a module is validated. Terraform did so first
    /// in some version before 1.11.
    pub import_targets_validated: bool,
    /// `import.to` may only name a managed resource.
    pub import_to_managed_only: bool,
    /// A blank `deprecated` is an error.
    pub blank_deprecated_refused: bool,
    /// A `const` variable can be neither sensitive nor ephemeral.
    pub const_excludes_sensitive: bool,
    /// An attribute of a default that the object type of its variable lacks is warned about.
    pub ignored_object_attribute_warns: bool,
    /// A condition of a variable may refer to other objects than the variable.
    pub validation_refers_to_others: bool,

    /// Where a second `run` block of one name is pointed at; none where names may repeat.
    pub duplicate_run_subject: Option<RunSubject>,
    /// The values of mocks and overrides in tests are evaluated by the loader, so they must be constant.
    pub mock_values_at_load: bool,
    /// The module of a `run` may come from any source.
    pub run_module_from_anywhere: bool,
    /// A `provider` block in a test file cannot have a `version`.
    pub test_provider_version_refused: bool,
    /// A provider that a `run` names and its file does not define is reported when tests are validated.
    pub run_providers_validated: bool,
    /// Targets of overrides in tests that do not exist are warned about.
    pub override_targets_validated: bool,
    /// The runs of a test file run in the order in which they stand there, whatever they refer to.
    pub runs_in_order: bool,
}

/// Where a second `run` block of one name is pointed at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunSubject {
    /// At the header of the block.
    Header,
    /// At its label.
    Label,
}

/// Where `required_version` counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequiredVersion {
    /// In every file; an override file replaces what came before.
    EveryFile,
    /// In `.tofu` files alone, each for itself; elsewhere not even its syntax is looked at.
    TofuFiles,
}

/// When the `source` and `version` of a module call are evaluated, and with what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModuleAddress {
    /// Literals only, block by block, before override files are merged.
    LiteralPerBlock,
    /// Constant variables, locals and `path`, once the call is merged.
    ConstAfterMerge,
    /// Any variable, local, `path` and `terraform.workspace`, once the call is merged.
    StaticAfterMerge,
}

/// What becomes of a part of an override file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InOverride {
    /// Read, then dropped without a word.
    Ignored,
    /// Merged into its base.
    Merged,
}

/// What becomes of a `removed` block in an override file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemovedInOverride {
    /// Dropped without a word.
    Ignored,
    /// `Cannot override 'Removed' blocks`.
    Error,
}

/// What an `import` block in a called module is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildImport {
    /// An error.
    Error,
    /// Fine.
    Allowed,
}

/// Where `Invalid combination of …` points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CombinationSubject {
    /// At the name `for_each`.
    ForEach,
    /// From the first of the names to the last.
    FirstToLast,
}

/// Where a second `import` of one address is pointed at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportSubject {
    /// At the expression of `to`.
    To,
    /// At the header of the block.
    Header,
}

/// Where a wrong lifecycle argument of an ephemeral resource is pointed at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LifecycleSubject {
    /// At the argument.
    Argument,
    /// At the header of the `lifecycle` block.
    Header,
}

const RESERVED: &[&str] = &[
    "source",
    "version",
    "count",
    "for_each",
    "depends_on",
    "providers",
    "_",
    "lifecycle",
    "locals",
    "provider",
];

const RESERVED_FROM_1_15: &[&str] = &[
    "source",
    "version",
    "count",
    "for_each",
    "depends_on",
    "providers",
    "ignore_nested_deprecations",
    "_",
    "lifecycle",
    "locals",
    "provider",
];

impl Features {
    /// Looks everything up.
    pub(super) fn of(engine: Engine) -> Self {
        let tofu = engine.product == Product::OpenTofu;
        let (t, o) = (|minor| engine.terraform(minor), |minor| engine.opentofu(minor));
        Self {
            engine,
            registry_host: engine.registry_host(),
            provider_prefixes: if o(11) { &["terraform-", "opentofu-"] } else { &["terraform-"] },
            grammar: Grammar::of(engine),
            summaries: Summaries::of(engine),

            required_version: if o(12) { RequiredVersion::TofuFiles } else { RequiredVersion::EveryFile },
            version_mismatch_hides_rest: o(12),
            language_edition_checked: !o(12),
            broken_required_providers_counts: o(10)
                || (tofu && in_minor(engine, 8, 9))
                || (tofu && in_minor(engine, 9, 1)),

            module_address: if o(8) {
                ModuleAddress::StaticAfterMerge
            } else if t(15) {
                ModuleAddress::ConstAfterMerge
            } else {
                ModuleAddress::LiteralPerBlock
            },
            module_version_null: o(10) || t(15),
            static_confidential_refused: o(9),
            module_arguments_at_load: t(15),
            reserved_variable_names: if t(15) { RESERVED_FROM_1_15 } else { RESERVED },

            override_ephemeral: if tofu { InOverride::Merged } else { InOverride::Ignored },
            override_removed: if tofu { RemovedInOverride::Error } else { RemovedInOverride::Ignored },
            override_deprecated: if tofu { InOverride::Merged } else { InOverride::Ignored },
            override_destroy: if tofu { InOverride::Merged } else { InOverride::Ignored },

            providers_validated_after_errors: !(t(15) || o(12)),
            repeated_by_enabled: engine.since(Product::OpenTofu, 1, 11, 4),
            refuses_root_configuration_aliases: t(7),
            duplicate_provider_counts_ephemeral: o(11),
            child_backend_warns: true,
            child_cloud_warns: t(13),
            child_import: if t(16) { ChildImport::Allowed } else { ChildImport::Error },

            combination_subject: if o(11) {
                CombinationSubject::FirstToLast
            } else {
                CombinationSubject::ForEach
            },
            duplicate_import_subject: if tofu { ImportSubject::Header } else { ImportSubject::To },
            ephemeral_lifecycle_subject: if tofu {
                LifecycleSubject::Header
            } else {
                LifecycleSubject::Argument
            },

            ephemeral_blocks_refused: tofu,
            removed_lifecycle_once: tofu,
            removed_checked: o(10),
            moved_address_checked: o(11),
            import_targets_validated: t(11),
            import_to_managed_only: !tofu,
            blank_deprecated_refused: tofu,
            const_excludes_sensitive: !tofu,
            ignored_object_attribute_warns: o(11),
            validation_refers_to_others: t(9) || o(9),

            duplicate_run_subject: if tofu {
                None
            } else if t(14) {
                Some(RunSubject::Label)
            } else {
                Some(RunSubject::Header)
            },
            mock_values_at_load: !t(15),
            run_module_from_anywhere: o(10),
            test_provider_version_refused: t(9),
            run_providers_validated: t(12),
            override_targets_validated: t(11),
            runs_in_order: !t(13),
        }
    }
}

/// Whether `engine` is 1.`minor`.`patch` or a later patch of the same minor version.
fn in_minor(engine: Engine, minor: u16, patch: u16) -> bool {
    engine.version.major == 1 && engine.version.minor == minor && engine.version.patch >= patch
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Choice;

    fn features(word: &str) -> Features {
        Choice::parse(word).expect("an engine").engines()[0].features()
    }

    #[test]
    fn a_module_address_is_evaluated_later_in_later_versions() {
        let at = |word| features(word).module_address;
        assert_eq!(at("terraform@1.14"), ModuleAddress::LiteralPerBlock);
        assert_eq!(at("terraform@1.15"), ModuleAddress::ConstAfterMerge);
        assert_eq!(at("opentofu@1.7"), ModuleAddress::LiteralPerBlock);
        assert_eq!(at("opentofu@1.8"), ModuleAddress::StaticAfterMerge);
    }

    #[test]
    fn a_version_of_one_product_says_nothing_about_the_other() {
        assert_eq!(features("opentofu@1.11").required_version, RequiredVersion::EveryFile);
        assert_eq!(features("opentofu@1.12").required_version, RequiredVersion::TofuFiles);
        assert_eq!(features("terraform@1.15").required_version, RequiredVersion::EveryFile);
    }

    #[test]
    fn a_mend_counts_from_the_patch_it_came_with() {
        let counts = |word| features(word).broken_required_providers_counts;
        assert!(!counts("opentofu@1.8.8") && counts("opentofu@1.8.9"));
        assert!(!counts("opentofu@1.9.0") && counts("opentofu@1.9.1"));
        assert!(counts("opentofu@1.10.0") && !counts("terraform@1.9.8"));
    }
}

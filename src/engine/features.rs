//! All features in which engines differ.
//!
//! Terraform 1.15.0 to 1.15.8 lost a few warnings by mistake. They are modelled as 1.15.9, which has them again.
//! Terraform before 1.0 is modelled as 1.0.

use super::{Engine, Grammar, Product, Summaries};

by_version! { |engine, tofu, t, o|
    /// The features of one engine, computed once.
    pub struct Features;

    /// The engine, for its name in messages and its version for `required_version`.
    pub engine: Engine = engine;
    /// The default registry host of provider and module addresses, which decides whether two providers are the same.
    pub registry_host: &'static str = engine.registry_host();
    /// Prefixes of repository names that a provider name must not have.
    pub provider_prefixes: &'static [&'static str] = if o(11) { &["terraform-", "opentofu-"] } else { &["terraform-"] };
    /// There is a built-in provider `test`, for tests in the form that came before test files.
    pub has_test_provider: bool = !tofu && !t(6);
    /// The supported blocks and arguments.
    pub grammar: Grammar = Grammar::of(engine);
    /// Summaries with different words.
    pub summaries: Summaries = Summaries::of(engine);

    /// The files in which `required_version` applies.
    pub required_version: RequiredVersion = if o(12) { RequiredVersion::TofuFiles } else { RequiredVersion::EveryFile };
    /// An excluded version hides all other findings of the directory, including syntax errors.
    pub version_mismatch_hides_rest: bool = o(12);
    /// `language` and `experiments` in a `terraform` block must have known values. Otherwise they are ignored.
    pub language_edition_checked: bool = !o(12);
    /// Optional attributes of object types are an experiment, which a module switches on.
    pub optional_attributes_experimental: bool = !tofu && !t(3);
    /// A second `required_providers` block is an error even if the first has a syntax error.
    pub broken_required_providers_counts: bool =
        o(10) || (tofu && in_minor(engine, 8, 9)) || (tofu && in_minor(engine, 9, 1));

    /// The time at which `source` and `version` of a module call are evaluated.
    pub module_address: ModuleAddress = if o(8) {
        ModuleAddress::StaticAfterMerge
    } else if t(15) {
        ModuleAddress::ConstAfterMerge
    } else {
        ModuleAddress::LiteralPerBlock
    };
    /// `version = null` in a module call is the same as no version.
    pub module_version_null: bool = o(10) || t(16) || (!tofu && in_minor(engine, 15, 5));
    /// Sensitive and ephemeral values are errors in expressions that are evaluated during loading.
    pub static_confidential_refused: bool = o(9);
    /// Arguments of a module call are checked against the variables of a local module during loading.
    pub module_arguments_at_load: bool = t(15);
    /// The names of `run` blocks are checked. Terraform 1.6 and OpenTofu 1.6 accept any text.
    pub run_names_checked: bool = t(7) || o(7);
    /// Names that a variable cannot have, because they are arguments of module calls.
    pub reserved_variable_names: &'static [&'static str] = if t(15) { RESERVED } else { &RESERVED[1..] };

    /// An `ephemeral` block in an override file is merged into its base. Otherwise it is ignored.
    pub override_ephemeral_merged: bool = tofu;
    /// A `removed` block in an override file is an error. Otherwise it is ignored.
    pub override_removed_refused: bool = tofu;
    /// `deprecated` of a variable or output in an override file is merged. Otherwise it is ignored.
    pub override_deprecated_merged: bool = tofu;
    /// `lifecycle { destroy }` in an override file is merged. Otherwise it is ignored.
    pub override_destroy_merged: bool = tofu;

    /// Providers are validated even after other errors, with unresolved types.
    pub providers_validated_after_errors: bool = !(t(15) || o(12));
    /// A module with its own provider configurations is incompatible with `enabled` too.
    pub repeated_by_enabled: bool = engine.since(Product::OpenTofu, 1, 11, 4);
    /// `plan` refuses a root module with `configuration_aliases`.
    pub refuses_root_configuration_aliases: bool = t(7);
    /// `Duplicate required provider` also checks ephemeral resources.
    pub duplicate_provider_counts_ephemeral: bool = o(11);
    /// A `cloud` block in a child module produces a warning.
    pub child_cloud_warns: bool = t(13);
    /// An `import` block in a child module is an error.
    pub child_import_refused: bool = !t(16);

    /// `Invalid combination of "count" and "for_each"` is reported from the first name to the last. Otherwise it is
    /// reported at `for_each`.
    pub combination_at_all_names: bool = o(11);
    /// `Duplicate import configuration` is reported at the header of the block. Otherwise it is reported at `to`.
    pub duplicate_import_at_header: bool = tofu;
    /// A lifecycle argument that an ephemeral resource does not have is reported at the header of the `lifecycle` block.
    /// Otherwise it is reported at the argument.
    pub ephemeral_lifecycle_at_header: bool = tofu;

    /// `connection` and `provisioner` are errors in an ephemeral resource. Otherwise they belong to the provider's
    /// schema.
    pub ephemeral_blocks_refused: bool = tofu;
    /// A second `lifecycle` block in a `removed` block is an error.
    pub removed_lifecycle_once: bool = tofu;
    /// An object that a `removed` block names although it is declared is an error of that block, not of the declaration.
    pub removed_refused_at_header: bool = tofu;
    /// `destroy`, provisioners and the kind of the object are checked in a `removed` block.
    pub removed_checked: bool = o(10);
    /// `moved` refuses ephemeral addresses with a summary of its own.
    pub moved_address_checked: bool = o(11);
    /// Validation checks that the target of an `import` block exists. Terraform has done so since a version before
    /// 1.11.
    pub import_targets_validated: bool = t(11);
    /// `import.to` must be a managed resource.
    pub import_to_managed_only: bool = !tofu;
    /// An empty `deprecated` is an error.
    pub blank_deprecated_refused: bool = tofu;
    /// A `const` variable cannot be sensitive or ephemeral.
    pub const_excludes_sensitive: bool = !tofu;
    /// An attribute of a default that the object type of its variable lacks produces a warning.
    pub ignored_object_attribute_warns: bool = o(11);
    /// A condition of a variable may refer to objects other than the variable.
    pub validation_refers_to_others: bool = t(9) || o(9);

    /// The range of the error for a second `run` block with the same name. `None` if that is allowed.
    pub duplicate_run_subject: Option<RunSubject> = if tofu {
        None
    } else if t(14) {
        Some(RunSubject::Label)
    } else {
        Some(RunSubject::Header)
    };
    /// Values of mocks and overrides in tests are evaluated during loading, so they must be constant.
    pub mock_values_at_load: bool = !t(15);
    /// The module of a `run` may have any source.
    pub run_module_from_anywhere: bool = o(10);
    /// A `provider` block in a test file cannot have a `version`.
    pub test_provider_version_refused: bool = t(9);
    /// Validation of tests reports a provider in a `run` that the file does not define.
    pub run_providers_validated: bool = t(12);
    /// Overrides of missing targets in tests produce a warning.
    pub override_targets_validated: bool = t(11);
    /// The runs of a test file always run in the order of the file.
    pub runs_in_order: bool = !t(13);
}

/// The range of the error for a second `run` block with the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunSubject {
    /// The header of the block.
    Header,
    /// Its label.
    Label,
}

/// The files in which `required_version` applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequiredVersion {
    /// All files. An override file replaces earlier values.
    EveryFile,
    /// Only `.tofu` files, each by itself. In other files, not even its syntax is checked.
    TofuFiles,
}

/// The time at which `source` and `version` of a module call are evaluated, and what they can refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModuleAddress {
    /// Before override files are merged: literals only.
    LiteralPerBlock,
    /// After override files are merged: constant variables, locals and `path`.
    ConstAfterMerge,
    /// After override files are merged: any variable, local, `path` and `terraform.workspace`.
    StaticAfterMerge,
}

/// The first name came with Terraform 1.15.
const RESERVED: &[&str] = &[
    "ignore_nested_deprecations",
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

/// Whether `engine` is 1.`minor`.`patch` or a later patch of the same minor version.
fn in_minor(engine: Engine, minor: u16, patch: u16) -> bool {
    engine.version.major == 1 && engine.version.minor == minor && engine.version.patch >= patch
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Choice;

    fn features(word: &str) -> Features {
        *Choice::parse(word).expect("an engine").engines()[0].features()
    }

    #[test]
    fn names_of_run_blocks_are_checked_from_1_7_on() {
        for product in ["terraform", "opentofu"] {
            assert!(!features(&format!("{product}@1.6")).run_names_checked);
            assert!(features(&format!("{product}@1.7")).run_names_checked);
        }
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
    fn versions_of_the_two_products_are_independent() {
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
        let null = |word| features(word).module_version_null;
        assert!(!null("terraform@1.15.4") && null("terraform@1.15.5"));
        assert!(!null("opentofu@1.9.1") && null("opentofu@1.10.0"));
    }
}

//! The blocks, arguments and symbols that an engine supports.

use super::{Engine, Product};

/// The language of one engine. Anything else is an unsupported block or argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a table of independent answers is no state machine")]
pub struct Grammar {
    /// `moved` blocks.
    pub moved: bool,
    /// `nullable` of a variable.
    pub nullable: bool,
    /// `cloud` in a `terraform` block.
    pub cloud: bool,
    /// `precondition` and `postcondition`.
    pub conditions: bool,
    /// `replace_triggered_by` in a `lifecycle` block.
    pub replace_triggered_by: bool,
    /// `optional(…)` in an object type.
    pub optional_attributes: bool,
    /// `check` blocks.
    pub check: bool,
    /// `import` blocks.
    pub import: bool,
    /// `for_each` of an `import` block, and expressions in the keys of its `to`.
    pub import_for_each: bool,
    /// `identity` of an `import` block.
    pub import_identity: bool,
    /// `removed` blocks.
    pub removed: bool,
    /// `lifecycle` in a `removed` block.
    pub removed_lifecycle: bool,
    /// `provisioner` in a `removed` block.
    pub removed_provisioner: bool,
    /// `connection` in a `removed` block.
    pub removed_connection: bool,
    /// `ephemeral` blocks, and `ephemeral` of a variable or output.
    pub ephemeral: bool,
    /// `deprecated` of a variable or output.
    pub deprecated: bool,
    /// `const` of a variable.
    pub const_variable: bool,
    /// `type` of an output.
    pub output_type: bool,
    /// `ignore_nested_deprecations` of a module call.
    pub ignore_nested_deprecations: bool,
    /// `enabled` in the `lifecycle` of a resource or module call.
    pub enabled: bool,
    /// `prevent_destroy` as an expression instead of `true` or `false`.
    pub prevent_destroy_expression: bool,
    /// `destroy` in the `lifecycle` of a resource.
    pub destroy: bool,
    /// `for_each` of a provider configuration, and references with keys to one.
    pub provider_for_each: bool,
    /// `for_each` of a provider configuration in JSON.
    pub provider_for_each_json: bool,
    /// `encryption` in a `terraform` block.
    pub encryption: bool,
    /// `language` blocks.
    pub language: bool,
    /// `action` blocks, and `action_trigger` in a `lifecycle` block.
    pub action: bool,
    /// An `action` block is accepted and ignored, as in one version of Terraform.
    pub action_dropped: bool,
    /// `state_store` in a `terraform` block is refused with words of its own.
    pub state_store_named: bool,
    /// `oci:` module sources.
    pub oci_source: bool,
    /// The symbol `tofu`, another name of `terraform`.
    pub tofu_symbol: bool,
    /// The symbols `action` and `list`, which do not name resource types.
    pub action_symbol: bool,
    /// The words `string`, `number`, `bool` and `any` are types, not references.
    pub type_symbols: bool,
    /// An address may start with `resource.`, and the first words of references are not resource types.
    pub address_keywords: bool,
    /// `terraform.applying`.
    pub applying: bool,
    /// `provider::name::function()`.
    pub provider_functions: bool,
    /// An underscore in the namespace of a provider address.
    pub underscore_in_namespace: bool,
    /// Test files.
    pub tests: bool,
    /// `mock_provider` and `override_*` blocks in test files.
    pub mocks: bool,
    /// `source` of a `mock_provider`.
    pub mock_source: bool,
    /// `for_each` of a `mock_provider`.
    pub mock_for_each: bool,
    /// `state_key` of a `run`, and `override_during`.
    pub state_key: bool,
    /// A `test` block in a test file, and `parallel` of a `run`.
    pub parallel_runs: bool,
    /// `variable` blocks in test files.
    pub test_variables: bool,
    /// `backend` and `skip_cleanup` in a `run`, which are known but refused.
    pub run_backend: bool,
}

impl Grammar {
    /// Computes the grammar of an engine.
    pub(super) fn of(engine: Engine) -> Self {
        let tofu = engine.product == Product::OpenTofu;
        let (t, o) = (|minor| engine.terraform(minor), |minor| engine.opentofu(minor));
        Self {
            moved: tofu || t(1),
            nullable: tofu || t(1),
            cloud: tofu || t(1),
            conditions: tofu || t(2),
            replace_triggered_by: tofu || t(2),
            optional_attributes: tofu || t(3),
            check: tofu || t(5),
            import: tofu || t(5),
            import_for_each: o(7) || t(7),
            import_identity: o(12) || t(12),
            removed: o(7) || t(7),
            removed_lifecycle: o(10) || t(7),
            removed_provisioner: o(10) || t(9),
            removed_connection: t(9),
            ephemeral: o(11) || t(10),
            deprecated: o(10) || t(15),
            const_variable: o(12) || t(15),
            output_type: t(15),
            ignore_nested_deprecations: t(15),
            enabled: o(11),
            prevent_destroy_expression: o(12),
            destroy: o(12) || t(16),
            provider_for_each: o(9),
            provider_for_each_json: o(11),
            encryption: o(7),
            language: o(12),
            action: t(14),
            action_dropped: t(13) && !t(14),
            state_store_named: t(13),
            oci_source: o(10),
            tofu_symbol: o(9),
            action_symbol: t(13),
            type_symbols: t(15),
            address_keywords: t(10),
            applying: o(11) || t(10),
            provider_functions: o(7) || t(8),
            underscore_in_namespace: t(16),
            tests: o(6) || t(6),
            mocks: o(8) || t(7),
            mock_source: t(7),
            mock_for_each: o(11),
            state_key: t(11),
            parallel_runs: t(12),
            test_variables: t(13),
            run_backend: t(14),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::{Choice, Grammar};

    fn grammar(word: &str) -> Grammar {
        Choice::parse(word).expect("an engine").engines()[0].features().grammar
    }

    #[test]
    fn a_block_is_known_from_the_version_it_came_with() {
        assert!(!grammar("terraform@1.4").check && grammar("terraform@1.5").check);
        assert!(!grammar("terraform@1.9").ephemeral && grammar("terraform@1.10").ephemeral);
        assert!(!grammar("opentofu@1.10").ephemeral && grammar("opentofu@1.11").ephemeral);
    }

    #[test]
    fn an_action_was_dropped_by_one_version_only() {
        let dropped = |word| grammar(word).action_dropped;
        assert!(!dropped("terraform@1.12") && dropped("terraform@1.13") && !dropped("terraform@1.14"));
        assert!(!dropped("opentofu"));
    }
}

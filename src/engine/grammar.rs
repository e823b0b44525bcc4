//! The blocks, arguments and symbols that an engine supports.

use super::{Engine, Product};

by_version! { |engine, tofu, t, o|
    /// The language of one engine. Anything else is an unsupported block or argument.
    pub struct Grammar;

    /// `moved` blocks.
    pub moved: bool = tofu || t(1);
    /// `nullable` of a variable.
    pub nullable: bool = tofu || t(1);
    /// `cloud` in a `terraform` block.
    pub cloud: bool = tofu || t(1);
    /// `precondition` and `postcondition`.
    pub conditions: bool = tofu || t(2);
    /// `replace_triggered_by` in a `lifecycle` block.
    pub replace_triggered_by: bool = tofu || t(2);
    /// `optional(…)` in an object type.
    pub optional_attributes: bool = tofu || t(3);
    /// `check` blocks.
    pub check: bool = tofu || t(5);
    /// `import` blocks.
    pub import: bool = tofu || t(5);
    /// `for_each` of an `import` block, and expressions in the keys of its `to`.
    pub import_for_each: bool = o(7) || t(7);
    /// `identity` of an `import` block.
    pub import_identity: bool = o(12) || t(12);
    /// `removed` blocks.
    pub removed: bool = o(7) || t(7);
    /// `lifecycle` in a `removed` block.
    pub removed_lifecycle: bool = o(10) || t(7);
    /// `provisioner` in a `removed` block.
    pub removed_provisioner: bool = o(10) || t(9);
    /// `connection` in a `removed` block.
    pub removed_connection: bool = t(9);
    /// `ephemeral` blocks, and `ephemeral` of a variable or output.
    pub ephemeral: bool = o(11) || t(10);
    /// `deprecated` of a variable or output.
    pub deprecated: bool = o(10) || t(15);
    /// `const` of a variable.
    pub const_variable: bool = o(12) || t(15);
    /// `type` of an output.
    pub output_type: bool = t(15);
    /// `ignore_nested_deprecations` of a module call.
    pub ignore_nested_deprecations: bool = t(15);
    /// `enabled` in the `lifecycle` of a resource or module call.
    pub enabled: bool = o(11);
    /// `prevent_destroy` as an expression instead of `true` or `false`.
    pub prevent_destroy_expression: bool = o(12);
    /// `destroy` in the `lifecycle` of a resource.
    pub destroy: bool = o(12) || t(16);
    /// `for_each` of a provider configuration, and references with keys to one.
    pub provider_for_each: bool = o(9);
    /// `for_each` of a provider configuration in JSON.
    pub provider_for_each_json: bool = o(11);
    /// `encryption` in a `terraform` block.
    pub encryption: bool = o(7);
    /// `language` blocks.
    pub language: bool = o(12);
    /// `action` blocks, and `action_trigger` in a `lifecycle` block.
    pub action: bool = t(14);
    /// An `action` block is accepted and ignored, as in one version of Terraform.
    pub action_dropped: bool = t(13) && !t(14);
    /// `state_store` in a `terraform` block is refused with words of its own.
    pub state_store_named: bool = t(13);
    /// `oci:` module sources.
    pub oci_source: bool = o(10);
    /// The symbol `tofu`, another name of `terraform`.
    pub tofu_symbol: bool = o(9);
    /// The symbols `action` and `list`, which do not name resource types.
    pub action_symbol: bool = t(13);
    /// The words `string`, `number`, `bool` and `any` are types, not references.
    pub type_symbols: bool = t(15);
    /// An address may start with `resource.`, and the first words of references are not resource types.
    pub address_keywords: bool = t(10);
    /// `terraform.applying`.
    pub applying: bool = o(11) || t(10);
    /// `provider::name::function()`.
    pub provider_functions: bool = o(7) || t(8);
    /// An underscore in the namespace of a provider address.
    pub underscore_in_namespace: bool = t(16);
    /// Test files.
    pub tests: bool = o(6) || t(6);
    /// `mock_provider` and `override_*` blocks in test files.
    pub mocks: bool = o(8) || t(7);
    /// `source` of a `mock_provider`.
    pub mock_source: bool = t(7);
    /// `for_each` of a `mock_provider`.
    pub mock_for_each: bool = o(11);
    /// `state_key` of a `run`, and `override_during`.
    pub state_key: bool = t(11);
    /// A `test` block in a test file, and `parallel` of a `run`.
    pub parallel_runs: bool = t(12);
    /// `variable` blocks in test files.
    pub test_variables: bool = t(13);
    /// `backend` and `skip_cleanup` in a `run`, which are known but refused.
    pub run_backend: bool = t(14);
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

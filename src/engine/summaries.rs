//! Summaries that differ between engines.

use super::{Engine, Product};

by_version! { |engine, tofu, t, o|
    /// The exact summaries.
    pub struct Summaries;

    /// `required_version` excludes this engine.
    pub version_mismatch: &'static str = if o(12) {
        "Incompatible module"
    } else if tofu {
        "Unsupported OpenTofu Core version"
    } else {
        "Unsupported Terraform Core version"
    };
    /// Two `backend` blocks in primary files.
    pub duplicate_backend: &'static str =
        if t(13) { "Duplicate 'backend' configuration block" } else { "Duplicate backend configuration" };
    /// Two `cloud` blocks in primary files.
    pub duplicate_cloud: &'static str = if tofu {
        "Duplicate cloud configurations"
    } else if says_hcp(engine) {
        "Duplicate HCP Terraform configurations"
    } else {
        "Duplicate Terraform Cloud configurations"
    };
    /// A `backend` and a `cloud` block in primary files.
    pub backend_and_cloud: &'static str = if tofu {
        "Both a backend and a cloud configuration are present"
    } else if t(13) {
        "Conflicting 'cloud' and 'backend' configuration blocks are present"
    } else if says_hcp(engine) {
        "Both a backend and cloud configuration are present"
    } else {
        "Both a backend and Terraform Cloud configuration are present"
    };
    /// The words before the quoted type in `Duplicate … "type" configuration` for ephemeral resources.
    pub ephemeral_kind: &'static str = if tofu { "ephemeral resource" } else { "ephemeral" };
    /// The type of an ephemeral resource is not an identifier.
    pub ephemeral_type_name: &'static str =
        if tofu { "Invalid ephemeral resource type name" } else { "Invalid ephemeral resource type" };
    /// `removed.from` names a data source.
    pub removed_data_source: &'static str =
        if tofu { "Data source address is not allowed" } else { "Data source address not allowed" };
    /// `removed.from` names an instance of a resource.
    pub removed_resource_key: &'static str =
        if tofu { "Resource instance address with keys is not allowed" } else { "Resource instance keys not allowed" };
    /// `removed.from` contains an instance of a module.
    pub removed_module_key: &'static str =
        if tofu { "Module instance address with keys is not allowed" } else { "Module instance keys not allowed" };
    /// `removed.from` names a resource that is still declared.
    pub removed_resource_exists: &'static str =
        if tofu { "Removed resource block still exists" } else { "Removed resource still exists" };
    /// `removed.from` names a module that is still called.
    pub removed_module_exists: &'static str =
        if tofu { "Removed module block still exists" } else { "Removed module still exists" };
    /// An `import` block without `id` and `identity`.
    pub import_without_id: &'static str = if o(12) {
        "Missing required import argument"
    } else if t(12) {
        "Invalid import block"
    } else {
        "Missing required argument"
    };
    /// An `import` block with `id` and `identity`.
    pub import_with_both_ids: &'static str =
        if tofu { "Conflicting import arguments" } else { "Invalid import block" };
    /// An ephemeral output of a root module.
    pub ephemeral_root_output: &'static str =
        if tofu { "Invalid output configuration" } else { "Ephemeral output not allowed" };
    /// A value in JSON that is not a string, where a reference is required.
    pub json_reference: &'static str =
        if o(11) { "Expected string expression" } else { "Invalid reference expression" };
    /// A module with its own provider configurations is called with `count`, `for_each` or `depends_on`.
    pub repeated_module: &'static str = if engine.since(Product::OpenTofu, 1, 11, 4) {
        "Module is incompatible with count, for_each, enabled and depends_on"
    } else {
        "Module is incompatible with count, for_each, and depends_on"
    };
}

/// Whether Terraform calls the service HCP Terraform instead of Terraform Cloud.
fn says_hcp(engine: Engine) -> bool {
    engine.since(Product::Terraform, 1, 8, 2)
}

#[cfg(test)]
mod tests {
    use crate::engine::Choice;

    #[test]
    fn a_summary_is_the_one_of_its_version() {
        let both = |word| {
            Choice::parse(word).expect("an engine").engines()[0].features().summaries.backend_and_cloud
        };
        assert_eq!(both("terraform@1.8.1"), "Both a backend and Terraform Cloud configuration are present");
        assert_eq!(both("terraform@1.8.2"), "Both a backend and cloud configuration are present");
        assert_eq!(
            both("terraform@1.13"),
            "Conflicting 'cloud' and 'backend' configuration blocks are present"
        );
        assert_eq!(both("opentofu"), "Both a backend and a cloud configuration are present");
    }
}

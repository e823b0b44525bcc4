//! Summaries that differ between engines.

use super::{Engine, Product};

/// The exact summaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summaries {
    /// `required_version` excludes this engine.
    pub version_mismatch: &'static str,
    /// Two `backend` blocks in primary files.
    pub duplicate_backend: &'static str,
    /// Two `cloud` blocks in primary files.
    pub duplicate_cloud: &'static str,
    /// A `backend` and a `cloud` block in primary files.
    pub backend_and_cloud: &'static str,
    /// The words before the quoted type in `Duplicate … "type" configuration` for ephemeral resources.
    pub ephemeral_kind: &'static str,
    /// The type of an ephemeral resource is not an identifier.
    pub ephemeral_type_name: &'static str,
    /// `removed.from` names a data source.
    pub removed_data_source: &'static str,
    /// `removed.from` names an instance of a resource.
    pub removed_resource_key: &'static str,
    /// `removed.from` contains an instance of a module.
    pub removed_module_key: &'static str,
    /// An `import` block without `id` and `identity`.
    pub import_without_id: &'static str,
    /// An `import` block with `id` and `identity`.
    pub import_with_both_ids: &'static str,
    /// An ephemeral output of a root module.
    pub ephemeral_root_output: &'static str,
    /// A value in JSON that is not a string, where a reference is required.
    pub json_reference: &'static str,
    /// A module with its own provider configurations is called with `count`, `for_each` or `depends_on`.
    pub repeated_module: &'static str,
}

impl Summaries {
    /// Computes the summaries of an engine.
    pub(super) fn of(engine: Engine) -> Self {
        match engine.product {
            Product::Terraform => terraform(engine),
            Product::OpenTofu => opentofu(engine),
        }
    }
}

fn terraform(engine: Engine) -> Summaries {
    let before_hcp = !engine.since(Product::Terraform, 1, 8, 2);
    Summaries {
        version_mismatch: "Unsupported Terraform Core version",
        duplicate_backend: if engine.terraform(13) {
            "Duplicate 'backend' configuration block"
        } else {
            "Duplicate backend configuration"
        },
        duplicate_cloud: if before_hcp {
            "Duplicate Terraform Cloud configurations"
        } else {
            "Duplicate HCP Terraform configurations"
        },
        backend_and_cloud: if before_hcp {
            "Both a backend and Terraform Cloud configuration are present"
        } else if engine.terraform(13) {
            "Conflicting 'cloud' and 'backend' configuration blocks are present"
        } else {
            "Both a backend and cloud configuration are present"
        },
        ephemeral_kind: "ephemeral",
        ephemeral_type_name: "Invalid ephemeral resource type",
        removed_data_source: "Data source address not allowed",
        removed_resource_key: "Resource instance keys not allowed",
        removed_module_key: "Module instance keys not allowed",
        import_without_id: if engine.terraform(12) {
            "Invalid import block"
        } else {
            "Missing required argument"
        },
        import_with_both_ids: "Invalid import block",
        json_reference: "Invalid reference expression",
        ephemeral_root_output: "Ephemeral output not allowed",
        repeated_module: "Module is incompatible with count, for_each, and depends_on",
    }
}

fn opentofu(engine: Engine) -> Summaries {
    Summaries {
        version_mismatch: if engine.opentofu(12) {
            "Incompatible module"
        } else {
            "Unsupported OpenTofu Core version"
        },
        duplicate_backend: "Duplicate backend configuration",
        duplicate_cloud: "Duplicate cloud configurations",
        backend_and_cloud: "Both a backend and a cloud configuration are present",
        ephemeral_kind: "ephemeral resource",
        ephemeral_type_name: "Invalid ephemeral resource type name",
        removed_data_source: "Data source address is not allowed",
        removed_resource_key: "Resource instance address with keys is not allowed",
        removed_module_key: "Module instance address with keys is not allowed",
        import_without_id: if engine.opentofu(12) {
            "Missing required import argument"
        } else {
            "Missing required argument"
        },
        import_with_both_ids: "Conflicting import arguments",
        json_reference: if engine.opentofu(11) {
            "Expected string expression"
        } else {
            "Invalid reference expression"
        },
        ephemeral_root_output: "Invalid output configuration",
        repeated_module: if engine.since(Product::OpenTofu, 1, 11, 4) {
            "Module is incompatible with count, for_each, enabled and depends_on"
        } else {
            "Module is incompatible with count, for_each, and depends_on"
        },
    }
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

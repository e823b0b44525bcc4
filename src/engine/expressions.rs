//! Features of expressions.

use super::{Engine, Product, Version};

impl Engine {
    /// Whether `&&` and `||` ignore errors in an operand that does not decide the result.
    pub fn short_circuits(self) -> bool {
        self.terraform(12) || self.opentofu(10)
    }

    /// The same product before its `&&` and `||` ignored such errors.
    #[must_use]
    pub fn without_short_circuit(self) -> Self {
        let minor = match self.product {
            Product::Terraform => 11,
            Product::OpenTofu => 9,
        };
        Self { version: Version::new(1, minor, 0), ..self }
    }

    /// Whether an unknown result of `&&` or `||` certainly has the marks of the operands. Older versions of Terraform drop
    /// them, and for OpenTofu it was not tried.
    pub fn marks_unknown_conditions(self) -> bool {
        self.terraform(12)
    }

    /// Whether the value of an output with `sensitive = true` is sensitive for the calling module too in a plan.
    pub fn marks_sensitive_outputs(self) -> bool {
        !self.terraform(8) || self.terraform(13)
    }

    /// Whether the backend types that Terraform 1.3 removed are unknown.
    pub fn lacks_removed_backends(self) -> bool {
        self.product == Product::OpenTofu || self.terraform(3)
    }

    /// Whether the backend type `s3` sets a role only in `assume_role`.
    pub fn lacks_role_arguments_of_s3(self) -> bool {
        self.terraform(10)
    }

    /// Whether the backend type `oci` is unknown. It is in Terraform 1.12.
    pub fn lacks_oci_backend(self) -> bool {
        self.product == Product::Terraform && !self.terraform(12)
    }

    /// Whether `a["b"]` is checked against the type of an unknown object, as `a.b` is.
    pub fn indexes_unknown_objects(self) -> bool {
        self.terraform(13)
    }

    /// Whether function names can start with `core::` or `provider::`.
    pub fn has_namespaces(self) -> bool {
        self.opentofu(7) || self.terraform(8)
    }
}

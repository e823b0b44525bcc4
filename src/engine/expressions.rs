//! Features of expressions.

use super::{Engine, Product};

impl Engine {
    /// Whether `&&` and `||` ignore errors in an operand that does not decide the result.
    pub fn short_circuits(self) -> bool {
        self.terraform(12)
    }

    /// Whether the backend types that Terraform 1.3 removed are unknown.
    pub fn lacks_removed_backends(self) -> bool {
        self.product == Product::OpenTofu || self.terraform(3)
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

//! Features of expressions.

use super::Engine;

impl Engine {
    /// Whether `&&` and `
    /// ` ignore errors in an operand that does not decide the result.
    pub fn short_circuits(self) -> bool {
        self.terraform(12)
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

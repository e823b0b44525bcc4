//! An engine, turned into what its expressions can do.

use super::Engine;

impl Engine {
    /// Whether `&&` and `||` keep quiet about mistakes in an operand that does not decide.
    pub fn short_circuits(self) -> bool {
        self.terraform(12)
    }

    /// Whether `a["b"]` is held against the type of an object that is not known yet, as `a.b` is.
    pub fn indexes_unknown_objects(self) -> bool {
        self.terraform(13)
    }

    /// Whether names of functions can have `core::` or `provider::` before them.
    pub fn has_namespaces(self) -> bool {
        self.opentofu(7) || self.terraform(8)
    }
}

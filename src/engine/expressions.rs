//! An engine, turned into what its expressions can do.

use super::{Engine, Product};

impl Engine {
    /// Whether it has the built-in function of that name, where some engine has. Those that every release since
    /// Terraform 1.0 has are not listed.
    pub fn has_function(self, name: &str) -> bool {
        let tofu = self.product == Product::OpenTofu;
        match name {
            "startswith" | "endswith" | "timecmp" => tofu || self.terraform(3),
            "plantimestamp" | "strcontains" => tofu || self.terraform(5),
            "base64gunzip" | "cidrcontains" | "urldecode" => self.opentofu(7),
            "issensitive" => self.opentofu(7) || self.terraform(8),
            "templatestring" => self.opentofu(7) || self.terraform(9),
            "ephemeralasnull" => self.opentofu(11) || self.terraform(10),
            "convert" => self.terraform(15),
            _ => true,
        }
    }

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

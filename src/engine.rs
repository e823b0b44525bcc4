//! What each version of each engine loads, accepts, ignores and reports.
//!
//! Terraform and OpenTofu differ in small ways that grow with every release. All differences are in [`Features`] and
//! the tables of this layer. No rule compares versions.

use std::fmt;
use std::sync::Arc;

use smol_str::SmolStr;

/// Makes a struct and computes it, from one row per field: its name, its type and its value for `engine`. `tofu` says
/// whether this is OpenTofu, and `t(9)` and `o(9)` whether it is at least version 1.9 of Terraform or OpenTofu.
macro_rules! by_version {
    (
        |$engine:ident, $tofu:ident, $t:ident, $o:ident|
        $(#[$about:meta])* pub struct $table:ident;
        $($(#[$doc:meta])* pub $name:ident: $kind:ty = $value:expr;)*
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $table {
            $($(#[$doc])* pub $name: $kind,)*
        }

        impl $table {
            /// Computes the row of each field for an engine.
            pub(super) fn of($engine: Engine) -> Self {
                let $tofu = $engine.product == Product::OpenTofu;
                let ($t, $o) = (|minor| $engine.terraform(minor), |minor| $engine.opentofu(minor));
                Self { $($name: $value,)* }
            }
        }
    };
}

mod version;
mod release;
mod choice;
mod file;
mod companion;
mod features;
mod expressions;
mod grammar;
mod summaries;
mod evidence;

pub use choice::{Choice, ChoiceError};
pub use companion::{Companion, STACK, is_automatic_values_file, unread_kind};
pub use evidence::{Evidence, LOCK_FILE, Signal, Wish};
pub use features::{Features, ModuleAddress, RequiredVersion, RunSubject};
pub use file::{
    FileKind, Loaded, Notation, is_module_file, is_override_file, meant_override_file, stem_and_extension,
};
pub use grammar::Grammar;
pub use summaries::Summaries;
pub use version::Version;

/// One of the two programs that implement the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Product {
    /// `terraform`.
    Terraform,
    /// `tofu`.
    OpenTofu,
}

impl Product {
    /// Both products, in the order of reports.
    pub const ALL: [Self; 2] = [Self::Terraform, Self::OpenTofu];

    /// The name, as in messages of the engine.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Terraform => "Terraform",
            Self::OpenTofu => "OpenTofu",
        }
    }

    /// The program, as in `tofu init`.
    pub const fn command(self) -> &'static str {
        match self {
            Self::Terraform => "terraform",
            Self::OpenTofu => "tofu",
        }
    }

    /// The word in options and policies: `--engine opentofu`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Terraform => "terraform",
            Self::OpenTofu => "opentofu",
        }
    }

    /// The default registry hosts of all products.
    pub const REGISTRY_HOSTS: [&'static str; 2] =
        [Self::Terraform.registry_host(), Self::OpenTofu.registry_host()];

    /// The default registry host of provider and module addresses.
    pub const fn registry_host(self) -> &'static str {
        match self {
            Self::Terraform => "registry.terraform.io",
            Self::OpenTofu => "registry.opentofu.org",
        }
    }
}

/// A product in one version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Engine {
    /// The product.
    pub product: Product,
    /// The version.
    pub version: Version,
    /// Whether an option or a policy names this version. Only then does a `required_version` that excludes it produce a
    /// finding.
    pub pinned: bool,
}

impl Engine {
    /// The newest known stable release of `product`.
    pub fn newest(product: Product) -> Self {
        Self { product, version: product.newest_release(), pinned: false }
    }

    /// The features of this engine.
    pub fn features(self) -> Arc<Features> {
        Arc::new(Features::of(self))
    }

    /// The default registry host of provider and module addresses.
    pub fn registry_host(self) -> &'static str {
        self.product.registry_host()
    }

    /// The form that `--engine` takes: `terraform@1.11.4`.
    pub fn word(self) -> SmolStr {
        smol_str::format_smolstr!("{}@{}", self.product.word(), self.version)
    }

    /// Whether this is `product` in `major.minor.patch` or later. Only the tables of this layer use it.
    fn since(self, product: Product, major: u16, minor: u16, patch: u16) -> bool {
        self.product == product && self.version >= Version { major, minor, patch }
    }

    /// Whether `element` counts negative indexes of a list from its end.
    pub fn wraps_indexes_of_lists(self) -> bool {
        self.terraform(10) || self.opentofu(10)
    }

    /// Whether `element` counts negative indexes of a tuple from its end. Terraform 1.11, and 1.10
    /// before 1.10.5, crash in the function.
    pub fn wraps_indexes_of_tuples(self) -> bool {
        let is_corrected = self.since(Product::Terraform, 1, 10, 5) && !self.terraform(11);
        is_corrected || self.terraform(12) || self.opentofu(10)
    }

    /// Whether this is Terraform 1.`minor` or later.
    pub fn terraform(self, minor: u16) -> bool {
        self.since(Product::Terraform, 1, minor, 0)
    }

    /// Whether this is OpenTofu 1.`minor` or later.
    pub fn opentofu(self, minor: u16) -> bool {
        self.since(Product::OpenTofu, 1, minor, 0)
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.product.name(), self.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_indexes_have_been_accepted_since_different_releases() {
        let of = |product, minor, patch| {
            let engine = Engine { product, version: Version { major: 1, minor, patch }, pinned: true };
            (engine.wraps_indexes_of_lists(), engine.wraps_indexes_of_tuples())
        };
        assert_eq!(of(Product::Terraform, 9, 8), (false, false));
        assert_eq!(of(Product::Terraform, 10, 4), (true, false));
        assert_eq!(of(Product::Terraform, 10, 5), (true, true));
        assert_eq!(of(Product::Terraform, 11, 4), (true, false));
        assert_eq!(of(Product::Terraform, 12, 0), (true, true));
        assert_eq!(of(Product::OpenTofu, 9, 4), (false, false));
        assert_eq!(of(Product::OpenTofu, 10, 0), (true, true));
    }
}

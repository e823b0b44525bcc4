//! Which engine reads a module, turned into what that engine loads, knows, skips and says.
//!
//! Terraform and OpenTofu differ in small ways that grow with every release. All of them are looked up here, once, as
//! [`Features`]; no rule ever compares a version.

use std::fmt;

use smol_str::SmolStr;

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
pub use companion::{Companion, is_automatic_values_file, unread_kind};
pub use evidence::{Evidence, LOCK_FILE, Signal, Wish};
pub use features::{
    ChildImport, CombinationSubject, Features, ImportSubject, InOverride, LifecycleSubject, ModuleAddress,
    RemovedInOverride, RequiredVersion, RunSubject,
};
pub use file::{
    FileKind, Loaded, Notation, is_module_file, is_override_file, meant_override_file, stem_and_extension,
};
pub use grammar::Grammar;
pub use summaries::Summaries;
pub use version::Version;

/// One of the two programs that read the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Product {
    /// `terraform`.
    Terraform,
    /// `tofu`.
    OpenTofu,
}

impl Product {
    /// Both of them, in the order in which they are reported.
    pub const ALL: [Self; 2] = [Self::Terraform, Self::OpenTofu];

    /// The name that people read, and that the engine writes into its own messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Terraform => "Terraform",
            Self::OpenTofu => "OpenTofu",
        }
    }

    /// The word that people write: `--engine opentofu`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Terraform => "terraform",
            Self::OpenTofu => "opentofu",
        }
    }

    /// The host of a provider or module address that names none.
    pub const fn registry_host(self) -> &'static str {
        match self {
            Self::Terraform => "registry.terraform.io",
            Self::OpenTofu => "registry.opentofu.org",
        }
    }
}

/// A product in one version: what a module is read with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Engine {
    /// Which program.
    pub product: Product,
    /// Which release of it.
    pub version: Version,
    /// Whether an option or a policy asked for this version. Only then is `required_version` held against it: a
    /// version that we picked ourselves is no reason to blame anybody.
    pub pinned: bool,
}

impl Engine {
    /// The newest stable release of `product` that is known.
    pub fn newest(product: Product) -> Self {
        Self { product, version: product.newest_release(), pinned: false }
    }

    /// The same engine, held to its version because somebody asked for it.
    #[must_use]
    pub fn pinned(self) -> Self {
        Self { pinned: true, ..self }
    }

    /// Everything in which this engine differs from others.
    pub fn features(self) -> Features {
        Features::of(self)
    }

    /// The host of a provider or module address that names none.
    pub fn registry_host(self) -> &'static str {
        self.product.registry_host()
    }

    /// `terraform@1.11.4`: one word, as `--engine` takes it.
    pub fn word(self) -> SmolStr {
        smol_str::format_smolstr!("{}@{}", self.product.word(), self.version)
    }

    /// Whether this is `product` in `major.minor.patch` or later. Only the tables of this layer ask it.
    fn since(self, product: Product, major: u16, minor: u16, patch: u16) -> bool {
        self.product == product && self.version >= Version { major, minor, patch }
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

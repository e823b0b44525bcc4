//! The roles of modules.

/// The purpose of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// A root module: an engine is run in its directory.
    Root,
    /// A shared module, called by other modules, here or elsewhere.
    Shared,
    /// An example of calls of another module.
    Example,
    /// A test of another module.
    Test,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 4] = [Self::Root, Self::Shared, Self::Example, Self::Test];

    /// The word in policies and reports.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Shared => "shared",
            Self::Example => "example",
            Self::Test => "test",
        }
    }

    /// The role with this word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.word() == word)
    }
}

/// Information about a module that does not come from its files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a sign of its own")]
pub struct Surroundings {
    /// The role in the policy.
    pub role: Option<Role>,
    /// Whether there is a dependency lock file.
    pub has_lock_file: bool,
    /// Whether there are variable definitions files.
    pub has_values: bool,
    /// Whether a module that is not in the graph calls it.
    pub is_called_from_outside: bool,
    /// Whether one of these callers is neither an example nor a test, by its path.
    pub is_used_from_outside: bool,
    /// Whether no directory of the repository has evidence of a root module.
    pub is_in_library: bool,
    /// Whether `init` installed it, so that it belongs to another repository.
    pub is_installed: bool,
    /// The role before a change, which the change must not weaken.
    pub former: Option<Role>,
}

/// The evidence for a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// The policy sets the role.
    Policy,
    /// The module had the role before the change, which must not weaken it.
    Former,
    /// The path contains a directory of this name.
    Under(&'static str),
    /// Other modules call it.
    Called,
    /// There is a dependency lock file.
    LockFile,
    /// There are variable definitions files.
    Values,
    /// A run of a test loads it.
    Run,
    /// A Terragrunt unit runs it.
    Terragrunt,
    /// It configures the storage of its state.
    Storage,
    /// It requires callers to pass provider configurations (`configuration_aliases`).
    Aliases,
    /// It has a provider block with only an alias, for a configuration from callers.
    Proxies,
    /// It configures a provider.
    Provider,
    /// No directory of the repository has evidence of a root module.
    Library,
    /// No module calls it, and there is no other evidence.
    Uncalled,
}

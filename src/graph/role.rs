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
    /// Whether a module that is not in the graph calls it, or one calls a symbolic link to its directory.
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

impl Reason {
    /// The evidence in words, as a clause.
    pub fn clause(self) -> String {
        match self {
            Self::Policy => "set by the policy".to_owned(),
            Self::Former => "it had this role before the change".to_owned(),
            Self::Under(name) => format!("it is under `{name}`"),
            Self::Called => "other modules call it".to_owned(),
            Self::LockFile => "it has a lock file".to_owned(),
            Self::Values => "it has variable definition files".to_owned(),
            Self::Run => "a test runs it".to_owned(),
            Self::Terragrunt => "Terragrunt runs it".to_owned(),
            Self::Storage => "it configures where the state is stored".to_owned(),
            Self::Aliases => "it declares `configuration_aliases`".to_owned(),
            Self::Proxies => "callers configure a provider for it, which has only an alias here".to_owned(),
            Self::Provider => "it configures a provider".to_owned(),
            Self::Library => "no directory looks like a root module".to_owned(),
            Self::Uncalled => "no module calls it".to_owned(),
        }
    }

    /// Whether the module itself gives no evidence for its role.
    pub fn is_assumption(self) -> bool {
        matches!(self, Self::Library | Self::Uncalled)
    }
}

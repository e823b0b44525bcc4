//! The roles of modules.

/// What a module is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// An engine is run in its directory.
    Root,
    /// Other modules call it, here or elsewhere.
    Shared,
    /// It shows how another one is called.
    Example,
    /// It tests another one.
    Test,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 4] = [Self::Root, Self::Shared, Self::Example, Self::Test];

    /// The word that people write.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Shared => "shared",
            Self::Example => "example",
            Self::Test => "test",
        }
    }

    /// The role of that word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.word() == word)
    }
}

/// What is known of a module beside its files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a sign of its own")]
pub struct Surroundings {
    /// The role that a policy gives it.
    pub role: Option<Role>,
    /// Whether there is a dependency lock file.
    pub has_lock_file: bool,
    /// Whether there are variable values.
    pub has_values: bool,
    /// Whether a module calls it that is not in this tree.
    pub is_called_from_outside: bool,
    /// Whether one of those modules is neither an example nor a test, by where it lies.
    pub is_used_from_outside: bool,
    /// Whether no directory of the repository shows any sign of a root module.
    pub is_in_library: bool,
    /// The role that it had before a change that must not choose its own.
    pub former: Option<Role>,
}

/// What shows what a module is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// A policy gives it the role.
    Policy,
    /// It had the role before the change, and the change must not choose one that is less strict.
    Former,
    /// It lies in a directory of that name.
    Under(&'static str),
    /// Other modules call it.
    Called,
    /// A dependency lock file lies beside it.
    LockFile,
    /// Variable values lie beside it.
    Values,
    /// A run of a test loads it.
    Run,
    /// A unit of Terragrunt runs it.
    Terragrunt,
    /// It says where the state is kept.
    Storage,
    /// It asks callers for provider configurations (`configuration_aliases`).
    Aliases,
    /// It configures a provider.
    Provider,
    /// No directory of the repository shows any sign of a root module.
    Library,
    /// No module calls it, and nothing else shows what it is.
    Uncalled,
}

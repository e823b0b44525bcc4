//! Turns where a module lies, what lies beside it and who calls it into what it is there for.

use crate::tree::Node;

/// What a module is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// An engine is run in its folder.
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
pub struct Surroundings {
    /// The role that a policy gives it.
    pub role: Option<Role>,
    /// Whether there is a dependency lock file.
    pub has_lock_file: bool,
    /// Whether there are variable values.
    pub has_values: bool,
    /// Whether a module calls it that is not in this tree.
    pub is_called_from_outside: bool,
}

/// What a module is there for: the first that applies.
pub(super) fn of(node: Node<'_>, around: Surroundings) -> Role {
    let folder = node.module().folder.as_str();
    if let Some(role) = around.role.or_else(|| by_name(folder)) {
        role
    } else if node.is_called() {
        Role::Shared
    } else if around.has_lock_file || around.has_values || acts_as_root(node) {
        Role::Root
    } else if folder.is_empty() || folder.split('/').any(|name| name == "modules") {
        Role::Shared
    } else {
        Role::Root
    }
}

/// `examples` and `fixtures` mean what they say in any folder. `test` may be the name of an environment, so it counts
/// only at the top, and in the folder of one of many `modules`.
fn by_name(folder: &str) -> Option<Role> {
    let names: Vec<&str> = folder.split('/').collect();
    if names.contains(&"examples") {
        return Some(Role::Example);
    }
    let is_test = |name: &str| name == "test" || name == "tests";
    let of_module = names.iter().position(|name| *name == "modules").and_then(|at| names.get(at + 2));
    let tests =
        is_test(names[0]) || of_module.is_some_and(|name| is_test(name)) || names.contains(&"fixtures");
    tests.then_some(Role::Test)
}

/// Whether the module holds what means something only where an engine is run.
fn acts_as_root(node: Node<'_>) -> bool {
    let module = node.module();
    module.backend.is_some()
        || module.cloud.is_some()
        || module.providers.values().any(|provider| !provider.config.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_say_what_they_are() {
        let test = Some(Role::Test);
        assert_eq!(by_name("examples/a"), Some(Role::Example));
        assert_eq!(by_name("modules/a/examples/b"), Some(Role::Example));
        assert_eq!(by_name("tests/a"), test);
        assert_eq!(by_name("modules/a/test"), test);
        assert_eq!(by_name("a/fixtures/b"), test);
        assert_eq!(by_name("live/test"), None);
        assert_eq!(by_name("modules/test"), None);
        assert_eq!(by_name(""), None);
    }
}

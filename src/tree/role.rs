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

/// What shows what a module is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// A policy says so.
    Policy,
    /// It lies in a folder of that name.
    Under(&'static str),
    /// Other modules call it.
    Called,
    /// A dependency lock file lies beside it.
    LockFile,
    /// Variable values lie beside it.
    Values,
    /// It says where the state is kept.
    Storage,
    /// It configures a provider.
    Provider,
    /// It lies at the top, and nothing else says what it is.
    Top,
    /// Nobody calls it, and nothing else says what it is.
    Uncalled,
}

/// What a module is there for: the first that applies.
pub(super) fn of(node: Node<'_>, around: Surroundings) -> (Role, Reason) {
    let folder = node.module().folder.as_str();
    if let Some(role) = around.role {
        (role, Reason::Policy)
    } else if let Some((role, name)) = by_name(folder) {
        (role, Reason::Under(name))
    } else if node.is_called() {
        (Role::Shared, Reason::Called)
    } else if around.has_lock_file {
        (Role::Root, Reason::LockFile)
    } else if around.has_values {
        (Role::Root, Reason::Values)
    } else if let Some(reason) = acts_as_root(node) {
        (Role::Root, reason)
    } else if folder.is_empty() {
        (Role::Shared, Reason::Top)
    } else if folder.split('/').any(|name| name == "modules") {
        (Role::Shared, Reason::Under("modules"))
    } else {
        (Role::Root, Reason::Uncalled)
    }
}

/// `examples` and `fixtures` mean what they say in any folder. `test` may be the name of an environment, so it counts
/// only at the top, and in the folder of one of many `modules`.
fn by_name(folder: &str) -> Option<(Role, &'static str)> {
    let names: Vec<&str> = folder.split('/').collect();
    if names.contains(&"examples") {
        return Some((Role::Example, "examples"));
    }
    let test = |name: &str| ["test", "tests"].into_iter().find(|known| *known == name);
    let of_module = names.iter().position(|name| *name == "modules").and_then(|at| names.get(at + 2));
    let fixtures = names.contains(&"fixtures").then_some("fixtures");
    let found = test(names[0]).or_else(|| of_module.and_then(|name| test(name))).or(fixtures);
    found.map(|name| (Role::Test, name))
}

/// What the module holds that means something only where an engine is run.
fn acts_as_root(node: Node<'_>) -> Option<Reason> {
    let module = node.module();
    if module.backend.is_some() || module.cloud.is_some() {
        return Some(Reason::Storage);
    }
    let configures = module.providers.values().any(|provider| !provider.config.is_empty());
    configures.then_some(Reason::Provider)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_say_what_they_are() {
        let by_name = |folder| super::by_name(folder).map(|(role, _)| role);
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

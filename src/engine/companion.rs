//! Files beside modules that engines read, by their names.

use super::Engine;

/// The purpose of a file that is not part of a module. The dependency lock file has a name of its own,
/// [`LOCK_FILE`](super::LOCK_FILE).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Companion {
    /// Values for the variables of a root module.
    Values,
    /// Tests.
    Test,
    /// Mock data for tests.
    Mock,
}

impl Companion {
    /// The purpose of a file with this name. A hidden file is not a test file, but `.auto.tfvars` is a file with
    /// values.
    pub fn of(name: &str) -> Option<Self> {
        let ends = |suffixes: &[&str]| suffixes.iter().any(|suffix| name.ends_with(suffix));
        if ends(&[".tfvars", ".tfvars.json"]) {
            return Some(Self::Values);
        }
        if name.starts_with('.') {
            return None;
        }
        if ends(&[".tftest.hcl", ".tftest.json", ".tofutest.hcl", ".tofutest.json"]) {
            return Some(Self::Test);
        }
        ends(&[".tfmock.hcl", ".tfmock.json"]).then_some(Self::Mock)
    }
}

impl Engine {
    /// Returns the files that this engine reads as tests. `names` are those of one directory, sorted by bytes. OpenTofu
    /// reads `a.tofutest.hcl` instead of `a.tftest.hcl`.
    pub fn test_files<'a>(self, names: &[&'a str]) -> Vec<&'a str> {
        let own = self.opentofu(8);
        let is_hidden = |name: &str| {
            let stem = |end| name.strip_suffix(end);
            let twin = stem(".tftest.hcl").map(|stem| format!("{stem}.tofutest.hcl"));
            let twin = twin.or_else(|| stem(".tftest.json").map(|stem| format!("{stem}.tofutest.json")));
            own && twin.is_some_and(|twin| names.binary_search(&twin.as_str()).is_ok())
        };
        let is_read = |name: &&str| {
            let for_opentofu = name.ends_with(".tofutest.hcl") || name.ends_with(".tofutest.json");
            Companion::of(name) == Some(Companion::Test) && (own || !for_opentofu) && !is_hidden(name)
        };
        if !self.features().grammar.tests {
            return Vec::new();
        }
        names.iter().copied().filter(is_read).collect()
    }
}

/// Whether an engine reads this file in the directory of the root module without an option.
pub fn is_automatic_values_file(name: &str) -> bool {
    let stem = name.strip_suffix(".json").unwrap_or(name);
    stem == "terraform.tfvars" || stem.ends_with(".auto.tfvars")
}

/// The kind of files whose components call modules.
pub const STACK: &str = "stack";

/// The purpose of a file of a kind that overrule does not read.
pub fn unread_kind(name: &str) -> Option<&'static str> {
    let kinds = [
        (&[".tfstack.hcl", ".tfcomponent.hcl", ".tfdeploy.hcl"][..], STACK),
        (&[".tfstack.json", ".tfcomponent.json", ".tfdeploy.json"], STACK),
        (&[".tfquery.hcl", ".tfquery.json"], "query"),
        (&[".tfmigrate.hcl"], "migration"),
    ];
    let known = |suffixes: &[&str]| suffixes.iter().any(|suffix| name.ends_with(suffix));
    kinds.into_iter().find(|(suffixes, _)| !name.starts_with('.') && known(suffixes)).map(|(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Product, Version};

    #[test]
    fn a_name_has_one_kind() {
        let kind = |name| Companion::of(name);
        for name in ["terraform.tfvars", "x.auto.tfvars.json", ".auto.tfvars", ".x.auto.tfvars", "a.tfvars"] {
            assert_eq!(kind(name), Some(Companion::Values), "{name}");
        }
        for name in ["a.tftest.hcl", "a_override.tftest.json", "a.tofutest.hcl"] {
            assert_eq!(kind(name), Some(Companion::Test), "{name}");
        }
        assert_eq!(kind("aws.tfmock.hcl"), Some(Companion::Mock));
        let others =
            ["a.tfvars.example", "a.tfvars~", ".a.tftest.hcl", "a.tftest.hcl~", "a.TFVARS", "main.tf"];
        for name in others {
            assert_eq!(kind(name), None, "{name}");
        }
    }

    #[test]
    fn opentofu_reads_its_own_test_file_in_place_of_its_twin() {
        let names = ["a.tftest.hcl", "a.tftest.json", "a.tofutest.hcl", "b.tftest.hcl", "c.tofutest.json"];
        let tofu = Engine::newest(Product::OpenTofu);
        assert_eq!(
            tofu.test_files(&names),
            ["a.tftest.json", "a.tofutest.hcl", "b.tftest.hcl", "c.tofutest.json"]
        );
        let terraform = Engine::newest(Product::Terraform);
        assert_eq!(terraform.test_files(&names), ["a.tftest.hcl", "a.tftest.json", "b.tftest.hcl"]);
        let old = Engine { version: Version::new(1, 5, 0), ..terraform };
        assert!(old.test_files(&names).is_empty());
    }

    #[test]
    fn some_values_files_are_loaded_automatically() {
        for name in ["terraform.tfvars", "terraform.tfvars.json", ".auto.tfvars", "b.auto.tfvars.json"] {
            assert!(is_automatic_values_file(name), "{name}");
        }
        for name in ["prod.tfvars", "terraform_override.tfvars", "a.auto.tfvars~"] {
            assert!(!is_automatic_values_file(name), "{name}");
        }
    }
}

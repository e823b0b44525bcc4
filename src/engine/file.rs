//! The files of a module: which ones an engine loads, by their names.

use super::Engine;

/// The purpose of a module file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileKind {
    /// A primary file: its blocks are those of the module.
    Primary,
    /// An override file: its blocks are merged into those of primary files.
    Override,
}

/// The syntax of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Notation {
    /// HCL native syntax.
    Native,
    /// JSON syntax.
    Json,
}

impl Notation {
    /// The syntax of a file with this name.
    pub fn of(name: &str) -> Self {
        if name.strip_suffix(".json").is_some() { Self::Json } else { Self::Native }
    }
}

/// How an engine loads a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Loaded {
    /// Its purpose.
    pub kind: FileKind,
    /// Its syntax.
    pub notation: Notation,
}

impl Engine {
    /// How this engine loads a file with this name, unless another file hides it (see [`Engine::hidden_by`]).
    pub fn loads(self, name: &str) -> Option<Loaded> {
        let extension = Extension::of(name)?;
        (!extension.is_tofu || self.opentofu(8)).then(|| extension.load(name))
    }

    /// The name of the file that hides `name` from this engine if both are in one directory.
    pub fn hidden_by(self, name: &str) -> Option<String> {
        let extension = Extension::of(name)?;
        let twin = EXTENSIONS.iter().find(|twin| twin.is_tofu && twin.notation == extension.notation)?;
        (!extension.is_tofu && self.opentofu(8)).then(|| format!("{}{}", extension.stem_of(name), twin.text))
    }

    /// Returns the files that make up the module. `files` are those of one directory, sorted by the bytes of their
    /// `name`, and so is the result.
    ///
    /// The engines apply this to primary and override files separately. A hidden file has the stem of the one that
    /// hides it, so both have the same purpose.
    pub fn module_files<T>(self, files: &[T], name: impl Fn(&T) -> &str) -> Vec<(&T, Loaded)> {
        let has = |wanted: &str| files.binary_search_by(|file| name(file).cmp(wanted)).is_ok();
        let is_tofu = |file| Extension::of(name(file)).is_some_and(|extension| extension.is_tofu);
        let has_tofu_file = self.opentofu(8) && files.iter().any(is_tofu);
        let load = |file| {
            let name = name(file);
            let loaded = self.loads(name)?;
            let is_hidden = has_tofu_file && self.hidden_by(name).is_some_and(|twin| has(&twin));
            (!is_hidden).then_some((file, loaded))
        };
        files.iter().filter_map(load).collect()
    }
}

/// Whether any version of any engine loads a file with this name.
pub fn is_module_file(name: &str) -> bool {
    Extension::of(name).is_some()
}

/// Whether a module file with this name is an override file.
pub fn is_override_file(name: &str) -> bool {
    Extension::of(name).is_some_and(|extension| extension.load(name).kind == FileKind::Override)
}

/// The override file that was meant by a JSON file without `.tf` in its name: `override.tf.json` for `override.json`.
pub fn meant_override_file(name: &str) -> Option<String> {
    let meant = format!("{}.tf.json", name.strip_suffix(".json")?);
    (!is_module_file(name) && is_override_file(&meant)).then_some(meant)
}

/// The stem and the extension of a module file. `None` for other names.
pub fn stem_and_extension(name: &str) -> Option<(&str, &'static str)> {
    let extension = Extension::of(name)?;
    Some((extension.stem_of(name), extension.text))
}

/// An extension of module files.
#[derive(Debug, Clone, Copy)]
struct Extension {
    text: &'static str,
    notation: Notation,
    /// Whether only OpenTofu loads such files, each instead of the other one with the same stem and syntax.
    is_tofu: bool,
}

/// All extensions, in lower case only.
const EXTENSIONS: [Extension; 4] = [
    Extension { text: ".tf", notation: Notation::Native, is_tofu: false },
    Extension { text: ".tf.json", notation: Notation::Json, is_tofu: false },
    Extension { text: ".tofu", notation: Notation::Native, is_tofu: true },
    Extension { text: ".tofu.json", notation: Notation::Json, is_tofu: true },
];

impl Extension {
    /// The extension of a file that is neither hidden nor a backup of an editor: `a.tf~`, `#a.tf#`. `#x.tf` is a module
    /// file.
    fn of(name: &str) -> Option<Self> {
        if name.starts_with('.') {
            return None;
        }
        EXTENSIONS.iter().find(|extension| name.ends_with(extension.text)).copied()
    }

    fn stem_of(self, name: &str) -> &str {
        name.strip_suffix(self.text).unwrap_or(name)
    }

    fn load(self, name: &str) -> Loaded {
        let stem = self.stem_of(name);
        let overrides = stem == "override" || stem.ends_with("_override");
        Loaded {
            kind: if overrides { FileKind::Override } else { FileKind::Primary },
            notation: self.notation,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Product, Version};

    fn terraform() -> Engine {
        Engine::newest(Product::Terraform)
    }

    fn tofu() -> Engine {
        Engine::newest(Product::OpenTofu)
    }

    fn kind(name: &str) -> Option<FileKind> {
        terraform().loads(name).map(|loaded| loaded.kind)
    }

    #[test]
    fn a_json_file_may_lack_only_the_first_part_of_its_extension() {
        assert_eq!(meant_override_file("override.json").as_deref(), Some("override.tf.json"));
        assert_eq!(meant_override_file("dev_override.json").as_deref(), Some("dev_override.tf.json"));
        for name in
            ["override.tf.json", "override.tofu.json", "override.tfvars.json", "overrides.json", "a.json"]
        {
            assert_eq!(meant_override_file(name), None, "{name}");
        }
    }

    #[test]
    fn extensions_count_to_the_letter() {
        for name in ["a.tf", "a.tf.json", "#x.tf", "m.tf.json.tf", "a b.tf", "é.tf"] {
            assert_eq!(kind(name), Some(FileKind::Primary), "{name}");
        }
        for name in
            ["a.TF", ".tf", ".a.tf", "a.tf~", "#a.tf#", "a.json", "a.tfvars", "a.tftest.hcl", "tf", ""]
        {
            assert_eq!(kind(name), None, "{name}");
        }
    }

    #[test]
    fn override_files_are_called_override_or_end_so() {
        for name in ["override.tf", "override.tf.json", "_override.tf", "a_override.tf"] {
            assert_eq!(kind(name), Some(FileKind::Override), "{name}");
        }
        for name in ["zoverride.tf", "foo-override.tf", "Override.tf", "override_a.tf", "override.tf.tf"] {
            assert_eq!(kind(name), Some(FileKind::Primary), "{name}");
        }
    }

    #[test]
    fn the_last_extension_of_a_name_decides() {
        let notation = |name| terraform().loads(name).map(|loaded| loaded.notation);
        assert_eq!(notation("m.tf.json.tf"), Some(Notation::Native));
        assert_eq!(notation("m.tf.tf.json"), Some(Notation::Json));
    }

    #[test]
    fn only_opentofu_from_1_8_on_sees_tofu_files() {
        let old = Engine { version: Version::new(1, 7, 10), ..tofu() };
        for name in ["a.tofu", "a.tofu.json", "override.tofu"] {
            assert!(terraform().loads(name).is_none() && old.loads(name).is_none(), "{name}");
            assert!(tofu().loads(name).is_some(), "{name}");
        }
    }

    #[test]
    fn a_tofu_file_hides_the_tf_file_of_the_same_stem() {
        let names =
            ["a.tf", "a.tf.json", "a.tofu", "b.tf.json", "b.tofu.json", "c_override.tf", "c_override.tofu"];
        let files = |engine: Engine| -> Vec<&str> {
            engine.module_files(&names, |name| name).into_iter().map(|(name, _)| *name).collect()
        };
        assert_eq!(files(tofu()), ["a.tf.json", "a.tofu", "b.tofu.json", "c_override.tofu"]);
        assert_eq!(files(terraform()), ["a.tf", "a.tf.json", "b.tf.json", "c_override.tf"]);
    }
}

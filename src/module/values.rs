//! Reads variable definitions files (`*.tfvars`).

use std::collections::BTreeMap;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::finding::{EngineRule, Finding};
use crate::syntax::{Attribute, BlockSchema, Body, Schema};
use crate::vfs;

/// A variable definitions file.
#[derive(Debug, Clone)]
pub struct ValuesFile {
    /// The path relative to the top directory of the run.
    pub path: SmolStr,
    /// Whether the engine loads the file automatically.
    pub is_automatic: bool,
    /// The arguments, each for the variable of its name.
    pub arguments: Vec<Arc<Attribute>>,
}

/// The values that variable definitions files give to the variables of a test.
#[derive(Debug, Clone, Default)]
pub struct TestValues {
    /// By variable, of the files that the engine loads automatically.
    automatic: BTreeMap<SmolStr, Arc<Attribute>>,
    /// Whether other files may set variables too: files for `-var-file`, and files that could not be read.
    is_open: bool,
}

impl TestValues {
    /// Adds the values of files that take precedence over those before. `None` is a file that could not be read.
    #[must_use]
    pub fn with(mut self, files: impl IntoIterator<Item = Option<ValuesFile>>) -> Self {
        let mut automatic = Vec::new();
        for file in files {
            match file {
                Some(file) if file.is_automatic => automatic.push(file),
                Some(_) | None => self.is_open = true,
            }
        }
        automatic.sort_by(|one, other| one.precedence().cmp(&other.precedence()));
        let arguments = automatic.into_iter().flat_map(|file| file.arguments);
        self.automatic.extend(arguments.map(|argument| (argument.name.clone(), argument)));
        self
    }

    /// Whether a file sets this variable, or may set it.
    pub fn may_set(&self, variable: &str) -> bool {
        self.is_open || self.automatic.contains_key(variable)
    }

    /// The value of a variable, if it is certain.
    pub fn get(&self, variable: &str) -> Option<&Arc<Attribute>> {
        self.automatic.get(variable).filter(|_| !self.is_open)
    }
}

impl ValuesFile {
    /// The order in which the engine loads automatic files. The last one that sets a variable counts.
    pub fn precedence(&self) -> (u8, &str) {
        let name = vfs::last_name(&self.path);
        match name {
            "terraform.tfvars" => (0, name),
            "terraform.tfvars.json" => (1, name),
            _ => (2, name),
        }
    }
}

/// The arguments of a variable definitions file. Reports declarations of variables and, unless there are any or
/// `is_broken` says that there is a syntax error, the errors in arguments, as the engine does.
pub fn arguments(body: &Body, is_broken: bool, findings: &mut Vec<Finding>) -> Vec<Arc<Attribute>> {
    let schema = Schema { attributes: &[], blocks: &[BlockSchema::new("variable", &["name"])] };
    let (content, _) = body.partial_content(&schema, &mut Vec::new());
    let declarations = content.blocks.iter().map(|block| {
        let name = block.labels.first().map_or("", |label| label.text.as_str());
        Finding::language(EngineRule::UnsupportedBlockOrArgument, "Variable declaration in .tfvars file")
            .detail(format!(
                "A file with values of variables cannot declare a variable. The declaration of \"{name}\" belongs in \
                 a .tf file of the module."
            ))
            .at(block.kind_span)
            .help(format!("move this block to a .tf file, and set the value with `{name} = …`"))
    });
    let from = findings.len();
    findings.extend(declarations);
    let mut wrong = Vec::new();
    let mut arguments = body.just_attributes(&mut wrong);
    if !is_broken && findings.len() == from {
        findings.extend(wrong);
    }
    arguments.retain(|argument| !argument.is_broken);
    arguments
}

/// Whether a file is encrypted or a placeholder for content that is stored elsewhere, so that its content is unknown.
pub fn is_encrypted(text: &str) -> bool {
    let starts = ["$ANSIBLE_VAULT;", "-----BEGIN", "age-encryption.org"];
    vfs::is_stand_in(text.as_bytes())
        || starts.iter().any(|start| text.starts_with(start))
        || text.contains("ENC[") && text.contains("sops")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::syntax::{self, Notation};
    use crate::text::{FileId, Source};

    fn read(name: &str, text: &str) -> (Vec<String>, Vec<String>) {
        let source = Source::new(name, text.into());
        let (file, mut findings) =
            syntax::parse(FileId::new(0), &source, Notation::of(name), &Limits::default());
        let is_broken = !findings.is_empty();
        let arguments = arguments(&file.body, is_broken, &mut findings);
        let names = arguments.iter().map(|argument| argument.name.to_string()).collect();
        (names, findings.into_iter().map(|finding| finding.summary).collect())
    }

    #[test]
    fn a_file_holds_arguments_alone() {
        let is = |text: &str, names: &[&str], summaries: &[&str]| {
            let (found, wrong) = read("a.tfvars", text);
            assert_eq!(
                (found, wrong),
                (
                    names.iter().map(ToString::to_string).collect(),
                    summaries.iter().map(ToString::to_string).collect()
                ),
                "{text}"
            );
        };
        is("a = 1\nb-c = [2]\n", &["a", "b-c"], &[]);
        is("variable \"a\" {}\nx {}\nb = 1\n", &["b"], &["Variable declaration in .tfvars file"]);
        is("x {}\ny {}\nb = 1\n", &["b"], &["Unexpected \"x\" block"]);
        is("a = 1\na = 2\nx {}\n", &["a"], &["Attribute redefined"]);
    }

    #[test]
    fn in_json_a_variable_of_that_name_may_have_a_value() {
        let (names, wrong) = read("a.tfvars.json", r#"{"variable": {"q": {}}}"#);
        assert_eq!((names.len(), wrong), (1, vec!["Variable declaration in .tfvars file".to_owned()]));
        let (names, wrong) = read("a.tfvars.json", r#"{"variable": {}, "//": "x"}"#);
        assert_eq!((names, wrong), (vec!["variable".to_owned()], Vec::new()));
    }

    #[test]
    fn the_content_of_encrypted_files_is_unknown() {
        assert!(is_encrypted("\0GITCRYPT\0abc"));
        assert!(is_encrypted(r#"{"a": "ENC[AES256_GCM,data:x]", "sops": {}}"#));
        assert!(!is_encrypted("a = \"sops\"\n"));
    }
}

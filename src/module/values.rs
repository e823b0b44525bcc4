//! Reads variable definitions files (`*.tfvars`).

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

/// The arguments of a variable definitions file. Reports errors in them, unless `is_broken`: the engine stops at a
/// syntax error.
pub fn arguments(body: &Body, is_broken: bool, findings: &mut Vec<Finding>) -> Vec<Arc<Attribute>> {
    let schema = Schema { attributes: &[], blocks: &[BlockSchema::new("variable", &["name"])] };
    let (content, _) = body.partial_content(&schema, &mut Vec::new());
    let declarations = content.blocks.iter().filter(|_| !is_broken).map(|block| {
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

//! Reads the Terragrunt configuration that selects modules and generates files in their directories.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use smol_str::SmolStr;

use crate::engine::is_module_file;
use crate::limits::Limits;
use crate::syntax::{self, Block, BlockSchema, Body, Expr, ExprKind, Notation, Part, Schema};
use crate::text::{FileId, Source};
use crate::vfs::last_name;

/// The placeholder for an unknown part of a generated file: it can be a value, part of a string, or a label.
pub const STAND_IN: &str = "unknown_part";

/// Above this number of names, the declarations of generated files count as unknown.
const MOST_NAMES: usize = 1000;

/// A unit file, or an included file.
#[derive(Debug)]
pub struct TerragruntFile {
    /// `source` in the `terraform` block.
    pub source: Option<Expr>,
    /// The `include` blocks.
    pub includes: Vec<Include>,
    /// The `locals`, by name.
    pub locals: BTreeMap<SmolStr, Expr>,
    /// The `inputs`.
    pub inputs: Option<Expr>,
    /// The `generate` blocks.
    pub generated: Vec<GeneratedFile>,
    /// Whether it may add files to a module in other ways: by a hook, a computed `generate`, or in a part of the file
    /// that cannot be read.
    pub adds_files: bool,
    /// The whole content.
    pub body: Body,
}

/// An `include` block.
#[derive(Debug)]
pub struct Include {
    /// The label; empty without one.
    pub name: SmolStr,
    /// The path of the included file.
    pub path: Expr,
    /// Whether the included configuration is merged into the unit.
    pub is_merged: bool,
}

/// A `generate` block.
#[derive(Debug)]
pub struct GeneratedFile {
    /// The path of the file.
    pub path: Option<Expr>,
    /// The content of the file.
    pub contents: Option<Expr>,
}

/// The declarations in files that a tool generates in the directory of a module. A file that only configures the
/// storage of the state does not count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Generated {
    /// Whether there are any such files.
    pub is_there: bool,
    /// Whether their declarations are unknown.
    pub is_unknown: bool,
    /// The addresses that they declare and other blocks refer to: `var.a`, `local.a` and so on.
    pub names: BTreeSet<String>,
    /// Whether they may also change blocks of other files. `false` if only the declarations of base files are unknown.
    pub may_change_blocks: bool,
    /// The names of these base files.
    pub unknown_base_files: BTreeSet<SmolStr>,
}

/// How Terragrunt runs a module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunBy {
    /// The unit files whose `source` is the module, sorted.
    pub units: Vec<SmolStr>,
    /// Whether a unit runs the module, or may run it.
    pub may_be_run: bool,
    /// The files that the units generate in its directory.
    pub generated: Generated,
}

impl RunBy {
    /// Adds a unit; `None` for one that may run the module.
    pub fn with(&mut self, unit: Option<&SmolStr>, generated: &Generated) {
        self.units.extend(unit.cloned());
        self.may_be_run = true;
        self.generated.add(generated);
    }
}

impl TerragruntFile {
    /// Parses a file. Its errors are for Terragrunt to report.
    pub fn read(source: &Source) -> Self {
        let limits = Limits::default();
        let (file, wrong) = syntax::parse(FileId::new(0), source, Notation::of(source.name()), &limits);
        let schema = Schema {
            attributes: &[],
            blocks: &[
                BlockSchema::new("terraform", &[]),
                BlockSchema::new("include", &[]).and_maybe(&["name"]),
                BlockSchema::new("locals", &[]),
                BlockSchema::new("generate", &["name"]),
            ],
        };
        let (content, rest) = file.body.partial_content(&schema, &mut Vec::new());
        let mut read = Self {
            source: None,
            includes: Vec::new(),
            locals: BTreeMap::new(),
            inputs: file.body.attribute("inputs").map(|inputs| inputs.expr.clone()),
            generated: Vec::new(),
            adds_files: !file.complete || !wrong.is_empty() || rest.attribute("generate").is_some(),
            body: file.body,
        };
        for block in &content.blocks {
            match block.kind.as_str() {
                "terraform" => {
                    read.source = value(block, "source");
                    read.adds_files |= copies_module_files(&block.body);
                }
                "include" => read.includes.extend(include(block)),
                "locals" => {
                    let locals = block.body.just_attributes(&mut Vec::new()).into_iter();
                    read.locals.extend(locals.map(|local| (local.name.clone(), local.expr.clone())));
                }
                _ => read
                    .generated
                    .push(GeneratedFile { path: value(block, "path"), contents: value(block, "contents") }),
            }
        }
        read
    }
}

fn value(block: &Block, name: &str) -> Option<Expr> {
    block.attribute(name).map(|attribute| attribute.expr.clone())
}

fn include(block: &Arc<Block>) -> Option<Include> {
    let name = block.labels.first().map(|label| label.text.clone()).unwrap_or_default();
    let strategy = value(block, "merge_strategy");
    let is_merged = strategy.is_none_or(|strategy| literals(&strategy) != ["no_merge"]);
    Some(Include { name, path: value(block, "path")?, is_merged })
}

/// Whether a hook mentions a module file, for example to copy it.
fn copies_module_files(terraform: &Body) -> bool {
    let schema = Schema {
        attributes: &[],
        blocks: &[BlockSchema::new("before_hook", &["name"]), BlockSchema::new("after_hook", &["name"])],
    };
    let hooks = terraform.matching(&schema).blocks;
    let commands = hooks.iter().filter_map(|hook| value(hook, "execute"));
    let names_module_file = |text: &str| {
        text.split_whitespace().any(|word| is_module_file(last_name(word.trim_matches(['"', '\'', ';']))))
    };
    commands.into_iter().any(|command| literals(&command).iter().any(|text| names_module_file(text)))
}

/// The literal parts of all strings in an expression.
fn literals(expr: &Expr) -> Vec<SmolStr> {
    let mut literals = Vec::new();
    expr.walk(&mut |inner, _| match &inner.kind {
        ExprKind::Template(template) => {
            let text = template.parts.iter().filter_map(|part| match part {
                Part::Literal { text, .. } => Some(text.clone()),
                Part::Interpolation(_) | Part::If(_) | Part::For(_) => None,
            });
            literals.extend(text);
        }
        ExprKind::JsonString(string) => literals.push(string.text.clone()),
        _ => {}
    });
    literals
}

impl Generated {
    /// Generated files with unknown declarations.
    pub fn unknown() -> Self {
        Self { is_there: true, is_unknown: true, may_change_blocks: true, ..Self::default() }
    }

    /// A generated base file of this name with unknown declarations.
    pub fn unknown_base_file(name: &str) -> Self {
        let unknown_base_files = [name.into()].into();
        Self { is_there: true, is_unknown: true, unknown_base_files, ..Self::default() }
    }

    /// Whether they may change blocks in these files: in override files, or by replacing one of these.
    pub fn may_change<'n>(&self, mut files: impl Iterator<Item = &'n str>) -> bool {
        self.may_change_blocks || files.any(|name| self.unknown_base_files.contains(name))
    }

    /// A generated file with this text, in which [`STAND_IN`] marks unknown parts.
    pub fn by(text: &str) -> Self {
        let source = Source::new("generated.tf", text.as_bytes().to_vec());
        let (file, wrong) = syntax::parse(FileId::new(0), &source, Notation::Native, &Limits::default());
        let blocks = file.body.any_blocks();
        let has_arguments = file.body.names().len() != blocks.len();
        let mut generated = Self::default();
        if !file.complete || !wrong.is_empty() || has_arguments {
            return Self::unknown();
        }
        for block in blocks {
            generated.is_there |= !is_storage(&block);
            match addresses(&block) {
                Some(addresses) => generated.names.extend(addresses),
                None => generated.is_unknown = true,
            }
        }
        let is_unknown = generated.is_unknown || generated.names.len() > MOST_NAMES;
        if is_unknown || generated.names.iter().any(|name| name.contains(STAND_IN)) {
            return Self::unknown();
        }
        generated
    }

    /// Adds more files.
    pub fn add(&mut self, other: &Self) {
        self.is_there |= other.is_there;
        self.is_unknown |= other.is_unknown;
        self.names.extend(other.names.iter().cloned());
        self.may_change_blocks |= other.may_change_blocks;
        self.unknown_base_files.extend(other.unknown_base_files.iter().cloned());
    }
}

/// Whether a block only configures the storage of the state.
fn is_storage(block: &Block) -> bool {
    let is_storage = |name: &SmolStr| ["backend", "cloud"].contains(&name.as_str());
    block.kind == "terraform" && block.body.names().iter().all(is_storage)
}

/// The addresses that a block declares. Returns `None` if they are unknown.
fn addresses(block: &Block) -> Option<Vec<String>> {
    let labels: Vec<&str> = block.labels.iter().map(|label| label.text.as_str()).collect();
    let locals = || block.body.just_attributes(&mut Vec::new()).into_iter();
    match (block.kind.as_str(), labels.as_slice()) {
        ("terraform" | "moved" | "removed" | "import", []) | ("provider", [_]) => Some(Vec::new()),
        ("locals", []) => Some(locals().map(|local| format!("local.{}", local.name)).collect()),
        ("variable", [name]) => Some(vec![format!("var.{name}")]),
        ("output", [name]) => Some(vec![format!("output.{name}")]),
        ("module", [name]) => Some(vec![format!("module.{name}")]),
        ("resource", [kind, name]) => Some(vec![format!("{kind}.{name}")]),
        ("data", [kind, name]) => Some(vec![format!("data.{kind}.{name}")]),
        ("ephemeral", [kind, name]) => Some(vec![format!("ephemeral.{kind}.{name}")]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use indoc::indoc;

    use super::*;

    #[test]
    fn what_a_generated_file_declares_shows_in_its_blocks() {
        let names = |names: &[&str]| Generated {
            is_there: true,
            names: names.iter().map(ToString::to_string).collect(),
            ..Generated::default()
        };
        for (text, expected) in [
            ("", Generated::default()),
            (
                indoc! {r#"
                    terraform {
                      backend "s3" {
                        key = "x"
                      }
                    }
                "#},
                Generated::default(),
            ),
            ("terraform {\n  required_version = \">= 1.5\"\n}\n", names(&[])),
            ("provider \"aws\" {\n  region = x\n}\n", names(&[])),
            (
                indoc! {r#"
                    variable "env" {}
                    locals {
                      a = 1
                    }
                "#},
                names(&["local.a", "var.env"]),
            ),
            ("data \"a_b\" \"c\" {}\nresource \"a_b\" \"c\" {}\n", names(&["a_b.c", "data.a_b.c"])),
            ("variable \"unknown_part\" {}\n", Generated::unknown()),
            ("check \"c\" {}\n", Generated::unknown()),
            ("a = 1\n", Generated::unknown()),
            ("unknown_part\n", Generated::unknown()),
            ("provider \"aws\" {\n", Generated::unknown()),
        ] {
            assert_eq!(Generated::by(text), expected, "{text}");
        }
    }

    #[test]
    fn a_hook_that_names_a_module_file_adds_one() {
        let adds_files =
            |text: &str| TerragruntFile::read(&Source::new("terragrunt.hcl", text.into())).adds_files;
        let hook = |command: &str| {
            format!(
                r#"
                terraform {{
                  source = "../m"
                  before_hook "h" {{
                    commands = ["init"]
                    execute  = {command}
                  }}
                }}
                "#
            )
        };
        assert!(adds_files(&hook(r#"["cp", "${get_parent_terragrunt_dir()}/provider.tf", "."]"#)));
        assert!(adds_files(&hook(r#"["sh", "-c", "cat a b > c.tf"]"#)));
        assert!(!adds_files(&hook(r#"["tflint", "--var-file", "a.tfvars"]"#)));
        assert!(adds_files("generate = local.files\n"));
        assert!(adds_files("terraform {\n"), "what could not be read may add files");
    }
}

//! Finds the directories that a module may call with any engine.
//!
//! A run with a change needs the calls of all modules in the repository, so this search is fast: most files have no
//! call, which a text search shows without a parser. The result is cached, so it must not depend on the limits of a
//! run.

use std::collections::BTreeSet;
use std::sync::Arc;

use smol_str::{SmolStr, ToSmolStr};

use crate::engine::{Engine, Product};
use crate::limits::Limits;
use crate::module::address::ModuleSource;
use crate::module::{self, Module, ModuleFile, StateAddress};
use crate::session::reads;
use crate::syntax::{self, Attribute, BlockSchema, Body, File, Notation, Schema};
use crate::text::{FileId, Source};
use crate::value;

/// The local paths in the calls of a module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Calls {
    /// Normalized as the engines do, with `/` and a leading `./` or `../`, sorted.
    pub(crate) addresses: BTreeSet<SmolStr>,
    /// The addresses of the states that backend blocks configure, as read by [`StateAddress::text_from_top`].
    pub(crate) states: BTreeSet<SmolStr>,
    /// The patterns of the files that its functions may read, as read by [`reads::first_match`].
    pub(crate) reads: BTreeSet<SmolStr>,
    /// Whether all files could be read.
    pub(crate) complete: bool,
    /// Whether a file shows that the module is a root module.
    pub(crate) shows_root: bool,
}

impl Calls {
    /// Searches the files of a directory for calls. A file without a source could not be read.
    pub(crate) fn of(files: &[(SmolStr, Option<Source>)]) -> Self {
        let sources: Vec<&Source> = files.iter().filter_map(|(_, source)| source.as_ref()).collect();
        let mut calls = Self {
            complete: sources.len() == files.len(),
            shows_root: sources.iter().copied().any(shows_root),
            ..Self::default()
        };
        let mut all_are_written_out = true;
        for source in sources {
            let has = |word| source.text().contains(word);
            let is_json = Notation::of(source.name()) == Notation::Json;
            reads::patterns(source.text(), is_json, &mut calls.reads);
            if has("backend") || has("cloud") {
                let states = StateAddress::all_in(&parse(source).body);
                calls.states.extend(states.iter().map(ToSmolStr::to_smolstr));
            }
            // Every call starts with this word.
            let addresses = if has("module") { written_out(&parse(source).body) } else { Vec::new() };
            all_are_written_out &= addresses.iter().all(Option::is_some);
            calls.addresses.extend(addresses.iter().flatten().filter_map(|address| local_address(address)));
        }
        if !all_are_written_out {
            calls.evaluate(files);
        }
        calls
    }

    /// Adds addresses that the engines evaluate.
    fn evaluate(&mut self, files: &[(SmolStr, Option<Source>)]) {
        let parsed = |(name, source): &(SmolStr, Option<Source>)| (name.clone(), source.as_ref().map(parse));
        let files: Vec<(SmolStr, Option<File>)> = files.iter().map(parsed).collect();
        for engine in Product::ALL.map(Engine::newest) {
            let loaded = engine.module_files(&files, |(name, _)| name).into_iter();
            let files = loaded.filter_map(|((name, file), loaded)| {
                let File { body, complete, .. } = file.as_ref()?;
                Some(ModuleFile { name, body, kind: loaded.kind, complete: *complete })
            });
            let files: Vec<ModuleFile<'_>> = files.collect();
            let module = Module::build("", &files, &engine.features(), &Limits::default(), &mut Vec::new());
            for call in module.calls.into_values() {
                if let Some(ModuleSource::Local(path)) = call.source.and_then(|source| source.address) {
                    self.addresses.insert(path);
                }
            }
        }
    }
}

/// Whether a file shows that its module is a root module.
pub(crate) fn shows_root(source: &Source) -> bool {
    let text = source.text();
    // Most files have none of these words and are not parsed. `required_providers` does not count.
    let words = ["backend", "cloud", "provider ", "provider\t", "provider\"", "provider/"];
    words.iter().any(|word| text.contains(word)) && module::shows_root(&parse(source).body)
}

/// The path that a source address names, if it is local.
pub(super) fn local_address(raw: &str) -> Option<SmolStr> {
    match ModuleSource::parse(raw, false, &Engine::newest(Product::Terraform).features()) {
        Ok(ModuleSource::Local(path)) => Some(path),
        Ok(ModuleSource::Registry(_) | ModuleSource::Remote(_)) | Err(_) => None,
    }
}

pub(super) fn parse(source: &Source) -> File {
    syntax::parse(FileId::new(0), source, Notation::of(source.name()), &Limits::default()).0
}

/// The address of each call in a file, except addresses with expressions.
fn written_out(body: &Body) -> Vec<Option<SmolStr>> {
    let schema = Schema { attributes: &[], blocks: &[BlockSchema::new("module", &["name"])] };
    let blocks = body.matching(&schema).blocks;
    let sources = blocks.iter().filter_map(|block| block.attribute("source"));
    let address = |source: Arc<Attribute>| {
        let mut wrong = Vec::new();
        let value = value::constant(&source.expr, &mut wrong);
        value.as_str().filter(|_| wrong.is_empty()).map(SmolStr::new)
    };
    sources.map(address).collect()
}

#[cfg(test)]
mod tests {
    use indoc::indoc;

    use super::*;

    fn calls(files: &[(&str, &str)]) -> Vec<String> {
        let source = |name: &str, text: &str| (SmolStr::new(name), Some(Source::new(name, text.into())));
        let files: Vec<_> = files.iter().map(|(name, text)| source(name, text)).collect();
        Calls::of(&files).addresses.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_address_that_is_written_out_counts() {
        let text = indoc! {r#"
            module "a" {
              source = "../net//"
            }
            module "b" {
              source = "hashicorp/x/y"
            }
        "#};
        let over = "module \"a\" {\n  source = \"./mock\"\n}\n";
        assert_eq!(calls(&[("main.tf", text), ("main_override.tf", over)]), ["../net", "./mock"]);
        let json = r#"{"module": {"a": [{"source": "./a"}, {"source": "./b"}]}}"#;
        assert_eq!(calls(&[("main.tf.json", json)]), ["./a", "./b"]);
        assert!(calls(&[("main.tf", "locals {\n  module = \"./a\"\n}\n")]).is_empty());
    }

    #[test]
    fn an_address_that_is_computed_is_what_some_engine_makes_of_it() {
        let text = indoc! {r#"
            locals {
              name = "net"
            }
            module "a" {
              source = "./modules/${local.name}"
            }
        "#};
        assert_eq!(calls(&[("main.tf", text)]), ["./modules/net"]);
        assert_eq!(calls(&[("main.tofu", text), ("main.tf", "")]), ["./modules/net"]);
        assert!(calls(&[("main.tf", "module \"a\" {\n  source = var.nothing\n}\n")]).is_empty());
    }

    #[test]
    fn a_file_that_was_not_read_is_remembered() {
        let files = [(SmolStr::new("main.tf"), None)];
        assert_eq!(Calls::of(&files), Calls { complete: false, ..Calls::default() });
    }

    #[test]
    fn a_root_module_shows_itself_by_what_it_configures() {
        let shows = |name: &str, text: &str| shows_root(&Source::new(name, text.into()));
        for text in [
            "terraform {\n  backend \"s3\" {}\n}\n",
            "terraform {\n  cloud {}\n}\n",
            "provider \"aws\" {\n  region = \"eu-west-1\"\n}\n",
            "provider azurerm {\n  features {}\n}\n",
        ] {
            assert!(shows("main.tf", text), "{text}");
        }
        for text in [
            "provider \"aws\" {}\n",
            indoc! {r#"
                provider "aws" {
                  alias   = "a"
                  version = "~> 2.0"
                }
            "#},
            indoc! {"
                terraform {
                  required_providers {
                    aws = {}
                  }
                }
            "},
            "resource \"a_backend\" \"b\" {\n  provider = aws.b\n}\n",
        ] {
            assert!(!shows("main.tf", text), "{text}");
        }
        assert!(shows("main.tf.json", r#"{"provider": {"aws": {"region": "eu-west-1"}}}"#));
        assert!(!shows("main.tf.json", r#"{"provider": {"aws": {}}}"#));
    }
}

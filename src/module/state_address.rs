//! Computes the address of the state that a `backend` or `cloud` block selects.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use smol_str::SmolStr;

use crate::limits::Limits;
use crate::syntax::{Block, BlockSchema, Body, Schema};
use crate::value;
use crate::vfs::join;

/// The address of a state: a backend, and the values of the arguments that select a state in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct StateAddress {
    /// The backend type. `cloud` and the backend `remote` keep the same states.
    pub backend: &'static str,
    /// The argument that usually differs between root modules.
    pub own: &'static str,
    /// The values of the arguments, by name.
    pub arguments: BTreeMap<&'static str, SmolStr>,
}

/// The arguments of a backend type that select a state.
struct Backend {
    name: &'static str,
    required: &'static [&'static str],
    /// The arguments with a default.
    optional: &'static [&'static str],
    own: &'static str,
}

/// The known backend types, except those with separate functions below. Arguments for connections are left out.
const BACKENDS: &[Backend] = &[
    Backend {
        name: "azurerm",
        required: &["storage_account_name", "container_name", "key"],
        optional: &["environment", "metadata_host"],
        own: "key",
    },
    Backend {
        name: "consul",
        required: &["address", "path"],
        optional: &["scheme", "datacenter"],
        own: "path",
    },
    Backend { name: "cos", required: &["bucket"], optional: &["prefix", "key", "region"], own: "prefix" },
    Backend { name: "gcs", required: &["bucket"], optional: &["prefix"], own: "prefix" },
    Backend { name: "http", required: &["address"], optional: &[], own: "address" },
    Backend {
        name: "kubernetes",
        required: &["secret_suffix", "config_context"],
        optional: &["namespace", "config_path", "host"],
        own: "secret_suffix",
    },
    Backend {
        name: "oci",
        required: &["bucket", "namespace", "key"],
        optional: &["workspace_key_prefix"],
        own: "key",
    },
    Backend { name: "oss", required: &["bucket"], optional: &["prefix", "key", "endpoint"], own: "prefix" },
    Backend {
        name: "pg",
        required: &["conn_str", "schema_name"],
        optional: &["table_name", "index_name"],
        own: "schema_name",
    },
    Backend {
        name: "s3",
        required: &["bucket", "key"],
        optional: &["region", "workspace_key_prefix", "endpoint", "endpoints"],
        own: "key",
    },
];

/// The prefix of the text of an address in a local file.
const FILE: &str = "local path=";

impl StateAddress {
    /// The address that a block selects. `kind` is its label, or `None` for `cloud`. Returns `None` if any part of
    /// the address is not a literal.
    pub fn of(kind: Option<&str>, block: &Block, limits: &Limits) -> Option<Self> {
        match kind {
            None | Some("remote") => workspace(block, limits),
            Some("local") => file(block, limits),
            Some(kind) => stored(kind, block, limits),
        }
    }

    /// The addresses that the blocks of a file select. A module uses one of the addresses in its files, or none: of
    /// several blocks, one replaces the others completely.
    pub fn all_in(body: &Body, limits: &Limits) -> BTreeSet<Self> {
        let schema = Schema { attributes: &[], blocks: &[BlockSchema::new("terraform", &[])] };
        let (content, _) = body.partial_content(&schema, &mut Vec::new());
        let blocks = |kind, labels: &[&str]| -> Vec<_> {
            content.blocks.iter().flat_map(|it| it.blocks(kind, labels)).collect()
        };
        let backends = blocks("backend", &["type"]).into_iter();
        let backends =
            backends.filter_map(|block| Self::of(Some(&block.labels.first()?.text), &block, limits));
        let clouds = blocks("cloud", &[]).into_iter().filter_map(|block| Self::of(None, &block, limits));
        backends.chain(clouds).collect()
    }

    /// Whether the address includes the names of workspaces.
    pub fn has_workspaces(&self) -> bool {
        self.arguments.contains_key("workspace_key_prefix")
    }

    /// The same address relative to the top directory of the run. Returns `None` if it leads outside.
    #[must_use]
    pub fn from_top(mut self, directory: &str) -> Option<Self> {
        if self.backend == "local"
            && let Some(path) = self.arguments.get_mut("path")
            && !path.starts_with('/')
        {
            *path = join(directory, path)?.into();
        }
        Some(self)
    }

    /// Like [`Self::from_top`], for the text of an address.
    pub fn text_from_top<'a>(text: &'a str, directory: &str) -> Option<Cow<'a, str>> {
        match text.strip_prefix(FILE).filter(|path| !path.starts_with('/')) {
            Some(path) => Some(format!("{FILE}{}", join(directory, path)?).into()),
            None => Some(text.into()),
        }
    }
}

impl fmt::Display for StateAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.backend)?;
        self.arguments.iter().try_for_each(|(name, value)| write!(f, " {name}={value}"))
    }
}

fn stored(kind: &str, block: &Block, limits: &Limits) -> Option<StateAddress> {
    let backend = BACKENDS.iter().find(|backend| backend.name == kind)?;
    // In newer releases, some of them are blocks.
    if backend.optional.iter().any(|name| !block.blocks(name, &[]).is_empty()) {
        return None;
    }
    let given = backend.optional.iter().filter(|name| block.attribute(name).is_some());
    let arguments = backend.required.iter().chain(given);
    let arguments: Option<_> = arguments.map(|name| Some((*name, written(block, name, limits)?))).collect();
    Some(StateAddress { backend: backend.name, own: backend.own, arguments: arguments? })
}

/// A workspace of HCP Terraform or a compatible server.
fn workspace(block: &Block, limits: &Limits) -> Option<StateAddress> {
    let hostname = match block.attribute("hostname") {
        Some(_) => written(block, "hostname", limits)?,
        None => "app.terraform.io".into(),
    };
    let organization = written(block, "organization", limits)?;
    // With tags or a prefix, each working directory selects its workspace.
    let workspaces = block.blocks("workspaces", &[]);
    let name = written(workspaces.first()?, "name", limits)?;
    let arguments = [("hostname", hostname), ("organization", organization), ("name", name)].into();
    Some(StateAddress { backend: "remote", own: "name", arguments })
}

/// A file at an absolute path, or at one relative to the module.
fn file(block: &Block, limits: &Limits) -> Option<StateAddress> {
    let path = written(block, "path", limits)?;
    let is_plain = !path.contains('\\') && block.attribute("workspace_dir").is_none();
    is_plain.then(|| StateAddress { backend: "local", own: "path", arguments: [("path", path)].into() })
}

/// The value of a literal argument, unless it looks like a placeholder.
fn written(block: &Block, name: &str, limits: &Limits) -> Option<SmolStr> {
    let value = value::text(&block.attribute(name)?.expr, limits, &mut Vec::new())?;
    (!value.is_empty() && !is_placeholder(&value)).then_some(value)
}

/// Words that mark placeholders.
const PLACEHOLDERS: &[&str] =
    &["change", "replace", "your", "todo", "fixme", "placeholder", "example", "xxx", "dummy"];

fn is_placeholder(value: &str) -> bool {
    let has_letters = value.contains(|c: char| c.is_ascii_alphabetic());
    let is_shouted = has_letters && !value.contains(|c: char| c.is_ascii_lowercase());
    let lower = value.to_ascii_lowercase();
    is_shouted
        || value.contains(['<', '>', '{', '}', '$', '%', '*', '@'])
        || value.contains("__")
        || PLACEHOLDERS.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{self, Notation};
    use crate::text::{FileId, Source};

    fn addresses(text: &str) -> Vec<String> {
        let source = Source::new("main.tf", text.into());
        let limits = Limits::default();
        let (file, _) = syntax::parse(FileId::new(0), &source, Notation::Native, &limits);
        StateAddress::all_in(&file.body, &limits).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_address_is_what_selects_a_state() {
        let text = r#"
            terraform {
              backend "s3" {
                bucket  = "states"
                key     = "net.tfstate"
                profile = var.profile
              }
            }
            terraform {
              cloud {
                organization = "acme"
                workspaces {
                  name = "net"
                }
              }
            }
        "#;
        let workspace = "remote hostname=app.terraform.io name=net organization=acme";
        assert_eq!(addresses(text), [workspace, "s3 bucket=states key=net.tfstate"]);
    }

    #[test]
    fn an_address_that_is_not_written_out_is_none() {
        for arguments in [
            r#"key = "net""#,
            r#"bucket = var.bucket, key = "net""#,
            r#"bucket = "states", key = "<net>""#,
            r#"bucket = "your-bucket", key = "net""#,
            r#"bucket = "BUCKET", key = "net""#,
            r#"bucket = "states", key = "net", endpoints = { s3 = "http://localhost" }"#,
        ] {
            let arguments = arguments.replace(", ", "\n");
            let text = format!("terraform {{\nbackend \"s3\" {{\n{arguments}\n}}\n}}\n");
            assert_eq!(addresses(&text), [""; 0], "{arguments}");
        }
        assert_eq!(addresses("terraform {\n  backend \"unheard\" {\n    key = \"a\"\n  }\n}\n"), [""; 0]);
    }

    #[test]
    fn a_path_is_relative_to_the_module() {
        let text = "terraform {\n  backend \"local\" {\n    path = \"../net.tfstate\"\n  }\n}\n";
        assert_eq!(addresses(text), ["local path=../net.tfstate"]);
        let from_top = |text| StateAddress::text_from_top(text, "live/a").map(Cow::into_owned);
        assert_eq!(from_top("local path=../net.tfstate").as_deref(), Some("local path=live/net.tfstate"));
        assert_eq!(from_top("local path=../../../net.tfstate"), None);
        for same in ["local path=/net.tfstate", "gcs bucket=states prefix=../net"] {
            assert_eq!(from_top(same).as_deref(), Some(same));
        }
    }
}

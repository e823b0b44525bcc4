//! Computes the address of the state that a `backend` or `cloud` block selects.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use smol_str::SmolStr;

use crate::limits::Limits;
use crate::syntax::{Block, BlockSchema, Body, Schema};
use crate::value::{self, Value};
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

/// The arguments of a backend block that select a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateParts {
    /// The literal ones, by name.
    pub known: BTreeMap<&'static str, SmolStr>,
    /// The required ones that the block does not set.
    pub missing: Vec<&'static str>,
    /// The required ones with a value that is not known: not a literal, or a placeholder.
    pub unclear: Vec<&'static str>,
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
        address(kind, &Arguments::Block(block, limits))
    }

    /// The address that the arguments of a `terraform_remote_state` data source select. Returns `None` if any part of
    /// it is not known.
    pub fn of_config(kind: &str, config: &BTreeMap<SmolStr, Value>) -> Option<Self> {
        address(Some(kind), &Arguments::Config(config))
    }

    /// The file in the directory of a root module without a backend.
    pub fn default_file() -> Self {
        let path = "terraform.tfstate".into();
        Self { backend: "local", own: "path", arguments: [("path", path)].into() }
    }

    /// Whether it is a file on disk.
    pub fn is_file(&self) -> bool {
        self.backend == "local"
    }

    /// Whether both addresses select the same state. One may leave out an optional argument.
    pub fn selects(&self, other: &Self) -> bool {
        let same = |(name, value): (&&str, &SmolStr)| {
            *name == "workspace_key_prefix" || other.arguments.get(name).is_none_or(|other| other == value)
        };
        self.backend == other.backend && self.arguments.iter().all(same)
    }

    /// The arguments of a block that select a state, as far as they are known, and the names of the others that are
    /// required. `None` for a backend that is not known.
    pub fn parts(kind: Option<&str>, block: &Block, limits: &Limits) -> Option<StateParts> {
        let given = Arguments::Block(block, limits);
        let (required, optional) = match kind {
            None | Some("remote") => (&["organization", "workspaces"][..], &["hostname"][..]),
            Some("local") => (&["path"][..], &["workspace_dir"][..]),
            Some(kind) => {
                let backend = BACKENDS.iter().find(|backend| backend.name == kind)?;
                (backend.required, backend.optional)
            }
        };
        let text = |name: &&'static str| match *name {
            "workspaces" => given.workspace(),
            name => given.text(name),
        };
        let is_set = |name: &str| match given {
            Arguments::Block(block, _) if name == "workspaces" => !block.blocks(name, &[]).is_empty(),
            _ => given.has(name),
        };
        let all = required.iter().chain(optional);
        Some(StateParts {
            known: all.filter_map(|name| Some((*name, text(name)?))).collect(),
            missing: required.iter().copied().filter(|name| text(name).is_none() && !is_set(name)).collect(),
            unclear: required.iter().copied().filter(|name| text(name).is_none() && is_set(name)).collect(),
        })
    }

    /// The addresses that the blocks of a file select. A module uses one of the addresses in its files, or none: of
    /// several blocks, one replaces the others completely.
    pub fn all_in(body: &Body) -> BTreeSet<Self> {
        let limits = &Limits::default();
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

/// Values of root modules, by the addresses of their states.
#[derive(Debug)]
pub struct ByStateAddress<T>(BTreeMap<(&'static str, Option<SmolStr>), Vec<T>>);

impl<T> ByStateAddress<T> {
    /// Adds a value.
    pub fn insert(&mut self, address: &StateAddress, value: T) {
        self.0.entry(Self::key(address)).or_default().push(value);
    }

    /// The values at all addresses that this one may [select](StateAddress::selects), and at some others.
    pub fn near(&self, address: &StateAddress) -> impl Iterator<Item = &T> {
        let key = Self::key(address);
        let without = (key.0, None);
        let all = key.1.is_none().then(|| self.0.range(without.clone()..));
        let all = all.into_iter().flatten().take_while(move |((backend, _), _)| *backend == key.0);
        let some = key.1.is_some().then(|| [self.0.get(&key), self.0.get(&without)]);
        all.map(|(_, values)| values).chain(some.into_iter().flatten().flatten()).flatten()
    }

    fn key(address: &StateAddress) -> (&'static str, Option<SmolStr>) {
        (address.backend, address.arguments.get(address.own).cloned())
    }
}

impl<T> Default for ByStateAddress<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl fmt::Display for StateAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.backend)?;
        self.arguments.iter().try_for_each(|(name, value)| write!(f, " {name}={value}"))
    }
}

/// Where the arguments of a backend are written.
enum Arguments<'a> {
    /// In a block.
    Block(&'a Block, &'a Limits),
    /// In an object, with their values.
    Config(&'a BTreeMap<SmolStr, Value>),
}

impl Arguments<'_> {
    fn has(&self, name: &str) -> bool {
        match self {
            Self::Block(block, _) => block.attribute(name).is_some(),
            Self::Config(config) => config.get(name).is_some_and(|value| !matches!(value, Value::Null(_))),
        }
    }

    /// The value of an argument that is known, unless it looks like a placeholder.
    fn text(&self, name: &str) -> Option<SmolStr> {
        let value = match self {
            Self::Block(block, limits) => value::text(&block.attribute(name)?.expr, limits, &mut Vec::new())?,
            Self::Config(config) => config.get(name)?.as_str()?.into(),
        };
        (!value.is_empty() && !is_placeholder(&value)).then_some(value)
    }

    /// Whether an argument has several values in it.
    fn is_nested(&self, name: &str) -> bool {
        match self {
            Self::Block(block, _) => !block.blocks(name, &[]).is_empty(),
            Self::Config(config) => {
                matches!(config.get(name), Some(Value::Object(_) | Value::Map(..) | Value::Tuple(_)))
            }
        }
    }

    /// The name of the workspace.
    fn workspace(&self) -> Option<SmolStr> {
        match self {
            Self::Block(block, limits) => {
                Arguments::Block(block.blocks("workspaces", &[]).first()?, limits).text("name")
            }
            Self::Config(config) => match config.get("workspaces")? {
                Value::Object(workspaces) => Self::Config(workspaces).text("name"),
                _ => None,
            },
        }
    }
}

fn address(kind: Option<&str>, arguments: &Arguments<'_>) -> Option<StateAddress> {
    match kind {
        None | Some("remote") => workspace(arguments),
        Some("local") => file(arguments),
        Some(kind) => stored(kind, arguments),
    }
}

fn stored(kind: &str, given: &Arguments<'_>) -> Option<StateAddress> {
    let backend = BACKENDS.iter().find(|backend| backend.name == kind)?;
    // In newer releases, some of them are blocks.
    if backend.optional.iter().any(|name| given.is_nested(name)) {
        return None;
    }
    let optional = backend.optional.iter().filter(|name| given.has(name));
    let arguments = backend.required.iter().chain(optional);
    let arguments: Option<_> = arguments.map(|name| Some((*name, given.text(name)?))).collect();
    Some(StateAddress { backend: backend.name, own: backend.own, arguments: arguments? })
}

/// A workspace of HCP Terraform or a compatible server.
fn workspace(given: &Arguments<'_>) -> Option<StateAddress> {
    let hostname = if given.has("hostname") { given.text("hostname")? } else { "app.terraform.io".into() };
    let organization = given.text("organization")?;
    // With tags or a prefix, each working directory selects its workspace.
    let name = given.workspace()?;
    let arguments = [("hostname", hostname), ("organization", organization), ("name", name)].into();
    Some(StateAddress { backend: "remote", own: "name", arguments })
}

/// A file at an absolute path, or at one relative to the module.
fn file(given: &Arguments<'_>) -> Option<StateAddress> {
    let path = given.text("path")?;
    let is_plain = !path.contains('\\') && !given.has("workspace_dir");
    is_plain.then(|| StateAddress { backend: "local", own: "path", arguments: [("path", path)].into() })
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
    use indoc::indoc;

    use super::*;
    use crate::syntax::{self, Notation};
    use crate::text::{FileId, Source};

    fn addresses(text: &str) -> Vec<String> {
        let source = Source::new("main.tf", text.into());
        let (file, _) = syntax::parse(FileId::new(0), &source, Notation::Native, &Limits::default());
        StateAddress::all_in(&file.body).iter().map(ToString::to_string).collect()
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
        assert_eq!(
            addresses(indoc! {r#"
                terraform {
                  backend "unheard" {
                    key = "a"
                  }
                }
            "#}),
            [""; 0]
        );
    }

    #[test]
    fn a_path_is_relative_to_the_module() {
        let text = indoc! {r#"
            terraform {
              backend "local" {
                path = "../net.tfstate"
              }
            }
        "#};
        assert_eq!(addresses(text), ["local path=../net.tfstate"]);
        let from_top = |text| StateAddress::text_from_top(text, "live/a").map(Cow::into_owned);
        assert_eq!(from_top("local path=../net.tfstate").as_deref(), Some("local path=live/net.tfstate"));
        assert_eq!(from_top("local path=../../../net.tfstate"), None);
        for same in ["local path=/net.tfstate", "gcs bucket=states prefix=../net"] {
            assert_eq!(from_top(same).as_deref(), Some(same));
        }
    }
}

//! Reads the provider versions that a dependency lock file selects.

mod decode;

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use crate::engine::{Features, Product};
use crate::finding::Finding;
use crate::limits::Limits;
use crate::module::address::ProviderAddress;
use crate::syntax::{self, Block, BlockSchema, File, Notation, Schema};
use crate::text::{FileId, Source, Span};
use crate::value::{self, Version};

/// Parses a lock file and reports all its errors.
pub fn check(id: FileId, source: &Source, features: &Features, limits: &Limits) -> (File, Vec<Finding>) {
    let (file, mut findings) = syntax::parse(id, source, Notation::Native, limits);
    decode::check(&file.body, features, limits, &mut findings);
    (file, findings.into_iter().map(Finding::at_validate).collect())
}

/// The content of a lock file.
#[derive(Debug)]
pub struct Lock {
    selections: BTreeMap<ProviderAddress, Selection>,
    /// The header of the first block.
    pub start: Span,
}

/// The selected version of a provider.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// The version.
    pub version: Version,
    /// The version as written.
    pub text: SmolStr,
    /// The span of the version.
    pub at: Span,
    /// The number of `h1:` hashes. Each one is for the package of one platform.
    pub packages: usize,
}

impl Lock {
    /// Reads a lock file. Returns `None` if it has an error.
    pub fn read(id: FileId, source: &Source, features: &Features) -> Option<Self> {
        let (file, wrong) = syntax::parse(id, source, Notation::Native, &Limits::default());
        let schema = Schema { attributes: &[], blocks: &[BlockSchema::new("provider", &["source"])] };
        let (content, _) = file.body.partial_content(&schema, &mut Vec::new());
        let selections = content.blocks.iter().map(|block| selection(block, features));
        let selections: Option<_> = selections.collect();
        let start = content.blocks.first().map_or_else(|| Span::new(id, 0..0), |block| block.header);
        Some(Self { selections: selections.filter(|_| wrong.is_empty())?, start })
    }

    /// All selections.
    pub fn selections(&self) -> impl Iterator<Item = (&ProviderAddress, &Selection)> {
        self.selections.iter()
    }

    /// The selection of a provider.
    pub fn selection(&self, provider: &ProviderAddress) -> Option<&Selection> {
        self.selections.get(&plain(provider.clone()))
    }
}

fn selection(block: &Block, features: &Features) -> Option<(ProviderAddress, Selection)> {
    let provider = ProviderAddress::parse(&block.labels.first()?.text, features).ok()?;
    let expr = &block.attribute("version")?.expr;
    let text = value::text(expr, &Limits::default(), &mut Vec::new())?;
    let hashes = block.attribute("hashes");
    let hashes = hashes.as_ref().and_then(|hashes| hashes.expr.as_list()).unwrap_or_default();
    let value = |hash| value::text(hash, &Limits::default(), &mut Vec::new());
    let packages = hashes.iter().filter_map(value).filter(|hash| hash.starts_with("h1:"));
    let packages = packages.collect::<BTreeSet<_>>().len();
    Some((plain(provider), Selection { version: Version::parse(&text)?, text, at: expr.span, packages }))
}

/// The same provider in a registry that stands for both default registries, because the product that wrote the file
/// may be unknown.
fn plain(provider: ProviderAddress) -> ProviderAddress {
    if Product::ALL.iter().any(|product| product.registry_host() == provider.host) {
        return ProviderAddress { host: Product::Terraform.registry_host().into(), ..provider };
    }
    provider
}

#[cfg(test)]
mod tests {
    use indoc::indoc;

    use super::*;
    use crate::engine::Engine;

    fn read(text: &str) -> Option<Lock> {
        let features = Engine::newest(Product::OpenTofu).features();
        Lock::read(FileId::new(0), &Source::new(".terraform.lock.hcl", text.into()), &features)
    }

    fn provider(host: &str) -> ProviderAddress {
        ProviderAddress { host: host.into(), namespace: "hashicorp".into(), name: "aws".into() }
    }

    #[test]
    fn a_provider_has_one_version_in_whichever_registry() {
        let lock = read(indoc! {r#"
            # By hand.

            provider "registry.terraform.io/hashicorp/aws" {
              version = "5.1.0"
              hashes = [
                "h1:X",
              ]
            }
        "#});
        let lock = lock.expect("a lock file");
        let selected =
            |host: &str| lock.selection(&provider(host)).map(|selection| selection.text.to_string());
        assert_eq!(selected("registry.opentofu.org").as_deref(), Some("5.1.0"));
        assert_eq!(selected("registry.terraform.io").as_deref(), Some("5.1.0"));
        assert_eq!(selected("registry.example.com"), None);
        assert_eq!(lock.start.start, 12);
    }

    #[test]
    fn what_cannot_be_read_selects_nothing_at_all() {
        assert!(read("provider \"a/b/c/d\" {\n  version = \"1.0.0\"\n}\n").is_none());
        assert!(read("provider \"hashicorp/aws\" {}\n").is_none());
        assert!(read("provider \"hashicorp/aws\" {\n  version = \"one\"\n}\n").is_none());
        assert!(read("provider {\n").is_none());
        assert!(read("").is_some());
    }
}

//! Finds findings that only say that an engine does not know a construct of the other product.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::engines::result::EngineResult;
use crate::engine::Product;
use crate::finding::{Category, EngineRule, Finding, Severity};
use crate::text::{FileId, Sources, Span};
use crate::vfs::Snapshot;

/// The constructs of each product in the modules that it checks.
pub(super) struct Foreign<'w> {
    sources: &'w Sources,
    /// By product: the files that it loads.
    files: BTreeMap<Product, Vec<&'w BTreeSet<FileId>>>,
    /// By product: the ranges of constructs that only it has.
    places: BTreeMap<Product, Vec<Span>>,
}

impl<'w> Foreign<'w> {
    pub(super) fn of(results: &'w [EngineResult], snapshot: &'w Snapshot) -> Self {
        let mut foreign =
            Self { sources: snapshot.sources(), files: BTreeMap::new(), places: BTreeMap::new() };
        for result in results {
            let product = result.engine.product;
            foreign.places.entry(product).or_default().extend(&result.places);
            foreign.files.entry(product).or_default().push(&result.files);
        }
        foreign
    }

    /// Returns the other product if this finding of `product` says that it does not know a construct of that one.
    pub(super) fn belongs_to_other(&self, product: Product, finding: &Finding) -> Option<Product> {
        let other = match product {
            Product::Terraform => Product::OpenTofu,
            Product::OpenTofu => Product::Terraform,
        };
        let place = finding.primary.filter(|_| finding.category == Category::Language)?;
        // A file that the other product does not load has no constructs of it.
        let loaded = self.files.get(&other).into_iter().flatten().any(|files| files.contains(&place.file));
        (loaded && (self.is_unknown(product, finding, place) || self.is_in_place_of(other, place)))
            .then_some(other)
    }

    /// Whether a finding says that a block, an argument or a symbol is unknown, or that no known version of the product
    /// meets `required_version`, and the other product does not report it.
    fn is_unknown(&self, product: Product, finding: &Finding, place: Span) -> bool {
        let text = self.sources.slice(place);
        let symbol = match product {
            Product::Terraform => "tofu",
            Product::OpenTofu => "action",
        };
        let is_symbol = || text.strip_prefix(symbol).is_some_and(|rest| rest.starts_with('.'));
        finding.rule == EngineRule::UnsupportedBlockOrArgument.id()
            || (finding.rule == EngineRule::UnknownModuleArgument.id()
                && text == "ignore_nested_deprecations")
            || (finding.rule == EngineRule::UndeclaredReference.id() && is_symbol())
            || (finding.rule == EngineRule::UnsupportedEngineVersion.id()
                && finding.severity == Severity::Notice)
    }

    fn is_in_place_of(&self, other: Product, place: Span) -> bool {
        let places = self.places.get(&other).into_iter().flatten();
        places.into_iter().any(|own| own.overlaps(place))
    }
}

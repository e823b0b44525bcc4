//! Tells what an engine finds only because it does not know what belongs to the other one.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::engines::result::EngineResult;
use crate::engine::Product;
use crate::finding::{Category, EngineRule, Finding};
use crate::text::{FileId, Sources, Span};
use crate::vfs::Snapshot;

/// What each product understands of the modules that it looks at.
pub(super) struct Foreign<'w> {
    sources: &'w Sources,
    /// By product: the files it loads.
    files: BTreeMap<Product, Vec<&'w BTreeSet<FileId>>>,
    /// By product: where something is written in what only it understands.
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

    /// The other product, where `product` finds this only because it does not know what belongs to that one.
    pub(super) fn belongs_to_other(&self, product: Product, finding: &Finding) -> Option<Product> {
        let other = match product {
            Product::Terraform => Product::OpenTofu,
            Product::OpenTofu => Product::Terraform,
        };
        let place = finding.primary.filter(|_| finding.category == Category::Language)?;
        // In a file that the other one does not even load, nothing belongs to it.
        let loaded = self.files.get(&other).into_iter().flatten().any(|files| files.contains(&place.file));
        (loaded && (self.is_unknown(product, finding, place) || self.is_in_place_of(other, place)))
            .then_some(other)
    }

    /// Whether this says of a block, an argument or a symbol that there is no such thing. The other engine, which says
    /// nothing of it, has it.
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
    }

    fn is_in_place_of(&self, other: Product, place: Span) -> bool {
        let places = self.places.get(&other).into_iter().flatten();
        places.into_iter().any(|own| own.overlaps(place))
    }
}

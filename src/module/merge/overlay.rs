//! Merges the arguments of one override block into its base, and records those without effect.

use std::collections::BTreeMap;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::engine::Features;
use crate::module::address::block_address;
use crate::module::declaration::{Origin, Spanned};
use crate::module::dropped::{Dropped, Why};
use crate::module::parts::{Known, Parts, Place};
use crate::syntax::{Attribute, Block, Expr};
use crate::text::Span;
use crate::value;

/// An override block and its base.
pub(super) struct Overlay<'d> {
    address: String,
    /// The header of the base block.
    header: Span,
    /// The base block, or the blocks of one type in it.
    base: Vec<Arc<Block>>,
    place: Place,
    /// The parts of the override block that no method has taken yet.
    left: Parts,
    dropped: &'d mut BTreeMap<Span, Dropped>,
}

impl<'d> Overlay<'d> {
    /// Starts the merge of an override block into the declaration with this origin.
    pub(super) fn new(origin: &Origin, over: &Arc<Block>, dropped: &'d mut BTreeMap<Span, Dropped>) -> Self {
        let place = Place::top(over);
        Self {
            address: block_address(&origin.base),
            header: origin.header(),
            base: vec![Arc::clone(&origin.base)],
            place,
            left: place.parts(&over.body, &Known::default()),
            dropped,
        }
    }

    /// Merges the nested blocks of one type argument by argument.
    pub(super) fn nested(&mut self, kind: &str, mut merge: impl FnMut(&mut Overlay<'_>)) {
        let blocks: Vec<_> = self.left.blocks.extract_if(.., |block| block.kind == kind).collect();
        for block in blocks {
            let place = self.place.nested(&block);
            merge(&mut Overlay {
                address: self.address.clone(),
                header: self.header,
                base: self.base.iter().flat_map(|base| base.blocks(kind, &[])).collect(),
                place,
                left: place.parts(&block.body, &Known::default()),
                dropped: &mut *self.dropped,
            });
        }
    }

    /// Replaces an argument. One with an error replaces nothing.
    pub(super) fn replace<T>(&mut self, name: &str, base: &mut Option<T>, over: Option<T>) {
        let written = self.take(name);
        if over.is_some() {
            *base = over;
        } else {
            self.drop(written, Why::Refused, None);
        }
    }

    /// Replaces an argument, unless the override sets an empty string.
    pub(super) fn replace_text(
        &mut self,
        name: &str,
        base: &mut Option<Spanned<SmolStr>>,
        over: Option<Spanned<SmolStr>>,
    ) {
        if over.as_ref().is_some_and(|text| text.value.is_empty()) {
            let written = self.take(name);
            let in_base = self.in_base(name);
            let stays = base.as_ref().map(|base| match in_base {
                Some(argument) if argument.expr.span == base.span => argument.span,
                Some(_) | None => base.span,
            });
            self.drop(written, Why::Empty, stays);
        } else {
            self.replace(name, base, over);
        }
    }

    /// Replaces a list or map, unless that of the override is empty. `stays` is the span in the base.
    pub(super) fn replace_all<T>(
        &mut self,
        name: &str,
        base: &mut Vec<T>,
        over: Vec<T>,
        stays: Option<Span>,
    ) {
        let written = self.take(name);
        if over.is_empty() {
            let is_empty = written.as_ref().is_some_and(|written| is_empty(&written.expr));
            self.drop(written, if is_empty { Why::Empty } else { Why::Refused }, stays);
        } else {
            *base = over;
        }
    }

    /// Drops an argument that the engine decodes but does not merge.
    pub(super) fn ignore(&mut self, name: &str) {
        let written = self.take(name);
        let base = self.in_base(name);
        self.drop(written, Why::Ignored, Some(base.map_or(self.header, |base| base.span)));
    }

    /// `deprecated` of a variable or an output.
    pub(super) fn deprecated(
        &mut self,
        base: &mut Option<Spanned<SmolStr>>,
        over: Option<Spanned<SmolStr>>,
        features: &Features,
    ) {
        if features.override_deprecated_merged {
            self.replace_text("deprecated", base, over);
        } else if features.grammar.deprecated {
            self.ignore("deprecated");
        }
    }

    /// `depends_on`, which is an error unless it is empty.
    pub(super) fn depends_on(&mut self) {
        let written = self.take("depends_on");
        let base = self.in_base("depends_on");
        let stays = base.filter(|base| !is_empty(&base.expr)).map(|base| base.span);
        let is_empty = written.as_ref().is_some_and(|written| is_empty(&written.expr));
        self.drop(written, if is_empty { Why::Empty } else { Why::Refused }, stays);
    }

    /// Drops the remaining arguments and blocks: the engine reports an error for each.
    pub(super) fn refuse_rest(&mut self, except: &[&str]) {
        for attribute in std::mem::take(&mut self.left.arguments) {
            self.drop(Some(attribute), Why::Refused, None);
        }
        self.refuse_blocks(except);
    }

    /// Drops the remaining nested blocks, except those of some types.
    pub(super) fn refuse_blocks(&mut self, except: &[&str]) {
        for block in std::mem::take(&mut self.left.blocks) {
            if !except.contains(&block.kind.as_str()) {
                self.dropped.insert(block.header, Dropped::block(&block, &self.address, Why::Refused));
            }
        }
    }

    fn in_base(&self, name: &str) -> Option<Arc<Attribute>> {
        self.base.iter().find_map(|block| block.attribute(name))
    }

    /// Removes an argument from the override block and returns it.
    pub(super) fn take(&mut self, name: &str) -> Option<Arc<Attribute>> {
        let at = self.left.arguments.iter().position(|argument| argument.name == name)?;
        Some(self.left.arguments.remove(at))
    }

    /// Records an argument without effect.
    pub(super) fn drop(&mut self, written: Option<Arc<Attribute>>, why: Why, by: Option<Span>) {
        let Some(written) = written else { return };
        let dropped = Dropped::argument(&written, &self.address, why);
        self.dropped.insert(written.span, dropped.by(by));
    }
}

fn is_empty(expr: &Expr) -> bool {
    expr.as_list().is_some_and(<[Expr]>::is_empty)
        || expr.as_map().is_some_and(|map| map.is_empty())
        || value::constant(expr, &mut Vec::new()).as_str() == Some("")
}

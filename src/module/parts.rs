//! Splits a body into arguments and blocks. JSON does not distinguish them, so there the position in the
//! configuration decides, or else the form of the value.

use std::collections::BTreeSet;
use std::sync::Arc;

use smol_str::SmolStr;

use super::address::implied_provider;
use crate::syntax::{Attribute, AttributeSchema, Block, BlockSchema, Body, Expr, ExprKind, Schema};

/// The arguments and blocks of a body.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) arguments: Vec<Arc<Attribute>>,
    pub(super) blocks: Vec<Arc<Block>>,
}

/// Block types that are known from blocks in native syntax.
#[derive(Debug, Default)]
pub(super) struct Known {
    arguments: BTreeSet<SmolStr>,
    blocks: BTreeSet<SmolStr>,
}

/// A position in the configuration, by its valid content.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    blocks: Kinds,
    others: Others,
}

/// Which JSON values with an unknown name are blocks.
#[derive(Debug, Clone, Copy)]
enum Others {
    /// None.
    Never,
    /// Arrays of objects. An object is more often a map, such as `tags`.
    Arrays,
    /// Objects too: provider configurations have few maps.
    Objects,
}

/// Block types, with a word for each label: `provisioner type`.
type Kinds = &'static [&'static str];

/// A block never has more nested block types than this; a larger object is a map.
const MOST_KINDS: usize = 256;

const DYNAMIC: &str = "dynamic type";
const ESCAPE: &str = "_";

impl Known {
    /// The nested block types that these blocks show.
    pub(super) fn of(blocks: &[Arc<Block>]) -> Self {
        let mut known = Self::default();
        for block in blocks.iter().filter(|block| !block.body.is_json()) {
            known.arguments.extend(
                block.body.just_attributes(&mut Vec::new()).iter().map(|attribute| attribute.name.clone()),
            );
            known.blocks.extend(block.body.any_blocks().iter().map(|block| block.makes().into()));
        }
        known
    }
}

impl Place {
    const fn of(blocks: Kinds, others: Others) -> Self {
        Self { blocks, others }
    }

    /// In a block of a type that the engine itself defines.
    pub(super) fn of_kind(kind: &str) -> Self {
        Self::of(nested(kind), Others::Never)
    }

    /// In a top-level block.
    pub(super) fn top(block: &Block) -> Self {
        let is_built_in =
            block.labels.first().is_some_and(|kind| implied_provider(&kind.text) == "terraform");
        let others = if is_built_in { Others::Never } else { Others::Arrays };
        match block.kind.as_str() {
            "resource" | "data" | "ephemeral" => {
                Self::of(&["lifecycle", "connection", "provisioner type", DYNAMIC, ESCAPE], others)
            }
            "provider" => Self::of(&[ESCAPE], Others::Objects),
            "action" => Self::of(&["config"], Others::Never),
            "module" => Self::of(&["lifecycle", ESCAPE], Others::Never),
            kind => Self::of_kind(kind),
        }
    }

    /// In a nested block at this position.
    pub(super) fn nested(self, block: &Block) -> Self {
        match block.kind.as_str() {
            "_" => self,
            "data" if !block.labels.is_empty() => Self::top(block),
            "config" => Self::of(&[DYNAMIC], Others::Arrays),
            "content" => Self::of(&[DYNAMIC], self.others),
            "dynamic" => Self::of(&["content"], self.others),
            kind if self.blocks.iter().any(|known| kind_of(known) == kind) => Self::of_kind(kind),
            _ => Self::of(&[DYNAMIC], self.others),
        }
    }

    /// Splits a body at this position.
    pub(super) fn parts(self, body: &Body, known: &Known) -> Parts {
        if !body.is_json() {
            let arguments = body.just_attributes(&mut Vec::new());
            return Parts { arguments, blocks: body.any_blocks() };
        }
        let all = body.just_attributes(&mut Vec::new());
        let all = if all.is_empty() { properties(body) } else { all };
        let mut parts = Parts { arguments: Vec::new(), blocks: Vec::new() };
        let kinds = all.iter().filter(|attribute| self.is_block(attribute, known)).count();
        for attribute in all {
            let mut wrong = Vec::new();
            let blocks = if kinds <= MOST_KINDS && self.is_block(&attribute, known) {
                let known = self.blocks.iter().find(|known| kind_of(known) == attribute.name);
                let words: Vec<&str> = known.unwrap_or(&attribute.name.as_str()).split(' ').collect();
                let schema = [BlockSchema::new(words[0], &words[1..])];
                let schema = Schema { attributes: &[], blocks: &schema };
                Some(body.partial_content(&schema, &mut wrong).0.blocks)
            } else {
                None
            };
            match blocks.filter(|_| wrong.is_empty()) {
                Some(blocks) => parts.blocks.extend(blocks),
                // A value that should be a block but has another form stays an argument.
                None => parts.arguments.push(attribute),
            }
        }
        parts
    }

    fn is_block(self, attribute: &Attribute, known: &Known) -> bool {
        let name = &attribute.name;
        if self.blocks.iter().any(|known| kind_of(known) == *name) {
            return true;
        }
        let is_object = |expr: &Expr| matches!(expr.kind, ExprKind::JsonObject(_));
        let are_objects =
            |expr: &Expr| expr.as_list().is_some_and(|list| !list.is_empty() && list.iter().all(is_object));
        let expr = &attribute.expr;
        if known.blocks.contains(name) {
            return is_object(expr) || are_objects(expr);
        }
        match self.others {
            _ if known.arguments.contains(name) => false,
            Others::Never => false,
            Others::Arrays => are_objects(expr),
            Others::Objects => is_object(expr) || are_objects(expr),
        }
    }
}

/// The properties of a body that is an array of objects.
fn properties(body: &Body) -> Vec<Arc<Attribute>> {
    let names = body.names();
    let names = names.iter().map(SmolStr::as_str).chain(["dynamic"]);
    let attributes: Vec<_> = names.map(AttributeSchema::optional).collect();
    body.matching(&Schema { attributes: &attributes, blocks: &[] }).attributes
}

/// The block types that are valid in a block of this type.
fn nested(kind: &str) -> Kinds {
    match kind {
        "terraform" => &[
            "backend type",
            "cloud",
            "required_providers",
            "provider_meta provider",
            "encryption",
            "state_store type",
        ],
        "variable" => &["validation"],
        "output" | "lifecycle" => &["precondition", "postcondition", "action_trigger"],
        "check" => &["data type name", "assert"],
        "removed" => &["lifecycle", "provisioner type"],
        "provisioner" => &["connection", ESCAPE],
        "language" => &["compatible_with"],
        "backend" | "cloud" => &["workspaces", "exec"],
        "encryption" => {
            &["key_provider type name", "method type name", "state", "plan", "remote_state_data_sources"]
        }
        "state" | "plan" | "default" | "remote_state_data_source" | "fallback" => &["fallback"],
        "remote_state_data_sources" => &["default", "remote_state_data_source name"],
        "state_store" => &["provider name"],
        _ => &[],
    }
}

/// The block type without the words for labels.
fn kind_of(kind: &str) -> &str {
    kind.split(' ').next().unwrap_or_default()
}

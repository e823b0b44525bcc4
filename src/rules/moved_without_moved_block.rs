#![doc = include_str!("../../policies/rules/moved-without-moved-block.md")]

use std::collections::BTreeMap;

use super::moved_target_missing::is_left_from_outside;
use super::{ADVICE, Context, Rule};
use crate::finding::Finding;
use crate::graph::{Node, Role};
use crate::module::Module;
use crate::module::address::{Mode, ModuleStep, ResourceAddress};
use crate::module::declaration::Origin;
use crate::text::{Sources, Span};

#[derive(Default)]
pub(super) struct MovedWithoutMovedBlock;

impl Rule for MovedWithoutMovedBlock {
    const ID: &'static str = "moved-without-moved-block";
    const IS_STEADY: bool = false;
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        let Some((before, texts)) = context.before(module) else { return };
        let before = before.module();
        // What seems to be gone, or new, may be in a file that could not be read.
        if !module.complete || !before.complete {
            return;
        }
        let (old, new) = (declared(before, texts), declared(module, context.sources()));
        let gone = alike(old.iter().filter(|(object, _)| !new.contains_key(object)));
        let come = alike(new.iter().filter(|(object, _)| !old.contains_key(object)));
        for (body, to) in &come {
            // Of several that are alike nobody can tell which became which.
            let Some(([from], [to])) = gone.get(body).map(|from| (from.as_slice(), to.as_slice())) else {
                continue;
            };
            if !is_accounted_for(node, from) {
                let product = module.features.engine.product.name();
                findings.push(renamed(from, to, product, new[to].at));
            }
        }
    }
}

fn renamed(from: &Object, to: &Object, product: &str, at: Span) -> Finding {
    let (from, to) = (from.to_string(), to.to_string());
    MovedWithoutMovedBlock::finding("Renamed without a `moved` block")
        .detail(format!(
            "The same block was `{from}` before the change. Without a `moved` block, {product} destroys `{from}` and creates \
             `{to}`.",
        ))
        .at(at)
        .label("renamed")
        .help(format!("add a `moved` block with `from = {from}` and `to = {to}`"))
        .address(to)
}

/// What has an address in the state.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Object {
    Resource(ResourceAddress),
    Call(smol_str::SmolStr),
}

impl std::fmt::Display for Object {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Resource(address) => address.fmt(f),
            Self::Call(name) => write!(f, "module.{name}"),
        }
    }
}

/// How an object is declared.
struct Declared<'t> {
    /// Its type, of a module call none, and the text of each of its blocks, those that override it included.
    body: (&'t str, Vec<&'t str>),
    at: Span,
}

fn declared<'t>(module: &'t Module, texts: &'t Sources) -> BTreeMap<Object, Declared<'t>> {
    let declared = |kind: &'t str, origin: &Origin| {
        let bodies = origin.blocks().map(|block| texts.slice(block.body.span()).trim()).collect();
        Declared { body: (kind, bodies), at: origin.header() }
    };
    let resources = module.resources.values().filter(|resource| resource.address.mode == Mode::Managed);
    let resources = resources.map(|resource| {
        let address = resource.address.clone();
        (Object::Resource(address), declared(&resource.address.kind, &resource.origin))
    });
    let calls =
        module.calls.values().map(|call| (Object::Call(call.name.clone()), declared("", &call.origin)));
    resources.chain(calls).collect()
}

/// Objects by what they are declared to be.
fn alike<'d, 't: 'd>(
    objects: impl Iterator<Item = (&'d Object, &'d Declared<'t>)>,
) -> BTreeMap<&'d (&'t str, Vec<&'t str>), Vec<&'d Object>> {
    let mut alike: BTreeMap<_, Vec<&Object>> = BTreeMap::new();
    for (object, declared) in objects {
        alike.entry(&declared.body).or_default().push(object);
    }
    alike
}

/// Whether a block, here or in a module that calls this one, says what became of an object.
fn is_accounted_for(node: Node<'_>, object: &Object) -> bool {
    let (path, resource) = match object {
        Object::Resource(address) => (Vec::new(), Some(address)),
        Object::Call(name) => (vec![ModuleStep { name: name.clone(), key: None }], None),
    };
    node.module().is_left(&path, resource) || is_left_from_outside(node, &path, resource)
}

#![doc = include_str!("../../policies/rules/provider-removed-with-resources.md")]

mod search;

use search::{Both, Lost, Object, Search};

use super::{Context, Finding, Node, Page, Role, Rule, page};
use crate::module::declaration::{ModuleCall, Origin};

pub(super) struct ProviderRemovedWithResources;

impl Rule for ProviderRemovedWithResources {
    const PAGE: Page = page!("provider-removed-with-resources");
    const IS_STEADY: bool = false;

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        match node.role() {
            Role::Root | Role::Shared => {}
            // The resources of examples and tests are destroyed before the next change.
            Role::Example | Role::Test => return,
        }
        let Some((before, texts)) = context.before(node.module()) else { return };
        let both = Both { before, now: Some(node) };
        let mut search = Search::from(node);
        let mut add = |finding: Finding, was: &Origin| {
            // Removed content has no span, only a file and a module.
            let file = texts.get(was.header().file).name();
            findings.push(finding.at(context.first_block(node.module(), Some(file))));
        };
        for lost in search.in_module(both) {
            if let Some(finding) = of_block(both, node, &lost) {
                add(finding, &lost.block.origin);
            }
        }
        for (call, lost) in search.in_calls(both) {
            add(of_call(call, &lost), &call.origin);
        }
    }
}

/// The finding for a removed provider block of the module itself.
fn of_block(both: Both<'_>, node: Node<'_>, lost: &Lost<'_>) -> Option<Finding> {
    let name = lost.block.compact();
    // The removed block may have been the only sign of a root module.
    let is_run = !node.is_called() && [both.before, node].iter().any(|node| node.role() != Role::Shared);
    let product = node.module().features.engine.product.name();
    let (object, as_long) = words(&lost.object);
    let without = match &lost.block.alias {
        None if is_run && !lost.is_configured => return None,
        None if is_run => format!(
            "{product} looks for it with an empty configuration of `{name}`, which takes its values from the \
             environment. {product} destroys it if it finds it there; otherwise the plan shows no change"
        ),
        None | Some(_) => FAILS.to_owned(),
    };
    Some(
        ProviderRemovedWithResources::finding("Provider configuration removed together with its resource")
            .detail(format!(
                "The change removes `provider.{name}` together with `{object}`. As long as {as_long} exists, {without}."
            ))
            .help(format!("keep the provider block until `{object}` is destroyed, then remove it"))
            .address(format!("provider.{name}")),
    )
}

/// The finding for a removed call of the module with the provider block.
fn of_call(call: &ModuleCall, lost: &Lost<'_>) -> Finding {
    let name = &call.name;
    let (object, as_long) = words(&lost.object);
    let directory = &lost.directory;
    ProviderRemovedWithResources::finding(
        "Module removed together with the provider configuration of its resources",
    )
    .detail(format!(
        "`provider.{}` in `{directory}` is removed together with `module.{name}` and `{object}`. As long as \
             {as_long} exists, {FAILS}.",
        lost.block.compact()
    ))
    .help(format!("first remove the resources of `module.{name}` and apply the change, then remove the call"))
    .address(format!("module.{name}"))
}

/// The address of an object, and the object in a sentence.
fn words(object: &Object) -> (&str, &'static str) {
    match object {
        Object::Resource(address) => (address, "that object"),
        Object::Module(address) => (address, "a resource of that module"),
    }
}

const FAILS: &str = "`plan` fails with `Provider configuration not present`";

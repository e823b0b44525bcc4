#![doc = include_str!("../../policies/rules/non-preferred-local-name.md")]

use super::{ADVICE, Context, Node, Page, Role, Rule, page};
use crate::finding::{Concern, Finding};

pub(super) struct NonPreferredLocalName;

impl Rule for NonPreferredLocalName {
    const PAGE: Page = page!("non-preferred-local-name");
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let required = &node.module().required_providers;
        for entry in required.values().filter(|entry| entry.source.is_some()) {
            let preferred = &entry.address.name;
            // Two providers with the same type cannot both have this local name.
            let others = required.values().filter(|other| other.name != entry.name);
            let is_taken =
                others.into_iter().any(|other| other.name == *preferred || other.address.name == *preferred);
            // `google` is right for hashicorp/google-beta, whose resource types start with `google_`.
            let is_in_use = || {
                let mut resources = node.module().resources.values();
                resources.any(|resource| resource.address.implied_provider() == entry.name)
            };
            let is_variant =
                preferred.strip_prefix(entry.name.as_str()).is_some_and(|rest| rest.starts_with('-'));
            if entry.name == *preferred || is_taken || is_variant || is_in_use() {
                continue;
            }
            let name = &entry.name;
            let mut passed = node.callers().flat_map(|(_, call)| &call.providers);
            let is_passed = passed.any(|passed| passed.in_child.name == *name);
            let calls = ", and in the `providers` argument of its calls";
            Self::finding("Local name differs from the provider type")
                .detail(format!(
                    "The preferred local name of {} is `{preferred}`. Resources whose type does not begin with \
                     `{name}_` must set `provider = {name}`.",
                    entry.address.display(node.module().features.registry_host),
                ))
                .at(entry.span)
                .help(format!("rename `{name}` to `{preferred}` in this module{}", if is_passed { calls } else { "" }))
                .concerns(Concern::Provider(entry.name.clone()))
                .push_to(findings);
        }
    }
}

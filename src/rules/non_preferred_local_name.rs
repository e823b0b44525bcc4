#![doc = include_str!("../../policies/rules/non-preferred-local-name.md")]

use hashbrown::{HashMap, HashSet};
use smol_str::SmolStr;

use super::{ADVICE, Context, Node, Page, Role, Rule, page};
use crate::finding::{Concern, Finding};
use crate::text::is_similar;

pub(super) struct NonPreferredLocalName;

impl Rule for NonPreferredLocalName {
    const PAGE: Page = page!("non-preferred-local-name");
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let required = &node.module().required_providers;
        let mut of_type: HashMap<&SmolStr, usize> = HashMap::new();
        for entry in required.values() {
            *of_type.entry(&entry.address.name).or_default() += 1;
        }
        let resources = node.module().resources.values();
        let in_use: HashSet<&str> = resources.map(|resource| resource.address.implied_provider()).collect();
        let passed = node.callers().flat_map(|(_, call)| &call.providers);
        let passed: HashSet<&SmolStr> = passed.map(|passed| &passed.in_child.name).collect();
        for entry in required.values().filter(|entry| entry.source.is_some()) {
            let preferred = &entry.address.name;
            // Two providers with the same type cannot both have this local name.
            let is_taken = required.contains_key(preferred) || of_type[preferred] > 1;
            // `google` is right for hashicorp/google-beta, whose resource types start with `google_`.
            let is_in_use = in_use.contains(entry.name.as_str());
            let is_variant =
                preferred.strip_prefix(entry.name.as_str()).is_some_and(|rest| rest.starts_with('-'));
            if entry.name == *preferred || is_taken || is_variant || is_in_use {
                continue;
            }
            let name = &entry.name;
            let is_passed = passed.contains(name);
            let calls = ", and in the `providers` argument of its calls";
            let or_source = if is_similar(name, preferred) {
                "; if the source is misspelled, correct it instead"
            } else {
                ""
            };
            Self::finding("Local name differs from the provider type")
                .detail(format!(
                    "The preferred local name of {} is `{preferred}`. Resources whose type does not begin with \
                     `{name}_` must set `provider = {name}`.",
                    entry.address.display(node.module().features.registry_host),
                ))
                .at(entry.span)
                .help(format!(
                    "rename `{name}` to `{preferred}` in this module{}{or_source}",
                    if is_passed { calls } else { "" }
                ))
                .concerns(Concern::Provider(entry.name.clone()))
                .push_to(findings);
        }
    }
}

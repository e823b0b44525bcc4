#![doc = include_str!("../../policies/rules/unused-configuration-alias.md")]

use super::support::edits::{entry, pass_no_more};
use super::{ADVICE, Context, Page, Rule, page};
use crate::finding::{Concern, Edit, Finding, Fix, Safety};
use crate::graph::{Configuration, Node, Role};
use crate::text::Span;

pub(super) struct UnusedConfigurationAlias;

impl Rule for UnusedConfigurationAlias {
    const PAGE: Page = page!("unused-configuration-alias");
    const ASKS_FOR_ALL_SHARERS: bool = true;
    const FIXES: &'static [Safety] = &[Safety::Unsafe];
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        let asked = module.required_providers.values().flat_map(|entry| &entry.aliases);
        // A plain name declares a default configuration, which may be inherited by modules from elsewhere.
        let mut asked = asked.filter(|alias| alias.value.alias.is_some()).peekable();
        if asked.peek().is_none() || !module.complete || module.has_generated_files {
            // Something may use the alias that this directory does not show.
            return;
        }
        let used: Vec<Configuration> = node
            .provider_mentions()
            .filter_map(|reference| Configuration::named(module, reference))
            .collect();
        for alias in asked {
            let name = alias.value.compact();
            let configuration = Configuration::of(module, &alias.value.name, alias.value.alias.as_ref());
            if configuration.is_some_and(|configuration| used.contains(&configuration)) {
                continue;
            }
            let mut passed = node.callers().flat_map(|(_, call)| &call.providers);
            let is_passed = passed.any(|passed| passed.in_child.compact() == name);
            let calls = if is_passed { " and from the `providers` argument of every call" } else { "" };
            Self::finding("Unused configuration alias")
                .detail(format!(
                    "Every call to this module must pass `{name}`, but the module neither uses it nor passes it \
                     on."
                ))
                .at(alias.span)
                .help(format!(
                    "remove `{name}` from `configuration_aliases`{calls}"
                ))
                .fixed_by(without_alias(node, alias.span, &name, context).map(Fix::on_request))
                .concerns(Concern::Provider(alias.value.compact()))
                .push_to(findings);
        }
    }
}

/// Removes an alias from the list, and the entries of callers for it.
fn without_alias(node: Node<'_>, alias: Span, name: &str, context: &Context<'_>) -> Option<Vec<Edit>> {
    let mut required = node.module().required_providers.values();
    let required = required.find(|required| required.aliases.iter().any(|other| other.span == alias))?;
    let editor = context.editor(alias.file)?;
    let entry = entry(context, required)?;
    let items = entry.expr.as_map()?;
    let (key, aliases) =
        items.into_iter().find(|(key, _)| key.keyword().as_deref() == Some("configuration_aliases"))?;
    let mut edits = vec![if required.aliases.len() == 1 {
        editor.remove_item(&entry.expr, key.span().to(aliases.span))?
    } else {
        editor.remove_item(aliases, alias)?
    }];
    for (_, call) in node.callers() {
        edits.extend(pass_no_more(context, call, name)?);
    }
    Some(edits)
}

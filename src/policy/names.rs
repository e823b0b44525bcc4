//! Checks the names of rules and templates in a policy.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::definition::Definition;
use super::fault::{INVALID_POLICY, fault, unknown_rule};
use super::file::RuleBlock;
use super::preset::PRESETS;
use crate::finding::Finding;
use crate::text::{Span, Suggestions, nearest};

/// The detail of the finding for a rule block named [`INVALID_POLICY`].
const FIXED: &str = "An error in a policy always ends the run, so this rule has no level.";

/// The known rules and templates.
#[derive(Debug, Clone, Copy)]
pub struct Names<'n> {
    /// The built-in rules.
    pub rules: &'n [&'n str],
    /// The templates.
    pub templates: &'n [&'n str],
}

/// The custom rules, by name.
pub(super) type CustomRules<'d> = BTreeMap<&'d SmolStr, &'d Definition>;

impl Names<'_> {
    /// The finding for a name that is not a rule.
    pub(super) fn wrong_rule(
        self,
        name: &SmolStr,
        custom: &CustomRules<'_>,
        at: Span,
        suggestions: &Suggestions,
    ) -> Option<Finding> {
        if self.rules.contains(&name.as_str()) || custom.contains_key(name) {
            return None;
        }
        if *name == INVALID_POLICY.as_str() {
            let finding = fault("Rule cannot be configured", at);
            return Some(finding.detail(FIXED).help("remove it"));
        }
        if self.templates.contains(&name.as_str()) {
            let finding = fault("Rule template without a name", at)
                .detail(format!("`{name}` is a rule template. A second label names the custom rule."));
            return Some(match custom.iter().find(|(_, definition)| definition.template == *name) {
                Some((custom, _)) => finding.help(format!(
                    "name a custom rule, such as `{custom}`; its level is set in its own block"
                )),
                None => finding.help(format!("add a second label: rule \"{name}\" \"my-rule\" {{ … }}")),
            });
        }
        let known = self.rules.iter().copied().chain(custom.keys().map(|name| name.as_str()));
        let finding = unknown_rule(name, suggestions.nearest(name, known), at);
        if name.contains('*') {
            return Some(finding.help("a `rule` block names one rule; write one block for each"));
        }
        if PRESETS.iter().any(|preset| preset.name == name.as_str()) {
            return Some(
                finding.help(format!("`{name}` is a preset: add it to `extends` of the `policy` block")),
            );
        }
        Some(finding)
    }

    /// The finding for an invalid definition of a custom rule. `before` are the earlier definitions.
    pub(super) fn wrong_definition(self, block: &RuleBlock, before: &CustomRules<'_>) -> Option<Finding> {
        let definition = block.definition.as_ref()?;
        let (template, name) = (&definition.template, &block.rule);
        if !self.templates.contains(&template.as_str()) {
            return Some(self.no_template(template, definition.template_span, block.name_span));
        }
        if self.rules.contains(&name.as_str()) || self.templates.contains(&name.as_str()) {
            let finding = fault("Name is already used", block.name_span)
                .detail(format!("`{name}` is a built-in rule."));
            return Some(finding.help("give the rule another name"));
        }
        let other = before.get(name).filter(|other| other.template != *template)?;
        let finding = fault("Name is already used", block.name_span)
            .detail(format!("`{name}` is already a rule made from `{}`.", other.template))
            .related(other.span, "defined here");
        Some(finding.help("give the rule another name"))
    }

    fn no_template(self, template: &str, at: Span, name: Span) -> Finding {
        if self.rules.contains(&template) {
            return fault("Rule takes no second label", name)
                .detail(format!("`{template}` is a rule, not a rule template."))
                .help("remove the second label");
        }
        let templates: Vec<_> = self.templates.iter().map(|template| format!("`{template}`")).collect();
        fault("Unknown rule template", at)
            .detail(format!("No rule template is named `{template}`."))
            .help(format!("write one of {}", templates.join(", ")))
            .meant(nearest(template, self.templates.iter().copied()))
    }
}

//! `--select` and `--ignore`.

use smol_str::SmolStr;

use crate::check::rule_names_under;
use crate::cli::{Failure, explain};
use crate::finding::RuleId;
use crate::policy::{Globs, INVALID_POLICY, PRESETS, Policy, Setting, can_be_off};
use crate::report::one_line;
use crate::rules::Template;
use crate::text::nearest;

/// The rules that `--select` names under a policy.
pub(super) fn select(names: &[String], policy: &Policy) -> Result<Vec<RuleId>, Failure> {
    let known = rule_names_under(policy);
    let mut rules: Vec<RuleId> = Vec::new();
    for name in names {
        for rule in rules_of(name.trim(), &known, policy)? {
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
    }
    Ok(rules)
}

/// The rules that `--ignore` names. A rule that cannot be turned off is an error by name, and left out of globs and presets.
pub(super) fn ignore(names: &[String], policy: &Policy) -> Result<Vec<RuleId>, Failure> {
    let mut rules = select(names, policy)?;
    let is_named = |rule: &RuleId| names.iter().any(|name| name.trim() == rule.as_str());
    if let Some(fixed) = rules.iter().find(|rule| !can_be_off(rule) && is_named(rule)) {
        return Err(Failure::new(format!(
            "`{}` cannot be ignored: a file that cannot be read hides its findings",
            fixed.as_str()
        )));
    }
    rules.retain(can_be_off);
    Ok(rules)
}

/// The rules of a name: one rule, those that a glob matches, or those that a preset turns on.
fn rules_of(name: &str, known: &[SmolStr], policy: &Policy) -> Result<Vec<RuleId>, Failure> {
    if known.iter().any(|known| known == name) {
        return Ok(vec![RuleId::named(name)]);
    }
    if let Some(preset) = Policy::preset(name) {
        let on = preset.rules().filter(|rule| preset.everywhere(rule).is_some_and(Setting::is_on));
        return Ok(on.map(RuleId::named).collect());
    }
    if name.contains(['*', '?', '[', '{']) {
        return matching(name, known);
    }
    if Template::named(name).is_some() {
        let failure = Failure::new(format!("`{name}` is a rule template, not a rule"));
        let custom = policy.custom_rules().find(|(_, definition)| definition.template == name);
        return Err(match custom {
            Some((custom, _)) => failure.help(format!("name a custom rule made from it, such as `{custom}`")),
            None => failure.help(format!("`overrule explain {name}` shows how to make a rule from it")),
        });
    }
    if name == INVALID_POLICY.as_str() {
        let failure = Failure::new(format!("`{name}` cannot be selected or ignored"));
        return Err(failure.help("correct the policy; nothing is checked until then"));
    }
    let names = known.iter().map(SmolStr::as_str).chain(PRESETS.iter().map(|preset| preset.name));
    let failure = Failure::new(format!("no rule is named `{}`", one_line(name))).help(explain::LIST);
    Err(failure.meant(nearest(name, names)))
}

fn matching(glob: &str, known: &[SmolStr]) -> Result<Vec<RuleId>, Failure> {
    let globs = Globs::new([glob]).map_err(|invalid| Failure::new(invalid.why))?;
    let rules: Vec<RuleId> =
        known.iter().filter(|rule| globs.has(rule)).map(|rule| RuleId::named(rule.as_str())).collect();
    if rules.is_empty() {
        return Err(Failure::new(format!("no rule matches `{}`", one_line(glob))).help(explain::LIST));
    }
    Ok(rules)
}

//! Turns the names after `--select` and `--ignore` into rules that exist.

use smol_str::SmolStr;

use crate::check::rule_names_under;
use crate::cli::{Failure, explain};
use crate::finding::RuleId;
use crate::policy::{INVALID_POLICY, Policy, can_be_off};
use crate::rules::Kind;
use crate::text::nearest;

/// The rules to report, of those that there are under a policy.
pub(super) fn select(names: &[String], policy: &Policy) -> Result<Vec<RuleId>, Failure> {
    let known = rule_names_under(policy);
    names.iter().map(|name| rule(name.trim(), &known, policy)).collect()
}

/// The rules to leave out.
pub(super) fn ignore(names: &[String], policy: &Policy) -> Result<Vec<RuleId>, Failure> {
    let rules = select(names, policy)?;
    match rules.iter().find(|rule| !can_be_off(rule)) {
        Some(fixed) => Err(Failure::new(format!(
            "`{}` cannot be left out: what was not read hides all that it holds",
            fixed.as_str()
        ))),
        None => Ok(rules),
    }
}

fn rule(name: &str, known: &[SmolStr], policy: &Policy) -> Result<RuleId, Failure> {
    if known.iter().any(|known| known == name) {
        return Ok(RuleId::named(name));
    }
    if Kind::named(name).is_some() {
        let failure = Failure::new(format!("`{name}` is a kind of rule, and no rule"));
        let own = policy.own_rules().find(|(_, definition)| definition.kind == name);
        return Err(match own {
            Some((own, _)) => failure.help(format!("name one of them, such as `{own}`")),
            None => failure.help(format!("`overrule explain {name}` shows how a policy makes one")),
        });
    }
    if name == INVALID_POLICY.as_str() {
        let failure = Failure::new(format!("`{name}` can be neither chosen nor left out"));
        return Err(failure.help("correct the policy: with a mistake in it there is no check at all"));
    }
    let failure = Failure::new(format!("no rule is called `{}`", crate::report::one_line(name)));
    Err(match nearest(name, known.iter().map(SmolStr::as_str)) {
        Some(rule) => failure.help(format!("did you mean `{rule}`?")),
        None => failure.help(explain::LIST),
    })
}

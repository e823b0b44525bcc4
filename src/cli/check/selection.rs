//! Turns the names after `--select` and `--ignore` into rules that exist.

use crate::check::rule_names;
use crate::cli::{Failure, explain};
use crate::finding::RuleId;
use crate::policy::can_be_off;
use crate::text::nearest;

/// The rules to report.
pub(super) fn select(names: &[String]) -> Result<Vec<RuleId>, Failure> {
    names.iter().map(|name| rule(name)).collect()
}

/// The rules to leave out.
pub(super) fn ignore(names: &[String]) -> Result<Vec<RuleId>, Failure> {
    let rules = select(names)?;
    match rules.iter().find(|rule| !can_be_off(rule)) {
        Some(fixed) => Err(Failure::new(format!(
            "`{}` cannot be left out: what was not read hides all that it holds",
            fixed.as_str()
        ))),
        None => Ok(rules),
    }
}

fn rule(name: &str) -> Result<RuleId, Failure> {
    let name = name.trim();
    let known = rule_names();
    if known.contains(&name) {
        return Ok(RuleId::named(name));
    }
    let failure = Failure::new(format!("no rule is called `{}`", crate::report::one_line(name)));
    Err(match nearest(name, known) {
        Some(rule) => failure.help(format!("did you mean `{rule}`?")),
        None => failure.help(explain::LIST),
    })
}

//! Turns what a policy says of a rule of its own into that rule: kinds of rules, of which a policy makes as many as it
//! likes.
//!
//! A kind is a [`Rule`] in a file of its own, with a page and a line in [`KINDS`], whose findings bear the name that the
//! policy gave. All kinds look at modules as they are after override files.

mod allowed_source;
mod allowed_value;
mod argument;
mod blocks;
mod forbidden_argument;
mod forbidden_block;
mod forbidden_value;
mod naming;
mod reach;
mod required_argument;
mod required_file;

use std::fmt;

use smol_str::SmolStr;

use super::{Check, Rule};
use crate::finding::{Finding, RuleId};
use crate::policy::Options;
use crate::tree::Role;

/// Every kind of rule, by name. A new one has a line here.
pub const KINDS: &[Kind] = &[
    Kind::of::<allowed_source::AllowedSource>(),
    Kind::of::<allowed_value::AllowedValue>(),
    Kind::of::<forbidden_argument::ForbiddenArgument>(),
    Kind::of::<forbidden_block::ForbiddenBlock>(),
    Kind::of::<forbidden_value::ForbiddenValue>(),
    Kind::of::<naming::Naming>(),
    Kind::of::<required_argument::RequiredArgument>(),
    Kind::of::<required_file::RequiredFile>(),
];

/// What the program knows of a kind of rule before a policy makes one of it.
#[derive(Clone, Copy)]
pub struct Kind {
    /// The name that people write as the first label.
    pub id: &'static str,
    configure: fn(&str, &Options<'_>) -> Result<Check, Finding>,
}

impl Kind {
    /// The kind whose rules a type is, apart from their names.
    const fn of<R: Rule>() -> Self {
        Self { id: R::ID, configure: configure::<R> }
    }

    /// The kind of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        KINDS.iter().find(|kind| kind.id == name)
    }

    /// Makes a rule of that name.
    pub fn configure(&self, name: &str, options: &Options<'_>) -> Result<Check, Finding> {
        (self.configure)(name, options)
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kind").field(&self.id).finish()
    }
}

/// What a rule of any kind can be told.
struct Manner {
    message: Option<SmolStr>,
    help: Option<SmolStr>,
    /// The modules that it looks at, by what they are there for.
    roles: Vec<Role>,
}

fn configure<R: Rule>(name: &str, options: &Options<'_>) -> Result<Check, Finding> {
    let rule = R::configure(options)?;
    let roles = options.words("roles", &Role::ALL.map(Role::word))?;
    let manner = Manner {
        message: options.string("message")?,
        help: options.string("help")?,
        roles: match roles {
            Some(words) => words.into_iter().filter_map(Role::of).collect(),
            None => Role::ALL.to_vec(),
        },
    };
    options.refuse_others()?;
    let id = RuleId::named(name);
    Ok(Box::new(move |node, context, findings| {
        if !manner.roles.contains(&node.role()) {
            return;
        }
        let mut found = Vec::new();
        rule.check(node, context, &mut found);
        findings.extend(found.into_iter().map(|finding| manner.applied(finding, &id)));
    }))
}

impl Manner {
    /// A finding in the words of the policy.
    fn applied(&self, finding: Finding, id: &RuleId) -> Finding {
        let summary = self.message.as_ref().map_or(finding.summary, SmolStr::to_string);
        let help = self.help.as_ref().map(SmolStr::to_string).or(finding.help);
        Finding { rule: id.clone(), summary, help, ..finding }
    }
}

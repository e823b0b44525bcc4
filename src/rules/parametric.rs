//! Rule templates: a policy makes any number of custom rules from each.
//!
//! A template is a [`Rule`] in a file of its own, with a page and a line in [`KINDS`]. Findings of a custom rule have
//! the name that the policy gives it. All templates look at modules as they are after override files.

mod allowed_file;
mod allowed_source;
mod allowed_value;
mod argument;
mod block_kind;
mod block_order;
mod blocks;
mod forbidden_argument;
mod forbidden_block;
mod forbidden_value;
mod grammar;
mod naming;
mod parts;
mod reach;
mod required_argument;
mod required_file;

use std::fmt;

use super::{Check, Rule, configure};
use crate::finding::{Finding, RuleId};
use crate::policy::Options;

/// Every kind of rule, by name. A new one has a line here.
pub const KINDS: &[Kind] = &[
    Kind::of::<allowed_file::AllowedFile>(),
    Kind::of::<allowed_source::AllowedSource>(),
    Kind::of::<allowed_value::AllowedValue>(),
    Kind::of::<block_order::BlockOrder>(),
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
    /// See [`Rule::OPTIONS`].
    pub options: &'static [&'static str],
    configure: fn(Options<'_>) -> Result<Check, Vec<Finding>>,
}

impl Kind {
    /// The template whose rules a type is, apart from their names.
    const fn of<R: Rule>() -> Self {
        Self { id: R::ID, options: R::OPTIONS, configure: configure::<R> }
    }

    /// The template of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        KINDS.iter().find(|kind| kind.id == name)
    }

    /// Makes a rule of that name.
    pub fn configure(&self, name: &str, options: Options<'_>) -> Result<Check, Vec<Finding>> {
        let (check, id) = ((self.configure)(options)?, RuleId::named(name));
        Ok(Box::new(move |node, context, findings| {
            let from = findings.len();
            check(node, context, findings);
            findings[from..].iter_mut().for_each(|finding| finding.rule = id.clone());
        }))
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kind").field(&self.id).finish()
    }
}

//! Rule templates: a policy makes any number of custom rules from each.
//!
//! A template is a [`Rule`](super::Rule) in its own file, with a page and a line in [`TEMPLATES`]. Findings of a custom
//! rule have the name that the policy gives it. All templates check modules as they are after override files.

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

use super::{Check, Configure, configure};
use crate::finding::{Finding, Page, RuleId};
use crate::policy::Options;

/// All templates, by name.
pub const TEMPLATES: &[Template] = &[
    Template::of::<allowed_file::AllowedFile>(),
    Template::of::<allowed_source::AllowedSource>(),
    Template::of::<allowed_value::AllowedValue>(),
    Template::of::<block_order::BlockOrder>(),
    Template::of::<forbidden_argument::ForbiddenArgument>(),
    Template::of::<forbidden_block::ForbiddenBlock>(),
    Template::of::<forbidden_value::ForbiddenValue>(),
    Template::of::<naming::Naming>(),
    Template::of::<required_argument::RequiredArgument>(),
    Template::of::<required_file::RequiredFile>(),
];

/// A template of rules.
#[derive(Debug, Clone, Copy)]
pub struct Template {
    /// The name: the first label of a `rule` block.
    pub id: &'static str,
    /// The page.
    pub page: Page,
    /// See [`Configure::OPTIONS`].
    pub options: &'static [&'static str],
    configure: fn(Options<'_>) -> Result<Check, Vec<Finding>>,
}

impl Template {
    /// Creates the entry of a template.
    const fn of<R: Configure>() -> Self {
        Self { id: R::ID, page: R::PAGE, options: R::OPTIONS, configure: configure::<R> }
    }

    /// Returns the template with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        TEMPLATES.iter().find(|template| template.id == name)
    }

    /// Configures a custom rule with this name.
    pub fn configure(&self, name: &str, options: Options<'_>) -> Result<Check, Vec<Finding>> {
        let (check, id) = ((self.configure)(options)?, RuleId::named(name));
        Ok(Box::new(move |node, context, findings| {
            let from = findings.len();
            check(node, context, findings);
            findings[from..].iter_mut().for_each(|finding| finding.rule = id.clone());
        }))
    }
}

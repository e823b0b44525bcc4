//! The arguments that every rule has: `level`, `roles`, `paths`, `message` and `help`.

use std::sync::Arc;

use smol_str::SmolStr;

use super::Globs;
use super::argument::{empty_list, globs, texts};
use super::fault::{fault, unknown};
use super::reader::Reader;
use crate::finding::{Finding, RuleId};
use crate::graph::Role;
use crate::syntax::Attribute;
use crate::text::Span;

/// The arguments that every rule has, in addition to its options.
pub(super) const COMMON: &[&str] = &["level", "roles", "paths", "message", "help"];

/// The values of these arguments. `None` if not set.
#[derive(Debug, Clone, Default)]
pub struct Common {
    /// The roles of the modules that the rule checks. `None` for all.
    pub roles: Option<Vec<Role>>,
    /// The paths at which the rule reports something.
    pub(super) paths: Option<Arc<Globs>>,
    /// The summary of its findings.
    pub message: Option<SmolStr>,
    /// The help of its findings.
    pub(super) help: Option<SmolStr>,
    /// The location of `roles`.
    pub(super) roles_span: Option<Span>,
    /// The location of `paths`.
    pub(super) paths_span: Option<Span>,
}

impl Common {
    /// Removes these arguments, except `level`, from those of a block.
    pub(super) fn take(options: &mut Vec<Arc<Attribute>>, reader: &mut Reader<'_>) -> Self {
        let mut common = Self::default();
        options.retain(|attribute| {
            match attribute.name.as_str() {
                "roles" => {
                    common.roles_span = Some(attribute.name_span);
                    common.roles = reader.kept(roles(attribute));
                }
                "paths" => {
                    common.paths_span = Some(attribute.name_span);
                    common.paths = reader.kept(paths(attribute)).map(Arc::new);
                }
                "message" => common.message = reader.sentence(attribute),
                "help" => common.help = reader.sentence(attribute),
                _ => return true,
            }
            false
        });
        common
    }

    /// Returns these values with those of a later block for the same rule.
    pub(super) fn over(self, before: &Self) -> Self {
        let before = before.clone();
        Self {
            roles: self.roles.or(before.roles),
            paths: self.paths.or(before.paths),
            message: self.message.or(before.message),
            help: self.help.or(before.help),
            roles_span: self.roles_span.or(before.roles_span),
            paths_span: self.paths_span.or(before.paths_span),
        }
    }

    /// Whether the rule reports something at a path.
    pub fn has_path(&self, path: &str) -> bool {
        self.paths.as_ref().is_none_or(|paths| paths.has(path))
    }

    /// Returns a finding with the message and help of the policy.
    pub fn reworded(&self, finding: Finding) -> Finding {
        let summary = self.message.as_ref().map_or(finding.summary, SmolStr::to_string);
        let help = self.help.as_ref().map(SmolStr::to_string).or(finding.help);
        Finding { summary, help, ..finding }
    }
}

fn roles(attribute: &Attribute) -> Result<Vec<Role>, Finding> {
    let words = texts("roles", &attribute.expr)?;
    if words.is_empty() {
        return Err(empty_list("roles", attribute.expr.span, "leave `roles` out for modules of every role"));
    }
    let role = |(word, span): (SmolStr, Span)| {
        let known = Role::ALL.map(Role::word);
        Role::of(&word).ok_or_else(|| unknown("role", &word, known, span))
    };
    words.into_iter().map(role).collect()
}

fn paths(attribute: &Attribute) -> Result<Globs, Finding> {
    let patterns = texts("paths", &attribute.expr)?;
    if patterns.is_empty() {
        return Err(empty_list("paths", attribute.expr.span, "leave `paths` out for the whole repository"));
    }
    globs(&patterns, Globs::new)
}

/// The error for limiting a rule that cannot be turned off to some modules or paths.
pub(super) fn cannot_be_limited(rule: &RuleId, at: Span) -> Finding {
    fault("Rule cannot be limited", at)
        .detail(format!(
            "`{}` reports files that could not be checked, so it applies to the whole repository.",
            rule.as_str()
        ))
        .help("remove `roles` and `paths`")
}

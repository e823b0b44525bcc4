//! Writes the table of rules as a JSON document.

use std::collections::BTreeMap;

use serde::Serialize;

use super::escape;
use crate::limits::{Limit, Limits};

/// A rule or a template.
#[derive(Debug, Serialize)]
pub struct Listed {
    /// The name.
    pub rule: String,
    /// Its level under the current policy. A template has none.
    pub level: Option<&'static str>,
    /// Whether it is a template.
    #[serde(rename = "template")]
    pub is_template: bool,
    /// The line that set the level, as `file:line`.
    pub set_by: Option<String>,
    /// The summary of the rule in one line.
    pub finds: String,
    /// The kinds of fixes that its findings may have: `safe`, `unsafe`.
    pub fixes: Vec<&'static str>,
}

#[derive(Serialize)]
struct Document<'a> {
    format_version: &'static str,
    rules: &'a [Listed],
    /// The limits of a run by name. Sizes are in bytes.
    limits: BTreeMap<&'static str, u64>,
}

/// Returns the document, with a line break at its end.
pub fn rules(rules: &[Listed], limits: &Limits) -> String {
    let limits = Limit::ALL.iter().map(|limit| (limit.name(), limits.get(*limit))).collect();
    escape::to_string(&Document { format_version: "1.0", rules, limits })
}

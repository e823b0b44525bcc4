//! Turns the table of rules into a JSON document for programs.

use std::collections::BTreeMap;

use serde::Serialize;

use super::escape;
use crate::limits::{Limit, Limits};

/// A rule, or a kind of rules that a policy makes itself.
#[derive(Debug, Serialize)]
pub struct Listed<'a> {
    /// Its name.
    pub rule: &'a str,
    /// Its level under the policy that holds; none of a kind.
    pub level: Option<&'a str>,
    /// Whether it is a kind.
    #[serde(rename = "kind")]
    pub is_kind: bool,
    /// The line that set the level, as `file:line`.
    pub asked_by: Option<&'a str>,
    /// One line on what it finds.
    pub finds: &'a str,
    /// Of which kinds the fixes are that its findings may have: `safe`, `unsafe`.
    pub fixes: Vec<&'static str>,
}

#[derive(Serialize)]
struct Document<'a> {
    format_version: &'static str,
    rules: Vec<Listed<'a>>,
    /// What bounds a run, by name: sizes in bytes.
    limits: BTreeMap<&'static str, u64>,
}

/// The document; it ends with a line break.
pub fn rules<'a>(listed: impl Iterator<Item = Listed<'a>>, limits: &Limits) -> String {
    let limits = Limit::ALL.iter().map(|limit| (limit.name(), limits.get(*limit))).collect();
    escape::to_string(&Document { format_version: "1.0", rules: listed.collect(), limits })
}

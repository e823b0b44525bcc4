//! The parts of a SARIF log that are used, with their names in the standard.

use std::collections::BTreeMap;

use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Log<'a, R> {
    #[serde(rename = "$schema")]
    pub(super) schema: &'static str,
    pub(super) version: &'static str,
    pub(super) runs: [Run<'a, R>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Run<'a, R> {
    pub(super) tool: Tool<'a>,
    pub(super) original_uri_base_ids: BTreeMap<&'static str, Base>,
    pub(super) column_kind: &'static str,
    /// The results, each a [`Result`].
    pub(super) results: R,
}

#[derive(Serialize)]
pub(super) struct Tool<'a> {
    pub(super) driver: Driver<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Driver<'a> {
    pub(super) name: &'static str,
    pub(super) semantic_version: &'static str,
    pub(super) information_uri: &'static str,
    pub(super) rules: Vec<Rule<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rule<'a> {
    pub(super) id: &'a str,
    pub(super) short_description: Text,
    pub(super) full_description: Text,
    pub(super) help: Help<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) help_uri: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) default_configuration: Option<RuleLevel>,
    pub(super) properties: RuleProperties,
}

#[derive(Serialize)]
pub(super) struct Help<'a> {
    pub(super) text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) markdown: Option<&'a str>,
}

#[derive(Serialize)]
pub(super) struct RuleLevel {
    pub(super) level: &'static str,
}

#[derive(Serialize)]
pub(super) struct RuleProperties {
    pub(super) tags: [&'static str; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Result<'a> {
    pub(super) rule_id: &'a str,
    /// The index of the rule in [`Driver::rules`].
    pub(super) rule_index: usize,
    pub(super) level: &'static str,
    pub(super) message: Text,
    pub(super) locations: [Place; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) related_locations: Vec<Place>,
    pub(super) partial_fingerprints: BTreeMap<&'static str, &'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) fixes: Vec<Fix>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) suppressions: Option<Vec<Suppression>>,
    pub(super) properties: ResultProperties,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Fix {
    pub(super) description: Text,
    pub(super) artifact_changes: Vec<ArtifactChange>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArtifactChange {
    pub(super) artifact_location: Artifact,
    pub(super) replacements: Vec<Replacement>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Replacement {
    pub(super) deleted_region: Region,
    pub(super) inserted_content: Text,
}

#[derive(Serialize)]
pub(super) struct Text {
    pub(super) text: String,
}

impl Text {
    pub(super) fn of(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Place {
    /// The number of a related location within one result, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<usize>,
    pub(super) physical_location: Physical,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) logical_locations: Option<[Logical; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<Text>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Logical {
    pub(super) fully_qualified_name: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Physical {
    pub(super) artifact_location: Artifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) region: Option<Region>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Artifact {
    pub(super) uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) uri_base_id: Option<&'static str>,
}

/// The base of [`Artifact::uri_base_id`], without an address.
#[derive(Serialize)]
pub(super) struct Base {
    pub(super) description: Text,
}

/// Lines and columns from 1. The end is exclusive.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    pub(super) start_line: usize,
    pub(super) start_column: usize,
    pub(super) end_line: usize,
    pub(super) end_column: usize,
}

#[derive(Serialize)]
pub(super) struct Suppression {
    pub(super) kind: &'static str,
    pub(super) status: &'static str,
    pub(super) justification: String,
}

/// Additional properties.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ResultProperties {
    pub(super) category: &'static str,
    pub(super) module: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) set_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) engine: Option<&'static str>,
}

//! Turns what provisions a resource into configs, each with what it accepts.

use std::collections::BTreeSet;

use super::blocks::Blocks;
use super::table::{Arguments, CONNECTION, FILE, LOCAL_EXEC, REMOTE_EXEC};
use crate::finding::Finding;
use crate::module::config::Config;
use crate::module::declaration::{Provisioner, Resource};
use crate::text::Span;

/// A config that belongs to a provisioner.
#[derive(Debug)]
pub(in crate::graph) struct Part<'r> {
    /// The provisioner.
    pub(in crate::graph) of: &'r Provisioner,
    /// Its own config, or that of its connection.
    pub(in crate::graph) config: Config,
    /// What it accepts; none where only a plugin knows.
    pub(in crate::graph) accepts: Option<Arguments>,
    /// Whether it is that of the provisioner itself, and not of its connection.
    pub(in crate::graph) is_own: bool,
}

/// The configs of all provisioners of a resource, those of their connections among them. A connection of the resource
/// is there once, and under every connection of a provisioner's own, as an override would lie over it.
pub(in crate::graph) fn parts(resource: &Resource) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let base = resource.managed.connection.as_ref();
    let mut base_alone = base;
    for of in &resource.managed.provisioners {
        let accepts = match of.kind.as_str() {
            "local-exec" => Some(LOCAL_EXEC),
            "remote-exec" => Some(REMOTE_EXEC),
            "file" => Some(FILE),
            _ => None,
        };
        parts.push(Part { of, config: of.config.clone(), accepts, is_own: true });
        let connection = match (base, &of.connection) {
            (Some(base), Some(own)) => {
                let mut connection = Config::Plain(base.body.clone());
                connection.merge(Config::Plain(own.body.clone()));
                Some(connection)
            }
            (None, Some(own)) => Some(Config::Plain(own.body.clone())),
            (_, None) => base_alone.take().map(|base| Config::Plain(base.body.clone())),
        };
        if let Some(config) = connection {
            parts.push(Part { of, config, accepts: Some(CONNECTION), is_own: false });
        }
    }
    parts
}

/// Says what is not expected in the provisioners of a resource and in their connections, and what is missing.
pub(super) fn check(resource: &Resource, blocks: &mut Blocks<'_>) {
    // What is wrong with the connection of the resource is so for each that goes through it.
    let mut told: BTreeSet<(String, Option<Span>)> = BTreeSet::new();
    for part in parts(resource) {
        let Some(accepts) = part.accepts else { continue };
        let from = blocks.findings.len();
        blocks.is_right(accepts, &part.config);
        let found = blocks.findings.split_off(from).into_iter();
        let first = |finding: &Finding| told.insert((finding.detail.clone(), finding.primary));
        blocks.findings.extend(found.filter(first));
    }
}

//! The bodies of the provisioners of a resource, each with its schema.

use std::collections::BTreeSet;

use super::blocks::Blocks;
use super::table::{Arguments, CONNECTION, FILE, LOCAL_EXEC, REMOTE_EXEC};
use crate::finding::Finding;
use crate::module::config::Config;
use crate::module::declaration::{Provisioner, Resource};
use crate::text::Span;

/// A body that belongs to a provisioner.
#[derive(Debug)]
pub(in crate::graph) struct Part<'r> {
    /// The provisioner.
    pub(in crate::graph) of: &'r Provisioner,
    /// The body of the provisioner, or of its connection.
    pub(in crate::graph) config: Config,
    /// The accepted arguments, or `None` if only a plugin knows them.
    pub(in crate::graph) accepts: Option<Arguments>,
    /// Whether this is the body of the provisioner itself, and not of its connection.
    pub(in crate::graph) is_own: bool,
}

/// The bodies of all provisioners of a resource and of their connections. A `connection` of the resource is checked
/// on its own, and merged with the connection of each provisioner, as an override would be.
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

/// Reports unexpected and missing items in the provisioners of a resource and in their connections.
pub(super) fn check(resource: &Resource, blocks: &mut Blocks<'_>) {
    // Each provisioner that uses the connection of the resource repeats its errors.
    let mut reported: BTreeSet<(String, Option<Span>)> = BTreeSet::new();
    for part in parts(resource) {
        let Some(accepts) = part.accepts else { continue };
        let from = blocks.findings.len();
        blocks.is_right(accepts, &part.config);
        let found = blocks.findings.split_off(from).into_iter();
        let first = |finding: &Finding| reported.insert((finding.detail.clone(), finding.primary));
        blocks.findings.extend(found.filter(first));
    }
}

//! Parses registry module addresses: `[host/]namespace/name/system[//directory]`.

use std::fmt;

use smol_str::SmolStr;

use super::split_subdir;
use crate::module::address::hostname::normal_host;

/// A module in a registry.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegistryModule {
    /// The registry host; by default that of the engine.
    pub host: SmolStr,
    /// The namespace.
    pub namespace: SmolStr,
    /// The module name.
    pub name: SmolStr,
    /// The target system, which is the last part.
    pub system: SmolStr,
    /// The subdirectory in the package; empty for its root.
    pub subdir: SmolStr,
}

impl RegistryModule {
    /// Parses a registry address, or explains why it is invalid.
    pub(super) fn parse(raw: &str, default_host: &str) -> Result<Self, String> {
        let (package, subdir) = split_subdir(raw);
        if subdir.starts_with("../") {
            return Err(format!("the directory \"{subdir}\" is outside the package"));
        }
        let parts: Vec<&str> = package.split('/').collect();
        let (host, [namespace, name, system]) = match *parts.as_slice() {
            [namespace, name, system] => (None, [namespace, name, system]),
            [host, namespace, name, system] => (Some(registry_host(host)?), [namespace, name, system]),
            _ => return Err("it does not have the form \"[HOST/]NAMESPACE/NAME/PROVIDER\"".into()),
        };
        if !is_name(namespace) {
            return Err(if namespace.contains('.') {
                "after the host name it must have three parts: namespace, name and target system".into()
            } else {
                format!("\"{namespace}\" is not a valid namespace")
            });
        }
        if !is_name(name) {
            return Err(format!("\"{name}\" is not a valid module name"));
        }
        if !is_system(system) {
            return Err(if system.contains('?') {
                "it must not have a query".into()
            } else {
                format!(
                    "\"{system}\" is not a valid target system, which must contain only lowercase letters and \
                digits"
                )
            });
        }
        Ok(Self {
            host: host.unwrap_or_else(|| default_host.into()),
            namespace: namespace.into(),
            name: name.into(),
            system: system.into(),
            subdir: subdir.into(),
        })
    }
}

/// All parts, with the host.
impl fmt::Display for RegistryModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}/{}", self.host, self.namespace, self.name, self.system)?;
        if self.subdir.is_empty() { Ok(()) } else { write!(f, "//{}", self.subdir) }
    }
}

fn registry_host(host: &str) -> Result<SmolStr, String> {
    let normal =
        normal_host(host).map_err(|reason| format!("\"{host}\" is not a valid host name: {reason}"))?;
    if !normal.contains('.') {
        return Err(format!("the host name \"{host}\" must contain a dot"));
    }
    if normal == "github.com" || normal == "bitbucket.org" {
        return Err(format!("\"{host}\" hosts repositories and is not a module registry"));
    }
    Ok(normal)
}

/// 1 to 64 ASCII letters, digits, hyphens and underscores, with a letter or digit at both ends.
fn is_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    let inside = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    matches!(bytes.len(), 1..=64)
        && bytes.iter().all(inside)
        && [bytes.first(), bytes.last()].into_iter().flatten().all(u8::is_ascii_alphanumeric)
}

fn is_system(name: &str) -> bool {
    matches!(name.len(), 1..=64)
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

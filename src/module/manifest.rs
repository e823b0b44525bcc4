//! The manifest of the modules that `init` installed, `modules.json`.

use std::collections::BTreeMap;

use serde_json::Value;
use smol_str::SmolStr;

use crate::engine::{Features, Product};
use crate::module::address::ModuleSource;
use crate::module::declaration::ModuleCall;
use crate::value::Version;

/// An installed module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledModule {
    /// The module source that it was installed from, in full.
    pub source: SmolStr,
    /// The version of a module from a registry.
    pub version: Option<Version>,
    /// Its directory, relative to that of the root module, or absolute.
    pub directory: SmolStr,
}

/// Reads a manifest: the installed modules by key, which is the names of the calls that lead to one, joined by dots.
/// `None` if an engine would refuse the manifest.
pub fn read(bytes: &[u8]) -> Option<BTreeMap<SmolStr, InstalledModule>> {
    let manifest: Value = serde_json::from_slice(bytes).ok()?;
    let mut modules = BTreeMap::new();
    for row in manifest.get("Modules")?.as_array()? {
        let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
        let version = match text("Version") {
            "" => None,
            version => Some(Version::parse(version)?),
        };
        let module =
            InstalledModule { source: text("Source").into(), version, directory: text("Dir").into() };
        if modules.insert(text("Key").into(), module).is_some() {
            return None;
        }
    }
    Some(modules)
}

impl InstalledModule {
    /// Reports whether its source is a directory of the package that calls it.
    pub fn is_local(&self, features: &Features) -> bool {
        matches!(self.address(features), Some(ModuleSource::Local(_)))
    }

    /// Reports whether it is what a module call names: the same source, and a version that the call allows.
    pub fn is_for(&self, call: &ModuleCall, features: &Features) -> bool {
        let named = call.source.as_ref().and_then(|source| source.address.as_ref());
        let (Some(named), Some(address)) = (named, self.address(features)) else { return false };
        if *named != address && *named != in_registry_of(address, features) {
            return false;
        }
        match (&call.version, &call.address.version) {
            (None, None) => true,
            // Not known.
            (None, Some(_)) => false,
            (Some(version), _) => version.constraints.as_ref().is_none_or(|constraints| {
                self.version.as_ref().is_some_and(|version| constraints.matches(version))
            }),
        }
    }

    fn address(&self, features: &Features) -> Option<ModuleSource> {
        ModuleSource::parse(&self.source, self.version.is_some(), features).ok()
    }
}

/// The same module in the public registry of an engine.
fn in_registry_of(address: ModuleSource, features: &Features) -> ModuleSource {
    match address {
        // A short address names the host of the engine, and both have the same modules.
        ModuleSource::Registry(mut module) if Product::REGISTRY_HOSTS.contains(&module.host.as_str()) => {
            module.host = features.registry_host.into();
            ModuleSource::Registry(module)
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_that_an_engine_refuses_has_no_modules() {
        let row = r#"{"Key": "v", "Source": "registry.terraform.io/a/b/c", "Version": "1.0.0", "Dir": "x"}"#;
        let of = |rows: &str| read(format!("{{\"Modules\": [{rows}], \"Other\": 1}}").as_bytes());
        assert_eq!(of(row).map(|modules| modules.len()), Some(1));
        assert_eq!(of(&format!("{row}, {row}")), None, "two rows of one key");
        assert_eq!(of(&row.replace("1.0.0", "x")), None, "no version");
        assert_eq!(read(b""), None);
        assert_eq!(read(b"[1"), None);
    }
}

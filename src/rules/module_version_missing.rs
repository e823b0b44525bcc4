#![doc = include_str!("../../policies/rules/module-version-missing.md")]

use smol_str::SmolStr;

use super::prerelease_in_range::prerelease;
use super::support::edits::argument;
use super::support::module_source;
use super::support::own_module::is_own_registry_module;
use super::{Configure, Context, Node, Page, Rule, page};
use crate::engine::Product;
use crate::finding::Finding;
use crate::module::Module;
use crate::module::address::{ModuleSource, RegistryModule};
use crate::module::declaration::VersionConstraint;
use crate::policy::{Globs, Options};
use crate::syntax::quoted;

pub(super) struct ModuleVersionMissing {
    allow: Globs,
}

impl Configure for ModuleVersionMissing {
    const OPTIONS: &'static [&'static str] = &["allow"];

    fn configure(options: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self { allow: options.sources("allow")? })
    }
}

impl Rule for ModuleVersionMissing {
    const PAGE: Page = page!("module-version-missing");

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        if !module.knows_blocks() {
            // The version may be in a part that could not be read.
            return;
        }
        for call in module.calls.values().filter(|call| call.address.version.is_none()) {
            let Some(source) = &call.source else { continue };
            let Some(ModuleSource::Registry(package)) = &source.address else { continue };
            if self.allow.has(&source.raw) || is_own_registry_module(node, call, package, context) {
                continue;
            }
            let finding = Self::finding("Registry module without a version")
                .detail(
                    "Without `version`, `init` installs the newest version, even a new major version. The dependency \
                     lock file does not record the versions of modules.",
                );
            let finding = module_source::at_source(finding, call, source);
            findings.push(if let Some((other, version)) = version_elsewhere(module, package) {
                let text = argument(context, source.span.file, "version", &quoted(&version.text));
                finding
                    .related(
                        version.value_span,
                        format!("`module.{other}` calls the same module with this version"),
                    )
                    .help(format!("add {text} to the call"))
            } else {
                finding.help(format!("set `version`: {}", look_up(package, module.features.engine.product)))
            });
        }
    }
}

/// The version of another call of the same package in this module, with the name of that call. For a module in a
/// subdirectory, only calls of the same one count: not every version of a package has it. A range with a prerelease would
/// be a finding itself.
fn version_elsewhere<'m>(
    module: &'m Module,
    package: &RegistryModule,
) -> Option<(&'m str, &'m VersionConstraint)> {
    let has_it = |other: &RegistryModule| {
        let at_root = RegistryModule { subdir: SmolStr::default(), ..other.clone() };
        other == package || at_root == *package
    };
    let mut calls = module.calls.values();
    calls.find_map(|call| {
        let source = call.source.as_ref()?.address.as_ref()?;
        let is_same = matches!(source, ModuleSource::Registry(other) if has_it(other));
        let version = call.version.as_ref().filter(|version| is_same && prerelease(version).is_none())?;
        Some((call.name.as_str(), version))
    })
}

/// Where to find the versions of a package.
fn look_up(package: &RegistryModule, product: Product) -> String {
    let RegistryModule { host, namespace, name, system, .. } = package;
    if host != product.registry_host() {
        return format!("the registry {host} lists the versions of {namespace}/{name}/{system}");
    }
    let page = match product {
        Product::Terraform => format!("https://{host}/modules/{namespace}/{name}/{system}"),
        Product::OpenTofu => {
            format!("https://search.opentofu.org/module/{namespace}/{name}/{system}/latest")
        }
    };
    format!("{page} lists the versions")
}

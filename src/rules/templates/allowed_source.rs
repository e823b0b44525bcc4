#![doc = include_str!("../../../policies/rules/allowed-source.md")]

use std::collections::BTreeMap;

use crate::finding::{Concern, Finding};
use crate::graph::Node;
use crate::module::Module;
use crate::module::address::{ModuleSource, ProviderAddress};
use crate::module::declaration::Source;
use crate::policy::{Globs, Options};
use crate::rules::{Configure, Context, Rule};
use crate::text::Span;

pub(super) struct AllowedSource {
    /// None where any module may be called.
    modules: Option<Globs>,
    /// None where any provider may be used.
    providers: Option<Globs>,
}

/// The registries of the engines: what is in one by default is written without it.
const REGISTRIES: [&str; 2] = ["registry.terraform.io", "registry.opentofu.org"];

impl Configure for AllowedSource {
    const OPTIONS: &'static [&'static str] = &["modules", "providers"];

    fn configure(options: &Options<'_>) -> Result<Self, Finding> {
        let set = |name| Ok(options.texts(name)?.is_some().then_some(options.sources(name)?));
        for name in ["modules", "providers"] {
            for (pattern, span) in options.texts(name)?.unwrap_or_default() {
                if let Some((why, order)) = never_decides(&pattern) {
                    let why = format!("`{pattern}` {why}.");
                    return Err(options.mistake("Invalid pattern", span).detail(why).help(order));
                }
            }
            if let [(pattern, span)] = &options.texts(name)?.unwrap_or_default()[..]
                && pattern == "**"
            {
                let why = format!("`**` allows all {name}, so the rule can never report any.");
                let order = format!("name the sources that are allowed, or leave `{name}` out");
                return Err(options.mistake("Invalid pattern", *span).detail(why).help(order));
            }
        }
        let (modules, providers) = (set("modules")?, set("providers")?);
        options.either(["modules", "providers"], modules.as_ref().or(providers.as_ref()))?;
        Ok(Self { modules, providers })
    }
}

impl Rule for AllowedSource {
    const ID: &'static str = "allowed-source";

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        if let Some(allowed) = &self.modules {
            for call in module.calls.values() {
                let Some(source) = call.source.as_ref().filter(|source| is_refused(source, allowed)) else {
                    continue;
                };
                findings.push(
                    Self::finding("Module source is not allowed")
                        .detail(format!("`{}` is not an allowed module source.", source.raw))
                        .at(source.span)
                        .help("call a module from an allowed source")
                        .address(format!("module.{}", call.name))
                        .concerns(Concern::ModuleSource(source.raw.clone())),
                );
            }
        }
        if let Some(allowed) = &self.providers {
            for (address, at) in providers(module) {
                let shown = address.display(module.features.registry_host);
                if address.is_built_in() || allowed.matches(&forms_of(&address), &[]) {
                    continue;
                }
                findings.push(
                    Self::finding("Provider is not allowed")
                        .detail(format!("`{shown}` is not an allowed provider."))
                        .at(at)
                        .label("needs this provider")
                        .help("use an allowed provider")
                        .concerns(Concern::Provider(shown)),
                );
            }
        }
    }
}

/// Every provider that a module names, at the place that names it best.
fn providers(module: &Module) -> BTreeMap<ProviderAddress, Span> {
    let mut providers = BTreeMap::new();
    for entry in module.required_providers.values() {
        let at = entry.source.as_ref().map_or(entry.span, |source| source.span);
        providers.entry(entry.address.clone()).or_insert(at);
    }
    let configured = module
        .providers
        .values()
        .filter_map(|provider| Some((module.provider_address(&provider.name)?, provider.origin.header())));
    let used = module
        .resources
        .values()
        .filter_map(|resource| Some((resource.provider.clone()?, resource.origin.header())));
    for (address, at) in configured.chain(used) {
        providers.entry(address).or_insert(at);
    }
    providers
}

fn forms_of(address: &ProviderAddress) -> Vec<String> {
    in_registries(&address.host, &format!("{}/{}", address.namespace, address.name))
}

/// A path in a registry, as people may write it.
fn in_registries(host: &str, path: &str) -> Vec<String> {
    if REGISTRIES.contains(&host) {
        let full = REGISTRIES.iter().map(|registry| format!("{registry}/{path}"));
        full.chain([path.to_owned()]).collect()
    } else {
        vec![format!("{host}/{path}")]
    }
}

/// Whether a module comes from elsewhere, and from none of the allowed places.
fn is_refused(source: &Source, allowed: &Globs) -> bool {
    let (forms, also) = match &source.address {
        // A directory of the same repository is reviewed with it; of what is not known nothing is said.
        None | Some(ModuleSource::Local(_)) => return false,
        Some(ModuleSource::Registry(module)) => {
            let full = module.to_string();
            let path = full.strip_prefix(module.host.as_str()).unwrap_or(&full).trim_start_matches('/');
            (in_registries(&module.host, path), Vec::new())
        }
        Some(ModuleSource::Remote(module)) => {
            // A server may take such a path for a shorter one, that no pattern here would mean.
            if climbs(&module.package) {
                return true;
            }
            let full = module.to_string();
            let plain = full.split_once('?').map_or(full.as_str(), |(address, _)| address);
            let host = plain.split_once("::").map_or(plain, |(_, rest)| rest);
            let host = host.split_once("://").map_or(host, |(_, rest)| rest);
            let first = host.split('/').next().unwrap_or(host);
            let host = first.rsplit_once('@').map_or(host, |(user, _)| &host[user.len() + 1..]);
            let forms = vec![source.raw.to_string(), plain.to_owned(), host.to_owned(), full.clone()];
            (forms, without_user_and_port(plain, host))
        }
    };
    !allowed.matches(&forms, &also)
}

/// The address of a package as a pattern with `!` should find it however it is written: the host in lower case, without
/// a user or a port. Beside it the same from the host on.
fn without_user_and_port(address: &str, from_host: &str) -> Vec<String> {
    let (host, path) = from_host.split_at(from_host.find('/').unwrap_or(from_host.len()));
    let host = host.split(':').next().unwrap_or(host).to_ascii_lowercase();
    let scheme = address.find("://").map_or("", |at| &address[..at + 3]);
    vec![format!("{scheme}{host}{path}"), format!("{host}{path}")]
}

/// Why a pattern of sources can decide nothing, and what to do instead.
fn never_decides(pattern: &str) -> Option<(&'static str, &'static str)> {
    let plain = pattern.trim_start_matches('!');
    let is_local = plain.starts_with("./") || plain.starts_with("../") || plain.starts_with('/');
    is_local.then_some((
        "has no effect: a module in a directory of the repository is always allowed",
        "remove the pattern",
    ))
}

fn climbs(package: &str) -> bool {
    let plain = package.to_ascii_lowercase().replace("%2e", ".").replace("%2f", "/");
    plain.split(['/', '\\']).any(|part| part == "..")
}

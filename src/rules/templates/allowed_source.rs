#![doc = include_str!("../../../policies/rules/allowed-source.md")]

use std::collections::BTreeMap;

use crate::engine::Product;
use crate::finding::{Concern, Finding};
use crate::module::Module;
use crate::module::address::{ModuleSource, ProviderAddress, host_names};
use crate::module::declaration::Source;
use crate::policy::{Globs, Options};
use crate::rules::support::module_source;
use crate::rules::{Configure, Context, Node, Page, Rule, page};
use crate::text::Span;

pub(super) struct AllowedSource {
    /// The allowed modules, or `None` if all are allowed.
    modules: Option<Globs>,
    /// The allowed providers, or `None` if all are allowed.
    providers: Option<Globs>,
}

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
                let one = name.trim_end_matches('s');
                let why = format!("`**` allows all {name}, so the rule can never report a {one}.");
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
    const PAGE: Page = page!("allowed-source");

    fn check(&self, node: Node<'_>, _: &Context<'_>, findings: &mut Vec<Finding>) {
        let module = node.module();
        if let Some(allowed) = &self.modules {
            for call in module.calls.values() {
                let Some(source) = call.source.as_ref().filter(|source| is_refused(source, allowed)) else {
                    continue;
                };
                let finding = Self::finding("Module source is not allowed")
                    .detail(format!("`{}` is not an allowed module source.", source.raw))
                    .help("call a module from an allowed source");
                findings.push(module_source::at_source(finding, call, source));
            }
        }
        if let Some(allowed) = &self.providers {
            for (address, at) in providers(module) {
                let shown = address.display(module.features.registry_host);
                if address.is_built_in() || allowed.matches(&forms_of(&address), &with_any_port(&address)) {
                    continue;
                }
                Self::finding("Provider is not allowed")
                    .detail(format!("`{shown}` is not an allowed provider."))
                    .at(at)
                    .label("needs this provider")
                    .help("use an allowed provider")
                    .concerns(Concern::Provider(shown))
                    .push_to(findings);
            }
        }
    }
}

/// Every provider that a module names, with the most specific span.
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

/// The forms of a provider that a pattern with `!` must match, whatever the port.
fn with_any_port(address: &ProviderAddress) -> Vec<String> {
    on_host(&address.host, &format!("{}/{}", address.namespace, address.name))
}

/// The written forms of a path in a registry without its port and a final dot.
fn on_host(host: &str, path: &str) -> Vec<String> {
    host_names(host).iter().flat_map(|host| in_registries(host, path)).collect()
}

/// The written forms of a path in a registry.
fn in_registries(host: &str, path: &str) -> Vec<String> {
    // Addresses may omit these hosts.
    if Product::REGISTRY_HOSTS.contains(&host) {
        let full = Product::REGISTRY_HOSTS.iter().map(|registry| format!("{registry}/{path}"));
        full.chain([path.to_owned()]).collect()
    } else {
        vec![format!("{host}/{path}")]
    }
}

/// Whether a module is not local and not from an allowed place.
fn is_refused(source: &Source, allowed: &Globs) -> bool {
    let (forms, also) = match &source.address {
        // Local modules are part of the repository, and unknown sources are not reported.
        None | Some(ModuleSource::Local(_)) => return false,
        Some(ModuleSource::Registry(module)) => {
            let full = module.to_string();
            let path = full.strip_prefix(module.host.as_str()).unwrap_or(&full).trim_start_matches('/');
            (in_registries(&module.host, path), on_host(&module.host, path))
        }
        Some(ModuleSource::Remote(module)) => {
            // A server may shorten such a path to one that a pattern does not intend.
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

/// The forms of a package address that a pattern with `!` must match: the normal names of the host, without user and
/// port; and the same without the scheme.
fn without_user_and_port(address: &str, from_host: &str) -> Vec<String> {
    let (host, path) = from_host.split_at(from_host.find('/').unwrap_or(from_host.len()));
    let scheme = address.find("://").map_or("", |at| &address[..at + 3]);
    let names = host_names(host);
    names.iter().flat_map(|host| [format!("{scheme}{host}{path}"), format!("{host}{path}")]).collect()
}

/// Why a source pattern can never match, and what to write instead.
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

#![doc = include_str!("../../policies/rules/required-provider-missing.md")]

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use smol_str::SmolStr;

use super::support::edits::require;
use super::support::provider_source::{Related, Source};
use super::{ADVICE, Configure, Context, Node, Options, Page, Role, Rule, page};
use crate::finding::{Concern, Finding, Fix, Safety};
use crate::module::Module;
use crate::module::declaration::{RequiredProvider, Resource};
use crate::syntax::Block;
use crate::text::nearest;

pub(super) struct RequiredProviderMissing {
    /// Whether to report providers of HashiCorp even if every caller requires them or is reported itself.
    every_module: bool,
}

/// A provider without an entry.
struct Missing<'m> {
    /// The local name.
    name: &'m str,
    /// The first resource that uses it.
    first: &'m Resource,
    /// The suggested source, or `None` if it is unknown.
    source: Option<Source>,
}

impl Configure for RequiredProviderMissing {
    const OPTIONS: &'static [&'static str] = &["every_module"];

    fn configure(options: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self { every_module: options.flag("every_module")?.unwrap_or_default() })
    }
}

impl Rule for RequiredProviderMissing {
    const PAGE: Page = page!("required-provider-missing");
    const FIXES: &'static [Safety] = &[Safety::Unsafe];
    const REVEALS: &'static [&'static str] = &["no-upper-bound-in-root", "provider-version-missing"];
    const ROLES: &'static [Role] = ADVICE;

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        let mut missing = missing(node, context);
        if !self.every_module {
            missing.retain(|one| !(one.is_of_hashicorp() && is_left_to_callers(node, one.name)));
        }
        let Some(first) = missing.iter().map(|one| one.first.origin.header()).min() else { return };
        let module = node.module();
        let names = listed(&missing, |one| format!("`{}`", one.name));
        let assumed = listed(&missing, |one| format!("hashicorp/{}", one.name));
        let summary = if missing.len() == 1 {
            "Provider missing from `required_providers`"
        } else {
            "Providers missing from `required_providers`"
        };
        // A block in a file that other modules load through symbolic links belongs to these as well.
        let is_own = |block: &&Arc<Block>| context.sources().links(block.header.file).is_empty();
        let block = module.required_providers_block.as_ref().filter(is_own);
        let entries: Option<Vec<String>> = missing.iter().map(Missing::entry).collect();
        let fix = entries.and_then(|entries| require(module, &entries.join("\n"), context));
        let finding = Self::finding(summary)
            .detail(format!(
                "This module uses {names} without an entry in `required_providers`, so {} assumes {assumed}.",
                module.features.engine.product.name()
            ))
            .at(block.map_or(first, |block| block.header))
            .help(meant(&missing, module).unwrap_or_else(|| help(&missing)))
            .fixed_by(fix.map(|edit| Fix::on_request([edit])))
            .concerns(Concern::Providers(missing.iter().map(|one| one.name.into()).collect()));
        findings.push(missing.iter().fold(finding, |finding, one| {
            let finding = finding.related(one.first.origin.header(), format!("uses `{}`", one.name));
            let stated = one.source.as_ref().and_then(|source| Some((source.at?, &source.address)));
            match stated {
                Some((at, source)) => finding.related(at, format!("`{}` is {source} here", one.name)),
                None => finding,
            }
        }));
    }
}

impl Missing<'_> {
    /// Whether the provider is the default one for its name.
    fn is_of_hashicorp(&self) -> bool {
        self.source.as_ref().is_some_and(|source| source.address == format!("hashicorp/{}", self.name))
    }

    fn entry(&self) -> Option<String> {
        Some(format!("{} = {{\n  source = \"{}\"\n}}", self.name, self.source.as_ref()?.address))
    }
}

/// The help for a single name that is probably a mistake in a `provider` argument.
fn meant(missing: &[Missing<'_>], module: &Module) -> Option<String> {
    let [Missing { name, first, source }] = missing else { return None };
    first.provider_ref.as_ref()?;
    let implied = first.address.implied_provider();
    if *name == "null" && implied != "null" {
        return Some(format!("`null` is read as the name of a provider here: write `provider = {implied}`"));
    }
    let known = module.required_providers.keys().map(SmolStr::as_str);
    let near = if source.is_none() { nearest(name, known) } else { None };
    near.map(|near| format!("did you mean `{near}`?"))
}

/// The entries to add, for which the sources are known.
fn help(missing: &[Missing<'_>]) -> String {
    let (known, unknown): (Vec<&Missing<'_>>, Vec<&Missing<'_>>) =
        missing.iter().partition(|one| one.source.is_some());
    let entries = known.iter().filter_map(|one| {
        Some(format!("`{}`", RequiredProvider::written(one.name, &one.source.as_ref()?.address, "")))
    });
    let entries: Vec<String> = entries.collect();
    let entries =
        (!entries.is_empty()).then(|| format!("add to `required_providers`: {}", entries.join(", ")));
    let names = || listed(&unknown, |one| format!("`{}`", one.name));
    let look_up = match unknown.len() {
        0 => None,
        1 => Some(format!(
            "look up the publisher of {} in the registry, and add an entry with that source",
            names()
        )),
        _ => Some(format!(
            "look up the publishers of {} in the registry, and add entries with these sources",
            names()
        )),
    };
    entries.into_iter().chain(look_up).collect::<Vec<_>>().join("; ")
}

/// The providers without an entry, by name.
fn missing<'t>(node: Node<'t>, context: &Context<'_>) -> Vec<Missing<'t>> {
    let module = node.module();
    if !module.is_whole() {
        return Vec::new();
    }
    let mut missing: BTreeMap<&str, &Resource> = BTreeMap::new();
    let written = LazyCell::new(|| written(module, context));
    for resource in module.resources.values() {
        let reference = resource.provider_ref.as_ref();
        if reference.is_some_and(|reference| module.reads_value(reference)) {
            continue;
        }
        let name = resource.provider_name();
        if is_missing(node, name) && !(node.is_broken() && written.contains(name)) {
            let first = missing.entry(name).or_insert(resource);
            if resource.origin.header() < first.origin.header() {
                *first = resource;
            }
        }
    }
    let related = Related::to(node);
    missing.into_iter().map(|(name, first)| Missing { name, first, source: related.source(name) }).collect()
}

/// The maximal number of callers to search; a module with more is reported.
const MOST_CALLERS: usize = 100;

/// Whether every path from a root module to this one contains a module that requires the provider, whose entries are
/// not all known, or that uses the provider and so is reported itself. Examples and tests do not count: a module that
/// only they call is for external callers. A module that nothing calls yet is left to its future callers.
fn is_left_to_callers(node: Node<'_>, name: &str) -> bool {
    let Some(address) = node.module().provider_address(name) else { return false };
    if node.is_idle() {
        return true;
    }
    let decides = |node: Node<'_>| {
        let module = node.module();
        let uses = |resource: &Resource| {
            module.provider_address(resource.provider_name()).as_ref() == Some(&address)
        };
        !module.is_whole()
            || node.requirements_of(&address).next().is_some()
            || module.resources.values().any(|one| uses(one))
    };
    let mut seen = BTreeSet::from([node.id()]);
    let mut next = vec![node];
    while let Some(called) = next.pop() {
        let callers = called.callers().map(|(caller, _)| caller);
        let mut callers = callers.filter(|caller| ADVICE.contains(&caller.role())).peekable();
        if callers.peek().is_none() || called.is_called_from_outside() || seen.len() > MOST_CALLERS {
            return false;
        }
        next.extend(callers.filter(|caller| seen.insert(caller.id()) && !decides(*caller)));
    }
    true
}

/// Whether the source of a local name is undeclared. Terraform itself reports a provider that is required under
/// another name, and invalid names.
fn is_missing(node: Node<'_>, name: &str) -> bool {
    let module = node.module();
    let Some(address) = module.provider_address(name) else { return false };
    !module.required_providers.contains_key(name)
        && !address.is_built_in()
        && node.requirements_of(&address).next().is_none()
}

/// The names of all entries, even of those with an error.
fn written(module: &Module, context: &Context<'_>) -> BTreeSet<SmolStr> {
    let blocks = context.terraform_blocks(module);
    let entries = blocks.iter().flat_map(|block| block.blocks("required_providers", &[]));
    entries.flat_map(|block| block.body.names()).collect()
}

fn listed<M>(missing: &[M], shown: impl Fn(&M) -> String) -> String {
    let shown: Vec<String> = missing.iter().map(shown).collect();
    match shown.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        Some(_) | None => shown.concat(),
    }
}

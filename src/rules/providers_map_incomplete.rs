#![doc = include_str!("../../policies/rules/providers-map-incomplete.md")]

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::support::edits::pass;
use super::{Configure, Context, Options, Page, Rule, page};
use crate::finding::{Concern, Finding, Fix, Safety};
use crate::graph::{Configuration, Need, Node, Role, Supply};
use crate::module::Module;
use crate::module::address::ProviderAddress;
use crate::module::declaration::{ModuleCall, PassedProvider, ProviderConfiguration};

/// Providers without configuration, for which inheritance does not matter.
const WITHOUT_CONFIGURATION: [&str; 10] =
    ["archive", "external", "http", "local", "null", "random", "template", "terraform", "time", "tls"];

pub(super) struct ProvidersMapIncomplete {
    /// Provider names that a map may omit.
    ignore: Vec<SmolStr>,
}

impl Configure for ProvidersMapIncomplete {
    const OPTIONS: &'static [&'static str] = &["ignore"];

    fn configure(options: &Options<'_>) -> Result<Self, Finding> {
        Ok(Self {
            ignore: options
                .strings("ignore")?
                .unwrap_or_else(|| WITHOUT_CONFIGURATION.map(SmolStr::new_static).into()),
        })
    }
}

impl Rule for ProvidersMapIncomplete {
    const PAGE: Page = page!("providers-map-incomplete");
    const FIXES: &'static [Safety] = &[Safety::Safe];
    const ROLES: &'static [Role] = &[Role::Root];

    /// Checks root modules only. A called module often inherits the provider itself, and then an entry `aws = aws` is
    /// an error for every caller that does not pass `aws`.
    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        if node.is_called() {
            return;
        }
        let others = LazyCell::new(|| passed(node));
        for (call, child) in node.child_calls() {
            let Some(at) = call.providers_span else { continue };
            if call.providers.is_empty() || call.origin.written("providers").len() > 1 {
                continue;
            }
            for (configuration, need, block) in left_out(node, child, call) {
                if self.ignore.contains(&configuration.provider.name) {
                    continue;
                }
                let ours = &block.name;
                let (theirs, declare) =
                    match child.requirements_of(&configuration.provider).collect::<Vec<_>>()[..] {
                        [] => (&configuration.provider.name, true),
                        [entry] => (&entry.name, false),
                        _ => continue,
                    };
                let provider = configuration.provider.display(child.module().features.registry_host);
                let mut help = format!("add `{theirs} = {ours}` to this map");
                if declare {
                    help +=
                        &format!(", and an entry for `{theirs}` to `required_providers` of the child module");
                }
                if repeats_inheritance(node, child, call) {
                    help += "; or remove the map, because the child module inherits the same configurations";
                }
                let fix = (!declare
                    && is_safe(node.module(), &others, &configuration.provider, theirs, ours))
                .then(|| pass(context, call, theirs, ours))
                .flatten();
                Self::finding("Incomplete `providers` map")
                    .detail(format!(
                        "The child module uses the default configuration of {provider}, and this map does not \
                         pass it. Terraform and OpenTofu let the module inherit it, but the documentation \
                         requires a `providers` map to list every configuration that the module needs."
                    ))
                    .at(at)
                    .related(need.at, format!("uses the default configuration of `{theirs}`"))
                    .related(block.origin.header(), "the module inherits this configuration")
                    .help(help)
                    .fixed_by(fix.map(|edit| Fix::safe([edit])))
                    .address(format!("module.{}", call.name))
                    .concerns(Concern::Provider(theirs.clone()))
                    .push_to(findings);
            }
        }
    }
}

/// The default configurations that a called module inherits although the call has a map: each with what needs it there,
/// and the block that configures it here.
pub(super) fn left_out<'t>(
    node: Node<'t>,
    child: Node<'t>,
    call: &'t ModuleCall,
) -> impl Iterator<Item = (&'t Configuration, &'t Need, &'t ProviderConfiguration)> {
    let uses = child.uses().configurations.iter().filter(|(_, need)| !need.by_name);
    let inherited = uses.filter(move |(key, _)| is_inherited(node, child, call, key));
    inherited.filter_map(move |(key, need)| Some((&**key, need, default_block(node, &key.provider)?)))
}

/// Whether the called module inherits a default configuration that this map does not pass.
fn is_inherited<'t>(
    node: Node<'t>,
    child: Node<'t>,
    call: &'t ModuleCall,
    configuration: &Configuration,
) -> bool {
    child.required_from_callers(configuration).is_none()
        && matches!(child.supply(configuration, Some((node, call))), Supply::Inherited)
        // A module cannot pass by name what it only inherits: Terraform reports that.
        && !child.passes_on(configuration)
}

/// Whether removing the map changes nothing, and no engine reports anything.
pub(super) fn repeats_inheritance(node: Node<'_>, child: Node<'_>, call: &ModuleCall) -> bool {
    let is_default = |passed: &PassedProvider| {
        let theirs = Configuration::named(child.module(), &passed.in_child);
        theirs == Configuration::named(node.module(), &passed.in_parent) && child.inherits(passed)
    };
    child.module().complete && !call.providers.is_empty() && call.providers.iter().all(is_default)
}

/// The block of the default configuration of a provider in a module. Returns `None` if its arguments have no effect,
/// or if it is chosen at random.
fn default_block<'t>(node: Node<'t>, provider: &ProviderAddress) -> Option<&'t ProviderConfiguration> {
    let own = node.own_configuration(&Configuration::default_of(provider.clone()))?;
    own.attached().filter(|_| !own.is_replaceable())
}

/// The providers that the calls of a module pass, by name in the child modules.
type Passed<'t> = BTreeMap<&'t SmolStr, BTreeSet<Option<ProviderAddress>>>;

fn passed(node: Node<'_>) -> Passed<'_> {
    let mut passed = Passed::new();
    for (call, _) in node.calls() {
        let child = node.child(&call.name);
        for entry in &call.providers {
            let provider = match child {
                Some(child) => child.module().provider_address(&entry.in_child.name),
                None => node.module().provider_address(&entry.in_parent.name),
            };
            passed.entry(&entry.in_child.name).or_default().insert(provider);
        }
    }
    passed
}

/// Whether adding the entry `theirs = ours` changes only the map. Terraform reports a mismatch if calls of one module
/// use a name for several providers, or if the module itself uses the name of the child for another one.
fn is_safe(
    module: &Module,
    passed: &Passed<'_>,
    provider: &ProviderAddress,
    theirs: &SmolStr,
    ours: &SmolStr,
) -> bool {
    module.required_providers.contains_key(ours)
        && (theirs == ours || !module.required_providers.contains_key(theirs))
        && passed.get(theirs).is_none_or(|one| one.iter().all(|other| other.as_ref() == Some(provider)))
}

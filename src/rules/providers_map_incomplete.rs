#![doc = include_str!("../../policies/rules/providers-map-incomplete.md")]

use smol_str::SmolStr;

use super::mend::pass;
use super::{Context, Rule};
use crate::finding::{Finding, Fix, Safety};
use crate::module::Module;
use crate::module::address::ProviderAddress;
use crate::module::declaration::ModuleCall;
use crate::policy::Options;
use crate::tree::{Configuration, Node};

/// Providers that need no configuration, and so work the same wherever they are inherited from.
const WITHOUT_CONFIGURATION: [&str; 10] =
    ["archive", "external", "http", "local", "null", "random", "template", "terraform", "time", "tls"];

pub(super) struct ProvidersMapIncomplete {
    /// Names of providers that may be left out.
    ignore: Vec<SmolStr>,
}

impl Rule for ProvidersMapIncomplete {
    const ID: &'static str = "providers-map-incomplete";
    const FIXES: &'static [Safety] = &[Safety::Safe];

    fn configure(options: &Options<'_>) -> Result<Self, Finding> {
        let usual = || WITHOUT_CONFIGURATION.iter().map(|name| SmolStr::new_static(name)).collect();
        Ok(Self { ignore: options.strings("ignore")?.unwrap_or_else(usual) })
    }

    fn check(&self, node: Node<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
        for (call, _) in node.calls() {
            let (Some(at), Some(child)) = (call.providers_span, node.child(&call.name)) else { continue };
            if call.providers.is_empty() {
                continue;
            }
            for (configuration, needed) in &child.uses().configurations {
                if self.ignore.contains(&configuration.provider.name)
                    || !is_inherited(child, call, configuration)
                {
                    continue;
                }
                let theirs = local_name(child.module(), &configuration.provider);
                let ours = local_name(node.module(), &configuration.provider);
                findings.push(
                    Self::finding("Incomplete `providers` map")
                        .detail(format!(
                            "The module uses the default configuration of {}, and this map leaves it out. The \
                             documentation asks for it; the engines still let the module inherit it from here.",
                            configuration.provider.display(child.module().features.registry_host)
                        ))
                        .at(at)
                        .related(*needed, format!("needs the default configuration of `{theirs}`"))
                        .help(format!("add to the map: {theirs} = {ours}"))
                        .fixed_by(pass(context, call, &theirs, &ours).map(|edit| Fix::safe([edit])))
                        .address(format!("module.{}", call.name)),
                );
            }
        }
    }
}

/// Whether the called module uses a default configuration that it neither has itself nor gets from the map.
fn is_inherited(child: Node<'_>, call: &ModuleCall, configuration: &Configuration) -> bool {
    let module = child.module();
    let is_it = |other: Option<Configuration>| other.as_ref() == Some(configuration);
    configuration.alias.is_none()
        && !child.declares(configuration)
        && !call.providers.iter().any(|passed| is_it(Configuration::named(module, &passed.in_child)))
}

/// What a module calls a provider.
fn local_name(module: &Module, provider: &ProviderAddress) -> SmolStr {
    let entry = module.required_providers.values().find(|entry| entry.address == *provider);
    entry.map_or_else(|| provider.name.clone(), |entry| entry.name.clone())
}

//! The steps that replace a `provider` block in a shared module.

use std::collections::BTreeSet;

use crate::graph::{Configuration, Node};
use crate::module::address::{Subject, reference};
use crate::module::declaration::ProviderConfiguration;

/// Returns the steps, each only where the module does not meet it already.
pub(super) fn of(node: Node<'_>, provider: &ProviderConfiguration) -> String {
    let (name, compact) = (&provider.name, provider.compact());
    let steps = if is_taken(node, provider) {
        let another = if provider.alias.is_some() { "another" } else { "an" };
        format!(
            "a caller already configures `{compact}`: move this block there with {another} `alias`,{} and pass the \
             configuration in the call: `providers = {{ {}{compact} = {name}.ALIAS }}`",
            declare(node, provider),
            default(node, provider),
        )
    } else if provider.alias.is_some() {
        format!(
            "move this block to the callers,{} and pass the configuration in each call: \
             `providers = {{ {}{compact} = {compact} }}`",
            declare(node, provider),
            default(node, provider),
        )
    } else {
        let here = if node.module().required_providers.contains_key(name) { "" } else { "here" };
        let declare = match (means_another(node, name), here) {
            (true, "") => {
                format!(", and declare `{name}` with the same `source` in `required_providers` there")
            }
            (true, _) => {
                format!(
                    ", and declare `{name}` with the same `source` in `required_providers` of this module and of the root modules"
                )
            }
            (false, "") => String::new(),
            (false, _) => format!(", and declare `{name}` in `required_providers` here"),
        };
        format!("move this block to the root modules{declare}; the module then inherits the configuration")
    };
    steps + &values(node, provider)
}

/// Whether a direct caller has a block for the same configuration, so that this one cannot be moved there as it is.
fn is_taken(node: Node<'_>, provider: &ProviderConfiguration) -> bool {
    let configuration = Configuration::by(node.module(), provider);
    node.callers().any(|(caller, _)| {
        let mut blocks = caller.module().providers.values();
        blocks.any(|block| Configuration::by(caller.module(), block) == configuration)
    })
}

/// Whether a local name means another provider in a direct caller.
fn means_another(node: Node<'_>, name: &str) -> bool {
    let own = Configuration::of(node.module(), name, None);
    node.callers().any(|(caller, _)| Configuration::of(caller.module(), name, None) != own)
}

/// The declaration that the module needs so that callers can pass the configuration.
fn declare(node: Node<'_>, provider: &ProviderConfiguration) -> String {
    let (name, compact) = (&provider.name, provider.compact());
    let entry = node.module().required_providers.get(name);
    match (entry, &provider.alias) {
        (None, None) => format!(" declare `{name}` in `required_providers` here,"),
        (None, Some(_)) => {
            format!(
                " declare `{name}` with `configuration_aliases = [{compact}]` in `required_providers` here,"
            )
        }
        (Some(entry), Some(_)) if entry.aliases.is_empty() => format!(
            " add `configuration_aliases = [{compact}]` to the entry `{name}` of `required_providers` here,"
        ),
        (Some(entry), Some(_))
            if entry.aliases.iter().all(|declared| declared.value.compact() != compact) =>
        {
            format!(
                " add `{compact}` to `configuration_aliases` in the entry `{name}` of `required_providers` here,"
            )
        }
        (Some(_), None | Some(_)) => String::new(),
    }
}

/// The entry for the default configuration beside an alias: the documentation requires a `providers` map to be
/// complete. The module cannot get a configuration that it has a block for.
fn default(node: Node<'_>, provider: &ProviderConfiguration) -> String {
    let name = &provider.name;
    let default = Configuration::of(node.module(), name, None).filter(|_| provider.alias.is_some());
    let is_passed = default.is_some_and(|default| {
        node.uses().configurations.contains_key(&default) && node.own_configuration(&default).is_none()
    });
    if is_passed { format!("{name} = {name}, ") } else { String::new() }
}

/// The note that the block refers to objects that exist only in this module.
fn values(node: Node<'_>, provider: &ProviderConfiguration) -> String {
    let module = node.module();
    let (mut variables, mut others) = (BTreeSet::new(), BTreeSet::new());
    provider.config.for_each_expression(&mut |expr| {
        expr.for_each_variable(|traversal| {
            match reference(traversal, &module.features).map(|found| found.subject) {
                Ok(Subject::Variable(name)) => {
                    variables.insert(format!("`var.{name}`"));
                }
                Ok(Subject::Local(name)) => {
                    others.insert(format!("`local.{name}`"));
                }
                Ok(Subject::Module { call, .. }) => {
                    others.insert(format!("`module.{call}`"));
                }
                // The iterator of a `dynamic` block looks like a resource.
                Ok(Subject::Resource { address, .. }) if module.resources.contains_key(&address) => {
                    others.insert(format!("`{address}`"));
                }
                _ => {}
            }
        });
    });
    let with = if others.is_empty() {
        "values of the callers"
    } else {
        "values of the callers or outputs of this module"
    };
    let named: Vec<String> = others.into_iter().chain(variables).collect();
    let listed = match named.as_slice() {
        [] => return String::new(),
        [first, second, third, rest @ ..] if !rest.is_empty() => {
            format!("{first}, {second}, {third} and {} more", rest.len())
        }
        all => all.join(", "),
    };
    format!("; in the provider block there, replace {listed} with {with}")
}

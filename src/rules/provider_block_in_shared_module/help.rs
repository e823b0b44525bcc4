//! The steps that replace a `provider` block in a shared module.

use super::above::Above;
use crate::graph::{Configuration, Node};
use crate::module::declaration::ProviderConfiguration;

/// Returns the steps, each only where the modules do not meet it already.
pub(super) fn of(node: Node<'_>, provider: &ProviderConfiguration, above: &Above<'_>) -> String {
    let compact = provider.compact();
    let objects = node.objects_to_replace(provider);
    let (is_taken, is_per_call) = (above.has_another(node, provider), above.is_repeated && objects.is_some());
    let Some((name, is_declared)) = above.local_name(node, &provider.name) else {
        return format!(
            "decide on one `source` of `{}` for this module and the root modules, then move this block there, or remove it \
             if they have the same",
            provider.name
        );
    };
    let renamed = if name == provider.name { String::new() } else { format!(" as `provider \"{name}\"`") };
    let aliased = match (is_per_call, is_taken, provider.alias.is_some()) {
        (true, ..) => ", once for each different configuration, each with its own `alias`",
        (false, true, true) => " with another `alias`",
        (false, true, false) => " with an `alias`",
        (false, false, _) => "",
    };
    let taken = if is_taken && !is_per_call {
        format!("a caller itself uses the configuration `{compact}`: ")
    } else {
        String::new()
    };
    let inherits = provider.alias.is_none() && aliased.is_empty();
    let or_remove = if aliased.is_empty() && above.has_generated_files() {
        format!(" (remove it if the files that a tool adds there configure `{compact}`)")
    } else {
        String::new()
    };
    let unless = if node.may_be_run() { "unless this module is also run by itself, " } else { "" };
    let mut steps =
        vec![format!("{taken}{unless}move this block to the root modules{renamed}{aliased}{or_remove}")];
    steps.extend((!is_declared).then(|| there(node, provider, &name, above)));
    steps.extend(here(node, provider, is_declared));
    if !inherits {
        let passed = match (&provider.alias, aliased) {
            (Some(alias), "") => format!("{name}.{}", alias.value),
            _ => format!("{name}.ALIAS"),
        };
        let default = default(node, provider, &name);
        let which = if is_per_call { "the right" } else { "the" };
        steps.push(format!(
            "pass {which} configuration in each call: `providers = {{ {default}{compact} = {passed} }}`"
        ));
    }
    if inherits && above.has_map {
        steps.push(format!("add `{compact} = {name}` to each call that has a `providers` map"));
    }
    let mut help = match steps.as_slice() {
        [all @ .., last] if !all.is_empty() => format!("{}, and {last}", all.join(", ")),
        _ => steps.concat(),
    };
    if inherits && !above.has_map {
        help += "; the module then inherits the configuration";
    } else if !inherits && above.has_between {
        help += "; the modules in between must declare it in `configuration_aliases` too";
    }
    let block = if is_per_call { "each block" } else { "the provider block" };
    objects.map_or(help.clone(), |objects| format!("{help}; in {block} there, replace {objects}"))
}

/// The declaration that the root modules need.
fn there(node: Node<'_>, provider: &ProviderConfiguration, name: &str, above: &Above<'_>) -> String {
    let also_here =
        provider.alias.is_none() && !node.module().required_providers.contains_key(&provider.name);
    let of_this = if also_here { "of this module and of the root modules" } else { "there" };
    let unless = if above.has_generated_files() { " (unless these files declare it)" } else { "" };
    format!("declare `{name}` with the same `source` in `required_providers` {of_this}{unless}")
}

/// The declaration that the module needs so that callers can pass the configuration.
fn here(node: Node<'_>, provider: &ProviderConfiguration, is_declared_there: bool) -> Option<String> {
    let (name, compact) = (&provider.name, provider.compact());
    match (node.module().required_providers.get(name), &provider.alias) {
        (None, None) => is_declared_there.then(|| format!("declare `{name}` in `required_providers` here")),
        (None, Some(_)) => Some(format!(
            "declare `{name}` with `configuration_aliases = [{compact}]` in `required_providers` here"
        )),
        (Some(entry), Some(_)) => {
            let is_missing = entry.aliases.iter().all(|declared| declared.value.compact() != compact);
            is_missing.then(|| format!("{} here", entry.how_to_require(&compact)))
        }
        (Some(_), None) => None,
    }
}

/// The entry for the default configuration beside an alias: the documentation requires a `providers` map to be
/// complete. The module cannot get a configuration that it has a block for.
fn default(node: Node<'_>, provider: &ProviderConfiguration, there: &str) -> String {
    let name = &provider.name;
    let default = Configuration::of(node.module(), name, None).filter(|_| provider.alias.is_some());
    let is_passed = default.is_some_and(|default| {
        node.uses().configurations.contains_key(&default) && node.own_configuration(&default).is_none()
    });
    if is_passed { format!("{name} = {there}, ") } else { String::new() }
}

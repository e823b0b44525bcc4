//! Checks that runs have the provider configurations that their modules need.
//!
//! A run executes a module as a root module. The configurations with an alias that a caller would pass must come from
//! the test file.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::{HashMap, HashSet};
use smol_str::SmolStr;

use super::runs;
use crate::finding::{Concern, EngineRule, Finding, Room};
use crate::graph::providers::Configuration;
use crate::graph::{Node, NodeId, Test};
use crate::module::declaration::compact_name;
use crate::module::test_file::{Run, TestFile};
use crate::text::Span;

/// Why a module needs a configuration.
enum Cause {
    /// An object of the module, with this header, uses it.
    Object(Span),
    /// Calls pass it on to this object.
    Below(Span),
    /// Only this element of `configuration_aliases` names it.
    Alias(Span),
}

/// The configurations with an alias that modules need and do not configure themselves.
pub(super) struct Needs {
    by_module: HashMap<NodeId, BTreeMap<Configuration, Cause>>,
    /// The findings that can be added.
    pub(super) room: Room,
}

impl Needs {
    pub(super) fn with(room: Room) -> Self {
        Self { by_module: HashMap::new(), room }
    }

    /// Reports the configurations that the first run with such an error lacks. The engine skips the later runs of the
    /// file.
    pub(super) fn check(&mut self, node: Node<'_>, test: &Test, findings: &mut Vec<Finding>) {
        if self.room.left == 0 {
            return;
        }
        // All runs of a module without `providers` have the same configurations.
        let mut checked = HashSet::new();
        for (run, under) in runs(node, test) {
            let Some(under) = under.filter(|under| !under.is_broken() && under.module().is_whole()) else {
                return;
            };
            if run.providers.is_empty() && !checked.insert(under.id()) {
                continue;
            }
            let passed = run.providers.iter();
            let passed: BTreeSet<Configuration> =
                passed.filter_map(|entry| Configuration::named(under.module(), &entry.in_child)).collect();
            let lacks = |key: &Configuration| {
                if run.providers.is_empty() {
                    !is_defined(&test.file, under, key)
                } else {
                    !passed.contains(key)
                }
            };
            let needs = self.by_module.entry(under.id()).or_insert_with(|| needs(under));
            let mut missing: Vec<_> = needs.iter().filter(|(key, _)| lacks(key)).collect();
            // The engine looks at `configuration_aliases` only if all objects have their configurations.
            let is_used = |cause: &Cause| !matches!(cause, Cause::Alias(_));
            if missing.iter().any(|(_, cause)| is_used(cause)) {
                missing.retain(|(_, cause)| is_used(cause));
            }
            if !missing.is_empty() {
                missing.truncate(self.room.left);
                self.room.take(missing.len());
                let found = missing.iter().map(|(key, cause)| finding(run, &test.file, under, key, cause));
                findings.extend(found);
                return;
            }
        }
    }
}

fn needs(under: Node<'_>) -> BTreeMap<Configuration, Cause> {
    let module = under.module();
    let aliases = module.required_providers.values().flat_map(|entry| &entry.aliases);
    let aliases = aliases.filter(|_| module.features.refuses_root_configuration_aliases);
    let required = aliases.filter_map(|element| {
        let name = &element.value;
        Some((Configuration::of(module, &name.name, name.alias.as_ref())?, Cause::Alias(element.span)))
    });
    let used = under.uses().configurations.iter().map(|(key, need)| {
        let cause = if need.by_name { Cause::Below(need.at) } else { Cause::Object(need.at) };
        (Configuration::clone(key), cause)
    });
    let all = required.chain(used).filter(|(key, _)| key.alias.is_some());
    all.filter(|(key, _)| under.own_configuration(key).is_none()).collect()
}

/// Whether a test file defines a configuration under a name that it has in the module.
fn is_defined(file: &TestFile, under: Node<'_>, key: &Configuration) -> bool {
    let names = under.requirements_of(&key.provider).map(|entry| entry.name.clone());
    let mut names = names.chain([under.local_name(key)]);
    names.any(|name| file.providers.contains_key(&compact_name(&name, key.alias.as_deref())))
}

fn finding(run: &Run, file: &TestFile, under: Node<'_>, key: &Configuration, cause: &Cause) -> Finding {
    let local_name = under.local_name(key);
    let alias = key.alias.as_deref().unwrap_or_default();
    let name = compact_name(&local_name, Some(alias));
    let (rule, summary) = match cause {
        Cause::Object(_) => {
            (EngineRule::UndefinedProviderAlias, "Provider configuration not present".to_owned())
        }
        Cause::Below(_) => {
            (EngineRule::UndefinedProviderAlias, format!("missing provider {}", key.address()))
        }
        Cause::Alias(_) => {
            (EngineRule::MissingProviderConfiguration, "Undefined provider configuration".to_owned())
        }
    };
    let lacks = if run.providers.is_empty() {
        "This test file does not define it"
    } else {
        "`providers` has no entry for it"
    };
    let finding = Finding::language(rule, summary)
        .at_test()
        .detail(format!(
            "The module needs the provider configuration `{name}` from its caller. {lacks}, so the test fails."
        ))
        .at(run.header)
        .address(format!("run.{}", run.name))
        .concerns(Concern::Name(name.clone()))
        .help(help(run, file, &local_name, alias, &name));
    match cause {
        Cause::Object(at) | Cause::Below(at) => finding.related(*at, "uses it"),
        Cause::Alias(at) => finding.related(*at, "requires it"),
    }
}

fn help(run: &Run, file: &TestFile, local_name: &SmolStr, alias: &str, name: &SmolStr) -> String {
    let define = || {
        let mocks = file.providers.values().any(|block| block.mock.is_some());
        let kind = if mocks { "mock_provider" } else { "provider" };
        format!("add a `{kind} \"{local_name}\"` block with `alias = \"{alias}\"` to this file")
    };
    match (run.providers.is_empty(), file.providers.contains_key(name)) {
        (true, _) => define(),
        (false, true) => format!("add `{name} = {name}` to `providers`"),
        (false, false) => format!("{}, and `{name} = {name}` to `providers`", define()),
    }
}

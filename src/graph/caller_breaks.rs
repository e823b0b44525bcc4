//! Finds changes that break callers of a module although the arguments that declare its interface are the same: in the
//! values of outputs, and in provider configurations.

use std::collections::BTreeMap;

use smol_str::{SmolStr, format_smolstr};

use crate::graph::{Configuration, Node, Role};
use crate::module::declaration::{Output, ProviderRef};
use crate::module::interface::{Impact, InterfaceChange, Part};
use crate::value::{Type, Value};

impl<'t> Node<'t> {
    /// The changes of this module since an earlier state, `before`, that break callers by the values of outputs or by
    /// provider configurations.
    pub fn breaks_since(self, before: Node<'_>) -> Vec<InterfaceChange> {
        let mut changes = self.breaks_of_outputs(before);
        if self.role() == Role::Shared {
            changes.extend(self.new_configurations(before));
            changes.extend(self.new_undeclared(before));
        }
        changes
    }

    fn breaks_of_outputs(self, before: Node<'_>) -> Vec<InterfaceChange> {
        let (was, is) = (before.values(), self.values());
        let mut changes = Vec::new();
        for output in self.module().outputs.values() {
            let Some(earlier) = before.module().outputs.get(&output.name) else { continue };
            let (Some(from), Some(to)) = (&earlier.value, &output.value) else { continue };
            let (from, to) = (was.marked(&from.expr), is.marked(&to.expr));
            let whats = [broken(&from, &to), newly_secret((earlier, &from), (output, &to))];
            changes.extend(whats.into_iter().flatten().map(|what| InterfaceChange {
                impact: Impact::Breaking,
                part: Part::Output,
                subject: format_smolstr!("output.{}", output.name),
                what,
            }));
        }
        changes
    }

    /// The first provider block with arguments, if there was none before.
    fn new_configurations(self, before: Node<'_>) -> Option<InterfaceChange> {
        let first = self.configured_providers().next()?;
        before.configured_providers().next().is_none().then(|| InterfaceChange {
            impact: Impact::Breaking,
            part: Part::ProviderConfiguration,
            subject: format_smolstr!("provider.{}", first.name),
            what: "block added, so calls cannot use count, for_each or depends_on".to_owned(),
        })
    }

    /// The configurations that resources now refer to without any declaration.
    fn new_undeclared(self, before: Node<'_>) -> Vec<InterfaceChange> {
        let was = before.undeclared();
        let new = self.undeclared().into_iter().filter(|(key, _)| !was.contains_key(key));
        let change = |(_, reference): (Configuration, &ProviderRef)| InterfaceChange {
            impact: Impact::Breaking,
            part: Part::ConfigurationAlias,
            subject: reference.compact(),
            what: "used, but not in configuration_aliases, so callers cannot pass it".to_owned(),
        };
        new.map(change).collect()
    }

    /// The configurations with an alias that resources refer to, but that neither a block nor `configuration_aliases`
    /// declares.
    fn undeclared(self) -> BTreeMap<Configuration, &'t ProviderRef> {
        let module = self.module();
        if !module.is_whole() || self.is_broken() {
            return BTreeMap::new();
        }
        let references = module.resources.values().filter_map(|resource| resource.provider_ref.as_ref());
        let aliased = references.filter(|reference| reference.alias.is_some());
        let keys = aliased.filter_map(|it| Some((Configuration::named(module, it)?, it)));
        keys.filter(|(key, _)| {
            self.own_configuration(key).is_none() && self.required_from_callers(key).is_none()
        })
        .collect()
    }
}

/// Whether a value without restrictions becomes sensitive by its expression.
fn newly_secret((earlier, from): (&Output, &Value), (output, to): (&Output, &Value)) -> Option<String> {
    let is_secret = |value: &Value| value.deep_marks().sensitive.is_some();
    let is_new = is_secret(to) && !is_secret(from) && !earlier.is_sensitive() && !output.is_sensitive();
    is_new.then(|| "value is now sensitive".to_owned())
}

/// The first part of the value of an output that callers can no longer use as before, as far as types are known.
fn broken(from: &Value, to: &Value) -> Option<String> {
    let (from, to) = (from.unmarked().0, to.unmarked().0);
    match (from, to) {
        (Value::Null(_), _) => None,
        (from, Value::Null(_)) if from.ty() != Type::Any => Some("value is now null".to_owned()),
        _ => changed("", &from.ty(), &to.ty()),
    }
}

/// The first difference of a type by which an expression that fits the first type may not fit the second one. `path`
/// is the place in the value.
fn changed(path: &str, from: &Type, to: &Type) -> Option<String> {
    let element = || format!("{path}[*]");
    match (from, to) {
        (Type::Any, _)
        | (_, Type::Any)
        | (Type::String, Type::String | Type::Number | Type::Bool)
        | (Type::Number, Type::Number)
        | (Type::Bool, Type::Bool) => None,
        (Type::Set(from), Type::Set(to) | Type::List(to))
        | (Type::List(from), Type::List(to))
        | (Type::Map(from), Type::Map(to)) => changed(&element(), from, to),
        (Type::Set(from) | Type::List(from), Type::Tuple(to)) => {
            to.iter().find_map(|to| changed(&element(), from, to))
        }
        (Type::Map(from), Type::Object(to)) => to.values().find_map(|to| changed(&element(), from, &to.ty)),
        (Type::Tuple(from), Type::List(to)) => from.iter().find_map(|from| changed(&element(), from, to)),
        // The number of elements is data.
        (Type::Tuple(from), Type::Tuple(to)) => {
            from.iter().zip(to.iter()).find_map(|(from, to)| changed(&element(), from, to))
        }
        (Type::Object(from), Type::Object(to)) => from.iter().find_map(|(name, from)| {
            let path: SmolStr = format_smolstr!("{path}.{name}");
            match to.get(name) {
                Some(to) => changed(&path, &from.ty, &to.ty),
                None => Some(format!("attribute {} removed", path.trim_start_matches('.'))),
            }
        }),
        _ => {
            let place =
                if path.is_empty() { String::new() } else { format!(" of {}", path.trim_start_matches('.')) };
            Some(format!("type{place} changed: {} → {}", shown(from), shown(to)))
        }
    }
}

/// A type in a message: of one that is partly unknown, only the kind.
fn shown(ty: &Type) -> String {
    if ty.has_any() { ty.name().split(' ').next().unwrap_or_default().to_owned() } else { ty.shortened() }
}

//! The values of resources, and those of blocks with `count` or `for_each`.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::super::accepted_values;
use super::{Computed, Resources, RunValues};
use crate::graph::builtin;
use crate::module::address::{InstanceKey, Mode, ModuleStep, ResourceInstance};
use crate::module::declaration::Resource;
use crate::syntax::Attribute;
use crate::value::{Type, Value, convert};

/// More instances than this are not distinguished.
const MOST_INSTANCES: usize = 1000;

impl RunValues<'_> {
    /// Whether there is this instance of a resource below this module, if that is known.
    pub(in crate::graph::evaluation) fn have_instance(
        &self,
        path: &[ModuleStep],
        instance: &ResourceInstance,
    ) -> Option<bool> {
        let module = self.node.module();
        let has = |repeated, key: &Option<InstanceKey>| {
            self.instance_keys.contain(repeated, key.as_ref(), |repeated| self.repetition(repeated))
        };
        let Some((step, path)) = path.split_first() else {
            let resource = module.resources.get(&instance.resource);
            let resource = resource.filter(|resource| resource.enabled.is_none())?;
            return has(resource.repeated(), &instance.key);
        };
        let call = module.calls.get(&step.name).filter(|call| call.enabled.is_none())?;
        if has(call.repeated(), &step.key)? {
            self.child(call)?.have_instance(path, instance)
        } else {
            Some(false)
        }
    }

    /// The value of a resource with all its instances.
    pub(super) fn resource(&self, resource: &Resource) -> Computed {
        if resource.enabled.is_some() {
            return Computed::UNKNOWN;
        }
        self.repeated(resource.repeated(), || Some(self.instance(resource))).unwrap_or(Computed::UNKNOWN)
    }

    /// The value of a block with this `count` or `for_each`, if its instances are known.
    pub(super) fn repeated(
        &self,
        repeated: (Option<&Attribute>, Option<&Attribute>),
        instance: impl FnOnce() -> Option<Computed>,
    ) -> Option<Computed> {
        let (value, is_exact) = match repeated {
            (None, None) => return instance(),
            (Some(count), None) => {
                let Ok(Value::Number(number)) = convert(&self.repetition(count), &Type::Number) else {
                    return None;
                };
                let count = number.index().filter(|count| *count <= MOST_INSTANCES)?;
                if count == 0 {
                    return Some(Computed::known(Value::Tuple(Vec::new())));
                }
                let instance = instance()?;
                (Value::Tuple(vec![instance.value; count]), instance.is_exact)
            }
            (None, Some(for_each)) => {
                let keys: Vec<SmolStr> = match self.repetition(for_each) {
                    Value::Map(_, elements) | Value::Object(elements) => elements.into_keys().collect(),
                    Value::Set(_, elements) => {
                        let keys = elements.iter().map(|key| key.as_str().map(SmolStr::new));
                        keys.collect::<Option<_>>()?
                    }
                    _ => return None,
                };
                if keys.len() > MOST_INSTANCES {
                    return None;
                }
                if keys.is_empty() {
                    return Some(Computed::known(Value::Object(BTreeMap::new())));
                }
                let instance = instance()?;
                let instances = keys.into_iter().map(|key| (key, instance.value.clone()));
                (Value::Object(instances.collect()), instance.is_exact)
            }
            (Some(_), Some(_)) => return None,
        };
        Some(Computed { value, is_exact })
    }

    /// The value of `count` or `for_each`, without marks; unknown if the engine refuses it.
    pub(in crate::graph::evaluation) fn repetition(&self, attribute: &Attribute) -> Value {
        let mut value = self.attribute(attribute).value;
        let is_sensitive = value.unmarked().1.sensitive.is_some();
        value.take_deep_marks();
        let is_accepted = match attribute.name.as_str() {
            "count" => accepted_values::count(&value, &attribute.expr).is_none(),
            _ => !is_sensitive && accepted_values::for_each(&value, &attribute.expr).is_none(),
        };
        if is_accepted {
            return value;
        }
        self.is_failing.set(true);
        Value::UNKNOWN
    }

    /// The value of an instance. Only that of `terraform_data` is known without a provider.
    pub(super) fn instance(&self, resource: &Resource) -> Computed {
        let managed = &resource.managed;
        let keeps = !managed.ignore_changes.is_empty() || managed.ignore_all_changes.is_some();
        let is_data = resource.address.mode == Mode::Managed && resource.address.kind == "terraform_data";
        let Some(arguments) = builtin::arguments(resource).filter(|_| is_data) else {
            return Computed::UNKNOWN;
        };
        if self.is_overridden || keeps {
            return Computed::UNKNOWN;
        }
        let content = builtin::content(arguments, &resource.config, &mut Vec::new());
        let argument = |name: &str| {
            let given = content.attribute(name);
            given.map_or(Computed::known(Value::NULL), |attribute| self.attribute(attribute))
        };
        let (input, triggers) = (argument("input"), argument("triggers_replace"));
        // The provider sets it, so it has no marks.
        let mut output = input.value.clone();
        output.take_deep_marks();
        if !output.is_null() && self.resources != Resources::Applied {
            output = Value::Unknown(output.ty());
        }
        let is_exact = self.resources == Resources::Planned && input.is_exact && triggers.is_exact;
        let attributes = [
            ("id", Value::Unknown(Type::String)),
            ("input", input.value),
            ("output", output),
            ("triggers_replace", triggers.value),
        ];
        let value = Value::Object(attributes.map(|(name, value)| (SmolStr::new(name), value)).into());
        Computed { value, is_exact }
    }
}

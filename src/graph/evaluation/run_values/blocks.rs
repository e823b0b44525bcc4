//! The values of resources, and those of blocks with `count` or `for_each`.

use smol_str::SmolStr;

use super::super::accepted_values;
use super::super::scope::{Instance, ModuleScope};
use super::super::secrets::refuses_ephemeral;
use super::scope::RunScope;
use super::{Computed, Resources, RunValues, Within};
use crate::graph::builtin;
use crate::graph::references::sites::Symbols;
use crate::module::address::{InstanceKey, Mode, ModuleStep, ResourceInstance};
use crate::module::declaration::{Repeated, Resource};
use crate::syntax::Attribute;
use crate::value::{Type, Value, convert, weight};

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
        let mut differ = false;
        if resource.is_repeated() {
            resource
                .config
                .for_each_expression_in_scope(&mut |expr, _| differ |= Instance::is_used_by([expr]));
        }
        let of_instance = |instance: Option<&Instance>| Some(self.instance(resource, instance));
        self.repeated(resource.repeated(), differ, of_instance).unwrap_or(Computed::UNKNOWN)
    }

    /// The value of a block with this `count` or `for_each`, if its instances are known. `differ` tells whether their
    /// values depend on the instance.
    pub(super) fn repeated(
        &self,
        repeated: Repeated<'_>,
        differ: bool,
        of_instance: impl Fn(Option<&Instance>) -> Option<Computed>,
    ) -> Option<Computed> {
        if let (None, None) = repeated {
            return of_instance(None);
        }
        let instances = self.instances(repeated)?;
        let values: Vec<Computed> = if differ {
            instances.iter().map(|instance| of_instance(Some(instance))).collect::<Option<_>>()?
        } else if instances.is_empty() {
            Vec::new()
        } else {
            let one = of_instance(None)?;
            // A test can give a large value to very many instances.
            let steps = weight(&one.value, self.work.get()).saturating_mul(instances.len());
            if !self.work.take(steps) {
                return None;
            }
            vec![one; instances.len()]
        };
        let is_exact = values.iter().all(|computed| computed.is_exact);
        let values = values.into_iter().map(|computed| computed.value);
        let value = if repeated.0.is_some() {
            Value::Tuple(values.collect())
        } else {
            let keys = instances.iter().map(|instance| instance.name().map(SmolStr::new));
            Value::Object(keys.collect::<Option<Vec<_>>>()?.into_iter().zip(values).collect())
        };
        Some(Computed { value, is_exact })
    }

    /// The instances of a block with this `count` or `for_each`, if they are known.
    pub(super) fn instances(&self, repeated: Repeated<'_>) -> Option<Vec<Instance>> {
        match repeated {
            (Some(count), None) => Instance::all(&convert(&self.repetition(count), &Type::Number).ok()?),
            (None, Some(for_each)) => Instance::all(&self.repetition(for_each)),
            (None, None) | (Some(_), Some(_)) => None,
        }
    }

    /// The value of `count` or `for_each`, without its own marks; unknown if the engine refuses it.
    pub(in crate::graph::evaluation) fn repetition(&self, attribute: &Attribute) -> Value {
        let mut given = self.argument(attribute, None).value;
        let marks = given.take_marks();
        let is_sensitive = marks.sensitive.is_some();
        let is_ephemeral = marks.ephemeral.is_some() && refuses_ephemeral(self.node.module());
        let value = given.clone().without_marks();
        let error = match attribute.name.as_str() {
            "count" => accepted_values::count(&value, &attribute.expr),
            _ => accepted_values::for_each(&value, &attribute.expr),
        };
        let is_refused = is_ephemeral || is_sensitive && attribute.name != "count";
        if error.is_none() && !is_refused {
            return given;
        }
        self.errors.borrow_mut().extend(error);
        self.is_failing.set(true);
        Value::UNKNOWN
    }

    /// Evaluates the arguments of a resource whose schema is not known, for their errors.
    fn evaluate_config(&self, resource: &Resource, instance: Option<&Instance>) {
        let symbols = instance.map_or_else(Symbols::default, |_| Symbols::OF_ARGUMENTS);
        resource.config.for_each_expression_in_scope(&mut |expr, around| {
            if around.names.is_empty() && around.is_certain {
                let module = ModuleScope { symbols, instance, ..self.scope() };
                self.note(self.value_in(expr, &RunScope::of(self, module, Within::Module)));
            }
        });
    }

    /// The value of an instance. Only that of `terraform_data` is known without a provider.
    pub(in crate::graph::evaluation) fn instance(
        &self,
        resource: &Resource,
        instance: Option<&Instance>,
    ) -> Computed {
        // An override may be for one instance.
        if !resource.is_repeated()
            && let Some(state) = self.remote_state(&resource.address)
        {
            return state;
        }
        let managed = &resource.managed;
        let keeps = !managed.ignore_changes.is_empty() || managed.ignore_all_changes.is_some();
        let is_data = resource.address.mode == Mode::Managed && resource.address.kind == "terraform_data";
        let Some(arguments) = builtin::arguments(resource).filter(|_| is_data) else {
            if self.is_test() && builtin::arguments(resource).is_none() {
                self.evaluate_config(resource, instance);
            }
            return Computed::UNKNOWN;
        };
        if self.replaced.resources || keeps {
            return Computed::UNKNOWN;
        }
        let content = builtin::content(arguments, &resource.config, &mut Vec::new());
        let argument = |name: &str| {
            let given = content.attribute(name);
            let given = given
                .map_or(Computed::known(Value::NULL), |attribute| self.attribute_in(attribute, instance));
            if self.is_refused_as_ephemeral(&given.value) {
                self.is_failing.set(true);
            }
            given
        };
        let (input, triggers) = (argument("input"), argument("triggers_replace"));
        // The provider sets it, so it has no marks.
        let mut output = input.value.clone().without_marks();
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

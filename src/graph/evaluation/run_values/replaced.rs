//! The values that the mocks and overrides of a test replace.

use std::collections::BTreeMap;
use std::rc::Rc;

use smol_str::SmolStr;

use super::{Computed, RunValues};
use crate::module::address::{Mode, ResourceAddress};
use crate::value::Value;

/// A called module, by the calls that lead to it, or a resource in one.
pub(in crate::graph) type Overridden = (Vec<SmolStr>, Option<ResourceAddress>);

/// The outputs or attributes that a test gives to objects.
pub(in crate::graph) type GivenValues = BTreeMap<Overridden, BTreeMap<SmolStr, Value>>;

/// The values that a test may replace. Those of other resources are never known here.
#[derive(Debug, Clone, Default)]
pub(in crate::graph) struct Replaced {
    /// The outputs of called modules, by values that are not known.
    pub(in crate::graph) modules: bool,
    /// The values that a run gives to modules and to data sources, and those that its file gives.
    pub(in crate::graph) given: [Rc<GivenValues>; 2],
    /// The attributes of `terraform_data`.
    pub(in crate::graph) resources: bool,
}

impl Replaced {
    /// Any value.
    pub(in crate::graph) fn all() -> Self {
        Self { modules: true, resources: true, ..Self::default() }
    }
}

impl RunValues<'_> {
    pub(super) fn path_to(&self, call: &SmolStr) -> Vec<SmolStr> {
        self.path.iter().chain([call]).cloned().collect()
    }

    /// The outputs that a test gives to the module of a call, which the engine then does not evaluate.
    pub(super) fn overridden(&self, call: &SmolStr) -> Option<&BTreeMap<SmolStr, Value>> {
        self.given_by_test(|| (self.path_to(call), None))
    }

    /// What a test gives to an object.
    fn given_by_test(&self, object: impl Fn() -> Overridden) -> Option<&BTreeMap<SmolStr, Value>> {
        if self.replaced.given.iter().all(|given| given.is_empty()) {
            return None;
        }
        let object = object();
        self.replaced.given.iter().find_map(|given| given.get(&object))
    }

    /// The value of the module of a call whose outputs a test gives. The other outputs are null.
    pub(super) fn overridden_object(&self, call: &str) -> Option<Value> {
        let given = self.overridden(&call.into())?;
        let child = self.node.child(call)?.module();
        let outputs = child.outputs.values().map(|output| {
            let value = given.get(&output.name).cloned().unwrap_or(Value::NULL);
            (output.name.clone(), value.mark(output.marks()))
        });
        Some(Value::Object(outputs.collect()))
    }

    /// The value of another state whose outputs a test gives. Without `outputs`, they are null.
    pub(super) fn remote_state(&self, address: &ResourceAddress) -> Option<Computed> {
        if address.mode != Mode::Data || address.kind != "terraform_remote_state" {
            return None;
        }
        let given = self.given_by_test(|| (self.path.clone(), Some(address.clone())))?;
        let outputs = given.get("outputs").cloned().unwrap_or(Value::NULL);
        let others = ["backend", "config", "defaults", "workspace"].map(|name| (name, Value::UNKNOWN));
        let all = others.into_iter().chain([("outputs", outputs)]);
        let value = Value::Object(all.map(|(name, value)| (SmolStr::new_static(name), value)).collect());
        Some(Computed { value, is_exact: false })
    }
}

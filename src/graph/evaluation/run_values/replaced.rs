//! The values that the mocks and overrides of a test replace.

use std::collections::BTreeMap;
use std::rc::Rc;

use smol_str::SmolStr;

use super::{Computed, RunValues};
use crate::module::address::{Mode, ResourceAddress};
use crate::value::Value;

/// A called module, by the calls that lead to it, or a resource in one.
pub(in crate::graph) type Overridden = (Vec<SmolStr>, Option<ResourceAddress>);

/// What a test gives to an object.
#[derive(Debug, Clone)]
pub(in crate::graph) enum Given {
    /// The outputs of a module, or the attributes of a resource.
    Values(BTreeMap<SmolStr, Value>),
    /// Something else than the object has without the test, or something for one of its instances.
    Unknown,
}

/// What tests give to objects.
pub(in crate::graph) type GivenValues = BTreeMap<Overridden, Given>;

/// The values that a test may replace. Those of other resources are never known here.
#[derive(Debug, Clone, Default)]
pub(in crate::graph) struct Replaced {
    /// The outputs of any called module.
    pub(in crate::graph) modules: bool,
    /// What the run gives to modules and data sources.
    pub(in crate::graph) by_run: Rc<GivenValues>,
    /// What its file gives to them.
    pub(in crate::graph) by_file: Rc<GivenValues>,
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
    /// The calls that lead from the module under test to the module of a call.
    pub(super) fn path_to(&self, call: &SmolStr) -> Vec<SmolStr> {
        self.path.iter().chain([call]).cloned().collect()
    }

    /// What a test gives to the module of a call, which the engine then does not evaluate.
    pub(super) fn overridden(&self, call: &SmolStr) -> Option<&Given> {
        self.given_by_test(|| (self.path_to(call), None))
    }

    /// What a test gives to an object. An address without keys does not apply below a repeated call.
    fn given_by_test(&self, object: impl Fn() -> Overridden) -> Option<&Given> {
        let Replaced { by_run, by_file, .. } = &self.replaced;
        if by_run.is_empty() && by_file.is_empty() {
            return None;
        }
        let object = object();
        let given = by_run.get(&object).or_else(|| by_file.get(&object))?;
        Some(if self.is_below_repeated { &Given::Unknown } else { given })
    }

    /// The value of the module of a call whose outputs a test gives. The other outputs are null.
    pub(super) fn overridden_object(&self, call: &str) -> Option<Value> {
        let Given::Values(given) = self.overridden(&call.into())? else { return None };
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
        let Given::Values(given) = self.given_by_test(|| (self.path.clone(), Some(address.clone())))? else {
            return Some(Computed::UNKNOWN);
        };
        let outputs = given.get("outputs").cloned().unwrap_or(Value::NULL);
        let others = ["backend", "config", "defaults", "workspace"].map(|name| (name, Value::UNKNOWN));
        let all = others.into_iter().chain([("outputs", outputs)]);
        let value = Value::Object(all.map(|(name, value)| (SmolStr::new_static(name), value)).collect());
        Some(Computed { value, is_exact: false })
    }
}

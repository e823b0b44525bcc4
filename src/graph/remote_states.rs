//! State addresses of root modules, and the states that modules read through `terraform_remote_state`.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::references::sites::{self, Found};
use super::{Node, Values};
use crate::module::StateAddress;
use crate::module::address::Mode;
use crate::module::declaration::Resource;
use crate::syntax::{AttributeSchema, Expr, Schema, Step, Traversal};
use crate::text::Span;
use crate::value::Value;

/// A `terraform_remote_state` data source.
#[derive(Debug)]
pub struct RemoteState<'t> {
    /// Its name.
    pub name: &'t SmolStr,
    /// The header of its block.
    pub at: Span,
    /// The backend type, if it is known.
    pub backend: Option<SmolStr>,
    /// The address of the state, if it is known.
    pub address: Option<StateAddress>,
    /// Whether `defaults` sets values for outputs that the state does not have.
    pub has_defaults: bool,
    /// The outputs that expressions read, each with its place.
    pub outputs: BTreeSet<(SmolStr, Span)>,
}

const KIND: &str = "terraform_remote_state";

impl<'t> Node<'t> {
    /// The address at which the root module keeps its state, with the block that sets it; without a block, the file
    /// that Terraform and OpenTofu use. `None` if it is not known, or if no engine runs in the module.
    pub fn state_address(self) -> Option<(StateAddress, Option<Span>)> {
        let module = self.module();
        // Terragrunt runs a copy of the module, and may generate another backend there.
        if self.is_called() || !module.complete || self.run_by_units().may_be_run {
            return None;
        }
        let (address, at) = match module.storage() {
            Some(storage) => {
                let address = StateAddress::of(storage.kind.as_deref(), &storage.block, &module.limits)?;
                (address, Some(storage.block.header))
            }
            None => (StateAddress::default_file(), None),
        };
        Some((address.from_top(&module.directory)?, at))
    }

    /// The states that the module reads.
    pub fn remote_states(self) -> Vec<RemoteState<'t>> {
        let resources = self.module().resources.values();
        let data = resources.filter(|one| one.address.mode == Mode::Data && one.address.kind == KIND);
        let values = self.values();
        let mut states: BTreeMap<&SmolStr, RemoteState<'t>> =
            data.map(|data| (&data.address.name, self.remote_state(data, &values))).collect();
        if states.is_empty() {
            return Vec::new();
        }
        sites::for_each(self, &mut |_, found| match found {
            Found::Expression(expr, _) => {
                let guarded = guarded(expr);
                expr.for_each_variable(|traversal| {
                    let is_guarded = guarded.iter().any(|around| around.encloses(traversal.span()));
                    read(traversal, is_guarded, &mut states);
                });
            }
            Found::Broken(_) | Found::Unevaluated(_) | Found::Dependencies(_) => {}
        });
        states.into_values().collect()
    }

    fn remote_state(self, data: &'t Resource, values: &Values<'_>) -> RemoteState<'t> {
        let arguments = ["backend", "config", "defaults", "workspace"].map(AttributeSchema::optional);
        let schema = Schema { attributes: &arguments, blocks: &[] };
        let attributes = data.config.content(&schema, &mut Vec::new()).attributes;
        let attribute = |name: &str| attributes.iter().find(|attribute| attribute.name == name);
        let backend = attribute("backend").and_then(|backend| {
            let value = values.of(&backend.expr);
            value.as_str().map(SmolStr::new)
        });
        let config = match attribute("config").map(|config| values.of(&config.expr)) {
            Some(Value::Object(config) | Value::Map(_, config)) => Some(config),
            Some(_) => None,
            None => Some(BTreeMap::new()),
        };
        let address = backend.as_deref().zip(config).and_then(|(backend, config)| {
            StateAddress::of_config(backend, &config)?.from_top(&self.module().directory)
        });
        RemoteState {
            name: &data.address.name,
            at: data.origin.header(),
            backend,
            // In a module that another one calls, a relative path starts at the root module.
            address: address.filter(|address| !(self.is_called() && address.is_file())),
            has_defaults: attribute("defaults").is_some(),
            outputs: BTreeSet::new(),
        }
    }
}

/// The calls of functions that accept missing attributes.
fn guarded(expr: &Expr) -> Vec<Span> {
    let mut spans = Vec::new();
    expr.for_each_call(|call, expr| {
        if matches!(call.name.as_str(), "try" | "can" | "core::try" | "core::can") {
            spans.push(expr.span);
        }
    });
    spans
}

fn read(traversal: &Traversal, is_guarded: bool, states: &mut BTreeMap<&SmolStr, RemoteState<'_>>) {
    let mut names = traversal.steps.iter().filter_map(Step::name);
    if traversal.root != "data" || names.next().is_none_or(|kind| kind != KIND) {
        return;
    }
    let Some(state) = names.next().and_then(|name| states.get_mut(name)) else { return };
    if names.next().is_some_and(|name| name == "outputs")
        && !is_guarded
        && let Some(output) = names.next()
    {
        state.outputs.insert((output.clone(), traversal.span()));
    }
}

//! The consequences of altered variables, and of values that may be null.

use std::rc::Rc;

use smol_str::SmolStr;

use super::super::call_path::is_alike;
use super::{ANY_PATH, Effect, Effects, MOST_LEVELS, Place};
use crate::graph::{Used, User};
use crate::module::canonical::NamedValue;

impl Effects<'_> {
    /// A root module in which nothing sets a variable. Another module is returned as it is.
    pub(super) fn without_value(&mut self, place: Place, variable: &str) -> Place {
        if !self.paths[place.path].is_of_root() || !self.pay(place) {
            return place;
        }
        let path = self.paths[place.path].without_value(self.node(place), variable);
        self.paths.push(Rc::new(path));
        Place { path: self.paths.len() - 1, ..place }
    }

    /// The consequences of another default, where nothing sets the variable.
    pub(super) fn of_default(&mut self, place: Place, name: &SmolStr) -> Effect {
        let node = self.node(place);
        let Some(variable) = node.module().variables.get(name) else { return Effect::ANY };
        let former = self.paths[place.path].before.as_ref();
        let former = former.and_then(|(_, earlier)| earlier.module().variables.get(name));
        if former.is_some_and(|former| is_alike(former, variable)) || self.is_only_renamed(place, name) {
            return Effect::default();
        }
        match &variable.default {
            // An expression may fail with null.
            Some(default)
                if default.value.is_null() && self.is_used(place, &Used::Variable(name.clone())) =>
            {
                Effect::ANY
            }
            Some(default) if self.values(node).validate(&default.value, variable) => {
                if self.is_new(place, &Used::Variable(name.clone())) {
                    return Effect::default();
                }
                self.of_variable(place, name)
            }
            _ => Effect::ANY,
        }
    }

    /// Whether a variable has a new name and nothing that uses it has another value.
    fn is_only_renamed(&mut self, place: Place, name: &SmolStr) -> bool {
        let used = Used::Variable(name.clone());
        if !self.paths[place.path].is_renamed_variable(self.node(place), name) || !self.is_new(place, &used) {
            return false;
        }
        let flow = self.flow(place);
        flow.users(&used).all(|user| match user {
            User::Value(value) | User::Repetition(value) => self.is_unaltered(place, value),
            User::Resource(resource) => self.is_unaltered(place, &NamedValue::Resource(resource.clone())),
            User::Validation(of) => of == name,
            User::Plan => false,
        })
    }

    /// The consequences of another value of a variable that is not known.
    pub(super) fn of_unknown(&mut self, place: Place, name: &SmolStr) -> Effect {
        let variable = self.node(place).module().variables.get(name);
        if variable.is_some_and(|variable| !variable.validations.is_empty() || variable.constraint.is_some())
            && self.is_used(place, &Used::Variable(name.clone()))
        {
            return Effect::ANY;
        }
        self.of_variable(place, name)
    }

    /// The consequences of another valid value of a variable.
    pub(super) fn of_variable(&mut self, place: Place, name: &SmolStr) -> Effect {
        let key = (place, name.clone());
        match self.variables.get(&key) {
            Some(known) => return known.clone().unwrap_or(Effect::ANY),
            None if self.depth == MOST_LEVELS => return Effect::ANY,
            None => self.variables.insert(key.clone(), None),
        };
        self.depth += 1;
        let effect = self.spread(place, Vec::new(), vec![Used::Variable(name.clone())]);
        self.depth -= 1;
        self.variables.insert(key, Some(effect.clone()));
        effect
    }

    pub(super) fn is_used(&mut self, place: Place, used: &Used) -> bool {
        self.flow(place).users(used).next().is_some()
    }

    /// Whether anything may use a value that is altered to null.
    pub(super) fn has_users(&mut self, place: Place, value: &NamedValue) -> bool {
        match value {
            NamedValue::Variable(name) => self.is_used(place, &Used::Variable(name.clone())),
            NamedValue::Local(name) => self.is_used(place, &Used::Local(name.clone())),
            NamedValue::Output(name) => match self.paths[place.path].caller_now() {
                Some((caller, call)) => {
                    let used = Used::output(call, name);
                    self.is_used(Place { id: caller.id(), ..place }, &used)
                }
                // The outputs of a root module have none.
                None => place.path == ANY_PATH,
            },
            NamedValue::Resource(_) | NamedValue::Call(_) => true,
            NamedValue::Argument { call, variable } => match self.node(place).child(call) {
                Some(child) => {
                    self.is_used(Place { id: child.id(), ..place }, &Used::Variable(variable.clone()))
                }
                None => true,
            },
        }
    }
}

//! The scope of the expressions of a run.

use std::borrow::Cow;
use std::cell::Cell;

use super::super::scope::ModuleScope;
use super::{Computed, Name, RunValues, Within};
use smol_str::SmolStr;

use crate::engine::Engine;
use crate::limits::Limits;
use crate::module::address::{Subject, reference};
use crate::syntax::{Expr, Step, Traversal};
use crate::value::{self, Budget, Resolved, Value};

/// The scope of an expression of a run.
pub(super) struct RunScope<'s, 't> {
    pub(super) values: &'s RunValues<'t>,
    pub(super) module: ModuleScope<'s>,
    pub(super) within: Within,
    pub(super) itself: Option<&'s Computed>,
    /// The variable whose validation this is.
    pub(super) validated: Option<&'s SmolStr>,
    /// Whether all resolved values are exact so far.
    pub(super) is_exact: Cell<bool>,
    /// What is known of those that are not completely known.
    pub(super) unknown: Cell<Unknown>,
}

/// What is known of unknown values. If the type of one is known, the engine may know more: that it is not null, and how a
/// text begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unknown {
    /// None.
    Nothing,
    /// No types.
    Untyped,
    /// The type of at least one.
    Typed,
}

impl<'s, 't> RunScope<'s, 't> {
    pub(super) fn of(values: &'s RunValues<'t>, module: ModuleScope<'s>, within: Within) -> Self {
        Self {
            values,
            module,
            within,
            itself: None,
            validated: None,
            is_exact: Cell::new(true),
            unknown: Cell::new(Unknown::Nothing),
        }
    }
}

impl RunScope<'_, '_> {
    /// The value of the first names of a reference, and the number of steps that they take.
    pub(super) fn computed(&self, traversal: &Traversal) -> Option<(Computed, usize)> {
        let values = self.values;
        let name = traversal.steps.first()?.name()?;
        let (is_module, is_test) = (self.within != Within::Variables, self.within != Within::Module);
        match traversal.root.as_str() {
            "var" => {
                // An assertion shows the values of variables even if these are not valid.
                if self.validated != Some(name) && self.within != Within::Assertion {
                    values.depend_on(&Name::Variable(name.clone()));
                }
                Some((values.variable(name).unwrap_or(Computed::UNKNOWN), 1))
            }
            "run" if is_test => Some(values.run(name, traversal)),
            "output" if self.within == Within::Assertion => {
                let output = values.node.module().outputs.get(name);
                Some((output.map_or(Computed::UNKNOWN, |output| values.output_in_test(output)), 1))
            }
            "local" if is_module => Some((values.named(Name::Local(name.clone())), 1)),
            "module" if is_module && values.node.child(name).is_some() => {
                let output = traversal.steps.get(1).and_then(Step::name);
                if let Some(computed) = output.and_then(|output| values.output_of(name, output)) {
                    values.depend_on_outputs(name, &traversal.steps[1..]);
                    return Some((computed, 2));
                }
                let computed = values.named(Name::Call(name.clone()));
                values.depend_on_outputs(name, &traversal.steps[1..]);
                (computed.value != Value::UNKNOWN).then_some((computed, 1))
            }
            "self" => self.itself.map(|itself| (itself.clone(), 0)),
            _ if is_module => {
                let reference = reference(traversal, &values.node.module().features).ok()?;
                let Subject::Resource { address, key } = reference.subject else { return None };
                let steps = traversal.steps.len() - reference.remaining.len() - usize::from(key.is_some());
                Some((values.named(Name::Resource(address)), steps))
            }
            _ => None,
        }
    }
}

impl value::Scope for RunScope<'_, '_> {
    fn engine(&self) -> Engine {
        self.module.engine()
    }

    fn limits(&self) -> &Limits {
        self.module.limits()
    }

    fn work(&self) -> &Budget {
        self.module.work()
    }

    fn resolve(&self, traversal: &Traversal) -> Option<Resolved<'_>> {
        let (resolved, is_exact) = if let Some((computed, steps)) = self.computed(traversal) {
            (Resolved { value: Cow::Owned(computed.value), steps }, computed.is_exact)
        } else {
            let resolved = self.module.resolve(traversal)?;
            let is_exact = resolved.value.is_wholly_known();
            (resolved, is_exact)
        };
        self.is_exact.set(self.is_exact.get() && is_exact);
        if !resolved.value.is_wholly_known() {
            let is_untyped = *resolved.value.unmarked().0 == Value::UNKNOWN;
            let unknown = if is_untyped { Unknown::Untyped } else { Unknown::Typed };
            self.unknown.set(self.unknown.get().max(unknown));
        }
        Some(resolved)
    }

    fn is_planned(&self) -> bool {
        self.within != Within::Variables
    }

    fn knows_types(&self) -> bool {
        self.within != Within::Variables
    }

    fn knows_less(&self) -> bool {
        !self.is_exact.get()
    }

    fn outer(&self) -> Option<&dyn value::Scope> {
        Some(&self.module)
    }

    fn is_never(&self, expr: &Expr, value: &Value) -> bool {
        if value.is_null() { self.values.is_not_null(expr) } else { self.values.is_other_text(expr, value) }
    }
}

//! The effective type and default of a variable with overrides, where they differ from the written ones.

use crate::module::declaration::Variable;
use crate::module::merged::{Meaning, MergedBlock};
use crate::syntax::parse_expression;
use crate::value::{self, TypeConstraint};

/// Records both in the block of the variable.
pub(super) fn meanings(variable: &Variable, merged: &mut MergedBlock) {
    let argument = |merged: &MergedBlock, name: &str| {
        merged.arguments.iter().position(|argument| argument.counts.name == name)
    };
    let mut constraint = variable.constraint.as_ref().map(|given| given.value.clone());
    if let (Some(at), Some(effective)) = (argument(merged, "type"), constraint.clone()) {
        let mut wrong = Vec::new();
        let written = value::type_constraint(&merged.arguments[at].counts.expr, &mut wrong);
        if wrong.is_empty() && written != effective {
            let reported = expressible(effective);
            constraint = Some(reported.clone());
            merged.arguments[at].meaning = (reported != written).then_some(Meaning::Type(reported));
        }
    }
    if let (Some(at), Some(default)) = (argument(merged, "default"), &variable.default) {
        let mut wrong = Vec::new();
        let mut written = value::constant(&merged.arguments[at].counts.expr, &mut wrong);
        let mut fits = wrong.is_empty();
        if let Some(constraint) = &constraint {
            match constraint.accept(&written) {
                Ok(converted) => written = converted,
                Err(_) => fits = false,
            }
        }
        let is_same = fits && (written == default.value || (written.is_null() && default.value.is_null()));
        if !is_same && default.value.is_wholly_known() {
            merged.arguments[at].meaning = Some(Meaning::Value(default.value.clone()));
        }
    }
}

/// The constraint, without the defaults if these do not fit the type: the engine keeps them, but no text expresses
/// such a type.
fn expressible(constraint: TypeConstraint) -> TypeConstraint {
    let mut wrong = Vec::new();
    let read = constraint
        .written()
        .and_then(|text| parse_expression(&text).ok())
        .map(|expr| value::type_constraint(&expr, &mut wrong));
    match read {
        Some(read) if wrong.is_empty() => read,
        Some(_) | None => TypeConstraint { defaults: None, ..constraint },
    }
}

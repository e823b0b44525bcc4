//! Values and types: evaluates constant expressions, parses type expressions, and converts values between types.
//!
//! The rules are those of cty, the type system of the engines: numbers with 512 bits, typed unknown and null values,
//! and conversions that depend on the value as well as on its type.

mod type_constraint;
mod conversion_error;
mod convert;
mod data;
mod defaults;
mod equality;
mod evaluate;
mod functions;
mod marks;
mod number;
mod scope;
mod to_source;
mod ty;
mod unify;
mod version;
mod version_constraints;
mod weight;

#[cfg(test)]
mod tests;

pub use conversion_error::{Mismatch, PathStep};
pub use convert::convert;
pub use data::Value;
pub use defaults::Defaults;
pub(crate) use evaluate::too_expensive;
pub use evaluate::{
    TERRAFORM_FUNCTIONS, constant, constant_key, constant_within, elements, evaluate, evaluate_with, flag,
    follow, partial_text, text,
};
pub use functions::{Function, Kind, Parameter};
pub use marks::{MarkSource, Marks};
pub use number::Number;
pub use scope::{Budget, Lookup, Resolved, Scope};
pub use ty::{Attribute, Type};
pub use type_constraint::{TypeConstraint, type_constraint};
pub use version::Version;
pub use version_constraints::{Bound, Condition, Constraints, Operator, Range};
pub(crate) use weight::weight;

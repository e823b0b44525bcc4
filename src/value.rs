//! Turns constant expressions into values, type expressions into types, and values of one type into another.
//!
//! The rules are those of the engines' type system: numbers of 512 bits, unknown values that have a type, nulls that
//! have one too, and conversions that depend on the value as well as on its type.

mod number;
mod ty;
mod marks;
mod data;
mod unify;
mod convert;
mod mismatch;
mod equality;
mod scope;
mod evaluate;
mod defaults;
mod constraint;
mod functions;
mod version;
mod version_constraints;
mod written;

#[cfg(test)]
mod tests;

pub use constraint::{Constraint, type_constraint};
pub use convert::convert;
pub use data::Value;
pub use defaults::Defaults;
pub use evaluate::{constant, constant_within, evaluate, flag, follow, text};
pub use functions::{Function, Kind, Parameter};
pub use marks::{MarkSource, Marks};
pub use mismatch::{Mismatch, PathStep};
pub use number::Number;
pub use scope::{Lookup, Resolved, Scope};
pub use ty::{Attribute, Type};
pub use version::Version;
pub use version_constraints::{Bound, Condition, Constraints, Operator, Range};
